"""The players, one row each: mark, name, strokes, tricks or the last swing, number."""

from collections.abc import Mapping
from dataclasses import dataclass

from PIL import Image, ImageDraw

from kloplei.rules.game import Seat
from kloplei.rules.scoreboard import Row, Scoreboard
from kloplei.slate.faces import icons
from kloplei.slate.faces.echo import echo_in_row
from kloplei.slate.faces.marks import MARK_PX, draw_marks, marks
from kloplei.slate.faces.signed import signed, signed_width, write_signed
from kloplei.slate.faces.tally import draw_tally, tally_width
from kloplei.slate.faces.tricks import draw_tricks, tricks_width
from kloplei.slate.lettering import (
    BOLD,
    LARGE,
    LARGER,
    MEDIUM,
    MEDIUM_BOLD,
    SMALL,
    Font,
    cut,
    width_of,
    write,
)
from kloplei.slate.sheet import Box, invert, place, stacked

_FONTS = (LARGER, LARGE, MEDIUM_BOLD, MEDIUM, BOLD)
_LIGHTER = {LARGER: MEDIUM, LARGE: MEDIUM, MEDIUM_BOLD: MEDIUM}  # of who sits out; else SMALL
_NAME_X = MARK_PX
_GAP_PX = 2
_BESIDE_PX = 3  # between a name and a sign beside it
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
# Dots and tails of letters reach into the rows above and below.
_ABOVE_PX, _BELOW_PX = 1, 2
_TRICK_PX = 5
_SMALL_TRICK_PX = 4  # where five of them have to fit
_MOST_TRICKS = 5  # drawn in a row; nobody counts more of them in a deal


@dataclass(frozen=True, slots=True)
class _Columns:
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


def draw_rows(
    sheet: Image.Image, box: Box, board: Scoreboard, names: Mapping[Seat, str], *, blink: bool
) -> None:
    """Draw a row for each player into *box*; *blink* tells whether what blinks is on."""
    if not board.rows:
        return
    boxes = stacked(box, len(board.rows))
    columns = _columns(box.width, min(row.height for row in boxes), board, names)
    for row, part in zip(board.rows, boxes, strict=True):
        place(sheet, _taller(part), _draw_row, board, row, names[row.seat], columns)
        place(sheet, part._replace(width=MARK_PX), draw_marks, marks(board, row, part.height))
    for row, part in zip(board.rows, boxes, strict=True):
        if "armoede" in row.flags:
            invert(sheet, part._replace(x=part.x + MARK_PX, width=part.width - MARK_PX + 1))
        if "gestrichen" in row.flags:
            invert(sheet, _around_number(part, row, columns.number))
        if "must_answer" in row.flags and blink:
            invert(sheet, part._replace(width=MARK_PX - 1, height=part.height - 1))
        if board.heard is not None and board.heard.seat == row.seat:
            echo_in_row(sheet, part, board.heard)


def _around_number(part: Box, row: Row, font: Font) -> Box:
    """Return where the number of *row* stands, with a rim that keeps off the next one."""
    wide = signed_width(signed(row.tally), font) + _GAP_PX
    tall = min(font.capital + 2 * _GAP_PX, part.height - 1)
    left, top = part.x + part.width - wide, part.y + (part.height - 1 - tall) // 2
    return Box(left, top, wide + 1, tall)


def _draw_row(
    draw: ImageDraw.ImageDraw,
    width: int,
    height: int,
    board: Scoreboard,
    row: Row,
    name: str,
    columns: _Columns,
) -> None:
    """Draw all of *row* but its marks."""
    beside = columns.beside.get(row.seat, ())
    font = columns.name
    if icons.CHAIR in marks(board, row, height):
        font = _LIGHTER.get(font, SMALL)
    y = _middle(height, font.capital)
    shown = cut(name, font, columns.name_px - _width_beside(beside), ending=".")
    write(draw, _NAME_X, y, shown, font)
    x = _NAME_X + width_of(shown, font)
    for icon in beside:
        wide, tall = icons.size_of(icon)
        icons.draw_icon(draw, x + _BESIDE_PX, _middle(height, tall), icon)
        x += _BESIDE_PX + wide
    number, font = signed(row.tally), columns.number
    x = width - signed_width(number, font)
    write_signed(draw, x, _middle(height, font.capital), number, font)
    draw.bitmap(
        (_NAME_X + columns.name_px + _GAP_PX, 0), _draw_middle(height, board, row, columns), fill=1
    )


