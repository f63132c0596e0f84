"""What the classifier looks at: some forty numbers about one blow and the moment before it.

They are worked out at one of `RATES_HZ`, from the channel that tells best what the blow was.
"""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import accumulate, cycle, pairwise
from math import dist, hypot, log2, log10, pi, prod, sin, sqrt
from operator import mul

from kloplei.frozen import replace
from kloplei.knock.signal import (
    RAIL,
    Samples,
    Weights,
    Window,
    doubled_amplitudes,
    falling,
    hann,
    high_passed,
    loudest,
    resampled,
)

RATES_HZ = (8000, 4000, 2000)
"""At which the judge has been trained; a window is brought down to the next one below it."""

LOUDNESS = "peak_db"
"""Which of the features tells how hard the wood was struck."""

BEFORE_S = 0.12  # of the quiet (or noise) before the blow
AFTER_S = 0.048  # of the blow itself
CORNER_HZ = 60.0  # slower than this are bumps, steps and the mains
BANDS_HZ = (0, 120, 250, 400, 600, 900, 1300, 1900, 2700, 4000)
_BANDS = tuple(f"band_{at}" for at in range(len(BANDS_HZ) - 1))
_COURSE_MS = {
    f"level_{begin_ms}_{end_ms}": (begin_ms, end_ms)
    for begin_ms, end_ms in ((-20, -8), (4, 8), (8, 16), (16, 24), (24, 32), (40, 48))
}
_LONG_BEFORE_MS = (-100, -20)
_ATTACK_MS = (0, 12)
_LATE_MS = (16, 48)  # by then the hand has left, and only the wood rings
_NEAREST_RATE = 0.85  # a converter that reaches 3600 Hz was meant to reach 4000
# Parts of a blow's energy: when it was there.
_SHARES = {f"gathered_{percent}": percent / 100 for percent in (30, 50, 70, 90)}
_FIRST_MS = 16  # in which a hand is on the wood: how much of that came within its first
_EARLY_MS = {f"early_{early_ms}": early_ms for early_ms in (1, 2, 4, 8)}
_TOUCH_MS = (0, 4)
# How much lower it sounds than at the touch.
_LATER_MS = {
    f"pitch_{begin_ms}_{end_ms}": (begin_ms, end_ms) for begin_ms, end_ms in ((12, 24), (24, 48))
}
_FFT_S = 0.064
_STEP_HZ = 1 / _FFT_S
_FELT = 0.15  # of the loudest channel's peak: what felt less tells more of noise than of a blow
_TINY = 1e-9
_TINY_ENERGY = 1e-12
_LEAST_DB = -60.0
_LEAST_EARLY_DB = -40.0
_LEAST_BAND_DB = -50.0
_STILL_DB = -40.0  # before a blow, whatever is quieter tells of the electronics alone
_LOWEST_BIN = 2  # of a spectrum: those below lie under the corner
_TOP_BINS = 2  # on either side of the highest: the taper spreads a tone so far
_ATTACK_HZ = 50.0  # added to the centre of the attack, that silence has one as well
_SUMMIT = 0.3  # of the peak: lower ones are no pulses
_STANDS_OUT = 1.5  # times the lowest within 3 ms on either side
_SHORTEST_FALL_MS = 6  # what has no more of it left has no slope
_CODE = 2 / 1024  # of ten bits
# By the judge's rate, of full scale: the hiss of a code, and what rounding adds to it.
_HISS = {8000: 0.0, 4000: _CODE * sqrt(1 + 1 / 12), 2000: _CODE * sqrt(1 + 1 / 12)}
_AS_GOOD_AS = 0.85  # times as much: a tenth of a second does not tell it better
_LIKELY_LATE_S = 0.005  # an onset is late at most
_FEWEST_STILL = 30  # samples that tell how still it is
_MOST_DRAWN = 1024


def judging_rate_hz(rate_hz: float) -> int:
    """Return the rate out of `RATES_HZ` at which a signal of *rate_hz* is judged."""
    return next((one for one in RATES_HZ if rate_hz >= _NEAREST_RATE * one), RATES_HZ[-1])


