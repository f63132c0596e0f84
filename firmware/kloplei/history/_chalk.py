"""A slate to write on with chalk: letters, strokes, and a picture of it all that is quick to make.

Each colour of chalk is a layer of grey, which the grain of the slate eats into at the end; a
palette of some forty colours makes one small PNG of them. So what is drawn costs what letters cost.
"""

import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from io import BytesIO
from itertools import groupby, pairwise
from pathlib import Path
from random import Random

from PIL import Image, ImageChops, ImageDraw, ImageFilter, ImageFont

from kloplei.frozen import dataclass
from kloplei.words.letters import western_name

SIZE = (1080, 1350)
FRAME = 36
"""Of wood, around the slate, in pixels."""
_FONTS = Path(__file__).parent / "fonts"
_AROUND = (
    *("/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc",),
    *("/usr/share/fonts/opentype/ipafont-gothic/ipag.ttf",),
    *("/usr/share/fonts/opentype/ipaexfont-gothic/ipaexg.ttf",),
    *("/usr/share/fonts/truetype/vlgothic/VL-Gothic-Regular.ttf",),
    *("/usr/share/fonts/truetype/takao-gothic/TakaoGothic.ttf",),
    *("/usr/share/fonts/truetype/fonts-japanese-gothic.ttf",),
    *("/usr/share/fonts/truetype/droid/DroidSansFallbackFull.ttf",),
    *("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",),
)
"""Where Debian has letters that ours lack; what a machine has of them is used."""
LETTERING = ("amatic-sc-bold", "amatic-sc-bold-ext")
HAND = ("patrick-hand", "patrick-hand-ext")
_CHALKS = {
    "white": (240, 238, 228),
    "yellow": (246, 211, 101),
    "red": (238, 144, 130),
    "blue": (150, 200, 232),
    "green": (168, 214, 150),
}
_SLATE = tuple((33 + shade, 39 + shade, 38 + shade) for shade in range(0, 11, 2))
_WOOD = ((92, 58, 33), (110, 71, 41), (126, 83, 49), (143, 97, 60), (24, 22, 18))
_LEVELS, _FAINT = 7, 28
_TALL = "ÄÉgjy"  # reaches as far up and down as letters do
_NO_GLYPH = "\U0010fffd"  # private use: no font of ours has it
_SCRATCH = 3  # pixels by which a hand misses


@dataclass(frozen=True, slots=True)
class Placed:
    """Where *text* stands, from the left and top in pixels."""

    left: float
    top: float
    right: float
    bottom: float
    text: str = ""


class Lettering:
    """Letters of one kind and *size*: the first of the *fonts* that has one writes it."""

    def __init__(self, names: Sequence[str], size: int) -> None:
        self.size = size
        self._fonts = [_font(name, size) for name in (*names, *HAND, *machine_fonts())]
        # What a font calls its height is half empty; a line is as high as its letters are.
        _, top, _, low = self._fonts[0].getbbox(_TALL, anchor="ls")
        self.ascent, self.height = -top, low - top

    def width(self, text: str) -> float:
        """Return how many pixels *text* takes."""
        return sum(font.getlength(run) for font, run in self.runs(text))

    def slack(self, text: str) -> float:
        """Return how much room *text* leaves above it, as without accents."""
        return self.ascent + min(
            (font.getbbox(run, anchor="ls")[1] for font, run in self.runs(text)), default=0
        )

    def runs(self, text: str) -> Iterator[tuple[ImageFont.FreeTypeFont, str]]:
        """Yield *text* in runs of letters of one font."""
        for font, letters in groupby(text, self._font_of):
            if font is not None:
                yield font, "".join(letters)

    def _font_of(self, letter: str) -> ImageFont.FreeTypeFont | None:
        return next((font for font in self._fonts if _has(font, letter)), None)


@lru_cache(maxsize=64)
def lettering(names: tuple[str, ...], size: int) -> Lettering:
    """Return the letters of *names* at *size* pixels."""
    return Lettering(names, size)


def can_write(text: str) -> bool:
    """Return whether there are letters for all of *text*, ours or the machine's."""
    fonts = [_font(name, 24) for name in (*HAND, *machine_fonts())]
    return all(any(_has(font, one) for font in fonts) for one in set(text) - set(" \n"))


def writable(name: str) -> str:
    """Return what can be written of *name*: all, its short one, what is left; perhaps nothing."""
    plain = unicodedata.normalize("NFC", " ".join(name.split()))
    if can_write(plain):
        return plain
    return western_name(plain)


@lru_cache(maxsize=1)
def machine_fonts() -> tuple[str, ...]:
    """Return the fonts of this machine that we may fall back to."""
    return tuple(path for path in _AROUND if Path(path).is_file())


