"""The journal as it is read on: which evenings are told for good, and which as they stand now."""

from collections.abc import Callable

from kloplei.frozen import dataclass, replace
from kloplei.history._steps import HoldingSteps, Written
from kloplei.history.evenings import Fold, Folded
from kloplei.table.journal import Entry
from kloplei.table.seating import TableState


@dataclass(frozen=True, slots=True)
class Ended:
    """An evening that ended before step number *at* of the reading.

    *after* is the last entry before that step, and *state* the table as it stood then: all that it
    takes to read on from there.
    """

    folded: Folded
    at: int
    after: int
    state: TableState


class JournalReading:
    """Steps since entry *after*, folded as they come; what an undo takes back is folded again.

    Args:
        after: Nobody can take back what stands up to this entry.
        state: The table as it stood then.
        breathe: Called between two steps.
    """

    def __init__(
        self, after: int, state: TableState, breathe: Callable[[], None] = lambda: None
    ) -> None:
        self.after, self.last = after, after
        self._breathe = breathe
        self._state = state
        self._steps = HoldingSteps(is_new=not after)
        self.told: list[Folded] = []
        """What was unsettled when it was told last."""
        self._settled: list[Written] = []
        self._begin_again()

    @property
    def begun(self) -> int:
        """After which entry the evening began that runs now."""
        return self._fold.begun[0]

    def take(self, step: tuple[Entry, ...]) -> list[Ended]:
        """Take the next *step* of the journal; return the evenings that it settles, oldest first.

        Raises:
            JournalChanged: It takes back what was settled.
        """
        self.last = step[-1].seq
        for written in self._steps.take(step):
            self._settled.append(written)
            n = len(self._settled)
            if len(self._taken) >= n and self._taken[n - 1] is not written:
                self._begin_again()
            self._go_on(self._settled)
        return self._let_go()

    def unsettled(self) -> list[Folded]:
        """Return the evenings that may yet be told otherwise, the running one last."""
        line = [*self._settled, *self._steps.pending]
        same = [one is taken for one, taken in zip(line, self._taken, strict=False)]
        if len(line) < len(self._taken) or not all(same):
            self._begin_again()
        self._go_on(line)
        running = self._fold.running(self._steps.undone)
        return [*(one.folded for one in self._ended), *([running] if running else [])]

    def _begin_again(self) -> None:
        self._fold = Fold(self.after, self._state)
        self._taken: list[Written] = []
        self._ended: list[Ended] = []

    def _go_on(self, line: list[Written]) -> None:
        """Fold what *line* has beyond what was taken already."""
        for at in range(len(self._taken), len(line)):
            folded = self._fold.take(line[at])
            self._taken.append(line[at])
            if folded is not None:
                self._ended.append(Ended(folded, at, *self._fold.begun))
            self._breathe()

    def _let_go(self) -> list[Ended]:
        """Return the evenings that ended before a settled step, and go on behind them."""
        found = [one for one in self._ended if one.at < len(self._settled)]
        if found:
            last = found[-1]
            self.after, self._state = last.after, last.state
            del self._settled[: last.at], self._taken[: last.at]
            left = self._ended[len(found) :]
            self._ended = [replace(one, at=one.at - last.at) for one in left]
        return found
