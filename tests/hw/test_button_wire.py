"""A button's wire: a spark into it spares the pin, and a press is still a press. By ngspice."""

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from hw import erc, stimuli
from hw.drawings import BUILDS, read
from hw.hands import BUTTON
from hw.spice import Build, simulate
from hw.trials import PIN_LOW_V, Curves, on_button, pin_edges, settled, transient
from kloplei.config.settings import TimingConfig
from kloplei.devices.inputs import Contact, Turn

PAGE = Path(__file__).parents[2] / "hw/piezo.md"
HUMAN_BODY_A = 1.33  # 2 kV through 1500 ohm, for 150 ns: what chips are made to be handled with
BARE = Build({"R9": 0.01}, left_out=frozenset({"C7", "D4"}))
GUARDED = Build(left_out=frozenset({"D4"}), inductive=True)
WITH_TVS = Build(inductive=True)
RP1_HIGH_V = 2.0  # of a Pi 5; other boards read high from 1.6 V on


def _sparked(build: Build) -> float:
    """Return the largest current into the pin, of a touch with 8 kV of either sign."""
    found = 0.0
    for volts in (stimuli.SPARK_V, -stimuli.SPARK_V):
        circuit = on_button(build, stimuli.gun("hand", volts))
        curves = simulate(circuit, "tran 0.5n 1.6u 0 0.5n", ["i(vpin)"])
        found = max(found, *map(abs, curves["i(vpin)"]))
    return found


def _told(row: str) -> float:
    """Return the amperes that the page tells in *row*."""
    found = re.search(rf"\| {re.escape(row)} \| ([\d.]+) A \|", PAGE.read_text("utf-8"))
    assert found, row
    return float(found[1])


def test_a_touch_with_8_kv_spares_the_pin() -> None:
    """Bare it is some twenty times what a chip is made for; with R9 and C7 less than half of it."""
    bare, guarded, with_tvs = (_sparked(one) for one in (BARE, GUARDED, WITH_TVS))

    assert bare > 15 * HUMAN_BODY_A
    assert guarded < HUMAN_BODY_A / 2
    assert with_tvs < 0.6 * guarded
    rows = ("spark of 8 kV at a button: into the pin, with nothing before it",
            "the same with R9 and C7", "the same with D4 as well")  # fmt: skip
    assert [_told(row) for row in rows] == [
        pytest.approx(one, rel=0.05) for one in (bare, guarded, with_tvs)
    ]


def test_on_the_pins_side_the_capacitor_would_help_little() -> None:
    """The reason for its place, and what the page says of the other one."""
    circuit = on_button(
        Build({"R9": 1e3}, left_out=frozenset({"C7", "D4"})),
        f"{stimuli.gun('hand')}lother gpio other 8n\nrother gpio other 100\ncother other 0 100n\n",
    )
    curves = simulate(circuit, "tran 0.5n 1.6u 0 0.5n", ["i(vpin)", "v(hand)", "v(gpio)"])

    across = [one - other for one, other in zip(curves["v(hand)"], curves["v(gpio)"], strict=True)]
    assert max(curves["i(vpin)"]) > 3 * HUMAN_BODY_A
    assert max(across) > 5e3


def _corners() -> Iterator[tuple[Build, float]]:
    """Yield the slowest and the quickest wires, with the supply that makes them so."""
    for sign in (-1, 1):
        values = {
            one.ref: one.value * (1 + sign * one.tolerance)
            for one in BUTTON.parts
            if one.ref in {"C7", "R9", "R10"}
        }
        yield Build(values, left_out=frozenset({"D4"})), 3.3 * (1 - 0.05 * sign)


def _pressed(build: Build, rail_v: float, closed: list[tuple[float, float]]) -> Curves:
    circuit = on_button(build, stimuli.contact("hand", closed), rail_v)
    return transient(circuit, closed[-1][1] + 0.02, 5e-5, ["v(gpio)"])


def _turns(curves: Curves, high_v: float) -> list[Turn]:
    """Return what the software makes of the pin, asked whenever it asks to be."""
    contact, found = Contact(TimingConfig().settle_s), []
    edges = pin_edges(curves, "v(gpio)", high_v)
    for edge, following in pairwise([*edges, None]):
        assert edge is not None
        ask_s = contact.edge(edge.active, edge.at_s, edge.at_s)
        if following is None or following.at_s > ask_s:
            found.append(contact.turn(ask_s))
    return [one for one in found if one is not None]


@pytest.mark.parametrize("high_v", [1.6, RP1_HIGH_V])
def test_a_quick_press_that_bounces_is_one_press_as_long_as_it_was(high_v: float) -> None:
    """30 ms, with contacts that bounce for 2 ms at either end."""
    bounces = [(0.010, 0.0102), (0.0107, 0.0109), (0.012, 0.040), (0.0406, 0.0409), (0.0415, 0.042)]

    for build, rail_v in _corners():
        down, up = _turns(_pressed(build, rail_v, bounces), high_v)

        assert (down.closed, up.closed) == (True, False)
        assert down.at_s == pytest.approx(0.010, abs=0.0005)
        assert 0.0015 < up.at_s - 0.042 < 0.009


def test_a_press_shorter_than_a_contact_settles_is_felt_as_well() -> None:
    """The capacitor makes 11 ms some 15."""
    (build, rail_v), _ = _corners()

    assert len(_turns(_pressed(build, rail_v, [(0.01, 0.021)]), 1.6)) == 2


def test_the_pin_lets_go_well_within_what_the_software_waits() -> None:
    for build, rail_v in _corners():
        edges = pin_edges(_pressed(build, rail_v, [(0.01, 0.04)]), "v(gpio)", RP1_HIGH_V)

        assert [edge.active for edge in edges] == [True, False]
        assert edges[1].at_s - 0.04 < 0.75 * TimingConfig().settle_s


@pytest.mark.parametrize(
    ("pull_up_ohm", "ohm", "reads_low"),
    [(57e3, 1e3, True), (1.8e3, 1e3, False), (1.8e3, 220.0, True)],
)
def test_held_it_reads_low_but_on_gpio_3_only_through_less(
    pull_up_ohm: float, ohm: float, reads_low: bool
) -> None:
    """GPIO 2 and 3 have 1.8 kohm to 3V3 on the board (docs/config.md, off.pin)."""
    build = Build({"R9": ohm, "R10": pull_up_ohm}, closed=frozenset({"S1"}))
    curves = transient(on_button(build), 1e-3, 1e-5, ["v(gpio)"])

    assert (settled(curves, "v(gpio)") < 0.75 * PIN_LOW_V) is reads_low


@pytest.mark.parametrize("build", BUILDS)
def test_no_wiring_has_a_wire_from_a_hand_to_a_pin_without_the_two_parts(build: str) -> None:
    drawing = read(build)
    buttons = [part for part in drawing.parts.values() if "button" in str(part["type"])]

    assert list(erc.check_wiring(drawing)) == []
    assert bool(buttons) == (build != "pads")
    for button in buttons:
        bare = {**button, "additional_components": []}
        told = [str(one) for one in erc.check_wiring(
            type(drawing)(build, {"S": bare}, {}, (), ()))]  # fmt: skip
        assert told == ["[hand] S has no capacitor 100 nF", "[hand] S has no resistor 1 kohm"]
