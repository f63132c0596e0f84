"""How long each part of the case prints and what it weighs, as PrusaSlicer reckons it.

``make prints`` slices every part as hw/case/README.md says, and writes hw/prints.toml: that is slow
and wants a slicer, so it is done when a part has changed, and a test says when. Times are those of
the slicer's own usual speeds, as an ordinary printer has them; a fast one takes a third.
"""

import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from hw.enclosure import PIECES, EnclosureError, Piece, build_all

HERE = Path(__file__).parent
MEASURED = HERE / "prints.toml"
LAYER_MM, NOZZLE_MM = 0.2, 0.4
WALLS, INFILL = 4, 20
STRONG = {"clamp": (6, 50)}
"""Walls and percent of infill of a part that has more than others."""
_FACETS = 24  # of what is round: enough for grams, and built in half the time
_PETG = ("--filament-density", "1.27", "--filament-diameter", "1.75")


@dataclass(frozen=True, slots=True)
class Print:
    """What one piece takes."""

    minutes: int
    grams: float
    volume_mm3: int  # of the part itself, by which a test knows that it has changed


@cache
def measured() -> Mapping[str, Print]:
    """Return what hw/prints.toml says, by the name of each piece."""
    found = tomllib.loads(MEASURED.read_text("utf-8"))
    return {name: Print(**told) for name, told in found.items()}


def slice_it(piece: Piece, stl: Path) -> Print:
    """Slice *piece*, which was built as *stl*."""
    import trimesh  # only who builds the case needs it

    told = stl.with_suffix(".gcode")
    walls, infill = STRONG.get(piece.part, (WALLS, INFILL))
    command = [
        _slicer(), "--export-gcode", "--output", str(told), "--layer-height", f"{LAYER_MM}",
        "--nozzle-diameter", f"{NOZZLE_MM}", "--perimeters", f"{walls}",
        "--fill-density", f"{infill}%", *_PETG, str(stl),
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - ours
    if done.returncode or not told.exists():
        raise EnclosureError(f"PrusaSlicer did not slice {stl.name}: {done.stderr.strip()[-500:]}")
    text = told.read_text("utf-8")
    return Print(_minutes(text), _grams(text), round(trimesh.load_mesh(stl).volume))


def _minutes(gcode: str) -> int:
    (said,) = re.findall(r"estimated printing time \(normal mode\) = (.+)", gcode)
    seconds = {"d": 86400, "h": 3600, "m": 60, "s": 1}
    parts = re.findall(r"(\d+)([dhms])", said)
    return round(sum(int(many) * seconds[unit] for many, unit in parts) / 60)


def _grams(gcode: str) -> float:
    (said,) = re.findall(r"; total filament used \[g\] = ([\d.]+)", gcode)
    return round(float(said), 1)


def _slicer() -> str:
    found = shutil.which("prusa-slicer")
    if found is None:
        raise EnclosureError("prusa-slicer is not installed. Run this first:  scripts/setup slicer")
    return found


def main() -> None:
    """Slice every piece and write what it takes."""
    lines = ["# Made by make prints: minutes and grams by PrusaSlicer, and what was sliced.\n"]
    try:
        with tempfile.TemporaryDirectory() as folder:
            for piece, stl in build_all(PIECES, Path(folder), facets=_FACETS).items():
                took = slice_it(piece, stl)
                print(piece.name, took)
                lines.append(
                    f'["{piece.name}"]\nminutes = {took.minutes}\ngrams = {took.grams}\n'
                    f"volume_mm3 = {took.volume_mm3}\n"
                )
    except EnclosureError as error:
        sys.exit(str(error))
    MEASURED.write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
