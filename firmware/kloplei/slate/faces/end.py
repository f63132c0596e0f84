"""Faces of the end: a fanfare for who won, who owes the drinks, and who pays whom how much."""

import math
from typing import NamedTuple

from PIL import Image, ImageDraw

from kloplei.slate.drawing import (
    BOLD,
    HUGE,
    LARGE,
    LARGER,
    MEDIUM_BOLD,
    SMALL,
    Area,
    Font,
    cut,
    cut_names,
    fits_in,
    inner,
    largest_fitting,
    leading,
    place,
    shortened,
    stacked,
    width_of,
    wrap,
    write,
    write_centred,
)
from kloplei.slate.faces import icons

_PICTURE_PX = 34
_OWED_LINE_PX, _OWED_LINES = 9, 2


def draw_debts(sheet: Image.Image, won: tuple[str, str], owed: tuple[str, str], hint: str) -> None:
    """Draw who *won* and by whom drinks are *owed* beside a glass of beer.

    Both are names and what is said of them; *hint* tells how a drink is paid.
    """
    across, down = inner(sheet)
    place(sheet, Area(0, 0, _PICTURE_PX, down), icons.draw_beside, icons.BEER)
    box = Area(_PICTURE_PX, 0, across - _PICTURE_PX, down)
    place(sheet, box, _draw_words, won, owed, hint)


def draw_result(sheet: Image.Image, won: tuple[str, str], tallies: str, games: str) -> None:
    """Draw who *won* beside a cup, the *tallies* of all sides, and the *games* of the evening."""
    across, down = inner(sheet)
    place(sheet, Area(0, 0, _PICTURE_PX, down), icons.draw_beside, icons.CUP)
    box = Area(_PICTURE_PX, 0, across - _PICTURE_PX, down)
    place(sheet, box, _draw_result, won, tallies, games)


def _draw_words(
    draw: ImageDraw.ImageDraw,
    width: int,
    height: int,
    won: tuple[str, str],
    owed: tuple[str, str],
    hint: str,
) -> None:
    _draw_won(draw, width, *won)
    payers, pays = owed
    font = largest_fitting(payers, width, (LARGE, MEDIUM_BOLD, BOLD))
    payers = shortened(
        payers.split(", "), ", ".join, lambda said: fits_in(said, font, width, _OWED_LINES)
    )
    lines = wrap(payers, font, width, _OWED_LINES)
    pitch = leading(_OWED_LINE_PX, payers, font=font)
    for number, line in enumerate(lines):
        write(draw, 0, 28 + number * pitch, line, font)
    y = 28 + (len(lines) - 1) * pitch + font.capital + font.depth + 1
    write(draw, 0, y, cut(pays, SMALL, width), SMALL)
    write(draw, 0, height - SMALL.capital - 1, cut(hint, SMALL, width), SMALL)


def _draw_won(draw: ImageDraw.ImageDraw, width: int, names: str, wins: str) -> None:
    font = largest_fitting(names, width, (LARGE, MEDIUM_BOLD, BOLD))
    write(draw, 0, 2, cut_names(names, font, width), font)
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


_CUP_PX, _HEAD_PX = 27, 23
# A ring on a letter, and tails, keep off what is above and below.
_HEAD_NAME_Y, _HEAD_WINS_Y = 2, 15
_GAP_PX = 4
_ARROW_PX, _ARROW_TALL_PX = icons.size_of(icons.PAYS)
_BETWEEN_PX = _ARROW_PX + 3 * _GAP_PX
_PAYMENT_FONTS = ((LARGER, LARGER), (LARGE, LARGE), (MEDIUM_BOLD, LARGE), (BOLD, BOLD))
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
    across, down = inner(sheet)
    icons.draw_icon(ImageDraw.Draw(sheet), 1, 2, icons.CUP)
    place(sheet, Area(_CUP_PX, 0, across - _CUP_PX, _HEAD_PX), _draw_head, *won)
    ImageDraw.Draw(sheet).line((0, _HEAD_PX, across - 1, _HEAD_PX), fill=1)
    foot = Area(0, _HEAD_PX + 1, across, down - _HEAD_PX - 1)
    shown = payments[:_MOST_LINES]
    lines = stacked(foot, max(len(shown), _LEAST_LINES))
    columns = _fitting_columns(shown, across, min(line.height for line in lines))
    for paid, line in zip(shown, lines, strict=False):
        taller = line._replace(y=line.y - _LETTER_PX, height=line.height + 2 * _LETTER_PX)
        place(sheet, taller, _draw_paid, paid, columns)


