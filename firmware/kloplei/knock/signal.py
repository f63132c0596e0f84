"""What piezos give: blocks of samples, the window around one blow, and the filters they go through.

Samples run from -1 to 1 of full scale, one sequence a channel, time in seconds. The little of
Fourier and filters that the judging needs is here, in plain Python.
"""

from cmath import exp as cexp
from collections.abc import Callable, Iterable, Sequence
from functools import cache, cached_property, lru_cache
from itertools import accumulate, pairwise, repeat
from math import cos, dist, exp, hypot, isfinite, pi
from operator import add, itemgetter, mul, sub
from typing import Any, Self, TypeVar

from kloplei.frozen import dataclass

Samples = Sequence[float]
"""One channel, full scale -1 to 1, free of any bias."""

RAIL = 0.98  # of full scale: as far as a converter shows; what is louder is cut off there


Found = TypeVar("Found")


class _Remembering:
    """Lends a frozen class with slots the room where a `cached_property` keeps what it found."""

    def remembered(self, find: Callable[[Self], Found]) -> Found:
        """Return ``find(self)``, worked out once: a `cached_property` for other modules to add."""
        if find not in self._found:
            self._found[find] = find(self)
        found: Found = self._found[find]
        return found

    def remember(self, name: str, found: object) -> None:
        """Let the `cached_property` *name* be *found*: whoever made this knew it already."""
        vars(self)[name] = found

    @cached_property
    def _found(self) -> dict[Callable[[Any], Any], Any]:
        return {}


@dataclass(frozen=True, slots=True)
class Block(_Remembering):
    """Samples of all channels, equally many in each, *rate_hz* a second, full scale -1 to 1.

    *start_s* is when the first sample of channel 0 was taken. A converter that reads one
    channel after the other takes channel c *skew_s* times c later.
    """

    start_s: float
    rate_hz: float
    channels: tuple[Samples, ...]
    skew_s: float = 0.0

    @property
    def end_s(self) -> float:
        """When the sample after the last one is due."""
        return self.start_s + len(self.channels[0]) / self.rate_hz

    @cached_property
    def extremes(self) -> tuple[tuple[float, float], ...]:
        """The lowest and the highest sample of each channel."""
        return tuple((min(channel), max(channel)) for channel in self.channels)


@dataclass(frozen=True, slots=True)
class Window(_Remembering):
    """All channels around one blow: what it was judged by, and what may be kept for review.

    *start_s* is the time of the first sample of channel 0; the blow began at *onset_s*, within it.
    Samples, rate and skew are as in a `Block`.
    """

    onset_s: float
    start_s: float
    rate_hz: float
    channels: tuple[Samples, ...]
    skew_s: float = 0.0

    @cached_property
    def peaks(self) -> tuple[float, ...]:
        """The loudest sample of each channel."""
        return tuple(map(loudest, self.channels))


def finite(samples: Samples) -> Samples:
    """Return *samples* with silence for those that are no numbers or without end."""
    # Nearly always all is well, and a sum shows it.
    if isfinite(sum(samples)):
        return samples
    return [sample if isfinite(sample) else 0.0 for sample in samples]


class HighPass:
    """Keeps back what is slower than *corner_hz*, from call to call (first order).

    Args:
        rate_hz: Samples a second.
        corner_hz: What swings so fast is let through at 0.7 of its height.
        rest: The level before the first sample.
    """

    def __init__(self, rate_hz: float, corner_hz: float, rest: float = 0.0) -> None:
        self._keep = exp(-2 * pi * corner_hz / rate_hz)
        self._last = rest
        self._passed = 0.0
        self.held_back = abs(rest)
        """How much of the last sample has been kept back."""
        self.remembers = round(_TRACES * rate_hz / (2 * pi * corner_hz))
        """How many samples it takes until one leaves no trace in a number."""

    def passed(self, samples: Samples) -> list[float]:
        """Return what gets through of *samples*, which follow those of the last call."""
        keep, last, passed, out = self._keep, self._last, self._passed, []
        for sample in samples:
            passed = keep * (passed + sample - last)
            last = sample
            out.append(passed)
        self._last, self._passed = last, passed
        self.held_back = abs(last - passed)
        return out

    def come_after(self, samples: Samples) -> None:
        """Go on as if *samples* had passed, all since the beginning or all that it `remembers`."""
        weights = _held_back(self._keep, len(samples))
        self._passed = sum(map(mul, weights, samples))
        self._last = samples[-1] if samples else 0.0


