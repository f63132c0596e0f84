"""The mark before a name: who leads, deals, raised, stays, is out, sits out, has to answer."""

from PIL import ImageDraw

from kloplei.rules.scoreboard import Row, Scoreboard
from kloplei.slate.faces import icons

MARK_PX = 9
_TWO_PX = 15  # a row so high holds two marks, one above the other


def marks(board: Scoreboard, row: Row, height: int) -> list[icons.Icon]:
    """Return what tells most about *row*, and the dealer's card where it fits below that.

    Args:
        board: The whole table.
        row: One of its rows.
        height: Of the row, in pixels.
    """
    first = _mark(board, row)
    found = [] if first is None else [first]
    if row.seat == board.dealer and (not found or height >= _TWO_PX):
        found.append(icons.DEALER)
    return found


def draw_marks(draw: ImageDraw.ImageDraw, width: int, height: int, shown: list[icons.Icon]) -> None:
    """Draw the marks *shown*, one above the other."""
    for number, icon in enumerate(shown):
        wide, tall = icons.size_of(icon)
        room = height // len(shown)
        icons.draw_icon(draw, (width - 1 - wide) // 2, number * room + (room - tall) // 2, icon)


def _mark(board: Scoreboard, row: Row) -> icons.Icon | None:
    flags = row.flags
    if "must_answer" in flags:
        return icons.ANSWERS
    if "rubber_winner" in flags or ("toepkoning" in flags and board.stake is None):
        return icons.CROWN_SMALL
    if "owes_drink" in flags:
        return icons.BEER_SMALL
    if "out" in flags or "folded" in flags:
        return icons.FOLDED
    if "sits_out" in flags:
        return icons.CHAIR
    if "raised" in flags:
        return icons.RAISED
    if board.to_answer and "in_hand" in flags and row.committed is not None:
        return icons.KNOCKED if "last_knocker" in flags else icons.STAYS
    if row.seat == board.leader:
        return icons.LEADS
    if "open_exchange" in flags:
        return icons.EXCHANGED
    return icons.KNOCKED if "last_knocker" in flags else None
