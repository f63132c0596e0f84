"""The state of a toepen table: what is remembered, and what follows from it (§ 12).

Tuples of numbers run by seat index of the table; a seat that does not play holds 0. Below the state
stand the prices: what things cost in lives, and how far a seat may raise (§ 5, § 6).
"""

from collections.abc import Iterable
from dataclasses import field
from enum import StrEnum

from kloplei.frozen import dataclass
from kloplei.games import card_game
from kloplei.games.card_game import GameState
from kloplei.games.game import Seat
from kloplei.games.toepen.options import Options


class Phase(StrEnum):
    """What the table is doing."""

    BETWEEN_HANDS = "between_hands"
    EXCHANGE = "exchange"
    ARMOEDE = "armoede"
    PLAY = "play"
    ANSWERING = "answering"
    RUBBER_OVER = "rubber_over"


_IN_HAND = frozenset({Phase.EXCHANGE, Phase.ARMOEDE, Phase.PLAY, Phase.ANSWERING})


@dataclass(frozen=True, slots=True)
class RunningHand:
    """The hand on the table; the blank one stands for none.

    *dealt_in* and *armoede* run clockwise from the dealer's left, *to_answer* from whose turn
    it is, *open_exchange* from the oldest. *lately_folded* have left since the last trick.
    """

    stake: int = 0
    committed: tuple[int, ...] = ()
    dealt_in: tuple[Seat, ...] = ()
    in_hand: frozenset[Seat] = frozenset()
    lead: Seat | None = None
    armoede: tuple[Seat, ...] = ()
    to_answer: tuple[Seat, ...] = ()
    last_knocker: Seat | None = None
    knocks: tuple[int, ...] = ()
    exchanges_left: int = 0
    exchanged: tuple[int, ...] = ()
    open_exchange: tuple[Seat, ...] = ()
    tricks: int = 0  # number of the last trick entered
    lately_folded: frozenset[Seat] = frozenset()
    paid: tuple[int, ...] = ()
    folded: tuple[int, ...] = ()  # what it cost to leave; empty as long as nobody has


@dataclass(frozen=True, slots=True)
class PlayedHand:
    """A finished hand of the running rubber, with what it takes to correct it.

    *stayed* were in at the end; *paid_at_end* leaves out what folds and challenges cost, and
    *folded* is what the former did, empty where nobody folded, or nobody wrote it down.
    """

    number: int
    winner: Seat | None
    how: str
    stake: int
    stayed: tuple[Seat, ...]
    paid: tuple[int, ...]
    paid_at_end: tuple[int, ...]
    dealer: Seat | None = None  # of this hand; None where nobody wrote it down
    folded: tuple[int, ...] = ()
    dealt_in: tuple[Seat, ...] = ()

    @property
    def shares(self) -> tuple[int, ...]:
        """What each paid for the stake: by folding, or at the end."""
        return tuple(map(sum, zip(self.folds, self.paid_at_end, strict=True)))

    @property
    def folds(self) -> tuple[int, ...]:
        """What folding cost each; where nobody wrote it down, all that was paid before the end."""
        if self.folded:
            return self.folded
        before_end = zip(self.paid, self.paid_at_end, strict=True)
        return tuple(
            0 if seat in self.stayed else paid - at_end
            for seat, (paid, at_end) in enumerate(before_end)
        )


