"""What people see of the bench, the countdown to the next blow above all, and what they press."""

from dataclasses import dataclass
from enum import Enum, auto
from itertools import pairwise
from math import ceil
from typing import Protocol

from kloplei.bench.protocol import LEAD_S, Step

COUNT_S = 0.8  # of the countdown to a blow, a number
NOW_S = 0.35  # so long after its beat "now" is shown


class Phase(Enum):
    """Where a step is."""

    READY = auto()
    RUNS = auto()


@dataclass(frozen=True, slots=True)
class Shown:
    """What people see: *step*, the *number*-th of *of*, as it stands *since_s* its beginning."""

    step: Step
    number: int
    of: int
    phase: Phase
    since_s: float = 0.0
    waits: bool = True  # for somebody to press Enter

    @property
    def beats_done(self) -> int:
        """How many blows should have fallen."""
        return sum(beat_s <= self.since_s for beat_s in self.step.beats_s)

    @property
    def is_now(self) -> bool:
        """Whether this is the moment to strike, or the time of what lasts."""
        if not self.step.kind.beats:
            return self.phase is Phase.RUNS and LEAD_S <= self.since_s < self.step.lasts_s
        return any(0 <= self.since_s - beat_s < NOW_S for beat_s in self.step.beats_s)

    @property
    def count(self) -> int | None:
        """What a countdown says: to the next blow, or to the beginning and end of what lasts.

        None when nothing more is to be done.
        """
        if self.phase is Phase.READY:
            return None
        if self.step.kind.beats:
            coming = [beat_s for beat_s in self.step.beats_s if beat_s > self.since_s]
            return _ticks(coming[0] - self.since_s) if coming else None
        if self.since_s < LEAD_S:
            return _ticks(LEAD_S - self.since_s)
        return max(1, ceil(self.step.lasts_s - self.since_s))

    @property
    def filled(self) -> float:
        """How much of the time to the next blow, or to the end, has passed: 0 to 1."""
        marks = [0.0, *(self.step.beats_s or (LEAD_S,)), self.step.lasts_s]
        for before, after in pairwise(marks):
            if before <= self.since_s < after:
                return (self.since_s - before) / (after - before)
        return 1.0


class Desk(Protocol):
    """Where people are told what to do, and where keys come from."""

    def show(self, shown: Shown) -> None:
        """Show what is to be done now."""
        ...

    def say(self, sentence: str) -> None:
        """Say *sentence* besides; the same one twice is said once."""
        ...

    def key(self, within_s: float) -> str | None:
        """Return what was pressed within that time, "" when nobody can press any more."""
        ...


class Wish(Enum):
    """What comes of a step: it was done, or somebody wants something else."""

    DONE = auto()
    BEGIN = auto()
    SKIP = auto()
    SKIP_SEAT = auto()
    AGAIN = auto()
    BACK = auto()
    STOP = auto()


KEYS = {
    "\n": Wish.BEGIN,
    "\r": Wish.BEGIN,
    "s": Wish.SKIP,
    "n": Wish.SKIP_SEAT,
    "r": Wish.AGAIN,
    "q": Wish.STOP,
}


def _ticks(left_s: float) -> int:
    return max(1, ceil(left_s / COUNT_S))
