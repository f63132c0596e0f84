"""Prices of builds: a range for each line, with its date, and nothing but their sums."""

import re

import pytest

from hw import bom_page, prices
from hw.bom import PUCK, Row
from hw.bom_page import all_rows
from hw.drawings import BUILDS
from hw.prices import Euro, each, line, total

PUT_TOGETHER = {PUCK, "front-end board with the MCP3208", "board with the pads"}
PRINTED = {"body", "lid", "bar", "clamp", "pad, knob", "puck"}


def written() -> list[list[str]]:
    """Return the cells of every table row of the page that has a price."""
    lines = bom_page.page().splitlines()
    return [[cell.strip() for cell in one.strip("|").split("|")] for one in lines if " to " in one]


def test_every_line_has_a_range() -> None:
    for row in all_rows():
        euro = each(row)
        if row.name in PUT_TOGETHER | (PRINTED if row.section == "prints" else set()):
            assert euro == Euro(0, 0)  # its parts, or its plastic, are other lines
        else:
            assert 0 < euro.least < euro.most < 4 * euro.least + 1, row.name


def test_nothing_has_a_price_that_no_build_takes() -> None:
    known, _ = prices._told()
    used = {id(each(row)) for row in all_rows()}

    assert {name for name, euro in known.items() if id(euro) not in used} == set()


@pytest.mark.parametrize("build", BUILDS)
def test_a_build_costs_the_sum_of_its_lines(build: str) -> None:
    least = most = 0.0
    for row in all_rows():
        if build in row.quantities:
            number = re.match(r"[\d.]+", row.quantities[build])
            amount = float(number[0]) if number else 1.0
            least, most = least + amount * each(row).least, most + amount * each(row).most
    said = total(all_rows(), build)

    assert (said.least, said.most) == pytest.approx((least, most))
    assert f"| {build} | {least:.0f} EUR | {most:.0f} EUR |" in bom_page.page()


def test_the_page_says_each_range_and_when_it_was_estimated() -> None:
    page = bom_page.page()
    ranges = [cell for cells in written() for cell in cells if re.match(r"[\d.]+ to [\d.]+$", cell)]
    priced = [row for row in all_rows() if each(row).most]

    assert len(ranges) == len(priced)
    assert re.fullmatch(r"[A-Z][a-z]+ 20\d\d", prices.estimated())
    assert f"estimated by us in {prices.estimated()}" in page
    assert not re.search(r"https?:|www\.", page)  # no shop


def test_a_line_without_a_price_is_named() -> None:
    with pytest.raises(KeyError, match="no price for 'a beer'"):
        line(Row("box", "a beer", {"easy": "1"}, "", ""), "easy")


def test_names_that_say_more_have_the_price_of_their_name() -> None:
    assert each(Row("wires", "jumper wire, female to male, 20 cm", {}, "", "")).most < 1
    short, long = "M2.5 x 8, pan head", "M2.5 x 8, pan head, 5 mm head"
    assert each(Row("screws", short, {}, "", "")) == each(Row("screws", long, {}, "", ""))


def test_what_a_first_order_forgets_is_listed() -> None:
    quantities = {row.name: row.quantities for row in all_rows()}

    assert quantities["card reader"].keys() == set(BUILDS)
    for name in ("solder", "plug, GX12, 2 poles", "socket, GX12, 2 poles"):
        assert quantities[name].keys() == {"pads", "full"}
