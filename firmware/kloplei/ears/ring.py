"""The file of the ring: the last blows with their windows, in SQLite, beside the journal.

It outlives a power cut, but is no journal: what the last second brought may be lost with the
plug, and a damaged file is begun anew. Nothing else is ever recorded.
"""

import json
import os
import sqlite3
import sys
from array import array
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from kloplei.ears.kept import Kept
from kloplei.errors import KlopleiError
from kloplei.knock.signal import Window
from kloplei.knock.verdict import Judgement, Verdict
from kloplei.rules.game import Seat

APPLICATION_ID = 0x65617273  # "ears": file(1) and we know whose database it is
SCHEMA_VERSION = 1

_BUSY_S = 1.0
_CHECKPOINT_PAGES = 256
_MAGIC = b"SQLite format 3\0"
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
            except sqlite3.DatabaseError as error:
                if not _is_damaged(error):
                    raise
                forget(path)
                self._connection = _connect(path)

    def read(self) -> list[Kept]:
        """Return all that is kept, oldest first; what cannot be read is left out.

        Raises:
            RingTrouble: The disk does not play along.
        """
        with _told(self._path):
            try:
                rows = self._connection.execute("SELECT * FROM blows ORDER BY number").fetchall()
            except sqlite3.DatabaseError as error:
                if not _is_damaged(error):
                    raise
                rows = []
        return list(_sound(rows))

    def write(self, put: Iterable[Kept], numbers: Iterable[int]) -> None:
        """Put those blows in, in place of what had their number, and drop all but *numbers*.

        Raises:
            RingTrouble: Nothing of it was written; the next call may try again.
        """
        with _told(self._path), self._connection:
            self._connection.executemany(_PUT, [_row(one) for one in put])
            self._connection.execute(_DROP, [json.dumps([*numbers])])

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()


def forget(path: Path) -> None:
    """Take the file *path* away with all that belongs to it; there need not be one."""
    for ending in _ENDINGS:
        Path(f"{path}{ending}").unlink(missing_ok=True)


def _connect(path: Path) -> sqlite3.Connection:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    _refuse_foreign(path)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))  # nobody else's ears
    connection = sqlite3.connect(path, timeout=_BUSY_S, check_same_thread=False)
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
        start = file.read(len(_MAGIC))
    if start.strip(b"\0") and not _MAGIC.startswith(start):
        raise RingTrouble(f"{path} is no file of the ears. Move it away, then restart the table.")


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    if not connection.execute("SELECT 1 FROM sqlite_schema").fetchone():
        connection.executescript(_SCHEMA)
    elif _pragma(connection, "application_id") != APPLICATION_ID:
        raise RingTrouble(f"{path} is no file of the ears. Move it away, then restart the table.")
    elif _pragma(connection, "user_version") > SCHEMA_VERSION:
        raise RingTrouble(
            f"{path} was written by a newer Kloplei. Update Kloplei, or move that file away."
        )
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute(f"PRAGMA wal_autocheckpoint = {_CHECKPOINT_PAGES}")


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])


@contextmanager
def _told(path: Path) -> Iterator[None]:
    try:
        yield
    except RingTrouble:
        raise
    except (sqlite3.Error, OSError) as error:
        raise RingTrouble(
            f"What the table hears is not kept on disk: {path} cannot be written ({error}). "
            f"The evening goes on without; for the disk look at: df -h {path.parent}"
        ) from error


def _is_damaged(error: sqlite3.DatabaseError) -> bool:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


def _row(one: Kept) -> tuple[Any, ...]:
    judged = one.judgement
    return (
        one.number,
        one.at,
        judged.at_s,
        judged.decided_at_s,
        judged.verdict,
        judged.likelihood,
        judged.strength,
        judged.seat,
        judged.confidence,
        judged.part,
        one.was,
        one.was_seat,
        *_window_columns(judged.window),
    )


def _window_columns(window: Window | None) -> tuple[Any, ...]:
    if window is None:
        return (None,) * 6
    samples = b"".join(_little_endian(array("f", one)).tobytes() for one in window.channels)
    return (
        window.onset_s,
        window.start_s,
        window.rate_hz,
        window.skew_s,
        len(window.channels),
        samples,
    )


def _sound(rows: Iterable[Any]) -> Iterator[Kept]:
    for row in rows:
        try:
            yield _kept(*row)
        except (ValueError, TypeError):
            continue  # a row that somebody edited, or a version that wrote something else


def _kept(
    number: int,
    at: float | None,
    at_s: float,
    decided_at_s: float,
    verdict: str,
    likelihood: float,
    strength: float,
    seat: int | None,
    confidence: float,
    part: str,
    was: str | None,
    was_seat: int | None,
    *window: Any,
) -> Kept:
    judgement = Judgement(
        at_s,
        decided_at_s,
        Verdict(verdict),
        likelihood,
        strength,
        None if seat is None else Seat(seat),
        confidence,
        part,
        _window(*window),
    )
    return Kept(
        number,
        at,
        judgement,
        None if was is None else Verdict(was),
        None if was_seat is None else Seat(was_seat),
    )


def _window(
    onset_s: float | None,
    start_s: float | None,
    rate_hz: float | None,
    skew_s: float | None,
    channels: int | None,
    samples: bytes | None,
) -> Window | None:
    if onset_s is None or start_s is None or not rate_hz or not channels or samples is None:
        return None
    whole = _little_endian(array("f", samples))
    length, rest = divmod(len(whole), channels)
    if rest or not length:
        raise ValueError("channels of unequal length")
    cut = tuple(whole[at * length : (at + 1) * length] for at in range(channels))
    return Window(onset_s, start_s, rate_hz, cut, skew_s or 0.0)


def _little_endian(samples: "array[float]") -> "array[float]":
    if sys.byteorder == "big":
        samples.byteswap()
    return samples
