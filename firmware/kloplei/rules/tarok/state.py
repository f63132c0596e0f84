"""One table of Tarok between two events: who won what, what lies in the pots, the running hand."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Self

from kloplei.rules.card_game import GameState
from kloplei.rules.game import Seat
from kloplei.rules.tarok.entries import AnyEntry
from kloplei.rules.tarok.events import Booked
from kloplei.rules.tarok.hand import Hand

_FOUR = 4


class Phase(StrEnum):
    """Where an evening of Tarok stands (§ 9)."""

    BETWEEN_HANDS = "between_hands"
    HAND = "hand"
    SETTLED = "settled"


@dataclass(frozen=True, slots=True)
class Pots:
    """Chips in the two pots of Danish Tarok; elsewhere there are none."""

    king: int = 0
    pagat: int = 0

    @property
    def total(self) -> int:
        """What lies in both."""
        return self.king + self.pagat

    @classmethod
    def only(cls, card: str, chips: int) -> Self:
        """Return so many *chips* in the pot of the ``king`` or of the ``pagat``."""
        return cls(king=chips) if card == "king" else cls(pagat=chips)

    def __neg__(self) -> "Pots":
        return Pots(-self.king, -self.pagat)

    def of(self, card: str) -> int:
        """Return what lies in the pot of the ``king`` or of the ``pagat``."""
        return self.king if card == "king" else self.pagat


@dataclass(frozen=True, slots=True)
class PlayedHand:
    """A finished hand of the evening: what was told of it, and each line that was booked."""

    number: int
    how: str
    dealer: Seat
    sitter: Seat | None
    entries: tuple[AnyEntry, ...]
    lines: tuple[Booked, ...]


@dataclass(frozen=True, slots=True)
class State(GameState):
    """One table of Tarok; *seats* stand in the order of play.

    The *dealer* deals the running hand or the next one, and *sitter* sits it out, if somebody
    was chosen to. *entries* and *lines* are those of the running hand. The evening is
    *opened* once the first antes are in; a next deal is *paid* for already where the hand
    before it was thrown in. *passed* are those who have no more to declare. While an older
    hand is told anew, those after it are *waiting* to be booked once more, and *next_sitter*
    is who was chosen for the hand to come.
    """

    scores: tuple[int, ...]
    pots: Pots = field(default_factory=Pots)
    phase: Phase = Phase.BETWEEN_HANDS
    sitter: Seat | None = None
    entries: tuple[AnyEntry, ...] = ()
    lines: tuple[Booked, ...] = ()
    passed: tuple[Seat, ...] = ()
    waiting: tuple[PlayedHand, ...] = ()
    next_sitter: Seat | None = None
    opened: bool = False
    paid: bool = False
    hands: tuple[PlayedHand, ...] = ()

    @property
    def sits_out(self) -> Seat | None:
        """Who takes no part in this hand: one of four, opposite the dealer unless chosen."""
        if len(self.seats) < _FOUR:
            return None
        return self.after(self.dealer)[1] if self.sitter is None else self.sitter

    @property
    def active(self) -> tuple[Seat, ...]:
        """The three who play this hand, the first lead first and the dealer last."""
        return tuple(seat for seat in self.after(self.dealer) if seat != self.sits_out)

    @property
    def next_dealer(self) -> Seat:
        """Who deals after the dealer."""
        return self.after(self.dealer)[0]

    @property
    def hand(self) -> Hand:
        """The running hand, as far as it has been told."""
        return Hand(self.dealer, self.active, self.entries)

    @property
    def to_declare(self) -> Seat | None:
        """Whose turn it is to declare or to pass: the dealer is first (§ 4)."""
        if self.phase is not Phase.HAND or self.hand.play_told:
            return None
        return next((one for one in (self.dealer, *self.active) if one not in self.passed), None)

    @property
    def number(self) -> int:
        """Number of the running hand, or of the next one."""
        return len(self.hands) + 1
