"""Where people sit and discs hang at a table, as somebody may say it once.

Places are in metres. Seen from above with the slate's foot at the middle of the near long side,
x runs to the right from 0 to the length, y towards the slate from 0 to the width.
"""

from collections.abc import Sequence
from math import cos, hypot, pi, sin
from typing import NamedTuple

from kloplei.files import KlopleiError
from kloplei.frozen import dataclass

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


class NotAGeometry(KlopleiError, ValueError):
    """A size or a place that no table has; the message says what is wrong with it."""


SMALLEST_M, LARGEST_M = 0.3, 5.0


@dataclass(frozen=True, slots=True)
class TableSize:
    """How large a table top is, in metres; of a round one both are its diameter."""

    length_m: float
    width_m: float
    is_round: bool = False

    def holds(self, spot: Spot) -> bool:
        """Whether *spot* is on the table."""
        if self.is_round:
            radius_m = self.length_m / 2
            return spot.distance_m(Spot(radius_m, radius_m)) <= radius_m
        return 0 <= spot.x <= self.length_m and 0 <= spot.y <= self.width_m

    def seats(self, count: int, inset_m: float = HAND_M) -> tuple[Spot, ...]:
        """Return where *count* people knock, clockwise from the slate and evenly."""
        if self.is_round:
            return self._round(count, inset_m)
        return seat_places(self.length_m, self.width_m, count, inset_m)

    def corners(self, count: int) -> tuple[Spot, ...]:
        """Return where *count* discs hang in the corners, clockwise from the slate, 1 to 4.

        Two lie across from each other. A round table's lie where corners would be.
        """
        if not 1 <= count <= _CORNERS:
            raise NotAGeometry(f"A table has 4 corners, not {count}: say where each disc is")
        if self.is_round:
            four = self._round(_CORNERS, PAD_M)
        else:
            right, near = self.length_m - PAD_M, self.width_m - PAD_M
            four = (Spot(PAD_M, near), Spot(PAD_M, PAD_M), Spot(right, PAD_M), Spot(right, near))
        return four[::2] if count == 2 else four[:count]

    def _round(self, count: int, inset_m: float) -> tuple[Spot, ...]:
        middle_m = self.length_m / 2
        turns = [2 * pi * (at + 0.5) / count for at in range(count)]
        middle, off_m = Spot(middle_m, middle_m), middle_m - inset_m
        return tuple(middle.moved(-off_m * sin(turn), off_m * cos(turn)) for turn in turns)


_CORNERS = 4


@dataclass(frozen=True, slots=True)
class TableGeometry:
    """Where each of two or more *seats* knocks, and where each of the *discs* is, by channel."""

    seats: tuple[Spot, ...]
    discs: tuple[Spot, ...]


def read_size(text: str) -> TableSize:
    """Return the size in *text*: ``1.4x0.8``, or ``1.1`` for a round table; in metres.

    Raises:
        NotAGeometry: There is none in it.
    """
    sides = _metres(text)
    if not 1 <= len(sides) <= 2 or not all(SMALLEST_M <= side <= LARGEST_M for side in sides):
        raise NotAGeometry(
            f'"{text}" is no size of a table: write length and width in metres, 1.4x0.8, or the '
            f"diameter of a round one, 1.1; from {SMALLEST_M:g} to {LARGEST_M:g}"
        )
    return TableSize(sides[0], sides[-1], is_round=len(sides) == 1)


def read_spots(text: str) -> tuple[Spot, ...]:
    """Return the spots in *text*: ``0.07x0.73, 1.33x0.07``, in metres.

    Raises:
        NotAGeometry: One of them is none.
    """
    spots = [_metres(one) for one in text.split(",")]
    if any(len(one) != 2 for one in spots):
        raise NotAGeometry(
            f'"{text}" names no spots: write from the left and towards the slate in metres, '
            "0.07x0.73, with commas between them"
        )
    return tuple(Spot(x, y) for x, y in spots)


def _metres(text: str) -> tuple[float, ...]:
    try:
        found = tuple(float(side) for side in text.split("x"))
    except ValueError:
        return ()
    return found if all(0 <= one <= LARGEST_M for one in found) else ()


def table_geometry(size: TableSize, seats: Sequence[Spot], discs: Sequence[Spot]) -> TableGeometry:
    """Return where *seats* and *discs* are on a table of that *size*.

    Raises:
        NotAGeometry: One of them is beside it, or there are too few to tell anything.
    """
    for spot in (*seats, *discs):
        if not size.holds(spot):
            raise NotAGeometry(f"{spot.x:g}x{spot.y:g} is beside the table")
    if len(seats) < 2 or len(discs) < 2:
        raise NotAGeometry("Seats are told apart by two discs or more, and there must be two")
    return TableGeometry(tuple(seats), tuple(discs))
