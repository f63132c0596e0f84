"""Make the slate's bitmap fonts out of those of X11; run by hand, never at build or start.

The sources are PCF files of Debian: Helvetica out of xfonts-75dpi, and for Japanese M+ out of
xfonts-mplus and Shinonome out of xfonts-shinonome. ``COPYING`` beside the fonts holds their
licences. Helvetica becomes pairs that Pillow reads by itself, ``.pil`` (sizes) and ``.pbm``
(glyphs), in the order of code page 1252. Of each Japanese font one ``.pbm`` is made, its glyphs
one below the other in the order of ``words/letters.txt``, which is written anew as well: kana,
their stops, and kanji, namely all that our words have, the first level of JIS X 0208, and those of
everyday use and for names by Unihan (in Debian: unicode-data). ::

    .venv/bin/python -m scripts.make_fonts FOLDER_WITH_PCF_FILES Unihan_OtherMappings.txt.bz2
"""

import bz2
import gzip
import io
import re
import sys
from pathlib import Path

from babel.messages.pofile import read_po
from PIL import FontFile, Image, PcfFontFile

from kloplei.slate.drawing import doubled
from kloplei.words.letters import is_japanese

WORDS = Path(__file__).parents[1] / "firmware/kloplei/words"
FONTS = Path(__file__).parents[1] / "firmware/kloplei/slate/fonts"
SIZES = ("helvR08", "helvB08", "helvR10", "helvB10", "helvB12", "helvB14", "helvB18", "helvB24")
JAPANESE = {
    "mplus10r": ("mplus_j10r", "mplus_j10r-jisx0201", (10, 10), 9),
    "mplus10b": ("mplus_j10b", "mplus_j10b-jisx0201", (10, 10), 9),
    "mplus12r": ("mplus_j12r", "mplus_f12r-jisx0201", (12, 12), 11),
    "mplus12b": ("mplus_j12b", "mplus_f12b-jisx0201", (12, 12), 11),
    "shinonome16b": ("shnmk16b", "shnm8x16rb", (16, 16), 14),
}
"""Of each: its font of JIS X 0208, that of kana half as wide, the size of a glyph, its ascent."""
_NO_GLYPH = 0xFFFF
OLD_FORMS = "邊邉齋齊"  # of common family names, and on no list
HALF_WIDE = range(0xFF61, 0xFFA0)
_FIRST_LEVEL = range(16, 48)  # rows of JIS X 0208 with the kanji that are met most
_ROWS_OF_KANA = (1, 4, 5)  # and of their stops
_OF_NAMES = re.compile(r"^U\+([0-9A-F]+)\tk(?:Joyo|Jinmeiyo)Kanji\t", re.MULTILINE)
STAKE = "stake"  # the digits of the stake: the largest font doubled
BOLD_STAKE_SOURCE = "helvB24"
CODE_PAGE = "cp1252"

# X11's slashed o runs into its neighbours at these sizes. Rows from the top, baseline at the foot.
REDRAWN = {
    **{(size, "…"): ("#.#.#.",) for size in SIZES[:4]},  # X11's is twice as wide as a letter
    **{(size, "…"): ("##.##.##.", "##.##.##.") for size in SIZES[4:]},
    ("helvR08", "ø"): ("..###", ".#.##", ".##.#", ".##.#", ".###."),
    ("helvB08", "ø"): (".###.", "##.#.", "####.", "##.#.", "###.."),
    ("helvR10", "ø"): (".####.", "#..##.", "#.#.#.", "#.#.#.", "##..#.", "####.."),
    ("helvB10", "ø"): (".####.", "##.##.", "#####.", "#####.", "##.##.", "####.."),
    ("helvR08", "Ø"): ("..####", ".#..##", ".#.#.#", ".#.#.#", ".##..#", ".####."),
    ("helvB08", "Ø"): (".####.", "##.##.", "#####.", "#####.", "##.##.", "####.."),
    ("helvR10", "Ø"): (
        "..#####.",
        ".#...##.",
        ".#..#.#.",
        ".#..#.#.",
        ".#.#..#.",
        ".#.#..#.",
        ".##...#.",
        ".#####..",
    ),
    ("helvB10", "Ø"): (
        "..#####.",
        ".##.##..",
        "##..###.",
        "##.#.##.",
        "##.#.##.",
        "###..##.",
        ".##.##..",
        "#####...",
    ),
}


def read(source: Path, name: str) -> FontFile.FontFile:
    """Return the font *name*, with its redrawn glyphs put in."""
    packed = (source / f"{name}.pcf.gz").read_bytes()
    font = PcfFontFile.PcfFontFile(io.BytesIO(gzip.decompress(packed)), CODE_PAGE)
    for (size, letter), rows in REDRAWN.items():
        if size == name:
            font.glyph[letter.encode(CODE_PAGE)[0]] = _glyph(rows)
    return font


def doubled_digits(font: FontFile.FontFile) -> FontFile.FontFile:
    """Return the digits of *font* twice as large, their corners rounded (the EPX rule)."""
    large = FontFile.FontFile()
    for code in range(ord("0"), ord("9") + 1):
        entry = font.glyph[code]
        if entry is None:
            raise ValueError(f"the source font has no glyph {chr(code)}")
        advance, box, source, image = entry
        large.glyph[code] = (
            (2 * advance[0], 2 * advance[1]),
            (2 * box[0], 2 * box[1], 2 * box[2], 2 * box[3]),
            (2 * source[0], 2 * source[1], 2 * source[2], 2 * source[3]),
            doubled(image),
        )
    return large


