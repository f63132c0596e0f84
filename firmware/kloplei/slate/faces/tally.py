"""Chalk strokes in fives, as on every slate behind a bar."""

from dataclasses import dataclass

from PIL import ImageDraw

from kloplei.rules.scoreboard import Row

_FIVE = 5


@dataclass(frozen=True, slots=True)
class _Hand:
    """How somebody writes: width of a stroke, gap between two of them, gap after a five."""

    stroke_px: int
    gap_px: int
    after_px: int

    @property
    def five_px(self) -> int:
        """Width of four strokes and the one across, which sticks out at both ends."""
        return 4 * self.stroke_px + 3 * self.gap_px + 2

    def width(self, strokes: int) -> int:
        """Return the width that *strokes* take, with all the fives begun."""
        fives = -(-strokes // _FIVE)
        return max(fives * (self.five_px + self.after_px) - self.after_px, 0)


# From large to small. Two dark pixels between light ones keep them apart across a table.
_HANDS = (_Hand(2, 2, 3), _Hand(1, 2, 3), _Hand(1, 2, 2), _Hand(1, 1, 2))


def tally_width(limit: int, most: int) -> int:
    """Return the width for up to *limit* strokes, no more than *most* pixels if it can be."""
    return _hand(limit, most).width(limit)


def draw_tally(draw: ImageDraw.ImageDraw, width: int, height: int, row: Row) -> None:
    """Draw *row* as chalk strokes, every fifth one across the four before it.

    The box is *width* x *height* pixels from (0, 0), as luma's ``hotspot`` hands it out.
    Strokes that do not fit are left off: the number beside them is exact.
    """
    hand = _hand(row.limit or row.tally, width)
    for number in range(row.tally):
        five, at = divmod(number, _FIVE)
        left = five * (hand.five_px + hand.after_px)
        across = at == _FIVE - 1
        x = left + 1 + at * (hand.stroke_px + hand.gap_px)
        if (left + hand.five_px if across else x + hand.stroke_px) > width:
            return
        if across:
            _draw_across(draw, left, height, hand)
        else:
            _draw_stroke(draw, x, at, height, hand)


def _hand(limit: int, width: int) -> _Hand:
    """Return the largest hand in which the whole *limit* fits, or the smallest."""
    return next((hand for hand in _HANDS if hand.width(limit) <= width), _HANDS[-1])


def _draw_stroke(draw: ImageDraw.ImageDraw, x: int, at: int, height: int, hand: _Hand) -> None:
    # No two strokes of a hand are of one length; where there is room for it, ours are not either.
    uneven = (0, 1, 0, 1)[at] if height > 8 else 0
    shorter = (1, 0, 0, 1)[at] if height > 10 else 0
    draw.rectangle((x, uneven, x + hand.stroke_px - 1, height - 1 - shorter), fill=1)


def _draw_across(draw: ImageDraw.ImageDraw, left: int, height: int, hand: _Hand) -> None:
    foot, head = height - 1 - height // 5, height // 5
    draw.line((left, foot, left + hand.five_px - 1, head), fill=1, width=hand.stroke_px)
