"""It is over: who won, and who buys the drinks; where nobody does, how it ended."""

from PIL import Image, ImageDraw

from kloplei.slate.faces import icons
from kloplei.slate.lettering import (
    BOLD,
    HUGE,
    LARGE,
    LARGER,
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


def draw_debts(sheet: Image.Image, won: tuple[str, str], owed: tuple[str, str], hint: str) -> None:
    """Draw who *won* and by whom drinks are *owed* beside a glass of beer.

    Both are names and what is said of them; *hint* tells how a drink is paid.
    """
    place(sheet, Box(0, 0, _GLASS_PX, SHEET_HEIGHT), _draw_glass)
    box = Box(_GLASS_PX, 0, SHEET_WIDTH - _GLASS_PX, SHEET_HEIGHT)
    place(sheet, box, _draw_words, won, owed, hint)


def draw_result(sheet: Image.Image, won: tuple[str, str], tallies: str, games: str) -> None:
    """Draw who *won* beside a cup, the *tallies* of all sides, and the *games* of the evening."""
    wide, tall = icons.size_of(icons.CUP)
    draw = ImageDraw.Draw(sheet)
    icons.draw_icon(draw, (_GLASS_PX - wide) // 2 - 1, (SHEET_HEIGHT - tall) // 2, icons.CUP)
    box = Box(_GLASS_PX, 0, SHEET_WIDTH - _GLASS_PX, SHEET_HEIGHT)
    place(sheet, box, _draw_result, won, tallies, games)


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
    _draw_won(draw, width, *won)
    if owed[0]:
        _draw_owed(draw, width, *owed)
        write(draw, 0, height - SMALL.capital - 1, cut(hint, SMALL, width), SMALL)


def _draw_won(draw: ImageDraw.ImageDraw, width: int, names: str, wins: str) -> None:
    font = largest_fitting(names, width, (LARGE, MEDIUM_BOLD, BOLD))
    write(draw, 0, 2, cut(names, font, width), font)
    write(draw, 0, 14, cut(wins, SMALL, width), SMALL)
    draw.line((0, 24, width - 4, 24), fill=1)


def _draw_result(
    draw: ImageDraw.ImageDraw,
    width: int,
    height: int,
    won: tuple[str, str],
    tallies: str,
    games: str,
) -> None:
    _draw_won(draw, width, *won)
    font = largest_fitting(tallies, width, (HUGE, LARGER, LARGE, MEDIUM_BOLD, BOLD))
    y = 29 + (HUGE.capital - font.capital) // 2
    write(draw, 0, y, cut(tallies, font, width), font)
    write(draw, 0, height - SMALL.capital - 3, cut(games, SMALL, width), SMALL)


def _draw_owed(draw: ImageDraw.ImageDraw, width: int, payers: str, pays: str) -> None:
    font = largest_fitting(payers, width, (LARGE, MEDIUM_BOLD, BOLD))
    lines = wrap(payers, font, width, 2)
    for number, line in enumerate(lines):
        write(draw, 0, 28 + number * _LINE_PX, line, font)
    y = 28 + (len(lines) - 1) * _LINE_PX + font.capital + font.depth + 1
    write(draw, 0, y, cut(pays, SMALL, width), SMALL)