@lru_cache(maxsize=64)
def _font(name: str, size: int) -> ImageFont.FreeTypeFont:
    path = Path(name) if name.startswith("/") else _FONTS / f"{name}.woff"
    # The same picture with libraqm and without it.
    return ImageFont.truetype(str(path), size, layout_engine=ImageFont.Layout.BASIC)


@lru_cache(maxsize=4096)
def _has(font: ImageFont.FreeTypeFont, letter: str) -> bool:
    if letter.isspace():
        return letter == " "
    if unicodedata.category(letter) in ("So", "Cc", "Cf", "Co", "Cs", "Mn", "Sk"):
        return False  # pictures are no chalk, and what has no shape is left out
    if unicodedata.bidirectional(letter) in ("R", "AL"):
        return False  # from right to left it would stand there backwards
    return _shape(font, letter) != _shape(font, _NO_GLYPH)


def _shape(font: ImageFont.FreeTypeFont, letter: str) -> tuple[object, bytes]:
    mask = font.getmask(letter, mode="L")
    return mask.size, bytes(mask)


@dataclass(frozen=True, slots=True)
class _Line:
    points: tuple[tuple[float, float], ...]
    width: int
    strength: int


@dataclass(frozen=True, slots=True)
class _Writing:
    at: tuple[float, float]  # left end of the line that letters stand on
    text: str
    font: ImageFont.FreeTypeFont
    strength: int


