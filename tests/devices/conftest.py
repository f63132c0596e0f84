"""Fixtures of the devices: a clock that stands still, an inbox to look into, two headers."""

from collections.abc import Iterator

import pytest
from gpiozero import Device
from gpiozero.pins.mock import MockFactory

from kloplei.devices.schedule import ManualSchedule
from kloplei.knock import KnockHeard
from kloplei.knock.judgement import Struck
from kloplei.table.messages import ButtonPressed, ButtonReleased, Message, PartFailed
from tests.devices.header import Header, MockHeader, fake_rpi_header


class ListInbox:
    """An inbox that keeps its messages where a test can see them."""

    def __init__(self) -> None:
        self.messages: list[Message] = []

    def put(self, message: Message) -> None:
        self.messages.append(message)

    @property
    def knocks(self) -> list[KnockHeard]:
        """The knocks among the messages, which are all to be of blows."""
        assert all(isinstance(one, Struck | KnockHeard) for one in self.messages), self.messages
        return [message for message in self.messages if isinstance(message, KnockHeard)]

    @property
    def touches(self) -> list[ButtonPressed | ButtonReleased]:
        """Presses and releases among the messages."""
        kinds = (ButtonPressed, ButtonReleased)
        return [message for message in self.messages if isinstance(message, kinds)]

    @property
    def failures(self) -> list[PartFailed]:
        """Reports of dead parts among the messages."""
        return [message for message in self.messages if isinstance(message, PartFailed)]


@pytest.fixture
def schedule() -> ManualSchedule:
    return ManualSchedule()


@pytest.fixture
def inbox() -> ListInbox:
    return ListInbox()


@pytest.fixture(params=["mock", "fake-rpi"])
def header(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, schedule: ManualSchedule
) -> Iterator[Header]:
    """The same pins twice: gpiozero's own mock, and RPi.GPIO as fake-rpi plays it."""
    if request.param == "mock":
        yield MockHeader(schedule)
        return
    with fake_rpi_header(monkeypatch, schedule) as fake:
        yield fake


@pytest.fixture
def wired_pins(monkeypatch: pytest.MonkeyPatch) -> MockFactory:
    """Pins whose SPI works: the software bus of gpiozero asks for the default factory."""
    factory = MockFactory()
    monkeypatch.setattr(Device, "pin_factory", factory)
    return factory