@dataclass(frozen=True, slots=True)
class PlayedRubber:
    """A finished rubber of the evening; *points* are what it was worth in a tournament."""

    winners: tuple[Seat, ...]
    points: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class State(GameState):
    """One table of toepen between two events.

    *seats* stand clockwise. *out_since* is the number of the hand in which a seat lost its
    last life, 0 while it has some; *was_poor* have been in armoede in this rubber.
    """

    lives_lost: tuple[int, ...]
    out_since: tuple[int, ...]
    phase: Phase = Phase.BETWEEN_HANDS
    hand: RunningHand = field(default_factory=RunningHand)

    # this rubber
    hands: tuple[PlayedHand, ...] = ()
    owes_drink: frozenset[Seat] = frozenset()
    drank: frozenset[Seat] = frozenset()
    answers: tuple[int, ...] = ()
    folds: tuple[int, ...] = ()
    was_poor: frozenset[Seat] = frozenset()

    # this evening
    rubbers: tuple[PlayedRubber, ...] = ()
    won_before: tuple[int, ...] = ()
    drinks: tuple[int, ...] = ()
    pot: int = 0
    toepkoning: tuple[Seat, ...] = ()
    lijntoeper: tuple[Seat, ...] = ()
    lost_first: tuple[Seat, ...] = ()
    left: tuple[tuple[Seat, int], ...] = ()  # lives lost by who left in this rubber, by seat

    @property
    def hand_running(self) -> bool:
        """Whether cards are on the table."""
        return self.phase in _IN_HAND

    @property
    def hand_number(self) -> int:
        """Number of the running hand, or of the next one, in this rubber; from 1."""
        return len(self.hands) + 1

    @property
    def leader(self) -> Seat | None:
        """Who leads: the one whose turn it was, or the next one still in (§ 2)."""
        if self.hand.lead is None or not self.hand.in_hand:
            return None
        if self.hand.lead in self.hand.in_hand:
            return self.hand.lead
        return self.still_in(self.after(self.hand.lead))[0]

    @property
    def out(self) -> tuple[Seat, ...]:
        """Who is finished in this rubber, in seat order."""
        return tuple(seat for seat in self.seats if self.out_since[seat])

    @property
    def rubber_winners(self) -> tuple[Seat, ...]:
        """Who won the last finished rubber of the evening."""
        return self.rubbers[-1].winners if self.rubbers else ()

    def dealt_in(self, hand: PlayedHand) -> tuple[Seat, ...]:
        """Return who got cards in *hand*; where nobody wrote it down, who had lives left."""
        if hand.dealt_in:
            return hand.dealt_in
        return tuple(one for one in self.seats if not 0 < self.out_since[one] < hand.number)

    def still_in(self, seats: Iterable[Seat]) -> tuple[Seat, ...]:
        """Return those of *seats* that are in the running hand, in the same order."""
        return tuple(seat for seat in seats if seat in self.hand.in_hand)

    def not_out(self, seats: Iterable[Seat]) -> tuple[Seat, ...]:
        """Return those of *seats* that have a life left in this rubber, in the same order."""
        return tuple(seat for seat in seats if not self.out_since[seat])

    def rubbers_won(self, seat: Seat) -> int:
        """Return how many rubbers *seat* has won this evening."""
        return self.won_before[seat] + sum(seat in rubber.winners for rubber in self.rubbers)

    def points(self, seat: Seat) -> int:
        """Return what *seat* has earned in the tournament this evening."""
        return sum(rubber.points[seat] for rubber in self.rubbers)


def latecomer_lives(options: Options, state: State, seat: Seat) -> int:
    """Return how many lives who comes late to *seat* has lost, in the middle of a rubber (§ 7).

    Nobody comes back to a seat with more lives than were left there.
    """
    lost = [state.lives_lost[one] for one in state.not_out(state.seats)]
    left = dict(state.left).get(seat, 0)
    return card_game.latecomer_lives(options.latecomer_lives, lost, left, options.max_lives)


def lose(options: Options, lost: int, price: int) -> int:
    """Return the lives lost by who had lost *lost* and pays *price*."""
    if options.overshoot == "record":
        return max(0, lost + price)
    return max(0, min(options.max_lives, lost + price))


def lives_left(options: Options, state: State, seat: Seat) -> int:
    """Return how many lives *seat* still has."""
    return max(0, options.max_lives - state.lives_lost[seat])


def cannot_lose_more(options: Options, state: State, seat: Seat) -> bool:
    """Whether what *seat* has accepted already costs all its lives."""
    return lives_left(options, state, seat) <= state.hand.committed[seat]


def fold_price(options: Options, state: State, seat: Seat) -> int:
    """Return what *seat* pays for leaving the hand now."""
    if state.phase is Phase.ARMOEDE:
        return options.armoede_leave_cost
    return 1 if options.fold_price == "one_life" else state.hand.committed[seat]


def may_pay_one_more(options: Options, state: State, seat: Seat, *, blind: bool) -> bool:
    """Whether the knock limit lets *seat* raise the stake by one (§ 5)."""
    if seat in state.hand.armoede:
        return options.armoede_may_knock
    if options.knock_limit_basis == "off":
        return True
    own = options.knock_limit_basis == "own"
    raises = state.hand.knocks[seat] if own else state.hand.stake - 1
    return raises + 2 <= lives_left(options, state, seat) + blind
