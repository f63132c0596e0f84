"""What is appended is found again, in order, by one owner."""

import os
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from kloplei.table.journal import Journal, JournalError
from kloplei.table.journal_file import Entry, own


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "table" / "kloplei.db"


def append(journal: Journal, *events: str, at: float | None = None) -> int:
    written = [(event, {"seat": 1, "stake": n}) for n, event in enumerate(events)]
    return journal.append(written, seat=1, via="pad", at=at)


def test_a_step_is_found_again_after_a_restart(path: Path) -> None:
    with Journal(path) as journal:
        journal.append([("Dealt", {"seat": 3})], seat=None, via="phone", at=None)
        last = journal.append(
            [("Stayed", {"seat": 2, "stake": 2}), ("Answered", {"seats": [0, 2], "why": "ja 🂡"})],
            seat=2,
            via="pad",
            at=12.5,
        )

    with Journal(path) as again:
        found = list(again.entries())

    assert last == 3
    assert again.last_seq == 3
    assert found == [
        Entry(1, 1, None, None, "phone", "Dealt", {"seat": 3}),
        Entry(2, 3, 12.5, 2, "pad", "Stayed", {"seat": 2, "stake": 2}),
        Entry(3, 3, 12.5, 2, "pad", "Answered", {"seats": [0, 2], "why": "ja 🂡"}),
    ]


def test_a_new_journal_is_empty_and_sound(path: Path) -> None:
    with Journal(path) as journal:
        assert journal.last_seq == 0
        assert list(journal.entries()) == []
        assert (journal.salvaged, journal.trouble) == (None, None)


def test_numbers_go_on_where_they_were(path: Path) -> None:
    with Journal(path) as journal:
        append(journal, "A", "B")
    with Journal(path) as journal:
        assert append(journal, "C") == 3
        assert [entry.event for entry in journal.entries(after=1)] == ["B", "C"]


def test_facts_that_json_cannot_hold_leave_no_trace(path: Path) -> None:
    with Journal(path) as journal:
        append(journal, "A")

        for facts in ({"bad": object()}, {"bad": float("nan")}):
            with pytest.raises((TypeError, ValueError)):
                journal.append([("Fine", {}), ("Odd", facts)], seat=0, via="pad", at=None)
        with pytest.raises(ValueError, match="without an event"):
            journal.append([], seat=0, via="pad", at=None)

        assert [entry.event for entry in journal.entries()] == ["A"]
        assert append(journal, "B") == 2


def test_a_word_that_no_disk_holds_leaves_no_trace_and_no_open_step(path: Path) -> None:
    """The step after it was once refused: "cannot start a transaction within a transaction"."""
    with Journal(path) as journal:
        with pytest.raises(UnicodeEncodeError):
            journal.append([("Knocked", {})], seat=0, via="\ud800", at=None)

        assert journal.append([("Knocked", {})], seat=0, via="phone", at=None) == 1
        assert [entry.via for entry in journal.entries()] == ["phone"]


def test_each_step_reaches_the_disk_before_append_returns(path: Path) -> None:
    with Journal(path) as journal:
        append(journal, "A")
        connection = journal._connection
        assert connection is not None
        assert connection.execute("PRAGMA synchronous").fetchone() == (2,)  # FULL
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_folder_and_files_are_for_their_owner_only(path: Path) -> None:
    old = os.umask(0)
    try:
        with Journal(path) as journal:
            append(journal, "A")
            modes = {one.name: stat.S_IMODE(one.stat().st_mode) for one in path.parent.iterdir()}
    finally:
        os.umask(old)

    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert modes.keys() >= {"kloplei.db", "kloplei.db-wal"}
    assert set(modes.values()) == {0o600}


