"""What differs between channels, on pairs of signals of which it is known."""

from cmath import exp as cexp
from itertools import combinations
from math import exp, log10, pi, sin, sqrt
from operator import mul
from random import Random

import pytest

from kloplei.knock.arrival import (
    BANDS_HZ,
    DIGITS,
    PARTS,
    ChannelOnset,
    LocationFeatures,
    _rounded,
    location_features,
    onsets_of,
)
from kloplei.knock.signal import Window

RATE_HZ = 8000.0
ONSET_S = 0.025


def swing(at_s: float) -> float:
    """A blow that begins at 0 s."""
    if at_s <= 0:
        return 0.0
    tones = ((120, 1.0), (260, 0.8), (450, 0.6), (800, 0.5), (1300, 0.4))
    return exp(-at_s / 0.006) * sum(level * sin(2 * pi * hz * at_s) for hz, level in tones)


def channel(late_s: float = 0.0, gain: float = 0.3) -> list[float]:
    count = round(0.05 * RATE_HZ)
    return [gain * swing(at / RATE_HZ - ONSET_S - late_s) for at in range(count)]


def found(one: list[float], other: list[float], skew_s: float = 0.0) -> LocationFeatures:
    return location_features(Window(ONSET_S, 0.0, RATE_HZ, (one, other), skew_s))


def test_channels_that_swing_alike_are_alike_in_every_band() -> None:
    (likeness,) = found(channel(), channel()).likeness

    assert likeness == pytest.approx((1.0, 0.0) * len(BANDS_HZ), abs=0.001)


def test_a_channel_upside_down_swings_against_the_other() -> None:
    (likeness,) = found(channel(), channel(gain=-0.3)).likeness

    assert likeness == pytest.approx((-1.0, 0.0) * len(BANDS_HZ), abs=0.001)


def test_half_as_loud_is_six_decibels_less_and_no_later() -> None:
    seen = found(channel(), channel(gain=0.15))
    off_db = [a - b for a, b in zip(*seen.levels_db, strict=True)]

    assert off_db == pytest.approx([20 * log10(2)] * len(BANDS_HZ), abs=0.02)
    assert seen.arrivals_ms[0] == seen.arrivals_ms[1]


def test_what_comes_a_millisecond_later_arrives_a_millisecond_later() -> None:
    seen = found(channel(), channel(late_s=0.001))
    late_ms = [b - a for a, b in zip(*seen.arrivals_ms, strict=True)]

    assert late_ms == pytest.approx([1.0] * len(PARTS), abs=0.1)


def test_a_channel_that_is_read_later_is_allowed_for() -> None:
    """The converter takes its second channel a quarter of a millisecond after the first."""
    skew_s = 0.00025
    seen = found(channel(), channel(late_s=-skew_s), skew_s)

    (likeness,) = seen.likeness
    assert likeness == pytest.approx((1.0, 0.0) * len(BANDS_HZ), abs=0.05)
    assert seen.arrivals_ms[0] == pytest.approx(seen.arrivals_ms[1], abs=0.1)


@pytest.mark.parametrize("rate_hz", [2500.0, 4000.0, 7900.0, 8000.0])
@pytest.mark.parametrize("skew_s", [0.0, 0.00007])
def test_likeness_and_levels_are_those_of_the_fourier_sums(rate_hz: float, skew_s: float) -> None:
    luck = Random(3)
    noise = [[luck.gauss(0, 0.1) for _ in range(round(0.05 * rate_hz))] for _ in range(3)]
    window = Window(ONSET_S, 0.0, rate_hz, tuple(noise), skew_s)
    spectra = [summed(one, rate_hz) for one in onsets_of(window)]

    seen = location_features(window)

    levels_db = [
        [10 * log10(sum(abs(one) ** 2 for one in band) / len(band) + 1e-6) for band in its]
        for its in spectra
    ]
    assert seen.levels_db == tuple(pytest.approx(one, abs=0.0006) for one in levels_db)
    for likeness, (one, other) in zip(seen.likeness, combinations(spectra, 2), strict=True):
        alike = [
            sum(a * b.conjugate() for a, b in zip(mine, its, strict=True))
            / sqrt(sum(abs(a) ** 2 for a in mine) * sum(abs(b) ** 2 for b in its))
            for mine, its in zip(one, other, strict=True)
        ]
        found = [complex(*likeness[at : at + 2]) for at in range(0, len(likeness), 2)]
        assert found == pytest.approx(alike, abs=0.001)


def summed(channel: ChannelOnset, rate_hz: float) -> list[list[complex]]:
    """Return how *channel* swings in each band, every 40 Hz, by the sums as they are written."""
    blow, last = channel.blow, len(channel.blow) - 1
    edge = 0.25 * len(blow)
    tapered = [
        one * min(1.0, (at + 1) / edge, (last + 1 - at) / edge) for at, one in enumerate(blow)
    ]
    times_s = [(at - last / 2) / rate_hz + channel.late_s for at in range(len(blow))]
    return [
        [
            1000 / rate_hz * sum(map(mul, tapered, (cexp(-2j * pi * hz * at) for at in times_s)))
            for hz in range(lowest_hz + 20, highest_hz, 40)
        ]
        for lowest_hz, highest_hz in BANDS_HZ
        if highest_hz <= rate_hz / 2
    ]


def test_a_channel_that_felt_nothing_says_so() -> None:
    assert found(channel(), [0.0] * round(0.05 * RATE_HZ)).felt == (True, False)


def test_numbers_are_rounded_as_by_round_and_sooner() -> None:
    """What a calibration has kept is compared with it."""
    luck = Random(1)
    numbers = [luck.uniform(-off, off) for off in (0.002, 1, 15, 60) for _ in range(5000)]
    numbers += [0.0, 0.0625, -0.0625, 0.4375, -60.0]  # the middle ones go to the even side

    assert _rounded(numbers) == tuple(round(number, DIGITS) for number in numbers)


def test_a_slow_converter_knows_fewer_bands() -> None:
    slow = location_features(
        Window(ONSET_S, 0.0, 2000.0, tuple([one[::4] for one in (channel(), channel())]))
    )

    assert slow.bands == sum(highest <= 1000 for _, highest in BANDS_HZ)
    assert len(slow.likeness[0]) == 2 * slow.bands
