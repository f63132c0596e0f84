"""The players, one row each: mark, name, strokes, tricks or the last swing, number."""

from collections.abc import Mapping

from PIL import Image, ImageDraw

from kloplei.rules.game import Seat
from kloplei.rules.scoreboard import Row, Scoreboard
from kloplei.slate.faces import icons
from kloplei.slate.faces.columns import (
    BESIDE_PX,
    GAP_PX,
    NAME_X,
    Columns,
    fit_columns,
    trick_px,
    tricks_in,
    width_beside,
)
from kloplei.slate.faces.echo import echo_in_row
from kloplei.slate.faces.marks import MARK_PX, draw_marks, marks
from kloplei.slate.faces.signed import signed, signed_width, write_signed
from kloplei.slate.faces.tally import draw_tally
from kloplei.slate.faces.tricks import draw_tricks
from kloplei.slate.lettering import (
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

_LIGHTER = {LARGER: MEDIUM, LARGE: MEDIUM, MEDIUM_BOLD: MEDIUM}  # of who sits out; else SMALL
# Dots and tails of letters reach into the rows above and below.
_ABOVE_PX, _BELOW_PX = 1, 2


def draw_rows(
    sheet: Image.Image, box: Box, board: Scoreboard, names: Mapping[Seat, str], *, blink: bool
) -> None:
    """Draw a row for each player into *box*; *blink* tells whether what blinks is on."""
    if not board.rows:
        return
    boxes = stacked(box, len(board.rows))
    columns = fit_columns(box.width, min(row.height for row in boxes), board, names)
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
    wide = signed_width(signed(row.tally), font) + GAP_PX
    tall = min(font.capital + 2 * GAP_PX, part.height - 1)
    left, top = part.x + part.width - wide, part.y + (part.height - 1 - tall) // 2
    return Box(left, top, wide + 1, tall)


def _draw_row(
    draw: ImageDraw.ImageDraw,
    width: int,
    height: int,
    board: Scoreboard,
    row: Row,
    name: str,
    columns: Columns,
) -> None:
    """Draw all of *row* but its marks."""
    beside = columns.beside.get(row.seat, ())
    font = columns.name
    if icons.CHAIR in marks(board, row, height):
        font = _LIGHTER.get(font, SMALL)
    y = _middle(height, font.capital)
    shown = cut(name, font, columns.name_px - width_beside(beside), ending=".")
    write(draw, NAME_X, y, shown, font)
    x = NAME_X + width_of(shown, font)
    for icon in beside:
        wide, tall = icons.size_of(icon)
        icons.draw_icon(draw, x + BESIDE_PX, _middle(height, tall), icon)
        x += BESIDE_PX + wide
    number, font = signed(row.tally), columns.number
    x = width - signed_width(number, font)
    write_signed(draw, x, _middle(height, font.capital), number, font)
    draw.bitmap(
        (NAME_X + columns.name_px + GAP_PX, 0), _draw_middle(height, board, row, columns), fill=1
    )


def _draw_middle(height: int, board: Scoreboard, row: Row, columns: Columns) -> Image.Image:
    """Return what stands between name and number: the last swing, tricks, else chalk strokes."""
    middle = Image.new("1", (max(columns.middle_px, 1), height))
    if row.swing is not None:
        _draw_swing(ImageDraw.Draw(middle), *middle.size, row.swing, columns.swing)
    elif row.tricks is not None:
        part = Image.new("1", (middle.width, trick_px(board)))
        draw_tricks(ImageDraw.Draw(part), *part.size, *tricks_in(board, row))
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
    x = width - GAP_PX - signed_width(text, font)
    if swing and x >= 0:
        write_signed(draw, x, _middle(height, font.capital), text, font)


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
