"""A table of Watten for the panel's tests: players seated, the last of them deals."""

from collections.abc import Iterator
from contextlib import contextmanager

from kloplei.games.game import Seat
from kloplei.table.seating import TableSetup
from kloplei.table.session import Session
from tests.panel.conftest import NAMES
from tests.table.memory_journal import MemoryJournal

_MORE = (*NAMES, "Willemijn", "Bo")


@contextmanager
def watten_at(preset: str, players: int = 4, **options: object) -> Iterator[Session]:
    """Open a table at which *players* begin Watten by *preset*."""
    session = Session(MemoryJournal(), TableSetup(game="watten", preset=preset, options=options))
    with session:
        for seat in range(players):
            session.submit(Seat(seat), "sit_down", facts={"name": _MORE[seat]})
        session.submit(Seat(players - 1), "start")
        yield session


def announce(table: Session, rank: str = "9", suit: str = "H") -> None:
    """Deal, and let whoever has to name Schlag and trump."""
    table.submit(None, "deal")
    for action, facts in (("schlag", {"rank": rank}), ("trump", {"suit": suit})):
        rows = table.scoreboard().rows
        (seat,) = [row.seat for row in rows if any(one.action == action for one in row.offers)]
        table.submit(seat, action, facts=facts)
