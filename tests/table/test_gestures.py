"""Patterns of knocks and presses, seat by seat; all times are passed in."""

import pytest

from kloplei.games.game import Gesture, Seat
from kloplei.games.scoreboard import Heard
from kloplei.table.gestures import BadTiming, Gestures, Pattern, Strengths, Timings

HERE, THERE = Seat(0), Seat(3)
TIMINGS = Timings(gap_s=0.5, hold_s=0.8, undo_hold_s=3.0, stuck_s=20.0)


@pytest.fixture
def gestures() -> Gestures:
    return Gestures(TIMINGS)


def knocks(n: int, seat: Seat | None = HERE, via: str = "pad") -> Pattern:
    if via == "pad":
        return Pattern(seat, Gesture(n), "pad")
    return Pattern(seat, Gesture(n, presses=n), "button")


HOLD = Pattern(HERE, Gesture(hold=True), "button")


def test_nothing_heard_is_nothing_to_wait_for(gestures: Gestures) -> None:
    assert gestures.next_deadline is None
    assert gestures.heard is None
    assert gestures.due(1e9) == ()


@pytest.mark.parametrize("n", [1, 2, 3, 4, 6])
def test_knocks_in_quick_succession_are_one_pattern(gestures: Gestures, n: int) -> None:
    for nth in range(n):
        assert gestures.due(nth * 0.49) == ()
        gestures.knocked(HERE, nth * 0.49)

    assert gestures.due((n - 1) * 0.49 + 0.5) == (knocks(n),)


def test_a_pattern_is_decided_once(gestures: Gestures) -> None:
    gestures.knocked(HERE, 0.0)
    gestures.due(0.5)

    assert gestures.due(10.0) == ()
    assert gestures.heard is None


def test_a_knock_is_heard_at_once_and_counted_on(gestures: Gestures) -> None:
    gestures.knocked(HERE, 0.0)
    first = gestures.heard
    gestures.knocked(HERE, 0.3)

    assert (first, gestures.heard) == (Heard(HERE, 1), Heard(HERE, 2))
    assert gestures.next_deadline == 0.8


def test_seats_knock_independently(gestures: Gestures) -> None:
    gestures.knocked(HERE, 0.0)
    gestures.knocked(THERE, 0.1)
    gestures.knocked(THERE, 0.3)

    assert gestures.heard == Heard(THERE, 2)
    assert gestures.due(0.5) == (knocks(1),)
    assert gestures.due(0.8) == (knocks(2, THERE),)


def test_what_ends_first_is_told_first(gestures: Gestures) -> None:
    gestures.knocked(THERE, 0.2)
    gestures.knocked(HERE, 0.1)

    assert [pattern.seat for pattern in gestures.due(5.0)] == [HERE, THERE]


def test_a_short_press_is_a_knock_and_heard_when_it_goes_down(gestures: Gestures) -> None:
    gestures.pressed(HERE, 0.0)
    heard = gestures.heard
    gestures.released(HERE, 0.2)

    assert heard == Heard(HERE, 1)
    assert gestures.due(0.69) == ()
    assert gestures.due(0.7) == (knocks(1, via="button"),)


def test_presses_make_patterns_too(gestures: Gestures) -> None:
    for down_s in (0.0, 0.4, 0.8):
        gestures.pressed(HERE, down_s)
        gestures.released(HERE, down_s + 0.1)

    assert gestures.due(1.4) == (knocks(3, via="button"),)


def test_a_pattern_tells_presses_from_blows_on_the_wood(gestures: Gestures) -> None:
    gestures.knocked(HERE, 0.0)
    gestures.pressed(HERE, 0.3)
    gestures.released(HERE, 0.4)
    gestures.knocked(HERE, 0.7)

    assert gestures.due(1.2) == (Pattern(HERE, Gesture(3, presses=1), "pad"),)


def test_a_pattern_does_not_end_while_the_button_is_down(gestures: Gestures) -> None:
    gestures.pressed(HERE, 0.0)
    gestures.released(HERE, 0.1)
    gestures.pressed(HERE, 0.5)

    assert gestures.due(0.7) == ()
    assert gestures.heard == Heard(HERE, 2)


@pytest.mark.parametrize(("down_s", "told"), [(0.79, knocks(1, via="button")), (0.8, HOLD)])
def test_a_longer_press_is_a_hold(gestures: Gestures, down_s: float, told: Pattern) -> None:
    gestures.pressed(HERE, 0.0)
    gestures.due(down_s)
    gestures.released(HERE, down_s)

    assert gestures.due(2.0) == (told,)


def test_a_hold_is_shown_while_it_lasts_and_decided_at_release(gestures: Gestures) -> None:
    gestures.pressed(HERE, 0.0)

    assert gestures.next_deadline == 0.8
    assert gestures.due(0.8) == ()
    assert gestures.heard == Heard(HERE, holding=True)
    gestures.released(HERE, 1.5)
    assert gestures.next_deadline == 1.5
    assert gestures.due(1.5) == (HOLD,)


