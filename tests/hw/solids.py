"""The built parts as solids, where they are in the box, and the guests that must fit in.

Guests are drawn here from their makers' data sheets, and not from hw/case/boards.scad: a figure
mistyped there does not agree with one typed here. All in mm.
"""

import fcntl
import os
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh
from manifold3d import Manifold, Mesh

from hw.enclosure import Piece, build

FACETS = 24
EMPTY = 0.5  # mm3: what two parts that touch have in common by rounding


@dataclass(frozen=True)
class Built:
    """One part as it is printed, read back from its STL."""

    stl: Path

    @cached_property
    def mesh(self) -> trimesh.Trimesh:
        """The triangles, their corners joined."""
        mesh = trimesh.load_mesh(self.stl)
        assert isinstance(mesh, trimesh.Trimesh)
        return mesh

    @cached_property
    def solid(self) -> Manifold:
        """The part for cutting and measuring."""
        corners = np.asarray(self.mesh.vertices, np.float32)
        return Manifold(Mesh(corners, np.asarray(self.mesh.faces, np.uint32)))


def built_once(pieces: Iterable[Piece], factory: pytest.TempPathFactory) -> dict[str, Built]:
    """Return *pieces* by name; each is built by the first test process of this run to want it."""
    root = factory.getbasetemp()
    folder = (root.parent if root.name.startswith("popen-") else root) / "case"
    folder.mkdir(exist_ok=True)
    wanted = tuple(pieces)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        made = pool.map(lambda piece: _built_once(piece, folder), wanted)
        return {piece.name: Built(stl) for piece, stl in zip(wanted, made, strict=True)}