def _glyph(
    rows: tuple[str, ...],
) -> tuple[tuple[int, int], tuple[int, int, int, int], tuple[int, int, int, int], Image.Image]:
    width, height = len(rows[0]), len(rows)
    image = Image.new("1", (width, height))
    for y, row in enumerate(rows):
        for x, dot in enumerate(row):
            image.putpixel((x, y), 255 if dot == "#" else 0)
    return (width, 0), (0, -height, width, 0), (0, 0, width, height), image


def japanese_letters(unihan: str) -> str:
    """Return the letters beyond the code page that the slate has; *unihan* lists kanji."""
    kanji = {chr(int(one, 16)) for one in _OF_NAMES.findall(unihan)} | _written() | {*OLD_FORMS}
    found = {one for one in kanji if _row(one) >= _FIRST_LEVEL.start}
    for first, second in ((a, b) for a in range(0xA1, 0xD0) for b in range(0xA1, 0xFF)):
        one = bytes((first, second)).decode("euc_jp", "ignore")
        if first - 0xA0 in (*_ROWS_OF_KANA, *_FIRST_LEVEL):
            found.add(one)
    return "".join(sorted(set(filter(is_japanese, found)) | set(map(chr, HALF_WIDE))))


def _written() -> set[str]:
    """Return all letters that our Japanese sentences are written with."""
    found: set[str] = set()
    for path in WORDS.glob("ja/LC_MESSAGES/*.po"):
        with path.open("rb") as file:
            for message in read_po(file):
                said = [message.string] if isinstance(message.string, str) else message.string
                found.update(*(said or ()) if message.id else "")
    return found


def _row(letter: str) -> int:
    """Return the row of *letter* in JIS X 0208, 0 where it has none."""
    try:
        code = letter.encode("euc_jp")
    except UnicodeEncodeError:
        return 0
    return code[0] - 0xA0 if len(code) == 2 else 0


class PcfFont(PcfFontFile.PcfFontFile):
    """A font of more letters than the 256 of which Pillow knows where they stand."""

    def __init__(self, path: Path) -> None:
        super().__init__(io.BytesIO(gzip.decompress(path.read_bytes())))
        self._metrics = self._load_metrics()
        self._bitmaps = self._load_bitmaps(self._metrics)
        file, _, read_16, _ = self._getformat(PcfFontFile.PCF_BDF_ENCODINGS)
        first, last, self._first_row, last_row, _ = (read_16(file.read(2)) for _ in range(5))
        self._columns = range(first, last + 1)
        count = len(self._columns) * (last_row - self._first_row + 1)
        self._numbers = [read_16(file.read(2)) for _ in range(count)]

    def picture_of(self, code: bytes, ascent: int) -> Image.Image | None:
        """Return the glyph of *code* as it stands below *ascent*, if there is one."""
        row, column = (code[0], code[1]) if len(code) > 1 else (self._first_row, code[0])
        at = (row - self._first_row) * len(self._columns) + column - self._columns.start
        number = self._numbers[at] if column in self._columns else _NO_GLYPH
        if number == _NO_GLYPH:
            return None
        _, _, left, _, _, above, *_ = self._metrics[number]
        image = self._bitmaps[number]
        placed = Image.new("1", (left + image.width, ascent - above + image.height))
        placed.paste(image, (left, ascent - above))
        return placed if placed.getbbox() else None


class JapaneseFont:
    """One of `JAPANESE`, read from the folder *source*."""

    def __init__(self, source: Path, name: str) -> None:
        wide, narrow, self.size, self._ascent = JAPANESE[name]
        self._fonts = [PcfFont(source / f"{one}.pcf.gz") for one in (wide, narrow)]

    def glyph(self, letter: str) -> Image.Image | None:
        """Return the glyph of *letter*, on the left where it is half as wide, if there is one."""
        code, is_half = letter.encode("euc_jp"), ord(letter) in HALF_WIDE
        # Where JIS has seven bits, EUC sets the eighth, and puts a byte before kana half as wide.
        sign = code[1:] if is_half else bytes(byte & 0x7F for byte in code)
        glyph = self._fonts[is_half].picture_of(sign, self._ascent)
        if glyph is None:
            return None
        # Brackets reach a pixel below all else, and stand as well one above.
        _, _, _, foot = glyph.getbbox() or (0, 0, 0, 0)
        lower = max(foot - self.size[1], 0)
        return glyph.crop((0, lower, self.size[0], lower + self.size[1]))


def main() -> None:
    """Write all fonts where the slate reads them."""
    source = Path(sys.argv[1])
    for name in SIZES:
        write(read(source, name), name)
    write(doubled_digits(read(source, BOLD_STAKE_SOURCE)), STAKE)
    wanted = japanese_letters(bz2.decompress(Path(sys.argv[2]).read_bytes()).decode())
    fonts = {name: JapaneseFont(source, name) for name in JAPANESE}
    letters = [one for one in wanted if all(font.glyph(one) for font in fonts.values())]
    (WORDS / "letters.txt").write_text("".join(letters) + "\n", "utf-8")
    for name, font in fonts.items():
        width, height = font.size
        sheet = Image.new("1", (width, height * len(letters)))
        for number, letter in enumerate(letters):
            if (glyph := font.glyph(letter)) is not None:
                sheet.paste(glyph, (0, number * height))
        sheet.save(FONTS / f"{name}.pbm", "PPM")
    print(f"{len(letters)} letters; left out: {''.join(set(wanted) - set(letters))}")


def write(font: FontFile.FontFile, name: str) -> None:
    """Write *font* as *name*, its glyphs bare: Pillow calls a PNG ``.pbm``, which costs a start."""
    font.save(str(FONTS / f"{name}.pil"))
    assert font.bitmap is not None  # noqa: S101 - it has just been drawn
    font.bitmap.save(FONTS / f"{name}.pbm", "PPM")


if __name__ == "__main__":
    main()
