"""Tricks of this deal: a box each, dark where a side still lacks one of those it needs."""

from PIL import ImageDraw

_GAP_PX = 1


def tricks_width(count: int, box_px: int) -> int:
    """Return how many pixels *count* tricks take, each *box_px* wide."""
    return max(count * (box_px + _GAP_PX) - _GAP_PX, 0)


def draw_tricks(
    draw: ImageDraw.ImageDraw, width: int, height: int, taken: int, needed: int | None
) -> None:
    """Draw *taken* tricks; with *needed* as many boxes as win the deal, or more if it goes on.

    The box is *width* x *height* pixels; a trick is as wide as the box is high.
    """
    boxes = taken if needed is None else max(needed, taken)
    for number in range(boxes):
        left = number * (height + _GAP_PX)
        if left + height > width:
            return
        draw.rectangle(
            (left, 0, left + height - 1, height - 1), outline=1, fill=int(number < taken)
        )
