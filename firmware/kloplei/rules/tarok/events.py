"""What happened at a table of Tarok, with results: the journal's words, and its ledger (§ 9).

Tuples of numbers run by seat index of the table.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from kloplei.rules.game import Event, Seat
from kloplei.rules.tarok.entries import ENTRIES

PAID_AT_THE_DEAL = ("ante", "dealer_extra")
"""Lines that are booked before the cards are played."""
BOOKED, VOID = "booked", "void"
HOW_ENDED = (BOOKED, VOID)
"""How a hand ends: written down, or thrown in."""


@dataclass(frozen=True, slots=True)
class SitterChosen(Event):
    """*seat* sits out the next hand."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class Dealt(Event):
    """*dealer* dealt a hand; with four at the table *sitter* sits it out."""

    dealer: Seat
    sitter: Seat | None = None


@dataclass(frozen=True, slots=True)
class Passed(Event):
    """*seat* has nothing to declare, or nothing more."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class Booked(Event):
    """One line of the ledger: *amounts* by seat and what went into the pots add up to nothing.

    *seat* is whom the line is about, if it is about one player, *count* of how many cards.
    """

    line: str
    amounts: tuple[int, ...]
    king: int = 0
    pagat: int = 0
    seat: Seat | None = None
    count: int | None = None


@dataclass(frozen=True, slots=True)
class EntryTakenBack(Event):
    """Entry *number* of the running hand, from 1, was none."""

    number: int


@dataclass(frozen=True, slots=True)
class HandEnded(Event):
    """Hand *number* is booked, or thrown in (*how*); *dealer* deals next."""

    number: int
    how: str
    dealer: Seat


@dataclass(frozen=True, slots=True)
class HandReopened(Event):
    """Hand *number* is told anew; what it and those after it brought is taken off the slate."""

    number: int


@dataclass(frozen=True, slots=True)
class EveningSettled(Event):
    """The pots have been shared out: everybody has what he won, the *winners* most."""

    winners: tuple[Seat, ...] = ()


@dataclass(frozen=True, slots=True)
class SlateWiped(Event):
    """A new evening begins with nothing won and nothing lost."""


EVENTS: Mapping[str, type[Event]] = {
    event.__name__: event
    for event in (
        *(SitterChosen, Dealt, Passed, *ENTRIES, EntryTakenBack),
        *(Booked, HandEnded, HandReopened, EveningSettled, SlateWiped),
    )
}
