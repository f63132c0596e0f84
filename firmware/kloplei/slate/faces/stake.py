"""The column beside the rows: what this hand costs, large, and what a knock does now."""

from PIL import Image, ImageDraw

from kloplei.slate.faces import icons
from kloplei.slate.lettering import (
    BOLD,
    LARGE,
    MEDIUM_BOLD,
    SHOUT,
    SMALL,
    STAKE,
    cut,
    largest_fitting,
    shout_centred,
    width_of,
    wrap,
    write_centred,
)

_HINT_LINES = 2
_HINT_PX = 9  # tails of one line keep off the next
_LINE_PX = 8
_TOP_PX = 1  # a dot on an i needs it
_ABOVE_PX = 9  # the word above the number, and its descenders


def draw_stake(
    draw: ImageDraw.ImageDraw, width: int, height: int, word: str, stake: int, hint: str
) -> None:
    """Draw *stake* as large as the box allows, *word* above it and *hint* below."""
    write_centred(draw, width / 2, _TOP_PX, cut(word, SMALL, width), SMALL)
    number = str(stake)
    font = STAKE if width_of(number, STAKE) <= width else SHOUT
    write = write_centred if font is STAKE else shout_centred
    room = height - _ABOVE_PX - _HINT_LINES * _HINT_PX
    write(draw, width / 2, _ABOVE_PX + (room - font.capital) // 2, number, font)
    _draw_hint(draw, width, height, hint)


def draw_deal(
    draw: ImageDraw.ImageDraw, width: int, height: int, name: str, word: str, hint: str
) -> None:
    """Draw a hand of cards: *name* is to deal; *word* says so, *hint* how."""
    write_centred(draw, width / 2, _TOP_PX, cut(name, BOLD, width), BOLD)
    write_centred(draw, width / 2, _TOP_PX + _LINE_PX, cut(word, SMALL, width), SMALL)
    _draw_picture(draw, width, height, 2 * _LINE_PX, icons.CARDS)
    _draw_hint(draw, width, height, hint)


def draw_drinks(draw: ImageDraw.ImageDraw, width: int, height: int, word: str, hint: str) -> None:
    """Draw a glass of beer: somebody owes one; *word* says so, *hint* how it is paid."""
    write_centred(draw, width / 2, _TOP_PX, cut(word, SMALL, width), SMALL)
    _draw_picture(draw, width, height, _LINE_PX, icons.BEER)
    _draw_hint(draw, width, height, hint)


def upright(word: str, height: int) -> Image.Image:
    """Return *word* dark on light, running upwards over *height* pixels."""
    font = largest_fitting(word, height - 4, (LARGE, MEDIUM_BOLD, BOLD))
    strip = Image.new("1", (height, MEDIUM_BOLD.capital + 2), 1)
    top = (strip.height - font.capital) // 2
    write_centred(ImageDraw.Draw(strip), height / 2, top, cut(word, font, height), font, ink=0)
    return strip.transpose(Image.Transpose.ROTATE_90)


def _draw_picture(
    draw: ImageDraw.ImageDraw, width: int, height: int, top: int, icon: icons.Icon
) -> None:
    """Draw *icon* in the middle of what is free between *top* and the hint."""
    wide, tall = icons.size_of(icon)
    room = height - top - _HINT_LINES * _HINT_PX
    icons.draw_icon(draw, (width - wide) // 2, top + (room - tall + 1) // 2, icon)


def _draw_hint(draw: ImageDraw.ImageDraw, width: int, height: int, hint: str) -> None:
    lines = _hint_lines(hint, width)
    for number, line in enumerate(lines):
        y = height + 1 - (len(lines) - number) * _HINT_PX
        write_centred(draw, width / 2, y, line, SMALL)


def _hint_lines(hint: str, width: int) -> list[str]:
    """Return *hint* in two lines, each of them one of its two answers if it names two."""
    answers = [cut(answer, SMALL, width) for answer in hint.split(", ")]
    return answers if len(answers) == _HINT_LINES else wrap(hint, SMALL, width, _HINT_LINES)
