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
    if state.phase is Phase.EXCHANGE:
        return _my_trick_or_ready(state, seat) if gesture.hold else _exchanging(seat, times)
    if gesture.hold:
        times = 2
    match state.phase:
        case Phase.BETWEEN_DEALS | Phase.GAME_OVER:
            return _outside_a_deal(state, seat, times)
        case Phase.ANNOUNCING:
            return _announcing(options, state, seat, times)
        case Phase.ANSWERING:
            asked = seat in Referee(options, state).to_answer
            return _answering(seat, times) if asked else None
    return _playing(options, seat, times)


def _outside_a_deal(state: State, seat: Seat, times: int) -> Meaning | None:
    if seat != state.dealer or times != 2:
        return None
    return Do(actions.NewGame() if state.phase is Phase.GAME_OVER else actions.Deal())


def _announcing(options: Options, state: State, seat: Seat, times: int) -> Meaning | None:
    if seat not in (state.dealer, state.neighbour):
        return None
    if state.deal.offer_open:
        return _agreeing(state, seat, times)
    if options.everyone_alone:
        return _turning_up(seat) if times == 2 and seat == state.dealer else None
    if times == 2:
        blind = options.variant == "blind"
        return Do(actions.Confirm(seat) if blind else actions.NameAloud(seat))
    return Do(actions.Offer(seat)) if times == 3 and seat == state.neighbour else None


def _agreeing(state: State, seat: Seat, times: int) -> Meaning | None:
    if seat != state.dealer:
        return None
    if times == 1:
        return Do(actions.Agree(seat))
    return Do(actions.Refuse(seat)) if times == 2 else None


def _turning_up(dealer: Seat) -> Meaning:
    """Ask for the suit: hearts count double, so that the box has to know."""
    suits = enumerate(get_args(actions.Suit), start=1)
    return Choose("turned-up", tuple((times, actions.Trump(dealer, suit)) for times, suit in suits))


def _exchanging(seat: Seat, times: int) -> Meaning | None:
    """So many presses, so many cards."""
    return Do(actions.Exchange(seat, times)) if times else None


def _my_trick_or_ready(state: State, seat: Seat) -> Meaning:
    """The dealer, who exchanges last, closes the exchange; so does the first trick."""
    return Do(actions.Ready()) if seat == state.dealer else _my_trick(seat)


def _answering(seat: Seat, times: int) -> Meaning | None:
    match times:
        case 1:
            return Do(actions.Accept(seat))
        case 2:
            return Do(actions.GiveUp(seat), grace=True)
        case 3:
            return Do(actions.Raise(seat))
    return None


def _playing(options: Options, seat: Seat, times: int) -> Meaning | None:
    match times:
        case 1:
            return None if options.everyone_alone else Do(actions.Raise(seat))
        case 2:
            return _my_trick(seat)
        case 3:
            return Show("hurry-up")
    return None


def _my_trick(seat: Seat) -> Meaning:
    return Do(actions.Trick(seat), grace=True)
