"""Inputs that go mad: the table stays live, memory flat, and people are told which it is."""

import tracemalloc
from collections.abc import Iterator
from dataclasses import replace

import pytest
from gpiozero import GPIOPinInUse

from kloplei.config.settings import Config, SeatPins, TableConfig
from kloplei.devices.box import Box
from kloplei.devices.inputs import FIRST_REST_S, LONGEST_REST_S, KnockPad
from kloplei.devices.schedule import ManualSchedule
from kloplei.devices.virtual import VirtualPin, VirtualPins
from kloplei.games.game import Seat
from kloplei.knock import KnockHeard
from kloplei.table.messages import ButtonPressed, ButtonReleased, PartFailed, PartHealed, Trouble
from tests.devices.conftest import ListInbox
from tests.devices.header import Header, MockHeader

MAD, SOUND, BUTTON = 17, 27, 4
CONFIG = Config(
    table=TableConfig(seats=3),
    seats=(SeatPins(pad=MAD, button=BUTTON), SeatPins(pad=SOUND), SeatPins()),
)
STEP_S = 1e-4  # 10,000 edges a second


@pytest.fixture
def inputs(header: Header, inbox: ListInbox, schedule: ManualSchedule) -> Iterator[Box]:
    inputs = Box(CONFIG, inbox, pin_factory=header.factory, schedule=schedule)
    yield inputs
    inputs.close()


def storm(header: Header, schedule: ManualSchedule, pin: int, for_s: float) -> None:
    """Drive *pin* up and down 10,000 times a second."""
    for n in range(round(for_s / STEP_S)):
        header.drive(pin, low=n % 2 == 0)
        schedule.advance(STEP_S)
    header.drive(pin, low=False)


def knock(header: Header, schedule: ManualSchedule, pin: int) -> None:
    header.drive(pin, low=True)
    schedule.advance(0.004)
    header.drive(pin, low=False)
    schedule.advance(0.1)


def _refuse(*_: object, **__: object) -> None:
    raise GPIOPinInUse("pin GPIO17 is already in use")


def knocks(inbox: ListInbox) -> list[KnockHeard]:
    return [message for message in inbox.messages if isinstance(message, KnockHeard)]


