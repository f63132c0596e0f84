"""The evening's steps on a line: done, taken back, done again; nothing is erased.

`Timeline` moves anything that has a number and may open an evening; `History` holds the steps
themselves, each with the table as it left it. What the journal has to be read from comes of names
alone (`evening_before`).
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import groupby
from typing import Generic, Protocol, TypeVar

from kloplei.frozen import dataclass, replace
from kloplei.games.game import Event, Seat
from kloplei.games.scoreboard import Line
from kloplei.table.actions import EveningBegun, Redone, Undone, UnknownEntry
from kloplei.table.journal import Entry
from kloplei.table.seating import TableState


class _Opens(Protocol):
    @property
    def seq(self) -> int: ...

    @property
    def opens_evening(self) -> bool: ...


A = TypeVar("A")
T = TypeVar("T", bound=_Opens)


class Timeline(Generic[T]):
    """Steps that hold (*past*) and steps that could be done again (*future*, next one last).

    Reaches back to the beginning of the evening before this one: a new evening can be taken
    back, and memory stays bounded however many years the journal holds.
    """

    def __init__(self) -> None:
        self.past: list[T] = []
        self.future: list[T] = []
        self._wavered: set[int] = set()  # steps that were taken back, if only for a while

    def add(self, step: T) -> T | None:
        """Put *step* behind the past; what had been taken back stays so for good.

        Returns:
            The step that the line begins after from now on, if that has changed.
        """
        base = self.let_go(lambda one: one.opens_evening) if step.opens_evening else None
        self.past.append(step)
        self.future.clear()
        return base

    def let_go(self, fits: Callable[[T], bool]) -> T | None:
        """Begin after the last step that *fits* and that nobody has ever taken back; return it.

        One that was taken back and done again will not do: who reads on from there meets an
        undo that reaches further back.
        """
        steady = (one for one in reversed(self.past) if one.seq not in self._wavered)
        base = next(filter(fits, steady), None)
        if base is not None:
            del self.past[: self.past.index(base) + 1]
            self._wavered = {seq for seq in self._wavered if seq > base.seq}
        return base

    def undo(self, n: int) -> tuple[T, ...]:
        """Move the last *n* steps into the future and return them, newest first."""
        moved = _move(self.past, self.future, n)
        self._wavered.update(one.seq for one in moved)
        return moved

    def redo(self, n: int) -> tuple[T, ...]:
        """Move *n* steps back from the future and return them, oldest first."""
        return _move(self.future, self.past, n)


def _move(source: list[A], target: list[A], n: int) -> tuple[A, ...]:
    if not 0 < n <= len(source):
        raise UnknownEntry(f"The journal takes back or repeats {n} steps where {len(source)} are.")
    moved = tuple(reversed(source[-n:]))
    del source[-n:]
    target.extend(moved)
    return moved


@dataclass(frozen=True, slots=True)
class Step:
    """One accepted action with all its events; *seq* is the journal number of the last one.

    *after* is the table as this step left it, and *told* what the game told of it on the slate;
    *took* are the steps that an undo took back, *again* those that a redo did again.
    """

    seq: int
    seat: Seat | None
    via: str
    at: float | None
    events: tuple[Event, ...]
    after: TableState
    told: Line | None = None
    took: tuple[int, ...] = ()
    again: tuple[int, ...] = ()

    @property
    def opens_evening(self) -> bool:
        """Whether an evening begins with this step."""
        return isinstance(self.events[0], EveningBegun)


class History:
    """The steps of this evening and the last, each with the table as it left it.

    With a *reach*, what lies further back than that is let go of, and memory stays bounded
    however long an evening lasts. When, only the numbers of the journal decide: a table that
    was restarted reaches back as far as one that was not.

    Args:
        first: The table before anything was written, or as it stood at a snapshot.
        reach: So many entries at least can be taken back; None is all.
        is_new: Whether nothing at all came before *first*.
    """

    def __init__(self, first: TableState, reach: int | None = None, *, is_new: bool = True) -> None:
        self._base = first
        self._reach = reach
        self._is_new = is_new
        self._line: Timeline[Step] = Timeline()
        self._seq = 0
        self.base_seq = 0
        """Number of the last entry that nobody can take back any more."""
        self.trail: list[Step] = []  # every step, undo and redo as well, oldest first

    @property
    def state(self) -> TableState:
        """The table as it stands."""
        return self._line.past[-1].after if self._line.past else self._base

    @property
    def held(self) -> Iterator[tuple[int, TableState]]:
        """The table as each step left it that holds, by number, newest first; 0 is before all."""
        yield from ((step.seq, step.after) for step in reversed(self._line.past))
        yield 0, self._base

    @property
    def states(self) -> Iterator[TableState]:
        """The table as it may come to stand by undo and redo alone, or stands."""
        yield self._base
        yield from (step.after for step in (*self._line.past, *self._line.future))

    @property
    def past(self) -> tuple[Step, ...]:
        """The steps that hold and can be taken back, oldest first."""
        return tuple(self._line.past)

    @property
    def undoable(self) -> int:
        """How many steps can be taken back."""
        return len(self._line.past)

    @property
    def redoable(self) -> int:
        """How many steps can be done again."""
        return len(self._line.future)

    def state_before(self, n: int) -> TableState:
        """Return the table as it stood before the last *n* steps."""
        return self._line.past[-n - 1].after if n < self.undoable else self._base

    def state_again(self, n: int) -> TableState:
        """Return the table as it stands once *n* steps are done again."""
        return self._line.future[-n].after

    def accept(self, step: Step) -> Step | None:
        """Add *step*, which the journal has; undo and redo move along the line.

        Returns:
            The step that the line begins after from now on, where older ones were let go of.
        """
        self._take(step)
        before, self._seq = self._seq, step.seq
        if self._reach is None or step.seq // self._reach == before // self._reach:
            return None
        return self._let_go((step.seq // self._reach - 1) * self._reach)

    def _take(self, step: Step) -> None:
        match step.events[0]:
            case Undone(n):
                took = tuple(one.seq for one in self._line.undo(n))
                step = replace(step, took=took)
            case Redone(n):
                again = tuple(one.seq for one in self._line.redo(n))
                step = replace(step, again=again)
            case EveningBegun() if self._is_new and not self.trail:
                # What a new journal begins with: there is nothing before it to go back to.
                self._base, self.base_seq = step.after, step.seq
                return
            case _:
                self._begin_after(self._line.add(step))
        self.trail.append(step)

    def newest(self, n: int) -> tuple[Step, ...]:
        """Return the last *n* steps that hold, newest first."""
        return tuple(reversed(self._line.past[-n:])) if n > 0 else ()

    def taken(self, n: int) -> tuple[Step, ...]:
        """Return the *n* steps that would be done again first."""
        return tuple(reversed(self._line.future[-n:])) if n > 0 else ()

    def taken_back(self) -> dict[int, Step]:
        """Return which steps do not hold now, by number, with the undo that took each back."""
        held = {step.seq for step in self._line.past}
        undos = {seq: step for step in self.trail for seq in step.took}
        return {seq: undo for seq, undo in undos.items() if seq not in held}

    def _let_go(self, upto: int) -> Step | None:
        """Begin after the last step up to entry *upto* that may be begun after, if there is one."""
        base = self._line.let_go(lambda step: step.seq <= upto)
        self._begin_after(base)
        return base

    def _begin_after(self, base: Step | None) -> None:
        if base is not None:
            self._base, self.base_seq = base.after, base.seq
            self.trail = [step for step in self.trail if step.seq > base.seq]


@dataclass(frozen=True, slots=True)
class _Written:
    """A step of the journal, not yet understood."""

    seq: int  # of its first entry
    opens_evening: bool


def steps_of(entries: Iterable[Entry]) -> Iterator[tuple[Entry, ...]]:
    """Gather *entries* that were written together."""
    for _, step in groupby(entries, key=lambda entry: entry.step):
        yield tuple(step)


def evening_before(entries: Iterable[Entry]) -> int:
    """Return the number of the entry from which the journal must be replayed.

    That is the beginning of the evening before the running one, undo and redo considered.
    Only names are looked at, so years of evenings go by quickly.
    """
    line: Timeline[_Written] = Timeline()
    base = 1
    for first, *_ in steps_of(entries):
        match first.event:
            case Undone.__name__:
                line.undo(_count(first))
            case Redone.__name__:
                line.redo(_count(first))
            case EveningBegun.__name__ if first.seq == 1:
                pass
            case _:
                opens = first.event == EveningBegun.__name__
                begin = line.add(_Written(first.seq, opens))
                base = begin.seq if begin else base
    return base


def holding(steps: Iterable[tuple[Entry, ...]], events: Collection[str]) -> Iterator[Entry]:
    """Yield the entries of such *events* in *steps* that hold after the last one of these.

    None of them may take back, or do again, what stands before the first.
    """
    past: list[tuple[Entry, ...]] = []
    future: list[tuple[Entry, ...]] = []
    for step in steps:
        match step[0].event:
            case Undone.__name__:
                _move(past, future, _count(step[0]))
            case Redone.__name__:
                _move(future, past, _count(step[0]))
            case _:
                past.append(tuple(one for one in step if one.event in events))
                future.clear()
    yield from (entry for step in past for entry in step)


def _count(entry: Entry) -> int:
    n = entry.facts.get("n")
    if isinstance(n, int):
        return n
    raise UnknownEntry(f"Entry {entry.seq} of the journal does not say how many steps it moves.")
