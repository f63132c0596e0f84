"""Forgetting: the one exception to "nothing is erased".

A person's name stands beside the entries and goes with one line. Where a guest of that name stands
in entries of before, the journal is written anew without it, with the links that follow from there
on, in an era that supersedes the one before: up to some entry both have the same steps. The new
file takes the old one's place by a rename, so that a power cut leaves one of them, whole, and no
page of it ever held the name. Then what was kept beside it goes as well; a note in the file has the
next start see to that where the power failed in between.
"""

import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from kloplei.files import sync_folder
from kloplei.frozen import dataclass, replace
from kloplei.games.game import NO_FACTS, Seat
from kloplei.table._journal_salvage import beside, copy_entries, new_draft
from kloplei.table.journal_chain import Chain, copy_links
from kloplei.table.journal_file import (
    FORMER,
    SUPERSEDED,
    JournalDamaged,
    Row,
    Snapshot,
    begin_era,
    copy_superseded,
    find_origin,
    find_snapshot,
    link,
    readable,
    whole_steps,
    write_snapshot,
)
from kloplei.table.people import WITH_NAMES, Register, guests_in, write_register
from kloplei.table.seating import TableState, dump_state, load_state
from kloplei.words import Sentence

TOLD_OF_IT = "history.sqlite3"
"""What stays of the evenings, in which guests have names: it is read out of the journal anew."""
_AT_ONCE = 1000  # entries: 0.05 s, half a second on a small Pi
_NO_COPY = ("-wal", "-shm", "-journal", ".mark", TOLD_OF_IT)
_spelled = json.JSONEncoder(allow_nan=False, separators=(",", ":")).encode


