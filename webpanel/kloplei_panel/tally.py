"""Chalk strokes in fives, as lines for an SVG: four upright, the fifth across them."""

from collections.abc import Iterator

GROUP = 5
HEIGHT = 24
GROUP_WIDTH = 30
_STEP = 6
# A hand is never quite straight; the same stroke always leans the same way, so that nothing
# jumps when the slate is drawn again.
_LEAN = (0.6, -0.9, 0.2, 1.1, -0.4, 0.8, -0.6)

Line = tuple[float, float, float, float]
"""x1, y1, x2, y2 in a box of GROUP_WIDTH x HEIGHT."""


def groups(tally: int) -> Iterator[tuple[Line, ...]]:
    """Yield the strokes of each five, the last one perhaps begun only."""
    for begin in range(0, tally, GROUP):
        yield tuple(_stroke(begin, number) for number in range(min(GROUP, tally - begin)))


def _stroke(begin: int, number: int) -> Line:
    lean = _LEAN[(begin + number) % len(_LEAN)]
    if number == GROUP - 1:
        return (1.5, 17 + lean, GROUP_WIDTH - 2.0, 6 - lean)
    x = 5 + number * _STEP
    return (x + lean, 2 + abs(lean), x - lean, HEIGHT - 2 - abs(lean) / 2)
