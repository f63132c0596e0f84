"""The picture of the breadboard, read back hole by hole: it joins what the wiring joins."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import pairwise

import pytest

from hw import breadboard
from hw.drawings import read
from hw.hands import BUTTON

Hole = str
Leg = str


def circles(kind: str) -> Iterator[tuple[str, tuple[float, float]]]:
    """Yield what each circle of *kind* is called in the picture, and where it is."""
    text = breadboard.PICTURE.read_text(encoding="utf-8")
    form = rf'<circle class="{kind}" (?:id|data-of)="([^"]+)" cx="([\d.]+)" cy="([\d.]+)"'
    return ((name, (float(x), float(y))) for name, x, y in re.findall(form, text))


@pytest.fixture(scope="module")
def drawn() -> Mapping[Leg, list[Hole]]:
    """Return the holes that the legs of parts and the wires are drawn in, by their places alone."""
    there = {at: hole for hole, at in circles("hole")}
    found: dict[Leg, list[Hole]] = defaultdict(list)
    for leg, at in circles("leg"):
        found[leg].append(there[at])  # exactly in a hole
    return found


def strip(hole: Hole) -> tuple[bool, str]:
    """Return what joins it inside every breadboard: five holes of a column, up to the trench."""
    return hole[0] in "abcde", hole[1:]


class Nets:
    """What is joined by strips and by what is inside of parts."""

    def __init__(self, drawn: Mapping[Leg, list[Hole]], *inside: tuple[Hole, Hole]) -> None:
        self._of = {strip(hole): strip(hole) for holes in drawn.values() for hole in holes}
        for one, other in inside:
            self.join(one, other)

    def join(self, one: Hole, other: Hole) -> None:
        to, gone = self.of(one), self.of(other)
        self._of = {at: to if net == gone else net for at, net in self._of.items()}

    def of(self, hole: Hole) -> tuple[bool, str]:
        return self._of[strip(hole)]


def nets(drawn: Mapping[Leg, list[Hole]], *, resistors: bool, along: bool = False) -> Nets:
    """Join legs as most switches do, or *along* their other sides, and what resistors join."""
    inside = []
    for number in range(1, 5):
        (a, far_a), (b, far_b) = drawn[f"BUTTON{number} a"], drawn[f"BUTTON{number} b"]
        inside += [(a, b), (far_a, far_b)] if along else [(a, far_a), (b, far_b)]
        if resistors:
            inside.append((drawn[f"R{number} 1"][0], drawn[f"R{number} 2"][0]))
    return Nets(drawn, *inside)


def test_each_leg_is_drawn_in_a_hole_of_its_own(drawn: Mapping[Leg, list[Hole]]) -> None:
    holes = [hole for one in drawn.values() for hole in one]

    assert len(holes) == len(set(holes)) == 4 * (4 + 2 + 2 + 2) + 4 + 4
    assert len(list(circles("hole"))) == breadboard.COLUMNS * 10


def test_what_the_holes_join_is_the_wiring_of_the_easy_build(
    drawn: Mapping[Leg, list[Hole]],
) -> None:
    through = nets(drawn, resistors=True)
    wiring = {int(one.near_pin): f"{one.far} {one.far_pin}" for one in read("easy").wires}
    wires = {int(leg.removeprefix("PI ")): holes for leg, holes in drawn.items() if leg[:2] == "PI"}

    assert wires.keys() == wiring.keys()
    ends = {leg: holes for leg, holes in drawn.items() if leg.startswith(("BUTTON", "OLED"))}
    for pin, (hole,) in wires.items():
        joined = {leg for leg, holes in ends.items() if through.of(holes[0]) == through.of(hole)}
        assert joined == {wiring[pin]}


def test_each_button_has_its_resistor_and_its_capacitor_where_the_circuit_has_them(
    drawn: Mapping[Leg, list[Hole]],
) -> None:
    """piezo.md, a button: 100 nF at the hand's side, 1 kohm before the pin, leg b on ground."""
    apart = nets(drawn, resistors=False)
    pins = {f"{one.far} {one.far_pin}": f"PI {one.near_pin}" for one in read("easy").wires}

    for number in range(1, 5):
        a, b = (apart.of(drawn[f"BUTTON{number} {leg}"][0]) for leg in "ab")
        gpio, ground = (apart.of(drawn[pins[f"BUTTON{number} {leg}"]][0]) for leg in "ab")
        resistor = {apart.of(drawn[f"R{number} {leg}"][0]) for leg in "12"}
        capacitor = {apart.of(drawn[f"C{number} {leg}"][0]) for leg in "12"}
        assert b == ground
        assert resistor == {gpio, a}
        assert capacitor == {a, b}
        assert len({a, b, gpio}) == 3
    values = {BUTTON.part("R9").value: "1k", BUTTON.part("C7").value: "100n"}
    assert values == {1e3: "1k", 100e-9: "100n"}
    assert all(breadboard.draw().count(f">{value}<") == 4 for value in values.values())


def test_a_switch_whose_other_legs_belong_together_is_told_as_held_down(
    drawn: Mapping[Leg, list[Hole]],
) -> None:
    """Its upper and its lower side are joined then, and so are a and b: no press is needed."""
    for number in range(1, 5):
        other = nets(drawn, resistors=True, along=True)
        a, b = (drawn[f"BUTTON{number} {leg}"][0] for leg in "ab")
        assert other.of(a) == other.of(b)


def test_legs_reach_the_holes_they_are_drawn_in(drawn: Mapping[Leg, list[Hole]]) -> None:
    """A switch of 12 x 12 mm has its legs 12.5 and 5 mm apart; resistors lie on 10 mm."""

    def apart(one: Hole, other: Hole) -> float:
        (x1, y1), (x2, y2) = breadboard.place(one), breadboard.place(other)
        return float(((x1 - x2) ** 2 + (y1 - y2) ** 2) ** 0.5)

    for number in range(1, 5):
        (a, far_a), (b, _) = drawn[f"BUTTON{number} a"], drawn[f"BUTTON{number} b"]
        assert apart(a, far_a) == pytest.approx(12.5, abs=0.3)
        assert apart(a, b) == pytest.approx(5, abs=0.3)
        assert 7.5 < apart(drawn[f"R{number} 1"][0], drawn[f"R{number} 2"][0]) < 13
        assert 2 < apart(drawn[f"C{number} 1"][0], drawn[f"C{number} 2"][0]) < 7.7
    columns = [at + 1 for at in breadboard.BUTTONS]
    assert all(
        (right - left) * breadboard.PITCH > breadboard.BODY + 2 for left, right in pairwise(columns)
    )


def test_picture_and_page_are_what_the_sources_make() -> None:
    """Run: make hw."""
    page = breadboard.PAGE.read_text(encoding="utf-8")

    assert breadboard.PICTURE.read_text(encoding="utf-8") == breadboard.draw()
    assert breadboard.rewritten(page) == page
