"""Make the slate's bitmap fonts out of X11's Helvetica; run by hand, never at build or start.

The sources are the 75 dpi PCF files of the X.Org package ``font-adobe-75dpi`` (in Debian:
xfonts-75dpi). ``COPYING`` beside the fonts holds their licence. Each becomes a pair that Pillow
reads by itself, ``.pil`` (sizes) and ``.pbm`` (glyphs), in the order of code page 1252. ::

    .venv/bin/python -m scripts.make_fonts FOLDER_WITH_PCF_FILES
"""

import gzip
import io
import sys
from pathlib import Path

from PIL import FontFile, Image, PcfFontFile

FONTS = Path(__file__).parents[1] / "firmware/kloplei/slate/fonts"
SIZES = ("helvR08", "helvB08", "helvR10", "helvB10", "helvB12", "helvB14", "helvB18", "helvB24")
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
            _epx(image),
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


def _epx(image: Image.Image) -> Image.Image:
    """Double *image*; a corner takes the colour of its two neighbours when they agree."""
    width, height = image.size
    large = Image.new("1", (2 * width, 2 * height))

    def at(x: int, y: int) -> int:
        inside = 0 <= x < width and 0 <= y < height
        return 255 if inside and image.getpixel((x, y)) else 0

    for y in range(height):
        for x in range(width):
            here = at(x, y)
            up, left, right, down = at(x, y - 1), at(x - 1, y), at(x + 1, y), at(x, y + 1)
            for dx, dy, side, other, far, across in (
                (0, 0, left, up, right, down),
                (1, 0, up, right, down, left),
                (0, 1, down, left, up, right),
                (1, 1, right, down, left, up),
            ):
                takes = side == other and side != across and other != far
                large.putpixel((2 * x + dx, 2 * y + dy), other if takes else here)
    return large


def main() -> None:
    """Write all fonts where the slate reads them."""
    source = Path(sys.argv[1])
    for name in SIZES:
        write(read(source, name), name)
    write(doubled_digits(read(source, BOLD_STAKE_SOURCE)), STAKE)


def write(font: FontFile.FontFile, name: str) -> None:
    """Write *font* as *name*, its glyphs bare: Pillow calls a PNG ``.pbm``, which costs a start."""
    font.save(str(FONTS / f"{name}.pil"))
    assert font.bitmap is not None  # noqa: S101 - it has just been drawn
    font.bitmap.save(FONTS / f"{name}.pbm", "PPM")


if __name__ == "__main__":
    main()
