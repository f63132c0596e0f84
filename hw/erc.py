"""The electrical rules that a drawn circuit must keep, each with a name, as KiCad's ERC has them.

Debian 12 has no ``kicad-cli``, so the rules that matter to these circuits are here:
``python -m hw.erc`` says which are broken, and ``make hw`` stops at the first circuit that is.
"""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from hw.drawings import BUILDS, Drawing, read
from hw.front_end import SHEETS
from hw.sheet import GROUND, Kind, Part, Sheet

_CARRIES_DC = frozenset({Kind.RESISTOR, Kind.TRIMMER, Kind.JUMPER})
_CHIPS = frozenset({Kind.COMPARATOR, Kind.OPAMP})
_HAS_VALUE = frozenset(Kind) - {Kind.JUMPER, Kind.BUTTON, Kind.SCHOTTKY, *_CHIPS}

PIN = "GPIO"
"""What a sheet calls a pin of the Pi; it is an output, or pulled."""
FED = "IN"
"""What a sheet calls a channel that another sheet holds at rest."""

BEFORE_A_HAND = {
    "button": frozenset({"resistor 1 kohm", "capacitor 100 nF"}),
    "buzzer": frozenset({"resistor 1 kohm", "Zener diode 5.1 V"}),
}
"""What stands in a wiring between what a hand reaches and its pin: R9 and C7, R12 and D5."""

_TOUCHED = {
    Kind.BUTTON: frozenset({Kind.CAPACITOR}),
    Kind.DISC: frozenset({Kind.SUPPRESSOR, Kind.ZENER}),
}


@dataclass(frozen=True, slots=True)
class Violation:
    """One broken rule."""

    rule: str
    text: str

    def __str__(self) -> str:
        return f"[{self.rule}] {self.text}"


def check(sheet: Sheet) -> list[Violation]:
    """Return every violation in *sheet*, by rule; none if all is well."""
    return [Violation(rule, text) for rule, find in RULES.items() for text in find(sheet)]


def _drawing(sheet: Sheet) -> Iterator[str]:
    """Yield legs and wires in the air, names and parts that stand twice, and the like."""
    yield from sheet.faults()


def _values(sheet: Sheet) -> Iterator[str]:
    for part in sheet.parts:
        if part.kind in _HAS_VALUE and not (part.value > 0 and 0 < part.tolerance < 1):
            yield f"{part.ref} has no value, or no tolerance"


def _supply_source(sheet: Sheet) -> Iterator[str]:
    """A supply comes from outside, or through a resistor from one that does."""
    ports = {label.name for label in sheet.labels if label.is_port}
    for net in sorted(_supplies(sheet) - ports):
        feeding = (sheet.nets_of(one) for one in sheet.parts if one.kind is Kind.RESISTOR)
        if not any(net in nets and set(nets) & ports & _supplies(sheet) for nets in feeding):
            yield f"nothing feeds {net}"
    if GROUND not in ports:
        yield f"{GROUND} does not leave the sheet"


def _outputs(sheet: Sheet) -> Iterator[str]:
    """Open drains may share a net; resistors pull it up, and it is no supply."""
    by_net: dict[str, list[str]] = {}
    for part in _comparators(sheet):
        by_net.setdefault(sheet.nets_of(part)[2], []).append(part.ref)
    for net, refs in by_net.items():
        if net == GROUND or net in _supplies(sheet):
            yield f"{' and '.join(refs)} push against {net}"
        elif net not in _pulled_up(sheet):
            yield f"nothing pulls {' and '.join(refs)} up"


def _inputs(sheet: Sheet) -> Iterator[str]:
    """An input hangs on what resistors hold, and never on an output's own net."""
    held = _held(sheet)
    chips = [part for part in sheet.parts if part.kind in _CHIPS]
    outputs = {sheet.nets_of(part)[2] for part in chips}
    for part in chips:
        plus, minus, _ = sheet.nets_of(part)
        if plus == minus:
            yield f"both inputs of {part.ref} are on {plus}"
        for net in (plus, minus):
            if net not in held:
                yield f"no resistor holds {net}, where an input of {part.ref} is"
            if net in outputs:
                yield f"an input of {part.ref} is on the output {net}"


def _floating(sheet: Sheet) -> Iterator[str]:
    """No net charges itself up; what only a jumper reaches is at rest when it is open."""
    held = _held(sheet)
    for net in sorted(set(sheet.nets.values()) - held):
        yield f"{net} has no way for direct current"