class PassedBound:
    """Bounds how loud channels are behind a `HighPass` each, without a look at their samples.

    Args:
        rate_hz: Samples a second.
        corner_hz: That of the filters.
        rest: None of the channels was louder before the first sample.
    """

    def __init__(self, rate_hz: float, corner_hz: float, rest: float = 0.0) -> None:
        self._keep = exp(-2 * pi * corner_hz / rate_hz)
        self.held_back = rest
        """No filter keeps more back of the last sample; whoever lets them pass may know better."""

    def most(self, loudest: float, count: int) -> float:
        """Return an upper bound on what gets through of the next *count* samples.

        None of them is louder than *loudest*. Ask of all samples in their order, whether they are
        passed afterwards or not.
        """
        most = loudest + max(loudest, self.held_back)
        kept = self._keep**count
        self.held_back = kept * self.held_back + (1 - kept) * loudest
        return most


_TRACES = 37.0  # time constants after which less than the last bit is left


@lru_cache(maxsize=4)  # a converter that is opened anew may be read at another pace each time
def _held_back(keep: float, count: int) -> tuple[float, ...]:
    """Return what each of the last *count* samples has added to what a `HighPass` let through."""
    before = ((keep - 1) * keep**back for back in range(count - 1, 0, -1))
    return (*before, keep)[-count:]


def high_passed(samples: Samples, rate_hz: float, corner_hz: float) -> list[float]:
    """Return *samples* without what is slower than *corner_hz*; they start at rest."""
    return HighPass(rate_hz, corner_hz, samples[0] if samples else 0.0).passed(samples)


def resampled(samples: Samples, from_hz: float, to_hz: float) -> list[float]:
    """Return *samples* at *to_hz*: each the mean of what lies in its time.

    A plain mean lets some of what is too fast fold back. It costs next to nothing, and the
    judge has been trained on signals that came the same way.
    """
    if from_hz == to_hz:
        return list(samples)
    sums = [0.0, *accumulate(samples)]
    step = from_hz / to_hz
    count, last = int(len(samples) / step), len(samples)
    if step == int(step):
        ends = sums[:: int(step)]
    else:
        # Up to each place between two samples; no call for each, which takes three times as long.
        places = [at * step for at in range(count + 1)]
        ends = [
            sums[whole] + (at - whole) * (sums[whole + 1] - sums[whole])
            if (whole := int(at)) < last
            else sums[-1]
            for at in places
        ]
    return [(end - begin) / step for begin, end in pairwise(ends)]


def loudest(samples: Samples) -> float:
    """Return the loudest of *samples*, 0 where there are none."""
    if not samples:
        return 0.0
    highest, lowest = max(samples), min(samples)
    return highest if highest > -lowest else -lowest


def doubled_amplitudes(one: Samples, other: Samples, size: int) -> tuple[list[float], list[float]]:
    """Return the amplitude spectra of *one* and *other*, each doubled, for the price of one.

    Both are filled up with zeros to *size*, a power of two.

    Returns:
        ``size // 2 + 1`` numbers each, the one at *k* for the frequency ``k * rate / size``.
    """
    one, other = one[:size], other[:size]
    both = [
        *map(complex, one, other),
        *one[len(other) :],
        *(1j * each for each in other[len(one) :]),
    ]
    spectrum = _fourier(both, size)
    half = size // 2 + 1
    # What is real swings alike at k and -k, but for its sign; what is imaginary against it.
    mirrored = [each.conjugate() for each in (spectrum[0], *spectrum[: half - 2 : -1])]
    real = map(abs, map(add, spectrum, mirrored))
    imaginary = map(abs, map(sub, spectrum, mirrored))
    return list(real), list(imaginary)


