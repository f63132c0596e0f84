"""What is wrong with the box, and what to do."""

from PIL import Image, ImageDraw

from kloplei.slate.faces import icons
from kloplei.slate.faces.question import draw_paragraph
from kloplei.slate.sheet import SHEET_HEIGHT, SHEET_WIDTH, Box, place

_SIGN_PX = 20


def draw_notice(sheet: Image.Image, sentence: str) -> None:
    """Draw *sentence* beside a warning sign."""
    place(sheet, Box(0, 0, _SIGN_PX, SHEET_HEIGHT), _draw_sign)
    box = Box(_SIGN_PX, 0, SHEET_WIDTH - _SIGN_PX, SHEET_HEIGHT)
    place(sheet, box, draw_paragraph, sentence)


def _draw_sign(draw: ImageDraw.ImageDraw, width: int, height: int) -> None:
    wide, tall = icons.size_of(icons.TROUBLE)
    icons.draw_icon(draw, (width - wide) // 2 - 1, (height - tall) // 2, icons.TROUBLE)