def _diodes(sheet: Sheet) -> Iterator[str]:
    for part in sheet.parts:
        if part.kind in {Kind.SCHOTTKY, Kind.ZENER}:
            anode, cathode = sheet.nets_of(part)
            if anode in _supplies(sheet) or cathode == GROUND:
                yield f"{part.ref} conducts from {anode} to {cathode} all the time"


def _shorts(sheet: Sheet) -> Iterator[str]:
    """No jumper joins two rails; no supply can meet ground through one."""
    rails = _supplies(sheet) | {GROUND}
    for part in sheet.parts:
        if part.kind is Kind.JUMPER and set(sheet.nets_of(part)) <= rails:
            yield f"{part.ref} joins {' and '.join(sheet.nets_of(part))}"


def _bypass(sheet: Sheet) -> Iterator[str]:
    """Where clamps and chips are on a supply, a capacitor to ground is as well."""
    used = {sheet.nets_of(one)[1] for one in sheet.parts if one.kind is Kind.SCHOTTKY}
    capacitors = [set(sheet.nets_of(one)) for one in sheet.parts if one.kind is Kind.CAPACITOR]
    for net in sorted(used & _supplies(sheet)):
        if {net, GROUND} not in capacitors:
            yield f"no capacitor holds {net}"


def _hands(sheet: Sheet) -> Iterator[str]:
    """Before any pin a hand's spark fills a capacitor and meets a resistor; a blow is ended."""
    pins = {sheet.nets[label.at] for label in sheet.labels if label.name == PIN}
    for touched in (part for part in sheet.parts if part.kind in _TOUCHED):
        for net in sorted(set(sheet.nets_of(touched)) - {GROUND}):
            if net in pins:
                yield f"a hand at {touched.ref} reaches {PIN}, and nothing is between"
            there = {one.kind for one in sheet.parts if set(sheet.nets_of(one)) == {net, GROUND}}
            if not there & _TOUCHED[touched.kind]:
                wanted = " or ".join(sorted(_TOUCHED[touched.kind]))
                yield f"no {wanted} takes what a hand brings to {net}"


def check_wiring(drawing: Drawing) -> Iterator[Violation]:
    """Yield each wire of *drawing* from a hand to a pin that lacks `BEFORE_A_HAND`."""
    for name, part in drawing.parts.items():
        there = {str(one["type"]) for one in part.get("additional_components", ())}
        for word, wanted in BEFORE_A_HAND.items():
            if word in str(part["type"]):
                for missing in sorted(wanted - there):
                    yield Violation("hand", f"{name} has no {missing}")


RULES: dict[str, Callable[[Sheet], Iterator[str]]] = {
    "drawing": _drawing,
    "value": _values,
    "supply-source": _supply_source,
    "output": _outputs,
    "input": _inputs,
    "floating-net": _floating,
    "diode": _diodes,
    "short": _shorts,
    "bypass": _bypass,
    "hand": _hands,
}


def _supplies(sheet: Sheet) -> frozenset[str]:
    return frozenset(label.name for label in sheet.labels if label.name.startswith("3V3"))


def _comparators(sheet: Sheet) -> Iterator[Part]:
    return (part for part in sheet.parts if part.kind is Kind.COMPARATOR)


def _held(sheet: Sheet) -> set[str]:
    """Return the nets that resistors, trimmers and jumpers lead from to what stands still."""
    ways = [set(sheet.nets_of(one)) for one in sheet.parts if one.kind in _CARRIES_DC]
    driven = {sheet.nets_of(one)[2] for one in sheet.parts if one.kind is Kind.OPAMP}
    return _reached({GROUND, PIN, FED, *_supplies(sheet), *driven}, ways)


def _pulled_up(sheet: Sheet) -> set[str]:
    """Return the nets that resistors lead from to a supply, and not by way of ground."""
    ways = [set(sheet.nets_of(one)) for one in sheet.parts if one.kind is Kind.RESISTOR]
    return _reached(set(_supplies(sheet)), [way for way in ways if GROUND not in way])


def _reached(known: set[str], ways: list[set[str]]) -> set[str]:
    """Return *known* and all that *ways* lead to from there."""
    while reached := {net for way in ways if way & known for net in way} - known:
        known |= reached
    return known


def main() -> None:
    """Say what is broken, and fail if anything is."""
    broken = [f"{name}: {one}" for name, sheet in SHEETS.items() for one in check(sheet)]
    broken += [f"{build}: {one}" for build in BUILDS for one in check_wiring(read(build))]
    if broken:
        sys.exit("\n".join(broken))
    looked_at = f"{len(SHEETS)} circuits, {len(BUILDS)} wirings, {len(RULES)} rules"
    print(f"electrical rules: {looked_at}, 0 violations")


if __name__ == "__main__":
    main()
