"""A journal taken away under a running table: noticed before the next step, told, written anew."""

import contextlib
import errno
import os
import shutil
import sqlite3
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NoReturn

import pytest

from kloplei.games.game import Seat
from kloplei.table.client import JournalWriteError
from kloplei.table.journal import Journal, JournalError
from kloplei.table.journal_file import PAGE_BYTES
from kloplei.table.ledger import question_of
from kloplei.table.session import Session


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "table" / "kloplei.db"


def take_away(path: Path) -> None:
    path.unlink()


def take_all_away(path: Path) -> None:
    """As `rm -r` would, while the table may still put its mark beside the journal."""
    while path.parent.exists():
        shutil.rmtree(path.parent, ignore_errors=True)


def take_log_away(path: Path) -> None:
    Path(f"{path}-wal").unlink()


def rename(path: Path) -> None:
    path.rename(path.with_name("elsewhere.db"))


def replace(path: Path) -> None:
    copy = path.with_name("copy")
    with Journal(copy) as journal:
        journal.append([("Theirs", {})], seat=0, via="pad", at=None)
    copy.replace(path)


@pytest.mark.parametrize("spoil", [take_away, take_all_away, take_log_away, rename, replace])
def test_the_evening_goes_on_and_nothing_of_it_is_lost(path: Path, spoil: object) -> None:
    assert callable(spoil)
    with Journal(path) as journal, Session(journal) as session:
        for seat, name in enumerate(("Ann", "Bo", "Cor")):
            session.submit(Seat(seat), "sit_down", facts={"name": name})
        seq = session.scoreboard().seq
        spoil(path)

        assert session.submit(Seat(0), "rename", facts={"name": "Anna"}) == seq + 1
        told = session.scoreboard()
        session.submit(Seat(1), "rename", facts={"name": "Bob"})
        after = session.scoreboard()

    assert [line.key for line in told.notices] == ["notice.salvaged"]
    cause = "journal-rewritten" if spoil is take_log_away else "journal-put-back"
    assert str(told.notices[0].facts["cause"]) == cause
    assert f"all {seq} entries" in str(told.notices[0].facts["message"])
    assert after.notices == ()
    with Journal(path) as journal, Session(journal) as session:
        assert (journal.salvaged, journal.last_seq) == (None, seq + 2)
        assert [row.name for row in session.scoreboard().rows] == ["Anna", "Bob", "Cor"]


def test_the_file_that_took_its_place_is_kept(path: Path) -> None:
    with Journal(path) as journal:
        journal.append([("Ours", {})], seat=0, via="pad", at=None)
        replace(path)
        journal.append([("Ours", {})], seat=0, via="pad", at=None)

    with Journal(path.with_name("kloplei.db.damaged-1")) as theirs:
        assert [entry.event for entry in theirs.entries()] == ["Theirs"]


def fold(journal: Journal) -> None:
    """Let the whole journal stand in its file, and none of it in SQLite's memory."""
    assert journal._connection is not None
    journal._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    journal._connection.execute("PRAGMA shrink_memory")


def cut_short(path: Path) -> None:
    with path.open("r+b") as file:
        file.truncate(0)


def cut_in_half(path: Path) -> None:
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size // 2 // PAGE_BYTES * PAGE_BYTES)


def wipe_most_pages(path: Path) -> None:
    with path.open("r+b") as file:
        file.seek(PAGE_BYTES)
        file.write(bytes(path.stat().st_size - PAGE_BYTES))


def cut_log_short(path: Path) -> None:
    with Path(f"{path}-wal").open("r+b") as file:
        file.truncate(2000)


def empty_log(path: Path) -> None:
    Path(f"{path}-wal").write_bytes(b"")


SPOILT = (cut_short, cut_in_half, wipe_most_pages, cut_log_short, empty_log)


