"""A drawn circuit: parts and wires on a grid. What touches is connected, as on paper.

The nets are read off the drawing. So the picture and the netlist that is simulated are one
thing, and neither can say what the other does not.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import pairwise

Point = tuple[float, float]
GROUND = "GND"


class Kind(StrEnum):
    """What a part is."""

    RESISTOR = "resistor"
    CAPACITOR = "capacitor"
    TRIMMER = "trimmer"  # two legs: end and wiper
    JUMPER = "jumper"
    BUTTON = "push button"
    DISC = "piezo disc"
    SUPPRESSOR = "suppressor"  # for both directions
    SCHOTTKY = "Schottky diode"  # anode, cathode
    ZENER = "Zener diode"  # the same
    COMPARATOR = "comparator"  # plus, minus, open drain
    OPAMP = "operational amplifier"  # plus, minus, out; on 3V3A


@dataclass(frozen=True, slots=True)
class Part:
    """One part; its legs end *at* these points, in the order that its kind says.

    *value* is in ohm or farad, for a suppressor or a Zener diode in volt, and 0 where there is
    none; *tolerance* is a part of it.
    """

    ref: str
    kind: Kind
    at: tuple[Point, ...]
    value: float = 0.0
    tolerance: float = 0.0
    name: str = ""  # what to ask for in a shop
    why: str = ""

    @property
    def is_in_puck(self) -> bool:
        """Whether it sits under the table and not in the box."""
        return self.ref in PUCK


PUCK = frozenset({"BZ1", "R1"})


@dataclass(frozen=True, slots=True)
class Label:
    """A name for the net *at* this point; equal names are one net."""

    name: str
    at: Point
    is_port: bool = False  # something outside is connected there


@dataclass(frozen=True)
class Sheet:
    """One circuit; *frame* says where the parts left of its plug are.

    A wire is a line from point to point. It joins what ends on it or what it ends on; where
    two wires merely cross they do not touch.
    """

    title: str
    parts: tuple[Part, ...]
    wires: tuple[tuple[Point, ...], ...]
    labels: tuple[Label, ...]
    frame: str = "puck under the table"

    def part(self, ref: str) -> Part:
        """Return the part *ref*."""
        return next(part for part in self.parts if part.ref == ref)

    def nets_of(self, part: Part) -> tuple[str, ...]:
        """Return the nets at the legs of *part*."""
        return tuple(self.nets[at] for at in part.at)

    @cached_property
    def nets(self) -> Mapping[Point, str]:
        """The net of each point that something ends at."""
        groups = _joined(self._ends, self._segments)
        by_name: dict[str, set[Point]] = {}
        for number, group in enumerate(groups):
            names = sorted({label.name for label in self.labels if label.at in group})
            by_name.setdefault(names[0] if names else f"n{number}", set()).update(group)
        return {at: name for name, group in by_name.items() for at in group}

    def faults(self) -> Iterator[str]:
        """Yield what is wrong with the drawing, in words; nothing if all is well."""
        refs = Counter(part.ref for part in self.parts)
        yield from (f"{ref} stands there {count} times" for ref, count in refs.items() if count > 1)
        legs = Counter(self.nets[at] for part in self.parts for at in part.at)
        ports = {label.name for label in self.labels if label.is_port}
        for part in self.parts:
            if len(set(self.nets_of(part))) == 1:
                yield f"both ends of {part.ref} are on {self.nets_of(part)[0]}"
            for name in self.nets_of(part):
                if legs[name] < 2 and name not in ports:
                    yield f"a leg of {part.ref} hangs in the air at {name}"
        yield from self._label_faults(legs)
        yield from (f"a wire ends in the air at {at}" for at in self._loose_ends())
        if GROUND not in self.nets.values():
            yield "nothing is on ground"

    def _label_faults(self, legs: Mapping[str, int]) -> Iterator[str]:
        for group in _joined(self._ends, self._segments):
            names = sorted({label.name for label in self.labels if label.at in group})
            if len(names) > 1:
                yield f"{' and '.join(names)} are one net"
            if names and not legs[names[0]]:
                yield f"nothing is on {names[0]}"

    def _loose_ends(self) -> Iterator[Point]:
        legs = {at for part in self.parts for at in part.at} | {one.at for one in self.labels}
        for at in {end for wire in self.wires for end in (wire[0], wire[-1])} - legs:
            if sum(_is_on(at, segment) for segment in self._segments) < 2:
                yield at

    @cached_property
    def junctions(self) -> tuple[Point, ...]:
        """Where three or more lines meet: a dot is drawn there."""
        legs = Counter(at for part in self.parts for at in part.at)
        return tuple(at for at in sorted(self._ends) if legs[at] + self._lines_at(at) > 2)

    def _lines_at(self, at: Point) -> int:
        on = [segment for segment in self._segments if _is_on(at, segment)]
        return sum(1 if at in segment else 2 for segment in on)

    @cached_property
    def _segments(self) -> tuple[tuple[Point, Point], ...]:
        return tuple((begin, end) for wire in self.wires for begin, end in pairwise(wire))

    @cached_property
    def _ends(self) -> frozenset[Point]:
        legs = (at for part in self.parts for at in part.at)
        corners = (at for wire in self.wires for at in wire)
        return frozenset((*legs, *corners, *(label.at for label in self.labels)))


def _joined(ends: frozenset[Point], segments: tuple[tuple[Point, Point], ...]) -> list[set[Point]]:
    """Return *ends* in groups of those that *segments* join, in the order of the drawing."""
    groups = [{at} for at in sorted(ends)]
    for segment in segments:
        touched = [group for group in groups if any(_is_on(at, segment) for at in group)]
        groups = [group for group in groups if group not in touched]
        groups.append(set().union(*touched))
    return sorted(groups, key=min)


def _is_on(at: Point, segment: tuple[Point, Point]) -> bool:
    (x, y), ((x1, y1), (x2, y2)) = at, segment
    across = (x - x1) * (y2 - y1) - (y - y1) * (x2 - x1)
    within = min(x1, x2) <= x <= max(x1, x2) and min(y1, y2) <= y <= max(y1, y2)
    return within and abs(across) < 1e-9
