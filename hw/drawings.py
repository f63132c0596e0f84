"""The wirings of hw/wiring/: read from their sources, and drawn by WireViz.

WireViz is a tool that runs on its own; nothing of it is imported.
"""

import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

FOLDER = Path(__file__).parent / "wiring"
BUILT = Path(__file__).parent / "built/wiring"
HEADER = FOLDER / "header.yml"
BUILDS = ("easy", "pads", "full")

Attributes = Mapping[str, Any]
Pin = int | str

_ARIAL = ('font-family="arial"', 'font-family="Arial, Liberation Sans, Helvetica, sans-serif"')
_TEXT = ('font-size="14.00"', 'font-size="13.40"')
"""Graphviz measures text a little too short, so that it touches the frames."""


class NoPencil(FileNotFoundError):
    """A program that draws is missing; the message says what to run."""


@dataclass(frozen=True, slots=True)
class Wire:
    """One wire of *cable*, from a pin of *near* to a pin of *far*; "s" is the shield."""

    near: str
    near_pin: Pin
    cable: str
    wire: Pin
    far: str
    far_pin: Pin


@dataclass(frozen=True, slots=True)
class Item:
    """So much of one thing is needed; *unit* is empty for pieces."""

    name: str
    quantity: float
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Drawing:
    """What one source says: parts and cables with all that is written of them, and each wire."""

    build: str
    parts: Mapping[str, Attributes]
    cables: Mapping[str, Attributes]
    wires: tuple[Wire, ...]
    beside: tuple[Item, ...]

    def items(self) -> Iterator[Item]:
        """Yield what the drawing needs: parts, what is soldered to them, cables, what lies beside.

        The same name may come several times.
        """
        for part in self.parts.values():
            yield Item(str(part["type"]), 1)
            for more in part.get("additional_components", ()):
                yield Item(str(more["type"]), more["qty"])
        for cable in self.cables.values():
            yield _cable_item(cable)
        yield from self.beside


@cache
def read(build: str) -> Drawing:
    """Return what the source of *build* says, one of `BUILDS`."""
    text = "\n".join(one.read_text(encoding="utf-8") for one in (HEADER, source(build)))
    found = yaml.safe_load(text)
    beside = found.get("additional_bom_items", ())
    return Drawing(
        build,
        parts=found["connectors"],
        cables=found["cables"],
        wires=tuple(wire for group in found["connections"] for wire in _wires(group)),
        beside=tuple(Item(one["description"], one["qty"], one.get("unit", "")) for one in beside),
    )


def source(build: str) -> Path:
    """Return the file that *build* is drawn from."""
    return FOLDER / f"{build}.yml"


def draw(build: str, picture: Path, folder: Path = BUILT) -> None:
    """Draw *build* into the SVG *picture*, and leave WireViz' own list of parts in *folder*.

    Raises:
        NoPencil: WireViz or Graphviz is missing; the message says what to run.
        subprocess.CalledProcessError: WireViz refuses the source.
    """
    folder.mkdir(parents=True, exist_ok=True)
    to = ("--output-dir", str(folder), "--output-name", build)
    command = [_wireviz(), "-p", str(HEADER), "-f", "st", *to, str(source(build))]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)  # noqa: S603 - our own files
    drawn = (folder / f"{build}.svg").read_text(encoding="utf-8")
    picture.write_text(drawn.replace(*_ARIAL).replace(*_TEXT), encoding="utf-8")


def _wireviz() -> str:
    program = Path(sys.executable).with_name("wireviz")
    if not program.exists() or shutil.which("dot") is None:
        raise NoPencil("WireViz and Graphviz draw the wirings. Run: make hw")
    return str(program)


def _wires(group: list[Mapping[str, list[Pin]]]) -> Iterator[Wire]:
    """Yield the wires of *group*: part, cable and part, with pin, wire and pin of each."""
    (near, pins), (cable, through), (far, ends) = (next(iter(one.items())) for one in group)
    for pin, wire, end in zip(pins, through, ends, strict=True):
        yield Wire(near, pin, cable, wire, far, end)


def _cable_item(cable: Attributes) -> Item:
    """Return single wires by the piece, for they are sold cut, and cable by the metre."""
    if cable.get("category") == "bundle":
        length_cm = round(100 * cable["length"])
        return Item(f"{cable['type']}, {length_cm} cm", len(cable["colors"]))
    return Item(str(cable["type"]), cable["length"], "m")
