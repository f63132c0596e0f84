"""A piece of strip board: parts in holes, links above, cuts below, and what copper makes of it.

Strips run from left to right and are lettered from A downwards; holes are numbered from 1 on the
left, seen from the component side. ``D5`` is the fifth hole of the fourth strip.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

from hw.footprints import PITCH, WIRE, Box, Footprint, Hole

SCREW_HEAD = 5.0  # mm across: pan head, M2.5
DRILLED = 2.7  # mm: the holes of those screws
LINK = 0.8  # mm: tinned wire


class Leg(NamedTuple):
    """Where one leg of a part goes in, and the net that the circuit wants it on."""

    hole: Hole
    net: str


@dataclass(frozen=True, slots=True)
class Put:
    """One part on the board, its legs in the order of the circuit or of the chip's pins.

    *group* is the channel or pad that it belongs to, None where it serves all; *foot* is the leg
    that an upright body stands on.
    """

    ref: str
    legs: tuple[Leg, ...]
    footprint: Footprint
    group: int | None = None
    foot: int = 0

    @property
    def name(self) -> str:
        """What tells it from the same part of another channel."""
        return self.ref if self.group is None else f"{self.ref} of {self.group}"

    @property
    def holes(self) -> tuple[Hole, ...]:
        """The holes of its legs."""
        return tuple(leg.hole for leg in self.legs)

    def body(self) -> tuple[Box, ...]:
        """What it takes up above the board."""
        return self.footprint.boxes(self.holes, self.foot)


@dataclass(frozen=True, slots=True)
class Link:
    """A wire on the component side from hole to hole, straight up or down."""

    begin: Hole
    end: Hole

    @property
    def name(self) -> str:
        """Its two holes, as people say them."""
        return f"link {self.begin}-{self.end}"

    def body(self) -> tuple[Box, ...]:
        """The wire, with what bends at its ends."""
        return (Box.around((self.begin, self.end)).grown(LINK / 2),)


@dataclass(frozen=True)
class Board:
    """One board: *strips* of *length* holes; *each* is the word before the number of a group.

    Its screws are drilled where a hole was, and cut the strip there.
    """

    name: str
    title: str
    each: str
    strips: int
    length: int
    parts: tuple[Put, ...]
    links: tuple[Link, ...]
    cuts: frozenset[Hole]
    screws: tuple[Hole, ...]

    @property
    def size(self) -> tuple[float, float]:
        """In mm, along the strips and across."""
        return (self.length * PITCH, self.strips * PITCH)

    @property
    def height(self) -> float:
        """In mm, from the board up to the top of its tallest part."""
        return max(put.footprint.height for put in self.parts)

    @cached_property
    def copper(self) -> Mapping[Hole, int]:
        """The number of the piece of copper that each hole is on, joined by links; none if cut."""
        pieces = dict(self._pieces())
        for link in self.links:
            if link.begin in pieces and link.end in pieces:
                kept, gone = pieces[link.begin], pieces[link.end]
                pieces = {hole: kept if at == gone else at for hole, at in pieces.items()}
        return pieces

    def _pieces(self) -> Iterator[tuple[Hole, int]]:
        number = 0
        for strip in range(self.strips):
            number += 1
            for at in range(self.length):
                hole = Hole(strip, at)
                if hole in self.cuts or hole in self.screws:
                    number += 1
                else:
                    yield hole, number

    def faults(self) -> Iterator[str]:
        """Yield what is wrong with the board, in words; nothing if all is well."""
        yield from self.hole_faults()
        yield from self.wiring_faults()
        yield from self.room_faults()

    def hole_faults(self) -> Iterator[str]:
        """Yield legs that have no hole to themselves, or do not reach theirs."""
        taken: dict[Hole, str] = {}
        for name, hole in self._ends():
            if not (0 <= hole.strip < self.strips and 0 <= hole.at < self.length):
                yield f"{name}: {hole} is not on the board"
            elif hole in self.cuts or hole in self.screws:
                yield f"{name}: there is no copper at {hole}"
            elif hole in taken:
                yield f"{name} and {taken[hole]} are both in {hole}"
            taken[hole] = name
        for put in self.parts:
            if not put.footprint.fits(put.holes):
                yield f"{put.name}: {put.footprint.name} does not reach {_spoken(put.holes)}"
        for link in self.links:
            if link.begin.at != link.end.at:
                yield f"{link.name} runs aslant"

    def wiring_faults(self) -> Iterator[str]:
        """Yield where copper and circuit differ: what touches, and what is in pieces."""
        by_copper: dict[int | None, dict[str, Hole]] = {}
        by_net: dict[str, dict[int | None, Hole]] = {}
        for put in self.parts:
            for hole, net in put.legs:
                piece = self.copper.get(hole)
                by_copper.setdefault(piece, {}).setdefault(net, hole)
                by_net.setdefault(net, {}).setdefault(piece, hole)
        for nets in by_copper.values():
            if len(nets) > 1:
                where = ", ".join(f"{net} at {hole}" for net, hole in sorted(nets.items()))
                yield f"these touch: {where}"
        for net, pieces in sorted(by_net.items()):
            if len(pieces) > 1:
                yield f"{net} is in {len(pieces)} pieces: {_spoken(pieces.values())}"

    def room_faults(self) -> Iterator[str]:
        """Yield bodies that overlap, stand over the edge, or lie under the head of a screw."""
        bodies = [(put.name, put.body()) for put in self.parts]
        bodies += [(link.name, link.body()) for link in self.links]
        for (name, boxes), (other, others) in combinations(bodies, 2):
            if any(one.overlaps(two) for one in boxes for two in others):
                yield f"{name} and {other} are in each other's way"
        for name, boxes in bodies:
            for hole in self.screws:
                if any(box.distance(hole) < SCREW_HEAD / 2 for box in boxes):
                    yield f"{name} is in the way of the screw in {hole}"
        width, height = self.size
        edge = Box(-PITCH / 2, -PITCH / 2, width - PITCH / 2, height - PITCH / 2)
        for name, boxes in bodies:
            if not all(box.within(edge) for box in boxes):
                yield f"{name} stands over the edge"

    def _ends(self) -> Iterator[tuple[str, Hole]]:
        yield from ((put.name, hole) for put in self.parts for hole in put.holes)
        yield from ((link.name, hole) for link in self.links for hole in (link.begin, link.end))

    def wires(self) -> tuple[Put, ...]:
        """Return what leads off the board."""
        return tuple(put for put in self.parts if put.footprint is WIRE)


def _spoken(holes: Iterable[Hole]) -> str:
    return ", ".join(map(str, sorted(holes)))
