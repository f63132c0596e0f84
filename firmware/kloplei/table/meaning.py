"""What a gesture asks for at this table: the table's own first, then the game's."""

from kloplei.games.game import Do, Meaning, Seat
from kloplei.table.actions import NewEvening, Redo, SitDown, Start, Undo
from kloplei.table.gestures import Pattern
from kloplei.table.seating import Seating
from kloplei.table.state import TableState

UNDO_KNOCKS = 4
EVENING_KNOCKS = 6
START_KNOCKS = 3


def asks_undo(pattern: Pattern) -> bool:
    """Return whether *pattern* is the table's gesture for taking something back."""
    return pattern.long or pattern.knocks == UNDO_KNOCKS


def meaning_of(
    seating: Seating, state: TableState, seat: Seat, pattern: Pattern, *, undone_last: bool
) -> Meaning | None:
    """Return what *pattern* at *seat* asks for, or None if it is noise.

    Args:
        seating: Knows the game.
        state: The table as it stands.
        seat: Whose hand it was.
        pattern: What the hand did.
        undone_last: The last step was an undo, so that its gesture now means redo.
    """
    if asks_undo(pattern):
        return Do(Redo()) if undone_last and not pattern.long else Do(Undo(), grace=True)
    if pattern.knocks == EVENING_KNOCKS:
        return Do(NewEvening(), grace=True)
    if seat not in state.names:
        return Do(SitDown(seat)) if pattern.knocks == 1 else None
    if state.play is None:
        starts = pattern.gesture.hold or pattern.knocks == START_KNOCKS
        return Do(Start(seat)) if starts else None
    return seating.game(state).meaning(state.play, seat, pattern.gesture)