def _built_once(piece: Piece, folder: Path) -> Path:
    stl = folder / f"{piece.name}.stl"
    with (folder / f"{piece.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return stl if stl.exists() else build(piece, folder, facets=FACETS)


@dataclass(frozen=True, slots=True)
class Board:
    """A Pi, by the mechanical drawings at datasheets.raspberrypi.com."""

    size: tuple[float, float]
    holes: tuple[float, float]  # pitch along and across; the first is 3.5 from either edge
    power: tuple[float, ...]  # middle of the socket along the edge, on each model of this size
    card: float  # middle of the microSD card along the short edge
    card_below: bool
    ports: tuple[tuple[float, float, float], ...] = ()  # middle, width, height: short edge


BOARDS = {
    "zero": Board((65, 30), (58, 23), (54,), 16.9, card_below=False),
    "b": Board(
        (85, 56),
        (58, 49),
        (10.6, 11.2),  # 3B+; 4 and 5
        28,
        card_below=True,
        # USB and Ethernet swapped places between the models: a wall stands off all of them.
        ports=((10.0, 16, 16), (28.5, 16, 16), (46.5, 16, 16)),
    ),
}
PCB = 1.4
PLUG = 16.5  # a female jumper plug on the header and the bend of its wire, above the board

# Panels: WiseChip UG-2864HSWEG01, and the 1.3 inch panel behind an SH1106.
ACTIVE = {0.96: (21.74, 10.86), 1.3: (29.42, 14.70), 2.42: (55.01, 27.49)}
GLASS = {0.96: 1.7, 1.3: 1.7, 2.42: 2.1}  # thick
# Waveshare's "2.42inch OLED Module" says 55.01 x 27.49 and 61.50 x 39.50.
# Boards of the common four-pin modules, as sold; they differ by some tenths.
MODULE = {0.96: (27.8, 27.8), 1.3: (35.4, 33.5), 2.42: (61.5, 39.5)}
ACTIVE_ABOVE_MIDDLE = {0.96: 1.75, 1.3: 2.0, 2.42: 2.0}


def box(size: tuple[float, ...], at: tuple[float, ...] = (0, 0, 0)) -> Manifold:
    """A box of *size*, the middle of its underside at *at*."""
    cube = Manifold.cube((size[0], size[1], size[2]))
    return cube.translate((at[0] - size[0] / 2, at[1] - size[1] / 2, at[2]))


def rod(d: float, length: float, at: tuple[float, ...] = (0, 0, 0)) -> Manifold:
    """An upright cylinder from *at* upwards."""
    return Manifold.cylinder(length, d / 2, d / 2, FACETS).translate((at[0], at[1], at[2]))


def pi(board: Board) -> Manifold:
    """The Pi with header, plugs, card and ports, its underside's middle at the origin.

    It is turned as it lies in the box: power to the back (+y), card to the right (+x).
    """
    long, wide = board.size
    solid = box((long, wide, PCB))
    solid += box((51, 5, PLUG), (long / 2 - 32.5, -wide / 2 + 3.5, PCB))
    card_z = -1.2 if board.card_below else PCB
    solid += box((15, 11, 1.2), (long / 2 + 2.5 - 7.5, wide / 2 - board.card, card_z))
    for at in board.power:
        solid += box((9, 7.4 + 1.5, 3.2), (long / 2 - at, wide / 2 + 1.5 - 4.45, PCB))
    for middle, across, high in board.ports:
        solid += box((20.5, across, high), (-long / 2 - 3 + 10.25, wide / 2 - middle, PCB))
    return solid


def module(oled: float) -> Manifold:
    """An OLED module with its glass up at z = 0, and its pins and cable behind."""
    wide, high = MODULE[oled]
    thick = GLASS[oled]
    board = box((wide, high, 1.6), (0, 0, -thick - 1.6))
    across = min(ACTIVE[oled][1] + 8, high)
    glass = box((wide - 1, across, thick), (0, ACTIVE_ABOVE_MIDDLE[oled] - 1.5, -thick))
    return board + glass + box((10.2, 2.5, 12), (0, high / 2 - 1.5, -15))


class Box:
    """Body, lid, bars and clamp where they are when all is screwed together."""

    def __init__(self, parts: dict[str, Built], places: dict[str, Any]) -> None:
        self.at = places
        self.body = parts["body"].solid
        self._lid, self._bar, self._clamp = (parts[name].solid for name in ("lid", "bar", "clamp"))

    def on_slope(self, solid: Manifold) -> Manifold:
        """Put what is drawn on the lid's own plane (z = 0 lies on the walls) to its place."""
        return solid.rotate((self.at["tilt"], 0, 0)).translate((0, 0, self.at["front_height"]))

    @cached_property
    def flat_lid(self) -> Manifold:
        """The lid in its own frame: up the slope is y, out of its face z."""
        return self._lid.translate((0, 0, -self.at["lid_t"])).rotate((180, 0, 0))

    @cached_property
    def lid(self) -> Manifold:
        """The lid on the body."""
        return self.on_slope(self.flat_lid)

    @cached_property
    def flat_bars(self) -> Manifold:
        """Both bars on the rails of the lid, in its frame."""
        (left, right), u, w = self.at["bar_at"], self.at["module_at"][1], self.at["bars_w"]
        turned = self._bar.rotate((0, 180, 0))  # now it reaches to the left
        one = turned.translate((right, u, w))
        return one + turned.rotate((0, 0, 180)).translate((left, u, w))

    @cached_property
    def clamp(self) -> Manifold:
        """The clamp under the body."""
        upright = self._clamp.translate((0, 0, -self.at["clamp_width"] / 2)).rotate((0, 90, 0))
        return upright.translate((self.at["clamp_x"], 0, 0))

    def holes_of_pillars(self) -> list[tuple[float, float, float]]:
        """Measure the pilots of the pillars: x, y and diameter, cut half-way up."""
        found = []
        for loop in self.body.slice(self.at["board_z"] - 2).to_polygons():
            points = np.asarray(loop)
            size = np.ptp(points, axis=0)
            if max(size) < 3:  # a hole: the pillars themselves are wider
                middle = (points.max(axis=0) + points.min(axis=0)) / 2
                found.append((float(middle[0]), float(middle[1]), float(max(size))))
        return sorted(found)


def lying_pi(made: Box, board: Board) -> Manifold:
    """Return the Pi where the pillars of the body, as measured, want it."""
    holes = np.array(made.holes_of_pillars())[-4:, :2]  # the boards of the ears are left of it
    middle = holes.mean(axis=0)
    # The pitch across is symmetrical on every board; along, the large ones have holes on one half.
    off = board.size[0] / 2 - (3.5 + board.holes[0] / 2)
    return pi(board).translate((float(middle[0]) - off, float(middle[1]), made.at["board_z"]))


def common(one: Manifold, other: Manifold) -> float:
    """Return the volume that both take up, in mm3."""
    return float((one ^ other).volume())
