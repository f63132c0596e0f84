"""What an eye gets of a slate from where somebody sits, and a reader of signs that knows no slate.

The reader knows digits from five typefaces that no slate has: the two of printed seat cards, those
that ReportLab brings, and Pillow's own. It is told where digits stand, and never which ones.
"""

import math
from functools import cache
from pathlib import Path

import reportlab
from PIL import Image, ImageDraw, ImageFilter, ImageFont
from PIL.Image import Resampling

import kloplei

PITCH_MM = {"0.91": 0.175, "0.96": 0.17, "1.3": 0.23, "2.42": 0.43, "3.12": 0.30}
"""By inches of a glass: from one pixel to the next, its picture by its pixels (docs/show.md)."""
BLUR_MIN = 1.25
"""How wide an eye smears a line at half its height, in minutes of arc.

Westheimer's line spread for a pupil of 3 mm, 0.47 exp(-3.3 x^2) + 0.53 exp(-0.93 |x|), is 1.1 wide.
"""
DIGITS = "0123456789"
_SAMPLE_MIN = 0.25  # finer than cones stand, so that it does not matter where a pixel falls
_STEP_MIN = 0.06
_BLUR_SIGMAS = 2 * math.sqrt(2 * math.log(2))
_LIT = 0.4  # of the brightest: from there on it is chalk
_BOX = (12, 18)
_CHART_PX, _SHEET_PX, _MARGIN_PX = 96, (288, 288), (96, 96)  # dark enough around
_BOLDER_PX = (1, 11)
_VERA = Path(reportlab.__file__).parent / "fonts"
TYPEFACES = {
    "M PLUS": str(Path(kloplei.__file__).parent / "fonts" / "mplus-1-bold.ttf"),
    "M PLUS Regular": str(Path(kloplei.__file__).parent / "fonts" / "mplus-1-regular.ttf"),
    "Vera": str(_VERA / "Vera.ttf"),
    "Vera Bold": str(_VERA / "VeraBd.ttf"),
    "Aileron": None,
}


def minutes(pitch_mm: float, metres: float) -> float:
    """Return how large *pitch_mm* looks from *metres* away, in minutes of arc."""
    return math.degrees(math.atan(pitch_mm / 1000 / metres)) * 60


def seen(image: Image.Image, pixel_min: float) -> Image.Image:
    """Return what an eye gets of *image*, whose pixels are *pixel_min* minutes of arc."""
    times = max(round(pixel_min / _STEP_MIN), 1)
    near = image.convert("L").resize((image.width * times, image.height * times), 0)
    step_min = pixel_min / times
    smeared = near.filter(ImageFilter.GaussianBlur(BLUR_MIN / _BLUR_SIGMAS / step_min))
    wide, tall = (round(side * step_min / _SAMPLE_MIN) for side in near.size)
    return smeared.resize((wide, tall), Resampling.BOX)


def part_of(eyeful: Image.Image, box: tuple[float, float, float, float], pixel_min: float) -> str:
    """Return the digit that is read where *box* (left, top, right, foot in pixels) is *seen*."""
    left, top, right, foot = (round(edge * pixel_min / _SAMPLE_MIN) for edge in box)
    return read(eyeful.crop((left, top, right, foot)))


def read(
    eyeful: Image.Image, typefaces: tuple[str, ...] = tuple(TYPEFACES), signs: str = DIGITS
) -> str:
    """Return which of *signs* who knows *typefaces* reads in *eyeful*, a question mark for none."""
    found = _normal(eyeful)
    if found is None:
        return "?"
    shape, high_min = found
    return max(
        (sum(map(float.__mul__, shape, other)), sign)
        for typeface in typefaces
        for sign, other in _known(round(high_min * 2) / 2, typeface, signs)
    )[1]


def chart(digit: str, typeface: str, high_min: float, bolder_px: int = 1) -> Image.Image:
    """Return *digit* of a chart *high_min* minutes of arc high, as an eye gets it."""
    sheet, high_px = _printed(digit, typeface, bolder_px)
    return seen(sheet, high_min / high_px)


@cache
def _printed(digit: str, typeface: str, bolder_px: int) -> tuple[Image.Image, int]:
    """Return *digit* on a sheet, and how high it is."""
    path = TYPEFACES[typeface]
    font = ImageFont.truetype(path, _CHART_PX) if path else ImageFont.load_default(_CHART_PX)
    sheet = Image.new("L", _SHEET_PX)
    ImageDraw.Draw(sheet).text(_MARGIN_PX, digit, font=font, fill=255)
    _, top, _, foot = sheet.getbbox() or (0, 0, 0, 1)
    return sheet.filter(ImageFilter.MaxFilter(bolder_px)), foot - top


@cache
def _known(high_min: float, typeface: str, signs: str) -> list[tuple[str, list[float]]]:
    charts = (
        (sign, _normal(chart(sign, typeface, high_min, bolder_px)))
        for bolder_px in _BOLDER_PX
        for sign in signs
    )
    return [(sign, found[0]) for sign, found in charts if found is not None]


def _normal(eyeful: Image.Image) -> tuple[list[float], float] | None:
    """Return the shape of what is lit in *eyeful*, of one size and contrast, and how high it is."""
    fine = eyeful.resize((eyeful.width * 4, eyeful.height * 4), Resampling.BICUBIC)
    least = float(fine.getextrema()[1]) * _LIT  # type: ignore[arg-type]
    box = fine.point([255 * (level > least) for level in range(256)]).getbbox()
    if box is None:
        return None
    levels = fine.crop(box).resize(_BOX, Resampling.BICUBIC).tobytes()
    mean = sum(levels) / len(levels)
    spread = math.sqrt(sum((level - mean) ** 2 for level in levels)) or 1.0
    return [(level - mean) / spread for level in levels], (box[3] - box[1]) / 4 * _SAMPLE_MIN
