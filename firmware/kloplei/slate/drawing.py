"""What faces draw with: letters of chalk, sheets and boxes to draw on, and parts that move.

All sizes are pixels, `y` running down, and a pixel is 0 or 1, or an ink where the glass has greys.
Text is written where its capitals begin and cut or wrapped to fit (`write`, `cut`, `wrap`); kana
and kanji come out of fonts of their own, which are read when somebody needs one. `place` hands out
a part of a sheet as a box of its own; `Motion` tells a face where its moving parts stand, and with
that when the picture has to be drawn again.
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import groupby, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, NamedTuple, ParamSpec
from unicodedata import normalize

from PIL import Image, ImageChops, ImageDraw, ImageFont
from PIL.PpmImagePlugin import PpmImageFile

from kloplei.config.settings import GREY_GLASSES, SMALL_GLASS, Glass
from kloplei.frozen import dataclass
from kloplei.words import LANGUAGES, Words
from kloplei.words.letters import CODE_PAGE, is_japanese, legible, place_of

if TYPE_CHECKING:
    from kloplei.games.scoreboard import Line

_FONTS = Path(__file__).parent / "fonts"
_ELLIPSIS = "…"
_OPEN, _CLOSE = "「『（【〔", "、。・：；？！）」』】〕｡､｣･"
_NEVER_FIRST = f"{_CLOSE}々ーぁぃぅぇぉっゃゅょァィゥェォッャュョ,.:;?!)ｰｧｨｩｪｫｬｭｮｯﾞﾟ"  # on a line
_PIECE = re.compile(
    rf"[{_OPEN}]*(?:[^\u3000-\uffff]+(?:[ァ-ヺーｦ-ﾟ]+|[一-鿿々〆〇]+)?|[ァ-ヺーｦ-ﾟ]+|[一-鿿々〆〇]+|.)"
    rf"[ぁ-ゖ]*[{_CLOSE}]*"
)
"""In Japanese: kanji or katakana with a number before them, and kana and stops after them."""
_LETTER = re.compile(rf"[{_OPEN}]*(?:[^\u3000-\uffff]+|.)[{_NEVER_FIRST}]*")
_MEASURED = 1024  # texts whose size is remembered: one slate measures some sixty, mostly the same


def with_letters(words: Words) -> Words:
    """Return *words* if our fonts have the letters of their language, else the English ones."""
    name = LANGUAGES[words.language]
    return words if legible(name) == name else Words("en")


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


@dataclass(frozen=True, slots=True)
class _Kana:
    """The kana and kanji that stand among letters of a `Font`.

    A glyph is a square of *size_px*, or half of one, and *times* as large on the slate. It begins
    *above_px* higher than capitals do.
    """

    name: str
    size_px: int
    above_px: int
    times: int = 1

    @property
    def tall_px(self) -> int:
        return self.size_px * self.times


_KANA = {
    SMALL: _Kana("mplus10r", 10, 2),
    BOLD: _Kana("mplus10b", 10, 2),
    MEDIUM: _Kana("mplus12r", 12, 2),
    MEDIUM_BOLD: _Kana("mplus12b", 12, 2),
    LARGE: _Kana("mplus12b", 12, 2),
    LARGER: _Kana("shinonome16b", 16, 3),
    HUGE: _Kana("mplus10b", 10, 3, 2),
    SHOUT: _Kana("mplus12b", 12, 3, 2),
}
_HALF_WIDE = ("\uff61", "\uff9f")
_STOPS = "、。"  # nothing but blank on their right: half of it is left off
_RUNS_APART_PX = 1  # letters and kana
_MOST_GLYPHS = 512  # in memory at once; one slate has some thirty


def width_of(text: str, font: Font) -> int:
    """Return how many pixels *text* takes, without the blank after its last letter."""
    return ink_of(text, font)[1]


@lru_cache(_MEASURED)
def ink_of(text: str, font: Font) -> tuple[int, int]:
    """Return where the chalk of *text* begins and ends, in pixels from where it is written."""
    found = [
        (x + box[0], x + box[2])
        for x, part in _parts(text, font)
        if (box := _mask(part, font).getbbox()) is not None
    ]
    return (int(found[0][0]), int(found[-1][1])) if found else (0, 0)


def cut(text: str, font: Font, width: int, *, ending: str = _ELLIPSIS) -> str:
    """Return *text*, or as much of it as fits into *width* with *ending*.

    Katakana stand half as wide rather than that any of it is left off.
    """
    if width_of(text, font) <= width:
        return text
    if width_of(narrow := narrowed(text), font) <= width:
        return narrow
    for length in range(len(text) - 1, 0, -1):
        shorter = text[:length].rstrip(" -") + ending
        if width_of(shorter, font) <= width:
            return shorter
    return ""


def shortened(
    names: Sequence[str], told: Callable[[list[str]], str], fits: Callable[[str], bool]
) -> str:
    """Return what is *told* of *names*, all of them cut as little as it takes until it *fits*.

    What a sentence says comes at its end, and is worth more there than how a long name ends.
    """
    for length in range(max(map(len, names), default=0), 1, -1):
        said = told([one if len(one) <= length else _abbreviated(one, length) for one in names])
        if fits(said):
            return said
    return told([one[:1] for one in names])


def cut_names(names: str, font: Font, width: int) -> str:
    """Return *names*, which commas part, each of them cut where together they are too wide."""

    def fits(said: str) -> bool:
        return width_of(said, font) <= width

    return cut(shortened(names.split(", "), ", ".join, fits), font, width)


def _abbreviated(name: str, length: int) -> str:
    return name[: length - 1].rstrip(" -") + "."


def narrowed(text: str) -> str:
    """Return *text* with katakana and stops half as wide, where there are any."""
    return "".join(map(_half_wide, text)) if is_japanese(text) else text


def wrap(text: str, font: Font, width: int, lines: int) -> list[str]:
    """Return *text* in at most *lines* lines of *width* pixels; the last one may be cut.

    A word too long for a line is broken where the line ends.
    """
    pieces = _pieces(text)
    found = _all_lines(pieces, font, width, lines)
    if len(found) > lines and is_japanese(text):
        narrow = narrowed(text)
        tighter = (_pieces(narrow), _pieces(narrow, _LETTER))
        found = min((_all_lines(one, font, width, lines) for one in tighter), key=len)
    if len(found) <= lines:
        return found
    found = _all_lines(pieces, font, width, lines - 1)
    return [*found[: lines - 1], cut(found[-1], font, width)]


def fits_in(text: str, font: Font, width: int, lines: int) -> bool:
    """Return whether `wrap` leaves nothing of *text* out; its lines may be narrowed for that."""
    found = wrap(text, font, width, lines)
    return not found or not found[-1].endswith(_ELLIPSIS) or text.endswith(_ELLIPSIS)


def breaks_words(text: str, font: Font, width: int) -> bool:
    """Return whether some word of *text* is too long for a line of *width* pixels."""
    return any(width_of(one.strip(), font) > width for one in _pieces(text))


def leading(px: int, *lines: str, font: Font = SMALL) -> int:
    """Return how far apart *lines* stand: *px*, or more where kana of *font* are higher."""
    return max(px, _KANA[font].tall_px) if any(map(is_japanese, lines)) else px


def write(
    draw: ImageDraw.ImageDraw, x: int, y: int, text: str, font: Font = SMALL, ink: int = 1
) -> None:
    """Write *text* from *x* on; *y* is where its capitals begin.

    Kana, which are higher, stay inside what is drawn on.
    """
    for left, part in _parts(text, font):
        if isinstance(part, str):
            at = (x + left, y - font.blank)
            draw.text(at, _bytes(part), font=_image_font(font), fill=ink)
        else:
            lowest = draw.im.size[1] - part.height
            top = max(min(y - _KANA[font].above_px, lowest), 0)
            draw.bitmap((x + left, top), part, fill=ink)


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


def draw_centred(
    draw: ImageDraw.ImageDraw, width: int, height: int, text: str, fonts: tuple[Font, ...]
) -> None:
    """Write *text* in the middle of its box, in the largest of *fonts* in which it fits."""
    font = largest_fitting(text, width, fonts)
    write_centred(draw, width / 2, (height - font.capital) // 2, cut(text, font, width), font)


def _all_lines(pieces: list[str], font: Font, width: int, lines: int) -> list[str]:
    """Return *pieces* in *lines* lines, and what is left of them in one more."""
    found: list[str] = []
    rest = pieces
    while rest and len(found) < lines:
        line, rest = _first_line(rest, font, width)
        found.append(line)
    return [*found, "".join(rest).strip()] if rest else found


def _pieces(text: str, of_japanese: re.Pattern[str] = _PIECE) -> list[str]:
    """Return *text* in pieces after which a line may end; blanks stand before a piece.

    Japanese has no blanks: a line ends behind kana that follow a kanji or katakana, or a stop,
    or where *of_japanese* has it.
    """
    found: list[str] = []
    for word in text.split():
        first, *others = of_japanese.findall(word) if is_japanese(word) else [word]
        found += [f" {first}", *others]
    return found


def _first_line(pieces: list[str], font: Font, width: int) -> tuple[str, list[str]]:
    """Return what of *pieces* goes on one line, and the rest of them."""
    line = ""
    for number, piece in enumerate(pieces):
        longer = f"{line}{piece}".lstrip()
        if width_of(longer, font) > width:
            if line:
                return line, pieces[number:]
            return _broken(longer, pieces[1:], font, width)
        line = longer
    return line, []


def _broken(word: str, others: list[str], font: Font, width: int) -> tuple[str, list[str]]:
    length = len(word) - 1
    while length > 1 and (width_of(word[:length], font) > width or word[length] in _NEVER_FIRST):
        length -= 1
    return word[:length], [word[length:], *others]


_Part = str | Image.Image


def _parts(text: str, font: Font) -> Iterator[tuple[int, _Part]]:
    """Yield what *text* is written with, letters of the code page together, and where."""
    if not is_japanese(text):
        yield 0, text
        return
    x, kana = -_RUNS_APART_PX, _KANA.get(font)
    for kanji, run in groupby(text, is_japanese):
        x += _RUNS_APART_PX
        if not kanji:
            yield x, (said := "".join(run))
            x += int(_image_font(font).getmask(said.encode(CODE_PAGE, "ignore")).size[0])
            continue
        for letter in run:
            number = place_of(letter)
            if kana is not None and number is not None:
                yield x, _glyph(kana, number)
                x += _advance(letter) * kana.tall_px // 2


def _advance(letter: str) -> int:
    """Return how many halves of a square *letter* takes."""
    return 1 if letter in _STOPS or _HALF_WIDE[0] <= letter <= _HALF_WIDE[1] else 2


def _mask(part: _Part, font: Font) -> Any:
    return _image_font(font).getmask(_bytes(part)) if isinstance(part, str) else part


@lru_cache(_MOST_GLYPHS)
def _glyph(kana: _Kana, number: int) -> Image.Image:
    row_bytes = -(-kana.size_px // 8)
    length = kana.size_px * row_bytes
    start = number * length
    square = kana.size_px, kana.size_px
    # In this format a bit is ink on paper: what is chalk has none.
    inked = _sheet(kana.name)[start : start + length]
    glyph = Image.frombytes("1", square, inked, "raw", "1;I")
    return doubled(glyph) if kana.times > 1 else glyph


@cache
def _sheet(name: str) -> bytes:
    """Return all glyphs of a Japanese font, packed, without the head of the file."""
    return (_FONTS / f"{name}.pbm").read_bytes().split(b"\n", 2)[2]


@cache
def _halves() -> Mapping[str, str]:
    """Return what katakana, marks and stops are half as wide; ASCII has some of them."""
    narrow = (*map(chr, range(ord(_HALF_WIDE[0]), ord(_HALF_WIDE[1]) + 1)), *"!?:;()")
    wide = ((normalize("NFKC", one), one) for one in narrow)
    return {chr(ord(one) + 0xFEE0) if one.isascii() else one: half for one, half in wide}


def _half_wide(letter: str) -> str:
    apart = [_halves().get(one) for one in normalize("NFD", letter)]
    return "".join(one for one in apart if one) if all(apart) else letter


def _bytes(text: str) -> bytes:
    # Some letters reach beyond their advance, and Pillow cuts that off the last one: "inzel".
    return (text + " ").encode(CODE_PAGE, "ignore")


@cache
def _image_font(font: Font) -> ImageFont.ImageFont:
    """Return *font* for Pillow, whose own ``load`` learns five formats of pictures before."""
    metrics = _FONTS / f"{font.name}.pil"
    loaded = ImageFont.ImageFont()
    with metrics.open("rb") as written, PpmImageFile(metrics.with_suffix(".pbm")) as glyphs:
        loaded._load_pilfont_data(written, glyphs)  # noqa: SLF001
    return loaded


def doubled(image: Image.Image) -> Image.Image:
    """Return *image* twice as large, its corners rounded as their neighbours have it (EPX)."""
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


DARK, LIGHT, PAST = range(3)
"""What faces draw with. What is past is grey where the glass has greys (`has_grey`)."""
_GREY = 96  # of 255: a third as bright, seen beside what is light and for itself
_SHADES = [0, 255, _GREY] + [255] * 253  # a picture of one bit that is pasted is 255 where light

_P = ParamSpec("_P")


class Area(NamedTuple):
    """A part of a sheet, in pixels from its top left."""

    x: int
    y: int
    width: int
    height: int


def stacked(box: Area, count: int) -> list[Area]:
    """Return *box* cut into *count* boxes, one below the other."""
    edges = [box.y + number * box.height // count for number in range(count + 1)]
    return [box._replace(y=top, height=foot - top) for top, foot in pairwise(edges)]


def blank(glass: Glass = SMALL_GLASS) -> Image.Image:
    """Return a dark sheet as large as *glass*: a bit a pixel, or a byte where it has greys.

    A byte holds an ink, and no brightness before the picture is `developed`.
    """
    return Image.new("L" if glass in GREY_GLASSES else "1", glass)


def has_grey(sheet: Image.Image) -> bool:
    """Return whether what is past can be drawn grey on *sheet*."""
    return sheet.mode == "L"


def developed(sheet: Image.Image) -> Image.Image:
    """Return the finished *sheet* as a picture: of a bit a pixel, or of 256 greys."""
    return sheet.point(_SHADES) if has_grey(sheet) else sheet


def inner(sheet: Image.Image) -> tuple[int, int]:
    """Return how wide and high faces may draw: the last pixels are room to move, against burn-in.

    A QR code may fill all of the height, since it is light to its edge.
    """
    return sheet.width - 1, sheet.height - 1


def place(
    sheet: Image.Image,
    box: Area,
    drawing: Callable[Concatenate[ImageDraw.ImageDraw, int, int, _P], None],
    /,
    *args: _P.args,
    **kwargs: _P.kwargs,
) -> None:
    """Let *drawing* chalk in *box*: it gets a pen, width, height and what else it needs.

    As luma's ``hotspot`` does it: a drawing begins at (0, 0) and cannot leave its box. What
    it leaves dark stays as it is, so that boxes may overlap.
    """
    lay(sheet, box, LIGHT, drawing, *args, **kwargs)


def lay(
    sheet: Image.Image,
    box: Area,
    ink: int,
    drawing: Callable[Concatenate[ImageDraw.ImageDraw, int, int, _P], None],
    /,
    *args: _P.args,
    **kwargs: _P.kwargs,
) -> None:
    """Let *drawing* draw in *box* as `place` does, with *ink* in place of chalk."""
    part = Image.new("1", (max(box.width, 1), max(box.height, 1)))
    drawing(ImageDraw.Draw(part), box.width, box.height, *args, **kwargs)
    sheet.paste(ink if has_grey(sheet) else LIGHT, (box.x, box.y), part)


def wipe(sheet: Image.Image, box: Area) -> None:
    """Make all of *box* dark."""
    sheet.paste(0, _area(box))


def invert(sheet: Image.Image, box: Area) -> None:
    """Make light what is dark in *box*, and the other way round."""
    part = sheet.crop(_area(box))
    if has_grey(sheet):
        sheet.paste(part.point([LIGHT] + [DARK] * 255), _area(box))
        return
    light = Image.new("1", part.size, 1)
    # Not ImageChops.invert: a light pixel may be 1 or 255, and it makes 254 out of 1.
    sheet.paste(ImageChops.logical_xor(part, light), _area(box))


def _area(box: Area) -> tuple[int, int, int, int]:
    return (box.x, box.y, box.x + box.width, box.y + box.height)


_HAIR_S = 0.002  # so much later one looks again: by rounding, "now" may be just before


@dataclass(frozen=True, slots=True)
class FrameTime:
    """When a picture is drawn, in monotonic seconds.

    *board_s* is when the scoreboard came, *news_s* when what it tells last had happened, and
    *trouble_s* when the notice *trouble* came up, the newest of them.
    """

    now_s: float = 0.0
    board_s: float = 0.0
    news_s: float = 0.0
    trouble_s: float = 0.0
    trouble: "Line | None" = None


class Motion:
    """The moving parts of one picture.

    Faces take their time from here only, so that ``lasts_s`` is right by itself: how long
    the picture stays as it is, None for ever.
    """

    def __init__(self, moment: FrameTime) -> None:
        self.lasts_s: float | None = None
        self._now_s = moment.now_s
        self._since_board_s = max(moment.now_s - moment.board_s, 0.0)
        self._since_news_s = max(moment.now_s - moment.news_s, 0.0)
        self._since_trouble_s = max(moment.now_s - moment.trouble_s, 0.0)
        self._trouble = moment.trouble

    def turn(self, *lengths_s: float) -> int:
        """Return whose turn it is among parts that follow each other for ever."""
        at_s = self._since_board_s % sum(lengths_s)
        for number, length_s in enumerate(lengths_s):
            if at_s < length_s:
                self._changes_in(length_s - at_s)
                return number
            at_s -= length_s
        return 0  # rounding: a new round has just begun

    def blink(self) -> bool:
        """Return whether something that blinks is on; slower than once a second hurts nobody."""
        return self.turn(0.8, 0.4) == 0

    def left(self, until_s: float, total_s: float, steps: int) -> int:
        """Return how many of *steps* are left of *total_s*, which are over at *until_s*."""
        step_s = total_s / steps
        left_s = until_s - self._now_s
        if left_s <= 0:
            return 0
        begun = math.ceil(left_s / step_s)
        self._changes_in(left_s - (begun - 1) * step_s)
        return min(begun, steps)

    def frame(self, length_s: float, frames: int) -> int | None:
        """Return the frame of a play that ran once when the news came, or None when it is over."""
        number = int(self._since_news_s / length_s)
        if number >= frames:
            return None
        self._changes_in((number + 1) * length_s - self._since_news_s)
        return number

    def new_trouble(self, told_s: float) -> "Line | None":
        """Return the notice that came up last, for *told_s* seconds from then."""
        if self._trouble is None or self._since_trouble_s >= told_s:
            return None
        self._changes_in(told_s - self._since_trouble_s)
        return self._trouble

    def _changes_in(self, seconds: float) -> None:
        seconds += _HAIR_S
        self.lasts_s = seconds if self.lasts_s is None else min(self.lasts_s, seconds)
