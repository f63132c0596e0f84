"""The comparator module as arithmetic."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kloplei.knock.edges import HOLD_S, Edge, edges

RATE_HZ = 8000


def knuckle(at_s: float, length_s: float = 0.3) -> list[float]:
    """A 400 Hz blow that falls 20 dB in 30 ms, on silence."""
    samples = []
    for at in range(round(length_s * RATE_HZ)):
        after_s = at / RATE_HZ - at_s
        fall = 10 ** (-after_s / 0.03) if after_s >= 0 else 0.0
        samples.append(fall * math.sin(2 * math.pi * 400 * after_s))
    return samples


def test_a_blow_is_one_pulse_that_starts_with_it() -> None:
    heard = list(edges(knuckle(at_s=0.1), RATE_HZ, level=0.25))

    assert [edge.active for edge in heard] == [True, False]
    assert 0.1 <= heard[0].at_s < 0.101
    assert heard[1].at_s - heard[0].at_s > HOLD_S


def test_a_murmur_below_the_level_is_not_heard() -> None:
    murmur = [0.2 * math.sin(at / 3) for at in range(RATE_HZ)]

    assert list(edges(murmur, RATE_HZ, level=0.25)) == []


@pytest.mark.parametrize(("after", "is_held"), [(0.4, True), (0.2, False)])
def test_a_pulse_is_held_by_half_its_level(after: float, is_held: bool) -> None:
    lasting = 10 * round(HOLD_S * RATE_HZ)

    begun, ended = edges([0.6, *[after] * lasting], RATE_HZ, level=0.5)

    assert begun == Edge(0.0, active=True)
    assert ended.at_s == pytest.approx((lasting + 1) / RATE_HZ if is_held else HOLD_S)


def test_a_pulse_that_outlasts_the_recording_is_closed_at_its_end() -> None:
    assert list(edges([0.0, 1.0], RATE_HZ, level=0.5)) == [
        Edge(1 / RATE_HZ, active=True),
        Edge(2 / RATE_HZ, active=False),
    ]


@given(st.lists(st.floats(-1, 1), max_size=400), st.floats(0.01, 1))
def test_edges_alternate_in_time_and_end_released(samples: list[float], level: float) -> None:
    heard = list(edges(samples, RATE_HZ, level))

    assert [edge.active for edge in heard] == [True, False] * (len(heard) // 2)
    assert [edge.at_s for edge in heard] == sorted(edge.at_s for edge in heard)