def test_a_hold_makes_the_knocks_before_it_count_for_nothing(gestures: Gestures) -> None:
    gestures.pressed(HERE, 0.0)
    gestures.released(HERE, 0.1)
    gestures.pressed(HERE, 0.3)
    gestures.released(HERE, 1.4)

    assert gestures.due(9.0) == (HOLD,)


def test_three_seconds_ask_for_undo_while_the_button_is_down(gestures: Gestures) -> None:
    gestures.pressed(HERE, 0.0)
    gestures.due(0.8)

    assert gestures.due(2.99) == ()
    assert gestures.due(3.0) == (Pattern(HERE, Gesture(hold=True), "button", long=True),)
    gestures.released(HERE, 4.0)
    assert gestures.due(9.0) == ()


def test_a_stuck_button_is_told_and_ignored_until_it_comes_up(gestures: Gestures) -> None:
    gestures.pressed(HERE, 0.0)
    for at_s in (0.8, 3.0, 20.0):
        gestures.due(at_s)

    told = gestures.stuck
    assert gestures.heard is None
    assert gestures.next_deadline is None
    gestures.released(HERE, 500.0)
    assert (told, gestures.stuck) == ((HERE,), ())
    assert gestures.due(600.0) == ()


def test_a_long_hold_is_not_stuck_yet(gestures: Gestures) -> None:
    gestures.pressed(HERE, 0.0)
    for at_s in (0.8, 3.0, 19.9):
        gestures.due(at_s)

    assert gestures.stuck == ()
    assert gestures.heard == Heard(HERE, holding=True)


def test_a_stuck_button_leaves_the_other_seats_alone(gestures: Gestures) -> None:
    gestures.pressed(HERE, 0.0)
    for at_s in (0.8, 3.0, 20.0):
        gestures.due(at_s)
    gestures.knocked(THERE, 30.0)

    assert gestures.heard == Heard(THERE, 1)
    assert gestures.due(30.5) == (knocks(1, THERE),)


def test_a_release_without_a_press_means_nothing(gestures: Gestures) -> None:
    gestures.released(HERE, 1.0)

    assert gestures.due(9.0) == ()


@pytest.mark.parametrize("again_s", [0.5, 1.0, 5.0, 30.0])
def test_a_lost_release_does_not_glue_two_presses_together(
    gestures: Gestures, again_s: float
) -> None:
    gestures.pressed(HERE, 0.0)
    for at_s in (0.8, 3.0, 20.0):
        gestures.due(min(at_s, again_s))
    gestures.pressed(HERE, again_s)
    gestures.released(HERE, again_s + 0.1)

    assert gestures.due(99.0) == (knocks(1, via="button"),)


def test_a_spent_pattern_is_echoed_and_means_nothing(gestures: Gestures) -> None:
    gestures.knocked(HERE, 0.0)
    gestures.spend(HERE)
    gestures.knocked(HERE, 0.2)

    assert gestures.heard == Heard(HERE, 2)
    assert gestures.due(9.0) == ()
    gestures.knocked(HERE, 10.0)
    assert gestures.due(11.0) == (knocks(1),)


@pytest.mark.parametrize("down_s", [0.1, 1.0, 3.5])
def test_a_spent_press_means_nothing_however_long(gestures: Gestures, down_s: float) -> None:
    gestures.pressed(HERE, 0.0)
    gestures.spend(HERE)
    due = [pattern for at_s in (0.8, 3.0) if at_s <= down_s for pattern in gestures.due(at_s)]
    gestures.released(HERE, down_s)

    assert (*due, *gestures.due(9.0)) == ()


def test_the_pad_beside_a_button_hears_the_finger_only_once(gestures: Gestures) -> None:
    """A seat may have both: a finger that comes down hard is a blow on the wood as well."""
    gestures.knocked(HERE, 0.0)
    gestures.pressed(HERE, 0.02)
    gestures.knocked(HERE, 0.05)
    gestures.released(HERE, 0.2)

    assert gestures.due(9.0) == (knocks(1, via="button"),)


def test_a_shared_sensor_has_patterns_without_a_seat(gestures: Gestures) -> None:
    gestures.knocked(None, 0.0)
    gestures.knocked(None, 0.2)

    assert gestures.heard == Heard(None, 2)
    assert gestures.due(9.0) == (knocks(2, None),)


@pytest.mark.parametrize(
    "wrong",
    [
        {"gap_s": 0.0},
        {"grace_s": -1.0},
        {"ask_s": float("inf")},
        {"notice_s": float("nan")},
        {"hold_s": 3.0},
        {"undo_hold_s": 0.5},
        {"stuck_s": 2.0},
    ],
)
def test_times_that_cannot_work_are_named(wrong: dict[str, float]) -> None:
    (name,) = wrong

    with pytest.raises(BadTiming, match=name):
        Timings(**wrong)