@pytest.mark.parametrize("spoil", SPOILT)
def test_a_journal_that_is_spoilt_while_the_table_runs_loses_no_step(
    path: Path, spoil: Callable[[Path], None]
) -> None:
    with Journal(path) as journal, Session(journal) as session:
        for n in range(20):
            session.submit(Seat(0), "rename" if n else "sit_down", facts={"name": f"Ann {n}"})
        if spoil not in (cut_log_short, empty_log):
            fold(journal)
        era = journal.origin
        spoil(path)

        seq = session.submit(Seat(0), "rename", facts={"name": "Bo"})
        told = session.scoreboard()
        assert session.submit(Seat(0), "rename", facts={"name": "Cor"}) == seq + 1 == 23
        log = session.log()
        assert session.scoreboard().notices == ()
        assert journal.origin != era

    assert [str(line.facts["cause"]) for line in told.notices] == ["journal-rewritten"]
    assert "kept as kloplei.db.damaged-1" in str(told.notices[0].facts["message"])
    with Journal(path) as journal, Session(journal) as session:
        assert journal.salvaged is None
        assert session.log() == log
        assert [row.name for row in session.scoreboard().rows] == ["Cor"]


def play_hands(session: Session, hands: int) -> None:
    for _ in range(hands):
        if max(row.tally for row in session.scoreboard().rows) > 7:
            session.submit(None, "wipe")
        session.submit(session.scoreboard().dealer, "deal")
        session.submit(Seat(2), "trick", facts={"n": 4})


@pytest.mark.parametrize("spoil", [cut_short, cut_in_half])
def test_of_a_long_evening_the_scores_and_the_running_hand_stay(
    path: Path, spoil: Callable[[Path], None]
) -> None:
    """What lies further back than anybody can undo was in the file alone."""
    with Journal(path, reach=20) as journal, Session(journal) as session:
        for seat, name in enumerate(("Ann", "Bo", "Cor")):
            session.submit(Seat(seat), "sit_down", facts={"name": name})
        session.submit(Seat(0), "start")
        play_hands(session, 30)
        session.submit(session.scoreboard().dealer, "deal")
        session.submit(Seat(1), "knock")
        fold(journal)
        before = session.scoreboard()
        spoil(path)

        assert session.submit(Seat(0), "stay", seen=before.seq) == before.seq + 1
        told = session.scoreboard()
        session.submit(None, "undo")
        after = session.scoreboard()
        log = session.log(1000)

    assert [str(line.facts["cause"]) for line in told.notices] == ["journal-rewritten-from-memory"]
    assert [row.tally for row in after.rows] == [row.tally for row in before.rows]
    assert (after.phase, after.stake, after.to_answer) == (
        *(before.phase, before.stake, before.to_answer),
    )
    gone = [one for one in log if one.line.key == "news.recovered-from-less"]
    assert [one.before for one in gone] == [()]
    with Journal(path, reach=20) as journal, Session(journal) as session:
        assert journal.salvaged is None
        first, *_, lost = (one.event for one in journal.entries(0) if one.seq <= gone[0].seq)
        assert (first == "EntryLost", lost) == (spoil is cut_short, "Recovered")
        assert session.log(1000) == log
        assert question_of(session.scoreboard()) == question_of(after)


def test_a_log_that_somebody_folds_in_is_no_damage(path: Path) -> None:
    with Journal(path) as journal:
        for _ in range(2):
            journal.append([("Ours", {})], seat=0, via="pad", at=None)
            with contextlib.closing(sqlite3.connect(path)) as other:
                other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        assert (journal.append([("Ours", {})], seat=0, via="pad", at=None), journal.salvaged) == (
            *(3, None),
        )


def put_a_folder_there(path: Path) -> None:
    path.unlink()
    path.mkdir()


def link_into_nothing(path: Path) -> None:
    path.unlink()
    path.symlink_to("nothing")


