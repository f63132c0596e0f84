"""What the judge looks at, on signals of which it is known."""

import cmath
import math
from collections.abc import Sequence
from random import Random
from statistics import pstdev

import pytest

from kloplei.knock.features import (
    _sum_and_moment,
    clearest,
    features,
    judging_rate_hz,
    roughened,
)
from kloplei.knock.signal import (
    HighPass,
    PassedBound,
    Samples,
    Weights,
    Window,
    doubled_amplitudes,
    high_passed,
    resampled,
)

RATE_HZ = 8000.0


def ringing(frequency_hz: float, fall_s: float, peak: float = 0.5) -> list[float]:
    return [
        peak
        * math.exp(-at / RATE_HZ / fall_s)
        * math.sin(2 * math.pi * frequency_hz * at / RATE_HZ)
        for at in range(round(0.06 * RATE_HZ))
    ]


def window(blow: Sequence[float]) -> Window:
    quiet = [0.0] * round(0.12 * RATE_HZ)
    return Window(0.12, 0.0, RATE_HZ, ((*quiet, *blow),))


@pytest.mark.parametrize(
    ("rate_hz", "judged_hz"),
    [
        (48000, 8000),
        (44100, 8000),
        (8000, 8000),
        (7000, 8000),
        (4000, 4000),
        (3600, 4000),
        (2000, 2000),
    ],
)
def test_a_signal_is_judged_at_the_next_rate_that_was_learned(
    rate_hz: float, judged_hz: int
) -> None:
    assert judging_rate_hz(rate_hz) == judged_hz


def test_a_thud_is_low_and_a_glass_is_high() -> None:
    thud, glass = features(window(ringing(350, 0.01))), features(window(ringing(2100, 0.05)))

    assert thud["band_2"] > -3 > thud["band_7"]
    assert glass["band_7"] > -3 > glass["band_2"]
    assert thud["slope"] < glass["slope"] < 0


def test_twice_as_loud_changes_nothing_but_the_level() -> None:
    soft, loud = (
        features(window(ringing(350, 0.01, 0.2))),
        features(window(ringing(350, 0.01, 0.4))),
    )

    assert loud["peak_db"] - soft["peak_db"] == pytest.approx(6.02, abs=0.01)
    for name in set(soft) - {"peak_db"}:
        assert loud[name] == pytest.approx(soft[name], abs=0.01), name


@pytest.mark.parametrize(
    ("peaks", "clear"),
    [
        ((0.3, 0.5, 0.4), 1),
        ((0.3, 1.0, 0.5), 2),  # the loudest is cut off
        ((0.1, 1.0, 0.1), 1),  # but the others have hardly felt it
        ((1.0, 1.0), 0),
        ((0.0, 0.0), 0),
    ],
)
def test_the_loudest_channel_that_is_not_cut_off_tells_best(
    peaks: tuple[float, ...], clear: int
) -> None:
    channels = tuple((0.0, -peak, peak / 2) for peak in peaks)

    assert clearest(Window(0.0, 0.0, RATE_HZ, channels)) == clear


def test_what_came_before_is_seen() -> None:
    blow = ringing(350, 0.01)
    before = [0.4 * (-1) ** at for at in range(round(0.12 * RATE_HZ))]

    busy = features(Window(0.12, 0.0, RATE_HZ, ((*before, *blow),)))

    assert busy["loudest_before"] > features(window(blow))["loudest_before"] + 20


@pytest.mark.parametrize("count", [0, 1, 50])
def test_a_window_that_was_cut_short_can_still_be_judged(count: int) -> None:
    seen = features(Window(0.0, 0.0, RATE_HZ, (ringing(350, 0.01)[:count],)))

    assert all(math.isfinite(value) for value in seen.values())


def powers(one: Samples, other: Samples, size: int) -> tuple[list[float], list[float]]:
    """Return the power spectra of *one* and *other*."""
    real, imaginary = doubled_amplitudes(one, other, size)
    return [each * each / 4 for each in real], [each * each / 4 for each in imaginary]


