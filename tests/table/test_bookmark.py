"""A journal of years starts as fast as a new one, and nobody can tell where reading began."""

import contextlib
import io
import pickle
import random
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kloplei.rules.catalogue import GAMES
from kloplei.rules.game import IllegalAction, Seat
from kloplei.table import bookmark
from kloplei.table.bookmark import Bookmark, find, lay
from kloplei.table.entries import Entry
from kloplei.table.journal import REACH, Journal
from kloplei.table.ledger import Ledger
from kloplei.table.schema import WORLD, dump
from kloplei.table.session import Session
from kloplei.table.standing import read, written
from kloplei.table.state import TableState
from tests.table.streaming_table import SPOIL_THE_GAME, anything

SHORT = 30
STEPS = 200
LOOKS = 5
WAVERING = "new_evening undo undo redo redo start new_evening"
FAR = {"undo": 25, "redo": 25}  # steps at once, more than a bookmark lies back


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "kloplei.db"


def ledger_of(session: Session) -> Ledger:
    return session._table._ledger


def everything(session: Session) -> dict[str, object]:
    """Return all that anybody can find out about the evening."""
    history = ledger_of(session)._history
    return {
        "board": dump(session._table.scoreboard(0.0), form=WORLD),
        "log": session._table.log(10_000),
        "undoable": history.undoable,
        "redoable": history.redoable,
        "states": [history.state_before(n) for n in range(1, history.undoable + 1, 7)],
    }


def reopened(path: Path, reach: int = SHORT) -> dict[str, object]:
    with Journal(path, reach=reach) as journal:
        return everything(Session(journal, seats=8))


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
def test_who_reads_from_the_bookmark_knows_what_who_never_stopped_knows(
    path: Path, game: str, seed: int
) -> None:
    chance = random.Random(seed)
    began: set[int] = set()
    with Journal(path, reach=SHORT) as journal, Session(journal, game=game) as session:
        for _ in range(LOOKS):
            play(session, chance, STEPS // LOOKS)
            live = everything(session)
            copy = path.with_name("copy.db")
            copied(path, copy)

            for with_bookmark in (True, False):
                if not with_bookmark:
                    bookmark.remove(copy)
                assert reopened(copy) == live
            began.update(mark.seq for mark in [find(path)] if mark)
    assert len(began) > 2


def copied(path: Path, copy: Path) -> None:
    """Leave at *copy* what a pulled plug leaves of *path*."""
    for ending in ("", "-wal", ".bookmark"):
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

    def entries(self, after: int = 0) -> Iterator[Entry]:
        for entry in super().entries(after):
            self.rows += 1
            yield entry


def test_a_long_journal_is_read_from_its_end_alone(path: Path) -> None:
    with Journal(path, reach=SHORT) as journal, Session(journal) as session:
        session.submit(Seat(0), "sit_down", facts={"name": "W"})
        for n in range(500):
            session.submit(Seat(0), "rename", facts={"name": f"W{n}"})

    with Read(path, reach=SHORT) as journal:
        Session(journal)
        assert 0 < journal.rows <= 2 * SHORT


def played(path: Path) -> dict[str, object]:
    """Leave a journal with a bookmark, and return what stood at the table."""
    with Journal(path, reach=SHORT) as journal, Session(journal) as session:
        play(session, random.Random(1), 150)
        assert find(path) is not None
        return everything(session)


def test_a_journal_that_lost_its_end_is_read_as_far_back_as_ever(path: Path) -> None:
    """It was not: where it ended at its bookmark now, nothing could be taken back."""
    played(path)
    mark = find(path)
    assert mark is not None
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM entries WHERE seq > ?", (mark.seq,))

    with Journal(path, reach=SHORT) as journal:
        assert journal.bookmark is None
        assert ledger_of(Session(journal))._history.undoable


def test_a_damaged_bookmark_is_passed_over(path: Path) -> None:
    before = played(path)
    beside = bookmark.path_of(path)
    sound = beside.read_bytes()
    damages = [b"", sound[:30], sound[:-1], b"x" + sound[1:], sound[:-9] + b"\0" + sound[-8:]]

    for damaged in damages:
        beside.write_bytes(damaged)
        assert find(path) is None
        assert reopened(path) == before


def test_a_bookmark_of_another_journal_is_passed_over(path: Path) -> None:
    before = played(path)
    mark = find(path)
    assert mark is not None

    lay(path, Bookmark(mark.seq, mark.link ^ 1, written(TableState("watten"))))

    assert reopened(path) == before


@pytest.mark.parametrize(
    ("was", "put"),
    [(b'"kloplei": "', b'"kloplei": "99.'), (b'["seats", "dealer"', b'["seats", "dealers"')],
)
def test_a_bookmark_of_another_kloplei_is_passed_over(path: Path, was: bytes, put: bytes) -> None:
    before = played(path)
    mark = find(path)
    assert mark is not None
    assert was in mark.standing

    lay(path, Bookmark(mark.seq, mark.link, mark.standing.replace(was, put)))

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
def test_a_bookmark_that_does_not_fit_what_follows_is_passed_over(
    path: Path, state: TableState
) -> None:
    """It was not: the table refused to start, with a sound journal."""
    before = played(path)
    mark = find(path)
    assert mark is not None

    lay(path, Bookmark(mark.seq, mark.link, written(state)))

    assert reopened(path) == before


@pytest.mark.parametrize(
    "standing",
    [
        b"[" * 100_000,
        b"",
        written(TableState("toepen")).partition(b"\n")[0] + b"\n\x80\x04]r\xff\xff\xff\x7f.",
    ],
)
def test_a_bookmark_that_asks_for_more_than_there_is_is_passed_over(standing: bytes) -> None:
    assert read(standing) is None


class Mischief:
    def __reduce__(self) -> Any:
        return (print, ("mischief",))


@pytest.mark.parametrize("evil", [Mischief(), Journal, print, Path("/")])
def test_a_bookmark_runs_nothing(evil: object, capsys: pytest.CaptureFixture[str]) -> None:
    pickled = io.BytesIO()
    pickle.Pickler(pickled, protocol=4).dump(evil)
    head = written(TableState("toepen")).partition(b"\n")[0]

    assert read(head + b"\n" + pickled.getvalue()) is None
    assert capsys.readouterr().out == ""


def test_an_old_entry_that_rots_does_not_cost_the_running_evening(path: Path) -> None:
    """It did: all after it was put aside. Only who reads the whole journal meets it now."""
    before = played(path)
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE entries SET facts = '{}' WHERE seq = 3")

    assert reopened(path) == before

    bookmark.remove(path)
    with Journal(path, reach=SHORT) as journal:
        assert "damaged after entry 2" in str(journal.salvaged)


def test_a_disk_without_room_for_a_bookmark_is_none_of_the_tables_trouble(path: Path) -> None:
    beside = bookmark.path_of(path)
    beside.mkdir(parents=True)  # nothing can be written there
    with Journal(path, reach=SHORT) as journal, Session(journal) as session:
        play(session, random.Random(2), 150)
        before = everything(session)

        assert journal.trouble is None
    assert reopened(path) == before