# How hard


def hard(gestures: Gestures, *blows: float, at_s: float, seat: Seat | None = HERE) -> int | None:
    """Return the strength of the pattern of *blows* at *seat*, which begins at *at_s*."""
    for nth, strength in enumerate(blows):
        gestures.knocked(seat, at_s + nth * 0.2, strength=strength)
    (pattern,) = gestures.due(at_s + len(blows) * 0.2 + 0.5)
    return pattern.touch.strength


def test_a_knock_is_ranked_among_those_before_at_its_own_place(gestures: Gestures) -> None:
    for n in range(8):
        assert hard(gestures, 0.1 + n / 100, at_s=2.0 * n) is None  # too few to call one loud
        assert hard(gestures, 0.9, at_s=2.0 * n + 1, seat=None) is None

    assert hard(gestures, 0.135, at_s=20.0) == 50
    assert hard(gestures, 0.9, at_s=21.0) == 100
    assert hard(gestures, 0.05, at_s=22.0) == 0
    assert hard(gestures, 0.9, at_s=23.0) == 95  # as hard as the one of just now
    assert hard(gestures, 0.9, at_s=24.0, seat=None) is None  # this sensor feels all alike


def test_a_pattern_is_as_hard_as_its_hardest_sure_blow(gestures: Gestures) -> None:
    for n in range(8):
        hard(gestures, 0.1 + n / 100, at_s=float(n))

    assert hard(gestures, 0.05, 0.135, 0.02, at_s=20.0) == 50
    gestures.knocked(HERE, 30.0, strength=0.05)
    gestures.knocked(HERE, 30.2, strength=0.9, doubtful=True)
    assert gestures.due(31.0)[0].touch.strength == 0
    gestures.knocked(HERE, 40.0, strength=0.9, doubtful=True)
    assert gestures.due(41.0)[0].touch.strength is None


def test_what_the_pad_felt_of_a_press_is_no_knock_to_be_ranked(gestures: Gestures) -> None:
    for n in range(8):
        hard(gestures, 0.1 + n / 100, at_s=float(n))
    gestures.knocked(HERE, 20.0, strength=0.05)
    gestures.knocked(HERE, 20.2, strength=0.9)
    gestures.pressed(HERE, 20.25)
    gestures.released(HERE, 20.3)

    (pattern,) = gestures.due(21.0)

    assert (pattern.knocks, pattern.strength) == (2, 0)
    assert pattern.by_button is not None and pattern.by_button.strength is None


def test_only_the_last_knocks_of_a_place_are_remembered() -> None:
    strengths = Strengths()
    for n in range(200):
        strengths.take(0.8 + n / 1e4)
    for n in range(200):
        strengths.take(0.1 + n / 1e4)

    assert strengths.take(0.5) == 100


def test_what_was_in_doubt_and_is_told_once_more_is_one_sure_knock(gestures: Gestures) -> None:
    gestures.knocked(HERE, 1.0, doubtful=True)

    assert gestures.knocked(HERE, 1.0, strength=0.4)
    assert not gestures.knocked(HERE, 1.0), "and a third time it is no news"
    (pattern,) = gestures.due(2.0)

    assert (pattern.knocks, pattern.doubtful, pattern.doubts) == (1, 0, ())


def test_a_doubt_that_stays_one_is_counted_once(gestures: Gestures) -> None:
    for _ in range(2):
        assert not gestures.knocked(HERE, 1.0, doubtful=True)
    gestures.knocked(HERE, 1.3)

    (pattern,) = gestures.due(2.0)

    assert (pattern.knocks, pattern.doubtful, pattern.doubts) == (2, 1, (1.0,))


def test_a_knock_that_is_told_late_neither_shortens_its_pattern_nor_ends_it(
    gestures: Gestures,
) -> None:
    gestures.knocked(HERE, 10.2)

    gestures.knocked(HERE, 10.0)

    assert gestures.next_deadline == pytest.approx(10.7)
    (pattern,) = gestures.due(10.7)
    assert (pattern.knocks, pattern.began_s) == (2, 10.0)


def test_a_knock_of_a_pattern_that_goes_on_is_never_told_too_late(gestures: Gestures) -> None:
    gestures.knocked(HERE, 10.0, doubtful=True)
    gestures.knocked(HERE, 10.4)

    assert not gestures.is_too_late(10.0, 10.6)
    assert gestures.knocked(HERE, 10.0)
    (pattern,) = gestures.due(10.9)
    assert (pattern.knocks, pattern.doubtful) == (2, 0)
    assert gestures.is_too_late(10.0, 10.9)
