"""TOEP! For a moment nothing else: who raised, and to what."""

from PIL import Image, ImageDraw

from kloplei.slate.lettering import (
    BOLD,
    HUGE,
    LARGE,
    LARGER,
    SHOUT,
    STAKE,
    cut,
    largest_fitting,
    shout_centred,
    width_of,
    write_centred,
)
from kloplei.slate.sheet import HEIGHT, WIDTH, Box, place

_NUMBER_PX = 46


def draw_shout(sheet: Image.Image, name: str, word: str, stake: int) -> None:
    """Draw *word* and *name* on the left, the *stake* asked for dark on light on the right."""
    place(sheet, Box(0, 0, WIDTH - _NUMBER_PX, HEIGHT), _draw_word, name, word)
    place(sheet, Box(WIDTH - _NUMBER_PX, 0, _NUMBER_PX, HEIGHT), _draw_number, stake)


def _draw_word(draw: ImageDraw.ImageDraw, width: int, height: int, name: str, word: str) -> None:
    room = width - 4
    font = largest_fitting(word, room, (SHOUT, HUGE, LARGER, LARGE))
    shout_centred(draw, width / 2, 8 + (SHOUT.capital - font.capital) // 2, word, font)
    font = largest_fitting(name, room, (LARGER, LARGE, BOLD))
    write_centred(draw, width / 2, height - 21, cut(name, font, room), font)


def _draw_number(draw: ImageDraw.ImageDraw, width: int, height: int, stake: int) -> None:
    draw.rectangle((0, 0, width, height), fill=1)
    number = str(stake)
    font = STAKE if width_of(number, STAKE) <= width else SHOUT
    draw_number = write_centred if font is STAKE else shout_centred
    draw_number(draw, width / 2, (height - font.capital) // 2, number, font, ink=0)
