"""The journal's file: one owner, one schema, links that show where it is damaged.

What the table writes and reads is an `Entry`; whatever can be wrong is a `JournalError`, in words
that say what to do next (`sentence_for`). Below stands what knows SQLite: opening (`own`, `create`,
`connect`), checking (`examine`), reading what is written (`readable`), and the
snapshot beside the entries.

Each entry carries a CRC over itself and the link before it, so that a flipped bit, a lost
page or an edited row is found at the entry where it happened.
"""

import errno
import fcntl
import json
import logging
import os
import sqlite3
import stat
import time
import zlib
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import replace
from itertools import count
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryFile
from typing import Any, cast

from kloplei.files import KlopleiError, sync_folder
from kloplei.frozen import dataclass
from kloplei.words import Sentence

logger = logging.getLogger(__name__)


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


_FULL = {errno.ENOSPC, errno.EDQUOT}
_FORBIDDEN = {errno.EACCES, errno.EPERM}
_NO_FILE = {errno.EISDIR, errno.ENOTDIR, errno.EEXIST}
# ERROR is what a schema answers in which a word was spoilt; CONSTRAINT that rows stand there
# already, which are not ours.
_DAMAGED = {
    *(sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB),
    *(sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CONSTRAINT),
}
_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_PASSING = _BUSY | {
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_PROTOCOL,
}


class DiskTrouble(JournalError):
    """The disk is full or read-only: it passes once somebody sees to it, so the table stays up."""


class JournalDamaged(JournalError):
    """What the file holds is not what the table wrote."""


class ForeignFile(JournalError):
    """By its header the file is no journal of ours, or not one that can be read here."""


class JournalNewer(JournalError):
    """A newer Kloplei wrote the file; not a byte of it is ours to change."""


def sentence_for(path: Path, error: sqlite3.Error | OSError) -> JournalError:
    """Return *error*, met at the journal *path*, as a `JournalError` fit to be read out."""
    if isinstance(error, JournalError):
        return error
    if _code(error) in _DAMAGED:
        return JournalDamaged(Sentence("journal-damaged", path=str(path)))
    if _code(error) in _BUSY:
        return JournalError(Sentence("journal-busy", path=str(path)))
    return _sentence_by_number(path, error, _number(path, error))


def is_full(path: Path, error: sqlite3.Error | OSError) -> bool:
    """Return whether *error*, met at *path*, means that its disk is full."""
    return _number(path, error) in _FULL


def _sentence_by_number(path: Path, error: Exception, number: int | None) -> JournalError:
    where = {"path": str(path), "folder": str(path.parent)}
    if number == errno.EROFS:
        return DiskTrouble(Sentence("disk-read-only", **where))
    if number in _FULL:
        return DiskTrouble(Sentence("disk-full", **where))
    if number in _FORBIDDEN:
        return JournalError(Sentence("journal-forbidden", **where))
    if number in _NO_FILE:
        return JournalError(Sentence("journal-no-place", **where, error=str(error)))
    return JournalError(Sentence("journal-unusable", **where, error=str(error)))


def _code(error: Exception) -> int | None:
    """Return SQLite's primary result code; an extended one holds it in its low byte."""
    code = getattr(error, "sqlite_errorcode", None)
    return None if code is None else int(code) & 0xFF


def _number(path: Path, error: sqlite3.Error | OSError) -> int | None:
    """Return the system's error number. SQLite keeps it to itself, so the disk is asked again."""
    if isinstance(error, OSError):
        return error.errno
    if _code(error) == sqlite3.SQLITE_FULL:
        return errno.ENOSPC
    try:
        with TemporaryFile(dir=path.parent, buffering=0) as file:
            file.write(bytes(4096))
            os.fsync(file.fileno())
    except OSError as refusal:
        return refusal.errno
    return None if os.access(path, os.W_OK) else errno.EACCES


