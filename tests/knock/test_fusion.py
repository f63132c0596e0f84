"""Pads and piezos that feel the same blow tell of one."""

import tracemalloc
from dataclasses import replace

import pytest

from kloplei.games.game import Seat
from kloplei.knock.fusion import EDGE_LATE_S, OTHER_S, Fusion
from kloplei.knock.judgement import Judgement, Struck, Verdict
from kloplei.knock.signal import Window

PADS, PIEZOS = KINDS = ("pads", "piezos")
KNOCK, DOUBTFUL, NOISE = Verdict.KNOCK, Verdict.DOUBTFUL, Verdict.NOISE
HERE, THERE = Seat(0), Seat(2)
WINDOW = Window(10.0, 9.99, 4000.0, ((0.0,) * 200,))


def by_pads(at_s: float, verdict: Verdict = KNOCK, seat: Seat | None = HERE) -> Judgement:
    return Judgement(at_s, at_s + 0.06, verdict, 0.8, 1.0, seat, 1.0, "pad 1")


def by_piezos(at_s: float, verdict: Verdict = KNOCK, seat: Seat | None = THERE) -> Judgement:
    return Judgement(at_s, at_s + 0.05, verdict, 0.93, 0.4, seat, 0.9, "piezos", WINDOW)


def joined(pads: Judgement, piezos: Judgement) -> Judgement:
    """What is made of a blow that both felt."""
    blows = Fusion(KINDS)
    blows.struck(PADS, Struck(pads.at_s, 1.0))
    blows.struck(PIEZOS, Struck(piezos.at_s, 0.4))
    assert blows.judged(PIEZOS, piezos, piezos.decided_at_s) == ()
    (known,) = blows.judged(PADS, pads, pads.decided_at_s)
    return known


class TestFeltByBoth:
    def test_it_is_told_once_and_acknowledged_once(self) -> None:
        blows = Fusion(KINDS)

        told = [
            blows.struck(PADS, Struck(10.0, 1.0)),
            blows.struck(PIEZOS, Struck(10.001, 0.4)),
            blows.judged(PIEZOS, by_piezos(10.001), 10.051),
            blows.judged(PADS, by_pads(10.0), 10.06),
        ]

        assert [bool(one) for one in told] == [True, False, False, True]
        assert blows.due_s is None

    def test_however_many_kinds_felt_it_they_tell_of_one_knock(self) -> None:
        """A kind that is not joined with the others would make two knocks of one blow."""
        kinds = (*KINDS, "bells")
        blows = Fusion(kinds)
        for kind in kinds:
            blows.struck(kind, Struck(10.0, 1.0))

        told = [blows.judged(kind, by_pads(10.0), 10.06) for kind in kinds]

        assert [len(one) for one in told] == [0] * (len(kinds) - 1) + [1]

    def test_whoever_felt_it_first_says_whose_it_was(self) -> None:
        assert joined(by_pads(10.0), by_piezos(10.002)).seat == HERE
        assert joined(by_pads(10.002), by_piezos(10.0)).seat == THERE

    def test_an_edge_comes_later_than_an_onset_in_samples(self) -> None:
        late_s = EDGE_LATE_S - 1e-4

        assert joined(by_pads(10.0 + late_s), by_piezos(10.0)).seat == HERE

    def test_who_names_no_seat_leaves_it_to_the_other(self) -> None:
        in_a_corner = by_piezos(10.0, seat=None)
        of_all = by_pads(10.0, seat=None)

        assert joined(by_pads(10.005), in_a_corner).seat == HERE
        assert joined(of_all, by_piezos(10.005)).seat == THERE
        assert joined(of_all, in_a_corner).seat is None

    @pytest.mark.parametrize(
        ("lead_s", "sure"), [(0.0, 0.5), (0.0005, 0.75), (0.001, 1.0), (0.009, 1.0)]
    )
    def test_a_short_lead_makes_it_less_sure(self, lead_s: float, sure: float) -> None:
        found = joined(by_pads(10.0), by_piezos(10.0 - EDGE_LATE_S + lead_s + 1e-9))

        assert found.confidence == pytest.approx(sure, abs=1e-3)

    def test_the_piezos_say_what_it_was(self) -> None:
        """Wherever it was: on virtual tables discs from afar knew each of 80 knocks for one."""
        a_glass = joined(by_pads(10.0), by_piezos(10.002, NOISE))

        assert (a_glass.verdict, a_glass.likelihood) == (NOISE, 0.93)
        assert joined(by_pads(10.0, DOUBTFUL), by_piezos(10.002)).verdict is KNOCK

    def test_it_is_told_as_found_by_whoever_felt_it_first(self) -> None:
        """A tuning asks which of its sensors a knock is of, and a review shows the wave."""
        at_the_pad, at_the_disc = (
            joined(by_pads(10.0), by_piezos(10.002)),
            joined(by_pads(10.002), by_piezos(10.0)),
        )

        assert (at_the_pad.part, at_the_pad.window, at_the_pad.at_s) == ("pad 1", None, 10.0)
        assert (at_the_disc.part, at_the_disc.window) == ("piezos", WINDOW)
        assert at_the_disc.decided_at_s == pytest.approx(10.062)


