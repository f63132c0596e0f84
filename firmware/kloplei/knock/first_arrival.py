"""Which disc felt a blow first, with one disc a seat: nothing has to be learned for it.

The first wave to come is weak and drowns in noise, the loudest is late. So four moments are
asked, each of them right at most tables, and their mean goes.
"""

from collections.abc import Sequence
from math import exp

from kloplei.knock.felt import Felt

_LEVELS = (0.1, 0.2, 0.4)  # of the loudest disc's peak
_NOISE_LEVEL = 4.0  # standard deviations: below it lies noise
_PART = 0.1  # of a disc's own energy
_LATE_MS = 1.5  # a disc that comes so much later than the first is just late
_AHEAD_MS = 0.1  # by so much ahead of the next, a disc was rather surely the first


def first_felt(channels: Sequence[Felt]) -> tuple[int, float]:
    """Return which of *channels*, two or more, felt the blow first, and how sure (0.5 to 1)."""
    means = [sum(moments) / len(moments) for moments in zip(*_moments(channels), strict=True)]
    order = sorted(range(len(means)), key=means.__getitem__)
    ahead_ms = means[order[1]] - means[order[0]]
    return order[0], 1 - 0.5 * exp(-ahead_ms / _AHEAD_MS)


def _moments(channels: Sequence[Felt]) -> list[list[float]]:
    """Return by each of the four measures how long after the first each channel felt it."""
    loudest = max(channel.peak for channel in channels)
    found: list[list[float | None]] = [
        [one.louder_ms(max(level * loudest, _NOISE_LEVEL * one.noise)) for one in channels]
        for level in _LEVELS
    ]
    found.append([one.arrivals_ms([_PART])[0] if one.is_moved else None for one in channels])
    return [_after_the_first(moments) for moments in found]


def _after_the_first(moments: Sequence[float | None]) -> list[float]:
    first = min((moment for moment in moments if moment is not None), default=0.0)
    return [_LATE_MS if moment is None else min(_LATE_MS, moment - first) for moment in moments]
