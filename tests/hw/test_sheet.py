"""The drawing is the netlist: what touches is connected, and nothing hangs in the air."""

from dataclasses import replace

import pytest

from hw.front_end import ADC, SHEETS
from hw.sheet import Kind, Label, Part, Sheet

R1 = Part("R1", Kind.RESISTOR, ((0, 0), (0, -4)), 1e3)
R2 = Part("R2", Kind.RESISTOR, ((3, 0), (3, -4)), 1e3)


def _sheet(*wires: tuple[tuple[float, float], ...], labels: tuple[Label, ...] = ()) -> Sheet:
    ground = Label("GND", (0, -4), is_port=True)
    return Sheet("two resistors", (R1, R2), (((0, -4), (3, -4)), *wires), (ground, *labels))


@pytest.mark.parametrize("name", SHEETS)
def test_the_circuits_are_sound(name: str) -> None:
    assert list(SHEETS[name].faults()) == []


def test_a_wire_joins_what_ends_on_it() -> None:
    sheet = _sheet(((0, 0), (3, 0)), labels=(Label("OUT", (1, 0), is_port=True),))

    assert sheet.nets_of(R1) == sheet.nets_of(R2) == ("OUT", "GND")
    assert list(sheet.faults()) == []


def test_wires_that_merely_cross_do_not_touch() -> None:
    sheet = _sheet(((0, 0), (2, 0)), ((1, 2), (1, -2)))

    assert sheet.nets[(1, 2)] == sheet.nets[(1, -2)] != sheet.nets[(0, 0)]


def test_equal_names_are_one_net_without_a_wire() -> None:
    sheet = _sheet(labels=(Label("A", (0, 0)), Label("A", (3, 0))))

    assert sheet.nets_of(R1) == sheet.nets_of(R2)
    assert list(sheet.faults()) == []


def test_a_leg_in_the_air_is_told() -> None:
    assert "a leg of R2 hangs in the air at n2" in list(_sheet(((0, 0), (1, 0))).faults())


def test_a_wire_that_ends_nowhere_is_told() -> None:
    assert "a wire ends in the air at (5, 0)" in list(_sheet(((0, 0), (5, 0))).faults())


def test_two_names_on_one_net_are_told() -> None:
    sheet = _sheet(((0, 0), (3, 0)), labels=(Label("A", (0, 0)), Label("B", (3, 0))))

    assert "A and B are one net" in list(sheet.faults())


def test_a_part_with_both_ends_on_one_net_is_told() -> None:
    sheet = _sheet(((0, 0), (3, 0)), ((3, 0), (3, -4)))

    assert "both ends of R1 are on GND" in list(sheet.faults())


def test_a_part_that_stands_twice_is_told() -> None:
    sheet = replace(ADC, parts=(*ADC.parts, ADC.part("C4")))

    assert "C4 stands there 2 times" in list(sheet.faults())


@pytest.mark.parametrize("name", SHEETS)
def test_each_part_says_what_to_buy_and_why(name: str) -> None:
    for part in SHEETS[name].parts:
        assert part.name, part.ref
        assert part.why, part.ref