def _draw_middle(height: int, board: Scoreboard, row: Row, columns: _Columns) -> Image.Image:
    """Return what stands between name and number: the last swing, tricks, else chalk strokes."""
    middle = Image.new("1", (max(columns.middle_px, 1), height))
    if row.swing is not None:
        _draw_swing(ImageDraw.Draw(middle), *middle.size, row.swing, columns.swing)
    elif row.tricks is not None:
        part = Image.new("1", (middle.width, _trick_px(board)))
        draw_tricks(ImageDraw.Draw(part), *part.size, *_tricks(board, row))
        middle.paste(part, (0, _middle(height, part.height)))
    elif not row.falls:
        inside = height - _ABOVE_PX - _BELOW_PX
        margin = 1 if inside > MEDIUM_BOLD.capital else 0
        part = Image.new("1", (middle.width, inside - 1 - margin))
        draw_tally(ImageDraw.Draw(part), *part.size, row)
        if "folded" in row.flags or "out" in row.flags:
            _fade(part)
        middle.paste(part, (0, _ABOVE_PX + margin))
    return middle


def _draw_swing(draw: ImageDraw.ImageDraw, width: int, height: int, swing: int, font: Font) -> None:
    """Draw *swing* with its sign; nothing where nothing moved, or half of it could be read."""
    text = signed(swing, plus=True)
    x = width - _GAP_PX - signed_width(text, font)
    if swing and x >= 0:
        write_signed(draw, x, _middle(height, font.capital), text, font)


def _trick_px(board: Scoreboard) -> int:
    return _SMALL_TRICK_PX if board.tricks_to_win is None else _TRICK_PX


def _tricks(board: Scoreboard, row: Row) -> tuple[int, int | None]:
    """Return how many tricks the side of *row* has, and how many it needs."""
    return board.tricks_of(row.seat) or 0, board.tricks_to_win


def _fade(strokes: Image.Image) -> None:
    """Leave out every other line: a seat out of this hand; its name has to stay readable."""
    draw = ImageDraw.Draw(strokes)
    for y in range(1, strokes.height, 2):
        draw.line((0, y, strokes.width, y), fill=0)


def _middle(height: int, tall: int) -> int:
    """Return where something *tall* begins, in the middle of a box of `_taller`."""
    return _ABOVE_PX + (height - _ABOVE_PX - _BELOW_PX - tall) // 2


def _taller(row: Box) -> Box:
    return row._replace(y=row.y - _ABOVE_PX, height=row.height + _ABOVE_PX + _BELOW_PX)


def _columns(width: int, height: int, board: Scoreboard, names: Mapping[Seat, str]) -> _Columns:
    fonts = [font for font in _FONTS if font.capital + font.depth <= height] or [BOLD]
    beside = {row.seat: _beside(board, row, height) for row in board.rows}
    needs = {font: _name_need(board, names, font, beside) for font in fonts}
    most = width - _NAME_X - 2 * _GAP_PX - 1
    if _swings(board):
        claim = needs[MEDIUM_BOLD] if MEDIUM_BOLD in fonts else needs[BOLD]
        number, swing = _swinging_fonts(board, fonts, most, claim)
    else:
        claim = needs[fonts[-1]]
        number, swing = next((one for one in (LARGE, MEDIUM_BOLD) if one in fonts), BOLD), SMALL
    claim = min(claim, _NAME_CLAIM_PX)
    room = most - _digits_px(board, number)
    middle_px = min(_middle_need(board, room - claim, swing), room - min(claim, _NAME_LEAST_PX))
    name_px = room - middle_px
    fitting = (font for font in fonts if needs[font] <= name_px)
    return _Columns(name_px, middle_px, next(fitting, fonts[-1]), number, swing, beside)


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
    return max((wide + 2 * _GAP_PX for wide in widths), default=0)


def _zeros(tally: int) -> str:
    """Return a number as long as *tally* whose width does not depend on its digits."""
    return "".join("0" if one.isdigit() else one for one in str(tally))


def _middle_need(board: Scoreboard, most: int, swing: Font) -> int:
    """Return how wide strokes, tricks or swings are, no more than *most* pixels if it can be."""
    if _swings(board):
        return _swing_px(board, swing)
    if any(row.falls or row.tricks is not None for row in board.rows):
        boxes = board.tricks_to_win or _MOST_TRICKS
        most_taken = max(_tricks(board, row)[0] for row in board.rows)
        return tricks_width(max(boxes, most_taken), _trick_px(board)) + _GAP_PX
    return tally_width(max(row.limit or row.tally for row in board.rows), most)


def _beside(board: Scoreboard, row: Row, height: int) -> tuple[icons.Icon, ...]:
    """Return what stands beside the name in *row*: who plays alone, and a card without room."""
    found = [icons.ALONE] if "soloist" in row.flags else []
    if row.seat == board.dealer and icons.DEALER not in marks(board, row, height):
        found.append(icons.DEALER)
    return tuple(found)


def _width_beside(beside: tuple[icons.Icon, ...]) -> int:
    return sum(_BESIDE_PX + icons.size_of(icon)[0] for icon in beside)


def _name_need(
    board: Scoreboard,
    names: Mapping[Seat, str],
    font: Font,
    beside: Mapping[Seat, tuple[icons.Icon, ...]],
) -> int:
    """Return the width in which every name fits in *font*."""
    return max(
        width_of(names[row.seat], font) + _width_beside(beside[row.seat]) for row in board.rows
    )
