"""A large screen and a phone that call out what happens, on their own loudspeakers."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from kloplei.games.game import Seat
from kloplei.table.session import Session
from kloplei.voice.caller import FRESH_S
from kloplei.voice.calls import phrases
from kloplei.voice.recorded import RecordedVoice
from kloplei_panel import stage
from tests.browser.conftest import PATIENCE_MS, TIMINGS, House, Visitors, wait_for_seq
from tests.browser.test_looks import inaccessible
from tests.voice.test_recorded import CLIP

pytestmark = pytest.mark.browser
TOLD = """
document.addEventListener("called", ({ detail }) => {
  const { dataset } = document.documentElement;
  dataset.called = `${dataset.called ?? ""} ${detail}`;
});
"""


@pytest.fixture(autouse=True)
def voice(house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RecordedVoice:
    """A house that says all of Dutch by one short tone; nobody waits for long.

    A busy browser may ask late what is called, and is told all the same.
    """
    monkeypatch.setattr(stage, "CALLED_S", 2 * PATIENCE_MS / 1000)
    assert isinstance(house.demo.client, Session)
    house.demo.client.voice = voice = RecordedVoice(tmp_path, "nl")
    for text in phrases("nl"):
        voice.keep("nl", text, CLIP)
    return voice


def expect_called(page: Page, what: str) -> None:
    expect(page.locator("html")).to_have_attribute("data-called", re.compile(what, re.IGNORECASE))


def test_a_screen_calls_once_it_was_told_to_and_no_sooner(house: House, visitors: Visitors) -> None:
    page = visitors.open("/tv?lang=nl", 1280, 720)
    page.evaluate(TOLD)
    button = page.locator("#calls")
    expect(button).to_have_attribute("aria-pressed", "false")
    house.demo.client.submit(None, "deal")
    wait_for_seq(page, house.demo.client.submit(Seat(0), "knock"))
    expect(page.locator("html[data-called]")).to_have_count(0)

    with page.expect_response("**/api/v1/calls?after=0"):
        button.click()
    expect(button).to_have_attribute("aria-pressed", "true")
    # What has been is no news to it.
    wait_for_seq(page, house.demo.client.submit(Seat(1), "stay"))
    # One after the other: what waited for two seconds on a busy machine is called no more.
    expect_called(page, "Tame")
    wait_for_seq(page, house.demo.client.submit(Seat(2), "fold"))

    expect_called(page, "past|weg")
    assert "oep" not in str(page.locator("html").get_attribute("data-called"))
    assert inaccessible(page) == []

    button.click()
    expect(button).to_have_attribute("aria-pressed", "false")


def test_a_screen_that_is_told_to_be_quiet_says_nothing_that_was_on_its_way(
    house: House, visitors: Visitors
) -> None:
    page = visitors.open("/tv?lang=nl", 1280, 720)
    page.evaluate(TOLD)
    held: list[Route] = []

    def hold(sound: Route) -> None:
        held.append(sound)

    page.route("**/api/v1/calls/**.wav", hold)
    button = page.locator("#calls")
    with page.expect_response("**/api/v1/calls?after=0"):
        button.click()
    with page.expect_request("**/api/v1/calls/**.wav"):
        wait_for_seq(page, house.demo.client.submit(None, "deal"))
    button.click()
    expect(button).to_have_attribute("aria-pressed", "false")
    while held:
        with page.expect_response("**/api/v1/calls/**.wav"):
            held.pop().continue_()

    # Later news is not asked for either: it is off.
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    wait_for_seq(page, house.demo.client.submit(Seat(0), "knock"))

    expect(page.locator("html[data-called]")).to_have_count(0)
    assert not [url for url in asked if "/api/v1/calls" in url]


def test_a_phone_beside_a_loudspeaker_calls_where_it_was_asked_to(
    house: House, visitors: Visitors
) -> None:
    page = visitors.open("/settings?lang=nl")
    page.locator("label:has(#own-call)").click()
    with page.expect_response("**/api/v1/calls?after=0"):
        page.goto(f"{house.url}/?seat=0")
    page.evaluate(TOLD)
    page.locator(".slate").click()
    wait_for_seq(page, house.demo.client.submit(None, "deal"))
    expect_called(page, ".")

    wait_for_seq(page, house.demo.client.submit(Seat(0), "knock"))

    expect_called(page, "twee")


def test_what_is_played_for_is_called_late_rather_than_not_at_all(
    house: House, visitors: Visitors
) -> None:
    """What waited behind a growing pattern for two seconds was dropped, and the stake with it."""
    page = visitors.open("/tv?lang=nl", 1280, 720)
    page.evaluate(TOLD)
    with page.expect_response("**/api/v1/calls?after=0"):
        page.locator("#calls").click()
    wait_for_seq(page, house.demo.client.submit(None, "deal"))
    expect_called(page, ".")

    house.demo.knock(3, 1)
    house.pass_time(TIMINGS.gap_s / 4)  # the pattern grows, and nothing begins meanwhile
    with page.expect_response("**/api/v1/calls/**.wav"):
        wait_for_seq(page, house.demo.client.submit(Seat(0), "knock"))
    wait_for_seq(page, house.demo.client.submit(Seat(1), "stay"))
    page.wait_for_timeout(FRESH_S * 1000 + 200)
    assert "twee" not in str(page.locator("html").get_attribute("data-called"))
    house.pass_time()

    expect_called(page, "twee")
    assert "Tame" not in str(page.locator("html").get_attribute("data-called"))
