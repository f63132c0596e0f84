"""The puck presses its disc to the wood, and has room for what is soldered to it."""

from pathlib import Path

import pytest

from hw.enclosure import DISCS, Piece, places
from tests.hw.solids import EMPTY, Built, box, built_once, common, rod

RESISTOR = (2.5, 6.8)  # mm: R1, 1/4 W, as its makers draw it
CERAMIC = {27: 20, 35: 25}  # mm across; the brass is as wide as the disc is called
JACKETS = (2.8, 4.0)  # mm: RG174, and the thickest microphone cable of hw/bom.md


@pytest.fixture(scope="module")
def pucks(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Built]:
    made = built_once([Piece("puck", disc=disc) for disc in DISCS], tmp_path_factory)
    return {disc: made[Piece("puck", disc=disc).name] for disc in DISCS}


@pytest.mark.parametrize("disc", DISCS)
def test_the_puck_presses_its_disc_to_the_wood(
    disc: int, pucks: dict[int, Built], tmp_path: Path
) -> None:
    puck = pucks[disc].solid
    seat, rim = places(Piece("puck", disc=disc), tmp_path)["seat"]
    plate = rod(disc + 0.3, 0.5, (0, 0, rim - 0.5))

    assert puck.bounding_box()[5] == pytest.approx(rim, abs=0.01)
    assert common(plate, puck) < EMPTY
    assert common(rod(disc + 2, 0.5, (0, 0, rim - 0.5)), puck) > EMPTY  # it cannot wander
    assert 0.5 < 3 + 0.5 - (rim - seat) < 1.5  # foam of 3 mm and the disc are squeezed that much
    assert common(rod(disc - 9, 2.0, (0, 0, seat - 2.0)), puck) < EMPTY  # solder and wire


@pytest.mark.parametrize("disc", DISCS)
def test_the_cable_of_the_puck_lies_below_the_wood_and_is_tied_down(
    disc: int, pucks: dict[int, Built]
) -> None:
    puck = pucks[disc].solid
    y0, top = puck.bounding_box()[1], puck.bounding_box()[5]
    cable = box((3, 30, 3), (0, y0 + 15, top - 3.2))

    assert common(cable, puck) < EMPTY
    for side in (-4, 4):
        assert common(box((1.6, 3.4, top), (side, y0 + 6, 0)), puck) < EMPTY


@pytest.mark.parametrize("disc", DISCS)
def test_the_resistor_lies_across_the_disc_and_touches_nothing(
    disc: int, pucks: dict[int, Built], tmp_path: Path
) -> None:
    """R1 of hw/piezo.md, from the ceramic to the brass: flat in the well, under the ceramic."""
    seat, rim = places(Piece("puck", disc=disc), tmp_path)["seat"]
    thick, long = RESISTOR
    under_disc = rim - 0.5
    lying = (
        rod(thick, long).rotate((0, 90, 0)).translate((-long / 2, 0, under_disc - 1 - thick / 2))
    )

    assert common(lying, pucks[disc].solid) < EMPTY
    assert lying.min_gap(pucks[disc].solid, 5) > 0.3
    assert seat < rim


@pytest.mark.parametrize("disc", DISCS)
def test_the_braid_has_a_pocket_at_the_rim_of_the_brass(
    disc: int, pucks: dict[int, Built], tmp_path: Path
) -> None:
    rim = places(Piece("puck", disc=disc), tmp_path)["seat"][1]
    edge = (disc + CERAMIC[disc]) / 4  # the middle of the brass that shows, from that of the disc
    solder = box((7, disc / 2 - CERAMIC[disc] / 2 - 0.5, 2.0), (0, -edge, rim - 0.5 - 2.0))

    assert common(solder, pucks[disc].solid) < EMPTY


@pytest.mark.parametrize("jacket", JACKETS)
@pytest.mark.parametrize("disc", DISCS)
def test_the_jacket_of_the_cable_reaches_into_the_puck(
    disc: int, jacket: float, pucks: dict[int, Built]
) -> None:
    puck = pucks[disc].solid
    y0, top = puck.bounding_box()[1], puck.bounding_box()[5]
    cable = rod(jacket, 22).rotate((-90, 0, 0)).translate((0, y0 - 1, top - 0.2 - jacket / 2))

    assert common(cable, puck) < EMPTY
    assert y0 + 21 > -disc / 2 - 1  # its braid begins where the disc does
