"""Who may stay when more want to talk to the table than there are places: not the idlest."""

import itertools
import threading

from kloplei.table.talk import Talk

_LEAVING = 8  # may be on their way out at once, however few places there are


class Crowd:
    """The open talks of a port; safe from any thread.

    Whoever comes when all places are taken gets the place of the one that has said nothing for
    longest. Who follows says nothing by nature and is spared, but may take half of the places
    at most: one more follower takes the place of the oldest.

    Args:
        places: Talks that may be open at once.
    """

    def __init__(self, places: int) -> None:
        self.places = places
        self._changing = threading.Lock()
        self._order = itertools.count()
        self._asking: dict[Talk, int] = {}  # when each was last heard, in order
        self._following: dict[Talk, None] = {}  # the oldest first
        self._leaving: set[Talk] = set()  # hung up on, but not yet gone
        self._closed = False

    def enter(self, talk: Talk) -> bool:
        """Give *talk* a place, another one's if need be; return False if there is none."""
        with self._changing:
            if self._closed or len(self._leaving) >= max(self.places, _LEAVING):
                return False
            if len(self._asking) + len(self._following) >= self.places:
                if not self._asking:
                    return False
                self._send_off(min(self._asking, key=self._asking.__getitem__))
            self._asking[talk] = next(self._order)
        return True

    def heard(self, talk: Talk) -> None:
        """Note that *talk* has just asked something."""
        with self._changing:
            if talk in self._asking:
                self._asking[talk] = next(self._order)

    def follows(self, talk: Talk) -> None:
        """Note that *talk* says nothing from now on, and only listens."""
        with self._changing:
            if self._asking.pop(talk, None) is None:
                return  # somebody else has its place by now
            if len(self._following) >= max(1, self.places // 2):
                self._send_off(next(iter(self._following)))
            self._following[talk] = None

    def leave(self, talk: Talk) -> None:
        """Take note that *talk* has gone."""
        with self._changing:
            self._asking.pop(talk, None)
            self._following.pop(talk, None)
            self._leaving.discard(talk)

    def close(self) -> None:
        """Let nobody in any more, and hang up on everybody."""
        with self._changing:
            self._closed = True
            for talk in (*self._asking, *self._following):
                talk.hang_up()

    def _send_off(self, talk: Talk) -> None:
        self._asking.pop(talk, None)
        self._following.pop(talk, None)
        self._leaving.add(talk)
        talk.hang_up()