def features(window: Window) -> Mapping[str, float]:
    """Return what can be said of the blow in *window*, by name, from its clearest channel.

    Levels are in dB: `LOUDNESS` of full scale, the others of the peak or of the whole.
    """
    blow = _Blow(window, judging_rate_hz(window.rate_hz))
    return dict((*blow.levels(), *blow.spectrum(), *blow.shape(), *blow.touch()))


def clearest(window: Window) -> int:
    """Return which channel of *window* tells best what the blow was.

    That is the loudest one whose tops are not cut off. Where the others have hardly felt it, a
    channel that is cut off still tells more than they do.
    """
    peaks = window.peaks
    highest = max(range(len(peaks)), key=peaks.__getitem__)
    whole = [at for at, peak in enumerate(peaks) if _FELT * peaks[highest] < peak < RAIL]
    return max(whole, key=peaks.__getitem__, default=highest)


def roughened(window: Window) -> Window:
    """Return the clearest channel of *window*, no stiller before the blow than the judge knows it.

    At less than 8 kHz it learned from converters of ten bits, mostly with their hiss. Through one
    of twelve bits the edge of a faint clap or card is as clean as only that of a knock was there.
    So what a stiller one lacks is added, the same to all blows; the others stay as they are.
    """
    hiss = _HISS[judging_rate_hz(window.rate_hz)]
    samples = window.channels[clearest(window)]
    still_s = window.onset_s - window.start_s - _LIKELY_LATE_S
    before = samples[: max(0, round(still_s * window.rate_hz))]
    if not hiss or len(before) < _FEWEST_STILL:
        return window
    # From sample to sample, so that slow swings and hum are not taken for it.
    own = dist(before[1:], before[:-1]) / sqrt(2 * (len(before) - 1))
    if own >= _AS_GOOD_AS * hiss:
        return window
    lacking = sqrt(hiss * hiss - own * own)
    rough = tuple([heard + lacking * one for heard, one in zip(samples, cycle(_drawn()))])
    return replace(window, channels=(rough,), skew_s=0.0)


@cache
def _drawn() -> tuple[float, ...]:
    """Return as many numbers of a normal distribution as most windows have, always the same ones.

    Each is a sum of twelve evenly distributed ones, of a linear congruential generator.
    """
    state, found = 1, []
    for _ in range(_MOST_DRAWN):
        total = 0
        for _ in range(12):
            state = (state * 1103515245 + 12345) % (1 << 31)
            total += state
        found.append(total / (1 << 31) - 6)
    return tuple(found)


