"""A finished hand told anew: what everybody pays for it then, and what that leaves (§ 9).

Pure, so that a page can show the difference before it counts.
"""

from collections.abc import Mapping

from kloplei.frozen import dataclass
from kloplei.games.game import Seat
from kloplei.games.scoreboard import Hand
from kloplei.games.toepen.options import Options
from kloplei.games.toepen.state import PlayedHand, State, lose

_AMENDED = ("trick", "folds", "everyone-lost", "corrected")
MOST_STAKE = 100


@dataclass(frozen=True, slots=True)
class Telling:
    """A hand as it is told: who *winner* was, the *stake*, and what each who *folded* paid.

    The others of *stayed* were in to the end.
    """

    winner: Seat
    stake: int
    stayed: frozenset[Seat]
    folded: Mapping[Seat, int]

    def price(self, seat: Seat, paid_at_end: int = 0) -> int:
        """Return what *seat* pays; a winner keeps the life that a jack gave back at the end."""
        if seat == self.winner:
            return min(0, paid_at_end)
        return self.stake if seat in self.stayed else self.folded.get(seat, 0)


def may_be_amended(hand: PlayedHand) -> bool:
    """Whether *hand* may be told anew: not one that did not count, or was won by who has left."""
    return hand.how in _AMENDED and (hand.winner is not None or hand.how == "everyone-lost")


def hand_shown(hand: PlayedHand, state: State) -> Hand:
    """Return *hand* as everybody may see it, with who stayed and folded if it may be amended."""
    seats = state.seats
    paid = {seat: hand.paid[seat] for seat in seats if hand.paid[seat]}
    shown = Hand(hand.number, hand.winner, f"how.{hand.how}", paid)
    if not may_be_amended(hand):
        return shown
    folds, dealt_in = hand.folds, state.dealt_in(hand)
    return Hand(
        *(shown.number, shown.winner, shown.how, paid),
        stake=hand.stake,
        stayed={seat: hand.paid_at_end[seat] for seat in seats if seat in hand.stayed},
        folded={seat: folds[seat] for seat in dealt_in if seat not in hand.stayed},
    )


def lives_after(
    options: Options, lives: Mapping[Seat, int], hand: Hand, telling: Telling
) -> dict[Seat, int]:
    """Return what everybody has lost once *hand* counts as it is told in *telling*."""
    after = dict(lives)
    for seat, paid in (*hand.stayed.items(), *hand.folded.items()):
        price = telling.price(seat, hand.stayed.get(seat, 0) if seat == hand.winner else 0)
        after[seat] = lose(options, lives[seat], price - paid)
    return after
