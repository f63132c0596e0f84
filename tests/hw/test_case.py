"""The parts of hw/case/: sound as meshes, printable, and fitting what goes in and around them."""

import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from hw.enclosure import BOARDS as BOARD_NAMES
from hw.enclosure import OLEDS, PIECES, EnclosureError, Piece, build, build_all, check, fits, places
from hw.prints import measured
from tests.hw.printability import faults
from tests.hw.solids import (
    ACTIVE,
    ACTIVE_ABOVE_MIDDLE,
    BOARDS,
    EMPTY,
    MODULE,
    PCB,
    Board,
    Box,
    Built,
    box,
    built_once,
    common,
    lying_pi,
    module,
    rod,
)

BED = 180  # mm, of a small printer
Choice = tuple[str, float, bool]
CHOICES: list[Choice] = [
    (board, oled, False) for board in BOARD_NAMES for oled in OLEDS if fits(board, oled, ears=False)
]
CHOICES += [("b", 1.3, True)]  # with the boards of hw/board.md; more in test_case_ears.py
TESTED = [
    piece for piece in PIECES if not piece.ears or (piece.board, piece.oled or 1.3, True) in CHOICES
]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Built]:
    return built_once(TESTED, tmp_path_factory)


@pytest.fixture(
    scope="module", params=CHOICES, ids=lambda one: f"{one[0]}-{one[1]}{'-ears' if one[2] else ''}"
)
def choice(request: pytest.FixtureRequest) -> Choice:
    chosen: Choice = request.param
    return chosen


@pytest.fixture(scope="module")
def made(choice: Choice, built: dict[str, Built], tmp_path_factory: pytest.TempPathFactory) -> Box:
    return assembled(choice, built, tmp_path_factory.mktemp("places"))


@pytest.fixture
def board(choice: Choice) -> Board:
    return BOARDS[choice[0]]


@pytest.fixture
def oled(choice: Choice) -> float:
    return choice[1]


def assembled(choice: Choice, built: dict[str, Built], folder: Path, **settings: object) -> Box:
    name, oled, ears = choice
    body, lid = Piece("body", name, ears=ears), Piece("lid", name, oled, ears=ears)
    parts = {
        "body": built[body.name],
        "lid": built[lid.name],
        "bar": built[f"bar-{oled}"],
        "clamp": built["clamp"],
    }
    return Box(parts, places(Piece("body", name, oled, ears=ears), folder, **settings))


def names() -> list[str]:
    return [piece.name for piece in TESTED]


@pytest.mark.parametrize("name", names())
def test_a_part_is_one_watertight_solid_on_a_flat_face_that_fits_the_bed(
    name: str, built: dict[str, Built]
) -> None:
    """The first one takes its time: it builds all parts of the case, for all tests of them."""
    part = built[name]

    assert part.mesh.is_watertight
    assert part.mesh.is_winding_consistent
    assert part.mesh.volume > 100
    assert len(part.solid.decompose()) == 1
    assert part.solid.volume() == pytest.approx(part.mesh.volume, rel=1e-3)
    assert max(part.mesh.extents) < BED
    assert part.mesh.bounds[0][2] == pytest.approx(0, abs=0.01)
    on_bed = part.mesh.area_faces[part.mesh.triangles[:, :, 2].max(axis=1) < 0.01].sum()
    assert on_bed > 100


def test_the_times_of_prints_are_those_of_the_parts_as_they_are(built: dict[str, Built]) -> None:
    """A part that has changed is sliced again: make prints, make hw."""
    for name, part in built.items():
        assert measured()[name].volume_mm3 == pytest.approx(part.mesh.volume, rel=0.01), name


@pytest.mark.parametrize("name", names())
def test_a_part_prints_without_supports(name: str, built: dict[str, Built]) -> None:
    assert faults(built[name].mesh, built[name].solid) == []