FORMER = "before-restore"
"""Folder beside the journal, where what a backup replaced is found again."""
SCHEMA_VERSION = 1
"""A later one's table `entries` reads otherwise, by a comment at least: that tells it once more."""
APPLICATION_ID = 0x6B6C6F70  # "klop": file(1) and we know whose database it is
INSERT = "INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
PAGE_BYTES = 1024
"""A step is about two pages of write-ahead log: one flash block where 4 kB pages take three."""
_CHECKPOINT_PAGES = 256
_AT_ONCE = 1000  # rows
# Who looks into the file with sqlite3 holds it up for a moment. Longer than this the table cannot
# wait, for its one thread writes: then the step is refused, and the slate says why.
_BUSY_S = 2.0
_LOOK_S = 5.0
_MAGIC = b"SQLite format 3\0"
_FIXED = (
    (16, PAGE_BYTES.to_bytes(2, "big")),
    (20, b"\0\x40\x20\x20"),
    (52, bytes(4)),
    (72, bytes(20)),
)
"""Where in the header stands what no journal has otherwise, be it as old as can be."""
_FORMS = {b"\1\1", b"\2\2"}  # with a rollback journal, with a write-ahead log
_ORIGIN_BYTES = 8
_BESIDE = (
    *(f"{name}{ending}" for name in ("", ".draft") for ending in ("-wal", "-shm", "-journal")),
    *(".lock", ".draft", ".salvaged"),
)
_MOST_VERSIONS = 64  # a higher one is no newer Kloplei's but a spoilt bit
SCHEMA = """CREATE TABLE entries (
    seq INTEGER PRIMARY KEY,  -- 1, 2, 3 ... without a gap; the only order there is
    step INTEGER NOT NULL,    -- seq of the last entry of the same step
    at REAL,                  -- wall clock in seconds; only to show, a Pi may not know the time
    seat INTEGER,             -- who did it, 0-based; NULL is the keeper of the slate
    via TEXT NOT NULL,        -- pad, button, phone or table
    event TEXT NOT NULL,
    facts TEXT NOT NULL,      -- a JSON object
    link INTEGER NOT NULL     -- CRC-32 of this entry and the link before it
) STRICT"""
_CREATE = f"""
BEGIN;
PRAGMA application_id = {APPLICATION_ID};
PRAGMA user_version = {SCHEMA_VERSION};
{SCHEMA};
COMMIT;
"""
_SNAPSHOT_SCHEMA = """
CREATE TABLE IF NOT EXISTS snapshot (
    seq INTEGER PRIMARY KEY,  -- the entry after which it was taken
    link INTEGER NOT NULL,    -- of that entry
    state TEXT NOT NULL,      -- what stood at the table, as JSON
    crc INTEGER NOT NULL      -- CRC-32 of the three before it
) STRICT
"""
ORIGIN_SCHEMA = """
CREATE TABLE IF NOT EXISTS origin (
    box TEXT NOT NULL,      -- random; the same as long as the journal is handed on
    era TEXT NOT NULL,      -- random; the last row's holds
    after INTEGER NOT NULL  -- the entry after which it began
) STRICT
"""

SUPERSEDED = """
CREATE TABLE IF NOT EXISTS superseded (
    era TEXT PRIMARY KEY,            -- that began when somebody was forgotten
    supersedes TEXT NOT NULL,        -- the era before
    after INTEGER NOT NULL,          -- entries up to this one are as they were, links and all
    purged INTEGER NOT NULL DEFAULT 0  -- 1: what was kept beside the file is gone as well
) STRICT
"""

_spelled = json.JSONEncoder(default=repr).encode
Place = tuple[tuple[int, int], int]  # device and inode; bytes
Places = tuple[Place | None, Place | None]  # of the file, and of its log
Row = tuple[int, int, float | None, int | None, str, str, str]
"""An entry as the file keeps it, without its link."""


