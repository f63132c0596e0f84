"""The circuits keep every electrical rule, and each rule tells of the circuit that breaks it."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from hw import erc
from hw.erc import RULES, check
from hw.front_end import ADC, PAD, SHEETS
from hw.hands import BUTTON, BUZZER
from hw.sheet import Label, Part, Sheet


@pytest.mark.parametrize("name", SHEETS)
def test_the_circuits_keep_every_rule(name: str) -> None:
    assert check(SHEETS[name]) == []


def _without(sheet: Sheet, *refs: str) -> Sheet:
    return replace(sheet, parts=tuple(one for one in sheet.parts if one.ref not in refs))


def _changed(sheet: Sheet, ref: str, change: Callable[[Part], Part]) -> Sheet:
    parts = tuple(change(one) if one.ref == ref else one for one in sheet.parts)
    return replace(sheet, parts=parts)


def _turned(sheet: Sheet, ref: str) -> Sheet:
    return _changed(sheet, ref, lambda one: replace(one, at=one.at[::-1]))


def _joined(sheet: Sheet, one: str, other: str) -> Sheet:
    """Return *sheet* with two of its points, named as ``ref.leg``, joined by a wire."""
    ends = [sheet.part(ref).at[int(leg)] for ref, leg in (one.split("."), other.split("."))]
    return replace(sheet, wires=(*sheet.wires, tuple(ends)))


def _inner(sheet: Sheet, name: str) -> Sheet:
    labels = tuple(replace(one, is_port=one.is_port and one.name != name) for one in sheet.labels)
    return replace(sheet, labels=labels)


def _jumpered(sheet: Sheet) -> Sheet:
    jumper = replace(sheet.part("JP1"), ref="JP9", at=sheet.part("C5").at)
    return replace(sheet, parts=(*sheet.parts, jumper))


def _lone(sheet: Sheet, name: str) -> Sheet:
    """Return *sheet* with a supply that nobody knows, on a part of its own."""
    at = ((60.0, 3.0), (60.0, -4.0))
    stray = replace(sheet.part("C6"), ref="C99", at=at)
    labels = (*sheet.labels, Label(name, at[0]), Label("GND", at[1]))
    return replace(sheet, parts=(*sheet.parts, stray), labels=labels)


BROKEN = {
    "a leg in the air": (_without(ADC, "R4"), "drawing", None),
    "a part twice": (
        replace(ADC, parts=(*ADC.parts, ADC.part("C4"))), "drawing", "C4 stands there 2 times",
    ),
    "no value": (
        _changed(ADC, "R3", lambda one: replace(one, value=0.0)), "value",
        "R3 has no value, or no tolerance",
    ),
    "no tolerance": (
        _changed(ADC, "D1", lambda one: replace(one, tolerance=0.0)), "value",
        "D1 has no value, or no tolerance",
    ),
    "a supply from nowhere": (_lone(PAD, "3V3B"), "supply-source", "nothing feeds 3V3B"),
    "ground that stays inside": (
        _inner(ADC, "GND"), "supply-source", "GND does not leave the sheet",
    ),
    "no pull-up": (_without(PAD, "R7"), "output", "nothing pulls U1A and U1B up"),
    "an output on the supply": (
        _joined(PAD, "U1A.2", "R7.0"), "output", "U1A and U1B push against 3V3",
    ),
    "an output on ground": (
        _joined(PAD, "U1A.2", "C5.1"), "output", "U1A and U1B push against GND",
    ),
    "inputs that nothing holds": (_without(PAD, "R3", "R4", "RV1", "R6", "R5"), "input", None),
    "both inputs on one net": (
        _joined(PAD, "U1A.0", "U1A.1"), "input", None,
    ),
    "an input on an output": (_joined(PAD, "U1A.2", "U1A.1"), "input", None),
    "a capacitor that nothing discharges": (
        _without(ADC, "R1", "R2", "R3", "JP1", "JP2"), "floating-net",
        "LIVE has no way for direct current",
    ),
    "the upper clamp turned round": (
        _turned(ADC, "D2"), "diode", "D2 conducts from 3V3A to CH all the time",
    ),
    "the lower clamp turned round": (
        _turned(PAD, "D3"), "diode", None,
    ),
    "a jumper from rail to rail": (_jumpered(ADC), "short", "JP9 joins 3V3A and GND"),
    "a hand on a pin": (
        _joined(BUTTON, "R9.0", "R9.1"), "hand",
        "a hand at S1 reaches GPIO, and nothing is between",
    ),
    "a hand without its capacitor": (
        _without(BUTTON, "C7"), "hand", "no capacitor takes what a hand brings to HAND",
    ),
    "a buzzer on a pin": (
        _joined(BUZZER, "R12.0", "R12.1"), "hand",
        "a hand at BZ2 reaches GPIO, and nothing is between",
    ),
    "a buzzer that nothing ends": (
        _without(BUZZER, "D5"), "hand",
        "no Zener diode or suppressor takes what a hand brings to BUZZER",
    ),
    "a puck that nothing ends": (_without(ADC, "D1"), "hand", None),
    "no capacitor at the clamps": (_without(ADC, "C5", "C6"), "bypass", "no capacitor holds 3V3A"),
}  # fmt: skip


@pytest.mark.parametrize(("sheet", "rule", "text"), BROKEN.values(), ids=BROKEN)
def test_a_broken_rule_is_told(sheet: Sheet, rule: str, text: str | None) -> None:
    told = [one.text for one in check(sheet) if one.rule == rule]

    assert told
    assert text is None or text in told


def test_each_rule_can_be_broken() -> None:
    assert {rule for _, rule, _ in BROKEN.values()} == set(RULES)


def test_it_says_so_and_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    erc.main()
    assert "5 circuits, 3 wirings, 10 rules, 0 violations" in capsys.readouterr().out

    monkeypatch.setattr(erc, "SHEETS", {"pad": _without(PAD, "R7")})
    with pytest.raises(SystemExit, match=r"pad: \[output\] nothing pulls U1A and U1B up"):
        erc.main()
