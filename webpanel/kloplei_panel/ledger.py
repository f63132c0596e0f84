"""A ledger on a page: amounts with their sign, and what its lines come to."""

from collections.abc import Iterable
from dataclasses import replace

from kloplei.games.game import Seat
from kloplei.games.scoreboard import Posting, Scoreboard
from kloplei_panel.controls import Control, controls
from kloplei_panel.reader import Reader

_MINUS = "\N{MINUS SIGN}"
_HAND = "hand"


def signed(amount: int) -> str:
    """Return *amount* with its sign, so that columns read at a glance."""
    if amount < 0:
        return f"{_MINUS}{-amount}"
    return f"+{amount}" if amount else "0"


def pots_in(lines: Iterable[Posting]) -> tuple[str, ...]:
    """Return the pots that any of *lines* moves, in the order they come up."""
    return tuple(dict.fromkeys(pot for line in lines for pot in line.pots))


def total_of(lines: Iterable[Posting], seat: Seat) -> int:
    """Return what *lines* bring *seat* together."""
    return sum(line.amounts.get(seat, 0) for line in lines)


def total_of_pot(lines: Iterable[Posting], pot: str) -> int:
    """Return what *lines* put into *pot* together."""
    return sum(line.pots.get(pot, 0) for line in lines)


def of_hand(board: Scoreboard, number: int, reader: Reader) -> list[Control]:
    """Return what may be asked of hand *number* and needs nothing else to be said."""
    found = [
        offer
        for offer in board.offers
        if offer.needs == (_HAND,) and number in offer.choices.get(_HAND, ())
    ]
    only = [replace(offer, choices={_HAND: (number,)}) for offer in found]
    return controls(only, None, board, reader)
