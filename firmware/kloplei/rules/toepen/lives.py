"""What things cost in lives, and how far a seat may raise (§ 5, § 6)."""

from kloplei.rules.game import Seat
from kloplei.rules.toepen.options import Options
from kloplei.rules.toepen.state import Phase, State


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