@dataclass(frozen=True, slots=True)
class Sound:
    """How far a journal is sound: entries 1 to *seq*, a prefix of whole steps.

    *link* is that of the last sound entry; *all* is False when something after it is damaged.
    """

    seq: int
    link: int
    all: bool


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What stood at the table after entry *seq*, whose link is *link*: *state*, as JSON."""

    seq: int
    link: int
    state: str

    @property
    def crc(self) -> int:
        """By which one is known that was changed on the disk."""
        return zlib.crc32(json.dumps((self.seq, self.link, self.state), default=repr).encode())


def link(before: int, row: Row) -> int:
    """Return the link of *row*, whose predecessor has the link *before* (0 at the first)."""
    # A damaged row may hold bytes; whatever they are spelled as, its own link is another one.
    return zlib.crc32(_spelled(row).encode(), before)


_LETS_GO_S = 0.2  # a program that is just being started holds what its parent has let go of


def own(path: Path) -> int:
    """Claim the journal *path* for this process and return the lock's file descriptor.

    The kernel drops the claim with the process, however it ends.

    Raises:
        JournalError: Another table has it.
    """
    # Should a pipe stand there, it is not waited at.
    wanted = os.O_RDONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK
    lock = os.open(f"{path}.lock", wanted, 0o600)
    until_s = time.monotonic() + _LETS_GO_S
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() < until_s:
                time.sleep(_LETS_GO_S / 10)
                continue
            os.close(lock)
            raise JournalError(
                f"Another table already writes the journal {path}. "
                f"Stop that one first, or give this one a folder of its own."
            ) from None
        return lock


def clear_way(path: Path, *, was_ours: bool = False) -> None:
    """Put aside what stands beside the journal *path* under a name of ours, and is no plain file.

    To open a pipe is to wait at it, a folder lets nothing be written, and a link would have
    something else written over.

    Args:
        path: The journal.
        was_ours: Whether one stood there. Then what stands there now goes aside as well, but for
            a link: the journal may lie on another disk.

    Raises:
        OSError: It cannot be moved.
    """
    beside = [path.with_name(path.name + ending) for ending in _BESIDE]
    for one in [path, *beside] if was_ours else beside:
        with suppress(FileNotFoundError):
            mode = one.lstat().st_mode
            if not (stat.S_ISREG(mode) or (stat.S_ISLNK(mode) and one == path)):
                one.rename(free_name(path, ".damaged"))


def free_name(path: Path, ending: str) -> Path:
    """Return where beside the journal *path* nothing stands yet: with *ending* and a number."""
    names = (path.with_name(f"{path.name}{ending}-{n}") for n in count(1))
    return next(one for one in names if not os.path.lexists(one))


def create(path: Path) -> None:
    """Make the folder and an empty file for the journal *path*, for its owner's eyes only."""
    folder = path.parent
    made = [path, *(one for one in (folder, *folder.parents) if not one.exists())]
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    for one in made:
        sync_folder(one.parent)


class OwnConnection(sqlite3.Connection):
    """One that calls a file damaged where SQLite quotes its schema, and that is no text."""

    _version: int | None = None

    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:
        """Run *sql*; see `sqlite3.Connection.execute`."""
        try:
            return super().execute(sql, parameters)
        except UnicodeDecodeError as error:
            damaged = sqlite3.DatabaseError("the schema is no text")
            damaged.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
            raise damaged from error

    def has_news(self) -> bool:
        """Return whether another program may have written since this was asked last; 4 us.

        One that only folds the log into the file counts as well.
        """
        before, self._version = self._version, _pragma(self, "data_version")
        return before != self._version


def connect(path: Path) -> OwnConnection:
    """Open the existing file *path*; an empty one becomes a journal.

    Raises:
        JournalError: It is no journal of ours, one of a newer Kloplei, or damaged.
        sqlite3.Error: Damaged, locked, or the disk does not play along.
    """
    _refuse_foreign(path)
    connection = OwnConnection(
        f"{path.absolute().as_uri()}?mode=rw",
        uri=True,
        timeout=_BUSY_S,
        isolation_level=None,
        check_same_thread=False,
    )
    try:
        _prepare(connection, path)
        connection.has_news()  # what is written from now on is
    except JournalNewer:
        _close_untouched(connection, path)
        raise
    except BaseException:
        connection.close()
        raise
    return connection


def _close_untouched(connection: sqlite3.Connection, path: Path) -> None:
    """Close *connection* so that the log of *path* is not folded into the file."""
    if not _size(places_of(path)[1]):
        connection.close()  # takes its empty log along
        return
    with closing(open_to_read(path)) as reader:  # who closes last folds, but for who only reads
        with suppress(sqlite3.Error):
            _pragma(reader, "user_version")
        connection.close()


def open_to_read(path: Path) -> sqlite3.Connection:
    """Open the journal *path* to look into it; its table may go on.

    Raises:
        sqlite3.Error: It cannot be opened.
    """
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=_LOOK_S)