def test_what_was_let_go_of_is_waited_for_until_a_program_has_started(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between its fork and its beginning a program has all that its parent had open."""
    path.parent.mkdir(parents=True)
    lock = own(path)
    inherited = os.dup(lock)
    os.close(lock)
    monkeypatch.setattr("kloplei.table.journal_file.time.sleep", lambda _: os.close(inherited))

    os.close(own(path))


def test_a_second_table_in_this_process_is_refused(path: Path) -> None:
    with Journal(path) as journal:
        with pytest.raises(JournalError, match="Another table already writes the journal"):
            Journal(path)

        assert append(journal, "A") == 1


def test_a_second_process_is_refused_until_the_first_has_gone(path: Path) -> None:
    hold = (
        "import sys, pathlib; from kloplei.table.journal import Journal\n"
        "journal = Journal(pathlib.Path(sys.argv[1])); print('mine', flush=True); input()"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", hold, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"mine\n"
        with pytest.raises(JournalError, match="Stop that one first"):
            Journal(path)
        child.kill()

    Journal(path).close()


def test_reading_does_not_need_to_own_it(path: Path) -> None:
    """Exports look into the file while the table goes on writing."""
    with Journal(path) as journal:
        append(journal, "A")
        reader = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)
        try:
            reader.execute("BEGIN")
            seen = reader.execute("SELECT count(*) FROM entries").fetchone()
            append(journal, "B")
            still = reader.execute("SELECT count(*) FROM entries").fetchone()
        finally:
            reader.close()

    assert (seen, still) == ((1,), (1,))


def test_a_writer_from_outside_is_named_and_waited_out(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kloplei.table.journal_file._BUSY_S", 0.01)
    with Journal(path) as journal:
        append(journal, "A")
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")

        with pytest.raises(JournalError, match="Another program holds the journal"):
            append(journal, "B")
        other.close()

        assert append(journal, "C") == 2
        assert [entry.event for entry in journal.entries()] == ["A", "C"]


@pytest.fixture
def synced(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The folders, by inode, whose names were made to last through a power cut."""
    found: list[int] = []
    sync = os.fsync

    def fsync(descriptor: int) -> None:
        sync(descriptor)
        told = os.fstat(descriptor)
        if stat.S_ISDIR(told.st_mode):
            found.append(told.st_ino)

    monkeypatch.setattr(os, "fsync", fsync)
    return found


def test_the_name_of_a_new_journal_and_of_its_folder_outlast_a_power_cut(
    path: Path, synced: list[int]
) -> None:
    Journal(path).close()

    assert {path.parent.stat().st_ino, path.parent.parent.stat().st_ino} <= set(synced)


class FailingAfterCommit:
    """A connection whose commit reaches the disk, but whose fsync reports an error."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def execute(self, sql: str) -> None:
        self._connection.execute(sql)
        if sql == "COMMIT":
            raise sqlite3.OperationalError("disk I/O error")

    def __getattr__(self, name: str) -> object:
        return getattr(self._connection, name)


def test_a_refused_step_that_reached_the_disk_after_all_is_taken_out(path: Path) -> None:
    with Journal(path) as journal:
        append(journal, "A")
        assert journal._connection is not None
        journal._connection = FailingAfterCommit(journal._connection)  # type: ignore[assignment]
        with pytest.raises(JournalError, match="disk I/O error"):
            append(journal, "Refused", "too")

        assert append(journal, "B") == 2

    with Journal(path) as again:
        assert [entry.event for entry in again.entries()] == ["A", "B"]


def test_what_another_table_wrote_meanwhile_is_left_alone(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In trouble a table lets go of the file, so that the disk can be mended."""
    monkeypatch.setattr("kloplei.table.journal_file._BUSY_S", 0.01)
    with Journal(path) as journal:
        append(journal, "A")
        lock_out_once(journal, path)
        with Journal(path) as other:
            append(other, "Theirs")

        with pytest.raises(JournalError, match=r"no longer ends where the table does, at entry 1"):
            append(journal, "B")

    with Journal(path) as again:
        assert [entry.event for entry in again.entries()] == ["A", "Theirs"]


def lock_out_once(journal: Journal, path: Path) -> None:
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(JournalError):
        append(journal, "Refused")
    other.close()


def test_a_file_that_somebody_else_holds_is_not_taken_for_damaged(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kloplei.table.journal_file._BUSY_S", 0.01)
    with Journal(path) as journal:
        append(journal, "A")
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("PRAGMA locking_mode = EXCLUSIVE")
    other.execute("UPDATE entries SET via = via")

    with pytest.raises(JournalError, match="Another program holds the journal"):
        Journal(path)
    other.close()

    with Journal(path) as again:
        assert (again.last_seq, again.salvaged) == (1, None)


def test_a_closed_journal_takes_nothing(path: Path) -> None:
    journal = Journal(path)
    journal.close()

    with pytest.raises(JournalError, match="is closed"):
        append(journal, "A")
    Journal(path).close()


def test_a_newer_schema_is_refused(path: Path) -> None:
    Journal(path).close()
    connection = sqlite3.connect(path)
    connection.executescript("PRAGMA user_version = 7; ALTER TABLE entries ADD COLUMN mood TEXT")
    connection.close()

    with pytest.raises(JournalError, match=r"newer Kloplei \(schema 7, this one reads 1\)"):
        Journal(path)


def test_a_pipe_is_not_waited_at(path: Path) -> None:
    path.parent.mkdir()
    os.mkfifo(path)
    os.mkfifo(f"{path}.lock")

    with pytest.raises(JournalError, match="is not a journal of Kloplei"):
        Journal(path)

    path.unlink()
    Journal(path).close()
    os.mkfifo(f"{path}.bookmark")  # where an older Kloplei had one
    with Journal(path) as journal:
        assert journal.last_seq == 0


def test_somebody_elses_file_is_refused_and_left_alone(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"Thijs owes me three drinks\n")

    with pytest.raises(JournalError, match="is not a journal of Kloplei"):
        Journal(path)

    assert path.read_bytes() == b"Thijs owes me three drinks\n"


def test_somebody_elses_database_is_refused_and_left_alone(path: Path) -> None:
    path.parent.mkdir()
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE drinks (seat INTEGER)")
    connection.close()
    before = path.read_bytes()

    with pytest.raises(JournalError, match="a database, but no journal of Kloplei"):
        Journal(path)

    assert path.read_bytes() == before


def test_a_folder_in_its_place_is_refused(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="No journal can stand at"):
        Journal(tmp_path)

    (tmp_path / "file").touch()
    with pytest.raises(JournalError, match="No journal can stand at"):
        Journal(tmp_path / "file" / "kloplei.db")


def test_a_folder_of_somebody_else_is_refused(path: Path) -> None:
    """Root may write anywhere, so an ordinary user tries."""
    path.parent.mkdir(mode=0o700)
    script = (
        "import os, sys, pathlib; from kloplei.table.journal import Journal, JournalError\n"
        "os.setgid(65534) if os.getuid() == 0 else os.chmod(sys.argv[1], 0)\n"
        "os.setuid(65534) if os.getuid() == 0 else None\n"
        "try: Journal(pathlib.Path(sys.argv[1]) / 'kloplei.db')\n"
        "except JournalError as error: print(error)"
    )

    said = subprocess.run(
        [sys.executable, "-c", script, str(path.parent)],
        capture_output=True,
        text=True,
        check=True,
    ).stdout

    path.parent.chmod(0o700)
    assert "may not be written by this user" in said


def test_the_path_may_hold_any_letter(tmp_path: Path) -> None:
    with Journal(tmp_path / "café #1?mode=ro" / "kloplei.db") as journal:
        assert append(journal, "A") == 1

    assert (tmp_path / "café #1?mode=ro" / "kloplei.db").exists()
