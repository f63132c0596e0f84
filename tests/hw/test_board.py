"""The boards are the circuits: by their copper, and with room for every part. One slip is told."""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import pytest

from hw.board import Board, Leg, Link, Put
from hw.board_page import PAGE
from hw.footprints import WIRE, Hole, Stand
from hw.front_end import ADC, GAIN, PAD
from hw.hands import BUTTON
from hw.layouts import BOARDS, FIRST_FOUR, FOUR_STAGES, MCP3208, MCP6547, NEXT_FOUR, TWO_PADS
from hw.parts_table import PAGE as PIEZO
from hw.sheet import GROUND, PUCK, Sheet

SHEETS = {"ears": ADC, "more-ears": ADC, "pads": PAD, "buttons": BUTTON, "gain": GAIN}
HALVES = {"U1A", "U1B", "U2A"}
ELSEWHERE = {"S1", "R10"}  # at the seat, and inside the Pi
SAWN_FROM = (95.25, 63.5)  # mm: strip board with 25 strips of 37 holes, as sold


@pytest.fixture(params=BOARDS, ids=lambda board: board.name)
def board(request: pytest.FixtureRequest) -> Board:
    chosen: Board = request.param
    return chosen


def test_copper_and_circuit_agree_and_everything_has_room(board: Board) -> None:
    assert list(board.faults()) == []


def test_each_part_of_the_circuit_is_on_the_board_and_no_other(board: Board) -> None:
    sheet = SHEETS[board.name]
    wanted = {part.ref for part in sheet.parts} - PUCK - HALVES - ELSEWHERE
    once = {"C5", "C6", "R4", "R5"} if sheet is ADC else set()
    groups = {put.group for put in board.parts} - {None}

    for group in groups:
        own = {put.ref for put in board.parts if put.group == group}
        assert own - {"J1", "U1"} == wanted - once
    shared = {put.ref for put in board.parts if put.group is None} - {"J2", "J3", "U1", "U2"}
    assert shared == (once if board is FIRST_FOUR else set())


def test_eight_channels_are_on_two_boards_and_two_pads_on_one() -> None:
    groups = [sorted({put.group for put in board.parts if put.group is not None})
              for board in BOARDS]  # fmt: skip

    assert groups == [[0, 1, 2, 3], [4, 5, 6, 7], [1, 2], [1, 2, 3, 4], [1, 2, 3, 4]]


def test_nets_are_those_that_are_simulated(board: Board) -> None:
    sheet = SHEETS[board.name]

    for put in board.parts:
        if put.ref in {"J1", "J2", "J3", "U1", "U2"}:
            continue
        drawn = sheet.nets_of(sheet.part(put.ref))
        assert [leg.net for leg in put.legs][:2] == [_own(net, put.group) for net in drawn]


def _own(net: str, group: int | None) -> str:
    return net if group is None or net == GROUND or net.startswith("3V3") else f"{net}{group}"


def test_the_amplifier_is_wired_as_its_maker_names_the_pins() -> None:
    """Microchip DS21733: 1 VOUTA, 2 VINA-, 3 VINA+, 4 VSS, 5 VINB+, 6 VINB-, 7 VOUTB, 8 VDD."""
    plus, minus, out = GAIN.nets_of(GAIN.part("U2A"))
    chips = [[leg.net for leg in put.legs] for put in FOUR_STAGES.parts if put.ref == "U2"]

    assert chips == [
        [*(f"{net}{one}" for net in (out, minus, plus)), GROUND,
         *(f"{net}{one + 1}" for net in (plus, minus, out)), "3V3A"]
        for one in (1, 3)
    ]  # fmt: skip


