"""A journal of years starts as fast as a new one, and nobody can tell where reading began."""

import contextlib
import json
import random
import sqlite3
from collections.abc import Collection, Iterator
from pathlib import Path

import pytest

from kloplei.games.catalogue import GAMES
from kloplei.games.game import IllegalAction, Seat
from kloplei.table import journal_file
from kloplei.table.journal import REACH, Journal
from kloplei.table.journal_file import (
    Entry,
    Row,
    Snapshot,
    find_snapshot,
    link,
    remove_snapshot,
    write_snapshot,
)
from kloplei.table.ledger import Ledger
from kloplei.table.schema import WORLD, dump
from kloplei.table.seating import TableSetup, TableState, dump_state, load_state
from kloplei.table.session import Session
from tests.table.streaming_table import SPOIL_THE_GAME, anything

SHORT = 30
STEPS = 200
LOOKS = 5
WAVERING = "new_evening undo undo redo redo start new_evening"
FAR = {"undo": 25, "redo": 25}  # steps at once, more than a snapshot lies back


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "kloplei.db"


def found(path: Path) -> Snapshot | None:
    """Return the snapshot in the journal *path*, if there is one that is sound."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        return find_snapshot(connection)


def taken(path: Path) -> Snapshot:
    """Return the snapshot in the journal *path*."""
    snapshot = found(path)
    assert snapshot is not None
    return snapshot


def put(path: Path, snapshot: Snapshot) -> None:
    """Let *snapshot* stand in the journal *path*."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        write_snapshot(connection, snapshot)


def ledger_of(session: Session) -> Ledger:
    return session._table._ledger


def everything(session: Session) -> dict[str, object]:
    """Return all that anybody can find out about the evening."""
    history = ledger_of(session)._history
    return {
        "board": dump(session._table.scoreboard(), form=WORLD),
        "log": session._table.log(10_000),
        "undoable": history.undoable,
        "redoable": history.redoable,
        "states": [history.state_before(n) for n in range(1, history.undoable + 1, 7)],
    }


def reopened(path: Path, reach: int = SHORT) -> dict[str, object]:
    with Journal(path, reach=reach) as journal:
        return everything(Session(journal, TableSetup(seats=8)))


def play(session: Session, chance: random.Random, steps: int) -> None:
    """Do anything legal, take much of it back and do it again now and then."""
    for _ in range(steps):
        never = SPOIL_THE_GAME if chance.random() > 0.03 else {"options", "stand_up"}
        seat, action, facts = anything(session.scoreboard(), chance, never)
        if action in FAR and chance.random() < 0.5:
            facts = {"steps": chance.randint(1, FAR[action])}
        with contextlib.suppress(IllegalAction):
            session.submit(seat, action, facts=facts)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("game", GAMES)