@pytest.mark.parametrize(
    "spoil", [take_away, take_all_away, put_a_folder_there, link_into_nothing, cut_short]
)
def test_one_that_goes_while_its_disk_is_full_is_written_anew_once_there_is_room(
    path: Path, spoil: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The table let go of the file when a step was refused, and never found it again."""
    with Journal(path) as journal, Session(journal) as session:
        seq = session.submit(Seat(0), "sit_down", facts={"name": "Ann"})
        with monkeypatch.context() as full:
            full.setattr(journal, "_commit", fail)
            with pytest.raises(JournalWriteError):
                session.submit(Seat(0), "rename", facts={"name": "Bo"})
        spoil(path)

        assert session.submit(Seat(0), "rename", facts={"name": "Cor"}) == seq + 1
    with Journal(path) as journal, Session(journal) as session:
        assert (journal.salvaged, journal.last_seq) == (None, seq + 1)
        assert [row.name for row in session.scoreboard().rows] == ["Cor"]


def test_what_only_the_open_file_holds_is_not_let_go_of_while_the_disk_is_full(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Journal(path, reach=2) as journal:
        for _ in range(20):
            journal.append([("Ours", {})], seat=0, via="pad", at=None)
        list(journal.entries(15, remember=True))
        path.unlink()
        with monkeypatch.context() as full:
            full.setattr("kloplei.table.journal.write_draft", fail)
            with pytest.raises(JournalError):
                journal.append([("Ours", {})], seat=0, via="pad", at=None)

        assert journal.append([("Ours", {})], seat=0, via="pad", at=None) == 21
        assert len(list(journal.entries())) == 21


def fail(*_: object) -> NoReturn:
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("ending", ["-wal", ".lock", ".draft", ".draft-wal", ".salvaged"])
@pytest.mark.parametrize("plant", [os.mkfifo, os.mkdir, partial(os.symlink, "../elsewhere")])
def test_nothing_that_stands_in_the_way_is_waited_at_or_written_through(
    path: Path, ending: str, plant: Callable[[Path], None]
) -> None:
    with Journal(path) as journal:
        journal.append([("Ours", {})], seat=0, via="pad", at=None)
        planted = Path(f"{path}{ending}")
        planted.unlink(missing_ok=True)
        plant(planted)
        path.unlink()

        assert journal.append([("Ours", {})], seat=0, via="pad", at=None) == 2
    plant(Path(f"{path}.draft-shm"))
    with Journal(path) as again:
        assert (again.salvaged, again.last_seq) == (None, 2)
    assert not (path.parent.parent / "elsewhere").exists()


STEALTHY = (
    "UPDATE entries SET facts = '{\"n\": 77}' WHERE seq = 3",
    "UPDATE entries SET seat = 5 WHERE seq = 1",
    "DELETE FROM entries WHERE seq = 2",
    "DELETE FROM entries WHERE seq > 2",
    "DELETE FROM entries",
    "INSERT INTO entries SELECT 9, 9, at, seat, via, event, facts, link FROM entries LIMIT 1",
    "DROP TABLE entries",
    "DROP TABLE chain; DROP TABLE origin",
    "PRAGMA user_version = 9",
    "CREATE TRIGGER t BEFORE INSERT ON entries BEGIN SELECT RAISE(IGNORE); END",
    "CREATE TRIGGER t AFTER INSERT ON entries BEGIN DELETE FROM entries WHERE seq = new.seq; END",
    "CREATE TRIGGER t AFTER INSERT ON chain BEGIN UPDATE entries SET facts = '{}'; END",
    "CREATE TRIGGER t BEFORE INSERT ON entries BEGIN SELECT RAISE(ABORT, 'no'); END",
    "ALTER TABLE entries RENAME TO old; CREATE VIEW entries AS SELECT * FROM old",
)


def tamper(path: Path, sql: str) -> None:
    with contextlib.closing(sqlite3.connect(path)) as other:
        other.executescript(sql)


@pytest.mark.parametrize("sql", STEALTHY)
def test_what_another_program_changes_under_a_running_table_is_noticed_before_the_next_step(
    path: Path, sql: str
) -> None:
    with Journal(path) as journal, Session(journal) as session:
        for n in range(4):
            session.submit(Seat(0), "rename" if n else "sit_down", facts={"name": f"Ann {n}"})
        log = session.log()
        tamper(path, sql)

        seq = session.submit(Seat(0), "rename", facts={"name": "Bo"})
        told = session.scoreboard().notices
        assert session.log()[1:] == log
        session.submit(Seat(0), "rename", facts={"name": "Cor"})
        assert session.scoreboard().notices == ()

    assert [str(line.facts["cause"]) for line in told] == ["journal-rewritten"]
    assert path.with_name("kloplei.db.damaged-1").exists()
    with Journal(path) as journal, Session(journal) as session:
        assert (journal.salvaged, journal.last_seq) == (None, seq + 1)
        assert [row.name for row in session.scoreboard().rows] == ["Cor"]


def test_what_is_deleted_of_evenings_before_is_read_off_the_bare_pages(path: Path) -> None:
    with Journal(path, reach=2) as journal:
        for _ in range(20):
            journal.append([("Ours", {})], seat=0, via="pad", at=None)
        list(journal.entries(15, remember=True))
        tamper(path, "DELETE FROM entries WHERE seq < 10")

        assert journal.append([("Ours", {})], seat=0, via="pad", at=None) == 21
        assert len(list(journal.entries())) == 21


def test_what_was_changed_while_the_disk_was_full_is_noticed(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Journal(path) as journal:
        for _ in range(3):
            journal.append([("Ours", {})], seat=0, via="pad", at=None)
        with monkeypatch.context() as full:
            full.setattr(journal, "_commit", fail)
            with pytest.raises(JournalError):
                journal.append([("Ours", {})], seat=0, via="pad", at=None)
        tamper(path, "UPDATE entries SET event = 'Theirs' WHERE seq = 2")

        journal.append([("Ours", {})], seat=0, via="pad", at=None)
        assert [entry.event for entry in journal.entries()] == ["Ours"] * 4


SWALLOWS = "CREATE TRIGGER t BEFORE INSERT ON entries BEGIN SELECT RAISE(IGNORE); END"


def test_a_step_that_is_swallowed_is_written_all_the_same(path: Path) -> None:
    with Journal(path) as journal:
        journal.append([("Ours", {})], seat=0, via="pad", at=None)
        assert journal._connection is not None
        journal._connection.execute(SWALLOWS)  # whoever planted it

        assert journal.append([("Ours", {}), ("Ours", {})], seat=0, via="pad", at=None) == 3
        assert len(list(journal.entries())) == 3


@pytest.mark.parametrize("name", ["entries", "origin"])
def test_a_trigger_or_a_view_that_was_planted_goes_at_the_next_start(path: Path, name: str) -> None:
    with Journal(path) as journal:
        journal.append([("Ours", {})], seat=0, via="pad", at=None)
    tamper(path, SWALLOWS)
    endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n"

    with Journal(path) as journal:
        assert "All 1 entries are there" in str(journal.salvaged)
        assert journal.append([("Ours", {})], seat=0, via="pad", at=None) == 2
    tamper(path, f"ALTER TABLE {name} RENAME TO old; CREATE VIEW {name} AS {endless}")
    with Journal(path) as journal:
        journal.append([("Ours", {})], seat=0, via="pad", at=None)
        assert journal.salvaged is not None
    with Journal(path) as journal:
        assert (journal.salvaged, journal.last_seq) == (None, len(list(journal.entries())))


def test_rows_that_another_program_wrote_refuse_no_step(path: Path) -> None:
    with Journal(path) as journal:
        journal.append([("Ours", {})], seat=0, via="pad", at=None)
        with contextlib.closing(sqlite3.connect(path)) as other, other:
            other.execute(
                "INSERT INTO entries SELECT 2, 2, at, seat, via, 'Theirs', facts, 1 FROM entries"
            )

        assert journal.append([("Ours", {})], seat=0, via="pad", at=None) == 2
    with Journal(path) as again:
        assert [entry.event for entry in again.entries()] == ["Ours", "Ours"]
