"""Make the fonts of the seat cards out of M PLUS 1; run by hand, never at build or start.

The sources are the OpenType files of Debian's ``fonts-mplus`` (OFL 1.1, no reserved names; the
licence lies beside the fonts). What is kept is Latin, kana, and every sign that stands in the
words of the slate in any language. Their outlines become quadratic, since what makes the PDF reads
TrueType alone. It needs ``fonttools``, which nothing else of ours does. ::

    pip install fonttools
    .venv/bin/python -m scripts.make_card_fonts FOLDER_WITH_OTF_FILES
"""

import sys
from pathlib import Path
from typing import Any

from babel.messages.pofile import read_po
from fontTools.pens.cu2quPen import Cu2QuPen
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont, newTable

ROOT = Path(__file__).parents[1]
FONTS = ROOT / "firmware/kloplei/fonts"
WORDS = ROOT / "firmware/kloplei/words"
FACES = {"Mplus1-Regular": "mplus-1-regular", "Mplus1-Bold": "mplus-1-bold"}
ALWAYS = (
    *range(0x20, 0x7F),
    *range(0xA0, 0x180),  # Latin as far as Extended-A
    *range(0x2010, 0x2028),
    *range(0x3000, 0x3100),  # kana and their stops
    *map(ord, "€…←↑→↓×♠♣♥♦・"),
)
_MOST_ERROR = 1.0  # of 1000 to an em


def letters() -> set[int]:
    """Return every sign that our words are written with."""
    found = set(ALWAYS)
    for path in WORDS.glob("*/LC_MESSAGES/*.po"):
        with path.open("rb") as file:
            catalogue = read_po(file)
        for message in catalogue:
            said = [message.string] if isinstance(message.string, str) else (message.string or ())
            found |= {ord(one) for text in said for one in text or "" if message.id}
    return found


def main() -> None:
    """Write both fonts where the seat cards read them."""
    for name, kept in FACES.items():
        font = TTFont(Path(sys.argv[1]) / f"{name}.otf")
        options = Options(layout_features=[], name_IDs=[0, 1, 2, 4, 6, 13, 14], hinting=False)
        subsetter = Subsetter(options)
        subsetter.populate(unicodes=letters())
        subsetter.subset(font)
        _straighten(font)
        font.save(FONTS / f"{kept}.ttf")


def _straighten(font: Any) -> None:
    """Give *font* quadratic outlines in place of cubic ones."""
    drawn, order = {}, font.getGlyphOrder()
    glyphs = font.getGlyphSet()
    for name in order:
        pen = TTGlyphPen(glyphs)
        glyphs[name].draw(Cu2QuPen(pen, _MOST_ERROR, reverse_direction=True))
        drawn[name] = pen.glyph()
    font["loca"] = newTable("loca")
    font["glyf"] = table = newTable("glyf")
    table.glyphOrder, table.glyphs = order, drawn
    for gone in ("CFF ", "VORG", "GSUB", "GPOS", "GDEF", "vhea", "vmtx"):
        if gone in font:
            del font[gone]
    font["maxp"].tableVersion = 0x00010000
    for name in (
        *("maxZones", "maxTwilightPoints", "maxStorage", "maxFunctionDefs"),
        *("maxInstructionDefs", "maxStackElements", "maxSizeOfInstructions"),
        *("maxComponentElements", "maxPoints", "maxContours"),
        *("maxCompositePoints", "maxCompositeContours", "maxComponentDepth"),
    ):
        setattr(font["maxp"], name, int(name == "maxZones"))
    font["post"].formatType = 3.0
    font["head"].glyphDataFormat = 0
    font.sfntVersion = "\000\001\000\000"


if __name__ == "__main__":
    main()
