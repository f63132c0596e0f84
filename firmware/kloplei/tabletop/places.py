"""Where people sit and where the discs are glued, in metres on the table top.

Seen from above with the slate's foot at the middle of the near long side: x runs to the
right from 0 to the length, y towards the slate from 0 to the width.
"""

from math import hypot
from typing import NamedTuple

HAND_M = 0.13  # a hand knocks this far in from the edge
PAD_M = 0.07  # a disc is glued this far in from the edge
ELBOW_ROOM_M = 0.2  # nobody sits nearer to a corner


class Spot(NamedTuple):
    """A point of the table top, in metres."""

    x: float
    y: float

    def moved(self, by_x: float, by_y: float) -> "Spot":
        """Return the point so many metres off."""
        return Spot(self.x + by_x, self.y + by_y)

    def distance_m(self, other: "Spot") -> float:
        """Return how far *other* is away."""
        return hypot(self.x - other.x, self.y - other.y)


def seat_places(
    length_m: float, width_m: float, count: int, inset_m: float = HAND_M
) -> tuple[Spot, ...]:
    """Return where *count* people knock, clockwise from the slate and evenly along the edge."""
    step = 2 * (length_m + width_m) / count
    edges = (_along_the_edge(length_m, width_m, (seat + 0.5) * step) for seat in range(count))
    return tuple(
        Spot(
            min(max(spot.x, inset_m), length_m - inset_m),
            min(max(spot.y, inset_m), width_m - inset_m),
        )
        for spot in edges
    )


def pad_places(length_m: float, width_m: float, count: int) -> tuple[Spot, ...]:
    """Return where the disc of each of *count* seats sits: before its player, near the edge."""
    return seat_places(length_m, width_m, count, PAD_M)


def corner_places(length_m: float, width_m: float, count: int = 4) -> tuple[Spot, ...]:
    """Return the first *count* of the four corners, a little in; the second lies across."""
    near, far = PAD_M, (length_m - PAD_M, width_m - PAD_M)
    corners = (Spot(near, near), Spot(*far), Spot(far[0], near), Spot(near, far[1]))
    return corners[:count]


def _along_the_edge(length_m: float, width_m: float, walked_m: float) -> Spot:
    """Return the point of the edge after *walked_m* clockwise from the slate, off any corner."""
    walked_m -= length_m / 2
    if walked_m < 0:
        return Spot(_off_corner(-walked_m, length_m), width_m)
    if walked_m < width_m:
        return Spot(0.0, _off_corner(width_m - walked_m, width_m))
    walked_m -= width_m
    if walked_m < length_m:
        return Spot(_off_corner(walked_m, length_m), 0.0)
    walked_m -= length_m
    if walked_m < width_m:
        return Spot(length_m, _off_corner(walked_m, width_m))
    return Spot(_off_corner(length_m - (walked_m - width_m), length_m), width_m)


def _off_corner(at_m: float, side_m: float) -> float:
    room = min(ELBOW_ROOM_M, side_m / 3)
    return min(max(at_m, room), side_m - room)
