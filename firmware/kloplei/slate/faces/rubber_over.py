"""The rubber is over: who won it, and who buys the drinks."""

from PIL import Image, ImageDraw

from kloplei.slate.faces import icons
from kloplei.slate.lettering import (
    BOLD,
    LARGE,
    MEDIUM_BOLD,
    SMALL,
    cut,
    largest_fitting,
    wrap,
    write,
)
from kloplei.slate.sheet import SHEET_HEIGHT, SHEET_WIDTH, Box, place

_GLASS_PX = 34
_LINE_PX = 9


def draw_rubber_over(
    sheet: Image.Image, won: tuple[str, str], owed: tuple[str, str], hint: str
) -> None:
    """Draw who *won* and by whom drinks are *owed* beside a glass of beer.

    Both are names and what is said of them; *hint* tells how a drink is paid.
    """
    place(sheet, Box(0, 0, _GLASS_PX, SHEET_HEIGHT), _draw_glass)
    box = Box(_GLASS_PX, 0, SHEET_WIDTH - _GLASS_PX, SHEET_HEIGHT)
    place(sheet, box, _draw_words, won, owed, hint)


def _draw_glass(draw: ImageDraw.ImageDraw, width: int, height: int) -> None:
    wide, tall = icons.size_of(icons.BEER)
    icons.draw_icon(draw, (width - wide) // 2 - 1, (height - tall) // 2, icons.BEER)


def _draw_words(
    draw: ImageDraw.ImageDraw,
    width: int,
    height: int,
    won: tuple[str, str],
    owed: tuple[str, str],
    hint: str,
) -> None:
    font = largest_fitting(won[0], width, (LARGE, MEDIUM_BOLD, BOLD))
    write(draw, 0, 2, cut(won[0], font, width), font)
    write(draw, 0, 14, cut(won[1], SMALL, width), SMALL)
    draw.line((0, 24, width - 4, 24), fill=1)
    if owed[0]:
        _draw_owed(draw, width, *owed)
        write(draw, 0, height - SMALL.capital - 1, cut(hint, SMALL, width), SMALL)


def _draw_owed(draw: ImageDraw.ImageDraw, width: int, payers: str, pays: str) -> None:
    font = largest_fitting(payers, width, (LARGE, MEDIUM_BOLD, BOLD))
    lines = wrap(payers, font, width, 2)
    for number, line in enumerate(lines):
        write(draw, 0, 28 + number * _LINE_PX, line, font)
    y = 28 + (len(lines) - 1) * _LINE_PX + font.capital + font.depth + 1
    write(draw, 0, y, cut(pays, SMALL, width), SMALL)
