"""A fanfare for who won: rays that dance around a cup or a crown, and a name."""

import math

from PIL import Image, ImageDraw

from kloplei.slate.faces import icons
from kloplei.slate.lettering import (
    BOLD,
    LARGE,
    LARGER,
    MEDIUM_BOLD,
    SMALL,
    Font,
    cut,
    largest_fitting,
    width_of,
    write_centred,
)
from kloplei.slate.sheet import SHEET_HEIGHT, SHEET_WIDTH, Box, place

_RAYS = 28
_MIDDLE = (SHEET_WIDTH // 2, 30)
_MARGIN_PX = 3
_ICON_Y, _NAME_Y, _TITLE_Y = 2, 29, 49


def draw_crowned(sheet: Image.Image, name: str, title: str, frame: int) -> None:
    """Draw a crown in rays that dance with *frame*, *name* and *title*."""
    place(sheet, Box(0, 0, SHEET_WIDTH, SHEET_HEIGHT), _draw, icons.CROWN, name, title, frame)


def draw_winner(sheet: Image.Image, name: str, title: str, frame: int) -> None:
    """Draw a cup in rays that dance with *frame*, *name* and what it has won."""
    place(sheet, Box(0, 0, SHEET_WIDTH, SHEET_HEIGHT), _draw, icons.CUP, name, title, frame)


def _draw(
    draw: ImageDraw.ImageDraw,
    width: int,
    height: int,
    icon: icons.Icon,
    name: str,
    title: str,
    frame: int,
) -> None:
    for ray in range(_RAYS):
        _draw_ray(draw, 2 * math.pi * (ray + 0.5) / _RAYS, longer=(ray + frame) % 2 == 0)
    wide, tall = icons.size_of(icon)
    _clear(draw, wide, _ICON_Y, tall)
    icons.draw_icon(draw, (width - wide) // 2, _ICON_Y, icon)
    _write(draw, width, _NAME_Y, name, (LARGER, LARGE, MEDIUM_BOLD, BOLD))
    _write(draw, width, _TITLE_Y, title, (LARGE, MEDIUM_BOLD, SMALL))


def _draw_ray(draw: ImageDraw.ImageDraw, angle: float, *, longer: bool) -> None:
    near, far = (24, 90) if longer else (46, 90)
    x, y = math.cos(angle), math.sin(angle)
    draw.line(
        (
            _MIDDLE[0] + near * x,
            _MIDDLE[1] + near * y,
            _MIDDLE[0] + far * x,
            _MIDDLE[1] + far * y,
        ),
        fill=1,
    )


def _write(
    draw: ImageDraw.ImageDraw, width: int, y: int, text: str, fonts: tuple[Font, ...]
) -> None:
    font = largest_fitting(text, width - 2 * _MARGIN_PX, fonts)
    shown = cut(text, font, width - 2 * _MARGIN_PX)
    _clear(draw, width_of(shown, font), y, font.capital + font.depth - 1)
    write_centred(draw, width / 2, y, shown, font)


def _clear(draw: ImageDraw.ImageDraw, wide: int, top: int, tall: int) -> None:
    """Keep the rays off what is *wide* pixels in the middle, from *top* down."""
    left = (SHEET_WIDTH - wide) // 2 - _MARGIN_PX
    area = (left, top - _MARGIN_PX, left + wide + 2 * _MARGIN_PX, top + tall + 1)
    draw.rectangle(area, fill=0)
