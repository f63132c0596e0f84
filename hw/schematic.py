"""The picture of a drawn circuit, by schemdraw, at the very points that its nets are read from."""

from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import schemdraw
import schemdraw.elements as elm

from hw.sheet import GROUND, Kind, Label, Part, Point, Sheet

_TWO_LEGGED: dict[Kind, Any] = {
    Kind.RESISTOR: elm.ResistorIEC,
    Kind.CAPACITOR: elm.Capacitor,
    Kind.TRIMMER: elm.ResistorVarIEC,
    Kind.JUMPER: elm.Switch,
    Kind.BUTTON: elm.Button,
    Kind.DISC: elm.Crystal,
    Kind.SUPPRESSOR: elm.DiodeTVS,
    Kind.SCHOTTKY: elm.Schottky,
    Kind.ZENER: elm.Zener,
}
_PREFIXES = ((1e6, "M"), (1e3, "k"), (1.0, ""), (1e-6, "µ"), (1e-9, "n"), (1e-12, "p"))
_UNITS = {
    Kind.RESISTOR: "Ω", Kind.TRIMMER: "Ω", Kind.CAPACITOR: "F", Kind.DISC: "F",
    Kind.SUPPRESSOR: "V", Kind.ZENER: "V",
}  # fmt: skip
_BARE = frozenset({Kind.JUMPER, Kind.BUTTON})
_PUCK_FRAME = ((-1.8, 1.2), (4.0, -5.2))
_SMALL, _LARGE = 11, 15
_ON_THE_WAY = {"LIVE": "plug J1", "HAND": "two wires", "BUZZER": "two wires"}


def value_text(part: Part) -> str:
    """Return the value of *part* as people write it, such as ``4.7 nF``; empty if it has none."""
    if not part.value:
        return ""
    factor, prefix = next(one for one in _PREFIXES if part.value >= 0.999 * one[0])
    return f"{part.value / factor:.4g} {prefix}{_UNITS[part.kind]}"


def draw(sheet: Sheet, file: Path) -> None:
    """Draw *sheet* into the SVG *file*."""
    schemdraw.use("svg")
    with schemdraw.Drawing(file=str(file), show=False) as drawing:
        drawing.config(fontsize=_SMALL, lw=1.5, bgcolor="white", margin=0.4)
        for wire in sheet.wires:
            for begin, end in pairwise(wire):
                drawing.add(elm.Line().endpoints(begin, end))
        for part in sheet.parts:
            _draw_part(drawing, part)
        for label in sheet.labels:
            _draw_label(drawing, label)
        for at in sheet.junctions:
            drawing.add(elm.Dot(radius=0.09).at(at))
        _draw_frame(drawing, sheet.frame)
        drawing.add(elm.Label().at((-1.8, 4.2)).label(sheet.title, halign="left", fontsize=_LARGE))


def _draw_part(drawing: Any, part: Part) -> None:
    if part.kind in {Kind.COMPARATOR, Kind.OPAMP}:
        _draw_comparator(drawing, part)
        return
    value = value_text(part) or ("" if part.kind in _BARE else part.name.split(",")[0])
    text = f"{part.ref}\n{value}".strip()
    element = _TWO_LEGGED[part.kind]().endpoints(*part.at)
    upright = part.at[0][0] == part.at[1][0]
    drawing.add(element.label(text, loc="bottom" if upright else "top", ofst=0.15))


def _draw_comparator(drawing: Any, part: Part) -> None:
    plus, minus, out = part.at
    middle = (minus[0] + 2.2, out[1])
    triangle = drawing.add(
        elm.Opamp().right().flip().at(middle).anchor("center").label(part.ref, "center")
    )
    ends = (triangle.absanchors[name] for name in ("in2", "in1", "out"))
    for (x, y), (to_x, to_y) in zip((plus, minus, out), ends, strict=True):
        between: tuple[Point, ...] = ((x, y), (x, to_y), (to_x, to_y))
        for begin, end in pairwise(between):
            if begin != end:
                drawing.add(elm.Line().endpoints(begin, end))


def _draw_label(drawing: Any, label: Label) -> None:
    if label.name == GROUND:
        drawing.add(elm.Ground().at(label.at))
    elif label.name.startswith("3V3"):
        supply: Any = elm.Vdd  # untyped there
        drawing.add(supply().at(label.at).label(label.name))
    elif label.name in _ON_THE_WAY:
        text = _ON_THE_WAY[label.name]
        drawing.add(elm.Dot(open=True).at(label.at).label(text, "top", ofst=0.2))
    else:
        right = label.is_port
        halign: Literal["left", "right"] = "left" if right else "right"
        ofst = (0.25, -0.1) if right else (-0.2, -0.1)
        element = elm.Dot(open=right, radius=0.09 if right else 0.0).at(label.at)
        drawing.add(element.label(label.name, "center", halign=halign, ofst=ofst))


def _draw_frame(drawing: Any, words: str) -> None:
    (left, top), (right, bottom) = _PUCK_FRAME
    for begin, end in (
        ((left, top), (right, top)), ((right, top), (right, bottom)),
        ((right, bottom), (left, bottom)), ((left, bottom), (left, top)),
    ):  # fmt: skip
        drawing.add(elm.Line(ls="--", color="gray").endpoints(begin, end))
    drawing.add(elm.Label().at((left + 0.2, top - 0.5)).label(words, halign="left", color="gray"))
