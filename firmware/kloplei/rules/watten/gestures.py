"""What a hand does without a phone at a Watten table (§ 8).

Cards are slammed in Watten, so that only buttons speak, unless the house arms the pads.
"""

from typing import get_args

from kloplei.rules.game import Choose, Do, Gesture, Meaning, Seat, Show
from kloplei.rules.watten import actions
from kloplei.rules.watten.options import Options
from kloplei.rules.watten.referee import Referee
from kloplei.rules.watten.state import Phase, State


def meaning(options: Options, state: State, seat: Seat, gesture: Gesture) -> Meaning | None:
    """Return what *gesture* at *seat* asks for, or None if it is only noise."""
    if seat not in state.seats:
        return None
    times = gesture.knocks if options.pads == "armed" else gesture.presses
    second = gesture.hold or times == 2
    match state.phase:
        case Phase.BETWEEN_DEALS | Phase.GAME_OVER:
            return _outside_a_deal(state, seat) if second else None
        case Phase.ANNOUNCING:
            return _announcing(options, state, seat, times, second=second)
        case Phase.EXCHANGE:
            return _exchanging(state, seat, times, hold=gesture.hold)
        case Phase.ANSWERING:
            asked = seat in Referee(options, state).to_answer
            return _answering(seat, times, second=second) if asked else None
    return _playing(options, seat, times, second=second)


def _outside_a_deal(state: State, seat: Seat) -> Meaning | None:
    if seat != state.dealer:
        return None
    return Do(actions.NewGame() if state.phase is Phase.GAME_OVER else actions.Deal())


def _announcing(
    options: Options, state: State, seat: Seat, times: int, *, second: bool
) -> Meaning | None:
    if seat not in (state.dealer, state.neighbour):
        return None
    if state.deal.offer_open:
        return _agreeing(state, seat, times, second=second)
    if options.everyone_alone:
        return _turning_up(seat) if second and seat == state.dealer else None
    if second:
        blind = options.variant == "blind"
        return Do(actions.Confirm(seat) if blind else actions.NameAloud(seat))
    return Do(actions.Offer(seat)) if times == 3 and seat == state.neighbour else None


def _agreeing(state: State, seat: Seat, times: int, *, second: bool) -> Meaning | None:
    if seat != state.dealer:
        return None
    if second:
        return Do(actions.Refuse(seat))
    return Do(actions.Agree(seat)) if times == 1 else None


def _turning_up(dealer: Seat) -> Meaning:
    """Ask for the suit: hearts count double, so that the box has to know."""
    suits = enumerate(get_args(actions.Suit), start=1)
    return Choose("turned-up", tuple((times, actions.Trump(dealer, suit)) for times, suit in suits))


def _exchanging(state: State, seat: Seat, times: int, *, hold: bool) -> Meaning | None:
    """So many presses, so many cards; a trick, or the dealer who is last, closes the exchange."""
    if hold:
        return Do(actions.Ready()) if seat == state.dealer else _my_trick(seat)
    return Do(actions.Exchange(seat, times)) if times else None


def _answering(seat: Seat, times: int, *, second: bool) -> Meaning | None:
    if second:
        return Do(actions.GiveUp(seat), grace=True)
    if times == 1:
        return Do(actions.Accept(seat))
    return Do(actions.Raise(seat)) if times == 3 else None


def _playing(options: Options, seat: Seat, times: int, *, second: bool) -> Meaning | None:
    if second:
        return _my_trick(seat)
    if times == 3:
        return Show("hurry-up")
    return Do(actions.Raise(seat)) if times == 1 and not options.everyone_alone else None


def _my_trick(seat: Seat) -> Meaning:
    return Do(actions.Trick(seat), grace=True)
