"""The boards of hw/board.md in the case: on their pillars, clear of all else, with their cables."""

import re
from math import radians, tan
from pathlib import Path

import pytest
from manifold3d import Manifold

from hw.board import DRILLED
from hw.board import Board as StripBoard
from hw.enclosure import OLEDS, Piece, places
from hw.footprints import PITCH
from hw.layouts import BOARDS as STRIP_BOARDS
from hw.layouts import FIRST_FOUR, NEXT_FOUR, TWO_PADS
from tests.hw.printability import faults
from tests.hw.solids import BOARDS, EMPTY, Box, box, built_once, common, lying_pi, module, rod

PAGE = Path(__file__).parents[2] / "hw/piezo.md"
BED = 180  # mm, of a small printer
LEGS = 2.0  # mm: what stands out below a board
SOCKET_DEEP = 15  # mm behind the wall: a GX12's barrel, its solder cups and the bend of a wire
SOCKET_NUT = 16.2  # mm over its corners: 14 across flats
PLUG_RING = 15  # mm: what is turned by two fingers
STACKS = ((FIRST_FOUR, NEXT_FOUR), (TWO_PADS, TWO_PADS))
CHOICES = (("b", 2.42), ("zero", OLEDS[0]))  # test_case.py has ("b", 1.3)


@pytest.fixture(scope="module", params=CHOICES, ids=lambda one: f"{one[0]}-{one[1]}")
def choice(request: pytest.FixtureRequest) -> tuple[str, float]:
    chosen: tuple[str, float] = request.param
    return chosen


@pytest.fixture(scope="module")
def made(choice: tuple[str, float], tmp_path_factory: pytest.TempPathFactory) -> Box:
    folder = tmp_path_factory.mktemp("ears")
    name, oled = choice
    pieces = {
        "body": Piece("body", name, ears=True),
        "lid": Piece("lid", name, oled, ears=True),
        "bar": Piece("bar", oled=oled),
        "clamp": Piece("clamp"),
    }
    stls = built_once(pieces.values(), tmp_path_factory)
    parts = {part: stls[piece.name] for part, piece in pieces.items()}
    return Box(parts, places(Piece("body", name, oled, ears=True), folder))


def solid(board: StripBoard, thick: float) -> Manifold:
    """Return *board* with all that stands on it, Y1 at the origin, strips along x."""
    long, wide = board.size
    made = box((long, wide, thick + LEGS), (long / 2, wide / 2, -LEGS))
    for put in board.parts:
        for one in put.body():
            size = (one.right - one.left, one.bottom - one.top, put.footprint.height)
            x = (one.left + one.right) / 2 + PITCH / 2
            y = wide - PITCH / 2 - (one.top + one.bottom) / 2
            made += box(size, (x, y, thick))
    for x, y in screws(board):
        made -= rod(6.2, LEGS, (x, y, -LEGS))  # its pillar stands there
    return made


def screws(board: StripBoard) -> list[tuple[float, float]]:
    wide = board.size[1]
    return [(x + PITCH / 2, wide - PITCH / 2 - y) for x, y in (hole.mm for hole in board.screws)]


def stack(made: Box, boards: tuple[StripBoard, StripBoard]) -> Manifold:
    thick = made.at["ears_board"][2]
    lower, upper = (
        solid(board, thick).translate(tuple(at))
        for board, at in zip(boards, made.at["ears"], strict=True)
    )
    assert lower.min_gap(upper, 5) > 1  # the spacers are long enough
    return lower + upper


def test_the_case_is_made_for_the_boards_as_they_are(made: Box) -> None:
    """One source: hw/layouts.py. The figures in boards.scad must be those."""
    for board in STRIP_BOARDS:
        long, wide, _, parts = made.at["ears_board"]
        assert (long, wide) == pytest.approx(board.size)
        assert parts >= board.height
        assert _near(made.at["ears_screws"], screws(board))


def _near(some: list[list[float]], others: list[tuple[float, float]]) -> bool:
    return all(
        one == pytest.approx(two, abs=0.01)
        for one, two in zip(sorted(map(tuple, some)), sorted(others), strict=True)
    )


