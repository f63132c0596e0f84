"""A question to one seat: nothing else matters until it is answered."""

from PIL import Image, ImageDraw

from kloplei.slate.lettering import LARGE, MEDIUM, SHOUT, SMALL, Font, wrap, write_centred
from kloplei.slate.sheet import SHEET_HEIGHT, SHEET_WIDTH, Box, place

_MARGIN_PX = 16


def draw_question(sheet: Image.Image, sentence: str) -> None:
    """Draw *sentence* as large as it can be, beside a question mark dark on light."""
    place(sheet, Box(0, 0, _MARGIN_PX, SHEET_HEIGHT), _draw_mark)
    box = Box(_MARGIN_PX + 2, 0, SHEET_WIDTH - _MARGIN_PX - 2, SHEET_HEIGHT)
    place(sheet, box, draw_paragraph, sentence)


def draw_paragraph(draw: ImageDraw.ImageDraw, width: int, height: int, sentence: str) -> None:
    """Draw *sentence* in the middle of the box, in the largest letters in which it fits."""
    font, lines = _set(sentence, width, height)
    pitch = _pitch(font)
    top = (height - len(lines) * pitch) // 2 + 2
    for number, line in enumerate(lines):
        write_centred(draw, width / 2, top + number * pitch, line, font)


def _set(sentence: str, width: int, height: int) -> tuple[Font, list[str]]:
    for font in (LARGE, MEDIUM):
        lines = wrap(sentence, font, width, 99)
        if len(lines) * _pitch(font) <= height:
            return font, lines
    return SMALL, wrap(sentence, SMALL, width, height // _pitch(SMALL))


def _pitch(font: Font) -> int:
    return font.capital + font.depth + 2


def _draw_mark(draw: ImageDraw.ImageDraw, width: int, height: int) -> None:
    draw.rectangle((0, 0, width, height), fill=1)
    write_centred(draw, width / 2, (height - SHOUT.capital) // 2, "?", SHOUT, ink=0)
