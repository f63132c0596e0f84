"""The first face and the last: Kloplei's own slate, and a goodbye."""

from PIL import Image, ImageDraw

from kloplei.slate.faces import icons
from kloplei.slate.lettering import (
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
from kloplei.slate.sheet import SHEET_HEIGHT, SHEET_WIDTH, Box, place

_NAME = "Kloplei"


def draw_greeting(sheet: Image.Image, word: str) -> None:
    """Draw a slate with Kloplei's name chalked on it, and *word* below."""
    place(sheet, Box(0, 0, SHEET_WIDTH, SHEET_HEIGHT), _draw_slate)
    place(sheet, Box(6, 46, SHEET_WIDTH - 12, 10), _draw_word, word)


def draw_goodbye(sheet: Image.Image, word: str, sentence: str) -> None:
    """Draw *word* and *sentence* beside a glass."""
    wide, _ = icons.size_of(icons.BEER)
    place(sheet, Box(4, 0, wide, SHEET_HEIGHT), _draw_glass)
    box = Box(wide + 8, 0, SHEET_WIDTH - wide - 8, SHEET_HEIGHT)
    place(sheet, box, _draw_goodbye, word, sentence)


def draw_pause(sheet: Image.Image, word: str, sentence: str) -> None:
    """Draw two bars, as on whatever else pauses, with *word* and *sentence* below."""
    place(sheet, Box(0, 6, SHEET_WIDTH, 22), _draw_bars)
    place(sheet, Box(0, 36, SHEET_WIDTH, 26), _draw_lines, word, sentence)


def _draw_slate(draw: ImageDraw.ImageDraw, width: int, height: int) -> None:
    draw.rectangle((0, 0, width - 1, height - 1), outline=1, width=2)
    draw.rectangle((4, 4, width - 5, height - 5), outline=1)
    shout_centred(draw, width / 2, 14, _NAME, SHOUT)
    left = (width - width_of(_NAME, SHOUT)) // 2
    draw.line((left, 38, width - left, 36), fill=1)


def _draw_word(draw: ImageDraw.ImageDraw, width: int, height: int, word: str) -> None:
    write_centred(draw, width / 2, (height - SMALL.capital) // 2, cut(word, SMALL, width), SMALL)


def _draw_glass(draw: ImageDraw.ImageDraw, width: int, height: int) -> None:
    _, tall = icons.size_of(icons.BEER)
    icons.draw_icon(draw, 0, (height - tall) // 2, icons.BEER)


def _draw_goodbye(
    draw: ImageDraw.ImageDraw, width: int, height: int, word: str, sentence: str
) -> None:
    font = largest_fitting(word, width, (LARGER, LARGE, MEDIUM_BOLD))
    write(draw, 0, 20, cut(word, font, width), font)
    write(draw, 0, 38, cut(sentence, SMALL, width), SMALL)


def _draw_bars(draw: ImageDraw.ImageDraw, width: int, height: int) -> None:
    for left in (width // 2 - 10, width // 2 + 3):
        draw.rectangle((left, 0, left + 6, height - 1), fill=1)


def _draw_lines(
    draw: ImageDraw.ImageDraw, width: int, height: int, word: str, sentence: str
) -> None:
    font = largest_fitting(word, width, (LARGE, MEDIUM_BOLD))
    write_centred(draw, width / 2, 0, cut(word, font, width), font)
    write_centred(draw, width / 2, height - 9, cut(sentence, SMALL, width), SMALL)
