"""What a tuning gathers: who is to knock where, the blows that were struck, and how loud."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import median

from kloplei.games.game import Seat
from kloplei.knock.verdict import Judgement

_SILENT = 1e-4  # of full scale, a tenth of what a converter of 12 bits can tell


@dataclass(frozen=True, slots=True)
class Setup:
    """The sensors of one table.

    *seats* are asked to knock in this order. *piezos* says whose each channel is, None for one
    in a corner or for the whole table; it is empty where there are only comparator pads. *pads*
    are the seats whose own pad gives edges and no loudness.
    """

    seats: tuple[Seat, ...]
    piezos: tuple[Seat | None, ...] = ()
    pads: frozenset[Seat] = frozenset()

    def by_edges(self, seat: Seat) -> bool:
        """Whether all that is known of a knock at *seat* is when it was."""
        return not self.piezos or seat in self.pads


@dataclass(frozen=True, slots=True)
class Gathered:
    """All that a tuning has gathered when it comes to the result.

    *floor* is the loudest sample of each channel while all were quiet, empty where nobody
    measured it; *humming* the channels (0-based) that were loud and steady all the time.
    *buzz* is how loud the phone was, 0 where it was left out; *buzzed* what was made of it.
    """

    setup: Setup
    floor: tuple[float, ...] = ()
    humming: tuple[int, ...] = ()
    glasses: tuple[Judgement, ...] = ()
    buzz: float = 0.0
    buzzed: tuple[Judgement, ...] = ()
    knocks: Mapping[Seat, tuple[Judgement, ...]] = field(default_factory=dict)


def decibels(peak: float) -> float:
    """Return how loud *peak* is, in decibels below full scale."""
    return 20.0 * math.log10(max(peak, _SILENT))


def peaks_of(judgement: Judgement) -> tuple[float, ...]:
    """Return the loudest sample of each channel; of edges only the strength is known."""
    if judgement.window is None:
        return (judgement.strength,)
    return tuple(max(map(abs, channel), default=0.0) for channel in judgement.window.channels)


def loudness_of(judgement: Judgement) -> float:
    """Return the loudest sample of all channels, 0 to 1."""
    return max(peaks_of(judgement), default=0.0)


def usual_db(strokes: tuple[Judgement, ...]) -> float:
    """Return how loud one of *strokes* usually is, in decibels below full scale."""
    return median(decibels(loudness_of(one)) for one in strokes)