def power(samples: Samples, size: int) -> list[float]:
    return powers(samples, (), size)[0]


def test_the_spectrum_of_a_tone_has_its_summit_there() -> None:
    tone = [math.sin(2 * math.pi * 1000 * at / RATE_HZ) for at in range(512)]

    spectrum = power(tone, 512)

    assert spectrum.index(max(spectrum)) * RATE_HZ / 512 == 1000
    assert len(spectrum) == 257


CHIRP = [math.sin(0.003 * at * at) for at in range(100)]


def test_the_spectrum_is_what_fourier_says() -> None:
    spectrum = power(CHIRP, 128)

    for place, found in enumerate(spectrum):
        turns = [cmath.exp(-2j * math.pi * at * place / 128) for at in range(len(CHIRP))]
        expected = abs(sum(turn * sample for turn, sample in zip(turns, CHIRP, strict=True))) ** 2
        assert found == pytest.approx(expected, abs=1e-11)


def test_two_spectra_are_had_for_the_price_of_one() -> None:
    faint = [1e-4 * sample for sample in ringing(1000, 0.01)[:60]]

    one, other = powers(CHIRP, faint, 128)

    assert one == pytest.approx(power(CHIRP, 128), abs=1e-11)
    assert other == pytest.approx(power(faint, 128), abs=1e-17)
    other, one = powers(faint, CHIRP, 128)
    assert one == pytest.approx(power(CHIRP, 128), abs=1e-11)
    assert other == pytest.approx(power(faint, 128), abs=1e-17)


def test_sums_by_weights_are_sums_of_products() -> None:
    rows = [CHIRP, [1e-3 * one for one in CHIRP], [0.0] * len(CHIRP)]

    sums = Weights(rows).sums(CHIRP[::-1])

    for row, found in zip(rows, sums, strict=True):
        expected = math.fsum(a * b for a, b in zip(row, CHIRP[::-1], strict=True))
        assert found == pytest.approx(expected, abs=1e-13)


def test_silence_before_and_after_has_a_spectrum_as_well() -> None:
    assert power([], 8) == power([0.0], 8) == [0.0] * 5
    assert power([1.0], 8) == [1.0] * 5


@pytest.mark.parametrize("count", [1, 2, 48, 96, 100])
def test_where_the_middle_of_a_spectrum_lies_is_known_without_it(count: int) -> None:
    spectrum = power(CHIRP[:count], 256)

    whole, moment = _sum_and_moment(CHIRP[:count], 256)

    assert whole == pytest.approx(sum(spectrum))
    assert moment == pytest.approx(sum(at * one for at, one in enumerate(spectrum)))


def test_fewer_samples_keep_the_mean() -> None:
    assert resampled([1.0, 3.0, 5.0, 7.0], 8000, 4000) == [2.0, 6.0]
    assert resampled([2.0] * 441, 44100, 8000) == pytest.approx([2.0] * 80)


def test_a_bias_passes_no_high_pass() -> None:
    assert high_passed([0.7] * 100, RATE_HZ, 60.0) == [0.0] * 100


def test_a_high_pass_goes_on_where_it_stopped() -> None:
    tone = [math.sin(2 * math.pi * 200 * at / RATE_HZ) for at in range(100)]
    pieces = HighPass(RATE_HZ, 60.0)

    assert [*pieces.passed(tone[:33]), *pieces.passed(tone[33:])] == high_passed(
        tone, RATE_HZ, 60.0
    )


def test_a_high_pass_goes_on_as_after_all_that_came_long_before() -> None:
    noise = [(-1) ** at * math.sin(at * at) for at in range(2000)]
    all_along, woken = HighPass(RATE_HZ, 60.0), HighPass(RATE_HZ, 60.0)
    all_along.passed(noise[:1500])

    woken.come_after(noise[1500 - woken.remembers : 1500])

    assert woken.passed(noise[1500:]) == pytest.approx(all_along.passed(noise[1500:]), abs=1e-15)


