"""What a hand does without a phone at a Watten table (§ 8).

Cards are slammed in Watten, so the game is deaf to knocks: only a button held down speaks.
"""

from kloplei.rules.game import Do, Gesture, Meaning, Seat
from kloplei.rules.watten import actions
from kloplei.rules.watten.state import Phase, State


def meaning(state: State, seat: Seat, gesture: Gesture) -> Meaning | None:
    """Return what *gesture* at *seat* asks for, or None if it is only noise."""
    if not gesture.hold or seat not in state.seats:
        return None
    if state.phase is Phase.PLAY:
        return Do(actions.Trick(seat), grace=True)
    if seat != state.dealer:
        return None
    if state.phase is Phase.BETWEEN_DEALS:
        return Do(actions.Deal())
    return Do(actions.NewGame()) if state.phase is Phase.GAME_OVER else None
