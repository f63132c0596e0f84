"""A referee's evening on a phone, and the screen on the wall that follows it."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect

from kloplei_hub.database import Connection, connect
from kloplei_hub.referee import HouseReferee
from kloplei_hub.settings import DatabaseConfig, HouseConfig, HubConfig, WebConfig
from kloplei_hub.tournaments import CameOut
from kloplei_hub.users import put_user
from kloplei_hub.web.serving import HouseServer
from tests.hub.conftest import dsn, open_folder, postgres

__all__ = ["dsn", "open_folder", "postgres"]
SECRET = "wachtwoord"  # noqa: S105
SMALL: ViewportSize = {"width": 320, "height": 640}
SCREEN: ViewportSize = {"width": 1920, "height": 1080}


@pytest.fixture
def owner(dsn: str) -> Iterator[Connection]:
    """Two tables, eight people, and a referee."""
    with connect(dsn, autocommit=True) as owner:
        for number in (1, 2):
            add = "INSERT INTO boxes (box, number, online, seen) VALUES (%s, %s, true, now())"
            owner.execute(add, (f"b{number}", number))
        for person in range(1, 9):
            add = "INSERT INTO people (person, name) VALUES (%s, %s)"
            owner.execute(add, (person, f"Speler {person}"))
        put_user(owner, "Anna", SECRET, "referee")
        yield owner


@pytest.fixture
def address(dsn: str, owner: Connection) -> Iterator[str]:
    database = DatabaseConfig(owner=dsn, web=dsn.replace("user=kloplei_hub", "user=kloplei_web"))
    named = HouseConfig(name="De Kelk")
    config = HubConfig(house=named, database=database, web=replace(WebConfig(), port=0))
    with HouseServer(config) as served:
        yield f"http://127.0.0.1:{served.port}"


def fits(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))


def test_a_referees_evening_without_scripts_before_a_wall_that_follows(
    browser: Browser, address: str, owner: Connection
) -> None:
    phone = browser.new_context(viewport=SMALL, locale="nl-NL", java_script_enabled=False)
    screen = browser.new_context(viewport=SCREEN, locale="nl-NL")
    page, wall = phone.new_page(), screen.new_page()
    page.goto(f"{address}/login?then=/tournaments")
    page.fill("#name", "Anna")
    page.fill("#password", SECRET)
    page.locator("form.begin button").click()
    page.fill("#name", "Kelkcup")
    page.locator("input[value=watten]").check()
    page.locator("#begin button").click()
    names = ", ".join(f"Speler {one}" for one in range(1, 9))
    page.fill("#who", names)
    page.locator("#join form button").click()
    expect(page.locator("#live")).to_contain_text("8 spelers")
    wall.goto(f"{address}/tournaments/1/wall")

    page.get_by_role("button", name="Loot ronde 1").click()
    expect(wall.locator(".match")).to_have_count(2)
    expect(page.locator(".match")).to_have_count(2)
    assert fits(wall)

    HouseReferee(owner).tell(1, CameOut(1, 1, (1, 2), source="b1/e/0/1"))  # as its table tells it
    expect(wall.locator(".match.is-out")).to_have_count(1)
    page.get_by_role("button", name="Loot ronde 2").click()
    expect(page.get_by_role("alert")).to_contain_text("Wacht op tafel 2")
    if page.locator("#result").get_attribute("open") is None:
        page.locator("#result > summary").click()
    page.locator(".one-result summary").filter(has_text="Tafel 2").click()
    form = page.locator(".one-result").filter(has_text="Tafel 2").locator("form")
    form.locator(".pick input").first.check()
    form.locator("button").click()
    expect(wall.locator(".match.is-out")).to_have_count(2)
    page.locator("#join > summary").click()
    page.fill("#who", "Nieuwe Nel")
    page.locator("#join form button").click()
    page.locator(".newcomer button").click()
    expect(page.get_by_text("9 spelers")).to_be_visible()
    page.get_by_role("button", name="Loot ronde 2").click()
    expect(wall.locator(".byes")).to_be_visible()
    page.locator("#end > summary").click()
    page.locator("#end form button").click()
    expect(wall.locator("h2").first).to_contain_text("afgelopen")
    expect(page.locator(".referee")).to_have_count(0)
    phone.close()
    screen.close()
