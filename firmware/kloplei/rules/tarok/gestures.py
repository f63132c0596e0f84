"""What a gesture at a seat asks for in each phase of Tarok (§ 9).

Two presses of the button deal, or take the last trick; so does holding it down. Blows on the
wood mean nothing: cards fall on it.
"""

from kloplei.rules.game import Do, Gesture, Meaning, Seat
from kloplei.rules.tarok import actions
from kloplei.rules.tarok.state import Phase, State

_TWICE = 2


def meaning(state: State, seat: Seat, gesture: Gesture) -> Meaning | None:
    """Return what *gesture* at *seat* asks for, or None if it is only noise."""
    if seat not in state.seats or not (gesture.hold or gesture.presses == _TWICE):
        return None
    match state.phase:
        case Phase.HAND:
            return Do(actions.LastTrick(seat), grace=True) if seat in state.active else None
        case Phase.BETWEEN_HANDS if seat == state.dealer:
            return Do(actions.Deal())
        case Phase.SETTLED if seat == state.dealer:
            return Do(actions.NewGame())
    return None
