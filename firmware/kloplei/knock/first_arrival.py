"""Which disc felt a blow first, with one disc a seat: nothing has to be learned for it.

The first wave to come is weak and drowns in noise, the loudest is late. So four moments are
asked, each of them right at most tables, and their mean goes.
"""

from collections.abc import Sequence
from math import exp, log

from kloplei.knock.felt import Felt

_LEVELS = (0.1, 0.2, 0.4)  # of the loudest disc's peak
_NOISE_LEVEL = 4.0  # standard deviations: below it lies noise
_PART = 0.1  # of a disc's own energy
_FAINT = 0.02  # of the loudest disc's peak: fainter, and a disc has felt nothing
_LATE_MS = 1.5  # a disc that comes so much later than the first is just late
_AHEAD_MS = 0.1  # by so much ahead of the next, a disc was rather surely the first
_LOUDER = 4.0  # times as loud as the next says as much: both may be at the same distance
_TINY = 1e-12


def first_felt(channels: Sequence[Felt]) -> tuple[int, float]:
    """Return which of *channels*, two or more, felt the blow first, and how sure (0.5 to 1)."""
    means = [sum(moments) / len(moments) for moments in zip(*_moments(channels), strict=True)]
    # Where none comes first, the louder one is nearer.
    order = sorted(range(len(means)), key=lambda at: (means[at], -channels[at].peak))
    first, second = order[:2]
    ahead = (means[second] - means[first]) / _AHEAD_MS
    louder = log(max(1.0, channels[first].peak / max(channels[second].peak, _TINY)), _LOUDER)
    return first, 1 - 0.5 * exp(-ahead - louder)


def _moments(channels: Sequence[Felt]) -> list[list[float]]:
    """Return by each of the four measures how long after the first each channel felt it."""
    loudest = max(channel.peak for channel in channels)
    found: list[list[float | None]] = [
        [one.louder_ms(max(level * loudest, _NOISE_LEVEL * one.noise)) for one in channels]
        for level in _LEVELS
    ]
    found.append(
        [
            one.arrivals_ms([_PART])[0] if one.is_moved and one.peak > _FAINT * loudest else None
            for one in channels
        ]
    )
    return [_after_the_first(moments) for moments in found]


def _after_the_first(moments: Sequence[float | None]) -> list[float]:
    first = min((moment for moment in moments if moment is not None), default=0.0)
    return [_LATE_MS if moment is None else min(_LATE_MS, moment - first) for moment in moments]
