"""What a journal is to the table: steps written down in order, entries read back.

`kloplei.table.journal` keeps it on disk; `kloplei.table.memory` forgets it at the end.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from kloplei.files import KlopleiError
from kloplei.table.state import TableState


class JournalError(KlopleiError, OSError):
    """The journal could not be written or read; nothing of the step was kept."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One event of the journal.

    Events of one step, written together, share their *step* number. *seat* is 0-based, None
    is the keeper of the slate; *facts* are JSON with seats as 0-based numbers.
    """

    seq: int
    step: int
    at: float | None  # wall clock, seconds; only to show
    seat: int | None
    via: str
    event: str
    facts: Mapping[str, object]


class StepJournal(Protocol):
    """Where the table writes each step before anybody sees it."""

    @property
    def salvaged(self) -> str | None:
        """What could be saved of a damaged journal when it was opened; None if it was sound."""
        ...

    @property
    def trouble(self) -> str | None:
        """Why nothing can be written now; None while all is well."""
        ...

    def append(
        self,
        written: Sequence[tuple[str, Mapping[str, object]]],
        *,
        seat: int | None,
        via: str,
        at: float | None,
    ) -> int:
        """Write all of *written* (name and facts of each event) or nothing; return the last seq.

        Raises:
            JournalError: It is not on disk; the journal is as it was.
        """
        ...

    def entries(self, after: int = 0) -> Iterator[Entry]:
        """Yield the entries with a number above *after*, in order."""
        ...

    @property
    def last_seq(self) -> int:
        """Number of the newest entry; 0 when there is none."""
        ...

    @property
    def reach(self) -> int | None:
        """So many entries at least can be taken back; None is all that there are."""
        ...

    @property
    def snapshot(self) -> tuple[int, TableState] | None:
        """An entry's number and what stood after it, so that reading may begin there."""
        ...

    def write_snapshot(self, seq: int, state: TableState) -> None:
        """Keep *state*, which stood after entry *seq*, for the next start; it may be lost."""
        ...

    def close(self) -> None:
        """Let go of the file; nothing can be written afterwards."""
        ...