class TestFeltByOne:
    def test_it_is_told_as_it_is(self) -> None:
        blows = Fusion(KINDS)
        blows.struck(PIEZOS, Struck(10.0, 0.4))

        assert blows.judged(PIEZOS, by_piezos(10.0), 10.05) == (by_piezos(10.0),)

    def test_who_does_not_judge_in_time_is_not_waited_for(self) -> None:
        blows = Fusion(KINDS)
        blows.struck(PADS, Struck(10.0, 1.0))
        blows.struck(PIEZOS, Struck(10.0, 0.4))
        blows.judged(PADS, by_pads(10.0), 10.06)

        assert blows.due_s == pytest.approx(10.06 + OTHER_S)
        assert blows.overdue(10.1) == ()
        assert blows.overdue(10.17) == (by_pads(10.0),)
        assert blows.judged(PIEZOS, by_piezos(10.0), 10.2) == ()

    def test_a_second_hand_within_a_blow_is_told_after_the_first(self) -> None:
        """The listener finds it in the window of the first, and never said that it was struck."""
        second = by_piezos(10.04, DOUBTFUL, Seat(3))
        blows = Fusion(KINDS)
        blows.struck(PIEZOS, Struck(10.0, 0.4))
        blows.struck(PADS, Struck(10.005, 1.0))
        blows.judged(PIEZOS, by_piezos(10.0), 10.05)

        assert blows.judged(PIEZOS, second, 10.05) == ()
        assert [one.at_s for one in blows.judged(PADS, by_pads(10.005), 10.065)] == [10.0, 10.04]

    def test_two_blows_farther_apart_are_two(self) -> None:
        blows = Fusion(KINDS)

        assert blows.struck(PADS, Struck(10.0, 1.0)) is not None
        assert blows.struck(PIEZOS, Struck(10.04, 0.4)) is not None

    def test_a_second_hand_at_the_pads_is_a_blow_of_its_own(self) -> None:
        blows = Fusion(KINDS)
        blows.struck(PADS, Struck(10.0, 1.0))
        blows.struck(PIEZOS, Struck(10.0, 0.4))

        assert blows.struck(PADS, Struck(10.02, 1.0)) is not None
        blows.judged(PIEZOS, by_piezos(10.0), 10.05)
        assert len(blows.judged(PADS, by_pads(10.0), 10.06)) == 1
        second = by_pads(10.02, DOUBTFUL)
        assert blows.judged(PADS, second, 10.08) == (second,)

    def test_a_long_evening_leaves_nothing_behind(self) -> None:
        blows = Fusion(KINDS)

        for n in range(1000):
            blows.struck(PADS, Struck(10.0 + n, 1.0))
            blows.struck(PIEZOS, Struck(10.0 + n, 0.4))  # which the piezos never judge
            blows.judged(PADS, by_pads(10.0 + n), 10.06 + n)
            blows.overdue(10.2 + n)

        assert len(blows._blows) <= 2


def test_what_is_felt_and_never_judged_takes_no_memory() -> None:
    blows = Fusion(KINDS)
    tracemalloc.start()

    for at in range(5000):
        blows.struck(PADS, Struck(10.0 + 0.1 * at, 1.0))

    kept_bytes, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kept_bytes < 50_000


class TestAmended:
    """Soft blows that were taken for none, until another one told that they were knocks."""

    def test_it_takes_the_place_of_what_was_told_of_both(self) -> None:
        blows = Fusion(KINDS)
        blows.struck(PADS, Struck(10.0, 1.0))
        blows.struck(PIEZOS, Struck(10.001, 0.04))
        blows.judged(PADS, by_pads(10.0), 10.06)
        (told,) = blows.judged(PIEZOS, by_piezos(10.001, NOISE), 10.06)

        (again,) = blows.judged(PIEZOS, replace(by_piezos(10.001), amends=True), 10.36)

        assert (told.verdict, again.verdict) == (NOISE, KNOCK)
        assert (again.at_s, again.part, again.amends) == (told.at_s, told.part, True)

    def test_what_pads_alone_told_of_a_faint_blow_is_no_second_one(self) -> None:
        blows = Fusion(KINDS)
        blows.struck(PADS, Struck(10.002, 1.0))
        (told,) = blows.judged(PADS, by_pads(10.002), 10.06)

        (again,) = blows.judged(PIEZOS, by_piezos(10.0), 10.36)

        assert again.amends
        assert again.at_s == told.at_s

    def test_while_the_other_kind_is_waited_for_it_waits_as_well(self) -> None:
        blows = Fusion(KINDS)
        blows.struck(PADS, Struck(10.0, 1.0))
        blows.struck(PIEZOS, Struck(10.001, 0.04))
        blows.judged(PIEZOS, by_piezos(10.001, NOISE), 10.05)

        waiting = blows.judged(PIEZOS, replace(by_piezos(10.001), amends=True), 10.06)
        (told,) = blows.judged(PADS, by_pads(10.0), 10.07)

        assert waiting == ()
        assert (told.verdict, told.amends) == (KNOCK, False)

    def test_what_pads_alone_told_of_a_faint_blow_stands_unless_it_was_a_knock(self) -> None:
        blows = Fusion(KINDS)
        blows.struck(PADS, Struck(10.002, 1.0))
        blows.judged(PADS, by_pads(10.002), 10.06)

        assert blows.judged(PIEZOS, by_piezos(10.0, NOISE), 10.06) == ()