def test_a_high_pass_lets_nothing_through_that_is_louder_than_its_bound() -> None:
    high_pass, bound = HighPass(RATE_HZ, 60.0, rest=0.9), PassedBound(RATE_HZ, 60.0, rest=0.9)
    for loud in (0.9, 0.9, 0.01, 0.01, 0.5, 0.0, 0.0):
        for samples in ([loud] * 60, [-loud] * 40, [loud * math.sin(at) for at in range(90)]):
            most = bound.most(max(map(abs, samples)), len(samples))

            assert max(map(abs, high_pass.passed(samples))) <= most
            assert high_pass.held_back <= bound.held_back


CODE = 2 / 1024


def converted(rate_hz: float, codes: float, peak: float = 0.02, seed: int = 1) -> Window:
    """Return a faint blow through a converter of ten bits that hisses by so many *codes*."""
    luck = Random(seed)
    count = round(0.168 * rate_hz)
    at_s = [at / rate_hz - 0.12 for at in range(count)]
    blow = [
        peak * math.exp(-one / 0.004) * math.sin(2 * math.pi * 700 * one) if one > 0 else 0.0
        for one in at_s
    ]
    samples = [round((one + luck.gauss(0, codes * CODE)) / CODE) * CODE for one in blow]
    return Window(0.12, 0.0, rate_hz, (tuple(samples),))


@pytest.mark.parametrize("rate_hz", [4000, 2000])
@pytest.mark.parametrize("codes", [0.0, 0.3])
def test_a_stiller_converter_hisses_as_those_that_the_judge_knows(
    rate_hz: float, codes: float
) -> None:
    still = converted(rate_hz, codes)

    rough = roughened(still)

    before = rough.channels[0][: round(0.11 * rate_hz)]
    known = converted(rate_hz, 1.0).channels[0][: round(0.11 * rate_hz)]
    assert pstdev(before) == pytest.approx(pstdev(known), rel=0.25)
    assert max(rough.channels[0]) == pytest.approx(max(still.channels[0]), abs=4 * CODE)
    assert roughened(still) == rough


@pytest.mark.parametrize("seed", range(20))
def test_what_hisses_already_is_left_as_it_is(seed: int) -> None:
    hissing = converted(4000, 1.0, seed=seed)

    assert roughened(hissing) is hissing


def test_a_slow_swing_is_no_hiss() -> None:
    hum = [0.01 * math.sin(2 * math.pi * 50 * at / 4000) for at in range(672)]

    assert roughened(Window(0.12, 0.0, 4000, (tuple(hum),))).channels[0] != tuple(hum)


def test_at_8_khz_the_judge_knows_still_converters() -> None:
    still = converted(8000, 0.0)

    assert roughened(still) is still


def test_of_several_channels_the_clearest_is_roughened() -> None:
    faint, clear = converted(4000, 0.0, 0.005), converted(4000, 0.0)
    both = Window(0.12, 0.0, 4000, (*faint.channels, *clear.channels))

    assert roughened(both).channels == roughened(clear).channels


@pytest.mark.parametrize("count", [1, 20, 300])
def test_a_window_without_much_before_the_blow_stays_as_it_is(count: int) -> None:
    short = Window(count / 4000, 0.0, 4000, ((0.0,) * count + (0.1,) * 20,))

    rough = roughened(short)

    assert (rough is short) == (count < 300)
    assert features(rough)


def test_a_blow_at_the_very_beginning_is_not_taken_for_what_came_before() -> None:
    early = Window(0.002, 0.0, 4000, ((0.0,) * 8 + (0.0004, -0.0004) * 96,))

    assert roughened(early) is early


def test_a_window_of_any_length_stays_as_long() -> None:
    long = Window(0.6, 0.0, 4000, ((0.0,) * 3000,))

    assert len(roughened(long).channels[0]) == 3000
