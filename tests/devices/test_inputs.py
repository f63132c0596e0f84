from collections.abc import Iterator
from dataclasses import replace

import pytest

from kloplei.config.settings import Config, PinsConfig, SeatPins, TableConfig
from kloplei.devices.box import Box
from kloplei.devices.inputs import KnockPad
from kloplei.devices.schedule import ManualSchedule
from kloplei.devices.virtual import VirtualPin, VirtualPins
from kloplei.games.game import Seat
from kloplei.knock import KnockHeard
from kloplei.table.messages import ButtonPressed, ButtonReleased, PartFailed
from tests.devices.conftest import ListInbox
from tests.devices.header import Header

THREE_SEATS = Config(
    table=TableConfig(seats=3),
    seats=(SeatPins(button=4, pad=17), SeatPins(pad=27), SeatPins(button=16)),
)


@pytest.fixture
def table(header: Header, inbox: ListInbox, schedule: ManualSchedule) -> Iterator[Box]:
    """Three seats: one with pad and button, one with a pad, one with a button."""
    inputs = Box(THREE_SEATS, inbox, pin_factory=header.factory, schedule=schedule)
    yield inputs
    inputs.close()


def blow(header: Header, schedule: ManualSchedule, pin: int, judged_s: float = 0.1) -> None:
    """Let the comparator on *pin* answer a blow, and leave time to judge it."""
    header.drive(pin, low=True)
    schedule.advance(0.003)
    header.drive(pin, low=False)
    schedule.advance(judged_s)


@pytest.mark.usefixtures("table")
def test_a_blow_reaches_the_inbox_as_the_knock_of_its_seat(
    header: Header, inbox: ListInbox, schedule: ManualSchedule
) -> None:
    blow(header, schedule, 27)

    (heard,) = inbox.knocks
    assert heard.seat == Seat(1)
    assert isinstance(heard.seat, Seat)
    assert heard.at_s == pytest.approx(1000.0)


@pytest.mark.usefixtures("table")
def test_a_blow_that_rings_on_is_one_knock(
    header: Header, inbox: ListInbox, schedule: ManualSchedule
) -> None:
    for _ in range(5):
        blow(header, schedule, 17, judged_s=0.004)
    schedule.advance(0.1)

    assert len(inbox.knocks) == 1


@pytest.mark.usefixtures("table")
def test_knocks_as_fast_as_people_knock_are_all_heard(
    header: Header, inbox: ListInbox, schedule: ManualSchedule
) -> None:
    for _ in range(3):
        blow(header, schedule, 17, judged_s=0.150)

    assert [knock.at_s for knock in inbox.knocks] == pytest.approx([1000.0, 1000.153, 1000.306])


@pytest.mark.usefixtures("table")
def test_a_pad_that_is_held_down_delays_no_judgement_of_another(
    header: Header, inbox: ListInbox, schedule: ManualSchedule
) -> None:
    """Whoever waited for the end of the one blow came too late for the next."""
    header.drive(17, low=True)
    schedule.advance(0.08)

    blow(header, schedule, 27, judged_s=0.06)

    assert [knock.seat for knock in inbox.knocks] == [Seat(1)]


@pytest.mark.usefixtures("table")
def test_a_press_comes_with_the_moment_of_its_first_edge(
    header: Header, inbox: ListInbox, schedule: ManualSchedule
) -> None:
    header.drive(16, low=True)
    schedule.advance(0.5)
    header.drive(16, low=False)
    schedule.advance(0.5)

    assert inbox.messages == [
        ButtonPressed(Seat(2), 1000.0),
        ButtonReleased(Seat(2), 1000.5),
    ]


@pytest.mark.usefixtures("table")
def test_a_bouncing_button_is_pressed_once(
    header: Header, inbox: ListInbox, schedule: ManualSchedule
) -> None:
    for low in (True, False, True, False, True):
        header.drive(4, low=low)
        schedule.advance(0.002)
    schedule.advance(1.0)

    assert inbox.messages == [ButtonPressed(Seat(0), 1000.0)]


@pytest.mark.usefixtures("table")
def test_a_spike_on_a_button_wire_says_nothing(
    header: Header, inbox: ListInbox, schedule: ManualSchedule
) -> None:
    header.drive(4, low=True)
    schedule.advance(0.001)
    header.drive(4, low=False)
    schedule.advance(1.0)

    assert inbox.messages == []


