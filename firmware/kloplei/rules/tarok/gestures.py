"""What a gesture at a seat asks for in each phase of Tarok (§ 9).

Two presses of the button deal, or take the last trick; so does holding it down. As long as
declarations go round one press passes, and a hold says that there is something to tell. Blows
on the wood mean nothing: cards fall on it.
"""

from kloplei.rules.game import Do, Gesture, Meaning, Seat, Show
from kloplei.rules.tarok import actions
from kloplei.rules.tarok.state import Phase, State

_ONCE, _TWICE = 1, 2


def meaning(state: State, seat: Seat, gesture: Gesture) -> Meaning | None:
    """Return what *gesture* at *seat* asks for, or None if it is only noise."""
    if seat not in state.seats or not (gesture.hold or gesture.presses):
        return None
    if state.phase is Phase.HAND:
        return _in_hand(state, seat, gesture) if seat in state.active else None
    if not gesture.hold and gesture.presses != _TWICE:
        return None
    match state.phase:
        case Phase.BETWEEN_HANDS if seat == state.dealer:
            return Do(actions.Deal())
        case Phase.SETTLED if seat == state.dealer:
            return Do(actions.NewGame())
    return None


def _in_hand(state: State, seat: Seat, gesture: Gesture) -> Meaning | None:
    declaring = state.to_declare is not None and seat not in state.passed
    if declaring and gesture.hold:
        return Show("declares")
    if declaring and gesture.presses == _ONCE:
        return Do(actions.Pass(seat))
    if gesture.hold or gesture.presses == _TWICE:
        return Do(actions.LastTrick(seat), grace=True)
    return None
