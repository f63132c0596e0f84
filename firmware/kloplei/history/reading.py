"""The journal as it is read on: which evenings are told for good, and which as they stand now."""

from collections.abc import Callable

from kloplei.frozen import dataclass, replace
from kloplei.history.evenings import Fill, Fold, Folded, as_it_stands
from kloplei.history.steps import HoldingSteps, Written
from kloplei.table.journal import Entry
from kloplei.table.seating import TableState


@dataclass(frozen=True, slots=True)
class EndedEvening:
    """An evening that ended before step number *at* of the reading.

    *after* is the last entry before that step, and *state* the table as it stood then: all that it
    takes to read on from there. From step number *cut* on nothing puts its hands right any more;
    None while they stand on the slate.
    """

    folded: Folded
    at: int
    after: int
    state: TableState
    cut: int | None = None


class JournalReading:
    """Steps since entry *after*, folded as they come; what an undo takes back is folded again.

    Args:
        after: Nobody can take back what stands up to this entry.
        state: The table as it stood then.
        pause: Called between two steps, as by a `kloplei.history._store.HistoryStore`.
        fill: See `kloplei.history.evenings.Fold`.
    """

    def __init__(
        self,
        after: int,
        state: TableState,
        pause: Callable[[], None] = lambda: None,
        fill: Fill = as_it_stands,
    ) -> None:
        self.after, self.last = after, after
        self._pause = pause
        self._fill = fill
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

    def take(self, step: tuple[Entry, ...]) -> list[EndedEvening]:
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
        self._fold = Fold(self.after, self._state, self._fill)
        self._taken: list[Written] = []
        self._ended: list[EndedEvening] = []

    def _go_on(self, line: list[Written]) -> None:
        """Fold what *line* has beyond what was taken already."""
        for at in range(len(self._taken), len(line)):
            folded = self._fold.take(line[at])
            self._taken.append(line[at])
            if folded is not None:
                self._cut(at)
                self._ended.append(EndedEvening(folded, at, *self._fold.begun))
            if (again := self._fold.retold()) is not None:
                self._ended[-1] = replace(self._ended[-1], folded=again)
            if not self._fold.reaches_back:
                self._cut(at)
            self._pause()

    def _cut(self, at: int) -> None:
        if self._ended and self._ended[-1].cut is None:
            self._ended[-1] = replace(self._ended[-1], cut=at)

    def _let_go(self) -> list[EndedEvening]:
        """Return the evenings that ended before a settled step, and go on behind them."""
        found = [one for one in self._ended if one.cut is not None and one.cut < len(self._settled)]
        if found:
            last = found[-1]
            self.after, self._state = last.after, last.state
            del self._settled[: last.at], self._taken[: last.at]
            left = self._ended[len(found) :]
            self._ended = [
                replace(one, at=one.at - last.at, cut=one.cut and one.cut - last.at) for one in left
            ]
        return found
