"""The event log: the last blows with their windows, in SQLite, beside the journal.

`EventLogWriter` is the thread that writes; nobody waits for it, and it never gives up. The log
outlives a power cut, but is no journal: what the last second brought may be lost with the plug,
and a damaged file is begun anew. Nothing else is ever recorded. A `LoggedEvent` is one blow: its
judgement, its window, and what people say that it was.
"""

import json
import logging
import os
import sqlite3
import threading
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from operator import attrgetter
from pathlib import Path
from typing import Any

from kloplei.files import little_endian
from kloplei.frozen import dataclass, replace
from kloplei.games.game import Seat
from kloplei.knock.judgement import DOUBTFUL_LINE, KNOCK_LINE, Judgement, Verdict
from kloplei.knock.signal import Samples, Window
from kloplei.table.client import HeardEvent, Shape
from kloplei.table.schema import JOURNAL, load
from kloplei.words import Sentence, SentenceError

LONGEST_S = 0.2  # of a window; what people say before and after a blow is nobody's business
SHOWN_BEFORE_S = 0.012  # of a shape; the rest of the quiet before a blow tells nobody anything
STRETCHES = 48  # of a shape
_FULL_SCALE = 1000


@dataclass(frozen=True, slots=True)
class LoggedEvent:
    """A judged blow, *at* the wall clock's time if anybody knows it."""

    number: int
    at: float | None
    judgement: Judgement
    was: Verdict | None = None
    was_seat: Seat | None = None

    @property
    def is_marked(self) -> bool:
        """Whether somebody has said what it was."""
        return self.was is not None

    def told(self) -> HeardEvent:
        """Return it as those outside read it."""
        judged = self.judgement
        return HeardEvent(
            number=self.number,
            verdict=judged.verdict,
            likelihood=judged.likelihood,
            strength=judged.strength,
            confidence=judged.confidence,
            part=judged.part,
            seat=judged.seat,
            at=self.at,
            shape=None if judged.window is None else shape_of(judged.window),
            was=self.was,
            was_seat=self.was_seat,
            line=judged.line,
        )


def slim(judgement: Judgement) -> Judgement:
    """Return *judgement* with a window that is short and small enough to be kept."""
    window = judgement.window
    return judgement if window is None else replace(judgement, window=_slim(window))


def _slim(window: Window) -> Window:
    """Cut *window* to `LONGEST_S` and pack its samples: 4 bytes each, in memory as on disk."""
    most = max(1, int(LONGEST_S * window.rate_hz))
    return replace(window, channels=tuple(array("f", one[:most]) for one in window.channels))


