import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kloplei.devices.inputs import Debouncer, SeatButton, Transition
from kloplei.devices.schedule import ManualSchedule
from tests.devices.header import Header


def test_a_button_tells_of_press_and_release(header: Header) -> None:
    button, told = SeatButton(4, pin_factory=header.factory), []
    button.when_pressed = lambda: told.append("down")
    button.when_released = lambda: told.append("up")

    header.drive(4, low=True)
    header.drive(4, low=False)

    assert told == ["down", "up"]
    button.close()


def test_edges_come_raw_however_close(header: Header, schedule: ManualSchedule) -> None:
    """RPi.GPIO with a bounce time would miss the release and leave a hand holding."""
    button, told = SeatButton(4, pin_factory=header.factory), []
    button.when_pressed = lambda: told.append("down")
    button.when_released = lambda: told.append("up")

    for _ in range(3):
        header.drive(4, low=True)
        schedule.advance(0.0002)
        header.drive(4, low=False)

    assert told == ["down", "up"] * 3
    assert not button.is_pressed
    button.close()


def test_a_button_leaves_no_thread_that_wakes_all_evening(header: Header) -> None:
    before = threading.active_count()

    button = SeatButton(4, pin_factory=header.factory)

    assert threading.active_count() == before
    button.close()
    assert button.closed


@pytest.fixture
def debouncer() -> Debouncer:
    return Debouncer(settle_s=0.012)


def test_a_press_counts_once_it_has_stood_and_from_its_first_edge(debouncer: Debouncer) -> None:
    ask_at_s = debouncer.edge(True, 5.0, 5.0)

    assert debouncer.transition(5.005) is None
    assert debouncer.transition(ask_at_s) == Transition(closed=True, at_s=5.0)
    assert debouncer.transition(6.0) is None


def test_a_bouncing_press_is_one_press(debouncer: Debouncer) -> None:
    for closed, at_s in [(True, 5.0), (False, 5.001), (True, 5.002), (False, 5.004)]:
        debouncer.edge(closed, at_s, at_s)
    ask_at_s = debouncer.edge(True, 5.005, 5.005)

    assert debouncer.transition(5.016) is None  # 12 ms after the first edge, but not after the last
    assert debouncer.transition(ask_at_s) == Transition(closed=True, at_s=5.0)


def test_a_bounce_that_a_busy_pi_tells_late_and_edge_by_edge_is_one_press(
    debouncer: Debouncer,
) -> None:
    """Each edge is older than the settling time when it is told; the next is on its way."""
    told_at_s = 5.200
    for closed, at_s in [(True, 5.0), (False, 5.001), (True, 5.002)]:
        ask_at_s = debouncer.edge(closed, at_s, told_at_s)
        assert debouncer.transition(told_at_s) is None
        told_at_s += 0.001

    assert debouncer.transition(ask_at_s) == Transition(closed=True, at_s=5.0)


def test_a_spike_on_the_wire_is_no_press(debouncer: Debouncer) -> None:
    debouncer.edge(True, 5.0, 5.0)
    ask_at_s = debouncer.edge(False, 5.0005, 5.0005)

    assert debouncer.transition(ask_at_s) is None
    assert debouncer.transition(9.0) is None


def test_a_spike_while_the_button_is_held_does_not_let_go(debouncer: Debouncer) -> None:
    debouncer.transition(debouncer.edge(True, 5.0, 5.0))
    debouncer.edge(False, 6.0, 6.0)
    debouncer.edge(True, 6.001, 6.001)

    assert debouncer.transition(7.0) is None
    assert debouncer.transition(debouncer.edge(False, 8.0, 8.0)) == Transition(
        closed=False, at_s=8.0
    )


def test_without_settling_time_every_edge_counts_at_once() -> None:
    debouncer = Debouncer(settle_s=0)

    turns = [
        debouncer.transition(debouncer.edge(closed, at_s, at_s))
        for closed, at_s in [(True, 1), (False, 2)]
    ]

    assert turns == [Transition(True, 1), Transition(False, 2)]


@given(st.lists(st.floats(0.0001, 0.5), min_size=1, max_size=40))
def test_whatever_the_contact_does_presses_and_releases_alternate_and_end_true(
    gaps: list[float],
) -> None:
    """Asked when it says, as the schedule does: no release is ever lost."""
    schedule, debouncer, turns = ManualSchedule(0.0), Debouncer(0.012), []

    def ask() -> None:
        if turn := debouncer.transition(schedule.now_s()):
            turns.append(turn)

    closed = False
    for gap_s in gaps:
        schedule.advance(gap_s)
        closed = not closed
        schedule.at(debouncer.edge(closed, schedule.now_s(), schedule.now_s()), ask)
    schedule.advance(1.0)

    assert [turn.closed for turn in turns] == [at % 2 == 0 for at in range(len(turns))]
    assert (len(turns) % 2 == 1) is closed
    assert sorted(turn.at_s for turn in turns) == [turn.at_s for turn in turns]