def test_pillars_stand_under_the_holes_of_the_board(made: Box, board: Board) -> None:
    *others, _, _, _, _ = made.holes_of_pillars()
    pilots = made.holes_of_pillars()[-4:]

    assert len(others) == len(made.at["ears_screws"]) * bool(made.at["ears"])
    xs = sorted({round(x, 1) for x, _, _ in pilots})
    ys = sorted({round(y, 1) for _, y, _ in pilots})
    assert [b - a for a, b in pairwise(xs)] == pytest.approx([board.holes[0]], abs=0.2)
    assert [b - a for a, b in pairwise(ys)] == pytest.approx([board.holes[1]], abs=0.2)
    assert all(2.0 < d < 2.2 for *_, d in pilots)  # an M2.5 screw cuts its thread


def test_the_board_with_plugs_and_card_touches_nothing(
    made: Box, board: Board, oled: float
) -> None:
    board_in = lying_pi(made, board)
    slate = module(oled).translate((*made.at["module_at"], 0))
    button_x, button_u, button_d = made.at["button"]
    behind = made.on_slope(slate + made.flat_bars + rod(button_d, 25, (button_x, button_u, -25)))

    assert common(board_in, made.body + made.lid) < EMPTY
    assert board_in.min_gap(made.lid, 5) > 1
    assert board_in.min_gap(behind, 5) > 0.9
    assert common(behind, made.body) < EMPTY
    assert common(rod(16, 4, (button_x, button_u, -4)), made.flat_lid + made.flat_bars) < EMPTY


def test_the_board_goes_in_from_above_without_its_card(made: Box, board: Board) -> None:
    card_out = lying_pi(made, board).trim_by_plane((0, 0, 1), made.at["board_z"] + 0.1)
    right = card_out.bounding_box()[3] - 2.5
    card_out = card_out.trim_by_plane((-1, 0, 0), -right)

    for height in (10, 25, 50):
        assert common(card_out.translate((0, 0, height)), made.body) < EMPTY


def test_a_plug_of_any_make_reaches_the_power_socket(made: Box, board: Board) -> None:
    board_in = lying_pi(made, board).bounding_box()
    far, back = board_in[3] - 2.5, made.at["outside"][1]
    z = made.at["board_z"] + PCB + 1.6

    for at in board.power:  # the largest mouldings that the standards for USB-C and micro-B allow
        for size in ((12.35, 30, 6.5), (10.6, 30, 8.5)):
            plug = box(size, (far - at, back + 15 - 3, z - size[2] / 2))
            assert common(plug, made.body) < EMPTY


def test_a_card_goes_through_its_slot(made: Box, board: Board) -> None:
    board_in = lying_pi(made, board)
    x1, y1 = board_in.bounding_box()[3], board_in.bounding_box()[4] - 1.5
    z = made.at["board_z"] + (-1.2 if board.card_below else PCB)
    way = box((30, 11, 1.2), (x1 + 5, y1 - board.card, z))
    finger = box((6, 13, 18), (made.at["outside"][0] - 2, y1 - board.card, z - 3))

    assert common(way, made.body) < EMPTY
    assert common(finger, made.body) < EMPTY


def test_lid_and_body_meet_and_do_not_intersect(made: Box) -> None:
    skirt = made.lid ^ made.on_slope(box((400, 400, 2.5), (0, 0, -3)))

    assert common(made.lid, made.body) < EMPTY
    assert made.lid.min_gap(made.body, 2) < 0.05
    assert skirt.min_gap(made.body, 3) > 0.5  # else beer creeps up between them


def test_screws_of_the_lid_meet_their_pilots(made: Box) -> None:
    for x, u in made.at["lid_screws"]:
        screw = made.on_slope(rod(2.4, 11, (x, u, -9)))
        thread = made.on_slope(rod(3.2, 8, (x, u, -9)))

        assert common(screw, made.lid + made.body) < EMPTY
        assert common(thread, made.body) > 10  # mm3 for it to hold on to


