"""What a box sends next: pure, without a socket; any number of them live in one process.

The house says up to where it has all (`kloplei.uplink.wire.Have`), and `Sender` goes on from there:
some messages ahead, back again where the house has less than it had. What is lost, doubled or late
on the way costs time, never an entry: whatever is not confirmed is read from the journal again.
"""

import random
from collections import deque
from collections.abc import Callable, Iterator
from typing import Final

from kloplei.frozen import dataclass
from kloplei.table.client import BadRequest
from kloplei.table.uplink_client import StepsAfter
from kloplei.uplink.wire import Have, Steps

MOST_AHEAD: Final = 8
"""So many messages at most are on their way; after any loss it is one, and grows again."""
PATIENCE_S: Final = 0.5
"""So long a house may take to say by itself what it has."""
FIRST_PAUSE_S: Final = 2.0
LONGEST_PAUSE_S: Final = 60.0
SPREAD_S: Final = 2.0
"""Houses that lost something are told it again by all boxes, but not at the same moment."""
TWIN: Final = "twin"
_FAR_BACK: Final = 200  # entries; the longest step has some thirty


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a step ends; without a link, that none does."""

    era: str
    seq: int
    link: str | None


class Sender:
    """Decides what one box sends, given what the house has; for one thread.

    Args:
        steps: The table's `UplinkClient.steps`.
        chance: From 0 to 1; pauses differ by it, so that a thousand boxes do not come at once.
    """

    def __init__(
        self,
        steps: Callable[[int], StepsAfter],
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._steps = steps
        self._chance = chance
        self.refused: str | None = None
        """Why the house takes nothing, or we think that it cannot; None: all is well."""
        self.last = 0
        """Number of the journal's last entry, as far as one has looked."""
        self._doubtful: int | None = None
        self._pause_s = FIRST_PAUSE_S
        self.lost()

    def lost(self) -> None:
        """Take note that nothing reaches the house any more, and nothing of it us."""
        self._have: Have | None = None
        self._sent = 0
        self._ahead = 1
        self._flying: deque[_Place] = deque()
        self._is_all_sent = False
        self._due_s: float | None = None

    def connected(self, now_s: float, *, is_told: bool = True) -> None:
        """Take note that messages reach the house from now on.

        *is_told* is whether it may say by itself what it has; else it is asked at once.
        """
        self.lost()
        self._pause_s = FIRST_PAUSE_S
        self._due_s = now_s + PATIENCE_S * (1 + self._chance()) * is_told

    def stirred(self) -> None:
        """Take note that there may be new steps: the journal is not asked before."""
        self._is_all_sent = False

    @property
    def has(self) -> int:
        """The last entry that the house has for sure; 0 where it has not said."""
        return self._have.seq if self._have else 0

    @property
    def behind(self) -> int:
        """So many entries the house has not got, or may not get yet."""
        return max(self.last - self.has, 0)

    @property
    def wakes_s(self) -> float | None:
        """When to call `due` although nothing happened; None: not before something does."""
        return self._due_s

    def heard(self, have: Have, now_s: float) -> None:
        """Take in what the house has.

        Raises:
            TableUnavailable: The journal could not be asked whether it is ours; say it again.
        """
        if have.refused is not None:
            self.refuse(have.refused, now_s)
            return
        ours = self._ours_at(have)
        if ours.era != have.era:
            self._ask_soon(now_s)
        elif ours.link != have.link:
            self._doubtful = have.seq
            self.refuse(TWIN, now_s)
        else:
            self._doubtful = self.refused = None
            self._go_on(have, now_s)

    def refuse(self, why: str, now_s: float) -> None:
        """Take note that the house takes nothing now; it is asked again, seldom and seldomer."""
        self.lost()
        self.refused = why
        self._rest(now_s)

    def due(self, now_s: float) -> Iterator[Steps]:
        """Yield what is to be sent now; for whoever sends each before taking the next.

        Raises:
            TableUnavailable: The journal cannot be read now; ask again later.
        """
        is_late = self._due_s is not None and now_s >= self._due_s
        if self._have is None:
            if is_late:
                self._rest(now_s)
                yield self.question()
            return
        if is_late:
            self._grow()
            self._wind_back(self._have)
        if self._flying or self._due_s is None:
            yield from self._what_follows(self._have, now_s)

    def question(self) -> Steps:
        """Return what asks for a `Have`; in doubt with steps that show where histories part."""
        found = self._look(0)
        if self._doubtful is not None:
            # From where it was in doubt; one of ours may be in the midst of a step there, or end
            # before. What nothing follows may be behind a seal, and its link would tell of that.
            at = min(self._doubtful, found.last)
            near = map(self._find, range(at, max(at - _FAR_BACK, 0), -1))
            found = next((one for one in near if one and one.entries), found)
        return _message(found, empty=found.after == 0)

    def _what_follows(self, have: Have, now_s: float) -> Iterator[Steps]:
        while len(self._flying) < self._ahead and not self._is_all_sent:
            found = self._find(self._sent)
            if found is None or found.era != have.era:
                self.lost()
                self._rest(now_s)
                yield self.question()
                return
            if not found.entries:
                self._is_all_sent = True
                return
            end = found.entries[-1]
            self._is_all_sent = end.seq == found.last
            self._flying.append(_Place(found.era, end.seq, end.link or ""))
            self._sent = end.seq
            self._due_s = self._due_s or now_s + self._some_time()
            yield _message(found)

    def _go_on(self, have: Have, now_s: float) -> None:
        before, self._have = self._have, have
        if before is None or before.era != have.era:
            self._wind_back(have)
        elif have.seq > before.seq:
            self._move_on(have, now_s)
        elif have.seq < before.seq:
            self._wind_back(have)
            self._due_s = now_s + self._chance() * SPREAD_S

    def _move_on(self, have: Have, now_s: float) -> None:
        while self._flying and self._flying[0].seq <= have.seq:
            self._flying.popleft()
        self._sent = max(self._sent, have.seq)
        self._ahead = min(self._ahead + 1, MOST_AHEAD)
        self._pause_s = max(self._pause_s / 2, FIRST_PAUSE_S)
        self._due_s = now_s + self._some_time() if self._flying else None

    def _wind_back(self, have: Have) -> None:
        self._flying.clear()
        self._is_all_sent = False
        self._sent = have.seq
        self._ahead = 1
        self._due_s = None

    def _ask_soon(self, now_s: float) -> None:
        """Let the house be asked, which speaks of another era; unless it just was."""
        was_asked = self._have is None and self._pause_s > FIRST_PAUSE_S
        due_s = self._due_s
        self.lost()
        self._due_s = due_s if was_asked and due_s is not None else now_s

    def _rest(self, now_s: float) -> None:
        self._due_s = now_s + self._some_time()
        self._grow()

    def _grow(self) -> None:
        self._pause_s = min(self._pause_s * 2, LONGEST_PAUSE_S)

    def _some_time(self) -> float:
        return self._pause_s * (1 + self._chance()) / 2

    def _ours_at(self, have: Have) -> _Place:
        """Return where we stand at what the house has; without a link where no step ends there."""
        for one in self._flying:
            if (one.era, one.seq) == (have.era, have.seq):
                return one
        found = self._find(have.seq)
        return _Place(self._look(0).era, 0, None) if found is None else _place(found)

    def _find(self, after: int) -> StepsAfter | None:
        """Return what follows on entry *after*; None where no step ends with it."""
        try:
            return self._look(after)
        except BadRequest:
            return None

    def _look(self, after: int) -> StepsAfter:
        found = self._steps(after)
        self.last = found.last
        return found


def _message(found: StepsAfter, *, empty: bool = False) -> Steps:
    entries = () if empty else found.entries
    return Steps(found.era, found.after, found.link, entries, found.begun)


def _place(found: StepsAfter) -> _Place:
    return _Place(found.era, found.after, found.link)
