"""The chain: a SHA-256 for each step of the journal, over the one before it and the step itself.

The links of the entries (CRC-32) find what a bad card did. These find what anybody did: two
journals with the same link after a step have the same steps up to there, and a link that somebody
kept proves them. Box and era come first, so that no two histories have one in common by chance; a
later era goes on from the link that stood when it began.

They stand in a table of their own. A journal of before gets them as it is played on (`Chain.fill`),
and so do the steps that a version before has added.
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import groupby
from typing import NamedTuple

from kloplei.table.journal_file import ORIGIN_SCHEMA, Row, readable

# One that stands there is that of a step which somebody took out: it is to stop no table.
INSERT_LINK = "INSERT OR REPLACE INTO chain VALUES (?, ?)"
_SCHEMA = """
CREATE TABLE IF NOT EXISTS chain (
    seq INTEGER PRIMARY KEY,  -- the last entry of a step
    link BLOB NOT NULL        -- SHA-256 of the link before it, and of the step
) STRICT
"""
_LAST = "SELECT seq, link FROM chain WHERE seq <= ? ORDER BY seq DESC LIMIT 1"
_NEXT = "SELECT seq, link FROM chain WHERE seq > ? ORDER BY seq LIMIT ?"
_ROWS = (
    "SELECT seq, step, at, seat, via, event, facts FROM entries WHERE seq > ? AND seq <= ? "
    "ORDER BY seq"
)
_AT_ONCE = 100  # entries: some 2 ms, 15 on a small Pi, once a step has been shown

_spelled = json.JSONEncoder(separators=(",", ":"), default=repr).encode
Link = tuple[int, bytes]
"""Number of the last entry of a step, and the link of that step."""


class JournalEra(NamedTuple):
    """A stretch of a journal's history: its *box*, its own name *era*, both made by chance.

    It began behind entry *after*; the first one holds from the beginning, whenever it was told.
    """

    box: str
    era: str
    after: int


_NO_ERA = JournalEra("", "", 0)


class Chain:
    """The links of the journal that *connection* is open for, and of what is appended to it.

    Raises:
        sqlite3.Error: It cannot be read, or the table for them not be made.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._unwritten: list[Link] = []
        self._looked: Link | None = (0, b"")
        self._eras = read_eras(connection)
        connection.execute(_SCHEMA)
        self._last = _link_upto(connection, last_seq(connection))

    @property
    def seq(self) -> int:
        """Number of the last entry that has its link."""
        return self._last[0]

    @property
    def link(self) -> bytes:
        """Link of that entry's step; of nothing at all where no step has one."""
        return self._last[1]

    def with_step(self, step: Sequence[Row]) -> list[Link]:
        """Return what is to be written with *step*: its link and those not yet written."""
        if step[0][0] != self.seq + 1:
            return self._unwritten
        return [*self._unwritten, *_links(self._eras, self._last, [step])]

    def wrote(self, links: Sequence[Link]) -> None:
        """Go on from *links*, which are on the disk."""
        self._unwritten = []
        self._last = links[-1] if links else self._last

    def fill(self, last_seq: int, most: int | None = _AT_ONCE) -> None:
        """Find the links of some steps that have none yet; the next step takes them along.

        Args:
            last_seq: Number of the last entry.
            most: So many entries at the most are read, and one step at the least; None is all.
        """
        if self._unwritten or self.seq == last_seq:
            return
        steps = _steps(self._connection, self.seq)
        upto = last_seq if most is None else self.seq + most
        for link in _links(self._eras, self._last, steps):
            self._unwritten.append(link)
            self._last = link
            if link[0] >= upto:
                return

    def look_again(self) -> None:
        """Let `find_changed` begin anew: another program has written."""
        self._looked = (0, b"")

    def find_changed(self, most: int = _AT_ONCE) -> int | None:
        """Look at some steps more, from the first one on; return one that is not what it was.

        Once all have been looked at, or one was found, it does nothing until `look_again`.

        Raises:
            sqlite3.Error: It cannot be read.
        """
        if self._looked is None:
            return None
        ask, after = self._connection.execute, self._looked[0]
        held: list[Link] = ask(_NEXT, (after, most)).fetchall()
        rows = ask(_ROWS, (after, held[-1][0])).fetchall() if held else []
        steps = (list(step) for _, step in groupby(rows, key=lambda row: row[1]))
        found = [*_links(self._eras, self._looked, steps), *[None] * len(held)]
        changed = next(
            (one for one, is_now in zip(held, found, strict=False) if one != is_now), None
        )
        self._looked = held[-1] if held and changed is None else None
        return changed and changed[0]

    def write(self) -> None:
        """Write down what `fill` found.

        Raises:
            sqlite3.Error: The disk does not take it.
        """
        if self._unwritten:
            with self._connection:
                self._connection.execute("BEGIN IMMEDIATE")
                self._connection.executemany(INSERT_LINK, self._unwritten)
            self._unwritten = []


