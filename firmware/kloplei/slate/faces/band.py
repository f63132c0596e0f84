"""A band across the foot of the slate: a sentence that passes, or an action that waits."""

from collections.abc import Callable
from typing import Concatenate, ParamSpec

from PIL import Image, ImageDraw

from kloplei.slate.lettering import BOLD, SMALL, Font, wrap, write, write_centred
from kloplei.slate.sheet import SHEET_HEIGHT, SHEET_WIDTH, Box, place, wipe

_LINE_PX = 9
_LINES = 3
_SIDE_PX = 3
_BAR_PX = 6

_P = ParamSpec("_P")


def draw_sentence(sheet: Image.Image, sentence: str, *, light: bool = False) -> None:
    """Draw *sentence* over the foot of *sheet*; *light* when it has to be noticed."""
    lines = wrap(sentence, SMALL, SHEET_WIDTH - 2 * _SIDE_PX, _LINES)
    _draw_foot(sheet, len(lines) * _LINE_PX + 3, _draw_lines, lines, light=light)


def draw_grace(sheet: Image.Image, what: str, how: str, left: int, steps: int) -> None:
    """Draw *what* will happen, *how* to stop it, and *left* of *steps* of a bar."""
    _draw_foot(sheet, 2 * _LINE_PX + _BAR_PX + 5, _draw_bar, what, how, left, steps)


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