def _draw_head(draw: ImageDraw.ImageDraw, width: int, height: int, names: str, wins: str) -> None:
    font = largest_fitting(names, width, (LARGE, MEDIUM_BOLD, BOLD))
    write(draw, 0, _HEAD_NAME_Y + LARGE.capital - font.capital, cut_names(names, font, width), font)
    write(draw, 0, _HEAD_WINS_Y, cut(wins, SMALL, width), SMALL)


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


def _fitting_columns(payments: list[Paid], width: int, height: int) -> _Columns:
    """Return the largest letters in lines of *width* and *height* in which nothing is cut.

    Rather than letters that are small from afar: thicker ones, with names cut alike.
    """
    low = [
        fonts for fonts in _PAYMENT_FONTS if fonts[1].capital + fonts[1].depth <= height
    ] or _PAYMENT_FONTS[-1:]
    legible = [fonts for fonts in low if fonts[0].stroke > 1] or low
    needs = [_need(payments, *fonts) for fonts in legible]
    return next((one for one in needs if one.width <= width), _narrowed(needs[-1], width))


def _need(payments: list[Paid], name: Font, number: Font) -> _Columns:
    return _Columns(
        name,
        number,
        max(width_of(one.payer, name) for one in payments),
        max(width_of(one.payee, name) for one in payments),
        max(width_of(str(one.amount), number) for one in payments),
    )


def _narrowed(columns: _Columns, width: int) -> _Columns:
    """Return *columns* that fit into *width*; one shorter than half of the rest keeps its own."""
    room = width - _BETWEEN_PX - columns.amount_px
    payer_px = min(columns.payer_px, max(room // 2, room - columns.payee_px))
    return columns._replace(payer_px=payer_px, payee_px=room - payer_px)


_RAYS = 28
_RAYS_MEET_Y = 30
_MARGIN_PX = 3
_ICON_Y, _CHAMPION_Y, _TITLE_Y = 2, 29, 49


def draw_fanfare(
    sheet: Image.Image, name: str, title: str, frame: int, *, crowned: bool = False
) -> None:
    """Draw a cup, or a crown, in rays that dance with *frame*, *name* and what it has won."""
    across, down = inner(sheet)
    icon = icons.CROWN if crowned else icons.CUP
    box = Area(0, 0, across, down)
    place(sheet, box, _draw_fanfare, icon, name, title, frame)


def _draw_fanfare(
    draw: ImageDraw.ImageDraw,
    width: int,
    height: int,
    icon: icons.Icon,
    name: str,
    title: str,
    frame: int,
) -> None:
    for ray in range(_RAYS):
        angle = 2 * math.pi * (ray + 0.5) / _RAYS
        _draw_ray(draw, width // 2, angle, longer=(ray + frame) % 2 == 0)
    wide, tall = icons.size_of(icon)
    _clear_rays(draw, width, wide, _ICON_Y, tall)
    icons.draw_icon(draw, (width - wide) // 2, _ICON_Y, icon)
    _write_amid_rays(draw, width, _CHAMPION_Y, name, (LARGER, LARGE, MEDIUM_BOLD, BOLD))
    _write_amid_rays(draw, width, _TITLE_Y, title, (LARGE, MEDIUM_BOLD, SMALL))


def _draw_ray(draw: ImageDraw.ImageDraw, middle: int, angle: float, *, longer: bool) -> None:
    near, far = 24 if longer else 46, middle + 27
    x, y = math.cos(angle), math.sin(angle)
    draw.line(
        (
            middle + near * x,
            _RAYS_MEET_Y + near * y,
            middle + far * x,
            _RAYS_MEET_Y + far * y,
        ),
        fill=1,
    )


def _write_amid_rays(
    draw: ImageDraw.ImageDraw, width: int, y: int, text: str, fonts: tuple[Font, ...]
) -> None:
    font = largest_fitting(text, width - 2 * _MARGIN_PX, fonts)
    shown = cut_names(text, font, width - 2 * _MARGIN_PX)
    _clear_rays(draw, width, width_of(shown, font), y, font.capital + font.depth - 1)
    write_centred(draw, width / 2, y, shown, font)


def _clear_rays(draw: ImageDraw.ImageDraw, width: int, wide: int, top: int, tall: int) -> None:
    """Keep the rays off what is *wide* pixels in the middle of *width*, from *top* down."""
    left = (width - wide) // 2 - _MARGIN_PX
    area = (left, top - _MARGIN_PX, left + wide + 2 * _MARGIN_PX, top + tall + 1)
    draw.rectangle(area, fill=0)
