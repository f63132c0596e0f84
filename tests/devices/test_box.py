import pytest

from kloplei.config.settings import BuzzerConfig, Config, LampConfig, PinsConfig, SlateConfig
from kloplei.devices.box import Box
from kloplei.devices.glass import SlateMissing
from kloplei.devices.inputs import KnockPad
from kloplei.devices.schedule import ManualSchedule
from kloplei.devices.virtual import VirtualBox
from kloplei.games.game import Seat
from kloplei.knock import KnockHeard
from kloplei.table.messages import PartFailed
from tests.devices.conftest import ListInbox

CONFIG = Config(lamp=LampConfig(enabled=True), buzzer=BuzzerConfig(enabled=True))


@pytest.fixture
def virtual(schedule: ManualSchedule) -> VirtualBox:
    return VirtualBox(CONFIG, schedule)


def open_box(virtual: VirtualBox, inbox: ListInbox) -> Box:
    return Box(CONFIG, inbox, pin_factory=virtual.pin_factory, schedule=virtual.schedule)


def test_a_whole_box_opens_without_a_complaint_and_hears(
    virtual: VirtualBox, inbox: ListInbox, schedule: ManualSchedule
) -> None:
    box = open_box(virtual, inbox)

    virtual.knock(Seat(3))
    schedule.advance(0.1)

    assert [heard.seat for heard in inbox.knocks] == [Seat(3)]
    box.close()
    box.close()


@pytest.mark.parametrize(
    ("part", "pin"), [("lamp", CONFIG.lamp.red), ("buzzer", CONFIG.buzzer.pin), ("pad 4", 5)]
)
def test_a_part_that_does_not_open_is_reported_and_the_rest_works(
    part: str, pin: int, virtual: VirtualBox, inbox: ListInbox, schedule: ManualSchedule
) -> None:
    squatter = KnockPad(pin, pin_factory=virtual.pin_factory)
    box = open_box(virtual, inbox)

    virtual.knock(Seat(0))
    schedule.advance(0.1)

    assert [failed.part for failed in inbox.failures] == [part]
    assert any(isinstance(message, KnockHeard) for message in inbox.messages)
    box.close()
    squatter.close()


def test_without_a_header_the_box_opens_and_says_so(inbox: ListInbox) -> None:
    """This machine is no Pi: the phones still have a table."""
    box = Box(Config(pins=PinsConfig(factory="native")), inbox)

    (failed,) = inbox.messages
    assert isinstance(failed, PartFailed)
    assert failed.part == "pins"
    assert "not a Raspberry Pi" in failed.message
    box.close()


def test_the_slate_is_opened_on_the_boxs_own_pins(inbox: ListInbox) -> None:
    box = Box(Config(slate=SlateConfig(driver="none")), inbox, schedule=ManualSchedule())

    with pytest.raises(SlateMissing, match="no slate is fitted"):
        box.open_slate()

    box.close()
