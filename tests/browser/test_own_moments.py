"""A phone that was asked to gives a sign of its own player's moments, and of no others."""

import pytest
from playwright.sync_api import Page, expect

from kloplei.games.game import Seat
from tests.browser.conftest import TIMINGS, House, Visitors, wait_for_seq
from tests.browser.test_looks import inaccessible, outside, too_small

pytestmark = pytest.mark.browser
# What is given is written down as well; nothing else of the browser is another.
TOLD = """
window.given = [];
const start = AudioScheduledSourceNode.prototype.start;
AudioScheduledSourceNode.prototype.start = function (from) {
  given.push("tone " + Math.round(this.frequency.value));
  start.call(this, from);
};
Navigator.prototype.vibrate = (pattern) => given.push("buzz " + pattern);
"""
ASKED = ["buzz 140,90,140", "tone 587", "tone 880"]


def given(page: Page) -> list[str]:
    """Return what *page* has given since this was asked last."""
    return sorted(page.evaluate("given.splice(0)"))


def choose(page: Page, *ways: str) -> None:
    for way in ways:
        page.locator(f"label:has(#own-{way})").click()


@pytest.fixture
def phone(visitors: Visitors) -> Page:
    """The phone of seat 2, in its settings."""
    page = visitors.open("/?seat=2")
    page.context.add_init_script(TOLD)
    page.locator(".place-link").click()
    expect(page.locator("#own-moments")).to_be_visible()
    return page


def at_the_slate(page: Page) -> None:
    """Go back to the slate, and tap it as a player does who looks at it."""
    page.locator(".bar .place-link").click()
    page.locator(".slate").click()


def toep(house: House, page: Page) -> None:
    # Only the stream shows the deal: what comes from now on is new to this page.
    wait_for_seq(page, house.demo.client.submit(None, "deal"))
    wait_for_seq(page, house.demo.client.submit(Seat(0), "knock"))


def test_nothing_is_given_until_it_is_asked_for(house: House, phone: Page) -> None:
    at_the_slate(phone)
    toep(house, phone)

    assert given(phone) == []


def test_who_must_answer_gets_a_sign_once(house: House, phone: Page) -> None:
    choose(phone, "sound", "buzz")
    assert given(phone) == ASKED  # what it will be like
    at_the_slate(phone)
    toep(house, phone)
    phone.wait_for_function("() => given.length > 0")
    wait_for_seq(phone, house.demo.client.submit(Seat(3), "stay"))

    assert given(phone) == ASKED


def test_what_is_others_gives_no_sign(house: House, phone: Page) -> None:
    choose(phone, "sound", "buzz")
    given(phone)
    at_the_slate(phone)
    house.demo.client.submit(None, "deal")
    house.demo.knock(1, 1)
    house.pass_time(TIMINGS.gap_s / 4)
    expect(phone.locator("#row-1.heard")).to_be_visible()
    house.demo.client.submit(Seat(1), "knock")
    wait_for_seq(phone, house.demo.client.submit(Seat(3), "stay"))

    assert given(phone) == []


def test_ones_own_knock_is_answered_as_soon_as_it_is_heard(house: House, phone: Page) -> None:
    choose(phone, "sound")
    given(phone)
    at_the_slate(phone)
    wait_for_seq(phone, house.demo.client.submit(None, "deal"))

    house.demo.knock(2, 1)
    house.pass_time(TIMINGS.gap_s / 4)
    phone.wait_for_function("() => given.length > 0")

    assert given(phone) == ["tone 196"]


def test_a_phone_remembers_and_says_what_it_cannot(visitors: Visitors, phone: Page) -> None:
    choose(phone, "sound")
    phone.reload()
    expect(phone.locator("#own-sound")).to_be_checked()
    expect(phone.locator("#own-buzz")).not_to_be_checked()
    expect(phone.locator("#no-buzz")).to_be_hidden()

    other = visitors.open("/?seat=3")
    other.context.add_init_script("delete Navigator.prototype.vibrate")
    other.goto(f"{phone.url.split('/settings')[0]}/settings")

    expect(other.locator("#own-sound")).not_to_be_checked()
    expect(other.locator("#own-buzz")).to_be_disabled()
    expect(other.locator("#no-buzz")).to_contain_text("iPhone")


def test_the_choice_fits_a_small_phone_and_is_for_everybody(phone: Page) -> None:
    phone.set_viewport_size({"width": 320, "height": 480})

    assert outside(phone) + too_small(phone) == []
    assert inaccessible(phone) == []
