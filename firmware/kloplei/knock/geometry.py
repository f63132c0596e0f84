"""Where people sit and discs hang at a table, as somebody may say it once.

Places are in metres. Seen from above with the slate's foot at the middle of the near long side,
x runs to the right from 0 to the length, y towards the slate from 0 to the width.
"""

from collections.abc import Sequence
from math import cos, hypot, pi, sin
from typing import Literal, NamedTuple

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


Cause = Literal[
    "wood-size", "wood-spots", "wood-beside", "wood-few", "wood-discs", "wood-seats", "wood-corners"
]
"""What is wrong with a geometry, by the ``cause.<cause>`` of the catalogues."""


class NotAGeometry(KlopleiError, ValueError):
    """A size or a place that no table has; the message says what is wrong with it.

    *cause* and *facts* say the same for whoever says it in another language.
    """

    def __init__(self, message: str, cause: Cause, **facts: object) -> None:
        super().__init__(message)
        self.cause = cause
        self.facts = facts


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

        Raises:
            NotAGeometry: There are no so many corners.
        """
        if not 1 <= count <= _CORNERS:
            raise NotAGeometry(
                f"A table has 4 corners, not {count}: say where each disc is",
                "wood-corners",
                count=count,
            )
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


PLANKS_ACROSS = 1.6
"""Planks: a wave runs a metre across the grain while it runs so many along it."""


@dataclass(frozen=True, slots=True)
class TableGeometry:
    """Where each of two or more *seats* knocks, and where each of the *discs* is, by channel.

    A metre towards the slate takes a wave as long as *across* metres beside it.
    """

    seats: tuple[Spot, ...]
    discs: tuple[Spot, ...]
    across: float = 1.0

    def distance_m(self, one: Spot, other: Spot) -> float:
        """Return how far apart two places are for a wave, in metres along the table."""
        return hypot(one.x - other.x, self.across * (one.y - other.y))


AT_SEATS, IN_CORNERS = "seats", "corners"
TOPS = ("plate", "planks")
PLATE, PLANKS = TOPS
Discs = str | tuple[Spot, ...]


@dataclass(frozen=True, slots=True)
class ToldWood:
    """What people say of their table top: its *size*, of *planks* or one plate, and who is where.

    Planks lie along its length. *seats* are the places of all seats, or how many sit evenly around
    it, from the first seat on; 0 as many as the table has. *discs* are places by channel,
    `IN_CORNERS` or `AT_SEATS`; empty where each is before its own seat, and one without a seat in
    a corner.
    """

    size: TableSize
    planks: bool = False
    seats: int | tuple[Spot, ...] = 0
    discs: Discs = ()

    def geometry(self, seats: int, owners: Sequence[int | None]) -> TableGeometry:
        """Return where all are, with so many *seats*, and discs by channel with their *owners*.

        Raises:
            NotAGeometry: They cannot be there, or there are more of them than places.
        """
        places = self._places(seats)
        discs = self._discs(len(places), seats, owners)
        return table_geometry(self.size, places, discs, PLANKS_ACROSS if self.planks else 1.0)

    def _places(self, seats: int) -> tuple[Spot, ...]:
        if isinstance(self.seats, int):
            if self.seats > seats:
                raise NotAGeometry(
                    f"{self.seats} sit there, and the table has {seats} seats",
                    "wood-seats",
                    places=self.seats,
                    seats=seats,
                )
            return self.size.seats(self.seats or seats)
        if len(self.seats) != seats:
            raise NotAGeometry(
                f"seats has {len(self.seats)} places, and the table {seats} seats",
                "wood-seats",
                places=len(self.seats),
                seats=seats,
            )
        return self.seats

    def _discs(self, around: int, seats: int, owners: Sequence[int | None]) -> tuple[Spot, ...]:
        if self.discs == IN_CORNERS:
            return self.size.corners(len(owners))
        if self.discs == AT_SEATS:
            discs = self.size.seats(around, PAD_M)
        elif isinstance(self.discs, str) or not self.discs:
            has_place = all(one is None or one < around for one in owners)
            return self._usual(around if has_place else seats, owners)
        else:
            discs = self.discs
        if len(discs) != len(owners):
            raise NotAGeometry(
                f"discs has {len(discs)} places for {len(owners)} piezos: name one for each",
                "wood-discs",
                places=len(discs),
                discs=len(owners),
            )
        return discs

    def _usual(self, seats: int, owners: Sequence[int | None]) -> tuple[Spot, ...]:
        """Return where discs mostly are: at the edge before their seat, or in the corners."""
        at_seats, in_corners = self.size.seats(seats, PAD_M), sum(one is None for one in owners)
        corners = iter(self.size.corners(in_corners) if in_corners else ())
        return tuple(next(corners) if one is None else at_seats[one] for one in owners)


def read_size(text: str) -> TableSize:
    """Return the size in *text*: ``1.4x0.8``, or ``1.1`` for a round table; in metres.

    As people write it in their own country: ``1,4 × 0,8`` is the same.

    Raises:
        NotAGeometry: There is none in it.
    """
    sides = _metres(text.translate(_AS_WRITTEN))
    if not 1 <= len(sides) <= 2 or not all(SMALLEST_M <= side <= LARGEST_M for side in sides):
        raise NotAGeometry(
            f'"{text}" is no size of a table: write length and width in metres, 1.4x0.8, or the '
            f"diameter of a round one, 1.1; from {SMALLEST_M:g} to {LARGEST_M:g}",
            "wood-size",
            text=text,
            smallest=SMALLEST_M,
            largest=LARGEST_M,
        )
    return TableSize(sides[0], sides[-1], is_round=len(sides) == 1)


_AS_WRITTEN = str.maketrans(",X×", ".xx")


def read_spots(text: str) -> tuple[Spot, ...]:
    """Return the spots in *text*: ``0.07x0.73, 1.33x0.07``, in metres.

    Raises:
        NotAGeometry: One of them is none.
    """
    spots = [_metres(one) for one in text.split(",")]
    if any(len(one) != 2 for one in spots):
        raise NotAGeometry(
            f'"{text}" names no spots: write from the left and towards the slate in metres, '
            "0.07x0.73, with commas between them",
            "wood-spots",
            text=text,
        )
    return tuple(Spot(x, y) for x, y in spots)


def _metres(text: str) -> tuple[float, ...]:
    try:
        found = tuple(float(side) for side in text.split("x"))
    except ValueError:
        return ()
    return found if all(0 <= one <= LARGEST_M for one in found) else ()


def told_size(size: TableSize) -> str:
    """Return *size* as `read_size` reads it."""
    return f"{size.length_m:g}" if size.is_round else f"{size.length_m:g}x{size.width_m:g}"


def told_spot(spot: Spot) -> str:
    """Return *spot* as `read_spots` reads it."""
    return f"{round(spot.x, 3):g}x{round(spot.y, 3):g}"


def table_geometry(
    size: TableSize, seats: Sequence[Spot], discs: Sequence[Spot], across: float = 1.0
) -> TableGeometry:
    """Return where *seats* and *discs* are on a table of that *size*.

    Raises:
        NotAGeometry: One of them is beside it, or there are too few to tell anything.
    """
    for spot in (*seats, *discs):
        if not size.holds(spot):
            raise NotAGeometry(
                f"{spot.x:g}x{spot.y:g} is beside the table", "wood-beside", spot=told_spot(spot)
            )
    if len(seats) < 2 or len(discs) < 2:
        raise NotAGeometry(
            "Seats are told apart by two discs or more, and there must be two", "wood-few"
        )
    return TableGeometry(tuple(seats), tuple(discs), across)