class _Blow:
    """The samples from the onset on, and those before it, at the judge's rate."""

    def __init__(self, window: Window, rate_hz: int) -> None:
        samples = resampled(window.channels[clearest(window)], window.rate_hz, rate_hz)
        # Some disc felt more than a converter can show.
        self._cut_off = max(window.peaks) >= RAIL
        self._ms = rate_hz / 1000
        self._rate_hz = rate_hz
        self._samples = high_passed(samples, rate_hz, CORNER_HZ)
        self._onset = round((window.onset_s - window.start_s) * rate_hz)
        self._after = self._cut(0, AFTER_S * 1000)
        self._loud = list(map(abs, self._after))
        self._loudest = max(self._loud)
        self._peak = self._loudest + _TINY

    def levels(self) -> Iterator[tuple[str, float]]:
        yield LOUDNESS, 0.0 if self._cut_off else 20 * log10(self._peak)
        for name, (begin_ms, end_ms) in _COURSE_MS.items():
            if begin_ms < 0:
                yield name, max(_STILL_DB, self._level_db(self._cut(begin_ms, end_ms)))
            else:
                yield name, self._level_db(self._since(begin_ms, end_ms))
        still = max(0.0, self._peak * 10 ** (_STILL_DB / 20) - _TINY)
        before = self._cut(*_LONG_BEFORE_MS)
        # No sample is louder than all of them together, which is known much sooner.
        loudest_before = max(still, loudest(before)) if hypot(*before) > still else still
        before_db = 20 * log10((loudest_before + _TINY) / self._peak)
        yield "loudest_before", max(_STILL_DB, before_db)
        yield "crest", -self._level_db(self._after)

    def spectrum(self) -> Iterator[tuple[str, float]]:
        late = self._since(*_LATE_MS)
        # Doubled or not is the same to all that is told: each is a part of the whole.
        whole, ringing = doubled_amplitudes(
            list(map(mul, self._after, falling(len(self._after)))),
            list(map(mul, late, hann(len(late)))),
            round(_FFT_S * self._rate_hz),
        )
        total = _energy(whole) + _TINY**2
        for name, band in zip(_BANDS, self._bands(whole), strict=False):
            yield name, max(_LEAST_BAND_DB, _db(band / total))
        heard = whole[_LOWEST_BIN:]
        mean_db = 10 * _mean_log([one * one / total + _TINY for one in heard])
        yield "flatness", mean_db - _db(_energy(heard) / total / len(heard))
        top = heard.index(max(heard)) + _LOWEST_BIN
        yield "top_octave", log2(top * _STEP_HZ)
        near = whole[max(0, top - _TOP_BINS) : top + _TOP_BINS + 1]
        yield "top_share", _db(_energy(near) / total)
        attack, weighed = _sum_and_moment(self._since(*_ATTACK_MS), round(_FFT_S * self._rate_hz))
        centre_hz = weighed * _STEP_HZ
        yield "attack_octave", log2(centre_hz / (attack + _TINY**2) + _ATTACK_HZ)
        yield from self._late_bands(ringing)

    def shape(self) -> Iterator[tuple[str, float]]:
        yield "crossings_attack", _crossings(self._since(*_ATTACK_MS))
        yield "crossings_late", _crossings(self._since(*_LATE_MS))
        hop = max(1, int(self._ms))
        until = len(self._loud) // hop * hop
        course = list(map(max, *(self._loud[at:until:hop] for at in range(hop))))
        yield "pulses", float(_pulses(course, self._peak))
        yield "slope", _slope([20 * log10(one / self._peak + 1e-3) for one in course])

    def touch(self) -> Iterator[tuple[str, float]]:
        """Yield how the blow came in: what the table's own colour changes little."""
        gathered = list(accumulate(map(mul, self._after, self._after)))
        for name, share in _SHARES.items():
            at = bisect_left(gathered, share * (gathered[-1] + _TINY**2))
            yield name, log2(1 + at / self._ms)
        yield "rise", log2(1 + self._loud.index(self._loudest) / self._ms)
        first = gathered[round(_FIRST_MS * self._ms) - 1] + _TINY_ENERGY
        for name, early_ms in _EARLY_MS.items():
            early = gathered[round(early_ms * self._ms) - 1] + _TINY_ENERGY
            yield name, max(_LEAST_EARLY_DB, _db(early / first))
        touch = self._pitch(*_TOUCH_MS)
        for name, later_ms in _LATER_MS.items():
            yield name, self._pitch(*later_ms) - touch

    def _pitch(self, begin_ms: float, end_ms: float) -> float:
        """Return the octave of the frequency that swings as steeply as what was heard then."""
        heard = self._since(begin_ms, end_ms)
        # The energy of all steps from one sample to the next, as one distance.
        steep = dist(heard[1:], heard[:-1]) ** 2 + _TINY_ENERGY
        ratio = steep / (_energy(heard) + _TINY_ENERGY)
        return log2(self._rate_hz / (2 * pi) * sqrt(ratio) + _ATTACK_HZ)

    def _bands(self, spectrum: Sequence[float]) -> list[float]:
        return [_energy(spectrum[first:end]) for first, end in _bins_of(self._rate_hz)]

    def _late_bands(self, ringing: Sequence[float]) -> Iterator[tuple[str, float]]:
        bands = self._bands(ringing)
        total = sum(bands) + _TINY**2
        for name, some in (
            ("late_low", bands[3:5]),
            ("late_middle", bands[5:7]),
            ("late_high", bands[7:]),
        ):
            if some:
                yield name, max(_LEAST_BAND_DB, _db(sum(some) / total))

    def _level_db(self, samples: Samples) -> float:
        mean = _energy(samples) / max(1, len(samples))
        return max(_LEAST_DB, _db(mean / self._peak**2))

    def _since(self, begin_ms: float, end_ms: float) -> list[float]:
        """Return the samples between two moments that are not before the onset, that being 0."""
        return self._after[round(begin_ms * self._ms) : round(end_ms * self._ms)]

    def _cut(self, begin_ms: float, end_ms: float) -> list[float]:
        """Return the samples between two moments, the onset being 0; silence where none are."""
        begin = self._onset + round(begin_ms * self._ms)
        end = self._onset + round(end_ms * self._ms)
        cut = self._samples[max(0, begin) : max(0, end)]
        missing = end - begin - len(cut)
        return [0.0] * missing + cut if begin < 0 else cut + [0.0] * missing


