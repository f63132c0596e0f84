"""A phone asks to be let in: whose word is it, and what says yes?"""

from PIL import Image, ImageDraw

from kloplei.slate.lettering import (
    BOLD,
    HUGE,
    LARGE,
    LARGER,
    MEDIUM_BOLD,
    SHOUT,
    SMALL,
    cut,
    largest_fitting,
    shout_centred,
    width_of,
    write,
    write_centred,
)
from kloplei.slate.sheet import SHEET_HEIGHT, SHEET_WIDTH, Box, place, wipe

_WHO_PX, _HOW_PX, _BAR_PX = 14, 14, 4
_FOOT_PX = 24
_SIDE_PX = 3


def draw_door(sheet: Image.Image, who: str, word: str, how: str, left: int, steps: int) -> None:
    """Draw the *word* of the phone large, *who* it wants to be above and *how* to say yes below.

    *left* of *steps* of the line at the foot are left to do so; without *steps* it is over.
    """
    how_top = SHEET_HEIGHT - _BAR_PX - _HOW_PX
    place(sheet, Box(0, 0, SHEET_WIDTH, _WHO_PX), _draw_who, who)
    place(sheet, Box(0, _WHO_PX, SHEET_WIDTH, how_top - _WHO_PX), _draw_word, word)
    place(sheet, Box(0, how_top, SHEET_WIDTH, _HOW_PX), _draw_how, how)
    if steps:
        foot = Box(0, SHEET_HEIGHT - _BAR_PX, SHEET_WIDTH, _BAR_PX)
        place(sheet, foot, _draw_left, left, steps)


def draw_door_at_foot(
    sheet: Image.Image, who: str, word: str, how: str, left: int, steps: int
) -> None:
    """Draw the same over the foot of *sheet*, while cards are on the table."""
    box = Box(0, SHEET_HEIGHT - _FOOT_PX, SHEET_WIDTH, _FOOT_PX)
    wipe(sheet, box)
    place(sheet, box, _draw_foot, who, word, how, left, steps)


def _draw_who(draw: ImageDraw.ImageDraw, width: int, height: int, who: str) -> None:
    font = largest_fitting(who, width, (BOLD, SMALL))
    write_centred(draw, width / 2, 3, cut(who, font, width), font)


def _draw_word(draw: ImageDraw.ImageDraw, width: int, height: int, word: str) -> None:
    draw.rectangle((0, 0, width, height), fill=1)
    font = largest_fitting(word, width - 2 * _SIDE_PX, (SHOUT, HUGE, LARGER, LARGE, MEDIUM_BOLD))
    shout_centred(draw, width / 2, (height - font.capital) // 2, word, font, ink=0)


def _draw_how(draw: ImageDraw.ImageDraw, width: int, height: int, how: str) -> None:
    font = largest_fitting(how, width, (MEDIUM_BOLD, BOLD, SMALL))
    write_centred(draw, width / 2, (height - font.capital) // 2, cut(how, font, width), font)


def _draw_left(draw: ImageDraw.ImageDraw, width: int, height: int, left: int, steps: int) -> None:
    draw.rectangle((0, height - 2, (width - 1) * left // steps, height - 1), fill=1)


def _draw_foot(
    draw: ImageDraw.ImageDraw,
    width: int,
    height: int,
    who: str,
    word: str,
    how: str,
    left: int,
    steps: int,
) -> None:
    draw.line((0, 0, width, 0), fill=1)
    after = width_of(word, BOLD) + 2 * _SIDE_PX
    draw.rectangle((0, 2, after, 11), fill=1)
    write(draw, _SIDE_PX, 4, word, BOLD, ink=0)
    write(draw, after + _SIDE_PX, 4, cut(who, SMALL, width - after - _SIDE_PX), SMALL)
    write(draw, 1, 14, cut(how, SMALL, width), SMALL)
    if steps:
        _draw_left(draw, width, height, left, steps)
