"""The state of a table of eenendertigen: what is remembered, and what follows from it (§ 8).

Tuples of numbers run by seat index of the table; a seat that does not play holds 0.
"""

from collections.abc import Collection
from enum import StrEnum

from kloplei.frozen import dataclass
from kloplei.games.card_game import GameState
from kloplei.games.game import Seat

HOW_ENDED = ("lowest", "equal", "misdeal", "thirty_one", "three_alike", "three_aces", "corrected")
"""How a deal can have ended; each has its word ``how.<name>``."""
BY_LOWEST = ("lowest", "corrected")


class Phase(StrEnum):
    """What the table is doing."""

    BETWEEN_HANDS = "between_hands"
    PLAY = "play"
    LAST_TURN = "last_turn"
    LAID_OPEN = "laid_open"
    RUBBER_OVER = "rubber_over"


@dataclass(frozen=True, slots=True)
class PlayedHand:
    """A finished deal of the running rubber; *dealt_in* took part, *paid* is what each lost."""

    number: int
    how: str
    dealt_in: tuple[Seat, ...]
    knocker: Seat | None
    seat: Seat | None
    paid: tuple[int, ...]

    @property
    def losers(self) -> tuple[Seat, ...]:
        """Who lost something in it."""
        return tuple(seat for seat in self.dealt_in if self.paid[seat])


@dataclass(frozen=True, slots=True)
class State(GameState):
    """One table of eenendertigen between two events.

    *seats* stand clockwise. *in_hand* is who was dealt cards, empty between two deals;
    *out_since* is the number of the deal in which a seat lost its last life, 0 while it has some.
    """

    lives_lost: tuple[int, ...]
    out_since: tuple[int, ...]
    phase: Phase = Phase.BETWEEN_HANDS
    in_hand: tuple[Seat, ...] = ()
    knocker: Seat | None = None
    laid_by: Seat | None = None

    # this rubber
    hands: tuple[PlayedHand, ...] = ()
    owes_drink: frozenset[Seat] = frozenset()
    drank: frozenset[Seat] = frozenset()
    left: tuple[tuple[Seat, int], ...] = ()  # who left it, with the lives lost
    left_since: tuple[tuple[Seat, int], ...] = ()  # who was out and left, with `out_since`

    # this evening
    winners: tuple[Seat, ...] = ()
    drinks: tuple[int, ...] = ()

    @property
    def hand_running(self) -> bool:
        """Whether cards are on the table."""
        return bool(self.in_hand)

    @property
    def hand_number(self) -> int:
        """Number of the running deal, or of the next one, in this rubber; from 1."""
        return len(self.hands) + 1

    @property
    def out(self) -> tuple[Seat, ...]:
        """Who is finished in this rubber, in seat order."""
        return tuple(seat for seat in self.seats if self.out_since[seat])

    @property
    def latest(self) -> PlayedHand | None:
        """The last deal of this rubber."""
        return self.hands[-1] if self.hands else None

    def standing(self, out: Collection[Seat]) -> tuple[Seat, ...]:
        """Return who plays on when those in *out* do not, clockwise from the dealer's left."""
        return tuple(seat for seat in self.after(self.dealer) if seat not in out)
