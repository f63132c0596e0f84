"""The file of the ring: the last blows with their windows, in SQLite, beside the journal.

It outlives a power cut, but is no journal: what the last second brought may be lost with the
plug, and a damaged file is begun anew. Nothing else is ever recorded.
"""

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from kloplei.ears.kept import Kept
from kloplei.ears.rows import row, sound
from kloplei.files import KlopleiError

APPLICATION_ID = 0x65617273  # "ears": file(1) and we know whose database it is
SCHEMA_VERSION = 1

_ERRORS = (sqlite3.Error, UnicodeDecodeError)  # the latter where SQLite quotes what is no text
_BUSY_S = 1.0
_CHECKPOINT_PAGES = 256
_MAGIC = b"SQLite format 3\0"
_HEADER_BYTES = 72
_WHOSE = slice(68, 72)  # where SQLite keeps the application's id
_OURS = (APPLICATION_ID.to_bytes(4, "big"), bytes(4), b"")
_ENDINGS = ("", "-wal", "-shm")
_SCHEMA = f"""
BEGIN;
PRAGMA application_id = {APPLICATION_ID};
PRAGMA user_version = {SCHEMA_VERSION};
CREATE TABLE blows (
    number INTEGER PRIMARY KEY,
    at REAL,                    -- wall clock in seconds; NULL where nobody knew the time
    at_s REAL NOT NULL,         -- monotonic seconds of that start of the box
    decided_at_s REAL NOT NULL,
    verdict TEXT NOT NULL,
    likelihood REAL NOT NULL,
    strength REAL NOT NULL,
    seat INTEGER,               -- 0-based; NULL where nobody could say
    confidence REAL NOT NULL,
    part TEXT NOT NULL,
    was TEXT,                   -- what somebody said that it was; NULL until then
    was_seat INTEGER,
    onset_s REAL,               -- of the window; all NULL where only edges are known
    start_s REAL,
    rate_hz REAL,
    skew_s REAL,
    channels INTEGER,
    samples BLOB                -- 32-bit floats, little-endian, one channel after the other
) STRICT;
COMMIT;
"""
_PUT = "INSERT OR REPLACE INTO blows VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"
_DROP = "DELETE FROM blows WHERE number NOT IN (SELECT value FROM json_each(?))"


class RingTrouble(KlopleiError, OSError):
    """The file does not take what was heard; one sentence says what to do."""


class Ring:
    """The file *path*, made when it is missing; for one thread at a time.

    Raises:
        RingTrouble: It cannot be opened, or is somebody else's.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        with _told(path):
            try:
                self._connection = _connect(path)
            except _ERRORS as error:
                if not _is_damaged(error):
                    raise
                _remove(path)
                self._connection = _connect(path)

    def read(self) -> list[Kept]:
        """Return all that is kept, oldest first; nothing of a file that is damaged.

        Raises:
            RingTrouble: The disk does not play along.
        """
        with _told(self._path):
            try:
                rows = self._connection.execute("SELECT * FROM blows ORDER BY number").fetchall()
            except _ERRORS as error:
                self._begin_anew(error)
                return []
        return list(sound(rows))

    def write(self, put: Sequence[Kept], numbers: Iterable[int]) -> None:
        """Put those blows in, in place of what had their number, and drop all but *numbers*.

        Raises:
            RingTrouble: Nothing of it was written; the next call may try again.
        """
        kept = json.dumps([*numbers])
        with _told(self._path):
            try:
                self._write(put, kept)
            except _ERRORS as error:
                self._begin_anew(error)
                self._write(put, kept)

    def _write(self, put: Sequence[Kept], kept: str) -> None:
        with self._connection:
            self._connection.executemany(_PUT, [row(one) for one in put])
            self._connection.execute(_DROP, [kept])

    def _begin_anew(self, error: Exception) -> None:
        """Put an empty file in place of a damaged one; let any other *error* out."""
        if not _is_damaged(error):
            raise error
        self._connection.close()
        _remove(self._path)
        self._connection = _connect(self._path)

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()


def forget(path: Path) -> None:
    """Take the file *path* away with all that belongs to it; there need not be one.

    Raises:
        RingTrouble: It is none of ours, or the disk keeps it.
    """
    with _told(path, "taken away"):
        _refuse_foreign(path)
        _remove(path)


def _remove(path: Path) -> None:
    for ending in _ENDINGS:
        Path(f"{path}{ending}").unlink(missing_ok=True)


def _connect(path: Path) -> sqlite3.Connection:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    _refuse_foreign(path)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))  # nobody else's ears
    connection = sqlite3.connect(path, timeout=_BUSY_S, check_same_thread=False)
    connection.text_factory = _text
    try:
        _prepare(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def _refuse_foreign(path: Path) -> None:
    """Refuse what was never a database: somebody's file is not begun anew."""
    if not path.exists():
        return
    with path.open("rb") as file:
        start = file.read(_HEADER_BYTES)
    magic, whose = start[: len(_MAGIC)], start[_WHOSE]
    if magic.strip(b"\0") and not (_MAGIC.startswith(magic) and whose in _OURS):
        raise RingTrouble(f"{path} is no file of the ears. Move it away, then restart the table.")


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    if not connection.execute("SELECT 1 FROM sqlite_schema").fetchone():
        connection.executescript(_SCHEMA)
    elif _pragma(connection, "user_version") > SCHEMA_VERSION:
        raise RingTrouble(
            f"{path} was written by a newer Kloplei. Update Kloplei, or move that file away."
        )
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute(f"PRAGMA wal_autocheckpoint = {_CHECKPOINT_PAGES}")


def _text(raw: bytes) -> str:
    return raw.decode(errors="replace")  # a row with such a text is left out, and no other


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])


@contextmanager
def _told(path: Path, done: str = "written") -> Iterator[None]:
    try:
        yield
    except RingTrouble:
        raise
    except (*_ERRORS, OSError) as error:
        raise RingTrouble(
            f"The file of the ears {path} cannot be {done} ({error}). "
            f"The evening goes on without it; have a look at its disk: df -h {path.parent}"
        ) from error


def _is_damaged(error: Exception) -> bool:
    # A bit that fell over in the schema makes it another one, with columns that are none of
    # ours, or a complaint about it that is no text.
    if isinstance(error, UnicodeDecodeError):
        return True
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR}
