"""The greeting: what stands on the slate before anything of the table is even loaded.

It is drawn from PIL and our letters alone. A face by itself, and not among the others, since those
know scoreboards; the first slate waits for nothing that it does not show.
"""

from PIL import Image, ImageDraw

from kloplei.slate.drawing import (
    SHOUT,
    SMALL,
    Area,
    blank,
    draw_centred,
    inner,
    place,
    shout_centred,
    width_of,
    with_letters,
)
from kloplei.words import Words

_BRAND = "Kloplei"


def greeting_in(language: str) -> Image.Image:
    """Return the greeting for the small glass, in *language* if our letters can write it."""
    sheet = blank()
    draw_greeting(sheet, with_letters(Words(language)).say("slate.starting"))
    return sheet


def draw_greeting(sheet: Image.Image, word: str) -> None:
    """Draw a slate with Kloplei's name chalked on it, and *word* below."""
    across, down = inner(sheet)
    place(sheet, Area(0, 0, across, down), _draw_slate)
    place(sheet, Area(6, 46, across - 12, 10), draw_centred, word, (SMALL,))


def _draw_slate(draw: ImageDraw.ImageDraw, width: int, height: int) -> None:
    draw.rectangle((0, 0, width - 1, height - 1), outline=1, width=2)
    draw.rectangle((4, 4, width - 5, height - 5), outline=1)
    shout_centred(draw, width / 2, 14, _BRAND, SHOUT)
    left = (width - width_of(_BRAND, SHOUT)) // 2
    draw.line((left, 38, width - left, 36), fill=1)
