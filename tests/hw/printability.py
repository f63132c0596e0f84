"""What a printer without supports can make of a part: looked at layer by layer, and by angle."""

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
import trimesh
from manifold3d import Manifold
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter

LAYER = 1.0  # mm; a printer's layers are thinner, and so kinder
PIXEL = 0.5
REACH = round(LAYER / PIXEL) + 1  # pixels that 45 degrees allow in one layer, and one for rounding
STEEPEST_DEG = 45.5  # from the vertical; half a degree is left to rounding
BRIDGE = 15.0  # mm a bridge may span
ROUND_HOLE = 7.0  # mm: the roof of a round hole this wide sags too little to matter

Bitmap = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Fault:
    """What would fall down: where above the bed, and how far it reaches, in mm."""

    why: str
    z: float
    reach: float


def faults(mesh: trimesh.Trimesh, solid: Manifold) -> list[Fault]:
    """Return all that cannot be printed of a part as it lies on the bed, in one or other way."""
    return [*_in_mid_air(solid), *_too_steep(mesh)]


def _in_mid_air(solid: Manifold) -> list[Fault]:
    """Find what neither lies on the layer below nor spans a short gap between two walls."""
    x0, y0, _, x1, y1, top = solid.bounding_box()
    size = (int((x1 - x0) / PIXEL) + 11, int((y1 - y0) / PIXEL) + 11)
    below, found = None, []
    for z in np.arange(LAYER / 2, top, LAYER):
        now = _bitmap(solid, float(z), (x0 - 5 * PIXEL, y0 - 5 * PIXEL), size)
        if below is not None:
            held = _spread(below)
            loose = now & ~held & ~_bridged(now, held) & ~_bridged(now.T, held.T).T
            if loose.any():
                found.append(Fault("in mid-air", float(z), float(loose.sum()) ** 0.5 * PIXEL))
        below = now
    return found


def _bitmap(
    solid: Manifold, z: float, corner: tuple[float, float], size: tuple[int, int]
) -> Bitmap:
    image = Image.new("1", size)
    draw = ImageDraw.Draw(image)
    loops = [np.asarray(loop) for loop in solid.slice(z).to_polygons()]
    for loop in sorted(loops, key=lambda one: -abs(_area(one))):  # holes after what they are in
        points = [tuple(point) for point in (loop - corner) / PIXEL]
        draw.polygon(points, fill=int(_area(loop) > 0))
    return np.asarray(image)


def _area(loop: NDArray[np.float64]) -> float:
    x, y = loop[:, 0], loop[:, 1]
    return float(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)) / 2)


def _spread(layer: Bitmap) -> Bitmap:
    """Grow *layer* by what the next one may stand out."""
    reach = round(LAYER / PIXEL) + 1
    grown = Image.fromarray(layer.astype(np.uint8) * 255).filter(
        ImageFilter.MaxFilter(2 * reach + 1)
    )
    return np.asarray(grown) > 0


def _bridged(now: Bitmap, held: Bitmap) -> Bitmap:
    """Return what hangs, in its row, between two held pixels no further apart than a bridge."""
    there = np.broadcast_to(np.arange(now.shape[1]), now.shape)

    def last(mask: Bitmap, *, backwards: bool = False) -> NDArray[np.int64]:
        if backwards:
            seen = now.shape[1] - 1 - last(mask[:, ::-1])[:, ::-1]
        else:
            seen = np.maximum.accumulate(np.where(mask, there, -10_000), axis=1)
        return np.asarray(seen, np.int64)

    empty = ~now & ~held
    left, right = last(held), last(held, backwards=True)
    whole = (left > last(empty)) & (right < last(empty, backwards=True))
    return whole & (right - left - 1 <= BRIDGE / PIXEL - 2 * REACH)


def _too_steep(mesh: trimesh.Trimesh) -> list[Fault]:
    """Find faces that lean out further than 45 degrees, but for flat ceilings and small holes."""
    down = -mesh.face_normals[:, 2]
    steep = (down > np.sin(np.radians(STEEPEST_DEG))) & (down < 0.999)
    steep &= mesh.triangles[:, :, 2].max(axis=1) > 0.05
    found = []
    for patch in _patches(mesh, np.flatnonzero(steep)):
        corners = mesh.triangles[patch].reshape(-1, 3)
        extent = np.ptp(corners, axis=0)
        if min(extent[0], extent[1]) > ROUND_HOLE:
            found.append(Fault("too steep", float(corners[:, 2].min()), float(min(extent[:2]))))
    return found


def _patches(mesh: trimesh.Trimesh, faces: NDArray[np.int64]) -> list[list[int]]:
    """Return *faces* in groups that hang together."""
    wanted, neighbours = set(faces.tolist()), defaultdict(list)
    for one, other in mesh.face_adjacency.tolist():
        if one in wanted and other in wanted:
            neighbours[one].append(other)
            neighbours[other].append(one)
    groups = []
    while wanted:
        group, front = [], [wanted.pop()]
        while front:
            group.append(face := front.pop())
            fresh = [other for other in neighbours[face] if other in wanted]
            wanted.difference_update(fresh)
            front.extend(fresh)
        groups.append(group)
    return groups
