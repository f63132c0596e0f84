"""What is tapped on a phone is seen on the large screen, and is soon gone."""

import pytest
from playwright.sync_api import Page, expect

from kloplei_panel import stage
from tests.browser.conftest import PATIENCE_MS, House, Visitors, picture
from tests.browser.test_looks import inaccessible, outside, too_small
from tests.until import until

pytestmark = pytest.mark.browser
LOOK_AGAIN_MS, FLIES_MS = 1000, 4000
RUNNING = """() => document.getAnimations()
  .map(one => one.animationName).filter(name => name === "fly").length"""


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a busy screen look late; how long it lets them fly is up to its own clock."""
    monkeypatch.setattr(stage, "FLIES_S", 2 * PATIENCE_MS / 1000)


def screen_of(visitors: Visitors, **more: str) -> Page:
    """Open a large screen that has looked once; its time passes by `Clock.run_for` alone."""
    screen = visitors.open("/help", 1280, 720, **more)
    screen.clock.install()
    with screen.expect_response("**/api/v1/reactions?after=0"):
        screen.goto(screen.url.replace("/help", "/tv"))
    screen.clock.pause_at(screen.evaluate("Date.now() + 1000"))
    return screen


def look(screen: Page) -> None:
    with screen.expect_response("**/api/v1/reactions?after=*"):
        screen.clock.run_for(LOOK_AGAIN_MS)


def throw(phone: Page, reaction: str) -> None:
    with phone.expect_response("**/api/v1/reactions"):
        phone.locator(f"#react-{reaction}").click()


def test_a_tap_on_a_phone_flies_over_the_large_screen(house: House, visitors: Visitors) -> None:
    phone = visitors.open("/?seat=2", 360, 740)
    screen = screen_of(visitors, reduced_motion="no-preference")
    seq = house.demo.client.scoreboard().seq
    phone.locator("#reactions > summary").click()

    throw(phone, "cheers")
    look(screen)

    flown = screen.locator("#flights figure")
    expect(flown).to_have_text("Tame")
    expect(flown.locator("img[src$='/cheers.svg']")).to_have_js_property("naturalWidth", 150)
    assert screen.evaluate(RUNNING) == 1
    picture(screen, "reactions-screen")
    screen.clock.run_for(FLIES_MS)
    expect(flown).to_have_count(0)
    assert house.demo.client.scoreboard().seq == seq


def test_who_wants_no_motion_sees_it_stand_still(visitors: Visitors) -> None:
    phone, screen = visitors.open("/?seat=3"), screen_of(visitors)
    phone.locator("#reactions > summary").click()

    throw(phone, "heart")
    look(screen)

    expect(screen.locator("#flights figure")).to_have_text("Thomas")
    assert screen.evaluate("document.getAnimations().length") == 0


def test_a_screen_that_is_opened_late_shows_none_that_have_been(visitors: Visitors) -> None:
    phone = visitors.open("/?seat=3")
    phone.locator("#reactions > summary").click()
    throw(phone, "fire")

    screen = screen_of(visitors)
    throw(phone, "gasp")
    look(screen)

    expect(screen.locator("#flights figure img[src$='/gasp.svg']")).to_have_count(1)
    expect(screen.locator("#flights figure")).to_have_count(1)


def test_too_many_taps_are_told_so_and_all_of_it_fits(visitors: Visitors) -> None:
    phone = visitors.open("/?seat=3", 320, 480)
    phone.locator("#reactions > summary").click()
    output = phone.locator("#reactions output")

    def is_told() -> bool:
        throw(phone, "laugh")
        return "Rustig aan" in output.inner_text()

    until(is_told)
    expect(output).to_contain_text("Rustig aan")
    assert outside(phone) + too_small(phone) == []
    assert inaccessible(phone) == []
    picture(phone, "reactions-phone")
