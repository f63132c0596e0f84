"""hw/board.md and its pictures show the boards that are checked, and volts of their circuits."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from hw.board import Board
from hw.board_drawing import SCALE, draw_copper, draw_top
from hw.board_page import PAGE, ears_volts, pads_volts, rewritten
from hw.footprints import PITCH
from hw.front_end import ADC
from hw.layouts import BOARDS
from hw.marked import filled
from hw.pictures import FOLDER

ALL = pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.name)
SVG = "{http://www.w3.org/2000/svg}"


@ALL
def test_the_pictures_that_are_shown_are_those_of_the_board(board: Board) -> None:
    """When it fails: make hw, look at the picture, commit it."""
    shown = [
        Path(FOLDER, f"board-{board.name}-{side}.svg").read_text("utf-8")
        for side in ("top", "copper")
    ]

    assert shown == [draw_top(board), draw_copper(board)]


@ALL
def test_the_picture_names_each_part_and_each_wire(board: Board) -> None:
    texts = _texts(draw_top(board))

    for put in board.parts:
        if put in board.wires():
            assert {leg.net for leg in put.legs} <= set(texts)
        elif put.ref != "J1":
            wanted = sum(one.ref == put.ref for one in board.parts)
            assert texts.count(put.ref) == wanted, put.name
    assert (
        texts.count("core") == texts.count("braid") == sum(put.ref == "J1" for put in board.parts)
    )


@ALL
def test_the_copper_side_is_the_other_one_mirrored(board: Board) -> None:
    """Crosses of cuts: as far from the right edge here as from the left edge there."""
    top, copper = (_crosses(picture) for picture in (draw_top(board), draw_copper(board)))
    width = float(_read(draw_top(board)).attrib["viewBox"].split()[2])

    assert len(top) == len(board.cuts)
    mirrored = {(round(width - x), round(y)) for x, y in top}
    assert mirrored == {(round(x), round(y)) for x, y in copper}


@ALL
def test_holes_are_numbered_from_the_right_on_the_copper_side(board: Board) -> None:
    for picture, step in ((draw_top(board), PITCH), (draw_copper(board), -PITCH)):
        at = {
            int(one.text): float(one.attrib["x"])
            for one in _read(picture).iter(f"{SVG}text")
            if one.text and one.text.isdecimal() and float(one.attrib["font-size"]) > 1.1 * SCALE
        }
        assert list(at) == list(range(1, board.length + 1))
        assert at[2] - at[1] == pytest.approx(step * SCALE, abs=0.2)


def _read(picture: str) -> ElementTree.Element:
    return ElementTree.fromstring(picture)  # noqa: S314 - drawn by ourselves a moment ago


def _texts(picture: str) -> list[str]:
    return [one.text or "" for one in _read(picture).iter(f"{SVG}text")]


def _crosses(picture: str) -> list[tuple[float, float]]:
    return [
        (float(one.attrib["cx"]), float(one.attrib["cy"]))
        for one in _read(picture).iter(f"{SVG}circle")
        if one.attrib["stroke"] == "#b3261e" and one.attrib["fill"] == "#f3e3c3"
    ]


def test_its_lists_are_those_of_the_boards() -> None:
    """When it fails: make hw."""
    text = PAGE.read_text(encoding="utf-8")

    assert rewritten(text) == text


def test_a_page_without_a_place_for_a_list_is_told() -> None:
    with pytest.raises(ValueError, match="no place for cuts of ears"):
        rewritten("# The boards\n")


@pytest.mark.parametrize(
    "page",
    [
        "<!-- end -->\n",
        "<!-- a -->\n",
        "<!-- end -->\n<!-- a -->\n",
        2 * "<!-- a -->\n<!-- end -->\n",
    ],
)
def test_a_mark_without_its_end_or_twice_takes_nothing_off_a_page(page: str) -> None:
    with pytest.raises(ValueError, match="no place for a"):
        filled(page, "a", "made\n")


def test_what_it_links_to_is_there() -> None:
    links = re.findall(r"\]\(([^)#]+)\)", PAGE.read_text(encoding="utf-8"))

    assert [link for link in links if not (PAGE.parent / link).exists()] == []


def test_spacers_are_of_nylon_because_strips_differ_under_them() -> None:
    under = [{board.copper.get(hole.below(by)) for by in (-1, 1)}
             for board in BOARDS for hole in board.screws]  # fmt: skip
    case = (PAGE.parent / "case" / "README.md").read_text("utf-8")

    assert all(len(pieces) > 1 for pieces in under)
    assert "**Spacers of nylon:**" in PAGE.read_text("utf-8")
    assert "nylon spacers M2.5 x 15" in case


def test_volts_are_what_the_resistors_make_of_the_supply() -> None:
    """By hand: R4 against R5; then R2 against R1, with a meter of 10 Mohm beside it."""
    rail = ears_volts()[0][2]
    ohm = {ref: ADC.part(ref).value for ref in ("R1", "R2", "R3", "R4", "R5")}
    supply = rail * (ohm["R4"] + ohm["R5"]) / ohm["R5"]
    meter = 10e6 + ohm["R3"]
    puck = 1 / (1 / ohm["R1"] + 1 / meter)

    off, on = (row[2] for row in ears_volts()[2:4])

    assert supply == pytest.approx(3.3, abs=0.05)
    assert off == pytest.approx(rail * 10e6 / (10e6 + ohm["R2"] + ohm["R3"]), abs=0.02)
    assert on == pytest.approx(rail * puck / (ohm["R2"] + puck), abs=0.02)


def test_thresholds_of_the_pad_lie_around_its_middle() -> None:
    volts = [row[2] for row in pads_volts()]
    supply, fine, coarse = volts[0], (volts[4], volts[6]), (volts[5], volts[7])

    for high, low in (fine, coarse):
        assert (high + low) / 2 == pytest.approx(supply / 2, abs=0.02)
    assert fine[0] - fine[1] < 0.1 < 1.0 < coarse[0] - coarse[1]