@pytest.mark.usefixtures("inputs")
class TestStorm:
    def test_ten_thousand_edges_a_second_put_next_to_nothing_into_the_inbox(
        self, header: Header, inbox: ListInbox, schedule: ManualSchedule
    ) -> None:
        storm(header, schedule, MAD, for_s=1.0)

        assert len(inbox.messages) <= 4  # that it was struck, that it was nothing, and the storm
        assert knocks(inbox) == []
        (told,) = inbox.failures
        assert (told.part, told.trouble) == ("pad 1", Trouble.STORM)
        assert "pad 1 on GPIO 17 tells thousands of edges a second" in told.message

    def test_the_input_is_closed_so_that_no_edge_calls_anybody(
        self, header: Header, schedule: ManualSchedule
    ) -> None:
        storm(header, schedule, MAD, for_s=0.1)

        assert header.factory.pin(MAD).when_changed is None

    def test_the_other_seats_play_on_meanwhile(
        self, header: Header, inbox: ListInbox, schedule: ManualSchedule
    ) -> None:
        storm(header, schedule, MAD, for_s=0.3)

        knock(header, schedule, SOUND)

        assert [(heard.seat, heard.doubtful) for heard in knocks(inbox)] == [(Seat(1), False)]

    def test_each_knock_at_another_pad_is_judged_in_time_while_it_rages(
        self, header: Header, inbox: ListInbox, schedule: ManualSchedule
    ) -> None:
        judged_after_s = []
        for _ in range(6):
            storm(header, schedule, MAD, for_s=0.25)
            struck_s, heard = schedule.now_s(), len(knocks(inbox))
            header.drive(SOUND, low=True)
            storm(header, schedule, MAD, for_s=0.004)
            header.drive(SOUND, low=False)
            while len(knocks(inbox)) == heard and schedule.now_s() < struck_s + 1:
                storm(header, schedule, MAD, for_s=0.002)
            judged_after_s.append(schedule.now_s() - struck_s)

        assert [heard.seat for heard in knocks(inbox)] == [Seat(1)] * 6
        assert max(judged_after_s) < 0.07

    def test_it_counts_again_once_it_is_quiet(
        self, header: Header, inbox: ListInbox, schedule: ManualSchedule
    ) -> None:
        storm(header, schedule, MAD, for_s=0.3)
        schedule.advance(3.0)

        knock(header, schedule, MAD)

        assert inbox.messages.count(PartHealed("pad 1")) == 1
        assert [heard.seat for heard in knocks(inbox)] == [Seat(0)]

    def test_it_does_not_count_before_it_has_been_quiet_for_a_moment(
        self, header: Header, inbox: ListInbox, schedule: ManualSchedule
    ) -> None:
        storm(header, schedule, MAD, for_s=0.3)
        schedule.advance(FIRST_REST_S - 0.2)

        knock(header, schedule, MAD)

        assert knocks(inbox) == []
        assert PartHealed("pad 1") not in inbox.messages

    def test_one_that_goes_on_is_tried_ever_less_often_and_never_heard(
        self, header: Header, inbox: ListInbox, schedule: ManualSchedule
    ) -> None:
        storm(header, schedule, MAD, for_s=6.0)

        assert PartHealed("pad 1") not in inbox.messages
        assert len(inbox.messages) <= 6
        schedule.advance(12.0)
        assert PartHealed("pad 1") in inbox.messages

    def test_one_that_does_not_open_after_its_rest_is_tried_again(
        self,
        header: Header,
        inbox: ListInbox,
        schedule: ManualSchedule,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """Another program has taken the pin: once it stayed deaf until the next start."""
        storm(header, schedule, MAD, for_s=0.3)
        with monkeypatch.context() as taken:
            taken.setattr(KnockPad, "__init__", _refuse)
            schedule.advance(FIRST_REST_S + 0.1)
            assert inbox.failures[-1].trouble is Trouble.PART
        schedule.advance(LONGEST_REST_S + 1.0)

        knock(header, schedule, MAD)

        assert inbox.messages.count(PartHealed("pad 1")) == 1
        assert [heard.seat for heard in knocks(inbox)] == [Seat(0)]

    def test_a_button_that_storms_is_let_go_of(
        self, header: Header, inbox: ListInbox, schedule: ManualSchedule
    ) -> None:
        """A hand that held it would hold for ever."""
        header.drive(BUTTON, low=True)
        schedule.advance(0.1)
        storm(header, schedule, BUTTON, for_s=0.2)
        schedule.advance(0.1)

        kinds = [type(message) for message in inbox.messages]
        assert kinds == [ButtonPressed, PartFailed, ButtonReleased]


def test_a_storm_that_goes_on_leaves_memory_flat(
    inbox: ListInbox, schedule: ManualSchedule
) -> None:
    """What is remembered of 40,000 edges is nothing."""
    header = MockHeader(schedule)
    inputs = Box(CONFIG, inbox, pin_factory=header.factory, schedule=schedule)
    storm(header, schedule, MAD, for_s=0.5)

    tracemalloc.start()
    storm(header, schedule, MAD, for_s=1.0)
    before, _ = tracemalloc.get_traced_memory()
    storm(header, schedule, MAD, for_s=4.0)
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert after - before < 20_000
    inputs.close()


@pytest.mark.usefixtures("inputs")
class TestAilments:
    def test_a_pad_that_is_held_down_is_named_until_it_lets_go(
        self, header: Header, inbox: ListInbox, schedule: ManualSchedule
    ) -> None:
        header.drive(MAD, low=True)
        schedule.advance(5.0)
        told = list(inbox.failures)
        header.drive(MAD, low=False)
        schedule.advance(3.0)

        assert [(one.part, one.trouble) for one in told] == [("pad 1", Trouble.STUCK)]
        assert inbox.messages[-1] == PartHealed("pad 1")

    def test_a_pad_that_stormed_while_it_was_held_down_is_looked_at_once_a_second(
        self, header: Header, schedule: ManualSchedule
    ) -> None:
        """A new watch began while the look of the old one was still to come: two from then on."""
        storm(header, schedule, MAD, for_s=0.1)
        schedule.advance(1.0)  # it is tried again
        header.drive(MAD, low=True)
        schedule.advance(0.6)

        due = [at_s for at_s, _, do in schedule._due._heap if "_look" in repr(do)]
        assert len(due) == 1

    def test_a_pad_that_hears_the_mains_is_named_and_the_others_play_on(
        self, header: Header, inbox: ListInbox, schedule: ManualSchedule
    ) -> None:
        for _ in range(300):
            header.drive(MAD, low=True)
            schedule.advance(0.004)
            header.drive(MAD, low=False)
            schedule.advance(0.006)
        told = list(inbox.failures)
        knock(header, schedule, SOUND)
        schedule.advance(4.0)

        assert [(one.part, one.trouble) for one in told] == [("pad 1", Trouble.HUM)]
        assert [heard.seat for heard in knocks(inbox)] == [Seat(1)]
        assert inbox.messages[-1] == PartHealed("pad 1")

    def test_a_button_may_be_held_as_long_as_one_likes(
        self, header: Header, inbox: ListInbox, schedule: ManualSchedule
    ) -> None:
        header.drive(BUTTON, low=True)
        schedule.advance(20.0)

        assert inbox.messages == [ButtonPressed(Seat(0), 1000.0)]

    def test_at_rest_nobody_looks(self, header: Header, schedule: ManualSchedule) -> None:
        knock(header, schedule, MAD)
        schedule.advance(5.0)

        assert schedule._due.next_s() is None


def test_closed_in_a_storm_it_is_not_opened_again(
    header: Header, inbox: ListInbox, schedule: ManualSchedule
) -> None:
    inputs = Box(CONFIG, inbox, pin_factory=header.factory, schedule=schedule)
    storm(header, schedule, MAD, for_s=0.1)

    inputs.close()
    schedule.advance(20.0)

    again = Box(CONFIG, inbox, pin_factory=header.factory, schedule=schedule)
    assert [told.trouble for told in inbox.failures] == [Trouble.STORM]
    again.close()


def test_corner_pads_hear_knocks_of_nobody_in_particular(
    header: Header, inbox: ListInbox, schedule: ManualSchedule
) -> None:
    config = Config(seats=(SeatPins(),) * 8)
    config = replace(config, pins=replace(config.pins, corner_pads=(17, 27, 22)))
    inputs = Box(config, inbox, pin_factory=header.factory, schedule=schedule)

    for pin in (27, 17, 22):
        header.drive(pin, low=True)
        schedule.advance(0.001)
    for pin in (17, 27, 22):
        header.drive(pin, low=False)
    schedule.advance(0.1)

    assert [heard.seat for heard in knocks(inbox)] == [None]
    inputs.close()


class ShortedPin(VirtualPin):
    """A wire that lies on ground: no pull lifts it."""

    def drive_high(self) -> None:
        pass


def test_a_pad_that_is_down_from_the_start_is_named(
    inbox: ListInbox, schedule: ManualSchedule
) -> None:
    """No edge tells of a wire that was shorted before the box was switched on."""
    pins = VirtualPins(schedule)
    pins.pin_class = ShortedPin
    config = replace(CONFIG, seats=(SeatPins(pad=MAD), SeatPins(), SeatPins()))

    inputs = Box(config, inbox, pin_factory=pins, schedule=schedule)
    schedule.advance(5.0)

    assert [(one.part, one.trouble) for one in inbox.failures] == [("pad 1", Trouble.STUCK)]
    assert inputs.held_down == ("pad 1",)
    assert knocks(inbox) == []
    inputs.close()