def test_the_window_shows_all_of_the_active_area_and_the_glass_lies_on_the_pane(
    made: Box, oled: float
) -> None:
    x, u = made.at["module_at"]
    lit = box((*ACTIVE[oled], 20), (x, u + ACTIVE_ABOVE_MIDDLE[oled], 0))
    module_in = module(oled).translate((x, u, 0))
    pane = box(made.at["pane"], (x, u + ACTIVE_ABOVE_MIDDLE[oled], 0))

    assert common(lit, made.flat_lid) < EMPTY
    assert common(module_in, made.flat_lid) < EMPTY
    assert common(pane, made.flat_lid) < EMPTY
    assert common(made.flat_bars, made.flat_lid) < EMPTY
    for side in (-4, 4):  # the hooks leave it no way out
        assert common(module_in.translate((side, 0, 0)), made.flat_lid) > EMPTY
        assert common(module_in.translate((0, side, 0)), made.flat_lid) > EMPTY


def test_the_bars_press_both_edges_of_the_module(made: Box, oled: float) -> None:
    x, u = made.at["module_at"]
    pressed = module(oled).translate((x, u, -0.1)) ^ made.flat_bars
    left = pressed.trim_by_plane((-1, 0, 0), -x)

    assert 0 < left.volume() < pressed.volume()
    assert pressed.bounding_box()[3] - x == pytest.approx(MODULE[oled][0] / 2, abs=0.1)


def test_seated_people_can_read_the_slate(made: Box) -> None:
    """Eyes are 35 to 55 cm above a table top; the farthest seat is a metre away."""
    assert 30 <= made.at["tilt"] <= 45
    tilt = np.radians(made.at["tilt"])
    out_of_face = np.array([-np.sin(tilt), np.cos(tilt)])

    for away, up in ((300, 450), (500, 400), (700, 350), (1000, 550)):
        to_eye = np.array([-away, up]) / np.hypot(away, up)
        assert np.degrees(np.arccos(out_of_face @ to_eye)) < 45


def test_the_edge_of_the_slate_stands_above_the_table(made: Box) -> None:
    front = made.lid.bounding_box()[2]

    assert front - made.at["table_edge"][1] > 5


def test_beer_from_above_meets_the_lid_or_what_fills_its_holes(made: Box, oled: float) -> None:
    x, u = made.at["module_at"]
    pane = box(made.at["pane"], (x, u + ACTIVE_ABOVE_MIDDLE[oled], 0))
    plugs = [rod(d, 3, (a, b, 0)) for a, b, d in (made.at["button"], made.at["lamp"])]
    heads = [rod(3.6, 3, (*at, 0)) for at in made.at["lid_screws"]]
    roof = made.lid
    for filling in (pane, *plugs, *heads):
        roof += made.on_slope(filling)

    under = made.body.project().offset(2.0)  # 2 mm beside every wall are dry, too

    assert (under - roof.project()).area() < 0.5
    assert (made.body.project() - made.lid.project()).area() > 10  # the holes that were filled


def test_drops_leave_the_lid_clear_of_the_walls(made: Box) -> None:
    """The lowest point of the skirt, from where they fall, is outside of the walls."""
    x0, _, _, x1, _, _ = made.lid.bounding_box()
    wide, deep, _ = made.at["outside"]
    skirt = made.lid ^ made.on_slope(box((400, 400, 0.4), (0, 0, -3)))
    front = skirt ^ box((8, 40, 200), (8, 0, 0))  # away from the rails
    back = skirt ^ box((8, 40, 200), (8, deep + 5, 0))

    assert front.bounding_box()[4] < -0.5
    assert back.bounding_box()[1] > deep + 0.5
    assert x0 < -2
    assert x1 > wide + 2