def test_who_reads_from_the_snapshot_knows_what_who_never_stopped_knows(
    path: Path, game: str, seed: int
) -> None:
    chance = random.Random(seed)
    began: set[int] = set()
    with Journal(path, reach=SHORT) as journal, Session(journal, TableSetup(game=game)) as session:
        for _ in range(LOOKS):
            play(session, chance, STEPS // LOOKS)
            live = everything(session)
            copy = path.with_name("copy.db")
            copied(path, copy)

            for with_snapshot in (True, False):
                if not with_snapshot:
                    remove_snapshot(copy)
                assert reopened(copy) == live
            began.update(snapshot.seq for snapshot in [found(path)] if snapshot)
    assert len(began) > 1


def copied(path: Path, copy: Path) -> None:
    """Leave at *copy* what a pulled plug leaves of *path*."""
    for ending in ("", "-wal"):
        source, target = Path(f"{path}{ending}"), Path(f"{copy}{ending}")
        target.unlink(missing_ok=True)
        if source.exists():
            target.write_bytes(source.read_bytes())


def test_an_evening_without_end_fills_no_memory(path: Path) -> None:
    with Journal(path, reach=SHORT) as journal, Session(journal) as session:
        most = 0
        for n in range(1000):
            session.submit(Seat(0), "sit_down" if n == 0 else "rename", facts={"name": f"W{n}"})
            most = max(most, len(ledger_of(session)._history.trail))

    assert SHORT < most <= 2 * SHORT


def test_as_much_as_was_promised_can_be_taken_back(path: Path) -> None:
    with Journal(path) as journal, Session(journal) as session:
        session.submit(Seat(0), "sit_down", facts={"name": "W"})
        for n in range(2 * REACH + REACH // 2):
            session.submit(Seat(0), "rename", facts={"name": f"W{n}"})

        session.submit(None, "undo", facts={"steps": REACH})

        assert session.scoreboard().names[Seat(0)] == f"W{2 * REACH + REACH // 2 - 1 - REACH}"


def test_an_evening_that_wavered_is_read_again(path: Path) -> None:
    """It was not: the table read from there on, met the second undo, and refused to start."""
    with Journal(path) as journal, Session(journal) as session:
        for seat in map(Seat, range(4)):
            session.submit(seat, "sit_down")
        session.submit(None, "start")
        for action in WAVERING.split():
            session.submit(None, action)
        before = everything(session)

    assert reopened(path, REACH) == before


class Read(Journal):
    """A journal that counts what is read back from it."""

    rows = 0

    def entries(
        self, after: int = 0, *, remember: bool = False, facts_of: Collection[str] | None = None
    ) -> Iterator[Entry]:
        for entry in super().entries(after, remember=remember, facts_of=facts_of):
            self.rows += 1
            yield entry


def test_a_long_journal_is_read_and_checked_from_its_end_alone(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checked: list[Row] = []

    def noted(before: int, row: Row) -> int:
        checked.append(row)
        return link(before, row)

    with Journal(path, reach=SHORT) as journal, Session(journal) as session:
        session.submit(Seat(0), "sit_down", facts={"name": "W"})
        for n in range(500):
            session.submit(Seat(0), "rename", facts={"name": f"W{n}"})

    monkeypatch.setattr(journal_file, "link", noted)
    with Read(path, reach=SHORT) as journal:
        Session(journal)
        assert 0 < journal.rows <= 2 * SHORT
        assert len(checked) == journal.rows


def played(path: Path) -> dict[str, object]:
    """Leave a journal with a snapshot, and return what stood at the table."""
    with Journal(path, reach=SHORT) as journal, Session(journal) as session:
        play(session, random.Random(1), 150)
        assert found(path) is not None
        return everything(session)


def test_a_journal_that_lost_its_end_is_read_as_far_back_as_ever(path: Path) -> None:
    """It was not: where it ended at its snapshot now, nothing could be taken back."""
    played(path)
    snapshot = taken(path)
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM entries WHERE seq > ?", (snapshot.seq,))

    with Journal(path, reach=SHORT) as journal:
        assert journal.snapshot is None
        assert ledger_of(Session(journal))._history.undoable


DAMAGES = (
    "UPDATE snapshot SET state = ''",
    "UPDATE snapshot SET state = substr(state, 1, 300)",
    "UPDATE snapshot SET state = replace(state, 'W', 'V') || ' '",
    "UPDATE snapshot SET crc = crc + 1",
    "UPDATE snapshot SET seq = seq + 1",
    "DELETE FROM snapshot",
    "DROP TABLE snapshot",
    "DROP TABLE snapshot; CREATE TABLE snapshot (somebody, elses)",
    """DROP TABLE snapshot; CREATE TABLE snapshot (seq, link, state, crc);
    INSERT INTO snapshot SELECT seq, link, x'ff00', 'crc' FROM entries""",
)


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_snapshot_is_passed_over(path: Path, damage: str) -> None:
    before = played(path)
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(damage)

    assert found(path) is None
    assert reopened(path) == before


def test_a_page_of_the_snapshot_that_rots_costs_no_entry(path: Path) -> None:
    before = played(path)
    with contextlib.closing(sqlite3.connect(path)) as connection:
        ask = "SELECT rootpage FROM sqlite_schema WHERE name = 'snapshot'"
        (page,) = connection.execute(ask).fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    with path.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xff" * size)

    with Journal(path, reach=SHORT) as journal:
        now = everything(Session(journal, TableSetup(seats=8)))
        assert "entries are there" in str(journal.salvaged)
    # The board tells that something was saved.
    assert (now["log"], now["states"]) == (before["log"], before["states"])


def test_a_snapshot_of_another_journal_is_passed_over(path: Path) -> None:
    before = played(path)
    snapshot = taken(path)

    put(path, Snapshot(snapshot.seq, snapshot.link ^ 1, dump_state(TableState("watten"))))

    assert found(path) is None
    assert reopened(path) == before


@pytest.mark.parametrize(
    ("was", "instead"),
    [
        ('"kloplei":"', '"kloplei":"99.'),
        ('"dealer":"<class', '"dealers":"<class'),
        ('"options":"', '"opinions":"'),
    ],
)
def test_a_snapshot_of_another_kloplei_is_passed_over(path: Path, was: str, instead: str) -> None:
    before = played(path)
    snapshot = taken(path)
    assert was in snapshot.state

    put(path, Snapshot(snapshot.seq, snapshot.link, snapshot.state.replace(was, instead)))

    assert load_state(taken(path).state) is None
    assert reopened(path) == before


@pytest.mark.parametrize(
    "state",
    [
        TableState("toepen"),
        TableState("tarok"),
        TableState("nonsense"),
        TableState("toepen", preset="nonsense"),
    ],
)
def test_a_snapshot_that_does_not_fit_what_follows_is_passed_over(
    path: Path, state: TableState
) -> None:
    """It was not: the table refused to start, with a sound journal."""
    before = played(path)
    snapshot = taken(path)

    put(path, Snapshot(snapshot.seq, snapshot.link, dump_state(state)))

    assert reopened(path) == before


def with_play(where: str) -> str:
    """Return a snapshot whose game is said to be played by the class *where*."""
    told = json.loads(dump_state(TableState("toepen")))
    return json.dumps({**told, "play": where})


@pytest.mark.parametrize(
    "written",
    [
        *("", "[" * 100_000, "[]", "null", "{}", '{"kloplei": 1}', "1e999"),
        *map(with_play, ("os:system", "kloplei.cli.main:main", "kloplei.nowhere:No", "kloplei:no")),
        *map(with_play, ("antigravity:x", "kloplei.table.journal:Journal", ":", "")),
    ],
)
def test_a_snapshot_that_is_none_is_passed_over_and_runs_nothing(written: str) -> None:
    assert load_state(written) is None


def test_a_snapshot_makes_no_other_journal_of_it(path: Path) -> None:
    """The version before reads and writes it on, for it minds no table that it does not know."""
    played(path)
    with contextlib.closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (1,)
        tables = connection.execute("SELECT name FROM sqlite_schema ORDER BY name").fetchall()
        columns = connection.execute("SELECT * FROM entries").description

    assert tables == [("chain",), ("entries",), ("origin",), ("snapshot",)]
    assert len(columns) == 8


def test_the_bookmark_of_an_older_kloplei_is_cleaned_away(path: Path) -> None:
    before = played(path)
    beside = path.with_name(f"{path.name}.bookmark")
    beside.write_bytes(b"kloplei bookmark 1\n")

    assert reopened(path) == before
    assert not beside.exists()


def test_an_old_entry_that_rots_does_not_cost_the_running_evening(path: Path) -> None:
    """It did: all after it was put aside. Only who reads the whole journal meets it now."""
    before = played(path)
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE entries SET facts = '{}' WHERE seq = 3")

    assert reopened(path) == before

    remove_snapshot(path)
    with Journal(path, reach=SHORT) as journal:
        assert "ends at entry 2" in str(journal.salvaged)


def test_a_journal_that_takes_no_snapshot_is_none_of_the_tables_trouble(path: Path) -> None:
    with Journal(path):
        pass
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE snapshot (somebody, elses)")
    with Journal(path, reach=SHORT) as journal, Session(journal) as session:
        play(session, random.Random(2), 150)
        before = everything(session)

        assert journal.trouble is None
    assert reopened(path) == before
