"""What was read out of the journal, in a file of its own beside it, which can be thrown away.

`HistoryStore.update` goes on from where it had read to. What nobody can take back any more stays
as it is told; the running evening, and what an undo may reach, is folded again each time. Where the
journal is another one, or another Kloplei wrote the file, all of it is made anew; a file that is
spoilt is thrown away first. An evening is one transaction, so that a power cut costs nothing.

What people are called stands in the journal alone: here are ids, and the names of guests.
"""

import json
import logging
import os
import sqlite3
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from kloplei import __version__
from kloplei.config.settings import NOTEBOOKS
from kloplei.frozen import replace
from kloplei.games.statistics import Counts
from kloplei.history.evenings import Folded, guest_key
from kloplei.history.reading import EndedEvening, JournalReading
from kloplei.history.seasons import Honour, honours_of
from kloplei.history.steps import JournalChanged, JournalReader, ReadUpTo
from kloplei.history.titles import titles_of
from kloplei.table.history_client import Evening, EveningLine, Player
from kloplei.table.schema import dump, load
from kloplei.table.seating import TableState, dump_state, load_state

IMPORTED = 1_000_000
"""Evenings from paper have numbers above this, as they stand on the shelf."""
RANK = f"(CASE WHEN number > {IMPORTED} THEN number - {2 * IMPORTED} ELSE number END)"
"""What evenings are in order of; those from paper come before the first that was played here."""
_SHAPE = 5  # of the tables below, and of what is counted in them
_VERSION = __version__  # what it tells of an evening
_BUSY_S = 5.0
_LATELY = 4  # evenings in which a title is better not given again
_SCHEMA = """
CREATE TABLE IF NOT EXISTS read_upto (
    version TEXT NOT NULL,
    seq INTEGER NOT NULL,    -- entries up to here are told for good
    link INTEGER NOT NULL,   -- of that entry
    era TEXT NOT NULL,
    state TEXT NOT NULL,     -- what stood at the table then
    settled INTEGER NOT NULL, -- evenings up to this number are told for good
    begun INTEGER NOT NULL,  -- the entry before the evening that runs
    last INTEGER NOT NULL    -- the last entry that was read at all
) STRICT;
CREATE TABLE IF NOT EXISTS evenings (
    number INTEGER PRIMARY KEY,
    after INTEGER NOT NULL,  -- the entry before its first
    at REAL,
    line TEXT NOT NULL,
    told BLOB NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS shelf (
    state TEXT NOT NULL      -- of the notebooks that are told
) STRICT;
CREATE TABLE IF NOT EXISTS players (
    key TEXT NOT NULL,       -- p and a person's id, or g and a guest's name
    evening INTEGER NOT NULL,
    name TEXT NOT NULL,      -- of a guest
    PRIMARY KEY (key, evening)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS players_of_evening ON players (evening);
CREATE TABLE IF NOT EXISTS honours (
    evening INTEGER NOT NULL,
    player TEXT NOT NULL,
    game TEXT NOT NULL,
    rubbers INTEGER NOT NULL,
    bought INTEGER NOT NULL,
    drunk INTEGER NOT NULL,
    crowns INTEGER NOT NULL,
    points INTEGER NOT NULL,
    settled INTEGER NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS honours_of_evening ON honours (evening);
CREATE TABLE IF NOT EXISTS titles (
    evening INTEGER NOT NULL,
    title TEXT NOT NULL,
    player TEXT NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS titles_of_evening ON titles (evening);
CREATE TABLE IF NOT EXISTS counts (
    evening INTEGER NOT NULL,
    player TEXT NOT NULL,
    game TEXT NOT NULL,
    what TEXT NOT NULL,
    detail TEXT NOT NULL,
    against TEXT,
    value REAL NOT NULL,
    n INTEGER NOT NULL,
    most REAL NOT NULL,
    least REAL NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS counts_of_evening ON counts (evening);
CREATE TABLE IF NOT EXISTS totals (  -- of the counts of all evenings that are told for good
    player TEXT NOT NULL,    -- empty for all of them together
    game TEXT NOT NULL,
    what TEXT NOT NULL,
    detail TEXT NOT NULL,
    against TEXT NOT NULL,   -- empty for nobody
    value REAL NOT NULL,
    n INTEGER NOT NULL,
    most REAL NOT NULL,
    least REAL NOT NULL,
    PRIMARY KEY (player, game, what, detail, against)
) STRICT, WITHOUT ROWID;
"""
_ADD_UP = """
INSERT INTO totals
SELECT player, game, what, detail, coalesce(against, ''), sum(value), sum(n), max(most), min(least)
FROM counts WHERE evening = ?1 GROUP BY player, game, what, detail, against
UNION ALL
SELECT '', game, what, detail, '', sum(value), sum(n), max(most), min(least)
FROM counts WHERE evening = ?1 GROUP BY game, what, detail
ON CONFLICT DO UPDATE SET
    value = value + excluded.value, n = n + excluded.n,
    most = max(most, excluded.most), least = min(least, excluded.least)
"""
_PARTS = ("players", "honours", "titles", "counts")
_TABLES = ("read_upto", "evenings", "shelf", "totals", *_PARTS)
logger = logging.getLogger(__name__)
_spelled = json.JSONEncoder(separators=(",", ":")).encode