@pytest.mark.parametrize("thick", [18, 28, 40])
def test_the_clamp_takes_table_tops_from_18_to_40_mm(made: Box, thick: int) -> None:
    edge, top = made.at["table_edge"]
    _, lower, lower_t = made.at["jaws"]
    pad_t, socket = made.at["pad"]
    x = made.at["clamp_x"]
    table = box((600, 300, thick), (x, edge - 150, top - thick))
    pad_at = (x, made.at["bolt_y"], top - thick - pad_t)
    tip = top - thick - (pad_t - socket)
    bolt = rod(6, 50, (x, made.at["bolt_y"], tip - 50))

    assert common(table, made.clamp) < EMPTY
    assert table.min_gap(made.clamp, 1) < 0.05
    assert common(table, made.body + made.lid) < EMPTY
    assert common(rod(22, pad_t, pad_at), made.clamp) < EMPTY
    assert common(bolt, made.clamp) < EMPTY
    assert tip - 50 + 6 < lower - lower_t  # its head stays below the jaw


def test_the_box_stands_on_the_clamp_and_is_screwed_to_it(made: Box) -> None:
    x = made.at["clamp_x"]

    assert common(made.body, made.clamp) < EMPTY
    assert common(made.lid, made.clamp) < EMPTY
    assert made.body.min_gap(made.clamp, 1) < 0.05
    for dx, y in made.at["clamp_screws"]:
        screw = rod(3, 25, (x + dx, y, -15))
        head = rod(6, 2.4, (x + dx, y, 3))  # a pan head, under the Pi
        assert common(screw, made.body + made.clamp) < EMPTY
        assert common(head, made.body) < EMPTY
        assert common(rod(5, 2.4, (x + dx, y, -6)), made.clamp) < EMPTY  # its nut


@pytest.mark.parametrize(("name", "tilt"), [("b", 30), ("zero", 45)])
def test_another_tilt_fits_as_well(
    name: str, tilt: int, built: dict[str, Built], tmp_path: Path
) -> None:
    pieces = (Piece("body", name), Piece("lid", name, 1.3))
    stls = build_all(pieces, tmp_path, tilt=tilt, facets=8)
    again = {piece.name: Built(stl) for piece, stl in stls.items()}
    made = assembled((name, 1.3, False), built | again, tmp_path, tilt=tilt)
    board_in = lying_pi(made, BOARDS[name])

    assert made.at["tilt"] == tilt
    assert common(made.lid, made.body) < EMPTY
    assert made.lid.min_gap(made.body, 2) < 0.05
    assert common(board_in, made.body + made.lid) < EMPTY
    assert common(made.lid, made.clamp) < EMPTY
    assert faults(again[f"body-{name}"].mesh, again[f"body-{name}"].solid) == []


@pytest.mark.parametrize("tilt", [29, 46])
def test_a_slate_that_nobody_could_read_is_not_built(tilt: int, tmp_path: Path) -> None:
    with pytest.raises(EnclosureError, match="30 to 45"):
        build(Piece("pad"), tmp_path, tilt=tilt)
    with pytest.raises(EnclosureError, match="30 to 45"):
        places(Piece("pad"), tmp_path, tilt=tilt)


def test_a_part_with_a_hole_is_not_handed_out(built: dict[str, Built], tmp_path: Path) -> None:
    sound = built["knob"].mesh
    open_one = sound.copy()
    open_one.update_faces(np.arange(len(sound.faces)) > 0)
    sound.export(tmp_path / "sound.stl")
    open_one.export(tmp_path / "open.stl")

    check(tmp_path / "sound.stl")
    with pytest.raises(EnclosureError, match=r"open\.stl has holes"):
        check(tmp_path / "open.stl")


def test_a_lid_that_its_glass_does_not_fit_is_refused_with_the_one_that_does(
    tmp_path: Path,
) -> None:
    with pytest.raises(EnclosureError, match="-D ears=true"):
        build(Piece("lid", "zero", 2.42), tmp_path)


def test_without_openscad_it_says_what_to_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(EnclosureError, match="scripts/setup hw"):
        build(Piece("pad"), tmp_path)


def test_the_letter_on_the_parts_is_the_newest_revision(made: Box) -> None:
    revisions = Path("hw/REVISIONS.md").read_text("utf-8")
    letters = re.findall(r"^## ([A-Z])\b", revisions, re.MULTILINE)

    assert letters[0] == made.at["revision"]