def test_a_channel_s_way_to_the_converter_can_be_led_through_its_stage() -> None:
    """The link of the first three, and a cut for the fourth: then wires from either end."""
    page = PAGE.read_text(encoding="utf-8")
    ways = [("B16", "N16"), ("G15", "O15"), ("L17", "P17"), ("Q15", "Q17")]
    used = {hole for put in FIRST_FOUR.parts for hole in put.holes}
    links = tuple(link for link in FIRST_FOUR.links if (str(link.begin), str(link.end)) not in ways)
    opened = replace(FIRST_FOUR, links=links, cuts=FIRST_FOUR.cuts | {Hole.named("Q16")})
    chip = next(put for put in FIRST_FOUR.parts if put.ref == "U1")

    assert len(links) == len(FIRST_FOUR.links) - 3
    for number, (channel, converter) in enumerate(ways):
        assert f"IN{number + 1} to {channel}, AMP{number + 1} to {converter}" in page
        begin, end = Hole.named(channel), Hole.named(converter)
        assert not {begin, end, Hole.named("Q16")} & used
        r3 = next(put for put in FIRST_FOUR.parts if put.name == f"R3 of {number}")
        assert opened.copper[begin] == opened.copper[r3.holes[1]]
        assert opened.copper[end] == opened.copper[chip.holes[number]] != opened.copper[begin]


def test_a_part_stands_as_its_kind_does(board: Board) -> None:
    sheet = SHEETS[board.name]

    for put in board.parts:
        if put.ref[0] not in "JU" or put.ref.startswith("JP"):
            assert sheet.part(put.ref).kind in put.footprint.kinds, put.name


def test_the_converter_is_wired_as_its_maker_names_the_pins() -> None:
    """Microchip DS21298, "pin function table": 9 is DGND, 16 is VDD; DS21295 (MCP3008) as well."""
    by_pin = dict(enumerate(MCP3208, start=1))

    assert [by_pin[pin] for pin in range(1, 9)] == [f"CH{at}" for at in range(8)]
    assert {by_pin[9], by_pin[14]} == {GROUND}
    assert [by_pin[pin] for pin in (10, 11, 12, 13)] == ["CS", "DIN", "DOUT", "CLK"]
    assert {by_pin[15], by_pin[16]} == {"3V3A"}


def test_the_comparator_is_wired_as_its_maker_names_the_pins() -> None:
    """Microchip DS21696 and DS21714; TI SNOS100 (LMC6772) has the same, and so had the TLC372."""
    (told,) = re.findall(r"Its legs: (.*?)\.\n", PIEZO.read_text("utf-8"))
    leg = {name: int(number) for number, name in re.findall(r"(\d) (\S+?)(?:,|$)", told)}
    halves = {tuple(leg[name] for name in (f"VIN{x}+", f"VIN{x}-", f"OUT{x}")) for x in "AB"}
    chip = next(put for put in TWO_PADS.parts if put.ref == "U1")

    assert set(MCP6547.values()) == halves
    assert (chip.legs[leg["VSS"] - 1].net, chip.legs[leg["VDD"] - 1].net) == (GROUND, "3V3")
    assert chip.legs[0].net == chip.legs[6].net
    assert chip.legs[2].net == chip.legs[5].net


def test_cuts_lie_under_every_chip_where_its_sides_differ(board: Board) -> None:
    for put in board.parts:
        if put.footprint.stand is not Stand.CHIP:
            continue
        half = len(put.legs) // 2
        for left, right in zip(put.legs[:half], reversed(put.legs[half:]), strict=True):
            between = {Hole(left.hole.strip, left.hole.at + step) for step in (1, 2)}
            assert bool(between & board.cuts) == (left.net != right.net)


def test_boards_are_sawn_from_one_that_is_sold(board: Board) -> None:
    length, width = board.size

    assert length <= SAWN_FROM[0]
    assert width == pytest.approx(SAWN_FROM[1])
    assert (length, width, board.screws) == (*BOARDS[0].size, BOARDS[0].screws)


def test_the_boards_are_joined_by_wires_of_the_same_names() -> None:
    one, other = (
        {leg.net for leg in next(put for put in board.parts if put.ref == "J3").legs}
        for board in (FIRST_FOUR, NEXT_FOUR)
    )

    assert one == other
    assert {leg.net for put in FIRST_FOUR.wires() if put.ref == "J2" for leg in put.legs} == {
        "3V3", GROUND, "CLK", "DOUT", "DIN", "CS",
    }  # fmt: skip


