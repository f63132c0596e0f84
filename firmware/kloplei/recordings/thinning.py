"""Fewer samples a second, and nothing in them that was not there: a low-pass, then every n-th."""

from collections.abc import Sequence
from itertools import repeat
from math import ceil, cos, pi, sin
from operator import add, mul

from kloplei.knock.signal import Samples

FASTEST_HZ = 48_000  # more samples a second tell nothing more about a knock
_LOBES = 8  # of the low-pass, on each side: what would fold back is 50 dB down and more
_CORNER = 0.4  # of the new rate: where the low-pass begins to shut


def thinned_by(rate_hz: float) -> int:
    """Return of how many samples one is kept, so that no more than `FASTEST_HZ` are left."""
    return ceil(rate_hz / FASTEST_HZ)


class Thinner:
    """Keeps every *by*-th sample of each channel, through a low-pass that delays nothing.

    To delay nothing it looks `reach` samples ahead, less than a millisecond, so that the
    last ones come out when it is flushed.
    """

    def __init__(self, by: int, channels: int) -> None:
        self._by = by
        self._taps = _low_pass(by)
        self.reach = len(self._taps) // 2
        # Silence before the first sample, so that the first one kept is the first one taken.
        self._waiting: list[list[float]] = [[0.0] * self.reach for _ in range(channels)]

    def thin(self, channels: Sequence[Samples]) -> tuple[Samples, ...]:
        """Return what can be kept of *channels*, which follow those of the last call."""
        if self._by == 1:
            return tuple(channels)
        for waiting, samples in zip(self._waiting, channels, strict=True):
            waiting.extend(samples)
        usable = max(0, len(self._waiting[0]) - 2 * self.reach)
        count = ceil(usable / self._by)
        kept = tuple(self._kept(waiting, count) for waiting in self._waiting)
        for waiting in self._waiting:
            del waiting[: count * self._by]
        return kept

    def flush(self) -> tuple[Samples, ...]:
        """Return the last samples; silence is taken to follow."""
        return self.thin([[0.0] * self.reach] * len(self._waiting))

    def _kept(self, waiting: list[float], count: int) -> list[float]:
        # Tap after tap over all samples: a pass each, in C, where a sum for each sample would
        # be ten times as slow.
        total: list[float] = [0.0] * count
        for at, tap in enumerate(self._taps):
            total = list(map(add, total, map(mul, waiting[at :: self._by], repeat(tap))))
        return total


def _low_pass(by: int) -> list[float]:
    """Return a Hann-windowed sinc that lets pass what *by* times fewer samples can hold."""
    if by == 1:
        return [1.0]
    reach = _LOBES * by
    taps = [
        _sinc(2 * _CORNER * at / by) * (0.5 + 0.5 * cos(pi * at / (reach + 1)))
        for at in range(-reach, reach + 1)
    ]
    scale = sum(taps)
    return [tap / scale for tap in taps]


def _sinc(at: float) -> float:
    return sin(pi * at) / (pi * at) if at else 1.0
