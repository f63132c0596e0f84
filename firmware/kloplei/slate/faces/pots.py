"""The column beside the rows where chips lie in the middle: each pot large, under its sign."""

from collections.abc import Mapping

from PIL import ImageDraw

from kloplei.slate.faces import icons
from kloplei.slate.faces.stake import HINT_PX, draw_hint
from kloplei.slate.lettering import (
    BOLD,
    HUGE,
    LARGE,
    LARGER,
    MEDIUM_BOLD,
    SHOUT,
    SMALL,
    Font,
    cut,
    width_of,
    write_centred,
)
from kloplei.slate.sheet import Box, stacked

_FONTS = (SHOUT, HUGE, LARGER, LARGE, MEDIUM_BOLD, BOLD, SMALL)
_SIGN_PX = 7  # the line with the sign, and what keeps the number off it
_RIM_PX = 2


def draw_pots(
    draw: ImageDraw.ImageDraw, width: int, height: int, pots: Mapping[str, int], hint: str
) -> None:
    """Draw all *pots* one above the other, in letters of one size, and *hint* below."""
    boxes = stacked(Box(0, 0, width, height - HINT_PX), len(pots))
    font = _font([str(chips) for chips in pots.values()], boxes)
    for (name, chips), box in zip(pots.items(), boxes, strict=True):
        _draw_sign(draw, box, icons.POTS.get(name, icons.POT))
        room = box.height - _SIGN_PX
        y = box.y + _SIGN_PX + (room - font.capital) // 2
        write_centred(draw, width / 2, y, cut(str(chips), font, width, ending=""), font)
    draw_hint(draw, width, height, hint)


def _draw_sign(draw: ImageDraw.ImageDraw, box: Box, icon: icons.Icon) -> None:
    """Draw *icon* in the middle of a chalk line along the top of *box*."""
    wide, tall = icons.size_of(icon)
    left, y = (box.width - wide) // 2, box.y + tall // 2
    draw.line((0, y, left - 1 - _RIM_PX, y), fill=1)
    draw.line((left + wide + _RIM_PX, y, box.width - 1, y), fill=1)
    icons.draw_icon(draw, left, box.y, icon)


def _font(numbers: list[str], boxes: list[Box]) -> Font:
    """Return the largest letters in which all *numbers* fit, or the smallest."""
    width, height = boxes[0].width, min(box.height for box in boxes) - _SIGN_PX
    return next(
        (
            font
            for font in _FONTS
            if font.capital <= height and all(width_of(one, font) <= width for one in numbers)
        ),
        SMALL,
    )
