"""Who leads, and what armoede does to a hand before its first card (§ 2, § 3)."""

from collections.abc import Collection

from kloplei.rules.game import Seat
from kloplei.rules.toepen.apply import Course
from kloplei.rules.toepen.events import ArmoedeSettled, ExchangeClosed, Stayed
from kloplei.rules.toepen.lives import cannot_lose_more
from kloplei.rules.toepen.options import Options
from kloplei.rules.toepen.state import Phase, State

_VOID = ("misdeal", "revoke")


def poor_among(options: Options, state: State, in_hand: Collection[Seat]) -> tuple[Seat, ...]:
    """Return who of *in_hand* is in armoede, clockwise from the dealer's left.

    When all are, nobody could decide anything, and it is an ordinary hand.
    """
    if not options.armoede:
        return ()
    last_life = options.max_lives - 1
    poor = tuple(
        seat
        for seat in state.after(state.dealer)
        if seat in in_hand and state.lives_lost[seat] == last_life
    )
    return poor if len(poor) < len(in_hand) else ()


def lead(
    options: Options, state: State, armoede: tuple[Seat, ...], in_hand: Collection[Seat]
) -> Seat:
    """Return who leads the first trick."""
    if options.armoede_leads == "first_time_only":
        armoede = tuple(seat for seat in armoede if seat not in state.was_poor)
    if armoede:
        return armoede[0]
    order = tuple(seat for seat in state.after(state.dealer) if seat in in_hand)
    if options.new_rubber_lead == "previous loser leads" and _first_hand(state):
        order = tuple(seat for seat in order if seat in state.lost_first) or order
    return order[0]


def settle_again(course: Course) -> None:
    """Lift or pass on the protection after a seat in armoede went out before the decision."""
    state, options = course.state, course.options
    armoede = state.hand.armoede
    stake = options.armoede_stake if armoede else 1
    first = lead(options, state, armoede, state.hand.in_hand)
    course.tell(ArmoedeSettled(armoede, stake, first))


def close_exchange(course: Course) -> None:
    """End exchanging, if it has not ended yet, and ask for the armoede decision if it is due."""
    if course.state.phase is not Phase.EXCHANGE:
        return
    options, in_hand = course.options, course.state.hand.in_hand
    if options.armoede_check == "after_exchange":
        armoede = poor_among(options, course.state, in_hand)
        if armoede:
            first = lead(options, course.state, armoede, in_hand)
            course.tell(ArmoedeSettled(armoede, options.armoede_stake, first))
    course.tell(ExchangeClosed(_deciders(course.state)))
    stay_if_forced(course)


def stay_if_forced(course: Course) -> None:
    """Let everybody stay who has nothing more to lose, where the house says so (§ 8)."""
    if course.options.all_in != "auto_stay":
        return
    for seat in course.state.hand.to_answer:
        if cannot_lose_more(course.options, course.state, seat):
            course.tell(Stayed(seat, course.state.hand.stake, forced=True))


def _deciders(state: State) -> tuple[Seat, ...]:
    if not state.hand.armoede or state.leader is None:
        return ()
    order = state.still_in(state.after(state.leader))
    return tuple(seat for seat in order if seat not in state.hand.armoede)


def _first_hand(state: State) -> bool:
    return all(hand.how in _VOID for hand in state.hands)
