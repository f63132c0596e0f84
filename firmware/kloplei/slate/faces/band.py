"""A band across the foot of the slate: what passes, what waits, and what is in doubt."""

from collections.abc import Callable
from typing import Concatenate, ParamSpec

from PIL import Image, ImageDraw

from kloplei.slate.lettering import (
    BOLD,
    HUGE,
    SMALL,
    Font,
    cut,
    largest_fitting,
    wrap,
    write,
    write_centred,
)
from kloplei.slate.sheet import SHEET_HEIGHT, SHEET_WIDTH, Box, place, wipe

_LINE_PX = 9
_LINES = 3
_SIDE_PX = 3
_BAR_PX = 6
_DOUBT_PX = 27
_MARK_PX = 19
_DASH_PX, _DASH_EVERY_PX = 4, 7

_P = ParamSpec("_P")


def draw_sentence(sheet: Image.Image, sentence: str, *, light: bool = False) -> None:
    """Draw *sentence* over the foot of *sheet*; *light* when it has to be noticed."""
    lines = wrap(sentence, SMALL, SHEET_WIDTH - 2 * _SIDE_PX, _LINES)
    _draw_foot(sheet, len(lines) * _LINE_PX + 3, _draw_lines, lines, light=light)


def draw_grace(sheet: Image.Image, what: str, how: str, left: int, steps: int) -> None:
    """Draw *what* will happen, *how* to stop it, and *left* of *steps* of a bar."""
    _draw_foot(sheet, 2 * _LINE_PX + _BAR_PX + 5, _draw_bar, what, how, left, steps)


def draw_doubt(sheet: Image.Image, what: str, how: str, left: int, steps: int) -> None:
    """Ask whether *what* was heard right and tell *how* to say yes, in a frame of dashes.

    *left* of *steps* of the line below are left to do so.
    """
    _draw_foot(sheet, _DOUBT_PX, _draw_doubt, what, how, left, steps)


def _draw_foot(
    sheet: Image.Image,
    height: int,
    drawing: Callable[Concatenate[ImageDraw.ImageDraw, int, int, _P], None],
    *args: _P.args,
    **kwargs: _P.kwargs,
) -> None:
    box = Box(0, SHEET_HEIGHT - height, SHEET_WIDTH, height)
    wipe(sheet, box)
    place(sheet, box, drawing, *args, **kwargs)


def _draw_lines(
    draw: ImageDraw.ImageDraw, width: int, height: int, lines: list[str], *, light: bool
) -> None:
    draw.rectangle((0, 0, width, height), fill=int(light))
    draw.line((0, 0, width, 0), fill=int(not light))
    font: Font = SMALL
    for number, line in enumerate(lines):
        write_centred(draw, width / 2, 3 + number * _LINE_PX, line, font, ink=int(not light))


def _draw_bar(
    draw: ImageDraw.ImageDraw, width: int, height: int, what: str, how: str, left: int, steps: int
) -> None:
    draw.line((0, 1, width, 1), fill=1)
    write(draw, 1, 4, what, BOLD)
    write(draw, 1, 4 + _LINE_PX, how, SMALL)
    top = height - _BAR_PX
    draw.rectangle((0, top, width - 1, height - 1), outline=1)
    draw.rectangle((0, top, (width - 1) * left // steps, height - 1), fill=1)


def _draw_doubt(
    draw: ImageDraw.ImageDraw, width: int, height: int, what: str, how: str, left: int, steps: int
) -> None:
    draw.rectangle((0, 2, _MARK_PX - 1, height - 1), fill=1)
    write_centred(draw, _MARK_PX / 2, 2 + (height - 2 - HUGE.capital) // 2, "?", HUGE, ink=0)
    for x in range(_MARK_PX, width, _DASH_EVERY_PX):
        draw.line((x, 2, min(x + _DASH_PX, width) - 1, 2), fill=1)
    for y in range(2, height, _DASH_EVERY_PX):
        draw.line((width - 1, y, width - 1, min(y + _DASH_PX, height) - 1), fill=1)
    room = width - _MARK_PX - 2 * _SIDE_PX
    font = largest_fitting(what, room, (BOLD, SMALL))
    write(draw, _MARK_PX + _SIDE_PX, 6, cut(what, font, room), font)
    write(draw, _MARK_PX + _SIDE_PX, 6 + _LINE_PX, cut(how, SMALL, room), SMALL)
    end = _MARK_PX + (width - _MARK_PX) * left // steps
    draw.rectangle((_MARK_PX, height - 2, max(end - 1, _MARK_PX), height - 1), fill=1)
