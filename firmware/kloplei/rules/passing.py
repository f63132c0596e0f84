"""What of a scoreboard passes by itself: seconds that run out, blows not yet judged."""

from dataclasses import replace

from kloplei.rules.scoreboard import Scoreboard


def at_rest(board: Scoreboard) -> Scoreboard:
    """Return *board* without what comes and goes by itself: seconds left, blows not yet judged.

    While that is equal, there is nothing that somebody who counts down has to be told.
    """
    return replace(
        board,
        struck=False,
        grace=board.grace and replace(board.grace, left_s=0.0),
        doubt=board.doubt and replace(board.doubt, left_s=0.0),
        door=board.door and replace(board.door, left_s=0.0),
    )


def counted_down(board: Scoreboard, by_s: float) -> Scoreboard:
    """Return *board* as it stands *by_s* seconds later: so much less is left of what waits."""
    if board.grace is None and board.doubt is None and board.door is None:
        return board
    return replace(
        board,
        grace=board.grace and replace(board.grace, left_s=max(board.grace.left_s - by_s, 0.0)),
        doubt=board.doubt and replace(board.doubt, left_s=max(board.doubt.left_s - by_s, 0.0)),
        door=board.door and replace(board.door, left_s=max(board.door.left_s - by_s, 0.0)),
    )
