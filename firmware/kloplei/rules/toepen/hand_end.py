"""The end of a hand: who pays, who deals next, and whether the rubber is over (§ 2, § 6)."""

from collections.abc import Mapping

from kloplei.rules.card_game import put
from kloplei.rules.game import Seat
from kloplei.rules.toepen.apply import Course
from kloplei.rules.toepen.armoede import settle_again
from kloplei.rules.toepen.events import HandEnded
from kloplei.rules.toepen.lives import lose
from kloplei.rules.toepen.options import Options
from kloplei.rules.toepen.rubber import finish_if_over, send_out
from kloplei.rules.toepen.state import Phase, State

FOUR_COSTS = 3  # lives, § 8
VOID = ("revoke", "misdeal", "out")


def win_by_trick(course: Course, winner: Seat, *, jack: bool = False) -> None:
    """End the hand: *winner* took the fourth trick, with a *jack* maybe."""
    state = course.state
    if winner not in state.hand.in_hand:
        # Its card still counts although its player has folded (§ 8).
        prices = dict.fromkeys(state.hand.in_hand, state.hand.stake)
        _end(course, "everyone-lost", prices, seat=winner)
        return
    prices = dict.fromkeys(state.hand.in_hand - {winner}, state.hand.stake)
    if jack:
        prices[winner] = -1
    _end(course, "trick", prices, seat=winner, winner=winner)


def win_by_four(course: Course, winner: Seat) -> None:
    """End the hand: *winner* showed four of a kind."""
    prices = dict.fromkeys(course.state.hand.in_hand - {winner}, FOUR_COSTS)
    _end(course, "four", prices, seat=winner, winner=winner)


def revoke(course: Course, offender: Seat) -> None:
    """Drop the hand because *offender* did not follow suit."""
    price = course.state.hand.committed[offender]
    prices = {offender: price} if course.options.revoke_remedy == "offender_pays" else {}
    _end(course, "revoke", prices, seat=offender)


def misdeal(course: Course) -> None:
    """Drop the hand because it was dealt wrongly."""
    _end(course, "misdeal", {}, seat=None)


def after_loss(course: Course, loser: Seat) -> None:
    """See what follows when *loser* has paid lives, or left, in the middle of a hand."""
    was_poor = loser in course.state.hand.armoede
    undecided = course.state.phase in (Phase.EXCHANGE, Phase.ARMOEDE)
    send_out(course, (loser,))
    state = course.state
    if len(state.hand.in_hand) == 1:
        (winner,) = state.hand.in_hand
        _end(course, "folds", {}, seat=winner, winner=winner)
    elif state.out_since[loser] and course.options.rubber_end_timing == "immediate":
        _end(course, "out", {}, seat=loser)
    elif was_poor and undecided and state.out_since[loser]:
        settle_again(course)


def may_deal(options: Options, state: State, lives: tuple[int, ...]) -> tuple[Seat, ...]:
    """Return who is at the next deal if everybody has lost *lives*; a wiped slate brings all."""
    left = tuple(seat for seat in state.seats if lives[seat] < options.max_lives)
    if options.rubber_mode == "first_out_pays":
        return left if len(left) == len(state.seats) else state.seats
    return left if len(left) > 1 else state.seats


def _end(
    course: Course,
    how: str,
    prices: Mapping[Seat, int],
    *,
    seat: Seat | None,
    winner: Seat | None = None,
) -> None:
    options, state = course.options, course.state
    paid, lives = state.zeros(), state.lives_lost
    for one, price in prices.items():
        lost = lose(options, lives[one], price)
        paid, lives = put(paid, one, lost - lives[one]), put(lives, one, lost)
    taker = None if how in VOID else seat
    course.tell(
        HandEnded(
            number=state.hand_number,
            how=how,
            winner=winner,
            seat=seat,
            stake=state.hand.stake,
            stayed=state.still_in(state.hand.dealt_in),
            paid=paid,
            lives=lives,
            dealer=_next_dealer(options, state, lives, taker),
        )
    )
    send_out(course, state.seats)
    finish_if_over(course)


def _next_dealer(
    options: Options, state: State, lives: tuple[int, ...], taker: Seat | None
) -> Seat:
    """Return who deals next; *taker* has won, or None if the hand was void (§ 2)."""
    present = may_deal(options, state, lives)
    order = tuple(seat for seat in state.after(state.dealer) if seat in present)
    if taker is None:
        return state.dealer if state.dealer in present else order[0]
    if options.next_dealer == "left":
        return order[0]
    if options.next_dealer == "highest_score":
        return max(order, key=lambda seat: lives[seat])
    if taker in present:
        return taker
    return next(seat for seat in state.after(taker) if seat in present)
