"""What stands on the slates of a house: one `TableNow` a box, and the little of it for the wall.

Names are those of the house: who was forgotten, or no longer agrees, is a seat here from the moment
on that the house knows of it, whatever the box's last board says.
"""

import hashlib
import logging
from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import cached_property
from typing import Any, Final

from kloplei.frozen import dataclass, replace
from kloplei.games.scoreboard import SEATING, Row, Scoreboard
from kloplei.table.outbox import for_house
from kloplei.table.schema import WORLD, dump
from kloplei.table.uplink_client import HousePerson
from kloplei.uplink.wire import BadMessage, decode
from kloplei_hub.database import Connection

_NEAR_FLAGS: Final = frozenset({"armoede", "gestrichen"})
_CROWN: Final = "toepkoning"
_MOST_SEATS, _MOST_STROKES, _MOST_HANDS = 64, 10_000, 5_000
logger = logging.getLogger(__name__)
_OVER: Final = frozenset({"out", "rubber_winner"})
_ASK = """
SELECT box, name, number, online, seen, board, boards.at
FROM boxes LEFT JOIN boards USING (box)
WHERE NOT retired AND (%(all)s OR box = ANY(%(boxes)s))
"""
_PEOPLE = """
SELECT one.person, coalesce(other.name, one.name)
FROM people one LEFT JOIN people other ON other.person = one.merged
WHERE one.person = ANY(%s) AND one.agreed AND coalesce(other.agreed, true)
"""
Player = tuple[int, str]
"""A seat as people count, and who sits there; empty where nobody may know."""


@dataclass(frozen=True, slots=True)
class Tile:
    """One table on the wall.

    *near* is who has all but reached the end, *crowned* who bears a title or leads the evening.
    *since* is when it was heard last, where it is silent.
    """

    which: str
    number: int | None
    name: str
    online: bool
    since: float | None
    game: str
    plays: bool
    stake: int | None
    proposed: int | None
    players: int
    near: tuple[Player, ...]
    crowned: tuple[Player, ...]
    trouble: bool


@dataclass(frozen=True)
class TableNow:
    """One table as it stands: its *board* is None before anything was heard of it."""

    box: str
    name: str
    number: int | None
    online: bool
    seen: float | None
    board: Scoreboard | None

    @property
    def which(self) -> str:
        """What addresses name it by: its number, or the box where it has none."""
        return str(self.number) if self.number is not None else self.box

    @cached_property
    def tile(self) -> Tile:
        """What the wall shows of it."""
        board = self.board or Scoreboard("", SEATING)
        plays = board.phase != SEATING and bool(board.rows)
        return Tile(
            which=self.which,
            number=self.number,
            name=self.name,
            online=self.online,
            since=None if self.online else self.seen,
            game=board.game if board.rows else "",
            plays=plays,
            stake=board.stake if plays else None,
            proposed=board.proposed if plays else None,
            players=len(board.rows),
            near=tuple(_player(row) for row in board.rows if plays and _is_near(row)),
            crowned=tuple(_player(row) for row in _crowned(board)),
            trouble=bool(board.notices),
        )

    @cached_property
    def version(self) -> str:
        """What tells this state from others of the table."""
        return version_of((self.tile, self.board))


def version_of(told: object) -> str:
    """Return a number that is another one wherever *told* is; the same in all processes."""
    mark = hashlib.blake2b(repr(told).encode(), digest_size=6).digest()
    return str(int.from_bytes(mark))


def read_tables(
    connection: Connection, boxes: Iterable[str] | None = None
) -> Mapping[str, TableNow]:
    """Return the tables of *boxes* as they stand, of all that are not retired without any."""
    asked = {"all": boxes is None, "boxes": list(boxes or ())}
    rows = connection.execute(_ASK, asked).fetchall()
    boards = {row[0]: _board(row[5]) for row in rows}
    people = {
        row.person
        for board in boards.values()
        if board
        for row in board.rows
        if row.person is not None
    }
    names: dict[int, str] = {}
    if people:
        names = dict(connection.execute(_PEOPLE, (list(people),)).fetchall())
    return {
        box: _table(TableNow(box, name, number, online, _moment(seen), boards[box]), names)
        for box, name, number, online, seen, _, _ in rows
    }


def _table(table: TableNow, names: Mapping[int, str]) -> TableNow:
    """Return *table* with the *names* of the house; without its board where that makes no sense."""
    try:
        found = replace(table, board=_named(table.board, names))
        found.tile  # noqa: B018 - whatever is odd in it is found now, and stays with this table
    except Exception:
        logger.exception("The scoreboard of %s makes no sense.", table.box)
        return replace(table, board=None)
    return found


def _board(written: str | None) -> Scoreboard | None:
    """Return the scoreboard that a box sent; None where a newer Kloplei writes another one."""
    try:
        board = None if written is None else decode(Scoreboard, written.encode())
    except BadMessage:
        return None
    return board if board is None or _is_drawable(board) else None


def _is_drawable(board: Scoreboard) -> bool:
    """Whether a slate has room for it: strokes are drawn one by one."""
    many = [board.tricks_to_win or 0]
    for row in board.rows:
        many += [row.tricks or 0, row.tally if row.swing is None and not row.falls else 0]
    seats = [int(row.seat) for row in board.rows]
    is_seated = len(seats) <= _MOST_SEATS and all(0 <= seat < _MOST_SEATS for seat in seats)
    return is_seated and max(many) <= _MOST_STROKES and len(board.hands) <= _MOST_HANDS


def _named(board: Scoreboard | None, names: Mapping[int, str]) -> Scoreboard | None:
    if board is None:
        return None
    agreed = [
        HousePerson(row.person, row.name)
        for row in board.rows
        if row.person is not None and row.name and names.get(row.person)
    ]
    told = for_house(board, agreed)
    rows = tuple(
        replace(row, name=names[row.person]) if row.person is not None else row for row in told.rows
    )
    # What passes within a breath, or is asked at the table alone, is nothing for a house.
    return replace(told, rows=rows, heard=None, struck=False, tuning=None, doubt=None, grace=None)


def _moment(at: datetime | None) -> float | None:
    return None if at is None else at.timestamp()


def _is_near(row: Row) -> bool:
    """Whether *row* has all but reached the end of its tally."""
    if _OVER & set(row.flags) or row.swing is not None:
        return False
    if _NEAR_FLAGS & set(row.flags):
        return True
    if row.limit is None:
        return False
    return row.tally == 1 if row.falls else row.limit - row.tally == 1


def _crowned(board: Scoreboard) -> list[Row]:
    """Return who bears the title, else who leads the evening; nobody where all are equal."""
    kings = [row for row in board.rows if _CROWN in row.flags]
    won = [row.counts.get("rubbers_won", 0) for row in board.rows]
    if kings or len(set(won)) < 2:
        return kings
    return [row for row, rubbers in zip(board.rows, won, strict=True) if rubbers == max(won)]


def _player(row: Row) -> Player:
    return row.seat.shown, row.name


def board_told(board: Scoreboard | None) -> dict[str, Any] | None:
    """Return *board* as JSON tells it."""
    return None if board is None else dump(board, form=WORLD)
