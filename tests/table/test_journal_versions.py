"""Journals outlive the program: what any older Kloplei wrote is read, a newer one's is left alone.

The folder ``journals`` holds, for each schema that ever was, a journal of three evenings as SQL
and how the table stood at its end; and every event with the fields that journals may hold of it.
"""

import json
import shutil
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from kloplei.games.catalogue import build_game
from kloplei.table.actions import TABLE_EVENTS, decode, encode
from kloplei.table.journal import Journal, JournalError
from kloplei.table.journal_file import SCHEMA_VERSION
from kloplei.table.session import Session
from kloplei.table.timeline import steps_of
from tests.table.memory_journal import MemoryJournal
from tests.table.test_journal_mark import sealed
from tests.table.write_sample import EVENTS, known_events, load, sample, standing, told

WRITE_IT = "run: python -m tests.table.write_sample, and add what it wrote"

LATER_LOOK = "ALTER TABLE entries ADD COLUMN mood TEXT"
MARKS = (b'[1,1,3,"box","era"]', b'[1,1,3,"box","era",2]')  # today's, a later one's

each_version = pytest.mark.parametrize("version", range(1, SCHEMA_VERSION + 1))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "kloplei.db"


def schema_of(path: Path) -> list[tuple[str, str]]:
    with closing(sqlite3.connect(path)) as connection:
        read = "SELECT name, sql FROM sqlite_schema WHERE name = 'entries'"
        return connection.execute(read).fetchall()  # snapshot and origin are made when needed


@each_version
def test_a_journal_of_each_schema_stands_as_it_was_left(path: Path, version: int) -> None:
    load(version, path)

    with Journal(path) as journal, Session(journal) as session:
        assert (journal.salvaged, journal.trouble) == (None, None)
        assert standing(session) == json.loads(told(version).read_text(encoding="utf-8"))


@each_version
def test_a_journal_of_each_schema_is_written_on(path: Path, version: int) -> None:
    load(version, path)
    with Journal(path) as journal, Session(journal) as session:
        before = session.scoreboard()
        last = session.submit(None, "undo")
        session.submit(None, "redo")

    with Journal(path) as journal, Session(journal) as session:
        again = session.scoreboard()
        assert (last, again.seq) == (before.seq + 1, before.seq + 2)
        assert (again.rows, again.hands) == (before.rows, before.hands)


@each_version
def test_every_evening_of_a_sample_is_played_again(path: Path, version: int) -> None:
    """A table looks back on two evenings only; each of a sample's is the last one here once."""
    load(version, path)
    with Journal(path) as journal:
        entries = list(journal.entries())
    begun = [entry.seq for entry in entries if entry.event == "EveningBegun"][1:]
    games = {entry.facts["game"] for entry in entries if entry.facts.get("game")}

    for until in begun:
        cut = MemoryJournal()
        for step in steps_of(entry for entry in entries if entry.seq < until):
            one = step[0]
            written = [(entry.event, entry.facts) for entry in step]
            cut.append(written, seat=one.seat, via=one.via, at=one.at)
        assert Session(cut).scoreboard().seq == until - 1
    assert len(begun) == len(games) - 1 > 1


def test_the_newest_sample_is_of_todays_schema(tmp_path: Path) -> None:
    assert sample(SCHEMA_VERSION).exists(), WRITE_IT
    load(SCHEMA_VERSION, tmp_path / "sample.db")
    with Journal(tmp_path / "new.db"):
        pass

    assert schema_of(tmp_path / "new.db") == schema_of(tmp_path / "sample.db"), (
        f"the schema has another look: give it a new number, then {WRITE_IT}"
    )


def test_no_event_that_was_ever_written_is_forgotten() -> None:
    """Renamed or dropped, it would lock a pub out of its own evening."""
    written = json.loads(EVENTS.read_text(encoding="utf-8"))

    for game, events in written.items():
        for name, facts in events.items():
            assert name in known_events()[game], f"{game} no longer knows its event {name}"
            assert set(facts) <= set(known_events()[game][name]), f"{name} lost a field"
    assert written == known_events(), (
        f"an event is new, or has a new field, which needs a default: {WRITE_IT}"
    )


def test_every_entry_of_the_first_sample_is_understood(path: Path) -> None:
    load(1, path)
    events: Mapping[str, Any] = {}
    with Journal(path) as journal:
        entries = list(journal.entries())

    assert len(entries) > 100
    for entry in entries:
        game = entry.facts.get("game")
        if entry.event in TABLE_EVENTS:
            events = build_game(str(game), None, {}).events if game else events
        known = TABLE_EVENTS if entry.event in TABLE_EVENTS else events
        name, facts = encode(decode(entry.event, entry.facts, known))
        assert (name, {**facts, **entry.facts}) == (entry.event, facts)  # a new field may be added


def test_each_schema_is_told_by_its_table_as_well_as_by_its_number(tmp_path: Path) -> None:
    """Else bad bits in the number would make one of another."""
    looks = []
    for version in range(1, SCHEMA_VERSION + 1):
        load(version, tmp_path / f"{version}.db")
        looks.append(str(schema_of(tmp_path / f"{version}.db")))

    assert len(set(looks)) == SCHEMA_VERSION, "let a comment in the table `entries` name the schema"


@pytest.mark.parametrize("mark", [b"", *(sealed(one) for one in MARKS)])
@pytest.mark.parametrize(
    ("version", "look"),
    [(2, LATER_LOOK), (3, LATER_LOOK), (7, LATER_LOOK)],
)
def test_a_journal_from_the_future_is_refused_in_one_sentence_and_left_untouched(
    path: Path, version: int, look: str, mark: bytes
) -> None:
    """One of schema 3, be it only a bad bit in a 2, is known by its table."""
    load(SCHEMA_VERSION, path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.executescript(f"PRAGMA user_version = {version}; {look};")
    marked = path.with_name(f"{path.name}.mark")
    if mark:
        marked.write_bytes(mark)
    before = path.read_bytes()

    with pytest.raises(JournalError) as refusal:
        Journal(path)

    assert str(refusal.value) == (
        f"The journal {path} was written by a newer Kloplei (schema {version}, this one "
        f"reads {SCHEMA_VERSION}). Update Kloplei, or give the table another folder."
    )
    assert path.read_bytes() == before
    assert {one.name for one in path.parent.iterdir()} <= {
        path.name,
        marked.name,
        f"{path.name}.lock",
    }
    assert not mark or marked.read_bytes() == mark


def test_the_log_of_a_killed_newer_kloplei_is_not_folded_into_its_journal(
    path: Path, tmp_path: Path
) -> None:
    newer = tmp_path / "newer.db"
    load(SCHEMA_VERSION, newer)
    files = (path, path.with_name(f"{path.name}-wal"))
    with closing(sqlite3.connect(newer)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.executescript(f"PRAGMA user_version = {SCHEMA_VERSION + 1}; {LATER_LOOK};")
        for name in files:
            shutil.copyfile(newer.with_name(name.name.replace("kloplei", "newer")), name)
    before = [one.read_bytes() for one in files]

    with pytest.raises(JournalError, match="newer Kloplei"):
        Journal(path)

    assert [one.read_bytes() for one in files] == before
    assert all(before)