def player_key(player: Player) -> str:
    """Return by what *player* is known over the years."""
    return f"g{guest_key(player.name)}" if player.person is None else f"p{player.person}"


class HistoryStore:
    """The one writer of the history *path*, which tells the *journal*; for one thread.

    Args:
        journal: Read alone, while its table goes on.
        path: The file; made when it is missing.
        pause: Called between two steps: it may sleep, so that the table's thread comes first, or
            raise, which ends the reading with nothing half told.
    """

    def __init__(self, journal: Path, path: Path, pause: Callable[[], None] = lambda: None) -> None:
        self.path = path
        self._journal = journal
        self._pause = pause
        self._reading: tuple[JournalReading, ReadUpTo] | None = None

    def update(self) -> None:
        """Read what is new in the journal, and tell it.

        Raises:
            sqlite3.Error: The journal cannot be read, or the disk does not take what is told.
            OSError: There is no journal, or something else stands where the history goes.
        """
        try:
            self._update()
        except SPOILT as error:
            if _is_elsewhere(error) or _is_sound(self.path, self._pause):
                raise
            logger.warning("The history %s is spoilt, and made anew: %s", self.path, error)
            throw_away(self.path)
            self._update()

    @property
    def is_current(self) -> bool:
        """Whether it is told by this Kloplei, of the journal and of the notebooks as they stand.

        New entries in the same journal do not count.
        """
        try:
            with JournalReader(self._journal) as journal, closing(open_to_tell(self.path)) as told:
                found = told.execute("SELECT version, era FROM read_upto").fetchone()
                shelf = told.execute("SELECT state FROM shelf").fetchone() or ("",)
                return (found, *shelf) == (
                    (_VERSION, journal.mark(0).era),
                    _shelf_state(self._journal.parent / NOTEBOOKS),
                )
        except (sqlite3.Error, OSError):
            return True  # `update` tells what is wrong

    def look_through(self) -> None:
        """Throw the history away if anything in it cannot be read: `update` makes it anew."""
        if not _is_sound(self.path, self._pause):
            logger.warning("The history %s is spoilt, and made anew.", self.path)
            throw_away(self.path)

    def _update(self) -> None:
        try:
            self._tell_journal()
        finally:  # a notebook may be here before anybody has played
            self._tell_shelf()

    def _tell_journal(self) -> None:
        # Whatever goes wrong below, the next time all is read again from what the file says.
        reading, self._reading = self._reading, None
        with JournalReader(self._journal) as journal, closing(_connect(self.path)) as connection:
            if reading is not None and journal.find_mark(reading[0].last) != reading[1]:
                reading = None
            telling = _Telling(connection, journal, self._pause)
            try:
                read = telling.go_on(reading and reading[0])
            except JournalChanged:
                with _transaction(connection):
                    _empty(connection)
                read = telling.go_on(None)
            self._reading = read, journal.mark(read.last)

    def _tell_shelf(self) -> None:
        """Tell the evenings from paper, if the shelf is otherwise than it was."""
        state = _shelf_state(self._journal.parent / NOTEBOOKS)
        if not state and not self.path.exists():
            return
        with closing(_connect(self.path)) as connection:
            told = connection.execute("SELECT state FROM shelf").fetchone()
            if state == (told[0] if told else ""):
                return
            found = list(self._on_shelf()) if state else []
            with _transaction(connection):
                _take_away(connection, IMPORTED + 1, IMPORTED * 2)
                for number, one in enumerate(found, start=IMPORTED + 1):
                    _put(connection, number, replace(one, after=-1))
                    self._pause()
                connection.execute("DELETE FROM shelf")
                connection.execute("INSERT INTO shelf VALUES (?)", (state,))

    def _on_shelf(self) -> Iterator[Folded]:
        # Here: to read records takes YAML, and few boxes have a notebook.
        from kloplei.files import KlopleiError
        from kloplei.history.notebooks import NotebookStore, read_notebook

        try:
            notebooks = NotebookStore(self._journal.parent).read()
        except KlopleiError as error:
            logger.warning("%s", error)
            return
        for notebook in notebooks:
            try:
                yield from read_notebook(notebook, self._pause).evenings
            except KlopleiError as error:  # the rules' text has changed since
                logger.warning("The notebook %s is left out: %s", notebook.name, error)
            self._pause()


