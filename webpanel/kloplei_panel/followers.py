"""Places to follow the table from: who has one, and who has to go when another wants one.

Open files and memory are bounded, and so are places. Phones with a right have a part of them to
themselves, a household has its share of the rest, and who reads nothing goes before who does.
"""

import time
from collections.abc import Callable, Hashable
from typing import Protocol

from kloplei.frozen import dataclass

IDLE_S = 60.0
"""Who asked nothing for so long, though there was news, may have to go."""
# A quarter is for phones with a right alone; of the rest a household has so much as well.
_SHARE = 4
MOST_READINGS = 32
"""So many different pages are drawn for who follows: one takes milliseconds, at every change."""


class Connection(Protocol):
    """The line on which a phone follows."""

    @property
    def is_stuck(self) -> bool:
        """Whether the phone takes nothing of what it is sent."""
        ...

    def follow(self, on_gone: Callable[[], None]) -> None:
        """Take note that the phone only listens from now on; call *on_gone* when it has gone."""
        ...

    def hang_up(self) -> None:
        """End it, from any thread."""
        ...


@dataclass(eq=False, slots=True)
class Follower:
    """One place: whose, when that household last asked for anything, and whose *turn* it is.

    *reads* is what the page of this phone hangs on, where it comes drawn with the stream; there
    the keeper's *wants_log*.
    """

    household: str
    has_right: bool
    connection: Connection | None = None
    asked_s: float = 0.0
    is_over: bool = False
    turn: int = 0
    reads: Hashable = None
    wants_log: bool = False

    def end(self) -> None:
        """Let the phone go."""
        self.is_over = True
        if self.connection is not None:
            self.connection.hang_up()


class Followers:
    """Who follows. Not safe from several threads: its owner sees to that.

    Args:
        most: So many may follow at once.
        now: Monotonic clock, in seconds.
    """

    def __init__(self, most: int, now: Callable[[], float] = time.monotonic) -> None:
        self.most = most
        self._now = now
        self._news_s = float("-inf")
        self._taken: list[Follower] = []

    def __len__(self) -> int:
        return len(self._taken)

    def take(self, wanted: Follower) -> bool:
        """Give a place to *wanted*, perhaps another's, and return True; or there is none."""
        wanted.asked_s = self._now()
        victim = None
        if self._is_short_of(wanted):
            victim = min(filter(self._may_go_for(wanted), self._taken), key=_idlest, default=None)
            if victim is None:
                return False
            victim.end()
            self._taken.remove(victim)
        self._taken.append(wanted)
        return True

    def give_back(self, place: Follower) -> None:
        """Take note that *place* is free, if it is not already."""
        place.is_over = True
        if place in self._taken:
            self._taken.remove(place)

    def draws_for(self, place: Follower, reads: Hashable) -> bool:
        """Return whether *place* gets the page of who *reads* so; what too many want is asked for.

        Else one phone that follows as all there could be takes all the time of the panel.
        """
        # Asked at every change for each phone with a right, which mostly reads as it did.
        if place.reads != reads:
            drawn = {one.reads for one in self._taken if one.reads is not None}
            if reads in drawn or len(drawn) < MOST_READINGS:
                place.reads = reads
        return place.reads is not None and place.reads == reads

    @property
    def want_log(self) -> bool:
        """Whether anybody follows as the keeper."""
        return any(one.wants_log for one in self._taken)

    def note_asked(self, household: str) -> None:
        """Take note that somebody of *household* asked for something else than to follow."""
        for place in self._taken:
            if place.household == household:
                place.asked_s = self._now()

    def note_news(self) -> None:
        """Take note that all who follow are told something new, after which pages ask for more."""
        self._news_s = self._now()

    def _is_short_of(self, wanted: Follower) -> bool:
        if len(self._taken) >= self.most:
            return True
        return not wanted.has_right and (
            self._has_its_share(wanted.household) or self._are_viewers_full()
        )

    def _may_go_for(self, wanted: Follower) -> Callable[[Follower], bool]:
        """Return who may have to go for *wanted*: a viewer, else who is not there any more."""
        if wanted.has_right:
            return lambda one: not one.has_right or self._is_idle(one)
        if self._has_its_share(wanted.household):
            return lambda one: one.household == wanted.household and self._is_idle_viewer(one)
        return self._is_idle_viewer

    def _has_its_share(self, household: str) -> bool:
        own = sum(one.household == household and not one.has_right for one in self._taken)
        return own >= max(1, self.most // _SHARE)

    def _are_viewers_full(self) -> bool:
        viewers = sum(not one.has_right for one in self._taken)
        return viewers >= self.most - self.most // _SHARE

    def _is_idle_viewer(self, place: Follower) -> bool:
        return not place.has_right and self._is_idle(place)

    def _is_idle(self, place: Follower) -> bool:
        if place.connection is not None and place.connection.is_stuck:
            return True
        # Where nothing happens no page asks for anything either.
        return place.asked_s < self._news_s and self._now() - place.asked_s >= IDLE_S


def _idlest(place: Follower) -> tuple[bool, bool, float]:
    """Return what is least for whom to send away first: a viewer, stuck, silent for longest."""
    is_stuck = place.connection is not None and place.connection.is_stuck
    return (place.has_right, not is_stuck, place.asked_s)