def test_one_pad_for_the_whole_table_hears_knocks_of_nobody_in_particular(
    header: Header, inbox: ListInbox, schedule: ManualSchedule
) -> None:
    config = Config(seats=(SeatPins(),) * 8, pins=PinsConfig(shared_pad=17))
    inputs = Box(config, inbox, pin_factory=header.factory, schedule=schedule)

    blow(header, schedule, 17)

    (heard,) = inbox.knocks
    assert heard.seat is None
    inputs.close()


def test_a_pad_whose_pin_is_taken_is_reported_by_name_and_the_others_work(
    header: Header, inbox: ListInbox, schedule: ManualSchedule
) -> None:
    squatter = KnockPad(27, pin_factory=header.factory)
    inputs = Box(THREE_SEATS, inbox, pin_factory=header.factory, schedule=schedule)

    blow(header, schedule, 17)

    (failed,) = inbox.failures
    assert failed.part == "pad 2"
    assert "another part holds GPIO 27" in failed.message
    assert any(isinstance(message, KnockHeard) for message in inbox.messages)
    inputs.close()
    squatter.close()


def test_a_pin_that_the_pi_does_not_have_is_reported_by_name(
    header: Header, inbox: ListInbox, schedule: ManualSchedule
) -> None:
    config = replace(THREE_SEATS, seats=(SeatPins(button=99), SeatPins(), SeatPins()))

    Box(config, inbox, pin_factory=header.factory, schedule=schedule).close()

    (failed,) = inbox.messages
    assert isinstance(failed, PartFailed)
    assert failed.part == "button 1"
    assert "no such pin" in failed.message


class GrumpyFactory:
    """A pin library with errors of its own, as lgpio has."""

    def __init__(self, factory: object) -> None:
        self._factory = factory

    def __getattr__(self, name: str) -> object:
        return getattr(self._factory, name)

    def pin(self, name: object) -> object:
        if name == 17:
            raise Exception("'GPIO busy'")  # noqa: TRY002 - lgpio.error is as bare as this
        return self._factory.pin(name)  # type: ignore[attr-defined]


def test_an_error_of_the_pin_library_itself_stops_one_part_only(
    header: Header, inbox: ListInbox, schedule: ManualSchedule
) -> None:
    inputs = Box(THREE_SEATS, inbox, pin_factory=GrumpyFactory(header.factory), schedule=schedule)

    blow(header, schedule, 27)

    (failed,) = inbox.failures
    assert failed.part == "pad 1"
    assert "(GPIO busy)" in failed.message
    assert any(isinstance(message, KnockHeard) for message in inbox.messages)
    inputs.close()


def test_closed_inputs_hear_nothing_and_hold_no_pin(
    header: Header, inbox: ListInbox, schedule: ManualSchedule
) -> None:
    inputs = Box(THREE_SEATS, inbox, pin_factory=header.factory, schedule=schedule)
    inputs.close()
    inputs.close()

    blow(header, schedule, 17)
    again = Box(THREE_SEATS, inbox, pin_factory=header.factory, schedule=schedule)

    assert inbox.messages == []
    again.close()


class TestKernelTime:
    """What counts is when the edge was, not when Python got round to it."""

    @pytest.mark.parametrize(
        ("ticks_at_edge", "ticks_now", "heard_at_s"),
        [
            pytest.param(50.0, 50.25, 999.75, id="a busy Pi calls back a quarter second late"),
            pytest.param(50.25, 50.0, 1000.0, id="stamped after now: another clock, take ours"),
            pytest.param(50.0, 5000.0, 1000.0, id="stamped an hour ago: another clock, take ours"),
        ],
    )
    def test_the_age_by_the_factorys_ticks_is_counted_back_from_our_clock(
        self,
        inbox: ListInbox,
        schedule: ManualSchedule,
        ticks_at_edge: float,
        ticks_now: float,
        heard_at_s: float,
    ) -> None:
        clock = ManualSchedule(ticks_at_edge)
        factory = late_pins(clock, ticks_now)
        inputs = Box(THREE_SEATS, inbox, pin_factory=factory, schedule=schedule)

        factory.pin(17).drive_low()
        factory.pin(17).drive_high()
        schedule.advance(0.1)

        (heard,) = inbox.knocks
        assert heard.at_s == pytest.approx(heard_at_s)
        inputs.close()


def late_pins(clock: ManualSchedule, called_at_s: float) -> VirtualPins:
    """Return mock pins that stamp an edge by *clock*, and call back when it is *called_at_s*."""

    class LatePin(VirtualPin):
        def _call_when_changed(self) -> None:
            stamp = clock.now_s()
            clock.advance(0.003)  # the comparator lets go again
            self.factory.ticks = lambda: called_at_s
            self._when_changed()(stamp, self._state)

    pins = VirtualPins(clock)
    pins.pin_class = LatePin
    return pins
