"""Letters of chalk: bitmap fonts, and text that fits where it has to."""

import unicodedata
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from PIL import ImageDraw, ImageFont

_FONTS = Path(__file__).parent / "fonts"
_CODE_PAGE = "cp1252"  # the order of the glyphs in our fonts: all of nl, en, de and da
_ELLIPSIS = "…"
_BARE = str.maketrans("ŁłĐđĦħıŦŧ", "LlDdHhiTt")  # what Unicode does not take apart
LETTERS_FOR = ("nl", "en", "de", "da")
"""Languages that can be chalked; the slate speaks English in place of others."""


@dataclass(frozen=True, slots=True)
class Font:
    """A bitmap font; all in pixels.

    *blank* are the rows above a capital, left for accents; *capital* is its height and
    *depth* what hangs below the line. *stroke* is how thick it is.
    """

    name: str
    blank: int
    capital: int
    depth: int
    stroke: int = 1


SMALL = Font("helvR08", 3, 6, 2)
BOLD = Font("helvB08", 3, 6, 2)
MEDIUM = Font("helvR10", 3, 8, 2)
MEDIUM_BOLD = Font("helvB10", 3, 8, 2, 2)
LARGE = Font("helvB12", 3, 9, 3, 2)
LARGER = Font("helvB14", 3, 11, 3, 2)
HUGE = Font("helvB18", 4, 14, 4, 3)
SHOUT = Font("helvB24", 5, 19, 5, 3)
STAKE = Font("stake", 0, 36, 0, 6)  # digits only


def legible(text: str) -> str:
    """Return *text* with the letters our fonts have; what cannot be chalked is left out.

    An unknown accent is dropped and its letter kept; pictures and other scripts go.
    """
    kept = (_chalked(one) for one in unicodedata.normalize("NFC", text))
    return " ".join("".join(kept).split())


def width_of(text: str, font: Font) -> int:
    """Return how many pixels *text* takes, without the blank after its last letter."""
    return ink_of(text, font)[1]


def ink_of(text: str, font: Font) -> tuple[int, int]:
    """Return where the chalk of *text* begins and ends, in pixels from where it is written."""
    box = _image_font(font).getmask(_bytes(text)).getbbox()
    return (0, 0) if box is None else (int(box[0]), int(box[2]))


def cut(text: str, font: Font, width: int, *, ending: str = _ELLIPSIS) -> str:
    """Return *text*, or as much of it as fits into *width* with *ending*."""
    if width_of(text, font) <= width:
        return text
    for length in range(len(text) - 1, 0, -1):
        shorter = text[:length].rstrip(" -") + ending
        if width_of(shorter, font) <= width:
            return shorter
    return ""


def wrap(text: str, font: Font, width: int, lines: int) -> list[str]:
    """Return *text* in at most *lines* lines of *width* pixels; the last one may be cut.

    A word too long for a line is broken where the line ends.
    """
    found: list[str] = []
    rest = text.split()
    while rest and len(found) < lines - 1:
        line, rest = _first_line(rest, font, width)
        found.append(line)
    if rest:
        found.append(cut(" ".join(rest), font, width))
    return found


def write(
    draw: ImageDraw.ImageDraw, x: int, y: int, text: str, font: Font = SMALL, ink: int = 1
) -> None:
    """Write *text* from *x* on; *y* is where its capitals begin."""
    draw.text((x, y - font.blank), _bytes(text), font=_image_font(font), fill=ink)


def write_centred(
    draw: ImageDraw.ImageDraw, x: float, y: int, text: str, font: Font = SMALL, ink: int = 1
) -> None:
    """Write *text* with its middle at *x*."""
    write(draw, round(x - sum(ink_of(text, font)) / 2), y, text, font, ink)


def shout_centred(
    draw: ImageDraw.ImageDraw, x: float, y: int, text: str, font: Font, ink: int = 1
) -> None:
    """Write *text* with its middle at *x*, every stroke a pixel wider."""
    # Rounded once: of two numbers that end in .5, one is rounded up and one down.
    left = round(x - (1 + sum(ink_of(text, font))) / 2)
    for heavier in (0, 1):
        write(draw, left + heavier, y, text, font, ink)


def largest_fitting(text: str, width: int, fonts: tuple[Font, ...]) -> Font:
    """Return the first of *fonts*, sorted from large to small, in which *text* fits, or the last.

    The last one may have to be cut.
    """
    return next((font for font in fonts if width_of(text, font) <= width), fonts[-1])


def _first_line(words: list[str], font: Font, width: int) -> tuple[str, list[str]]:
    """Return what of *words* goes on one line, and the rest of them."""
    line = ""
    for number, word in enumerate(words):
        longer = f"{line} {word}".lstrip()
        if width_of(longer, font) > width:
            return (line, words[number:]) if line else _broken(word, words[1:], font, width)
        line = longer
    return line, []


def _broken(word: str, others: list[str], font: Font, width: int) -> tuple[str, list[str]]:
    length = len(word) - 1
    while length > 1 and width_of(word[:length], font) > width:
        length -= 1
    return word[:length], [word[length:], *others]


def _chalked(character: str) -> str:
    """Return what *character* looks like in our code page: itself, bare letters, or nothing."""
    if character.isspace():
        return " "
    if _is_ours(character):
        return character
    bare = unicodedata.normalize("NFKD", character).translate(_BARE)
    return "".join(one for one in bare if _is_ours(one))


def _is_ours(character: str) -> bool:
    try:
        character.encode(_CODE_PAGE)
    except UnicodeEncodeError:
        return False
    return character.isprintable()


def _bytes(text: str) -> bytes:
    # Some letters reach beyond their advance, and Pillow cuts that off the last one: "inzel".
    return (text + " ").encode(_CODE_PAGE, "ignore")


@cache
def _image_font(font: Font) -> ImageFont.ImageFont:
    return ImageFont.load(str(_FONTS / f"{font.name}.pil"))