def test_a_second_board_of_pads_takes_its_supply_from_the_first() -> None:
    """The header has no third 3V3: one is the slate's."""
    to_pi, to_more = (
        {leg.net for leg in next(put for put in TWO_PADS.parts if put.ref == ref).legs}
        for ref in ("J2", "J3")
    )

    assert to_pi - to_more == {"OUT1", "OUT2"}
    assert to_more == {"3V3", GROUND}


# What follows slips once, in every way there is, and must be told each time.


def test_a_missing_link_is_told(board: Board) -> None:
    for link in board.links:
        less = replace(board, links=tuple(one for one in board.links if one is not link))
        assert any("pieces" in fault for fault in less.wiring_faults()), link.name


def test_a_missing_cut_is_told(board: Board) -> None:
    for cut in board.cuts:
        less = replace(board, cuts=board.cuts - {cut})
        assert any("touch" in fault for fault in less.wiring_faults()), str(cut)


def test_a_cut_too_many_is_told(board: Board) -> None:
    """Between any two legs that share a strip; elsewhere it would do no harm."""
    for before, after in _neighbours(board):
        for at in range(before.at + 1, after.at):
            more = replace(board, cuts=board.cuts | {Hole(before.strip, at)})
            assert any("pieces" in fault for fault in more.wiring_faults()), (before, after)


def test_a_screw_through_a_strip_in_use_is_told(board: Board) -> None:
    """Its hole takes the copper away, as a cut does."""
    before, after = next(pair for pair in _neighbours(board) if pair[1].at > pair[0].at + 1)
    drilled = (*board.screws, Hole(before.strip, before.at + 1))

    more = replace(board, screws=drilled)

    assert any("pieces" in fault for fault in more.wiring_faults()), (before, after)


def _neighbours(board: Board) -> Iterator[tuple[Hole, Hole]]:
    """Yield holes in use that are joined by their strip alone."""
    legs = {hole for put in board.parts for hole in put.holes}
    ends = {hole for link in board.links for hole in (link.begin, link.end)}
    off = board.cuts | set(board.screws)
    for before, after in pairwise(sorted(legs | ends)):
        if before.strip == after.strip and not any(
            Hole(before.strip, at) in off for at in range(before.at, after.at)
        ):
            yield before, after


def test_a_leg_in_the_strip_beside_its_own_is_told(board: Board) -> None:
    tried = 0
    for put in board.parts:
        for number, leg in enumerate(put.legs):
            for step in (-1, 1):
                moved = leg.hole.below(step)
                if board.copper.get(moved) == board.copper[leg.hole]:
                    continue  # it is the same net there
                slip = _with_leg(put, number, Leg(moved, leg.net))
                parts = tuple(slip if one is put else one for one in board.parts)
                faults = replace(board, parts=parts)
                assert list(faults.wiring_faults()) or list(faults.hole_faults()), (put, moved)
                tried += 1

    assert tried > 40


def _with_leg(put: Put, number: int, leg: Leg) -> Put:
    return replace(put, legs=(*put.legs[:number], leg, *put.legs[number + 1 :]))


def test_a_turned_diode_or_chip_is_told(board: Board) -> None:
    for put in board.parts:
        if put.ref in {"D2", "D3", "U1", "U2"} or put.name == "C5":
            turned = [leg.net for leg in put.legs]
            turned = turned[::-1] if put.ref[0] != "U" else turned[8:] + turned[:8]
            if put.ref[0] == "U" and len(put.legs) == 8:
                turned = [leg.net for leg in put.legs][4:] + [leg.net for leg in put.legs][:4]
            legs = tuple(Leg(leg.hole, net) for leg, net in zip(put.legs, turned, strict=True))
            parts = tuple(replace(put, legs=legs) if one is put else one for one in board.parts)
            assert list(replace(board, parts=parts).wiring_faults()), put.name


