"""The column beside the rows: what this deal is worth, large, and what a hand does now."""

from collections.abc import Callable

from PIL import Image, ImageDraw

from kloplei.slate.faces import icons
from kloplei.slate.lettering import (
    BOLD,
    LARGE,
    MEDIUM_BOLD,
    SHOUT,
    SMALL,
    STAKE,
    Font,
    cut,
    largest_fitting,
    shout_centred,
    width_of,
    wrap,
    write,
    write_centred,
)

_HINT_LINES = 2
_HINT_LINE_PX = 9  # tails of one line keep off the next
HINT_PX = _HINT_LINES * _HINT_LINE_PX
_LINE_PX = 8
_TOP_PX = 1  # a dot on an i needs it
_ARROW_GAP_PX = 3
_BELOW_DIGITS_PX = 7  # digits have no tails
_SIGN_GAP_PX = 2
_SUIT_SCALE = 2
_ABOVE_PX = 9  # the word above the number, and its descenders


def draw_stake(
    draw: ImageDraw.ImageDraw, width: int, height: int, word: str, stake: int, hint: str
) -> None:
    """Draw *stake* as large as the box allows, *word* above it and *hint* below."""
    write_centred(draw, width / 2, _TOP_PX, cut(word, SMALL, width), SMALL)
    font = _number_font(str(stake), width)
    room = height - _ABOVE_PX - HINT_PX
    y = _ABOVE_PX + (room - font.capital) // 2
    _number_pen(font)(draw, width / 2, y, str(stake), font)
    draw_hint(draw, width, height, hint)


def draw_raise(
    draw: ImageDraw.ImageDraw, width: int, height: int, stake: int, proposed: int, hint: str
) -> None:
    """Draw *proposed* dark on light as long as it is only asked for, and where it comes from."""
    asked = f"{proposed}?"
    arrow, _ = icons.size_of(icons.LEADS)
    inked = width_of(str(stake), BOLD) + arrow + width_of(asked, BOLD)
    gap = min(_ARROW_GAP_PX, max((width - inked) // 2, 1))
    x = (width - inked - 2 * gap) // 2
    write(draw, x, 0, str(stake), BOLD)
    x += width_of(str(stake), BOLD) + gap
    icons.draw_icon(draw, x, 0, icons.LEADS)
    write(draw, x + arrow + gap, 0, asked, BOLD)
    foot = height - HINT_PX
    draw.rectangle((0, _BELOW_DIGITS_PX, width - 1, foot - 1), fill=1)
    font = _number_font(str(proposed), width)
    y = _BELOW_DIGITS_PX + (foot - _BELOW_DIGITS_PX - font.capital) // 2
    _number_pen(font)(draw, width / 2, y, str(proposed), font, 0)
    draw_hint(draw, width, height, hint)


def draw_announced(
    draw: ImageDraw.ImageDraw, width: int, height: int, rank: str, suit: str, hint: str
) -> None:
    """Draw the *suit* (H, D, S or C) large, *rank* above it and *hint* below."""
    font = largest_fitting(rank, width, (BOLD, SMALL))
    write_centred(draw, width / 2, _TOP_PX, cut(rank, font, width), font)
    icon = icons.SUITS_LARGE.get(suit, icons.CARDS)
    scale = _SUIT_SCALE if suit in icons.SUITS_LARGE else 1
    wide, tall = (scale * side for side in icons.size_of(icon))
    room = height - _ABOVE_PX - HINT_PX
    x, y = (width - wide) // 2, _ABOVE_PX + (room - tall) // 2
    icons.draw_icon(draw, x, y, icon, scale=scale)
    draw_hint(draw, width, height, hint)


def draw_called(
    draw: ImageDraw.ImageDraw, width: int, height: int, rank: str, suit: str | None
) -> None:
    """Draw the *rank* that was announced and, once it was, the sign of the *suit*."""
    sign = icons.SUITS.get(suit or "")
    beside = 0 if sign is None else icons.size_of(sign)[0] + _SIGN_GAP_PX
    shown = cut(rank, BOLD, width - beside, ending="")
    x = (width - width_of(shown, BOLD) - beside) // 2
    write(draw, x, _TOP_PX, shown, BOLD)
    if sign is not None:
        icons.draw_icon(draw, x + width_of(shown, BOLD) + _SIGN_GAP_PX, 0, sign)


def draw_won(draw: ImageDraw.ImageDraw, width: int, height: int, word: str, hint: str) -> None:
    """Draw a cup: somebody has won; *word* says so, *hint* how the next game begins."""
    write_centred(draw, width / 2, _TOP_PX, cut(word, SMALL, width), SMALL)
    _draw_picture(draw, width, height, _LINE_PX, icons.CUP)
    draw_hint(draw, width, height, hint)


def draw_deal(
    draw: ImageDraw.ImageDraw, width: int, height: int, name: str, word: str, hint: str
) -> None:
    """Draw a hand of cards: *name* is to deal; *word* says so, *hint* how."""
    write_centred(draw, width / 2, _TOP_PX, cut(name, BOLD, width), BOLD)
    write_centred(draw, width / 2, _TOP_PX + _LINE_PX, cut(word, SMALL, width), SMALL)
    _draw_picture(draw, width, height, 2 * _LINE_PX, icons.CARDS)
    draw_hint(draw, width, height, hint)


def draw_drinks(draw: ImageDraw.ImageDraw, width: int, height: int, word: str, hint: str) -> None:
    """Draw a glass of beer: somebody owes one; *word* says so, *hint* how it is paid."""
    write_centred(draw, width / 2, _TOP_PX, cut(word, SMALL, width), SMALL)
    _draw_picture(draw, width, height, _LINE_PX, icons.BEER)
    draw_hint(draw, width, height, hint)


def draw_hint(draw: ImageDraw.ImageDraw, width: int, height: int, hint: str) -> None:
    """Draw *hint* in the last `HINT_PX` rows of the box."""
    lines = _hint_lines(hint, width)
    for number, line in enumerate(lines):
        y = height + 1 - (len(lines) - number) * _HINT_LINE_PX
        write_centred(draw, width / 2, y, line, SMALL)


def upright(word: str, height: int) -> Image.Image:
    """Return *word* dark on light, running upwards over *height* pixels."""
    font = largest_fitting(word, height - 4, (LARGE, MEDIUM_BOLD, BOLD))
    strip = Image.new("1", (height, MEDIUM_BOLD.capital + 2), 1)
    top = (strip.height - font.capital) // 2
    write_centred(ImageDraw.Draw(strip), height / 2, top, cut(word, font, height), font, ink=0)
    return strip.transpose(Image.Transpose.ROTATE_90)


def _number_font(number: str, width: int) -> Font:
    return STAKE if width_of(number, STAKE) <= width else SHOUT


def _number_pen(font: Font) -> Callable[..., None]:
    return write_centred if font is STAKE else shout_centred


def _draw_picture(
    draw: ImageDraw.ImageDraw, width: int, height: int, top: int, icon: icons.Icon
) -> None:
    """Draw *icon* in the middle of what is free between *top* and the hint."""
    wide, tall = icons.size_of(icon)
    room = height - top - HINT_PX
    icons.draw_icon(draw, (width - wide) // 2, top + (room - tall + 1) // 2, icon)


def _hint_lines(hint: str, width: int) -> list[str]:
    """Return *hint* in two lines, each of them one of its two answers if it names two."""
    answers = [cut(answer, SMALL, width) for answer in hint.split(", ")]
    return answers if len(answers) == _HINT_LINES else wrap(hint, SMALL, width, _HINT_LINES)
