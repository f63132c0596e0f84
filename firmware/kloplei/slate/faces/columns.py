"""How wide the parts of all rows are, and in which letters: names claim what numbers can spare."""

from collections.abc import Mapping
from dataclasses import dataclass

from kloplei.rules.game import Seat
from kloplei.rules.scoreboard import Row, Scoreboard
from kloplei.slate.faces import icons
from kloplei.slate.faces.marks import MARK_PX, marks
from kloplei.slate.faces.signed import signed, signed_width
from kloplei.slate.faces.tally import tally_width
from kloplei.slate.faces.tricks import tricks_width
from kloplei.slate.lettering import (
    BOLD,
    LARGE,
    LARGER,
    MEDIUM,
    MEDIUM_BOLD,
    SMALL,
    Font,
    width_of,
)

NAME_X = MARK_PX
GAP_PX = 2
BESIDE_PX = 3  # between a name and a sign beside it

_FONTS = (LARGER, LARGE, MEDIUM_BOLD, MEDIUM, BOLD)
_NAME_CLAIM_PX = 38  # so much a name may ask for before the strokes get theirs
_NAME_LEAST_PX = 24  # and so much it keeps, however many strokes there are
# Letters of numbers and of swings, and what a name may ask for before the next ones are tried.
_SWINGING = (
    (LARGER, MEDIUM, _NAME_CLAIM_PX),
    (LARGE, MEDIUM, _NAME_CLAIM_PX),
    (LARGE, SMALL, _NAME_CLAIM_PX),
    (LARGE, SMALL, _NAME_LEAST_PX),
    (MEDIUM_BOLD, SMALL, _NAME_LEAST_PX),
)
_TRICK_PX = 5
_SMALL_TRICK_PX = 4  # where five of them have to fit
_MOST_TRICKS = 5  # drawn in a row; nobody counts more of them in a deal


@dataclass(frozen=True, slots=True)
class Columns:
    """How wide the parts of every row are, and in which letters names and numbers stand.

    *beside* are the signs that stand beside a name; *middle_px* is for strokes, tricks or
    swings.
    """

    name_px: int
    middle_px: int
    name: Font
    number: Font
    swing: Font
    beside: Mapping[Seat, tuple[icons.Icon, ...]]


def fit_columns(width: int, height: int, board: Scoreboard, names: Mapping[Seat, str]) -> Columns:
    """Return the columns of rows of *height* that are *width* pixels wide together."""
    fonts = [font for font in _FONTS if font.capital + font.depth <= height] or [BOLD]
    beside = {row.seat: _beside(board, row, height) for row in board.rows}
    needs = {font: _name_need(board, names, font, beside) for font in fonts}
    most = width - NAME_X - 2 * GAP_PX - 1
    claim = min(needs[fonts[-1]], _NAME_CLAIM_PX)
    number, swing = next((one for one in (LARGE, MEDIUM_BOLD) if one in fonts), BOLD), SMALL
    if _swings(board):
        uncut = (needs[one] for one in (MEDIUM_BOLD, MEDIUM) if one in fonts)
        claim = next((need for need in uncut if need <= _NAME_CLAIM_PX), claim)
        number, swing = _swinging_fonts(board, fonts, most, claim)
    room = most - _digits_px(board, number)
    middle_px = min(_middle_need(board, room - claim, swing), room - min(claim, _NAME_LEAST_PX))
    name_px = room - middle_px
    fitting = (font for font in fonts if needs[font] <= name_px)
    return Columns(name_px, middle_px, next(fitting, fonts[-1]), number, swing, beside)


def width_beside(beside: tuple[icons.Icon, ...]) -> int:
    """Return how many pixels the signs *beside* a name take."""
    return sum(BESIDE_PX + icons.size_of(icon)[0] for icon in beside)


def trick_px(board: Scoreboard) -> int:
    """Return how wide a trick is."""
    return _SMALL_TRICK_PX if board.tricks_to_win is None else _TRICK_PX


def tricks_in(board: Scoreboard, row: Row) -> tuple[int, int | None]:
    """Return how many tricks the side of *row* has, and how many it needs."""
    return board.tricks_of(row.seat) or 0, board.tricks_to_win


def _swings(board: Scoreboard) -> bool:
    return any(row.swing is not None for row in board.rows)


def _swinging_fonts(
    board: Scoreboard, fonts: list[Font], most: int, claim: int
) -> tuple[Font, Font]:
    """Return the letters of numbers and swings that leave of *most* what names *claim*."""
    return next(
        (
            (number, swing)
            for number, swing, cap in _SWINGING
            if number in fonts
            and _digits_px(board, number) + _swing_px(board, swing) + min(claim, cap) <= most
        ),
        (BOLD, SMALL),
    )


def _digits_px(board: Scoreboard, font: Font) -> int:
    """Return how wide the widest number is; it stands still while its digits come and go."""
    return max(signed_width(_zeros(row.tally), font) for row in board.rows)


def _swing_px(board: Scoreboard, font: Font) -> int:
    swings = [row.swing for row in board.rows if row.swing]
    widths = (signed_width(signed(one, plus=True), font) for one in swings)
    return max((wide + 2 * GAP_PX for wide in widths), default=0)


def _zeros(tally: int) -> str:
    """Return a number as long as *tally* whose width does not depend on its digits."""
    return "".join("0" if one.isdigit() else one for one in str(tally))


def _middle_need(board: Scoreboard, most: int, swing: Font) -> int:
    """Return how wide strokes, tricks or swings are, no more than *most* pixels if it can be."""
    if _swings(board):
        return _swing_px(board, swing)
    if any(row.falls or row.tricks is not None for row in board.rows):
        boxes = board.tricks_to_win or _MOST_TRICKS
        most_taken = max(tricks_in(board, row)[0] for row in board.rows)
        return tricks_width(max(boxes, most_taken), trick_px(board)) + GAP_PX
    return tally_width(max(row.limit or row.tally for row in board.rows), most)


def _beside(board: Scoreboard, row: Row, height: int) -> tuple[icons.Icon, ...]:
    """Return what stands beside the name in *row*: who plays alone, and a card without room."""
    found = [icons.ALONE] if "soloist" in row.flags else []
    if row.seat == board.dealer and icons.DEALER not in marks(board, row, height):
        found.append(icons.DEALER)
    return tuple(found)


def _name_need(
    board: Scoreboard,
    names: Mapping[Seat, str],
    font: Font,
    beside: Mapping[Seat, tuple[icons.Icon, ...]],
) -> int:
    """Return the width in which every name fits in *font*."""
    return max(
        width_of(names[row.seat], font) + width_beside(beside[row.seat]) for row in board.rows
    )
