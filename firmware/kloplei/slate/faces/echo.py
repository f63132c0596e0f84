"""What is being heard, at once: a dot a knock, a ring if it is in doubt, a bar for a hold."""

from PIL import Image, ImageDraw

from kloplei.rules.scoreboard import Heard
from kloplei.slate.sheet import SHEET_WIDTH, Box, place, wipe

_DOT_PX = 5
_GAP_PX = 3
_HOLD_PX = 25
_MOST = 6  # no gesture has more knocks
_ROW_PX = 11
_STIR = Box(SHEET_WIDTH - _DOT_PX - 2, 0, _DOT_PX + 2, _DOT_PX + 2)


def echo_width(heard: Heard) -> int:
    """Return how wide the box for *heard* has to be."""
    if heard.holding:
        return _HOLD_PX + 2 * _GAP_PX
    return min(max(heard.knocks, 1), _MOST) * (_DOT_PX + _GAP_PX) + _GAP_PX + 2


def draw_echo(draw: ImageDraw.ImageDraw, width: int, height: int, heard: Heard) -> None:
    """Draw *heard* dark on light: tok, tok-tok, or a hand that stays down."""
    draw.rectangle((1, 0, width - 1, height - 1), fill=1)
    draw.line((0, 0, 0, height - 1), fill=0)  # keeps it apart from the strokes beside it
    top = (height - _DOT_PX) // 2
    if heard.holding:
        draw.rectangle((_GAP_PX, top, width - 1 - _GAP_PX, top + _DOT_PX - 1), fill=0)
        return
    for knock in range(min(heard.knocks, _MOST)):
        left = 2 + _GAP_PX + knock * (_DOT_PX + _GAP_PX)
        _draw_dot(draw, left, top, ink=0, hollow=heard.doubtful)


def echo_in_row(sheet: Image.Image, row: Box, heard: Heard) -> None:
    """Draw *heard* at the end of a *row* of the slate, over what stands there."""
    width, height = echo_width(heard), min(row.height, _ROW_PX)
    box = Box(row.x + row.width - width, row.y + (row.height - height) // 2, width, height)
    wipe(sheet, box)
    place(sheet, box, draw_echo, heard)


def draw_stir(sheet: Image.Image) -> None:
    """Draw a small ring in the corner: the wood moved, and nobody knows yet what it was."""
    wipe(sheet, _STIR)
    place(sheet, _STIR, _draw_ring)


def _draw_ring(draw: ImageDraw.ImageDraw, width: int, height: int) -> None:
    _draw_dot(draw, (width - _DOT_PX) // 2, (height - _DOT_PX) // 2, ink=1, hollow=True)


def _draw_dot(draw: ImageDraw.ImageDraw, left: int, top: int, *, ink: int, hollow: bool) -> None:
    # Drawn by hand: Pillow's circles of this size are lopsided.
    right, foot = left + _DOT_PX - 1, top + _DOT_PX - 1
    draw.rectangle((left + 1, top, right - 1, foot), fill=ink)
    draw.rectangle((left, top + 1, right, foot - 1), fill=ink)
    if hollow:
        draw.rectangle((left + 1, top + 1, right - 1, foot - 1), fill=1 - ink)
