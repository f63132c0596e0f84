"""Build the parts of hw/case/ as STL, and the pictures that show them, with OpenSCAD.

``python -m hw.enclosure`` (or ``make hw``) puts the STL into hw/built/case/, for printing, and the
pictures into hw/pictures/, for hw/case/README.md. Dimensions are in hw/case/*.scad, in mm.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image, ImageChops

HERE = Path(__file__).parent
SOURCE = HERE / "case" / "case.scad"
STL = HERE / "built" / "case"
PICTURES = HERE / "pictures"

BOARDS = ("zero", "b")
OLEDS = (0.96, 1.3, 2.42)
DISCS = (27, 35)


class EnclosureError(Exception):
    """A part could not be built; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One part to print; None where it is the same for every board, OLED or disc."""

    part: str
    board: str | None = None
    oled: float | None = None
    disc: int | None = None
    ears: bool = False  # with room for the boards of hw/board.md

    @property
    def name(self) -> str:
        """What its STL is called."""
        chosen = (self.board, self.oled, self.disc, "ears" if self.ears else None)
        return "-".join([self.part, *(str(one) for one in chosen if one is not None)])

    @property
    def settings(self) -> dict[str, str]:
        """The OpenSCAD variables that make it, values as OpenSCAD writes them."""
        quoted = {"part": self.part, "board": self.board}
        plain = {"oled": self.oled, "disc": self.disc, "ears": "true" if self.ears else None}
        return {name: f'"{value}"' for name, value in quoted.items() if value is not None} | {
            name: str(value) for name, value in plain.items() if value is not None
        }


def fits(board: str, oled: float, *, ears: bool) -> bool:
    """Return whether there is a lid for this glass: the widest is wider than a Zero's usual box."""
    return oled < 2 or board != "zero" or ears


PIECES = (
    *(Piece("body", board, ears=ears) for board in BOARDS for ears in (False, True)),
    *(
        Piece("lid", board, oled, ears=ears)
        for board in BOARDS
        for oled in OLEDS
        for ears in (False, True)
        if fits(board, oled, ears=ears)
    ),
    *(Piece("bar", oled=oled) for oled in OLEDS),
    *(Piece("puck", disc=disc) for disc in DISCS),
    Piece("clamp"),
    Piece("pad"),
    Piece("knob"),
)


@dataclass(frozen=True, slots=True)
class View:
    """One picture: *piece* seen from above by *pitch* and around by *turn*, in degrees."""

    name: str
    piece: Piece
    pitch: int
    turn: int
    table: bool = True

    @property
    def settings(self) -> dict[str, str]:
        """What the picture needs beside its piece; round edges want no more facets than this."""
        return {"facets": "32", "with_table": str(self.table).lower()}

    @property
    def colours(self) -> bool:
        """Whether several parts are told apart by colours, which OpenSCAD only previews."""
        return self.piece.part in {"assembled", "exploded", "inside"}


VIEWS = (
    View("case-assembled-b", Piece("assembled", "b", 1.3), 62, 30),
    View("case-assembled-zero", Piece("assembled", "zero", 1.3), 62, 30),
    View("case-assembled-b-2.42", Piece("assembled", "b", 2.42), 62, 30),
    View("case-lid-b-2.42", Piece("lid", "b", 2.42), 40, 20),
    View("case-behind-b", Piece("assembled", "b", 1.3), 75, 150, table=False),
    View("case-behind-b-ears", Piece("assembled", "b", 1.3, ears=True), 75, 150, table=False),
    View("case-exploded-b", Piece("exploded", "b", 1.3), 75, 25),
    View("case-inside-b-ears", Piece("inside", "b", 1.3, ears=True), 35, 20),
    View("case-assembled-b-ears", Piece("assembled", "b", 1.3, ears=True), 62, 30),
    View("case-lid-b-ears", Piece("lid", "b", 1.3, ears=True), 40, 20),
    View("case-body-b-ears", Piece("body", "b", ears=True), 45, 30),
    View("case-body-b", Piece("body", "b"), 45, 30),
    View("case-body-zero", Piece("body", "zero"), 45, 30),
    View("case-lid-b", Piece("lid", "b", 1.3), 40, 20),
    View("case-lid-zero", Piece("lid", "zero", 0.96), 40, 20),
    View("case-bar", Piece("bar", oled=1.3), 40, 30),
    View("case-clamp", Piece("clamp"), 50, 30),
    View("case-knob", Piece("knob"), 45, 30),
    View("case-pad", Piece("pad"), 45, 30),
    View("case-puck", Piece("puck", disc=27), 40, 30),
)