def test_pillars_stand_under_the_screws_of_the_boards(made: Box) -> None:
    x0, y0, z0 = made.at["ears"][0]
    pilots = made.holes_of_pillars()[:-4]
    wanted = sorted((x0 + x, y0 + y) for x, y in screws(FIRST_FOUR))

    assert z0 == made.at["board_z"]
    assert _near([[x, y] for x, y, _ in pilots], wanted)
    assert all(2.0 < d < 2.2 < DRILLED for *_, d in pilots)


@pytest.mark.parametrize("boards", STACKS, ids=("ears", "pads"))
def test_two_boards_touch_nothing_in_the_closed_box(
    made: Box, choice: tuple[str, float], boards: tuple[StripBoard, StripBoard]
) -> None:
    both = stack(made, boards)
    pi_in = lying_pi(made, BOARDS[choice[0]])
    button_x, button_u, button_d = made.at["button"]
    ring_x, ring_u, buzzer_d = made.at["buzzer"]
    behind = module(choice[1]).translate((*made.at["module_at"], 0)) + made.flat_bars
    behind += rod(button_d, 25, (button_x, button_u, -25)) + rod(buzzer_d, 9, (ring_x, ring_u, -9))

    assert common(both, made.body + made.lid) < EMPTY
    assert both.min_gap(made.lid, 5) > 1
    assert both.min_gap(pi_in, 5) > 0.9
    assert both.min_gap(made.on_slope(behind), 5) > 0.9


def test_the_boards_go_in_from_above(made: Box) -> None:
    both = stack(made, STACKS[0])

    for height in (10, 30, 60):
        assert common(both.translate((0, 0, height)), made.body) < EMPTY


def sockets(made: Box) -> list[Manifold]:
    """Return what each socket takes up behind the wall: barrel and nut of a GX12, its wires."""
    inside = made.at["outside"][1] - made.at["walls"]
    found = []
    for x, z in made.at["sockets"]:
        one = rod(13, SOCKET_DEEP) + rod(SOCKET_NUT, 3)
        found.append(one.rotate((90, 0, 0)).translate((x, inside - 0.01, z)))
    return found


def test_each_puck_has_a_socket_in_the_back_wall(made: Box) -> None:
    assert len(made.at["sockets"]) == 8
    for x, z in made.at["sockets"]:
        back = made.at["outside"][1]
        thread = rod(12, 10).rotate((90, 0, 0)).translate((x, back + 2, z))
        edge = (rod(15, 2) - rod(14.4, 2)).rotate((90, 0, 0)).translate((x, back, z))
        assert common(thread, made.body) < EMPTY
        assert common(edge, made.body) == pytest.approx(edge.volume(), rel=0.01)  # wall around


@pytest.mark.parametrize("boards", STACKS, ids=("ears", "pads"))
def test_the_sockets_are_clear_of_all_else_and_of_each_other(
    made: Box, choice: tuple[str, float], boards: tuple[StripBoard, StripBoard]
) -> None:
    pi_in = lying_pi(made, BOARDS[choice[0]])
    button_x, button_u, button_d = made.at["button"]
    ring_x, ring_u, buzzer_d = made.at["buzzer"]
    behind = module(choice[1]).translate((*made.at["module_at"], 0)) + made.flat_bars
    behind += rod(button_d, 25, (button_x, button_u, -25)) + rod(buzzer_d, 9, (ring_x, ring_u, -9))
    all_else = stack(made, boards) + pi_in + made.on_slope(behind)
    found = sockets(made)

    for number, one in enumerate(found):
        assert common(one, made.body + made.lid) < EMPTY
        assert one.min_gap(all_else, 5) > 0.9
        assert all(common(one, other) < EMPTY for other in found[:number])


def test_fingers_reach_around_the_ring_of_a_plug(made: Box) -> None:
    at = made.at["sockets"]
    apart = [((x - a) ** 2 + (z - b) ** 2) ** 0.5 for x, z in at for a, b in at if (x, z) != (a, b)]

    assert min(apart) >= PLUG_RING + 1
    for x, z in at:
        ring = rod(PLUG_RING, 12).rotate((-90, 0, 0)).translate((x, made.at["outside"][1], z))
        assert common(ring, made.lid) < EMPTY


