"""Cards of Tarok under a thumb: who takes the trick, and what a pile counts."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from kloplei.demo.table import Demo, demo_config
from kloplei.devices.schedule import ManualSchedule
from kloplei.games.game import Seat
from tests.browser.conftest import TIMINGS, House, Visitors, picture
from tests.browser.test_watten import faults

pytestmark = pytest.mark.browser

NAMES = ("Bartholomæus", "Anna-Lise", "Bo")
SMALL: dict[str, Any] = {"width": 320, "height": 640, "locale": "da-DK"}
PHONE: dict[str, Any] = {**SMALL, "has_touch": True, "is_mobile": True}


@pytest.fixture
def house(clock: ManualSchedule | None) -> Iterator[House]:
    """Three people play Danish Tarok; the second has just won the last trick of a hand."""
    config = demo_config("da")
    table = replace(config.table, game="tarok", preset="dansk", options={})
    with Demo(config=replace(config, table=table), timings=TIMINGS, schedule=clock) as demo:
        ask_for_points(demo)
        house = House(demo, clock)
        yield house
        house.shut()


def ask_for_points(demo: Demo) -> None:
    for row in demo.client.scoreboard().rows:
        if row.seat >= len(NAMES):
            demo.client.submit(row.seat, "stand_up")
    for seat, name in enumerate(NAMES):
        demo.client.submit(Seat(seat), "rename", facts={"name": name})
    demo.client.submit(None, "deal")
    demo.client.submit(Seat(1), "last_trick")


def lay(page: Page, *cards: str) -> None:
    for card in cards:
        page.locator(f"#lay-{card}").click()


def pick(page: Page, what: str, number: int) -> None:
    page.locator(f".pile-{what} .pick", has_text=re.compile(rf"^{number}$")).click()


def test_three_quick_taps_make_a_verdict(visitors: Visitors) -> None:
    page = visitors.open("/judge", **PHONE)

    lay(page, "T21", "EX", "KH")  # none of them waits for what came of the one before

    expect(page.locator(".verdict")).to_contain_text("Kort 1, tarok 21, tager stikket.")
    expect(page.locator(".came li")).to_have_count(2)
    expect(page.locator(".lying li")).to_have_count(3)
    picture(page, "tarok-judge")
    page.locator(".announcing-trick .pick", has_text="sidste").click()
    expect(page.locator(".came")).to_contain_text("Sciesen bliver hos den, der tager stikket.")


def test_what_was_named_is_asked_beside_the_cards(visitors: Visitors) -> None:
    page = visitors.open("/judge", **PHONE)

    lay(page, "EX", "5D", "7H")
    expect(page.locator(".verdict")).to_have_text("Sig først, hvad der gælder.")
    picture(page, "tarok-judge-fool")
    page.locator(".announcing-named .pick").first.click()

    expect(page.locator(".verdict")).to_contain_text("Kort 3, ♥7, tager stikket.")
    page.locator("#clear").click()
    expect(page.locator(".announcing-named")).to_have_count(0)


def test_a_pile_is_counted_and_put_down(house: House, visitors: Visitors) -> None:
    page = visitors.open("/count?seat=1", **PHONE)

    pick(page, "fives", 3)
    pick(page, "queens", 2)
    pick(page, "size", 30)
    expect(page.locator(".sum")).to_contain_text("3 × 4 + 2 × 3 + 30 ÷ 3 = 28")
    page.locator("#step-2").click()
    expect(page.locator(".odd")).to_be_visible()
    picture(page, "tarok-count")
    page.locator("#step-4").click()
    pick(page, "jacks", 1)
    expect(page.locator("output")).to_have_text("30")
    expect(page.locator(".pile-size input:checked")).to_have_value("32")
    page.locator("#step-3").click()

    page.locator("#take-3").click()

    expect(page.locator("#take-3")).to_have_count(0)
    expect(page.locator(".put-down")).to_contain_text("Bo tæller 30.")
    expect(page.locator("output")).to_have_text("9")
    assert page.url == f"{house.url}/count?seat=1"


def test_both_work_without_scripts(visitors: Visitors) -> None:
    page = visitors.open("/judge", java_script_enabled=False, **SMALL)
    lay(page, "KS", "QS", "T1")
    expect(page.locator(".verdict")).to_contain_text("Kort 3, pagat, tager stikket.")

    page.goto(page.url.replace("/judge", "/count?seat=2"))
    pick(page, "fives", 7)
    page.locator("#step-4").click()
    expect(page.locator("output")).to_have_text("38")
    page.locator("noscript button").click()
    expect(page.locator("output")).to_have_text("38")
    assert "seat=2" in page.url


def test_nothing_sticks_out_on_the_smallest_phone(visitors: Visitors) -> None:
    page = visitors.open("/judge", **SMALL)
    found = {"empty": faults(page)}
    lay(page, "EX", "5D", "7H")
    expect(page.locator(".lying li")).to_have_count(3)
    found["fool"] = faults(page)
    for path in ("/count?fives=7&queens=4&cavaliers=4&jacks=4&size=77", "/count?fives=7&size=6"):
        page.goto(page.url.partition("/judge")[0].partition("/count")[0] + path)
        found[path] = faults(page)

    assert {what: one for what, one in found.items() if one} == {}
