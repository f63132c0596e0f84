"""Those who share a tally in one block: names and marks on the left, what they have once."""

from collections.abc import Mapping
from dataclasses import dataclass

from PIL import Image, ImageDraw

from kloplei.rules.game import Seat
from kloplei.rules.scoreboard import Row, Scoreboard
from kloplei.slate.faces.echo import echo_in_row
from kloplei.slate.faces.marks import MARK_PX, draw_marks, marks
from kloplei.slate.faces.tricks import draw_tricks, tricks_width
from kloplei.slate.lettering import (
    BOLD,
    HUGE,
    LARGE,
    LARGER,
    MEDIUM_BOLD,
    SMALL,
    Font,
    cut,
    width_of,
    write,
)
from kloplei.slate.sheet import Box, invert, place, stacked

_NAMES = (LARGER, LARGE, MEDIUM_BOLD, BOLD)
_SCORE_PX = 33
_TRICK_PX = 5
_GAP_PX = 2
_RIM_PX = 2  # light around a number that is dark
_DOT_EVERY_PX = 3


@dataclass(frozen=True, slots=True)
class _Side:
    """One block: who is in it, what they hold together, and the tricks of this deal."""

    rows: tuple[Row, ...]
    tricks: int | None


def draw_sides(
    sheet: Image.Image, box: Box, board: Scoreboard, names: Mapping[Seat, str], *, blink: bool
) -> None:
    """Draw a block for each side into *box*; *blink* tells whether what blinks is on."""
    sides = _sides(board)
    blocks = stacked(box, len(sides))
    font = _font(sides, blocks, names)
    for number, (side, block) in enumerate(zip(sides, blocks, strict=True)):
        if number:
            _draw_dots(sheet, block)
        _draw_names(sheet, block, board, side, names, font, blink=blink)
        score = Box(block.x + block.width - _SCORE_PX, block.y + 1, _SCORE_PX, block.height - 2)
        place(sheet, score, _draw_score, side, board.tricks_to_win)
        if "gestrichen" in side.rows[0].flags:
            invert(sheet, _around_tally(score, side.rows[0]))


def _sides(board: Scoreboard) -> list[_Side]:
    return [
        _Side(tuple(row for row in board.rows if row.seat in account), board.tricks_of(account[0]))
        for account in board.duel
    ]


def _draw_names(
    sheet: Image.Image,
    block: Box,
    board: Scoreboard,
    side: _Side,
    names: Mapping[Seat, str],
    font: Font,
    *,
    blink: bool,
) -> None:
    lines, room = stacked(block, len(side.rows)), _room(block)
    for row, line in zip(side.rows, lines, strict=True):
        at = line._replace(x=line.x + MARK_PX, width=room)
        place(sheet, at, _draw_name, names[row.seat], font)
        place(sheet, line._replace(width=MARK_PX), draw_marks, marks(board, row, line.height))
        if "must_answer" in row.flags and blink:
            invert(sheet, line._replace(width=MARK_PX - 1, height=line.height - 1))
        if board.heard is not None and board.heard.seat == row.seat:
            echo_in_row(sheet, line._replace(width=line.width - _SCORE_PX), board.heard)


def _room(block: Box) -> int:
    """Return how wide a name in *block* may be."""
    return block.width - MARK_PX - _SCORE_PX - _GAP_PX


def _font(sides: list[_Side], blocks: list[Box], names: Mapping[Seat, str]) -> Font:
    """Return the largest letters in which all names fit, on both sides the same."""
    height = min(block.height // len(side.rows) for side, block in zip(sides, blocks, strict=True))
    fitting = [font for font in _NAMES if font.capital + font.depth + 2 <= height] or [BOLD]
    all_names = [names[row.seat] for side in sides for row in side.rows]
    return next(
        (
            one
            for one in fitting
            if all(width_of(name, one) <= _room(blocks[0]) for name in all_names)
        ),
        fitting[-1],
    )


def _draw_name(draw: ImageDraw.ImageDraw, width: int, height: int, name: str, font: Font) -> None:
    write(draw, 0, (height - font.capital) // 2, cut(name, font, width, ending="."), font)


def _draw_score(
    draw: ImageDraw.ImageDraw, width: int, height: int, side: _Side, needed: int | None
) -> None:
    """Draw the tally large, and below it the tricks and how far the tally runs."""
    row = side.rows[0]
    tally = str(row.tally)
    foot = height - SMALL.capital - 1
    x = width - _RIM_PX - width_of(tally, HUGE)
    write(draw, x, _tally_top(height), tally, HUGE)
    limit = "" if row.limit is None else f"/{row.limit}"
    write(draw, width - width_of(limit, SMALL), foot, limit, SMALL)
    if side.tricks is not None:
        boxes = Image.new("1", (tricks_width(max(side.tricks, needed or 0), _TRICK_PX), _TRICK_PX))
        draw_tricks(ImageDraw.Draw(boxes), *boxes.size, side.tricks, needed)
        x = width - width_of(limit, SMALL) - _GAP_PX - boxes.width
        draw.bitmap((max(x, 0), foot), boxes, fill=1)


def _around_tally(score: Box, row: Row) -> Box:
    """Return the part of *score* in which the tally of *row* stands."""
    wide = width_of(str(row.tally), HUGE) + 2 * _RIM_PX
    top = _tally_top(score.height) - _RIM_PX
    left = score.x + score.width - wide
    return Box(left, score.y + top, wide, HUGE.capital + 2 * _RIM_PX)


def _tally_top(height: int) -> int:
    """Return where the tally begins: in the middle of what is free above the foot."""
    return max((height - SMALL.capital - HUGE.capital - 2) // 2, _RIM_PX)


def _draw_dots(sheet: Image.Image, block: Box) -> None:
    """Draw a dotted line along the top of *block*."""
    draw = ImageDraw.Draw(sheet)
    for x in range(block.x, block.x + block.width - _GAP_PX, _DOT_EVERY_PX):
        draw.point((x, block.y), fill=1)