def find_break(connection: sqlite3.Connection, last: int | None = None) -> int | None:
    """Return the number of the first step whose link is not what it should be; None if all is well.

    With *last* only so many entries at the end are looked at. What has no link yet breaks none.

    Raises:
        sqlite3.Error: It cannot be read.
    """
    if not _has_links(connection):
        return None
    begin = _link_upto(connection, 0 if last is None else last_seq(connection) - last)
    held = connection.execute("SELECT seq, link FROM chain WHERE seq > ? ORDER BY seq", begin[:1])
    links = _links(read_eras(connection), begin, _steps(connection, begin[0]))
    for found, should_be in zip(held, links, strict=False):  # the last steps may have none yet
        if found != should_be:
            return should_be[0]
    return None


def copy_links(source: sqlite3.Connection, fresh: sqlite3.Connection, seq: int) -> None:
    """Let the journal *fresh*, which has entries 1 to *seq* of *source*, have their links as well.

    Where a page of them is damaged they are found anew, in the era that begins.
    """
    try:
        first, *later = read_eras(source)
        links = source.execute("SELECT seq, link FROM chain WHERE seq <= ?", (seq,)).fetchall()
    except (sqlite3.DatabaseError, ValueError):
        return
    eras = [first, *(one for one in later if one.after <= seq)]
    fresh.execute("BEGIN IMMEDIATE")
    for schema in (ORIGIN_SCHEMA, _SCHEMA):
        fresh.execute(schema)
    try:
        fresh.executemany("INSERT INTO origin VALUES (?, ?, ?)", eras)
        fresh.executemany(INSERT_LINK, links)
    except sqlite3.IntegrityError:
        # A bit in the head of a row says what is in it: SQLite reads on, and finds no link there.
        fresh.execute("ROLLBACK")
        return
    fresh.execute("COMMIT")


def read_eras(connection: sqlite3.Connection) -> list[JournalEra]:
    """Return the eras of the journal, the oldest first.

    Raises:
        sqlite3.Error: They cannot be read, or there is no table of them yet.
    """
    read = "SELECT box, era, after FROM origin ORDER BY rowid"
    return [JournalEra(*row) for row in connection.execute(read)]


def last_link(connection: sqlite3.Connection) -> Link:
    """Return the last link of the journal; (0, b"") where it has none.

    Raises:
        sqlite3.Error: It cannot be read.
    """
    if not _has_links(connection):
        return 0, b""
    return _link_upto(connection, last_seq(connection))


def last_seq(connection: sqlite3.Connection) -> int:
    """Return the number of the last entry, be it sound or not.

    Raises:
        sqlite3.Error: It cannot be read.
    """
    return int(connection.execute("SELECT coalesce(max(seq), 0) FROM entries").fetchone()[0])


def _has_links(connection: sqlite3.Connection) -> bool:
    read = "SELECT 1 FROM sqlite_schema WHERE name = 'chain'"
    return connection.execute(read).fetchone() is not None


def _link_upto(connection: sqlite3.Connection, seq: int) -> Link:
    found: Link | None = connection.execute(_LAST, (seq,)).fetchone()
    return found or (0, b"")


def _steps(connection: sqlite3.Connection, after: int) -> Iterator[list[Row]]:
    """Yield the steps behind entry *after*, whose last ones have been read whole."""
    rows = (row for row, _ in readable(connection, after))
    for _, step in groupby(rows, key=lambda row: row[1]):
        yield list(step)


def _links(
    eras: Sequence[JournalEra], last: Link, steps: Iterable[Sequence[Row]]
) -> Iterator[Link]:
    """Yield the link of each of *steps*, of which the first follows on the one of *last*."""
    first, *later = eras or [_NO_ERA]
    seq, link = last if last[0] else (0, _hashed(b"", [first.box, first.era]))
    for step in steps:
        for one in later:
            if one.after == seq:
                link = _hashed(link, [one.box, one.era])
        link = _hashed(link, *step)
        seq = step[-1][0]
        yield seq, link


def _hashed(before: bytes, *told: object) -> bytes:
    """Return the link of *told*, each a line of JSON, behind the link *before*."""
    lines = (_spelled(one).encode() for one in told)
    return sha256(before + b"\n".join(lines)).digest()