def shape_of(window: Window) -> Shape | None:
    """Return the outline of *window* on the channel that felt the blow most."""
    onset_s = window.onset_s - window.start_s
    begin = max(0, round((onset_s - SHOWN_BEFORE_S) * window.rate_hz))
    loudest = max((one[begin:] for one in window.channels), key=_peak, default=())
    if not loudest:
        return None
    stretches = min(STRETCHES, len(loudest))
    parts = [
        loudest[at * len(loudest) // stretches : (at + 1) * len(loudest) // stretches]
        for at in range(stretches)
    ]
    return Shape(
        span_s=len(loudest) / window.rate_hz,
        onset_s=onset_s - begin / window.rate_hz,
        lows=tuple(_thousandths(min(part)) for part in parts),
        highs=tuple(_thousandths(max(part)) for part in parts),
    )


def _peak(channel: Samples) -> float:
    return max(map(abs, channel), default=0.0)


def _thousandths(sample: float) -> int:
    return max(-_FULL_SCALE, min(_FULL_SCALE, round(sample * _FULL_SCALE)))


APPLICATION_ID = 0x65617273  # "ears": file(1) and we know whose database it is
SCHEMA_VERSION = 2
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
    samples BLOB,               -- 32-bit floats, little-endian, one channel after the other
    line REAL NOT NULL DEFAULT {KNOCK_LINE} -- likelihood from which on it was a knock then
) STRICT;
COMMIT;
"""
_FROM_1 = f"""
BEGIN;
ALTER TABLE blows ADD COLUMN line REAL NOT NULL DEFAULT {KNOCK_LINE};
PRAGMA user_version = {SCHEMA_VERSION};
COMMIT;
"""
_PUT = "INSERT OR REPLACE INTO blows VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"
_DROP = "DELETE FROM blows WHERE number NOT IN (SELECT value FROM json_each(?))"


class EventLogError(SentenceError, OSError):
    """The file does not take what was heard; one sentence says what to do."""


class EventLog:
    """The file *path*, made when it is missing; for one thread at a time.

    Raises:
        EventLogError: It cannot be opened, or is somebody else's.
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

    def read(self) -> list[LoggedEvent]:
        """Return all that is kept, oldest first; nothing of a file that is damaged.

        Raises:
            EventLogError: The disk does not play along.
        """
        with _told(self._path):
            try:
                rows = self._connection.execute("SELECT * FROM blows ORDER BY number").fetchall()
            except _ERRORS as error:
                self._begin_anew(error)
                return []
        return list(sound(rows))

    def write(self, put: Sequence[LoggedEvent], numbers: Iterable[int]) -> None:
        """Put those blows in, in place of what had their number, and drop all but *numbers*.

        Raises:
            EventLogError: Nothing of it was written; the next call may try again.
        """
        kept = json.dumps([*numbers])
        with _told(self._path):
            try:
                self._write(put, kept)
            except _ERRORS as error:
                self._begin_anew(error)
                self._write(put, kept)

    def _write(self, put: Sequence[LoggedEvent], kept: str) -> None:
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
        EventLogError: It is none of ours, or the disk keeps it.
    """
    with _told(path, "taken away"):
        _refuse_foreign(path)
        _remove(path)


logger = logging.getLogger(__name__)
_PACE_S = 1.0  # at least between two writes, for the card's sake
_RETRY_S = 30.0  # until a disk that refused is tried again
_PATIENCE_S = 2.0  # with the last write, when the box stops


class EventLogWriter:
    """Writes what is kept to the file *path*, some at once.

    What waits is never more than what is kept: what is kept no longer while the disk dawdles is
    not written any more. Trouble is logged once, kept as `trouble`, and tried again.

    Args:
        path: The file of the log.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._log: EventLog | None = None
        self._news = threading.Condition()
        self._waiting: dict[int, LoggedEvent] = {}
        self._numbers: frozenset[int] = frozenset()
        self._dirty = False
        self._closing = threading.Event()
        self.trouble: Sentence | None = None
        """One sentence on why the disk does not take what was heard, until it does."""
        self._thread = threading.Thread(target=self._run, name="kloplei-events", daemon=True)

    def load(self) -> list[LoggedEvent]:
        """Return what the file holds, oldest first, nothing if it cannot be read. Comes first."""
        try:
            return self._opened().read()
        except EventLogError as error:
            self._give_up(error)
            return []

    def start(self) -> None:
        """Begin to write."""
        self._thread.start()

    def put(self, blow: LoggedEvent, numbers: frozenset[int]) -> None:
        """Have *blow* written soon, and all but *numbers* dropped; never blocks for long."""
        with self._news:
            self._waiting[blow.number] = blow
            self._waiting = {n: one for n, one in self._waiting.items() if n in numbers}
            self._numbers = numbers
            self._dirty = True
            self._news.notify()

    def close(self) -> None:
        """Write what waits, and stop; a disk that hangs is left alone."""
        self._closing.set()
        with self._news:
            self._news.notify()
        if self._thread.is_alive():
            self._thread.join(_PATIENCE_S)

    def _run(self) -> None:
        while not self._closing.is_set():
            with self._news:
                self._news.wait_for(lambda: self._dirty or self._closing.is_set())
            self._closing.wait(_PACE_S if self._write() else _RETRY_S)
        self._write()
        if self._log is not None:
            self._log.close()

    def _write(self) -> bool:
        with self._news:
            if not self._dirty:
                return True
            waiting, self._waiting = self._waiting, {}
            numbers, self._dirty = self._numbers, False
        try:
            self._opened().write([*waiting.values()], numbers)
        except EventLogError as error:
            self._give_up(error)
            with self._news:
                newer = {**waiting, **self._waiting}
                self._waiting = {n: one for n, one in newer.items() if n in self._numbers}
                self._dirty = True
            return False
        if self.trouble is not None:
            logger.info("What the table hears is kept on disk again.")
            self.trouble = None
        return True

    def _opened(self) -> EventLog:
        self._log = self._log or EventLog(self._path)
        return self._log

    def _give_up(self, error: EventLogError) -> None:
        """Close the file, so that the disk can be unmounted and mended; tell why, once."""
        if self._log is not None:
            self._log.close()
            self._log = None
        if self.trouble is None:
            logger.warning("%s", error)
        self.trouble = error.sentence


Row = tuple[Any, ...]

_LARGEST = 1e12  # seconds, samples a second, and whatever else is told of a blow
_LAST_NUMBER = 2**53  # what every reader of JSON holds
# The columns in their order: number, time and what a `Judgement` holds; its mark; its window; the
# line that stood then.
_BLOW: Any = tuple[int, float | None, float, float, Verdict, float, float, Seat | None, float, str]
_MARK: Any = tuple[Verdict | None, Seat | None]
_BLOW_COLUMNS, _MARK_COLUMNS, _WINDOW_COLUMNS = slice(0, 10), slice(10, 12), slice(12, 18)
_LINE = 18
_judged = attrgetter(
    *("at_s", "decided_at_s", "verdict", "likelihood", "strength", "seat", "confidence", "part")
)