class ChalkDrawing:
    """A clean slate; what was written is kept as `boxes`, to be looked at."""

    def __init__(self) -> None:
        self.boxes: list[Placed] = []
        self._lines: dict[str, list[_Line]] = {chalk: [] for chalk in _CHALKS}
        self._writings: dict[str, list[_Writing]] = {chalk: [] for chalk in _CHALKS}
        self._chance = Random("chalk")  # the same picture every time

    def write(
        self,
        at: tuple[float, float],
        text: str,
        letters: Lettering,
        chalk: str = "white",
        strength: int = 255,
    ) -> float:
        """Write *text* with its left top at *at* and return where it ends."""
        left, top = at
        x, base = left, top + letters.ascent
        highest, lowest = base, base
        for font, run in letters.runs(text):
            self._writings[chalk].append(_Writing((x, base), run, font, strength))
            _, up, _, down = font.getbbox(run, anchor="ls")
            highest, lowest = min(highest, base + up), max(lowest, base + down)
            x += font.getlength(run)
        if x > left:
            self.boxes.append(Placed(left, highest, x, lowest, text))
        return x

    def line(
        self,
        points: Sequence[tuple[float, float]],
        chalk: str = "white",
        width: int = 5,
        strength: int = 255,
    ) -> None:
        """Draw through *points*."""
        self._lines[chalk].append(_Line(tuple(points), width, strength))

    def stroke(
        self,
        begin: tuple[float, float],
        end: tuple[float, float],
        width: int = 5,
        strength: int = 255,
    ) -> None:
        """Draw from *begin* to *end* by hand: both are missed by a little."""
        (x0, y0), (x1, y1) = self.near(begin), self.near(end)
        middle = self.near(((x0 + x1) / 2, (y0 + y1) / 2), 1)
        self.line(((x0, y0), middle, (x1, y1)), width=width, strength=strength)

    def keep(self, left: float, top: float, right: float, bottom: float, what: str) -> None:
        """Tell that *what* is drawn there, so that nothing else may be."""
        self.boxes.append(Placed(left, top, right, bottom, what))

    def near(self, point: tuple[float, float], by: float = _SCRATCH) -> tuple[float, float]:
        """Return a place *by* so many pixels or less from *point*."""
        x, y = point
        return x + self._chance.uniform(-by, by), y + self._chance.uniform(-by, by)

    def png(self, size: tuple[int, int] = SIZE) -> bytes:
        """Return the slate as a PNG."""
        picture, grain = _ground().copy(), _grain()
        used = [chalk for chalk in _CHALKS if self._lines[chalk] or self._writings[chalk]]
        for number, chalk in enumerate(used):
            eaten = ImageChops.multiply(self._layer(chalk), grain)
            first = len(_SLATE) + len(_WOOD) + number * _LEVELS
            marks = eaten.point([first + level * _LEVELS // 256 for level in range(256)])
            picture.paste(marks, mask=eaten.point([0] * _FAINT + [255] * (256 - _FAINT)))
        picture = _with_palette(picture, used)
        if size != SIZE:
            picture = picture.convert("RGB").resize(size, Image.Resampling.LANCZOS).quantize(48)
        written = BytesIO()
        picture.save(written, "PNG", compress_level=6)
        return written.getvalue()

    def _layer(self, chalk: str) -> Image.Image:
        """Return all of one *chalk*: first the dust beside lines, which smooths them."""
        layer = Image.new("L", SIZE)
        pen = ImageDraw.Draw(layer)
        for wider, share in ((2, 0.4), (0, 1.0)):
            for line in self._lines[chalk]:
                _draw_line(pen, line, line.width + wider, round(line.strength * share))
        for one in self._writings[chalk]:
            pen.text(one.at, one.text, one.strength, one.font, anchor="ls")
        return layer


def _draw_line(pen: ImageDraw.ImageDraw, line: _Line, width: int, strength: int) -> None:
    pen.line(line.points, strength, width, joint="curve")
    half = (width - 1) / 2
    for x, y in (line.points[0], line.points[-1]):
        pen.ellipse((x - half, y - half, x + half, y + half), strength)


def _with_palette(picture: Image.Image, chalks: Sequence[str]) -> Image.Image:
    """Return *picture*, whose levels are numbers of colours, as those colours."""
    slate = _SLATE[len(_SLATE) // 2]
    colours = [*_SLATE, *_WOOD]
    for chalk in chalks:
        for level in range(1, _LEVELS + 1):
            share = level / _LEVELS
            colours.append(
                tuple(  # type: ignore[arg-type]
                    round(dark + (light - dark) * share)
                    for dark, light in zip(slate, _CHALKS[chalk], strict=True)
                )
            )
    coloured = Image.frombytes("P", picture.size, picture.tobytes())
    coloured.putpalette([value for colour in colours for value in colour])
    return coloured


@lru_cache(maxsize=1)
def _ground() -> Image.Image:
    """Return the bare slate in its frame: wiped, and never quite clean."""
    chance = Random("slate")
    wiped = Image.frombytes("L", (12, 15), chance.randbytes(12 * 15))
    wiped = wiped.filter(ImageFilter.GaussianBlur(1)).resize(SIZE, Image.Resampling.BICUBIC)
    shades = len(_SLATE)
    ground = wiped.point([max(0, min(shades - 1, (at - 80) * shades // 96)) for at in range(256)])
    _draw_frame(ImageDraw.Draw(ground), chance)
    return ground


def _draw_frame(pen: ImageDraw.ImageDraw, chance: Random) -> None:
    """Draw four pieces of wood, each with its grain, mitred."""
    wide, high = SIZE
    wood = len(_SLATE)
    for left, top, right, bottom in (
        (0, 0, wide, FRAME),
        (0, high - FRAME, wide, high),
        (0, 0, FRAME, high),
        (wide - FRAME, 0, wide, high),
    ):
        pen.rectangle((left, top, right, bottom), wood + 1)
        lies = right - left > bottom - top
        for _ in range(26):
            shade = wood + chance.choice((0, 2, 2, 3))
            along = chance.uniform(0, (right - left) if lies else (bottom - top))
            across = chance.uniform(3, FRAME - 3)
            length = chance.uniform(120, 520)
            if lies:
                pen.line(
                    (left + along, top + across, left + along + length, top + across + 1), shade
                )
            else:
                pen.line(
                    (left + across, top + along, left + across + 1, top + along + length), shade
                )
    for x, y, dx, dy in ((0, 0, 1, 1), (wide, 0, -1, 1), (0, high, 1, -1), (wide, high, -1, -1)):
        pen.line((x, y, x + dx * FRAME, y + dy * FRAME), wood, 3)
    pen.rectangle((FRAME - 4, FRAME - 4, wide - FRAME + 3, high - FRAME + 3), None, wood + 4, 5)


@lru_cache(maxsize=1)
def _grain() -> Image.Image:
    """Return how much chalk the slate holds where: speckled, and worn in streaks."""
    chance = Random("grain")
    wide, high = SIZE
    fine = Image.frombytes("L", (wide // 2, high // 2), chance.randbytes(wide * high // 4))
    fine = fine.resize(SIZE, Image.Resampling.BILINEAR)
    return fine.point([70 + level * 3 for level in range(62)] + [255] * 194)


def tally_of(count: int) -> list[int]:
    """Return *count* in fives, and what is left."""
    fives, rest = divmod(count, 5)
    return [5] * fives + ([rest] if rest else [])


def spread(wanted: Sequence[float], gap: float, high: float) -> list[float]:
    """Return places near those *wanted*, in their order, *gap* apart, none beyond *high*."""
    order = sorted(range(len(wanted)), key=lambda at: wanted[at])
    placed = [wanted[at] for at in order]
    for one, other in pairwise(range(len(placed))):
        placed[other] = max(placed[other], placed[one] + gap)
    beyond = high
    for at in reversed(range(len(placed))):
        placed[at] = min(placed[at], beyond)
        beyond = placed[at] - gap
    return [placed[order.index(at)] for at in range(len(wanted))]