@dataclass(frozen=True, slots=True)
class Forgetting:
    """The *names* of guests that are to be forgotten, and as whom each stands there instead.

    That is an id that nobody has any more, so that nobody else without a name is taken for them.
    *lends* says what a seat calls them where no id may stand. *beat* is called now and then, for a
    watchdog: with years of evenings it takes its time.
    """

    names: Mapping[str, int]
    lends: Callable[[Seat], str]
    beat: Callable[[], object] = lambda: None

    def facts(self, event: str, facts: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the *facts* of *event* without the names; the same ones where none is in them."""
        if not any(name in self.names for _, name in guests_in(event, facts)):
            return facts
        if "players" in facts:
            names = {Seat(seat): name for seat, name in facts["players"]}
            people = sorted((dict(facts.get("people", ())) | self._ids(names)).items())
            players = [[seat, self._without(name)] for seat, name in names.items()]
            return {**facts, "players": players, "people": [list(one) for one in people]}
        told = dict(facts)
        if facts.get("before") in self.names:
            told["before"] = self.lends(Seat(facts["seat"]))
        if facts["name"] in self.names:
            told |= {"name": "", "person": self.names[facts["name"]]}
        return told

    def state(self, state: TableState) -> TableState:
        """Return *state* without the names."""
        return replace(
            state,
            names={seat: self._without(name) for seat, name in state.names.items()},
            people={**state.people, **self._ids(state.names)},
            left={seat: self._without(name) for seat, name in state.left.items()},
            left_people={**state.left_people, **self._ids(state.left)},
        )

    def _ids(self, names: Mapping[Seat, str]) -> dict[Seat, int]:
        return {seat: self.names[name] for seat, name in names.items() if name in self.names}

    def _without(self, name: str) -> str:
        return "" if name in self.names else name


class _Rewriting:
    """The entries as they go by: how many were changed, and up to which one none was."""

    def __init__(self, forgetting: Forgetting) -> None:
        self._forgetting = forgetting
        self.changed = 0
        self.untouched = 0  # the last entry of the last step before the first changed one

    def rows(self, rows: Iterator[tuple[Row, int]]) -> Iterator[tuple[Row, int]]:
        """Yield *rows*, which are sound, without the names."""
        before = 0
        for row, its_link in rows:
            told = self._told(row)
            before = link(before, told) if self.changed else its_link
            if not row[0] % _AT_ONCE:
                self._forgetting.beat()
            yield told, before

    def _told(self, row: Row) -> Row:
        event, text = row[-2:]
        facts = json.loads(text) if event in WITH_NAMES else NO_FACTS
        told = self._forgetting.facts(event, facts)
        if told is facts:
            seq, step = row[:2]
            self.untouched = seq if seq == step and not self.changed else self.untouched
            return row
        self.changed += 1
        return (*row[:-1], _spelled(told))


def write_without(
    path: Path, source: sqlite3.Connection, forgetting: Forgetting, register: Register
) -> int:
    """Lay the journal *source* beside *path* without what is forgotten, for `make_ready`.

    Returns:
        How many entries were changed.

    Raises:
        JournalDamaged: Not all of it is as it was written; that comes first.
        sqlite3.Error: The disk does not take it.
    """
    box, era = find_origin(source) or (None, "")
    ((last,),) = source.execute("SELECT coalesce(max(seq), 0) FROM entries")
    rewriting = _Rewriting(forgetting)
    with closing(new_draft(path)) as fresh:
        sound = copy_entries(rewriting.rows(whole_steps(readable(source))), fresh)
        if sound.seq != last:
            raise JournalDamaged(Sentence("journal-damaged", path=str(path)))
        with fresh:
            fresh.execute("BEGIN IMMEDIATE")
            write_register(fresh, register)
        copy_links(source, fresh, rewriting.untouched)
        _, began = begin_era(fresh, box, after=rewriting.untouched)
        _note(source, fresh, (began, era, rewriting.untouched))
        chain = Chain(fresh)
        chain.fill(last, None)
        chain.write()
        _carry_snapshot(source, fresh, forgetting)
        fresh.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return rewriting.changed


def purge(path: Path, connection: sqlite3.Connection) -> int:
    """Delete what was kept beside the journal *path*, where that is still to be done.

    Returns:
        How many files were deleted.

    Raises:
        OSError: One of them cannot be; the next start tries again.
    """
    try:
        if not connection.execute("SELECT 1 FROM superseded WHERE purged = 0").fetchone():
            return 0
    except sqlite3.OperationalError:  # nobody was ever forgotten
        return 0
    kept = [one for one in _kept(path) if one.is_file()]
    for one in kept:
        one.unlink()
    sync_folder(path.parent)
    connection.execute("UPDATE superseded SET purged = 1")
    return sum(not one.name.endswith(_NO_COPY) for one in kept)


def _note(source: sqlite3.Connection, fresh: sqlite3.Connection, era: tuple[str, str, int]) -> None:
    fresh.execute(SUPERSEDED)
    copy_superseded(source, fresh)
    fresh.execute("INSERT INTO superseded (era, supersedes, after) VALUES (?, ?, ?)", era)


def _carry_snapshot(
    source: sqlite3.Connection, fresh: sqlite3.Connection, forgetting: Forgetting
) -> None:
    """Let the next start read from where it would have; one of another Kloplei is left behind."""
    found = find_snapshot(source)
    state = None if found is None else load_state(found.state)
    if found is not None and state is not None:
        read = "SELECT link FROM entries WHERE seq = ?"
        ((its_link,),) = fresh.execute(read, (found.seq,)).fetchall()
        written = dump_state(forgetting.state(state))
        write_snapshot(fresh, Snapshot(found.seq, its_link, written))


def _kept(path: Path) -> Iterator[Path]:
    """Yield the files beside the journal *path* that an older state of it may stand in."""
    for ending in (".damaged-", ".shorter-"):
        yield from path.parent.glob(f"{path.name}{ending}*")
    for name in ("", "-wal", "-shm", ".mark"):
        yield beside(path.parent / FORMER / path.name, name)
        yield beside(path.with_name(TOLD_OF_IT), name)