class _Telling:
    """Tells in *connection* what stands in a *journal*, from where nobody can take it back."""

    def __init__(
        self, connection: sqlite3.Connection, journal: JournalReader, pause: Callable[[], None]
    ) -> None:
        self._connection = connection
        self._journal = journal
        self._pause = pause

    def go_on(self, reading: JournalReading | None) -> JournalReading:
        """Tell all that is new, *reading* on where one has come to that; return how far it is now.

        Raises:
            JournalChanged: It is another journal than was read.
        """
        found = self._connection.execute("SELECT * FROM read_upto").fetchone() or self._begin()
        version, seq, link, era, written, settled, _, last = found
        if version != _VERSION or self._journal.find_mark(seq) != ReadUpTo(seq, link, era):
            raise JournalChanged
        if reading is None or (reading.after, reading.last) != (seq, last):
            state = load_state(written)
            if state is None:
                raise JournalChanged
            reading = JournalReading(seq, state, self._pause)
        if last < self._journal.last_seq:
            self._read_on(reading, settled)
        return reading

    def _begin(self) -> tuple[Any, ...]:
        era = self._journal.mark(0).era
        first = (_VERSION, 0, 0, era, dump_state(_FIRST), 0, 0, 0)
        with _transaction(self._connection):
            _empty(self._connection)
            self._connection.execute("INSERT INTO read_upto VALUES (?,?,?,?,?,?,?,?)", first)
        return first

    def _read_on(self, reading: JournalReading, settled: int) -> None:
        for step in self._journal.steps(reading.last):
            for ended in reading.take(step):
                settled += 1
                self._settle(ended, settled)
                reading.told = []
            self._pause()
        found = reading.unsettled()
        # Those that are told already stay as they are.
        same = [now is then for now, then in zip(found, reading.told, strict=False)]
        kept = same.index(False) if False in same else len(same)
        with _transaction(self._connection):
            _take_away(self._connection, settled + kept + 1)
            for number, one in enumerate(found[kept:], start=settled + kept + 1):
                _put(self._connection, number, one)
            upto = (reading.begun, reading.last)
            self._connection.execute("UPDATE read_upto SET (begun, last) = (?, ?)", upto)
        reading.told = found

    def _settle(self, ended: EndedEvening, number: int) -> None:
        """Tell an evening for good."""
        mark, last = self._journal.mark(ended.after), max(ended.after, ended.folded.last)
        with _transaction(self._connection):
            _take_away(self._connection, number)
            _put(self._connection, number, ended.folded)
            self._connection.execute(_ADD_UP, (number,))
            self._connection.execute(
                "UPDATE read_upto SET (seq, link, state, settled, last) = (?, ?, ?, ?, ?)",
                (mark.seq, mark.link, dump_state(ended.state), number, last),
            )


