"""The house's pages in a real Chromium: every size, day and night, live and without a network."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from playwright.sync_api import Browser, Page, expect

from kloplei_hub.database import Connection
from kloplei_hub.settings import HubConfig, WebConfig
from kloplei_hub.users import put_user
from kloplei_hub.web.serving import HouseServer
from tests.browser.test_looks import inaccessible
from tests.hub.conftest import dsn, house, open_folder, postgres
from tests.hub.web.conftest import Tables, config, played, tables
from tests.hub.web.test_history import put
from tests.panel.past import AT

__all__ = ["config", "dsn", "house", "open_folder", "postgres", "tables"]
SECRET = "wachtwoord"  # noqa: S105
SIZES = ((320, 640), (390, 844), (1280, 800), (1920, 1080))
PAGES = (
    "/", "/tables/7", "/tables/8", "/evenings", "/evenings/1", "/seasons", "/people", "/people/71",
    "/publican", "/login", "/offline",
)  # fmt: skip


@pytest.fixture
def server(config: HubConfig, tables: Tables, house: Connection) -> Iterator[HouseServer]:
    tables.add("b1", 7, "De lange tafel achterin bij de biljarts", played(near=True))
    tables.add("b2", 8, "", online=False)
    tables.add("b3")
    for day in range(11):
        put(house, "b1", day, AT + day * 86_400)
    house.execute("INSERT INTO eras (box, era, seq, quarantined) VALUES ('b2', 'e', 41, 'twin')")
    put_user(house, "landlord", SECRET, "landlord")
    with HouseServer(replace(config, web=WebConfig(port=0, threads=8))) as running:
        yield running


@pytest.fixture
def page(server: HouseServer, browser: Browser) -> Iterator[Page]:
    complaints: list[str] = []
    context = browser.new_context(locale="en", base_url=f"http://127.0.0.1:{server.port}")
    page = context.new_page()
    page.on("pageerror", lambda error: complaints.append(str(error)))
    yield page
    context.close()
    assert complaints == []


def sign_in(page: Page) -> None:
    page.goto("/login")
    page.fill("#name", "landlord")
    page.fill("#password", SECRET)
    page.locator("button.main").click()
    page.wait_for_url("**/")


def test_pages_fit_every_screen_and_are_accessible_by_day_and_night(page: Page) -> None:
    sign_in(page)
    faults: dict[str, list[str]] = {}
    for path in PAGES:
        page.goto(path)
        page.eval_on_selector_all("details", "all => all.forEach(one => { one.open = true; })")
        faults[path] = inaccessible(page)
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
                faults[path].append(f"sticks out at {width}")

    assert {path: found for path, found in faults.items() if found} == {}


def test_the_wall_and_a_table_change_by_themselves(page: Page, tables: Tables) -> None:
    page.goto("/")
    expect(page.locator("#table-7 .nearly")).to_contain_text("Thijs")
    page.evaluate("window.here = true")

    tables.show("b1", played())
    expect(page.locator("#table-7 .nearly")).to_have_count(0)
    page.locator("#table-7 a").click()
    expect(page.locator(".row.armoede")).to_have_count(0)
    tables.show("b1", played(near=True))

    expect(page.locator(".row.armoede .name")).to_have_text("Thijs")


def test_without_a_network_a_page_says_so(page: Page) -> None:
    page.goto("/")
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    page.context.set_offline(True)

    page.goto("/evenings")

    expect(page.locator("h1")).to_have_text("No connection")
