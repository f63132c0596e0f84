"""A journal that forgets at the end, for tables that need no disk."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from kloplei.table._forgetting import Forgetting
from kloplei.table.journal import Entry, Journal
from kloplei.table.people import KnownPerson, Register
from kloplei.table.seating import TableState
from kloplei.words import Sentence


class MemoryJournal(Journal):
    """Keeps entries as long as it lives, with all that the table asks of the one on disk."""

    def __init__(self, reach: int | None = None) -> None:
        self.reach = reach
        self.salvaged: Sentence | None = None
        self.trouble: str | None = None
        self.snapshot = None
        self.lost = None
        self._standing: None = None
        self.last_seq = 0
        self._entries: list[Entry] = []

    def append(
        self,
        written: Sequence[tuple[str, Mapping[str, object]]],
        *,
        seat: int | None,
        via: str,
        at: float | None,
        people: Sequence[KnownPerson] = (),
    ) -> int:
        """Keep *written* as one step and return the last seq."""
        # Through JSON, so that what a disk could not keep is not kept here either.
        kept = [(event, json.loads(json.dumps(facts))) for event, facts in written]
        step = self._entries[-1].step + 1 if self._entries else 1
        for event, facts in kept:
            self.last_seq += 1
            self._entries.append(Entry(self.last_seq, step, at, seat, via, event, facts))
        self.people = replace(self.people, known=(*self.people.known, *people))
        return self.last_seq

    def write_people(self, register: Register) -> None:
        """Keep *register*."""
        self.people = register

    def forget(self, forgetting: Forgetting, register: Register) -> tuple[int, int]:
        """Forget; nothing else was ever kept."""
        before = self._entries
        self._entries = [
            replace(one, facts=forgetting.facts(one.event, one.facts)) for one in before
        ]
        self.people = register
        changed = sum(a != b for a, b in zip(before, self._entries, strict=True))
        return changed, 0

    def entries(
        self, after: int = 0, *, remember: bool = False, facts_of: Collection[str] | None = None
    ) -> Iterator[Entry]:
        """Yield the entries with a number above *after*, in order."""
        return islice(iter(tuple(self._entries)), max(after, 0), None)

    def stand(self, facts: Mapping[str, object]) -> None:
        """Nothing is lost that anybody could write down again."""

    def settle(self) -> None:
        """Nothing waits."""

    def look_back(self) -> None:
        """Nobody else writes here."""

    def write_snapshot(self, seq: int, state: TableState) -> None:
        """Nothing outlives it, so nothing is marked."""

    def close(self) -> None:
        """Nothing to let go of; the entries stay readable."""
