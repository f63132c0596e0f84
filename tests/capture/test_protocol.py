"""What is asked of a table, and when."""

from itertools import pairwise

import pytest

from kloplei.games.game import Seat
from kloplei.recordings.capture._labels import EARLY_S, LATE_S
from kloplei.recordings.capture.protocol import (
    KINDS,
    KNOCK,
    ProtocolStep,
    steps_for,
    steps_of_any,
    walk_s,
)


def seats(count: int) -> list[Seat]:
    return [Seat(at) for at in range(count)]


def test_a_full_table_is_done_in_ten_minutes_of_recording() -> None:
    assert 7 * 60 < walk_s(steps_for(seats(8))) < 10 * 60


def test_every_step_has_a_name_of_its_own() -> None:
    for count in range(1, 9):
        names = [step.name for step in steps_for(seats(count))]

        assert len(set(names)) == len(names)


def test_every_seat_does_every_sort_of_knock() -> None:
    steps = steps_for(seats(3))

    for seat in seats(3):
        mine = {step.kind.name for step in steps if step.seats == (seat,)}
        assert mine == {"soft", "usual", "hard", "finger", "fist", "twice", "thrice"}


def test_neighbours_and_those_across_knock_together() -> None:
    together = [step.name for step in steps_for(seats(6)) if step.kind.name == "together"]

    assert together == ["together-1-2", "together-1-4"]


def test_what_another_walk_of_the_table_left_is_known_again() -> None:
    known = steps_of_any(4)

    for count in range(1, 5):
        assert set(steps_for(seats(count))) <= known


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_no_blow_can_be_taken_for_the_one_before_or_after(kind: object) -> None:
    step = next(one for one in steps_for(seats(2)) if one.kind is kind)

    for before, after in pairwise(step.beats_s):
        assert after - before > EARLY_S + LATE_S


def test_a_step_can_be_left_out() -> None:
    without = steps_for(seats(2), frozenset({"talk", "dice"}))

    assert {"talk", "dice"} & {step.kind.name for step in without} == set()
    assert len(without) == len(steps_for(seats(2))) - 2


def test_noises_say_where_they_come_from_and_knocks_whose_they_are() -> None:
    for step in steps_for(seats(4)):
        assert bool(step.kind.domain) is (step.kind.category != KNOCK)
        assert bool(step.seats) is (step.kind.category == KNOCK)


def test_the_same_hand_goes_on_and_another_one_is_waited_for() -> None:
    soft, usual, *_ = (step for step in steps_for(seats(2)) if step.seats == (Seat(0),))
    other = next(step for step in steps_for(seats(2)) if step.seats == (Seat(1),))

    assert usual.goes_on_from(soft)
    assert not other.goes_on_from(soft)
    assert not soft.goes_on_from(None)
    assert not ProtocolStep(KINDS[-1]).goes_on_from(ProtocolStep(KINDS[-2]))
