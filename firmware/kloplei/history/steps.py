"""The journal, read beside the table that writes it: the steps of it that hold.

Nothing of it is kept open for long, and nothing is written: the table writes on meanwhile.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Self

from kloplei.frozen import dataclass
from kloplei.table.actions import EveningBegun, Redone, Undone
from kloplei.table.journal import REACH, Entry
from kloplei.table.journal_file import find_origin, open_to_read
from kloplei.table.timeline import Timeline, steps_of

_FIELDS = ("seq", "step", "at", "seat", "via", "event", "facts")
_spelled = json.JSONEncoder(separators=(",", ":")).encode
_AT_ONCE = 500  # entries; a reader who stays in the file keeps its log from being folded
_READ = (
    "SELECT seq, step, at, seat, via, event, facts FROM entries WHERE seq > ? ORDER BY seq LIMIT ?"
)


class JournalChanged(Exception):
    """The journal is another one than was read, so that all has to be read anew."""


@dataclass(frozen=True, slots=True)
class ReadUpTo:
    """How far a journal was read: up to entry *seq*, whose link is *link*, in that *era*."""

    seq: int = 0
    link: int = 0
    era: str = ""


class JournalReader:
    """The journal *path* as it stands now; a context.

    Raises:
        sqlite3.Error: It cannot be read.
        OSError: It is not there.
    """

    def __init__(self, path: Path) -> None:
        if not path.exists():
            raise FileNotFoundError(path)
        self._connection = open_to_read(path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    @property
    def last_seq(self) -> int:
        """Number of the last entry."""
        ask = "SELECT coalesce(max(seq), 0) FROM entries"
        return int(self._connection.execute(ask).fetchone()[0])

    def mark(self, seq: int) -> ReadUpTo:
        """Return what tells that entries up to *seq* are the same another time.

        Raises:
            JournalChanged: There is no such entry any more.
        """
        found = self.find_mark(seq)
        if found is None:
            raise JournalChanged
        return found

    def find_mark(self, seq: int) -> ReadUpTo | None:
        """Return the mark of entry *seq*, None where there is none."""
        read = "SELECT link FROM entries WHERE seq = ?"
        link = self._connection.execute(read, (seq,)).fetchone()
        _, era = find_origin(self._connection) or ("", "")
        if seq and link is None:
            return None
        return ReadUpTo(seq, link[0] if link else 0, era)

    def steps(self, after: int) -> Iterator[tuple[Entry, ...]]:
        """Yield the steps that were written after entry *after*, oldest first."""
        return steps_of(self._entries(after))

    def _entries(self, after: int) -> Iterator[Entry]:
        while rows := self._connection.execute(_READ, (after, _AT_ONCE)).fetchall():
            for seq, step, at, seat, via, event, facts in rows:
                yield Entry(seq, step, at, seat, via, event, facts_in(facts))
            after = rows[-1][0]


def facts_in(written: str) -> dict[str, Any]:
    """Return what an entry tells; one in which nothing can be read tells nothing."""
    try:
        facts = json.loads(written)
    except ValueError:
        return {}
    return facts if isinstance(facts, dict) else {}


class Written:
    """A step that holds, not yet understood; one is the same as another where it is that object.

    Attributes:
        undone: So many steps were taken back for good just before it.
        seq: Number of its last entry.
        opens_evening: Whether an evening begins with it, because somebody said so.
    """

    __slots__ = ("_written", "opens_evening", "seq", "undone")

    def __init__(self, entries: tuple[Entry, ...], undone: int = 0) -> None:
        self.undone = undone
        self.seq = entries[-1].seq
        self.opens_evening = entries[0].event == EveningBegun.__name__
        # As text, for they are read once and kept as long as the evening lasts: a house has a
        # thousand tables that play, and as objects their entries took four times as much.
        self._written = _spelled([[getattr(one, name) for name in _FIELDS] for one in entries])

    @property
    def entries(self) -> tuple[Entry, ...]:
        """Its entries, oldest first."""
        return tuple(Entry(*fields) for fields in json.loads(self._written))


class _Line(Timeline[Written]):
    """A timeline that remembers what it lets go of, which is settled for good."""

    def __init__(self) -> None:
        super().__init__()
        self.settled: list[Written] = []

    def let_go(self, fits: Callable[[Written], bool]) -> Written | None:
        """Begin after the last step that *fits*, and keep aside what that lets go of."""
        before = list(self.past)
        base = super().let_go(fits)
        self.settled += before[: len(before) - len(self.past)]
        return base


class HoldingSteps:
    """Steps of a journal, without those that were taken back; of names alone.

    It reaches back just as far as the table does, so what is settled nobody can take back any more.

    Args:
        is_new: Whether the journal is read from its beginning.
    """

    def __init__(self, *, is_new: bool) -> None:
        self._line = _Line()
        self._is_new = is_new
        self._seq = 0

    def take(self, step: tuple[Entry, ...]) -> list[Written]:
        """Take the next *step*, and return those that are settled by now, oldest first.

        Raises:
            JournalChanged: It takes back what was settled.
        """
        self._move(step)
        before, self._seq = self._seq, step[-1].seq
        if self._seq // REACH != before // REACH:
            upto = (self._seq // REACH - 1) * REACH
            self._line.let_go(lambda one: one.seq <= upto)
        settled, self._line.settled = self._line.settled, []
        return settled

    @property
    def pending(self) -> tuple[Written, ...]:
        """Those that hold now and may be taken back yet."""
        return tuple(self._line.past)

    @property
    def undone(self) -> int:
        """How many steps are taken back now, and could be done again."""
        return len(self._line.future)

    def _move(self, step: tuple[Entry, ...]) -> None:
        first, line = step[0], self._line
        match first.event:
            case Undone.__name__:
                self._back_or_forth(first, line.undo, len(line.past))
            case Redone.__name__:
                self._back_or_forth(first, line.redo, len(line.future))
            case EveningBegun.__name__ if first.seq == 1 and self._is_new:
                line.settled.append(Written(step))
            case _:
                line.add(Written(step, self.undone))

    def _back_or_forth(self, first: Entry, move: Callable[[int], object], most: int) -> None:
        """Move as many steps as *first* says, or all that there are where a journal is odd."""
        n = first.facts.get("n")
        if not (isinstance(n, int) and 0 < n <= most):
            if not self._is_new:
                raise JournalChanged
            n = most
        if n:
            move(n)
