"""Turning the trimmer of a pad by what it makes of knocks and glasses."""

from collections.abc import Sequence
from functools import cache
from random import Random

import pytest

from kloplei.knock.edges import edges, judged
from kloplei.knock.judgement import Judgement, Verdict
from kloplei.knock.trimmer import GLASSES, KNOCKS, SURE, Advice, Trend, TrimmerTurn, Trimming
from kloplei.simulation.blows import Blow
from kloplei.simulation.table_top import TableTop

RATE_HZ = 4000.0
ROUNDS = 8


def blow(rang_s: float, verdict: Verdict = Verdict.KNOCK) -> Judgement:
    return Judgement(0.0, 0.4, verdict, 0.8, 1.0, part="pad 1", rang_s=rang_s)


def advised(rang_s: float, count: int = KNOCKS, glasses: int | None = None) -> Advice:
    """Return what one round of so many knocks alike, and so many glasses, comes to."""
    passed = None if glasses is None else [blow(0.01)] * glasses
    _, advice = Trimming().heard([blow(rang_s)] * count, passed)
    return advice


@cache
def waves(seed: int, kind: Blow, count: int) -> tuple[list[float], ...]:
    """Return what the disc at seat 1 feels of so many blows near by."""
    top, luck = TableTop.of_seed(seed), Random(seed)
    spots = [top.seats[0].moved(luck.gauss(0, 0.02), luck.gauss(0, 0.02)) for _ in range(count)]
    felt = [top.sampled(kind, spot, RATE_HZ, seed=number)[0] for number, spot in enumerate(spots)]
    return tuple([*wave, *[0.0] * 2000] for wave in felt)


def followed(seed: int, level: float) -> tuple[Advice, float]:
    """Return the last advice, and the level of the comparator, after turning as it says."""
    luck, known = Random(seed), Trimming()
    for _ in range(ROUNDS):
        felt = [
            one
            for kind, count in ((Blow.KNUCKLE, KNOCKS), (Blow.GLASS, GLASSES))
            for one in [_felt(luck.sample(waves(seed, kind, 2 * count), count), level, luck)]
        ]
        known, advice = known.heard(*felt)
        if advice.turn is TrimmerTurn.GOOD:
            break
        way = 1 if advice.turn is TrimmerTurn.COARSER else -1
        level *= 2 ** (way * advice.octaves * luck.uniform(0.75, 1.25))
    return advice, level


def _felt(struck: Sequence[list[float]], level: float, luck: Random) -> list[Judgement]:
    """Return what a pad at *level* feels of what was *struck*, by hands that differ by 3 dB."""
    found = []
    for wave in struck:
        hand = 10 ** (luck.gauss(0, 3) / 20)
        found += list(judged(edges([hand * one for one in wave], RATE_HZ, level)))[:1]
    return found


@pytest.mark.parametrize("seed", [901, 902, 903])
def test_who_follows_it_ends_at_one_level_wherever_the_trimmer_stood(seed: int) -> None:
    peaks = sorted(max(map(abs, wave)) for wave in waves(seed, Blow.KNUCKLE, 2 * KNOCKS))
    usual = peaks[KNOCKS]

    ends = []
    for began in (usual / 8, usual / 1.2):
        advice, level = followed(seed, began)
        assert (advice.turn, advice.felt) == (TrimmerTurn.GOOD, KNOCKS)
        ends.append(level)

    # Two octaves and a half apart in the beginning, less than one in the end, and where the
    # softest knocks just count.
    assert max(ends) < 2 * min(ends)
    assert all(usual / 4.5 < one < usual / 1.6 for one in ends)


def test_the_longer_a_knock_rings_the_coarser_the_pad_is_to_be() -> None:
    fine, finer = advised(0.06), advised(0.1)

    assert (fine.turn, finer.turn) == (TrimmerTurn.COARSER, TrimmerTurn.COARSER)
    assert fine.octaves < finer.octaves <= 1.0
    assert advised(0.006).turn is TrimmerTurn.FINER
    assert advised(0.0235).turn is TrimmerTurn.GOOD


def test_knocks_that_it_misses_ask_for_a_finer_pad() -> None:
    one, three = advised(0.0235, count=4), advised(0.0235, count=2)

    assert (one.turn, one.felt) == (TrimmerTurn.FINER, 4)
    assert three.octaves > one.octaves


def test_glasses_that_pass_make_it_coarser_as_far_as_knocks_bear() -> None:
    clean, one, most = (advised(0.0235, glasses=passed) for passed in (0, 1, 3))

    assert [advice.turn for advice in (clean, one, most)] == [
        TrimmerTurn.GOOD,
        TrimmerTurn.GOOD,
        TrimmerTurn.COARSER,
    ]
    assert advised(0.0165, glasses=3).turn is not TrimmerTurn.COARSER  # it cannot bear more


def test_what_buzzes_is_no_knock_and_a_pad_that_feels_none_is_silent() -> None:
    known, advice = Trimming((1.0,), 0.5).heard([blow(0.4, Verdict.NOISE)] * KNOCKS)

    assert (advice.turn, advice.felt) == (TrimmerTurn.SILENT, 0)
    assert known == Trimming()


def test_it_says_better_or_worse_and_believes_no_turn_that_was_another() -> None:
    known, first = Trimming().heard([blow(0.1)] * KNOCKS)
    nearer, better = known.heard([blow(0.04)] * KNOCKS)
    wrong, worse = known.heard([blow(0.25)] * KNOCKS)

    assert [one.trend for one in (first, better, worse)] == [
        Trend.FIRST,
        Trend.BETTER,
        Trend.WORSE,
    ]
    assert len(nearer.room) == 2 * KNOCKS
    assert len(wrong.room) == KNOCKS  # what was known belongs to where it does not stand


def test_one_round_says_so_only_when_it_is_very_clear() -> None:
    rang_s = 0.0275
    known, advice = Trimming().heard([blow(rang_s)] * KNOCKS)
    told = [advice.turn]
    while len(known.room) < SURE:
        known, advice = known.heard([blow(rang_s)] * KNOCKS)
        told.append(advice.turn)

    assert told == [TrimmerTurn.AGAIN, TrimmerTurn.AGAIN, TrimmerTurn.GOOD]


def test_how_far_to_turn_is_told_in_decibels_and_turns() -> None:
    assert (advised(0.1).db, advised(0.1).turns) == (6, 1.5)
    assert advised(0.0235).db >= 1