def _refuse_foreign(path: Path) -> None:
    """Refuse what was never a database; one whose first page was wiped is ours, and damaged."""
    start = b"a pipe"
    if not path.is_fifo():  # to open one is to wait at it
        with path.open("rb") as file:
            start = file.read(len(_MAGIC))
    if start.strip(b"\0") and not _MAGIC.startswith(start):
        raise ForeignFile(
            f"{path} is not a journal of Kloplei. Move it away, or give the table another folder."
        )


def demand_sound_header(path: Path) -> None:
    """Refuse a file in whose header stands what no journal has.

    SQLite reads on where it can: a file that it takes for read-only would let a table start
    that cannot write.

    Raises:
        ForeignFile: It does, be it ours and spoilt.
        JournalDamaged: It is cut short, or wiped.
    """
    _refuse_foreign(path)
    with path.open("rb") as file:
        header = file.read(100)
    log = path.with_name(f"{path.name}-wal")
    is_cut = len(header) < 100 if header else log.exists() and log.stat().st_size > 0
    if is_cut or (header and not any(header)):
        # Over an empty file SQLite throws the log away, which may hold all that is left.
        raise JournalDamaged(Sentence("journal-damaged", path=str(path)))  # cut short, or wiped
    is_fixed = all(header[at:].startswith(raw) for at, raw in _FIXED)
    if header and not (is_fixed and header[18:20] in _FORMS):
        raise _no_journal(path)


def _no_journal(path: Path) -> ForeignFile:
    return ForeignFile(
        f"{path} is a database, but no journal of Kloplei. "
        f"Move it away, or give the table another folder."
    )


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")
    connection.execute("PRAGMA cell_size_check = ON")
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA secure_delete = ON")  # what somebody was called before
    version = _pragma(connection, "user_version")
    is_spoilt = False
    if not path.stat().st_size:
        connection.executescript(_CREATE)
    elif _pragma(connection, "application_id") != APPLICATION_ID:
        raise _no_journal(path)
    elif is_spoilt := _is_spoilt(connection, version):
        logger.warning("Bad bits in %s said schema %d; that is mended", path, version)
    elif version > SCHEMA_VERSION:
        kind = JournalNewer if version < _MOST_VERSIONS else ForeignFile
        raise kind(
            f"The journal {path} was written by a newer Kloplei (schema {version}, this one reads "
            f"{SCHEMA_VERSION}). Update Kloplei, or give the table another folder."
        )
    if connection.execute("SELECT 1 FROM sqlite_schema WHERE type = 'view'").fetchone():
        # What is read through one may be anything, without end too.
        raise JournalDamaged(Sentence("journal-damaged", path=str(path)))
    # A file system without shared memory stays with a rollback journal: as safe, only slower.
    connection.execute("PRAGMA journal_mode = WAL")
    # FULL, for with WAL the usual NORMAL syncs at checkpoints alone: a pulled plug would take the
    # last steps along that the slate has shown already.
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute(f"PRAGMA wal_autocheckpoint = {_CHECKPOINT_PAGES}")
    if is_spoilt:
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


def _is_spoilt(connection: sqlite3.Connection, version: int) -> bool:
    """Return whether *version* is not ours, and the entries' table is: then bits of it are bad."""
    if version == SCHEMA_VERSION:
        return False
    read = "SELECT sql FROM sqlite_schema WHERE (type, name) = ('table', 'entries')"
    return connection.execute(read).fetchall() == [(SCHEMA,)]


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])


def examine(connection: sqlite3.Connection) -> Sound:
    """Read all of the journal and tell how far it is sound.

    Raises:
        sqlite3.Error: It cannot be read now, which does not make it damaged.
    """
    sound = examine_after(connection, 0, 0)
    fine = _ask(connection, "PRAGMA quick_check(1)") == [("ok",)]
    return replace(sound, all=sound.all and fine)


def examine_after(connection: sqlite3.Connection, seq: int, link_now: int) -> Sound:
    """Read what comes after the sound entry *seq*, which has the link *link_now*.

    Raises:
        sqlite3.Error: It cannot be read now, which does not make it damaged.
    """
    whole = (seq, link_now)
    for row, its_link in readable(connection, seq):
        link_now = link(link_now, row)
        if row[0] != seq + 1 or link_now != its_link:
            break
        seq, step = row[:2]
        if seq == step:
            whole = (seq, link_now)
    nothing_more = _ask(connection, "SELECT coalesce(max(seq), 0) FROM entries") == [whole[:1]]
    return Sound(*whole, all=nothing_more)


