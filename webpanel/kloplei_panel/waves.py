"""The outline of a blow as the points of a small drawing; soft ones are drawn larger than life."""

import math
from collections.abc import Iterator, Sequence

from kloplei.table.client import Shape

WIDTH, HEIGHT = 96, 40
"""The drawing's own units."""

_FULL_SCALE = 1000
_MIDDLE = HEIGHT / 2


def outline(shape: Shape) -> str:
    """Return the points of a polygon around *shape*: its peaks there, its troughs back."""
    peaks = _points(shape.highs)
    troughs = _points(shape.lows)
    return " ".join((*peaks, *reversed([*troughs])))


def onset_x(shape: Shape) -> float:
    """Return where on the drawing the blow began."""
    part = shape.onset_s / shape.span_s if shape.span_s > 0 else 0.0
    return round(WIDTH * max(0.0, min(1.0, part)), 1)


def _points(samples: Sequence[int]) -> Iterator[str]:
    step = WIDTH / max(1, len(samples) - 1)
    for at, sample in enumerate(samples):
        yield f"{at * step:.1f},{_MIDDLE - _drawn(sample):.1f}"


def _drawn(sample: int) -> float:
    """Return how far from the middle *sample* is drawn: by its root, as ears would have it.

    So a knock that is a tenth as loud is still a third as high.
    """
    return (_MIDDLE - 1) * math.copysign(math.sqrt(min(1.0, abs(sample) / _FULL_SCALE)), sample)
