"""The evening is settled: who won it, and who pays whom how much."""

from typing import NamedTuple

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
    write,
)
from kloplei.slate.sheet import SHEET_HEIGHT, SHEET_WIDTH, Box, place, stacked

_CUP_PX, _HEAD_PX = 27, 23
_NAME_Y, _WINS_Y = 2, 15  # a ring on a letter, and tails, keep off what is above and below
_GAP_PX = 4
_ARROW_PX, _ARROW_TALL_PX = icons.size_of(icons.PAYS)
_BETWEEN_PX = _ARROW_PX + 3 * _GAP_PX
_FONTS = ((LARGER, LARGER), (LARGE, LARGE), (MEDIUM_BOLD, LARGE), (BOLD, BOLD))
_LETTER_PX = 3  # accents and tails reach so far into the lines above and below
_LEAST_LINES = 2  # a single one is not larger than all else
_MOST_LINES = 4  # more of them stand on the phones


class Paid(NamedTuple):
    """One line: the names of who pays and of who is paid, and how much."""

    payer: str
    payee: str
    amount: int


class _Columns(NamedTuple):
    """In which letters names and amounts stand, and how wide the columns are."""

    name: Font
    number: Font
    payer_px: int
    payee_px: int
    amount_px: int

    @property
    def width(self) -> int:
        return self.payer_px + self.payee_px + self.amount_px + _BETWEEN_PX


def draw_payments(sheet: Image.Image, won: tuple[str, str], payments: list[Paid]) -> None:
    """Draw who *won* and what is said of them beside a cup, and below it all *payments*."""
    icons.draw_icon(ImageDraw.Draw(sheet), 1, 2, icons.CUP)
    place(sheet, Box(_CUP_PX, 0, SHEET_WIDTH - _CUP_PX, _HEAD_PX), _draw_won, *won)
    ImageDraw.Draw(sheet).line((0, _HEAD_PX, SHEET_WIDTH - 1, _HEAD_PX), fill=1)
    foot = Box(0, _HEAD_PX + 1, SHEET_WIDTH, SHEET_HEIGHT - _HEAD_PX - 1)
    shown = payments[:_MOST_LINES]
    lines = stacked(foot, max(len(shown), _LEAST_LINES))
    columns = _columns(shown, min(line.height for line in lines))
    for paid, line in zip(shown, lines, strict=False):
        taller = line._replace(y=line.y - _LETTER_PX, height=line.height + 2 * _LETTER_PX)
        place(sheet, taller, _draw_paid, paid, columns)


def _draw_won(draw: ImageDraw.ImageDraw, width: int, height: int, names: str, wins: str) -> None:
    font = largest_fitting(names, width, (LARGE, MEDIUM_BOLD, BOLD))
    write(draw, 0, _NAME_Y + LARGE.capital - font.capital, cut(names, font, width), font)
    write(draw, 0, _WINS_Y, cut(wins, SMALL, width), SMALL)


def _draw_paid(
    draw: ImageDraw.ImageDraw, width: int, height: int, paid: Paid, columns: _Columns
) -> None:
    name, number = columns.name, columns.number
    y = (height - name.capital) // 2
    write(draw, 0, y, cut(paid.payer, name, columns.payer_px, ending="."), name)
    x = columns.payer_px + _GAP_PX
    icons.draw_icon(draw, x, (height - _ARROW_TALL_PX) // 2, icons.PAYS)
    x += _ARROW_PX + _GAP_PX
    write(draw, x, y, cut(paid.payee, name, columns.payee_px, ending="."), name)
    amount = str(paid.amount)
    y = (height - number.capital) // 2
    write(draw, width - width_of(amount, number), y, amount, number)


def _columns(payments: list[Paid], height: int) -> _Columns:
    """Return the largest letters in lines of *height* in which nothing is cut.

    Rather than letters that are small from afar: thicker ones, with names cut alike.
    """
    low = [fonts for fonts in _FONTS if fonts[1].capital + fonts[1].depth <= height] or _FONTS[-1:]
    legible = [fonts for fonts in low if fonts[0].stroke > 1] or low
    needs = [_need(payments, *fonts) for fonts in legible]
    return next((one for one in needs if one.width <= SHEET_WIDTH), _narrowed(needs[-1]))


def _need(payments: list[Paid], name: Font, number: Font) -> _Columns:
    return _Columns(
        name,
        number,
        max(width_of(one.payer, name) for one in payments),
        max(width_of(one.payee, name) for one in payments),
        max(width_of(str(one.amount), number) for one in payments),
    )


def _narrowed(columns: _Columns) -> _Columns:
    """Return *columns* that fit: a name shorter than half of what is left keeps its width."""
    room = SHEET_WIDTH - _BETWEEN_PX - columns.amount_px
    payer_px = min(columns.payer_px, max(room // 2, room - columns.payee_px))
    return columns._replace(payer_px=payer_px, payee_px=room - payer_px)
