"""The header as it lies before you, with the wires of one build on it: what goes on which pin.

WireViz says which wire leads where; this says where on the board that pin is.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import schemdraw
import schemdraw.elements as elm
from schemdraw.segments import Segment, SegmentPoly, SegmentText

from hw.drawings import Drawing

PINS = 40
_PI = "PI"
_COLOURS = {
    "BK": "black", "RD": "#e02020", "GN": "#20c040", "BU": "#2060e0", "YE": "#ffe000",
    "WH": "white", "OG": "#ff9000", "VT": "#a040e0", "BN": "#8b5a2b", "GY": "#909090",
    "LB": "#80c8ff", "PK": "#ff80c0",
}  # fmt: skip
"""As WireViz calls them."""

_STEP, _HALF, _LONG, _WIRE = 0.62, 0.23, 1.6, 1.0  # grid steps
_PALE, _USED = "#767676", "#f0f0f0"
_SMALL = 12
_FOOT = -_STEP * (PINS // 2 - 1)


def leads_to(drawing: Drawing) -> dict[int, tuple[str, str]]:
    """Return, by position on the header, part and pin that a wire leads to, and its colour."""
    return {
        int(wire.near_pin): (
            f"{wire.far} {wire.far_pin}",
            _COLOURS[drawing.cables[wire.cable]["colors"][int(wire.wire) - 1]],
        )
        for wire in drawing.wires
        if wire.near == _PI
    }


def draw(drawing: Drawing, file: Path) -> None:
    """Draw the header with the wires of *drawing* into the SVG *file*."""
    names = drawing.parts[_PI]["pinlabels"]
    ends = leads_to(drawing)
    whole: Any = elm.Element()
    whole.segments.extend(_board())
    for position in range(1, PINS + 1):
        whole.segments.extend(_pin(position, names[position - 1], ends.get(position)))
    schemdraw.use("svg")
    with schemdraw.Drawing(file=str(file), show=False) as picture:
        picture.config(lw=1.5, bgcolor="white", margin=0.3)
        picture.add(whole.at((0, 0)))


def _board() -> Iterator[object]:
    top, foot, side = 0.5, _FOOT - 0.5, 0.65
    corners = [(-side, top), (side, top), (side, foot), (-side, foot)]
    yield SegmentPoly(corners, color=_PALE)
    yield _text((0, 1.4), "end of the board with the micro SD card", "center", _PALE)
    yield _text((0, 0.9), "pin 1 is marked on the board", "center", _PALE)
    yield _text((0, foot - 0.4), "end with the USB sockets; a Zero has none", "center", _PALE)


def _pin(position: int, name: str, end: tuple[str, str] | None) -> Iterator[object]:
    """Yield one pin: its number on the header, its name beside it, and there its wire if any."""
    outward = 1 if position % 2 == 0 else -1
    align: Literal["left", "right"] = "left" if outward > 0 else "right"
    x, y = outward * 0.3, -_STEP * ((position - 1) // 2)
    corners = [(x + i * _HALF, y + j * _HALF) for i, j in ((-1, -1), (-1, 1), (1, 1), (1, -1))]
    yield SegmentPoly(corners, fill=_USED if end else "white", color="black")
    yield _text((x, y), str(position), "center", size=10)
    near = outward * 0.8
    if end is None:
        yield _text((near, y), "5 V: nothing here" if name == "5V" else name, align, _PALE)
        return
    words, colour = end
    begins = near + outward * _LONG
    ends = begins + outward * _WIRE
    yield _text((near, y), name, align)
    yield Segment([(begins, y), (ends, y)], lw=7, color="black")
    yield Segment([(begins, y), (ends, y)], lw=4.5, color=colour)
    yield _text((ends + outward * 0.15, y), words, align)


def _text(
    at: tuple[float, float],
    words: str,
    align: Literal["left", "center", "right"],
    color: str = "black",
    size: float = _SMALL,
) -> object:
    return SegmentText(at, words, align=(align, "center"), fontsize=size, color=color)