def find_snapshot(connection: sqlite3.Connection) -> Snapshot | None:
    """Return the journal's snapshot, or None if there is none that is sound and of its entries.

    Raises:
        sqlite3.Error: It cannot be read now, which does not make it damaged.
    """
    read = "SELECT seq, link, state, crc FROM snapshot JOIN entries USING (seq, link)"
    for *written, crc in _ask(connection, read) or ():
        snapshot = Snapshot(*written)
        if snapshot.crc == crc:
            return snapshot
    return None


def is_labelled(connection: sqlite3.Connection) -> bool:
    """Return whether the file still says that it is a journal, and one that can be read here.

    Raises:
        sqlite3.Error: It cannot be read now, which does not make it damaged.
    """
    said = _pragma(connection, "application_id"), _pragma(connection, "user_version")
    return said == (APPLICATION_ID, SCHEMA_VERSION)


def has_triggers(connection: sqlite3.Connection) -> bool:
    """Return whether somebody planted in the journal what changes or swallows what is written.

    Raises:
        sqlite3.Error: It cannot be read now, which does not make it damaged.
    """
    return _ask(connection, "SELECT 1 FROM sqlite_schema WHERE type = 'trigger'") != []


def write_snapshot(connection: sqlite3.Connection, snapshot: Snapshot) -> None:
    """Let *snapshot* stand in the journal, in place of the one that was.

    The table for it is made with the first one: no Kloplei before knows it, and none minds it.

    Raises:
        sqlite3.Error: The disk does not take it; the old one still stands.
    """
    row = (snapshot.seq, snapshot.link, snapshot.state, snapshot.crc)
    with connection:  # commits, or rolls back: a step left open would refuse the next one
        connection.execute("BEGIN IMMEDIATE")
        connection.execute(_SNAPSHOT_SCHEMA)
        connection.execute("DELETE FROM snapshot")
        connection.execute("INSERT INTO snapshot VALUES (?, ?, ?, ?)", row)


def remove_snapshot(path: Path) -> None:
    """Take the snapshot out of the journal *path*, so that the next start reads and checks all.

    Raises:
        sqlite3.Error: It cannot be written.
    """
    with closing(connect(path)) as connection:
        if _ask(connection, "SELECT 1 FROM snapshot"):
            connection.execute("DELETE FROM snapshot")


def find_origin(connection: sqlite3.Connection) -> tuple[str, str] | None:
    """Return the journal's box and era; None where an older Kloplei made it.

    Raises:
        sqlite3.Error: It cannot be read now, which does not make it damaged.
    """
    read = "SELECT box, era FROM origin ORDER BY rowid DESC LIMIT 1"
    found = _ask(connection, read)
    return cast("tuple[str, str]", tuple(found[0])) if found else None


def superseded(connection: sqlite3.Connection, era: str | None) -> tuple[str, int] | None:
    """Return the era that *era* supersedes, and up to which entry both are the same.

    Raises:
        sqlite3.Error: It cannot be read.
    """
    read = "SELECT supersedes, after FROM superseded WHERE era = ?"
    with suppress(sqlite3.OperationalError):  # nobody was ever forgotten
        found: tuple[str, int] | None = connection.execute(read, (era,)).fetchone()
        return found
    return None


def replaced_eras(connection: sqlite3.Connection) -> tuple[str, ...]:
    """Return all eras that another one supersedes, the oldest first.

    Raises:
        sqlite3.Error: It cannot be read.
    """
    with suppress(sqlite3.OperationalError):  # nobody was ever forgotten
        found = connection.execute("SELECT supersedes FROM superseded ORDER BY rowid").fetchall()
        return tuple(dict.fromkeys(era for (era,) in found))
    return ()


def copy_superseded(source: sqlite3.Connection, fresh: sqlite3.Connection) -> None:
    """Let the journal *fresh* tell as well what *source* does of eras that others supersede.

    Where that is damaged it is lost: a house gets all anew.
    """
    with suppress(sqlite3.DatabaseError):  # nobody was ever forgotten, most often
        told = source.execute("SELECT * FROM superseded").fetchall()
        fresh.execute(SUPERSEDED)
        fresh.executemany("INSERT INTO superseded VALUES (?, ?, ?, ?)", told)