def row(one: LoggedEvent) -> Row:
    """Return *one* in the order of the columns of `kloplei.review.store`."""
    judged = one.judgement
    marked = (one.was, one.was_seat)
    window = _window_columns(judged.window)
    return (one.number, one.at, *_judged(judged), *marked, *window, judged.line)


def _window_columns(window: Window | None) -> tuple[Any, ...]:
    if window is None:
        return (None,) * 6
    samples = b"".join(little_endian(array("f", one)).tobytes() for one in window.channels)
    return (
        window.onset_s,
        window.start_s,
        window.rate_hz,
        window.skew_s,
        len(window.channels),
        samples,
    )


def sound(rows: Iterable[Row]) -> Iterator[LoggedEvent]:
    """Yield what *rows* hold, without those that make no sense."""
    for one in rows:
        try:
            yield _kept(one)
        except (ValueError, TypeError):
            continue  # a row that somebody edited, or a version that wrote something else


def _kept(columns: Row) -> LoggedEvent:
    number, at, *found = load(_BLOW, columns[_BLOW_COLUMNS], JOURNAL)
    window, line = _window(*columns[_WINDOW_COLUMNS]), load(float, columns[_LINE], JOURNAL)
    judged = Judgement(*found)
    # No column says so: one that is held is as likely as that very line, which no other blow is.
    is_held = judged.likelihood == DOUBTFUL_LINE
    judged = replace(judged, window=window, line=line, is_held=is_held)
    _check(judged.at_s, judged.decided_at_s, at or 0.0)
    _check(judged.likelihood, judged.strength, judged.confidence, judged.line, most=1.0)
    if not 0 < number <= _LAST_NUMBER:
        raise ValueError("no number of a blow")
    return LoggedEvent(number, at, judged, *load(_MARK, columns[_MARK_COLUMNS], JOURNAL))


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
    _check(onset_s, start_s, rate_hz, onset_s - start_s)
    whole = little_endian(array("f", samples))
    _check(*whole)
    length, rest = divmod(len(whole), channels)
    if rest or not length:
        raise ValueError("channels of unequal length")
    cut = tuple(whole[at * length : (at + 1) * length] for at in range(channels))
    return Window(onset_s, start_s, rate_hz, cut, skew_s or 0.0)


def _check(*numbers: float, most: float = _LARGEST) -> None:
    """Refuse what no sensor and no clock says, such as infinity."""
    if not all(-most <= one <= most for one in numbers):
        raise ValueError("a number beyond reason")


def _remove(path: Path) -> None:
    # The WAL goes with its database: left behind, it would be played into the one begun anew.
    for ending in _ENDINGS:
        Path(f"{path}{ending}").unlink(missing_ok=True)


def _connect(path: Path) -> sqlite3.Connection:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    _refuse_foreign(path)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))  # nobody else's ears
    connection = sqlite3.connect(path, timeout=_BUSY_S, check_same_thread=False)
    # A row with such a text is left out, and no other.
    connection.text_factory = lambda raw: raw.decode(errors="replace")
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
        raise EventLogError(Sentence("ears-foreign", path=str(path)))


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    if not connection.execute("SELECT 1 FROM sqlite_schema").fetchone():
        connection.executescript(_SCHEMA)
    else:
        _bring_up(connection, path)
    # In WAL mode NORMAL does not wait for the card at each commit. A power cut may cut off the last
    # commits, never a part of one, and that is good enough here: the journal itself waits (FULL).
    # The WAL is folded in often, or a night of noise would leave a file of its own on the card.
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute(f"PRAGMA wal_autocheckpoint = {_CHECKPOINT_PAGES}")


def _bring_up(connection: sqlite3.Connection, path: Path) -> None:
    """Bring the file of a version before to `SCHEMA_VERSION`; refuse that of one to come."""
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version > SCHEMA_VERSION:
        raise EventLogError(Sentence("ears-newer", path=str(path)))
    if version < SCHEMA_VERSION:
        connection.executescript(_FROM_1)


@contextmanager
def _told(path: Path, done: str = "written") -> Iterator[None]:
    try:
        yield
    except EventLogError:
        raise
    except (*_ERRORS, OSError) as error:
        where = {"path": str(path), "folder": str(path.parent)}
        raise EventLogError(
            Sentence("ears-unkept", **where, done=done, error=str(error))
        ) from error


def _is_damaged(error: Exception) -> bool:
    # A bit that fell over in the schema makes it another one, with columns that are none of
    # ours, or a complaint about it that is no text.
    if isinstance(error, UnicodeDecodeError):
        return True
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR}
