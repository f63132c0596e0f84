"""What one disc felt around the onset of a blow: without bias, and not finer than need be."""

from collections.abc import Sequence
from itertools import accumulate
from math import sqrt
from operator import mul

from kloplei.knock.signal import Samples, Window
from kloplei.knock.spectrum import resampled

FINEST_HZ = 8000.0  # nothing faster reaches a converter through 3 kHz of front-end

_QUIET_S = (-0.023, -0.003)  # a whole swing of the mains, and not yet the blow
_ARRIVING_S = (-0.003, 0.012)
_BLOW_S = (-0.002, 0.010)  # longer, and all of the table rings along
_MOVED = 2.0  # times the power of the quiet before: less, and a disc has felt nothing
_NOISE = 1.5  # times the power of the quiet before: taken off what is felt
_TINY = 1e-12


class Felt:
    """One *channel* of *window*."""

    def __init__(self, window: Window, channel: int) -> None:
        self.rate_hz = min(window.rate_hz, FINEST_HZ)
        self._late_s = channel * window.skew_s
        first_s = max(window.start_s, window.onset_s + _QUIET_S[0])
        begin = round((first_s - window.start_s) * window.rate_hz)
        end = begin + round((_ARRIVING_S[1] - _QUIET_S[0] + 0.001) * window.rate_hz)
        cut = resampled(window.channels[channel][begin:end], window.rate_hz, self.rate_hz)
        self._onset_s = window.onset_s - window.start_s - begin / window.rate_hz
        quiet = self._between(cut, _QUIET_S)
        bias = sum(quiet) / len(quiet) if quiet else 0.0
        self._samples = [sample - bias for sample in cut]
        self._quiet = _mean_square([sample - bias for sample in quiet])
        self._arriving = self._between(self._samples, _ARRIVING_S)

    @property
    def noise(self) -> float:
        """The noise before the blow, as a standard deviation."""
        return sqrt(self._quiet)

    @property
    def peak(self) -> float:
        """The loudest sample."""
        return max(map(abs, self._arriving), default=0.0)

    @property
    def is_moved(self) -> bool:
        """Whether it felt more than the noise before."""
        return _mean_square(self._arriving) > max(_MOVED * self._quiet, _TINY)

    def louder_ms(self, level: float) -> float | None:
        """Return when it was first louder than *level*, after the onset; None if it never was."""
        before = 0.0
        for at, sample in enumerate(map(abs, self._arriving)):
            if sample >= level:
                return self._ms(at - 1 + (level - before) / (sample - before + _TINY))
            before = sample
        return None

    def arrivals_ms(self, parts: Sequence[float]) -> tuple[float, ...]:
        """Return when so large *parts* of its energy had been felt, after the onset."""
        noise = _NOISE * self._quiet
        sums = list(accumulate(max(0.0, one * one - noise) for one in self._arriving))
        total = sums[-1] if sums else 0.0
        return tuple(self._ms(_reached(sums, part * (total + _TINY))) for part in parts)

    @property
    def blow(self) -> tuple[Samples, float]:
        """The samples of the blow, and when the first of them was taken, after the onset."""
        return self._between(self._samples, _BLOW_S), self._begin_s(_BLOW_S)

    def _ms(self, place: float) -> float:
        return 1000 * (self._begin_s(_ARRIVING_S) + place / self.rate_hz)

    def _begin_s(self, span_s: tuple[float, float]) -> float:
        return self._index(span_s[0]) / self.rate_hz - self._onset_s + self._late_s

    def _index(self, since_onset_s: float) -> int:
        return max(0, round((self._onset_s + since_onset_s) * self.rate_hz))

    def _between(self, samples: Samples, span_s: tuple[float, float]) -> Samples:
        return samples[self._index(span_s[0]) : self._index(span_s[1])]


def _mean_square(samples: Samples) -> float:
    return sum(map(mul, samples, samples)) / len(samples) if samples else 0.0


def _reached(sums: Sequence[float], level: float) -> float:
    """Return the place, between samples, at which rising *sums* come to *level*."""
    before = 0.0
    for at, total in enumerate(sums):
        if total >= level:
            return at - 1 + (level - before) / (total - before + _TINY)
        before = total
    return float(len(sums))
