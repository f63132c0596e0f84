"""The easy build on its breadboard: which hole each leg and each wire goes into, and the picture.

Which wire comes from which pin of the header is read from hw/wiring/easy.yml, and only the holes
stand here. `nets` tells what the strips inside a breadboard join.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path

from hw.drawings import Drawing, read
from hw.header import leads_to
from hw.marked import filled

HERE = Path(__file__).parent
PICTURE = HERE / "pictures/breadboard-easy.svg"
PAGE = HERE / "bring-up.md"

COLUMNS, ROWS = 30, "abcdefghij"
PITCH = 2.54  # mm
_TRENCH = 7.62  # mm, from row e to row f
BODY = 12.0  # mm, of a switch
BUTTONS = (1, 7, 13, 19)
"""The columns of legs a. A switch stands across the trench; what is 12.5 mm apart is one leg."""
_OLED = {"GND": "j26", "VCC": "j27", "SCL": "j28", "SDA": "j29"}
_ROW_OF_OLED_WIRES = "f"


@dataclass(frozen=True, slots=True)
class Part:
    """One part on the board: its legs by name, each with all of its holes."""

    ref: str
    legs: Mapping[str, tuple[str, ...]]


def parts() -> Iterator[Part]:
    """Yield switches, resistors and capacitors by button, and the slate."""
    for number, at in enumerate(BUTTONS, start=1):
        legs = {leg: (f"d{at + off}", f"g{at + off}") for leg, off in (("a", 0), ("b", 2))}
        yield Part(f"BUTTON{number}", legs)
        yield Part(f"C{number}", {"1": (f"c{at}",), "2": (f"c{at + 2}",)})
        yield Part(f"R{number}", {"1": (f"b{at}",), "2": (f"b{at + 4}",)})
    yield Part("OLED", {pin: (hole,) for pin, hole in _OLED.items()})


def wire_hole(part: str, pin: str) -> str:
    """Return the hole of the wire from the header that *pin* of *part* is for."""
    if part == "OLED":
        return _ROW_OF_OLED_WIRES + _OLED[pin][1:]
    at = BUTTONS[int(part.removeprefix("BUTTON")) - 1]
    return f"a{at + 4}" if pin == "a" else f"i{at + 2}"


def strip(hole: str) -> str:
    """Return the name of the strip that joins *hole* with its neighbours."""
    row, column = hole[0], int(hole[1:])
    return f"{'upper' if row <= 'e' else 'lower'} {column}"


def place(hole: str) -> tuple[float, float]:
    """Return where *hole* is, in mm from a1, rows downwards."""
    row = ROWS.index(hole[0])
    return (int(hole[1:]) - 1) * PITCH, row * PITCH + (_TRENCH - PITCH if row > 4 else 0)


def table() -> str:
    """Return the holes of each button in Markdown."""
    drawn = wires(read("easy"))
    lines = ["| Button | Legs a | Legs b | 100 nF | 1 kohm | From header | From header, ground |"]
    lines.append("|" + "---|" * 7)
    for number in range(1, len(BUTTONS) + 1):
        by_ref = {part.ref: part for part in parts()}
        button, capacitor, resistor = (by_ref[f"{one}{number}"] for one in ("BUTTON", "C", "R"))
        cells = [str(number), " ".join(button.legs["a"]), " ".join(button.legs["b"])]
        cells += [_holes(capacitor), _holes(resistor)]
        for pin in "ab":
            hole = wire_hole(button.ref, pin)
            cells.append(f"{drawn[hole].pin} to {hole}")
        lines.append(f"| {' | '.join(cells)} |")
    slate = ", ".join(
        f"{one.pin} to {hole} ({one.leads_to.removeprefix('OLED ')})"
        for hole, one in drawn.items()
        if one.leads_to.startswith("OLED")
    )
    return "\n".join(lines) + f"\n\nThe slate: {slate}.\n"


def _holes(part: Part) -> str:
    return " ".join(hole for holes in part.legs.values() for hole in holes)


@dataclass(frozen=True, slots=True)
class Lead:
    """A wire that comes from *pin* of the header."""

    pin: int
    name: str  # of that pin
    leads_to: str
    colour: str


def wires(drawing: Drawing) -> dict[str, Lead]:
    """Return the wires of *drawing* by the hole that each goes into."""
    names = drawing.parts["PI"]["pinlabels"]
    found = {}
    for pin, (end, colour) in leads_to(drawing).items():
        part, leg = end.rsplit(" ", 1)
        found[wire_hole(part, leg)] = Lead(pin, names[pin - 1], end, colour)
    return found


_SCALE = 12.0  # pixels a mm
_LEFT, _TOP, _BELOW = 11.0, 32.0, 29.0  # mm around a1 and j30
_FILL = {"R": "#8fb8de", "C": "#e8c15a"}
_MODULE = 27.8  # mm, of the slate


def draw() -> str:
    """Return the picture: the board, what stands in its holes, and where wires come from."""
    width = (COLUMNS - 1) * PITCH + 2 * _LEFT
    height = place("j1")[1] + _TOP + _BELOW
    lines = [_rect(-4, -4, (COLUMNS - 1) * PITCH + 8, place("j1")[1] + 8, "#f7f5ef", "#999")]
    lines += [line for row in ROWS for line in _row(row)] + [*_numbers()]
    leads = wires(read("easy")).items()
    lines += [line for hole, lead in leads if hole[0] == "f" for line in _wire(hole, lead)]
    lines += [line for part in parts() for line in _body(part)]
    lines += [line for hole, lead in leads if hole[0] != "f" for line in _wire(hole, lead)]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" font-family="Helvetica, Arial, sans-serif" '
        f'viewBox="0 0 {width * _SCALE:.0f} {height * _SCALE:.0f}">'
        f'<rect width="100%" height="100%" fill="#fff"/>'
    )
    return "\n".join((head, *lines, "</svg>\n"))


def write() -> None:
    """Write the picture, and the table into the page."""
    PICTURE.write_text(draw(), encoding="utf-8")
    PAGE.write_text(rewritten(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


def rewritten(text: str) -> str:
    """Return *text* of the page with the holes as they are now."""
    return filled(text, "holes of the easy build", table())


def _row(row: str) -> Iterator[str]:
    for column in range(1, COLUMNS + 1):
        yield _circle(*place(f"{row}{column}"), 0.45, "#555", f'class="hole" id="{row}{column}"')
    for x in (-2.4, (COLUMNS - 1) * PITCH + 2.4):
        yield _text(x, place(f"{row}1")[1], row, 1.7)


def _numbers() -> Iterator[str]:
    for column in range(1, COLUMNS + 1):
        x, last = place(f"j{column}")
        yield from (_text(x, y, str(column), 1.3) for y in (-2.4, last + 2.4))


def _body(part: Part) -> Iterator[str]:
    """Yield what of *part* is seen, and each leg in its hole."""
    at = [place(hole) for holes in part.legs.values() for hole in holes]
    (left, top), (right, bottom) = (tuple(map(end, zip(*at, strict=True))) for end in (min, max))
    x, y = (left + right) / 2, (top + bottom) / 2
    if part.ref.startswith("BUTTON"):
        yield _rect(x - BODY / 2, y - BODY / 2 + 0.7, BODY, BODY - 1.4, "#3a3f44", "#111")
        yield _circle(x, y, 3.2, "#c0392b")
        yield _text(x, y, part.ref.removeprefix("BUTTON"), 2.6, "#fff")
    elif part.ref == "OLED":
        yield _rect(x - _MODULE / 2, y - 2, _MODULE, _MODULE, "#24508f", "#111")
        yield _rect(x - 12.5, y + 4, 25, 15, "#111", "#000")
        yield _text(x, y + 11.5, "OLED", 2.6, "#fff")
    else:
        yield _line(left, y, right, y, "#777", 0.5)
        wide = (right - left) * 0.62
        yield _rect(x - wide / 2, y - 1, wide, 2, _FILL[part.ref[0]], "#333")
        yield _text(x, y, {"R": "1k", "C": "100n"}[part.ref[0]], 1.2)
    for leg, holes in part.legs.items():
        for hole in holes:
            yield _circle(*place(hole), 0.75, "#ddd", f'class="leg" data-of="{part.ref} {leg}"')
            if part.ref.startswith("BUTTON"):
                yield _text(*place(hole), leg, 1.2)
            elif part.ref == "OLED":
                yield _text(place(hole)[0], y + 2.3, leg, 0.95, "#fff")


def _wire(hole: str, lead: Lead) -> Iterator[str]:
    """Yield the wire in *hole*: grounds of buttons come from below, all others from above."""
    x, y = place(hole)
    below = lead.leads_to.startswith("BUTTON") and lead.name == "GND"
    end = place("j1")[1] + 8 if below else -8
    for width, colour in ((1.3, "#111"), (0.9, lead.colour)):
        yield _line(x, y, x, end, colour, width)
    yield _circle(x, y, 0.75, lead.colour, f'class="leg" data-of="PI {lead.pin}"')
    words = f"{hole}: {lead.name}, header {lead.pin}"
    yield _text(x, end + (1.6 if below else -1.6), words, 1.9, turned="end" if below else "start")


def _circle(x: float, y: float, r: float, fill: str, more: str = "") -> str:
    at = f'cx="{_px(x + _LEFT)}" cy="{_px(y + _TOP)}" r="{_px(r)}"'
    return f'<circle {more} {at} fill="{fill}" stroke="#222" stroke-width="1"/>'


def _rect(x: float, y: float, wide: float, high: float, fill: str, stroke: str) -> str:
    at = f'x="{_px(x + _LEFT)}" y="{_px(y + _TOP)}" width="{_px(wide)}" height="{_px(high)}"'
    return f'<rect {at} rx="6" fill="{fill}" stroke="{stroke}"/>'


def _line(x1: float, y1: float, x2: float, y2: float, colour: str, wide: float) -> str:
    ends = (
        f'x1="{_px(x1 + _LEFT)}" y1="{_px(y1 + _TOP)}" x2="{_px(x2 + _LEFT)}" y2="{_px(y2 + _TOP)}"'
    )
    return f'<line {ends} stroke="{colour}" stroke-width="{_px(wide)}" stroke-linecap="round"/>'


def _text(x: float, y: float, words: str, size: float, colour: str = "#222", *,
          turned: str = "") -> str:  # fmt: skip
    at = f"{_px(x + _LEFT)} {_px(y + _TOP)}"
    turn = " rotate(-90)" if turned else ""
    return (
        f'<text transform="translate({at}){turn}" font-size="{_px(size)}" fill="{colour}" '
        f'text-anchor="{turned or "middle"}" dominant-baseline="central">{escape(words)}</text>'
    )


def _px(mm: float) -> str:
    return f"{mm * _SCALE:.1f}"
