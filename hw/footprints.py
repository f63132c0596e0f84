"""How parts stand on strip board: which holes their legs reach, and the room they take, in mm.

Sizes are the largest that are commonly sold under that name, so that what fits here fits there.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise
from math import hypot
from typing import NamedTuple, Self

from hw.sheet import Kind

PITCH = 2.54  # mm from hole to hole, and from strip to strip
TOUCH = 0.01  # mm by which bodies may overlap through rounding


class Hole(NamedTuple):
    """One hole: *strip* from above and *at* from the left, both from 0."""

    strip: int
    at: int

    @classmethod
    def named(cls, name: str) -> Self:
        """Return the hole that people call *name*, such as ``D5``."""
        return cls(ord(name[0]) - ord("A"), int(name[1:]) - 1)

    def __str__(self) -> str:
        return f"{chr(ord('A') + self.strip)}{self.at + 1}"

    def below(self, strips: int) -> "Hole":
        """Return the hole so many *strips* further down."""
        return Hole(self.strip + strips, self.at)

    @property
    def mm(self) -> tuple[float, float]:
        """Its middle: to the right and down from that of A1."""
        return (self.at * PITCH, self.strip * PITCH)


class Box(NamedTuple):
    """A rectangle on the board, in mm from the middle of A1: to the right, and down."""

    left: float
    top: float
    right: float
    bottom: float

    @classmethod
    def around(cls, holes: Iterable[Hole]) -> Self:
        """Return the smallest one that has the middles of *holes* in it."""
        xs, ys = zip(*(hole.mm for hole in holes), strict=True)
        return cls(min(xs), min(ys), max(xs), max(ys))

    def grown(self, x: float, y: float | None = None) -> "Box":
        """Return it with *x* more to the left and right, and *y* (or *x*) above and below."""
        down = x if y is None else y
        return Box(self.left - x, self.top - down, self.right + x, self.bottom + down)

    def overlaps(self, other: "Box") -> bool:
        """Whether both want the same room."""
        return (
            self.left < other.right - TOUCH
            and other.left < self.right - TOUCH
            and self.top < other.bottom - TOUCH
            and other.top < self.bottom - TOUCH
        )

    def distance(self, hole: Hole) -> float:
        """Return how far it is from the middle of *hole*; 0 if that is inside."""
        x, y = hole.mm
        across = max(self.left - x, 0.0, x - self.right)
        return hypot(across, max(self.top - y, 0.0, y - self.bottom))

    def within(self, other: "Box") -> bool:
        """Whether all of it is in *other*."""
        return (
            self.left >= other.left - TOUCH
            and self.right <= other.right + TOUCH
            and self.top >= other.top - TOUCH
            and self.bottom <= other.bottom + TOUCH
        )


class Stand(Enum):
    """How legs and body go together."""

    OVER = "between its legs"
    UPRIGHT = "on one leg, the other bent down"
    CHIP = "in a socket over two rows of legs"
    LOOSE = "a hole for each wire"


@dataclass(frozen=True, slots=True)
class Footprint:
    """One way for a part to stand.

    Args:
        name: What to ask for.
        kinds: Of the circuit's parts that come like this; empty for chips and what leads away.
        stand: How legs and body go together.
        pitches: In holes, that two or three legs in a row can be apart from first to last.
        length: Of the body in mm, in the direction of its legs.
        width: Of the body in mm, across.
        height: Above the board in mm.
        shift: Of the body in mm to the left, where its legs are not in the middle.
    """

    name: str
    kinds: frozenset[Kind]
    stand: Stand
    pitches: tuple[int, ...]
    length: float
    width: float
    height: float
    shift: float = 0.0

    @property
    def has_ring(self) -> bool:
        """Whether a ring marks its second leg, the cathode; a suppressor has no such side."""
        return Kind.SCHOTTKY in self.kinds

    def fits(self, holes: Sequence[Hole]) -> bool:
        """Whether its legs reach *holes* without force."""
        if self.stand is Stand.LOOSE:
            return True
        if self.stand is Stand.CHIP:
            return list(holes) == _dip(holes[0], len(holes))
        strips = [hole.strip for hole in holes]
        in_line = len({hole.at for hole in holes}) == 1
        steps = {b - a for a, b in pairwise(strips)}
        return in_line and len(steps) == 1 and abs(strips[-1] - strips[0]) in self.pitches

    def boxes(self, holes: Sequence[Hole], foot: int) -> tuple[Box, ...]:
        """Return the room that it takes with its legs in *holes*, upright on that of *foot*."""
        if self.stand is Stand.LOOSE:
            return tuple(Box.around((hole,)).grown(self.width / 2) for hole in holes)
        span = Box.around(holes)
        wire = span.grown(_LEG / 2)
        if self.stand is Stand.UPRIGHT:
            return (Box.around((holes[foot],)).grown(self.width / 2), wire)
        x, y = (span.left + span.right) / 2 - self.shift, (span.top + span.bottom) / 2
        return (Box(x, y, x, y).grown(self.width / 2, self.length / 2), wire)


def _dip(first: Hole, count: int) -> list[Hole]:
    """Return the holes of a chip with *count* legs, leg 1 above on the left."""
    left = [first.below(at) for at in range(count // 2)]
    return left + [Hole(hole.strip, hole.at + 3) for hole in reversed(left)]


def _two(name: str, kind: Kind, stand: Stand, pitches: tuple[int, ...],
         length: float, width: float, height: float) -> Footprint:  # fmt: skip
    return Footprint(name, frozenset({kind}), stand, pitches, length, width, height)


_LEG = 0.8
RESISTOR = _two("resistor 1/4 W, upright", Kind.RESISTOR, Stand.UPRIGHT, (1, 2, 3), 2.5, 2.5, 10)
SUPPRESSOR = _two("DO-15, upright", Kind.SUPPRESSOR, Stand.UPRIGHT, (2, 3), 3.6, 3.6, 11)
DIODE_UPRIGHT = _two("DO-35, upright", Kind.SCHOTTKY, Stand.UPRIGHT, (1, 2), 2.0, 2.0, 7)
DIODE_LYING = _two("DO-35, lying", Kind.SCHOTTKY, Stand.OVER, (3, 4), 4.3, 2.0, 3)
FILM_THIN = _two("film, 5 mm, up to 2.5 thick", Kind.CAPACITOR, Stand.OVER, (2,), 7.5, 2.5, 7)
FILM_THICK = _two("film, 5 mm, up to 4 thick", Kind.CAPACITOR, Stand.OVER, (2,), 7.5, 4.0, 9)
CERAMIC = _two("ceramic, 2.5 mm", Kind.CAPACITOR, Stand.OVER, (1,), 4.2, 2.5, 5)
CERAMIC_WIDE = _two("ceramic, 5 mm", Kind.CAPACITOR, Stand.OVER, (2,), 7.0, 3.2, 7)
ELECTROLYTIC = _two("electrolytic, 5 mm across", Kind.CAPACITOR, Stand.OVER, (1,), 5.0, 5.0, 11.5)
JUMPER = _two("pin header, 2 pins", Kind.JUMPER, Stand.OVER, (1,), 5.08, 2.54, 9)
TRIMMER = _two("3296W, screw on top", Kind.TRIMMER, Stand.OVER, (2,), 9.6, 4.9, 10.2)
CLAMP = Footprint("screw clamp, 5.08 mm, 2 poles", frozenset(), Stand.OVER, (2,),
                  10.16, 8.1, 10.5, 0.45)  # fmt: skip
CHIP_8 = Footprint("DIP-8 in a socket", frozenset(), Stand.CHIP, (), 10.16, 10.16, 9)
CHIP_16 = Footprint("DIP-16 in a socket", frozenset(), Stand.CHIP, (), 20.32, 10.16, 9)
WIRE = Footprint("wire", frozenset(), Stand.LOOSE, (), 1.3, 1.3, 5)