_FIRST = TableState("toepen")


def _connect(path: Path) -> sqlite3.Connection:
    _demand_file(path)
    # Names stand in it: for its owner's eyes only, as the journal.
    with suppress(OSError):  # SQLite says what is wrong
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    connection = sqlite3.connect(path, timeout=_BUSY_S, isolation_level=None)
    try:
        _demand_ours(connection, path)
        connection.execute("PRAGMA journal_mode = WAL")
        # What a power cut costs is read out of the journal again.
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA secure_delete = ON")  # the names of who was forgotten
        if not _has_shape(connection):
            connection.executescript(_SCHEMA)
            connection.execute(f"PRAGMA user_version = {_SHAPE}")
    except BaseException:
        connection.close()
        raise
    return connection


def _has_shape(connection: sqlite3.Connection) -> bool:
    (shape,) = connection.execute("PRAGMA user_version").fetchone()
    if shape not in (0, _SHAPE):
        error = sqlite3.DatabaseError("the tables are those of another version")
        error.sqlite_errorcode = sqlite3.SQLITE_NOTADB
        raise error
    return bool(shape)


def _demand_file(path: Path) -> None:
    """Refuse what is no file: to open a pipe is to wait at it."""
    if path.exists() and not path.is_file():
        raise FileExistsError(f"{path} is not a file: move it away")


def _demand_ours(connection: sqlite3.Connection, path: Path) -> None:
    """Refuse a database that holds what Kloplei never wrote there."""
    tables = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
    if foreign := {name for (name,) in tables if not name.startswith("sqlite_")} - {*_TABLES}:
        raise FileExistsError(f"{path} holds {min(foreign)}, not evenings: move it away")


def open_to_tell(path: Path) -> sqlite3.Connection:
    """Open the history *path* to read it, whoever writes on; one that is not there is empty.

    Raises:
        sqlite3.Error: It cannot be read.
        OSError: It is no file.
    """
    if path.exists():
        _demand_file(path)
        try:
            there = _look_into(path, "mode=ro")
        except sqlite3.OperationalError as error:
            if not (_is_elsewhere(error) and _is_whole(path)):
                raise
            there = _look_into(path, "immutable=1")  # a full disk has no room for a reader's lock
        if there is not None:
            return there
    nothing = sqlite3.connect(":memory:")
    nothing.executescript(_SCHEMA)
    return nothing


def _look_into(path: Path, how: str) -> sqlite3.Connection | None:
    """Return *path*, opened to be read; None where it is still to be made."""
    there = sqlite3.connect(f"{path.absolute().as_uri()}?{how}", uri=True, timeout=_BUSY_S)
    try:
        if there.execute("PRAGMA user_version").fetchone() == (_SHAPE,):
            return there
    except BaseException:
        there.close()
        raise
    there.close()
    return None


def _is_whole(path: Path) -> bool:
    """Return whether all that was told stands in the file itself, and nothing in its log."""
    log = path.with_name(f"{path.name}-wal")
    return not log.exists() or not log.stat().st_size


def throw_away(path: Path) -> None:
    """Let there be no history at *path*; it is made anew out of the journal."""
    for ending in ("", "-wal", "-shm"):
        with suppress(FileNotFoundError):
            path.with_name(path.name + ending).unlink()


SPOILT = (sqlite3.Error, ValueError, LookupError, TypeError, AttributeError, zlib.error)
"""What comes of reading a file in which some byte is another one."""


_ELSEWHERE = (
    *(sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_READONLY),
    *(sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL, sqlite3.SQLITE_CANTOPEN),
)


