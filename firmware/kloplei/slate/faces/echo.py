"""What is being heard, at once: a dot a knock, a bar for a hold."""

from PIL import ImageDraw

from kloplei.rules.scoreboard import Heard

_DOT_PX = 5
_GAP_PX = 3
_HOLD_PX = 25
_MOST = 6  # no gesture has more knocks


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
        # Drawn by hand: Pillow's circles of this size are lopsided.
        draw.rectangle((left + 1, top, left + _DOT_PX - 2, top + _DOT_PX - 1), fill=0)
        draw.rectangle((left, top + 1, left + _DOT_PX - 1, top + _DOT_PX - 2), fill=0)