class Weights:
    """A matrix that vectors of samples are multiplied with, again and again.

    Without numpy, and without a number of Python's for each product: since |a - b|^2 is
    |a|^2 + |b|^2 - 2 a.b, a row's a.b follows from its distance, and `math.dist` is one call in C.
    """

    def __init__(self, rows: Iterable[Samples]) -> None:
        self._rows = list(map(tuple, rows))
        self._energies = [sum(map(mul, row, row)) / 2 for row in self._rows]

    def sums(self, samples: Iterable[float]) -> list[float]:
        """Return the dot product of each row with *samples*, which are as many as a row has."""
        samples = tuple(samples)
        own = hypot(*samples) ** 2 / 2
        off = map(dist, self._rows, repeat(samples))
        return [own + its - 0.5 * far * far for its, far in zip(self._energies, off, strict=True)]


@cache
def hann(count: int) -> tuple[float, ...]:
    """Return a bell of *count* weights that is zero at both ends."""
    return tuple(0.5 - 0.5 * cos(2 * pi * at / (count - 1)) for at in range(count))


@cache
def falling(count: int) -> tuple[float, ...]:
    """Return the second half of a bell: *count* weights from one down to zero."""
    return hann(2 * count)[count:]


def _fourier(values: Sequence[complex], size: int) -> Sequence[complex]:
    """Return the spectrum of *values*, filled up with zeros to *size*, a power of two above 2.

    Each stage does the same with all pairs of neighbours, and puts their sums before all by which
    they differ (after Pease 1968), so that a whole stage is a few calls in C.
    """
    in_order, stages = _stages(size)
    half = size // 2
    values = [*values, *([0j] * (half - len(values)))]
    # Before they are put in order the neighbours lie half of all apart; and only here are zeros
    # found, which add nothing to *first*.
    first, second = values[:half], values[half:]
    alone = first[len(second) :]
    sums, swings = [*map(add, first, second), *alone], [*map(sub, first, second), *alone]
    values = [*in_order(sums), *map(mul, in_order(swings), stages[0])]
    for turns in stages[1:]:
        first, second = values[::2], values[1::2]
        off = map(sub, first, second)
        values = [*map(add, first, second), *(map(mul, off, turns) if turns else off)]
    return values


@cache
def _stages(
    size: int,
) -> tuple[Callable[[Sequence[complex]], Sequence[complex]], list[Sequence[complex]]]:
    """Return what brings half of *size* into their order, and by what each stage turns."""
    half, count = size // 2, size.bit_length() - 1
    in_order = itemgetter(*(int(f"{at:0{count - 1}b}"[::-1], 2) for at in range(half)))
    turns = in_order([cexp(-2j * pi * at / size) for at in range(half)])
    stages = [turns[: half >> one] * (1 << one) for one in range(count - 1)]
    return in_order, [*stages, ()]  # the last one turns nothing


# Within this time the level has followed most of the way: it drifts with warmth, in minutes, and
# the lowest knock swings in 5 ms.
FOLLOWS_S = 1.0


class DcOffset:
    """Follows the mean of each channel so slowly that no knock bends it."""

    def __init__(self) -> None:
        self.levels: tuple[float, ...] = ()
        """What is taken off each channel, full scale -1 to 1; empty before the first block."""

    def taken_off(self, block: Block) -> Block:
        """Return *block* around zero; the first one sets the level."""
        # A single sample that is no number would stay in the level for ever.
        channels = [finite(channel) for channel in block.channels]
        if len(channels) != len(self.levels):
            # The middle sample, not the mean: a recording may begin with a blow.
            self.levels = tuple([sorted(channel)[len(channel) // 2] for channel in channels])
        else:
            self._follow(channels, block.rate_hz)
        around_zero: list[Samples] = [
            [sample - level for sample in channel]
            for channel, level in zip(channels, self.levels, strict=True)
        ]
        return Block(block.start_s, block.rate_hz, tuple(around_zero), block.skew_s)

    def _follow(self, channels: Sequence[Samples], rate_hz: float) -> None:
        share = min(1.0, len(channels[0]) / rate_hz / FOLLOWS_S)
        self.levels = tuple(
            [
                level + share * (sum(channel) / len(channel) - level)
                for level, channel in zip(self.levels, channels, strict=True)
            ]
        )
