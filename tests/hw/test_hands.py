"""What hands reach: a spark or a blow spares the pin, and a press is still a press. By ngspice."""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise, product
from math import log10
from pathlib import Path

import pytest

from hw import erc, stimuli
from hw.drawings import BUILDS, read
from hw.hands import BUTTON, BUZZER
from hw.spice import NOMINAL, Build, simulate
from hw.trials import PIN_LOW_V, Curves, on_button, on_buzzer, pin_edges, settled, transient
from kloplei.config.settings import TimingConfig
from kloplei.devices.inputs import Debouncer, Transition

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


def _told(row: str, unit: str = "A") -> float:
    """Return the current that the page tells in *row*."""
    found = re.search(rf"\| {re.escape(row)} \| ([\d.]+) {unit} \|", PAGE.read_text("utf-8"))
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


def _turns(curves: Curves, high_v: float) -> list[Transition]:
    """Return what the software makes of the pin, asked whenever it asks to be."""
    debouncer, found = Debouncer(TimingConfig().settle_s), []
    edges = pin_edges(curves, "v(gpio)", high_v)
    for edge, following in pairwise([*edges, None]):
        assert edge is not None
        ask_s = debouncer.edge(edge.active, edge.at_s, edge.at_s)
        if following is None or following.at_s > ask_s:
            found.append(debouncer.transition(ask_s))
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


HIGHEST_NOTE_HZ = 3520.0  # two octaves above A5: kloplei.devices.signals.Buzzer
INJECTED_A = 5e-3  # into the diodes of a pin, for as long as a blow rings


def _struck(build: Build) -> float:
    """Return the largest current into the pin, of a bare disc that is hit either way."""
    found = 0.0
    for hertz, sign in product((400.0, 4000.0), (1, -1)):
        blow = stimuli.blow(sign * stimuli.HARD_V, hertz)
        curves = transient(on_buzzer(build, blow), 3e-3, 4e-6, ["i(vpin)"])
        found = max(found, *map(abs, curves["i(vpin)"]))
    return found


def test_a_bare_disc_as_a_buzzer_spares_its_pin_when_it_is_hit() -> None:
    before = Build({"R12": 100.0}, left_out=frozenset({"D5"}))
    largest = Build({one.ref: one.value * (1 + one.tolerance * (1 if one.ref != "R12" else -1))
                     for one in BUZZER.parts})  # fmt: skip

    bare, guarded = _struck(before), _struck(NOMINAL)

    assert bare > 5 * INJECTED_A
    assert _struck(largest) < INJECTED_A / 2
    row = "bare disc as a buzzer, hit hard (60 V unloaded, 4 kHz): into the pin, with 100 ohm alone"
    assert _told(row, "mA") == pytest.approx(1000 * bare, rel=0.05)
    assert _told("the same with R12 and D5", "mA") == pytest.approx(1000 * guarded, rel=0.05)


def test_a_bare_disc_is_hardly_softer_for_it() -> None:
    """The page says 1 dB."""
    circuit = on_buzzer(NOMINAL, also="vdrive drive 0 dc 1.65 ac 1\nrdrive drive gpio 40\n")
    curves = simulate(circuit, f"ac lin 1 {HIGHEST_NOTE_HZ} {HIGHEST_NOTE_HZ}", ["vm(buzzer)"])

    assert -20 * log10(curves["vm(buzzer)"][0]) == pytest.approx(1.0, abs=0.3)


@pytest.mark.parametrize("build", BUILDS)
def test_no_wiring_has_a_wire_from_a_hand_to_a_pin_without_the_two_parts(build: str) -> None:
    drawing = read(build)
    touched = {name: part for name, part in drawing.parts.items()
               if re.search("button|buzzer", str(part["type"]))}  # fmt: skip

    assert list(erc.check_wiring(drawing)) == []
    assert bool(touched) == (build != "pads")
    for name, part in touched.items():
        bare = replace(drawing, parts={name: {**part, "additional_components": []}})
        other = "Zener diode 5.1 V" if name == "BUZZER" else "capacitor 100 nF"
        assert [str(one) for one in erc.check_wiring(bare)] == [
            f"[hand] {name} has no {other}",
            f"[hand] {name} has no resistor 1 kohm",
        ]
