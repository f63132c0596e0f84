"""Whose turn it is to answer has a phone full of it: two halves, and nothing hit by a slip."""

import pytest
from playwright.sync_api import Page, expect

from kloplei.games.game import Seat
from tests.browser.conftest import House, Visitors, picture, wait_for_seq
from tests.browser.test_looks import inaccessible, outside, too_small

pytestmark = pytest.mark.browser
SCREENS = ((320, 480), (360, 740), (820, 1180), (740, 360), (480, 320))
LANGUAGES = ("nl", "en", "de", "da", "ja")
GAP_PX = 24
RESTS_MS = 500


def toep(house: House) -> int:
    """Let seat 1 toep, and return the number of the slate on which all others must answer."""
    house.demo.client.submit(None, "deal")
    return house.demo.client.submit(Seat(0), "knock")


def half(page: Page, answer: str) -> tuple[float, float, float, float]:
    """Return where the half for *answer* begins, across and down, and how wide and high it is."""
    box = page.locator(f"#do-{answer}-2").bounding_box()
    assert box is not None
    return box["x"], box["y"], box["width"], box["height"]


def test_two_halves_fill_every_phone_with_nothing_between_them(
    house: House, visitors: Visitors
) -> None:
    toep(house)
    page = visitors.open("/?seat=2&lang=nl")
    faults = {}
    for language in LANGUAGES:
        page.goto(f"{house.url}/?seat=2&lang={language}")
        for width, height in SCREENS:
            page.set_viewport_size({"width": width, "height": height})
            (left, top, wide, high), (x, y, width_2, height_2) = (
                half(page, answer) for answer in ("stay", "fold")
            )
            gap = y - top - high if x == left else x - left - wide
            assert gap >= GAP_PX, (language, width)
            assert wide * high + width_2 * height_2 > width * height / 3, (language, width)
            assert y + height_2 < height, (language, width)
            faults[language, width] = outside(page) + too_small(page)
        picture(page, f"answer-{language}")

    assert {where: found for where, found in faults.items() if found} == {}


def test_the_halves_are_for_everybody(house: House, visitors: Visitors) -> None:
    toep(house)
    page = visitors.open("/?seat=2")

    assert inaccessible(page) == []


def test_keys_reach_the_answers_and_the_slate_and_nothing_that_is_covered(
    house: House, visitors: Visitors
) -> None:
    toep(house)
    page = visitors.open("/?seat=2")
    expect(page.locator("#more")).to_be_hidden()
    page.locator("#look").focus()

    page.keyboard.press("Space")

    expect(page.locator("#more")).to_be_visible()
    expect(page.locator("#do-stay-2")).to_be_visible()

    page.keyboard.press("Tab")
    page.keyboard.press("Enter")

    expect(page.locator("#do-stay-2")).to_have_count(0)
    assert house.demo.client.scoreboard().to_answer == (Seat(2), Seat(3))


def test_a_tap_meant_for_what_lay_there_before_answers_nothing(
    house: House, visitors: Visitors
) -> None:
    page = visitors.open("/?seat=2")
    number = house.demo.client.submit(None, "deal")
    wait_for_seq(page, number)
    page.clock.install()
    page.clock.pause_at(page.evaluate("Date.now() + 1000"))

    wait_for_seq(page, house.demo.client.submit(Seat(0), "knock"))
    # What would be tapped now: it answers to no finger, no key and no screen reader.
    expect(page.locator(".fills[inert]")).to_be_visible()
    page.clock.run_for(RESTS_MS)
    expect(page.locator(".fills:not([inert])")).to_be_visible()
    page.locator("#do-fold-2").click()

    # And what comes up below the same thumb rests as well.
    expect(page.locator(".thumbs[inert]")).to_be_visible()
    page.clock.run_for(RESTS_MS)
    expect(page.locator(".thumbs:not([inert])")).to_be_visible()


def test_who_answered_takes_it_back_with_one_tap(house: House, visitors: Visitors) -> None:
    number = toep(house)
    page = visitors.open("/?seat=2")
    page.locator("#do-fold-2").click()

    page.locator(".thumbs #do-undo-2").click()
    expect(page.locator(".grace")).to_be_visible()  # it is at the table: only now may time pass
    house.pass_time(10)

    expect(page.locator(".fills #do-fold-2")).to_be_visible()
    board = house.demo.client.scoreboard()
    assert board.seq > number
    assert board.to_answer == (Seat(1), Seat(2), Seat(3))


def test_the_question_comes_and_goes_while_the_slate_is_looked_at(
    house: House, visitors: Visitors
) -> None:
    toep(house)
    page = visitors.open("/?seat=2")
    page.locator("label[for=look]").click()

    wait_for_seq(page, house.demo.client.submit(Seat(2), "stay"))
    expect(page.locator("#look")).to_be_checked()

    house.demo.client.submit(Seat(1), "stay")
    house.demo.client.submit(Seat(3), "stay")
    wait_for_seq(page, house.demo.client.submit(Seat(2), "knock"))
    expect(page.locator("#look")).not_to_be_checked()


def test_what_the_hand_cost_stands_under_the_thumb_for_everybody(
    house: House, visitors: Visitors
) -> None:
    toep(house)
    page = visitors.open("/?seat=2", 320, 480)
    page.locator("#do-fold-2").click()
    expect(page.locator("#do-fold-2")).to_have_count(0)
    for seat in (2, 3):
        house.demo.client.submit(Seat(seat), "stay")
    wait_for_seq(page, house.demo.client.submit(Seat(0), "trick", facts={"n": 4}))

    expect(page.locator(".thumbs .hand-told")).to_have_text("Jij verliest 1: je paste.")
    assert outside(page) + too_small(page) == []
    assert inaccessible(page) == []
