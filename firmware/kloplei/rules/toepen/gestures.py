"""What a knock, a few knocks or a hold mean in each phase of toepen (§ 10)."""

from typing import get_args

from kloplei.rules.game import Action, Choose, Do, Gesture, Meaning, Seat, Show
from kloplei.rules.toepen import actions
from kloplei.rules.toepen.actions import LAST_TRICK
from kloplei.rules.toepen.options import Options
from kloplei.rules.toepen.referee import Referee
from kloplei.rules.toepen.state import Phase, State

_CHALLENGE = 5  # knocks


def meaning(options: Options, state: State, seat: Seat, gesture: Gesture) -> Meaning | None:
    """Return what *gesture* at *seat* asks for, or None if it is only noise."""
    second = gesture.hold or gesture.knocks == 2
    if not state.hand_running or seat not in state.hand.in_hand:
        return _outside_a_hand(state, seat) if second else None
    if state.phase is Phase.EXCHANGE and (other := _exchanging(state, seat, gesture)):
        return other
    if to_answer := Referee(options, state).to_answer:
        return _answering(options, state, seat, gesture) if seat in to_answer else None
    if second:
        return Do(actions.Trick(seat, LAST_TRICK), grace=True)
    if gesture.knocks == 1:
        return Do(actions.Knock(seat))
    if gesture.knocks == 3 and state.phase is Phase.PLAY:
        return Show("hurry-up")
    return None


def _outside_a_hand(state: State, seat: Seat) -> Meaning | None:
    if seat in state.owes_drink:
        return Do(actions.Drink(seat))
    if state.phase is Phase.BETWEEN_HANDS and seat == state.dealer:
        return Do(actions.Deal())
    return None


def _exchanging(state: State, seat: Seat, gesture: Gesture) -> Meaning | None:
    if gesture.knocks == 3:
        return Do(actions.Exchange(seat))
    others = tuple(one for one in state.hand.open_exchange if one != seat)
    if gesture.knocks != _CHALLENGE or not others:
        return None
    found: tuple[tuple[int, Action], ...] = tuple(
        (knocks, actions.Challenge(seat, others[-1], one))
        for knocks, one in enumerate(get_args(actions.Found), start=1)
    )
    return Choose("challenge", found)


def _answering(options: Options, state: State, seat: Seat, gesture: Gesture) -> Meaning | None:
    if gesture.hold or gesture.knocks == 2:
        return Do(actions.Fold(seat))
    if gesture.knocks == 1:
        return Do(actions.Stay(seat))
    if gesture.knocks == 3 and options.over_knock_while_pending and state.phase is Phase.ANSWERING:
        return Do(actions.Knock(seat))
    return None