def test_no_cable_of_a_puck_comes_through_the_floor(made: Box) -> None:
    """With a plug at the box nothing of a puck is inside but its socket."""
    lane = box((8, 40, 2), (2.4 + 4.5, made.at["outside"][1] / 2, 0.5))

    assert common(lane, made.body) == pytest.approx(lane.volume(), rel=0.01)


def test_the_buzzer_has_its_ring_in_the_lid(made: Box) -> None:
    x, u, d = made.at["buzzer"]

    assert common(rod(d, 9, (x, u, -9)), made.flat_lid) < EMPTY
    assert common(rod(d + 3, 4, (x, u, -4)), made.flat_lid) > 10


def test_the_wide_box_closes_and_stands_on_its_clamp(made: Box) -> None:
    at = made.at["clamp_screws"]
    screws_in = [rod(3, 25, (made.at["clamp_x"] + x, y, -15)) for x, y in at]
    heads = [rod(6, 2.4, (made.at["clamp_x"] + x, y, 3)) for x, y in at]

    assert common(made.lid, made.body) < EMPTY
    assert made.lid.min_gap(made.body, 2) < 0.05
    for one in (*screws_in, *heads):
        assert common(one, made.body + made.clamp) < EMPTY


def test_the_other_wide_box_prints_without_supports(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """That of the large boards is among the parts of test_case.py, but for the widest glass."""
    pieces = (
        Piece("body", "zero", ears=True),
        Piece("lid", "zero", OLEDS[0], ears=True),
        Piece("lid", "b", OLEDS[-1], ears=True),
    )

    for part in built_once(pieces, tmp_path_factory).values():
        assert part.mesh.is_watertight
        assert max(part.mesh.extents) < BED
        assert faults(part.mesh, part.solid) == []


def test_fewer_seats_have_the_upper_row_alone(tmp_path: Path) -> None:
    at = places(Piece("body", "zero", ears=True), tmp_path)["sockets"]

    four = places(Piece("body", "zero", ears=True), tmp_path, plugs=4)["sockets"]

    assert four == at[:4]
    assert len({z for _, z in four}) == 1
    assert all(z < four[0][1] for _, z in at[4:])


@pytest.mark.parametrize("name", ["zero", "b"])
def test_a_taller_body_takes_two_more_boards_under_the_same_lid(name: str, tmp_path: Path) -> None:
    """What stands above the boards rises by two of them, and nothing else moves (hw/piezo.md)."""
    said = re.search(
        r"([\d.]+) mm taller,\s+with `-D ears_parts=([\d.]+)`", PAGE.read_text("utf-8")
    )
    assert said is not None
    piece = Piece("body", name, ears=True)
    usual, tall = places(piece, tmp_path), places(piece, tmp_path, ears_parts=float(said[2]))
    (*_, lower), (*_, upper) = usual["ears"]
    rise = 2 * (upper - lower)

    assert float(said[1]) == pytest.approx(rise)
    assert tall["front_height"] == pytest.approx(usual["front_height"] + rise)
    assert tall["outside"] == pytest.approx([*usual["outside"][:2], usual["outside"][2] + rise])
    for (x, z), (at_x, at_z) in zip(tall["sockets"], usual["sockets"], strict=True):
        assert (x, z) == pytest.approx((at_x, at_z + rise))
    raised = {"front_height", "outside", "sockets", "ears_board"}
    assert {one: tall[one] for one in tall if one not in raised} == {
        one: usual[one] for one in usual if one not in raised
    }


@pytest.mark.parametrize("name", ["zero", "b"])
def test_the_usual_body_has_no_room_for_a_third_board(name: str, tmp_path: Path) -> None:
    at = places(Piece("body", name, ears=True), tmp_path)
    (_, front, lower), (*_, upper) = at["ears"]
    third = upper + (upper - lower) + at["ears_board"][2]

    assert third > at["front_height"] + front * tan(radians(at["tilt"]))


def test_without_ears_there_are_no_pillars_for_them(tmp_path: Path) -> None:
    at = places(Piece("body", "b", 1.3), tmp_path)

    assert (at["ears"], at["sockets"]) == ([], [])