@cache
def _bins_of(rate_hz: int) -> tuple[tuple[int, int], ...]:
    """Return which bins of a spectrum lie in each of `BANDS_HZ`, the first and that after them."""
    return tuple(
        (-int(-low_hz // _STEP_HZ), -int(-high_hz // _STEP_HZ))
        for low_hz, high_hz in pairwise(BANDS_HZ)
        if low_hz < rate_hz / 2
    )


def _db(ratio: float) -> float:
    return 10 * log10(ratio + _TINY)


def _energy(samples: Samples) -> float:
    # One call in C, where a sum of squares makes a number of each.
    return hypot(*samples) ** 2


def _mean_log(values: Samples) -> float:
    """Return the mean of the logarithms of *values*, each of `_TINY` to about 1."""
    # So many that their product is a number still.
    products = [prod(values[at : at + 32]) for at in range(0, len(values), 32)]
    return sum(map(log10, products)) / len(values)


def _crossings(samples: Samples) -> float:
    """Return which part of the steps in *samples* crosses zero."""
    below = bytes([sample < 0 for sample in samples])
    crossed = below.count(b"\0\1") + below.count(b"\1\0")
    return crossed / max(1, len(samples) - 1)


def _sum_and_moment(samples: Samples, size: int) -> tuple[float, float]:
    """Return the sum of the power spectrum of *samples*, and the sum of all of it times its place.

    It has *size* points, of which those up to the half count, and is not worked out: it is the
    transform of how much *samples* are like themselves so many steps later, so both are sums over
    these likenesses. Those an even number of steps later all count alike, and come together out
    of two plain sums. The others are of one sample in an even place and one in an odd place, and
    so of half as many sums.
    """
    own = sum(map(mul, samples, samples))
    evens, odds = samples[::2], samples[1::2]
    even = (sum(evens) ** 2 + sum(odds) ** 2 - own) / 2
    half = size // 2
    moment = own * half * (half + 1) / 2 + half * even
    # As large as the weights: a `Weights` is as exact as the larger of the two.
    scale = hypot(*evens) or 1.0
    sums = _odd_moments(size, len(evens), len(odds)).sums([one / scale for one in evens])
    odd = scale * _LARGEST_MOMENT * size * size * sum(map(mul, odds, sums))
    return (half + 1) * own + 2 * even, moment + 2 * odd


_LARGEST_MOMENT = 0.5 / pi**2  # of one step, as part of the square of the size


@cache
def _odd_moments(size: int, evens: int, odds: int) -> Weights:
    """Return what each sample in an odd place is weighed with, by those in even places.

    That is the sum of every place up to half of *size*, times its cosine, as part of the largest.
    """
    largest = _LARGEST_MOMENT * size * size
    by_steps = {
        later: (-size / 4 - 0.5 / sin(pi * later / size) ** 2) / largest
        for later in range(1, 2 * max(evens, odds), 2)
    }
    return Weights(
        [by_steps[abs(2 * odd + 1 - 2 * even)] for even in range(evens)] for odd in range(odds)
    )


def _pulses(course: Sequence[float], peak: float) -> int:
    """Count the summits in *course*, a value a millisecond, that stand out by half."""
    return sum(
        course[at - 1] <= course[at] > course[at + 1]
        and course[at] > _SUMMIT * peak
        and course[at] > _STANDS_OUT * min(*course[max(0, at - 3) : at], *course[at + 1 : at + 4])
        for at in range(1, len(course) - 1)
    )


def _slope(course_db: Sequence[float]) -> float:
    """Return how *course_db* falls from its summit on, in dB a millisecond."""
    summit = course_db.index(max(course_db))
    falling_db = course_db[summit:]
    if len(falling_db) <= _SHORTEST_FALL_MS:
        return 0.0
    middle = (len(falling_db) - 1) / 2
    rise: float = sum(map(mul, range(len(falling_db)), falling_db)) - middle * sum(falling_db)
    return rise / (len(falling_db) * (len(falling_db) ** 2 - 1) / 12)