def begin_era(
    connection: sqlite3.Connection, box: str | None = None, *, after: int | None = None
) -> tuple[str, str]:
    """Let a new era begin in the journal, which is *box*'s or a new one's; return both.

    It begins behind entry *after*, or behind the last one. An era tells histories apart that go on
    from the same entries. The table for it is made with the first one: no Kloplei before knows it,
    and none minds it.

    Raises:
        sqlite3.Error: The disk does not take it.
    """
    found = find_origin(connection)
    box = box or (found[0] if found else token_hex(_ORIGIN_BYTES))
    row = (box, token_hex(_ORIGIN_BYTES))
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute(ORIGIN_SCHEMA)
        connection.execute(
            "INSERT INTO origin SELECT ?, ?, coalesce(?, max(seq), 0) FROM entries", (*row, after)
        )
    return row


def readable(connection: sqlite3.Connection, after: int = 0) -> Iterator[tuple[Row, int]]:
    """Yield what comes after entry *after*, with its links, up to what cannot be read."""
    for *entry, its_link in _rows(connection, after):
        yield cast("Row", tuple(entry)), its_link


def whole_steps(rows: Iterator[tuple[Row, int]]) -> Iterator[tuple[Row, int]]:
    """Yield the steps that *rows*, read from the first entry on, begin with, as far as all fits."""
    last, before = 0, 0
    step: list[tuple[Row, int]] = []
    for row, its_link in rows:
        last, before = last + 1, link(before, row)
        if (row[0], its_link) != (last, before):
            return
        step.append((row, its_link))
        if row[0] == row[1]:
            yield from step
            step = []


def _rows(connection: sqlite3.Connection, after: int) -> Iterator[Any]:
    """Yield the rows some at once, for years of them would not fit into a small box."""
    read = "SELECT * FROM entries WHERE seq > ? ORDER BY seq LIMIT ?"
    while rows := _ask(connection, read, after, _AT_ONCE):
        yield from rows
        after = rows[-1][0]
    if rows is None:
        yield from _look_up(connection, after)


def _look_up(connection: sqlite3.Connection, after: int) -> Iterator[Any]:
    """Yield the entries after *after* each by itself, for a scan would stop a row too early."""
    for seq in count(after + 1):
        found = _ask(connection, "SELECT * FROM entries WHERE seq = ?", seq)
        if not found:
            return
        yield found[0]


def _ask(connection: sqlite3.Connection, sql: str, *values: int) -> list[Any] | None:
    """Return all rows, or None where a page or a row is damaged; let other errors out."""
    try:
        return connection.execute(sql, values).fetchall()
    except sqlite3.DatabaseError as error:
        if _code(error) in _PASSING:
            raise
        return None


def places_of(path: Path) -> Places:
    """Return what stands under the names of the journal *path* and its log."""
    return _place(str(path)), _place(f"{path}-wal")


def is_same(before: Places, now: Places) -> bool:
    """Return whether file and log are those that stood there *before*, and not cut short."""
    return all(
        was is None
        or (is_same_file(was, one) and (_size(one) >= was[1] or (is_log and not _size(one))))
        for is_log, was, one in zip((False, True), before, now, strict=True)
    )


def is_gone(before: Places, path: Path) -> bool:
    """Return whether the journal *path*, which stood there *before*, was taken off its disk.

    Where the disk itself is away, so that it can be mended, nothing is gone.
    """
    if before[0] is None or path.is_file():
        return False
    folder = next(one for one in path.parents if one.is_dir())
    return folder.stat().st_dev == before[0][0][0]


def is_same_file(was: Place | None, now: Place | None) -> bool:
    """Return whether both are one file, or there is none."""
    return (was and was[0]) == (now and now[0])


def is_log_emptied(before: Places, now: Places) -> bool:
    """Return whether the log was emptied: who looks into the journal may fold it into the file."""
    return _size(before[1]) > 0 == _size(now[1])


def _size(place: Place | None) -> int:
    return place[1] if place else 0


def _place(path: str) -> Place | None:
    try:
        told = os.stat(path)  # noqa: PTH116 - before each step; to make a Path takes longer
    except OSError:
        return None
    # A folder or a pipe gets the number of a file that was deleted before.
    is_file = stat.S_ISREG(told.st_mode)
    return ((told.st_dev, told.st_ino), told.st_size) if is_file else None
