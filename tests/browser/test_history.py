"""What stays of the evenings in a real browser: eight long names, small phones, day and dark."""

import re
from dataclasses import replace
from typing import TYPE_CHECKING, cast

import pytest
from playwright.sync_api import Page, expect

from kloplei.table.history_client import Evening, Player
from tests.browser.conftest import House, Visitors, picture
from tests.browser.test_looks import inaccessible, name_of, open_all, outside, too_small
from tests.panel.past import FOUR, Known, Past, toepen

if TYPE_CHECKING:
    from kloplei.table.session import Session

pytestmark = pytest.mark.browser
PAGES = (
    "/evenings",
    "/evenings/1",
    "/evenings/seasons",
    "/people",
    "/people/1",
    "/people/numbers",
    "/who/1?seat=1",
)
SIZES = ((320, 568), (390, 844), (1280, 800))
LONG = tuple(Player(number, f"Wwwwwwwwwwwwwwwwwww{number}", number) for number in range(5, 9))
TWICE = """() => [...document.querySelectorAll("[id]")].map(one => one.id)
  .filter((id, at, all) => all.indexOf(id) !== at)"""
# How much of what is said of a hand lies where nobody sees it without pushing.
UNSEEN = """() => {
  const right = one => one.getBoundingClientRect().right;
  return [...document.querySelectorAll(".told span")]
    .filter(one => right(one) > right(one.closest(".wide")) + 1).length;
}"""


PUSHED = """() => [...document.querySelectorAll(".honours :is(td, tbody th)")]
  .filter(one => one.getBoundingClientRect().right > one.closest(".wide").clientWidth
    + one.closest(".wide").getBoundingClientRect().left + 1).length"""


@pytest.fixture
def remembered(house: House) -> House:
    """An evening of eight, some with the longest names that there are."""
    table = cast("Session", house.demo.client)
    table.history = Past({1: toepen(players=(*FOUR, *LONG), hands=60)})
    table.people = Known()
    return house


def faults_of(page: Page) -> list[str]:
    return outside(page) + too_small(page)


def test_all_of_it_fits_phones_and_thumbs(remembered: House, visitors: Visitors) -> None:
    page = visitors.open("/help")
    faults = {}
    for path in PAGES:
        page.goto(remembered.url + path)
        page.wait_for_load_state("load")
        open_all(page)
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            picture(page, f"look-{name_of(path.replace('/', '-'))}-{width}")
            wide = page.evaluate("document.documentElement.scrollWidth > innerWidth")
            faults[path, width] = [*faults_of(page), *page.evaluate(TWICE), *["wide"] * wide]

    assert {where: found for where, found in faults.items() if found} == {}


def test_it_is_for_those_who_see_little_as_well(remembered: House, visitors: Visitors) -> None:
    page = visitors.open("/help", 390, 844)
    faults: dict[str, list[str]] = {}
    for path in PAGES:
        page.goto(remembered.url + path)
        open_all(page)
        faults[path] = inaccessible(page)

    assert {path: found for path, found in faults.items() if found} == {}


def test_what_happened_in_a_hand_is_read_without_pushing(
    remembered: House, visitors: Visitors
) -> None:
    """It stood behind the last player's column, where a phone shows nothing of it."""
    page = visitors.open("/evenings/1", 320, 568)
    open_all(page)

    assert page.evaluate(UNSEEN) == 0


def test_no_column_of_honour_is_pushed_out_of_view(remembered: House, visitors: Visitors) -> None:
    page = visitors.open("/evenings/seasons", 320, 568)

    assert page.locator(".honours td").count() >= 4 * 7
    assert page.evaluate(PUSHED) == 0


def test_from_the_slate_to_who_folds_too_often(remembered: House, visitors: Visitors) -> None:
    page = visitors.open("/", 390, 844)
    page.locator("#evening > summary").click()
    page.locator("#evening a[href^='/evenings']").click()
    page.get_by_role("link", name="Cijfers").click()
    page.locator("#jumps > summary").click()
    page.get_by_role("link", name="Past", exact=True).click()

    expect(page.locator("#of-folds h2")).to_be_in_viewport()


def test_the_evening_is_taken_along(remembered: House, visitors: Visitors) -> None:
    page = visitors.open("/evenings/1", permissions=["clipboard-read", "clipboard-write"])
    with page.expect_download() as picked:
        page.locator("#recap").click()
    assert picked.value.suggested_filename == "kloplei-1.png"

    page.locator("#copy").click()

    expect(page.locator("#copy")).to_have_text("Gekopieerd")
    assert "Thijs" in page.evaluate("navigator.clipboard.readText()")


def test_an_evening_that_is_played_follows_without_a_reload(
    house: House, visitors: Visitors
) -> None:
    table = cast("Session", house.demo.client)
    table.history = past = Past({1: running(toepen(hands=3))})
    page = visitors.open("/help", 390, 844)
    page.clock.install()
    page.goto(house.url + "/evenings/1?seat=2")
    page.locator("#hands-1 > summary").click()
    expect(page.locator("#copy")).to_be_visible()

    anew = toepen(hands=4, players=(replace(FOUR[0], name="Matthijs"), *FOUR[1:]))
    past.told[1] = running(anew)
    page.clock.run_for(9000)

    expect(page.locator(".players")).to_contain_text("Matthijs")
    expect(page.locator("#hand-4")).to_be_visible()  # what was opened still is
    expect(page.locator("#copy")).to_be_visible()
    past.told[1] = anew  # it is over, and says so, and is not asked for any more
    page.clock.run_for(9000)
    expect(page.locator("#told")).not_to_have_attribute("data-follows", re.compile("."))


def running(evening: Evening) -> Evening:
    return replace(evening, line=replace(evening.line, runs=True))


def test_from_the_virtual_table_as_well(remembered: House, visitors: Visitors) -> None:
    page = visitors.open("/demo", 320, 568)

    assert outside(page) == []
    assert page.locator("a[href='/evenings']").count() == 1