def _is_elsewhere(error: Exception) -> bool:
    """Return whether it is the disk, or another process, that stands in the way."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in _ELSEWHERE


def _is_sound(path: Path, pause: Callable[[], None]) -> bool:
    """Return whether all that stands at *path* can be read, as far as that can be told.

    *pause* is called between two rows.
    """
    try:
        with closing(_connect(path)) as connection:
            found = connection.execute("PRAGMA integrity_check").fetchone()
            for table in _TABLES:
                for _ in connection.execute(f"SELECT * FROM {table}"):  # noqa: S608 - ours
                    pass
                pause()
            for line, told in connection.execute("SELECT line, told FROM evenings"):
                line_of(line)
                evening_of(told)
                pause()
            for (key,) in connection.execute("SELECT key FROM players WHERE key LIKE 'p%'"):
                int(key[1:])
    except SPOILT as error:
        return _is_elsewhere(error)
    return bool(found == ("ok",))


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        with suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _empty(connection: sqlite3.Connection) -> None:
    for table in _TABLES:
        connection.execute(f"DELETE FROM {table}")  # noqa: S608 - names of ours


def _take_away(connection: sqlite3.Connection, number: int, upto: int = IMPORTED) -> None:
    """Take evenings away from *number* on; by themselves those that were played here alone."""
    span = (number, upto)
    connection.execute("DELETE FROM evenings WHERE number BETWEEN ? AND ?", span)
    for table in _PARTS:
        connection.execute(f"DELETE FROM {table} WHERE evening BETWEEN ? AND ?", span)  # noqa: S608


def _shelf_state(path: Path) -> str:
    """Return what is otherwise whenever the notebooks at *path* are; empty where there are none."""
    try:
        found = path.stat()
    except OSError:
        return ""
    return f"{_VERSION} {found.st_mtime_ns} {found.st_size} {found.st_ino}"


def _put(connection: sqlite3.Connection, number: int, folded: Folded) -> None:
    line = folded.evening.line
    keys = {one.number: player_key(one) for one in line.players}
    evening, honours = _judged(folded, _earlier_titles(connection, number))
    told = zlib.compress(_spelled(dump(evening)).encode(), 1)
    put = connection.executemany
    row = (number, folded.after, line.at, _spelled(dump(line)), told)
    put("INSERT INTO evenings VALUES (?,?,?,?,?)", [row])
    names = {keys[one.number]: one.name for one in line.players}
    players = [(key, number, name) for key, name in sorted(names.items())]
    put("INSERT INTO players VALUES (?,?,?)", players)
    won = [(number, keys[player], game, *told) for (player, game), told in honours.items()]
    put("INSERT INTO honours VALUES (?,?,?,?,?,?,?,?,?)", won)
    borne = [
        (number, one.key, keys[who]) for one in evening.titles for who in (one.player, *one.shared)
    ]
    put("INSERT INTO titles VALUES (?,?,?)", borne)
    counts = _rows(number, folded.counts, keys)
    put("INSERT INTO counts VALUES (?,?,?,?,?,?,?,?,?,?)", counts)


def _judged(
    folded: Folded, earlier: tuple[str, ...]
) -> tuple[Evening, Mapping[tuple[int, str], Honour]]:
    """Return the evening with its titles, and what it brought whom.

    Where one of our own rules stumbles over it, it is told without them, and says so.
    """
    evening = folded.evening
    try:
        titles = titles_of(evening, folded.counts, earlier)
        return replace(evening, titles=titles), honours_of(evening)
    except Exception:
        logger.exception("The evening after entry %d has no titles and no honours.", folded.after)
        return replace(evening, broken=True), {}


def _earlier_titles(connection: sqlite3.Connection, number: int) -> tuple[str, ...]:
    """Return the titles of some evenings before that *number*, the newest first."""
    ask = "SELECT title FROM titles WHERE evening BETWEEN ? AND ? ORDER BY evening DESC, rowid"
    found = connection.execute(ask, (number - _LATELY, number - 1))
    return tuple(dict.fromkeys(title for (title,) in found))


def _rows(number: int, counts: Counts, keys: dict[int, str]) -> Iterator[tuple[Any, ...]]:
    for (player, game, what, detail, against), one in counts.items():
        other = None if against is None else keys[against]
        told = (one.value, one.n, one.most, one.least)
        yield (number, keys[player], game, what, detail, other, *told)


def line_of(written: str) -> EveningLine:
    """Return the line of an evening as it was stored."""
    return load(EveningLine, json.loads(written))


def evening_of(told: bytes) -> Evening:
    """Return an evening as it was stored."""
    return load(Evening, json.loads(zlib.decompress(told)))
