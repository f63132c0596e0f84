"""hw/bom.md is what drawings, circuits and case need: each figure counted here once more."""

import csv
import re
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest
import yaml

from hw import bom, bom_page, prices
from hw.bom import (
    IN_THE_CASE,
    ONCE,
    OPTIONAL,
    PUCK,
    Row,
    case_rows,
    drawn_rows,
    optional_rows,
    soldered_rows,
)
from hw.drawings import BUILDS, HEADER, source
from hw.footprints import CHIP_8, CHIP_16, CLAMP, PITCH
from hw.front_end import ADC, PAD
from hw.layouts import FIRST_FOUR, NEXT_FOUR, TWO_PADS
from hw.parts_table import PAGE as PIEZO_PAGE
from hw.sheet import PUCK as PUCK_PARTS
from hw.sheet import Kind, Sheet

CIRCUITS = [("full", ADC), ("pads", PAD)]
PUCKS = 8


def written(build: str) -> dict[str, Any]:
    """Return the source of *build* as YAML has it."""
    text = HEADER.read_text("utf-8") + "\n" + source(build).read_text("utf-8")
    return dict(yaml.safe_load(text))


def pieces(build: str) -> Counter[str]:
    """Return how many of each thing the source of *build* names, without cables by the metre."""
    told, found = written(build), Counter[str]()
    for part in told["connectors"].values():
        found[part["type"]] += 1
        for more in part.get("additional_components", []):
            found[more["type"]] += more["qty"]
    for cable in told["cables"].values():
        if cable.get("category") == "bundle":
            found[f"{cable['type']}, {cable['length'] * 100:.0f} cm"] += len(cable["colors"])
    for one in told["additional_bom_items"]:
        if "unit" not in one:
            found[one["description"]] += one["qty"]
    return found


def metres(build: str) -> dict[str, float]:
    """Return the metres of each cable and wire that the source of *build* names."""
    told, found = written(build), defaultdict[str, float](float)
    for cable in told["cables"].values():
        if cable.get("category") != "bundle":
            found[cable["type"]] += cable["length"]
    for one in told["additional_bom_items"]:
        if one.get("unit") == "m":
            found[one["description"]] += one["qty"]
    return found


def quantities(rows: list[Row], build: str) -> dict[str, str]:
    found = {row.name: row.quantities[build] for row in rows if build in row.quantities}
    assert found
    return found


@pytest.mark.parametrize("build", BUILDS)
def test_every_part_of_a_drawing_is_listed_as_often_as_it_is_drawn(build: str) -> None:
    wanted = {name: str(number) for name, number in pieces(build).items()}
    wanted |= {name: f"{number:g} m" for name, number in metres(build).items()}

    assert quantities(list(drawn_rows()), build) == wanted


def test_a_part_that_nobody_describes_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    told = [one for one in bom._told() if one["name"] != PUCK]
    monkeypatch.setattr(bom, "_told", lambda: told)

    with pytest.raises(KeyError, match="no part 'puck with its disc'"):
        list(drawn_rows())


def test_nothing_is_described_that_no_drawing_has() -> None:
    named = {re.sub(r", \d+ cm$", "", name) for build in BUILDS for name in pieces(build)}
    cables = {name for build in BUILDS for name in metres(build)}

    assert {one["name"] for one in bom._told()} == named | cables


def test_every_part_says_what_to_ask_for_what_may_stand_in_and_what_it_is_for() -> None:
    for row in drawn_rows():
        assert row.detail, row.name
        assert row.instead, row.name
        assert row.why, row.name


@pytest.mark.parametrize(("build", "sheet"), CIRCUITS)
def test_parts_of_a_circuit_come_once_a_channel_and_the_shared_ones_once(
    build: str, sheet: Sheet
) -> None:
    rows = list(soldered_rows(build))
    listed = [ref for row in rows for ref in row.detail.split(", ")]

    assert Counter(listed) == Counter(part.ref for part in sheet.parts)
    for row in rows:
        refs = row.detail.split(", ")
        wanted = sum(1 if ref in ONCE[build] else PUCKS for ref in refs)
        if sheet.part(refs[0]).kind is Kind.COMPARATOR:
            wanted //= 2  # two in a chip
        assert row.quantities == {build: str(wanted)}


