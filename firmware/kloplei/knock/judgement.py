"""What the judge says about one blow: felt at once, judged some 50 ms later."""

from collections.abc import Mapping
from enum import StrEnum
from math import exp, log
from typing import Protocol

from kloplei.frozen import dataclass
from kloplei.games.game import Seat
from kloplei.knock.signal import Window

PIEZOS = "piezos"
"""What all piezos are called together, as a `Judgement.part`; pads have a name each."""
KNOCK_LINE = 0.5  # likelihood above which a blow counts as a knock
DOUBTFUL_LINE = 0.25  # likelihood above which it is at least flagged
# A seat that is less likely is not told. Of those that are, one in a hundred is wrong where half of
# the hands fall 10 cm off (docs/knocks.md).
SURE = 0.82
DEAD_S = 0.1  # of a seat that has knocked, nothing is a knock so soon: a knuckle that bounces


def piezo_name(channel: int, seat: Seat | None) -> str:
    """Return what the disc on *channel* is called: by its seat, or by the channel in a corner."""
    return f"corner piezo {channel}" if seat is None else f"piezo {seat.shown}"


class Verdict(StrEnum):
    """A knock, not a knock, or too near the line to say."""

    KNOCK = "knock"
    DOUBTFUL = "doubtful"
    NOISE = "noise"


def verdict(sure: float) -> Verdict:
    """Return what a blow is that was a knock with likelihood *sure*."""
    if sure >= KNOCK_LINE:
        return Verdict.KNOCK
    return Verdict.DOUBTFUL if sure >= DOUBTFUL_LINE else Verdict.NOISE


def sure_enough(likely: Mapping[Seat, float]) -> tuple[Seat | None, float]:
    """Return the likeliest seat, None where it is not sure enough to be told, and how sure."""
    seat = max(likely, key=likely.__getitem__, default=None)
    sure = 0.0 if seat is None else likely[seat]
    return (seat if sure >= SURE else None), sure


def eased(line: float, by: float) -> float:
    """Return the likelihood at which *line* lies once it is milder *by* so many log-odds."""
    return 1 / (1 + exp(by - log(line / (1 - line))))


@dataclass(frozen=True, slots=True)
class Struck:
    """The wood moved; nobody knows yet what it was. To acknowledge, never to act on."""

    at_s: float
    strength: float  # 0 to 1, of full scale


@dataclass(frozen=True, slots=True)
class Judgement:
    """What one blow was found to be.

    *at_s* is its onset, *decided_at_s* the time of the last sample it was judged by.
    *likelihood* is how sure the judge is that it was a knock, *confidence* how sure that
    *seat* struck it, both 0 to 1; *seat* None means that nobody can say whose it was.
    *part* names the sensor that felt it, such as ``piezos`` or ``pad 3``; *window* is None
    where only edges are known. *line* is the likelihood from which on a blow was a knock then, and
    *rang_s* how long its pad was down in all, 0 where it has none. *is_held* tells that it may be
    another hand's beside a knock: the detector holds its likelihood at `DOUBTFUL_LINE`, however
    sure it sounded, and what people say of it tells nothing of how knocks sound. *amends* tells
    that this blow was told before, as less than a knock, and that this takes the place of that.
    *likely* is how likely each seat is where no *seat* is sure enough.
    """

    at_s: float
    decided_at_s: float
    verdict: Verdict
    likelihood: float
    strength: float
    seat: Seat | None = None
    confidence: float = 0.0
    part: str = PIEZOS
    window: Window | None = None
    line: float = KNOCK_LINE
    rang_s: float = 0.0
    is_held: bool = False
    amends: bool = False
    likely: tuple[tuple[Seat, float], ...] = ()


class Hearer(Protocol):
    """Where sensors hand in what they find; never blocks, from any thread."""

    def struck(self, struck: Struck) -> None:
        """Take note that the wood moved."""
        ...

    def judged(self, judgement: Judgement) -> None:
        """Take what a blow was found to be, noise included."""
        ...

    def loudness(self, part: str, peaks: tuple[float, ...], at_s: float) -> None:
        """Take the loudest sample of each channel of *part* since the last call, 0 to 1.

        Comes some ten times a second, for a live meter and to tell a dead sensor.
        """
        ...


@dataclass(frozen=True, slots=True)
class Landing:
    """Something that landed on a virtual wood, and what the box has made of it so far.

    *number* counts up from 1. It lies at *spot*: along the wood from the left, across it from the
    top, 0 to 1. Seats are 1-based: *near* is the one at whose place it landed, *seat* who struck
    in the box's opinion. *verdict* is None while the box has felt nothing; once it *is_over* the
    box will say no more. *is_heeded* tells whether the table listened to its wood then. *wave* is
    the channel that felt it most, from just before the blow, full scale -1 to 1.
    """

    number: int
    kind: str
    spot: tuple[float, float]
    near: int | None = None
    is_over: bool = False
    verdict: Verdict | None = None
    likelihood: float = 0.0
    seat: int | None = None
    confidence: float = 0.0
    blows: int = 0
    decided_after_s: float | None = None
    wave: tuple[float, ...] = ()
    is_heeded: bool = True