def test_a_link_to_the_strip_beside_is_told(board: Board) -> None:
    for link in board.links:
        for step in (-1, 1):
            slip = replace(link, end=link.end.below(step))
            if board.copper.get(slip.end) == board.copper[link.end]:
                continue  # it is the same net there
            links = tuple(slip if one is link else one for one in board.links)
            faults = replace(board, links=links)
            assert list(faults.wiring_faults()) or list(faults.hole_faults()), slip.name


@pytest.mark.parametrize(
    ("holes", "told"),
    [
        (("A1", "B3"), "does not reach"),  # aslant
        (("A1", "A9"), "does not reach"),  # along the strip: both ends on one net anyway
        (("A30", "B30"), "not on the board"),
        (("C8", "D8"), "no copper at C8"),
        (("B2", "C2"), "no copper at B2"),
        (("E19", "F19"), "are both in E19"),
    ],
)
def test_a_part_in_impossible_holes_is_told(holes: tuple[str, str], told: str) -> None:
    r4 = next(put for put in FIRST_FOUR.parts if put.name == "R4")
    legs = tuple(Leg(Hole.named(name), leg.net) for name, leg in zip(holes, r4.legs, strict=True))
    parts = tuple(replace(r4, legs=legs) if one is r4 else one for one in FIRST_FOUR.parts)

    assert any(told in fault for fault in replace(FIRST_FOUR, parts=parts).hole_faults())


def test_a_chip_whose_rows_are_too_far_apart_is_told() -> None:
    chip = next(put for put in TWO_PADS.parts if put.ref == "U1")
    row = tuple(Leg(Hole(leg.hole.strip, leg.hole.at + 1), leg.net) for leg in chip.legs[4:])
    wide = replace(chip, legs=(*chip.legs[:4], *row))
    parts = tuple(wide if one is chip else one for one in TWO_PADS.parts)

    faults = list(replace(TWO_PADS, parts=parts).hole_faults())

    assert any("DIP-8 in a socket does not reach" in fault for fault in faults)


def test_bodies_that_overlap_are_told() -> None:
    """A film capacitor one hole to the left stands in the jumper beside it."""
    c2 = next(put for put in FIRST_FOUR.parts if put.name == "C2 of 0")
    left = replace(
        c2, legs=tuple(Leg(Hole(leg.hole.strip, leg.hole.at - 1), leg.net) for leg in c2.legs)
    )
    parts = tuple(left if one is c2 else one for one in FIRST_FOUR.parts)

    faults = list(replace(FIRST_FOUR, parts=parts).room_faults())

    assert "JP1 of 0 and C2 of 0 are in each other's way" in faults


def test_a_screw_under_a_part_and_a_part_over_the_edge_are_told() -> None:
    screws = (Hole.named("E4"),)
    narrow = replace(TWO_PADS, length=23)

    assert "J1 of 0 is in the way of the screw in E4" in list(
        replace(FIRST_FOUR, screws=screws).room_faults()
    )
    assert "J2 stands over the edge" in list(narrow.room_faults())


def test_a_link_aslant_is_told() -> None:
    slip = Link(Hole.named("W5"), Hole.named("Y9"))

    assert "link W5-Y9 runs aslant" in list(
        replace(FIRST_FOUR, links=(*FIRST_FOUR.links, slip)).hole_faults()
    )


def test_holes_have_names_that_people_say() -> None:
    assert str(Hole(3, 4)) == "D5"
    assert Hole.named("Y24") == Hole(24, 23)


def test_wires_that_leave_are_where_they_can_be_soldered(board: Board) -> None:
    wires = board.wires()

    assert wires
    assert all(put.footprint is WIRE for put in wires)
    legs = [leg for put in board.parts for leg in put.legs]
    for put in wires:
        for leg in put.legs:
            others = [one for one in legs if board.copper[one.hole] == board.copper[leg.hole]]
            assert len(others) > 1, leg


def test_sheets_of_the_tests_are_those_of_the_boards() -> None:
    assert set(SHEETS) == {board.name for board in BOARDS}
    assert all(isinstance(sheet, Sheet) for sheet in SHEETS.values())
