"""The players, one row each: mark, name, strokes, number."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

from PIL import Image, ImageDraw

from kloplei.rules.game import Seat
from kloplei.rules.scoreboard import Heard, Row, Scoreboard
from kloplei.slate.faces import icons
from kloplei.slate.faces.echo import draw_echo, echo_width
from kloplei.slate.faces.marks import MARK_PX, draw_marks, marks
from kloplei.slate.faces.tally import draw_tally, tally_width
from kloplei.slate.lettering import (
    BOLD,
    LARGE,
    LARGER,
    MEDIUM,
    MEDIUM_BOLD,
    Font,
    cut,
    width_of,
    write,
)
from kloplei.slate.sheet import Box, invert, place, wipe

_FONTS = (LARGER, LARGE, MEDIUM_BOLD, MEDIUM, BOLD)
_NAME_X = MARK_PX
_GAP_PX = 2
_DEALER_PX = icons.size_of(icons.DEALER)[0] + 3
_NAME_CLAIM_PX = 38  # so much a name may ask for before the strokes get theirs
# Dots and tails of letters reach into the rows above and below.
_ABOVE_PX, _BELOW_PX = 1, 2
_ECHO_PX = 11


@dataclass(frozen=True, slots=True)
class _Columns:
    """How wide the parts of every row are, and in which letters names and numbers stand.

    *card_beside* is the dealer if its card has to stand beside the name.
    """

    name_px: int
    tally_px: int
    name: Font
    number: Font
    card_beside: Seat | None


def draw_rows(
    sheet: Image.Image, box: Box, board: Scoreboard, names: Mapping[Seat, str], *, blink: bool
) -> None:
    """Draw a row for each player into *box*; *blink* tells whether what blinks is on."""
    if not board.rows:
        return
    boxes = _row_boxes(box, len(board.rows))
    columns = _columns(box.width, min(row.height for row in boxes), board, names)
    for row, part in zip(board.rows, boxes, strict=True):
        place(sheet, _taller(part), _draw_row, row, names[row.seat], columns)
        place(sheet, part._replace(width=MARK_PX), draw_marks, marks(board, row, part.height))
    for row, part in zip(board.rows, boxes, strict=True):
        if "armoede" in row.flags:
            invert(sheet, part._replace(x=part.x + MARK_PX, width=part.width - MARK_PX + 1))
        if "must_answer" in row.flags and blink:
            invert(sheet, part._replace(width=MARK_PX - 1, height=part.height - 1))
        if board.heard is not None and board.heard.seat == row.seat:
            _draw_echo(sheet, part, board.heard)


def _row_boxes(box: Box, count: int) -> list[Box]:
    edges = [box.y + number * box.height // count for number in range(count + 1)]
    return [Box(box.x, top, box.width, foot - top) for top, foot in pairwise(edges)]


def _draw_row(
    draw: ImageDraw.ImageDraw,
    width: int,
    height: int,
    row: Row,
    name: str,
    columns: _Columns,
) -> None:
    """Draw all of *row* but its marks."""
    beside = _DEALER_PX if row.seat == columns.card_beside else 0
    font = columns.name
    y = _middle(height, font.capital)
    shown = cut(name, font, columns.name_px - beside, ending=".")
    write(draw, _NAME_X, y, shown, font)
    end = _NAME_X + width_of(shown, font)
    if beside:
        _, tall = icons.size_of(icons.DEALER)
        icons.draw_icon(draw, end + 3, _middle(height, tall), icons.DEALER)
    _draw_count(draw, width, height, row, columns)


def _draw_count(
    draw: ImageDraw.ImageDraw, width: int, height: int, row: Row, columns: _Columns
) -> None:
    number, font = str(row.tally), columns.number
    write(draw, width - width_of(number, font), _middle(height, font.capital), number, font)
    inside = height - _ABOVE_PX - _BELOW_PX
    margin = 1 if inside > MEDIUM_BOLD.capital else 0
    tally = Image.new("1", (columns.tally_px, inside - 1 - margin))
    draw_tally(ImageDraw.Draw(tally), *tally.size, row)
    if "folded" in row.flags or "out" in row.flags:
        _fade(tally)
    draw.bitmap((_NAME_X + columns.name_px + _GAP_PX, _ABOVE_PX + margin), tally, fill=1)


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
    number = next((font for font in (LARGE, MEDIUM_BOLD) if font in fonts), BOLD)
    digits = "00" if any(row.tally > 9 for row in board.rows) else "0"
    room = width - _NAME_X - 2 * _GAP_PX - 1 - width_of(digits, number)
    card_beside = _card_beside(board, height)
    needs = {font: _name_need(board, names, font, card_beside) for font in fonts}
    limit = max(row.limit or row.tally for row in board.rows)
    claim = min(needs[fonts[-1]], _NAME_CLAIM_PX)
    tally_px = tally_width(limit, room - claim)
    name_px = room - tally_px
    fitting = (font for font in fonts if needs[font] <= name_px)
    return _Columns(name_px, tally_px, next(fitting, fonts[-1]), number, card_beside)


def _card_beside(board: Scoreboard, height: int) -> Seat | None:
    row = None if board.dealer is None else board.row(board.dealer)
    if row is None or icons.DEALER in marks(board, row, height):
        return None
    return row.seat


def _name_need(
    board: Scoreboard, names: Mapping[Seat, str], font: Font, card_beside: Seat | None
) -> int:
    """Return the width in which every name fits in *font*."""
    return max(
        width_of(names[row.seat], font) + (_DEALER_PX if row.seat == card_beside else 0)
        for row in board.rows
    )


def _draw_echo(sheet: Image.Image, row: Box, heard: Heard) -> None:
    width, height = echo_width(heard), min(row.height, _ECHO_PX)
    box = Box(row.x + row.width - width, row.y + (row.height - height) // 2, width, height)
    wipe(sheet, box)
    place(sheet, box, draw_echo, heard)