def build(piece: Piece, folder: Path, **settings: object) -> Path:
    """Build the STL of *piece* in *folder*; *settings* go before those of parameters.scad."""
    stl = folder / f"{piece.name}.stl"
    _openscad(["-o", str(stl), *_defines(piece.settings | _written(settings))])
    return stl


def build_all(pieces: Iterable[Piece], folder: Path, **settings: object) -> dict[Piece, Path]:
    """Build *pieces* in *folder*, as many at once as there are cores."""
    folder.mkdir(parents=True, exist_ok=True)
    wanted = tuple(pieces)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return dict(
            zip(wanted, pool.map(lambda one: build(one, folder, **settings), wanted), strict=True)
        )


def check(stl: Path) -> None:
    """Raise `EnclosureError` if *stl*, with all its facets, is not one sound solid."""
    import trimesh  # only who builds the case needs it

    mesh = trimesh.load_mesh(stl)
    if not (mesh.is_watertight and mesh.is_winding_consistent and mesh.volume > 0):
        raise EnclosureError(f"{stl.name} has holes or folds: a printer would make nonsense of it.")


def draw(view: View, folder: Path) -> Path:
    """Draw *view* into *folder*. OpenSCAD draws on a screen only, so it is lent one."""
    png = folder / f"{view.name}.png"
    camera = f"--camera=0,0,0,{view.pitch},0,{view.turn},0"
    look = ["--imgsize=1000,800", camera, "--viewall", "--autocenter", "--colorscheme=Tomorrow"]
    how = [] if view.colours else ["--render"]
    screen = [_program("xvfb-run"), "--auto-servernum"]
    _openscad(["-o", str(png), *how, *look, *_defines(view.piece.settings | view.settings)], screen)
    _trim(png)
    return png


def places(piece: Piece, folder: Path, **settings: object) -> dict[str, Any]:
    """Ask OpenSCAD where things are around *piece*, by the names of hw/case/places.scad."""
    said = folder / f"{piece.name}.echo"
    asked = piece.settings | {"part": '"places"'} | _written(settings)
    _openscad(["-o", str(said), *_defines(asked)])
    told = said.read_text("utf-8")
    if refused := [line for line in told.splitlines() if line.startswith(("ERROR: ", "WARNING: "))]:
        # What it only says, and does not make, OpenSCAD calls a success.
        raise EnclosureError(f"OpenSCAD did not make {piece.name}: {refused[0]}")
    lines = (line.removeprefix("ECHO: ") for line in told.splitlines())
    pairs = (line.split(" = ", 1) for line in lines if " = " in line)
    return {name: json.loads(value) for name, value in pairs}


def main() -> None:
    """Build every part, then draw every picture."""
    try:
        for program in ("openscad", "xvfb-run"):
            _program(program)  # before anybody waits for the first half
        for stl in build_all(PIECES, STL).values():
            check(stl)
            print(stl.relative_to(HERE.parent))
        PICTURES.mkdir(exist_ok=True)
        for view in VIEWS:
            print(draw(view, PICTURES).relative_to(HERE.parent))
    except EnclosureError as error:
        sys.exit(str(error))


def _trim(png: Path, margin_px: int = 20) -> None:
    """Cut the empty paper around the drawing in *png* away."""
    with Image.open(png) as drawn:
        picture = drawn.convert("RGB")
    paper = Image.new("RGB", picture.size, picture.getpixel((0, 0)))
    box = ImageChops.difference(picture, paper).getbbox()
    if box is None:
        raise EnclosureError(
            f"OpenSCAD drew nothing into {png.name}. Look at its piece in OpenSCAD."
        )
    left, top, right, bottom = box
    wide = (left - margin_px, top - margin_px, right + margin_px, bottom + margin_px)
    picture.crop((max(0, wide[0]), max(0, wide[1]), *wide[2:])).save(png, optimize=True)


def _program(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise EnclosureError(
            f"{name} is not installed. Run this, then the same again:  scripts/setup hw"
        )
    return found


def _openscad(arguments: Sequence[str], before: Sequence[str] = ()) -> None:
    command = [*before, _program("openscad"), "--hardwarnings", *arguments, str(SOURCE)]
    done = subprocess.run(  # noqa: S603 - the programs were found on the path
        command, capture_output=True, text=True, check=False
    )
    made = Path(arguments[arguments.index("-o") + 1])
    if done.returncode or not made.exists():
        raise EnclosureError(f"OpenSCAD did not make {made.name}: {done.stderr.strip()}")


def _written(settings: dict[str, object]) -> dict[str, str]:
    return {name: str(value) for name, value in settings.items()}


def _defines(settings: dict[str, str]) -> list[str]:
    return [word for name, value in settings.items() for word in ("-D", f"{name}={value}")]


if __name__ == "__main__":
    main()
