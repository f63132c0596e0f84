"""The judge of parts must find what falls down, or its silence means nothing."""

import numpy as np
import pytest
import trimesh
from manifold3d import Manifold

from tests.hw.printability import faults


def box(x: float, y: float, z: float, at: tuple[float, float, float] = (0, 0, 0)) -> Manifold:
    return Manifold.cube((x, y, z)).translate(at)


def judged(solid: Manifold) -> set[str]:
    raw = solid.to_mesh()
    mesh = trimesh.Trimesh(np.asarray(raw.vert_properties)[:, :3], np.asarray(raw.tri_verts))
    return {fault.why for fault in faults(mesh, solid)}


def gate(span: float) -> Manifold:
    return box(4, 4, 20) + box(4, 4, 20, (4 + span, 0, 0)) + box(8 + span, 4, 4, (0, 0, 20))


def cone(angle_deg: float, height: float = 16) -> Manifold:
    """Stands on its small end; *angle_deg* is from the vertical."""
    return Manifold.cylinder(height, 5, 5 + height * float(np.tan(np.radians(angle_deg))), 48)


def test_a_block_is_printable() -> None:
    assert judged(box(20, 20, 20)) == set()


@pytest.mark.parametrize(("span", "why"), [(10, set()), (14, set()), (18, {"in mid-air"})])
def test_a_bridge_may_be_so_long_and_no_longer(span: float, why: set[str]) -> None:
    assert judged(gate(span)) == why


def test_a_ledge_with_one_end_in_the_air_is_no_bridge() -> None:
    assert judged(box(4, 4, 20) + box(10, 4, 4, (0, 0, 20))) == {"in mid-air"}


def test_what_begins_above_the_bed_is_found() -> None:
    assert judged(box(10, 10, 2) + box(5, 5, 5, (30, 0, 10))) == {"in mid-air"}


@pytest.mark.parametrize(("angle_deg", "why"), [(30, set()), (45, set()), (50, {"too steep"})])
def test_a_wall_may_lean_45_degrees(angle_deg: float, why: set[str]) -> None:
    assert judged(cone(angle_deg)) == why


@pytest.mark.parametrize(("across", "fine"), [(6.6, True), (12, False)])
def test_a_lying_round_hole_may_be_small(across: float, fine: bool) -> None:
    hole = (
        Manifold.cylinder(40, across / 2, across / 2, 32).rotate((90, 0, 0)).translate((15, 30, 15))
    )

    assert (judged(box(30, 20, 30) - hole) == set()) is fine
