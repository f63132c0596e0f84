"""What phones at the door of a `Tabletop` do, and what they see."""

from kloplei.games.game import Seat
from kloplei.games.scoreboard import Door
from kloplei.table.gestures import Timings
from kloplei.table.pairing import SETTLE_S
from tests.table.seated import Tabletop

TIMINGS = Timings()
PHONE, OTHER = "192.168.1.20", "192.168.1.21"


def asks(tabletop: Tabletop, seat: int | None = None, asker: str = PHONE) -> str:
    """Let a phone ask, give people the time to read its word, and return its ticket."""
    place = None if seat is None else Seat(seat - 1)
    ticket = tabletop.table.pairing.ask(place, asker, tabletop.now_s).ticket
    tabletop.wait(SETTLE_S)
    return ticket


def state(tabletop: Tabletop, ticket: str) -> str:
    return tabletop.table.pairing.questions.look(ticket, tabletop.now_s).state


def shown(tabletop: Tabletop) -> Door:
    door = tabletop.board.door
    assert door is not None
    return door


def press(tabletop: Tabletop, seat: int, times: int = 1) -> None:
    for _ in range(times):
        tabletop.press(seat, 0.1)
    tabletop.wait(TIMINGS.gap_s)
