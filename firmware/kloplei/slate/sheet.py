"""The sheet that faces are drawn on: parts of it are handed out as boxes of their own."""

from collections.abc import Callable
from itertools import pairwise
from typing import Concatenate, NamedTuple, ParamSpec

from PIL import Image, ImageChops, ImageDraw

WIDTH, HEIGHT = 128, 64  # the glass
SHEET_WIDTH, SHEET_HEIGHT = WIDTH - 1, HEIGHT - 1  # the rest is room to move, against burn-in

_P = ParamSpec("_P")


class Box(NamedTuple):
    """A part of a sheet, in pixels from its top left."""

    x: int
    y: int
    width: int
    height: int


def stacked(box: Box, count: int) -> list[Box]:
    """Return *box* cut into *count* boxes, one below the other."""
    edges = [box.y + number * box.height // count for number in range(count + 1)]
    return [box._replace(y=top, height=foot - top) for top, foot in pairwise(edges)]


def blank() -> Image.Image:
    """Return a dark sheet."""
    return Image.new("1", (WIDTH, HEIGHT))


def place(
    sheet: Image.Image,
    box: Box,
    drawing: Callable[Concatenate[ImageDraw.ImageDraw, int, int, _P], None],
    /,
    *args: _P.args,
    **kwargs: _P.kwargs,
) -> None:
    """Let *drawing* chalk in *box*: it gets a pen, width, height and what else it needs.

    As luma's ``hotspot`` does it: a drawing begins at (0, 0) and cannot leave its box. What
    it leaves dark stays as it is, so that boxes may overlap.
    """
    part = Image.new("1", (max(box.width, 1), max(box.height, 1)))
    drawing(ImageDraw.Draw(part), box.width, box.height, *args, **kwargs)
    sheet.paste(1, (box.x, box.y), part)


def wipe(sheet: Image.Image, box: Box) -> None:
    """Make all of *box* dark."""
    sheet.paste(0, _area(box))


def invert(sheet: Image.Image, box: Box) -> None:
    """Make light what is dark in *box*, and the other way round."""
    part = sheet.crop(_area(box))
    light = Image.new("1", part.size, 1)
    # Not ImageChops.invert: a light pixel may be 1 or 255, and it makes 254 out of 1.
    sheet.paste(ImageChops.logical_xor(part, light), _area(box))


def _area(box: Box) -> tuple[int, int, int, int]:
    return (box.x, box.y, box.x + box.width, box.y + box.height)
