"""When a blow is felt, and where it began: on levels and signals of which it is known."""

import math
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kloplei.knock.onset import (
    ABOVE_NOISE,
    ABOVE_NOISE_TUNED,
    APART_S,
    FAINTEST,
    LOUDER,
    LOWEST,
    RISE,
    THRESHOLD,
    Channel,
    NoiseFollower,
    Trigger,
)
from tests.examples import examples

RATE_HZ = 8000.0
APART = round(1000 * APART_S)  # hops of a millisecond


def felt(peaks: Sequence[float]) -> list[int]:
    """Return the hops in which a blow is felt."""
    trigger, found = Trigger(RATE_HZ), []
    for at in range(len(peaks)):
        found += [at] if trigger.feels(peaks, at, 0) else []
        trigger.pass_by(1)
    return found


def test_what_is_weaker_than_the_threshold_wakes_nobody() -> None:
    assert felt([0.0] * 20 + [0.99 * THRESHOLD]) == []
    assert felt([0.0] * 20 + [THRESHOLD]) == [20]


def test_a_blow_is_louder_than_the_last_moments() -> None:
    assert felt([0.1] * 40 + [0.99 * RISE * 0.1]) == [0]
    assert felt([0.1] * 40 + [RISE * 0.1]) == [0, 40]


def test_a_blow_that_took_a_hop_to_grow_is_felt_all_the_same() -> None:
    assert felt([0.0] * 20 + [0.03, 0.05]) == [21]


@pytest.mark.parametrize(("louder", "is_felt"), [(0.99 * LOUDER, False), (LOUDER, True)])
def test_while_a_blow_is_under_way_only_a_much_louder_one_begins(
    louder: float, is_felt: bool
) -> None:
    peaks = [0.2, *[0.0] * (APART - 2), louder * 0.2]

    assert felt(peaks) == ([0, APART - 1] if is_felt else [0])


def test_after_that_any_blow_begins() -> None:
    assert felt([0.2, *[0.0] * (APART - 1), 0.1]) == [0, APART]


@given(
    st.lists(st.sampled_from([0.0, 0.5, 0.99, 1.01, 1.8, 3.0, 9.0]), max_size=99),
    st.integers(1, 40),
)
@settings(max_examples=examples(50), deadline=None)
def test_only_what_rises_above_the_line_need_be_looked_at(
    loudness: list[float], piece: int
) -> None:
    peaks = [THRESHOLD * loud for loud in loudness]
    trigger = Trigger(RATE_HZ)

    found: list[int] = []
    for begin in range(0, len(peaks), piece):
        hops = min(piece, len(peaks) - begin)
        before = min(trigger.measured_by, begin)
        known = peaks[begin - before : begin + hops]
        if max(known[before:]) >= trigger.line(hops):
            rising = trigger.rising(known, range(before, before + hops))
            found += [begin + at - before for at in rising if trigger.feels(known, at, at - before)]
        trigger.pass_by(hops)

    assert found == felt(peaks)


def channel(*samples: float) -> Channel:
    one = Channel(RATE_HZ)
    one.raw += samples
    return one


def test_a_blow_began_before_it_was_loud() -> None:
    rising = [0.2 * math.sin(at) * at / 16 for at in range(1, 17)]
    heard = channel(*[0.0] * 200, *rising)
    end = 216

    onset = heard.onset(end, heard.peak(end - 8, end))

    assert 200 <= onset <= 203


def test_a_blow_did_not_begin_with_the_one_before_it() -> None:
    blow = [0.3 * (-1) ** at for at in range(16)]
    heard = channel(*blow, *[0.0] * 40, *blow)
    end = 16 + 40 + 8

    assert heard.onset(end, heard.peak(end - 8, end)) == 16 + 40


def test_noise_before_a_blow_is_none_of_it() -> None:
    noise = [0.05 * (-1) ** at for at in range(160)]
    heard = channel(*noise, *[0.4 * (-1) ** at for at in range(8)])

    assert heard.onset(168, heard.peak(160, 168)) == 160


def test_what_is_forgotten_is_counted_no_more() -> None:
    heard = channel(*[0.0] * 10, 0.5, -0.5)
    heard.forget(10)

    assert heard.raw == [0.5, -0.5]
    assert heard.peak(0, 2) > 0.4


def threshold_after(loudness: float, seconds: float, gain_db: float = 0.0) -> float:
    """Return what wakes the judge after pieces of 16 ms, each with a sample so loud."""
    noise = NoiseFollower(gain_db, LOWEST, ABOVE_NOISE_TUNED)
    return [noise.after(loudness, is_end=True) for _ in range(round(seconds / 0.016))][-1]


def test_the_stiller_the_table_the_softer_a_blow_may_be() -> None:
    assert threshold_after(0.0, 2.0) == LOWEST
    assert threshold_after(0.007, 3.0) == pytest.approx(ABOVE_NOISE_TUNED * 0.007, rel=0.1)
    assert threshold_after(0.2, 20.0) == THRESHOLD, "and in noise no louder than it ever was"


def test_where_knocks_are_soft_the_threshold_is_low_whatever_the_noise() -> None:
    assert threshold_after(0.2, 20.0, gain_db=6.0) == pytest.approx(THRESHOLD / 2, rel=0.01)
    assert threshold_after(0.0, 2.0, gain_db=3.0) < LOWEST
    assert threshold_after(0.2, 20.0, gain_db=30.0) == FAINTEST


def test_where_nobody_tuned_fainter_blows_are_felt() -> None:
    noise = NoiseFollower()
    floors = [noise.after(0.01, is_end=True) for _ in range(300)]

    assert floors[-1] == pytest.approx(ABOVE_NOISE * 0.01, rel=0.1)
    assert [noise.after(0.0, is_end=True) for _ in range(300)][-1] == FAINTEST


def test_a_blow_hardly_moves_it() -> None:
    still = NoiseFollower()
    for _ in range(200):
        still.after(0.005, is_end=True)
    before = still.after(0.005, is_end=True)

    assert [still.after(0.5, is_end=True) for _ in range(5)][-1] < 1.05 * before


def test_a_piece_that_has_not_ended_changes_nothing() -> None:
    noise = NoiseFollower()

    assert noise.after(0.0, is_end=False) == THRESHOLD