@pytest.mark.parametrize(("build", "sheet"), CIRCUITS)
def test_parts_on_one_line_are_the_same_part(build: str, sheet: Sheet) -> None:
    for row in soldered_rows(build):
        parts = [sheet.part(ref) for ref in row.detail.split(", ")]
        assert len({(part.kind, part.value, part.tolerance, part.name) for part in parts}) == 1


def test_what_serves_all_channels_is_what_the_page_of_the_circuit_says() -> None:
    text = PIEZO_PAGE.read_text(encoding="utf-8")
    (said,) = re.findall(r"^Once for each channel; ([A-Z0-9, and]+) once for all", text, re.M)

    assert set(re.findall(r"[A-Z]+\d+", said)) == ONCE["full"]
    for ref in ONCE["full"]:
        assert ADC.part(ref).why.startswith("one ")


@pytest.mark.parametrize("build", IN_THE_CASE)
def test_the_boards_to_solder_take_what_is_listed(build: str) -> None:
    """hw/layouts.py has four channels, or two pads, on a board."""
    boards = {"full": [FIRST_FOUR, NEXT_FOUR], "pads": [TWO_PADS] * (PUCKS // 2)}[build]
    drawn = quantities(list(drawn_rows()), build)
    soldered = {row.detail: row.quantities[build] for row in soldered_rows(build)}

    stand = Counter(put.footprint.name for board in boards for put in board.parts)
    refs = Counter(put.ref for board in boards for put in board.parts)
    assert drawn["strip board of 64 x 95 mm"] == str(len(boards))
    assert drawn["screw clamp, 5.08 mm, 2 poles"] == str(stand[CLAMP.name])
    chips = {"full": ("DIP-16 socket", CHIP_16), "pads": ("DIP-8 socket", CHIP_8)}
    socket, chip = chips[build]
    assert drawn[socket] == str(stand[chip.name])
    for listed, pieces_in_all in soldered.items():
        on_boards = [ref for ref in listed.split(", ") if ref not in PUCK_PARTS]
        if on_boards and not on_boards[0].startswith("U"):
            assert str(sum(refs[ref] for ref in on_boards)) == pieces_in_all, listed


@pytest.mark.parametrize("build", IN_THE_CASE)
def test_the_links_of_the_boards_fit_into_the_wire(build: str) -> None:
    boards = {"full": [FIRST_FOUR, NEXT_FOUR], "pads": [TWO_PADS] * (PUCKS // 2)}[build]
    ends_mm = 10  # what sticks out below, and is cut off
    spans = [abs(one.begin.strip - one.end.strip) for board in boards for one in board.links]

    needed_m = sum(span * PITCH + ends_mm for span in spans) / 1000
    assert needed_m <= metres(build)["tinned wire, 0.6 mm"] < 2 * needed_m + 0.5


@pytest.mark.parametrize("build", IN_THE_CASE)
def test_wires_between_the_boards_are_listed_by_the_metre(build: str) -> None:
    wires = next(put for put in {"full": NEXT_FOUR, "pads": TWO_PADS}[build].parts
                 if put.ref == "J3")  # fmt: skip
    gaps = {"full": 1, "pads": PUCKS // 2 - 1}[build]

    needed_m = gaps * len(wires.legs) * 0.08
    assert needed_m <= metres(build)["flexible wire, 0.14 mm2"] < 2 * needed_m + 0.5


def test_there_is_a_disc_and_a_clamp_for_each_puck() -> None:
    for build in IN_THE_CASE:
        drawn = quantities(list(drawn_rows()), build)
        soldered = quantities(list(soldered_rows(build)), build)
        discs = next(many for name, many in soldered.items() if name.startswith("piezo disc"))
        assert {drawn[PUCK], drawn["screw clamp, 5.08 mm, 2 poles"], discs} == {str(PUCKS)}


@pytest.mark.parametrize("name", OPTIONAL)
def test_an_optional_board_takes_what_sits_on_it(name: str) -> None:
    board, _ = OPTIONAL[name]
    listed = {row.detail: row.quantities for row in optional_rows(name) if row.detail}
    sits = Counter(put.ref for put in board.parts)
    of_the_circuit = {ref: many for ref, many in sits.items() if not ref.startswith("J")}

    assert {ref.removesuffix("A"): many for ref, many in listed.items()} == {
        ref: {name: str(many)} for ref, many in of_the_circuit.items()
    }


def test_every_button_is_listed_with_its_two_parts() -> None:
    """Where a wiring has buttons, and where a board holds them for a wiring that has none."""
    for build in BUILDS:
        drawn = written(build)["connectors"].values()
        buttons = sum(1 for part in drawn if "button" in part["type"])
        counted = quantities(list(drawn_rows()), build)
        assert int(counted.get("resistor 1 kohm", "0")) >= buttons
        assert int(counted.get("capacitor 100 nF", "0")) == buttons

    counted = quantities(list(optional_rows("buttons")), "buttons")
    two_parts = ("push button", "1 kohm", "100 nF, ceramic")
    assert [counted[name] for name in two_parts] == ["4", "4", "4"]
    assert "P6KE6.8CA, for long wires" in counted


def test_what_can_be_left_out_stands_under_optional_with_what_it_costs() -> None:
    text = bom_page.page().split("## Optional", 1)[1]

    for name, (board, _) in OPTIONAL.items():
        section = text.split(f"### {board.title}\n", 1)[1].split("###")[0]
        euro = prices.total(optional_rows(name), name)
        assert f"In all {euro.least:.0f} to {euro.most:.0f} EUR" in section
        assert all(f"| {row.name} |" in section for row in optional_rows(name))


def test_every_line_of_the_cases_page_is_listed_or_drawn() -> None:
    text = bom.CASE.read_text(encoding="utf-8")
    prints = text.split("| Part | File |")[1].split("\n\n")[0].splitlines()[2:]
    screws = text.split("| Quantity | What |")[1].split("\n\n")[0].splitlines()[2:]
    listed = {row.name for row in case_rows()}

    assert {line.split("|")[1].strip() for line in prints} <= listed
    assert {line.split("|")[2].strip() for line in screws} == (
        {row.name for row in case_rows() if row.section == "screws"} | set(bom.drawn_in_the_case())
    )


def test_what_the_case_leaves_to_the_drawings_is_drawn() -> None:
    drawn = {*pieces("full"), *metres("full")}

    assert len(bom.drawn_in_the_case()) >= 2
    assert set(bom.OF_THE_DRAWINGS.values()) <= drawn
    assert any("LED, 5 mm" in name for name in drawn)  # on one line with the button


def test_quantities_a_puck_are_multiplied() -> None:
    rows = {row.name: row.quantities for row in case_rows()}
    (screws,) = (many for name, many in rows.items() if "wood screws" in name)

    assert screws == {"pads": str(2 * PUCKS), "full": str(2 * PUCKS)}
    assert rows["puck"] == {"pads": str(PUCKS), "full": str(PUCKS)}
    assert rows["body"] == {"pads": "1", "full": "1"}


def test_a_quantity_that_cannot_be_read_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    page = tmp_path / "README.md"
    text = bom.CASE.read_text(encoding="utf-8")
    page.write_text(text.replace("| 2 a puck |", "| a pair |"), encoding="utf-8")
    monkeypatch.setattr(bom, "CASE", page)

    with pytest.raises(ValueError, match="the quantity 'a pair'"):
        list(case_rows())


def test_the_page_is_what_the_sources_make() -> None:
    """Run: make hw."""
    assert bom_page.PAGE.read_text(encoding="utf-8") == bom_page.page()


def test_the_csv_has_every_line_of_the_page(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(bom_page, "PAGE", tmp_path / "bom.md")
    monkeypatch.setattr(bom_page, "CSV", tmp_path / "built/bom.csv")

    bom_page.write()

    with (tmp_path / "built/bom.csv").open(encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    assert [line["part"] for line in lines] == [row.name for row in bom_page.all_rows()]
    assert lines[0] | {"detail": "", "instead": ""} == {
        "section": "box",
        "part": "Raspberry Pi",
        "easy": "1",
        "pads": "1",
        "full": "1",
        "gain": "",
        "buttons": "",
        "detail": "",
        "instead": "",
        "for": "runs all of it",
        "EUR from": "18",
        "EUR to": "28",
    }
    assert (tmp_path / "bom.md").read_text(encoding="utf-8") == bom_page.page()
