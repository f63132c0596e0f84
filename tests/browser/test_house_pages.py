"""The house's pages in a real Chromium: every size, day and night, live and without a network."""

import json
from collections.abc import Iterator
from dataclasses import replace

import pytest
from playwright.sync_api import Browser, Page, expect

from kloplei_hub._pushing import PushWorker
from kloplei_hub.database import Connection
from kloplei_hub.referee import HouseReferee
from kloplei_hub.settings import HubConfig, PushConfig, WebConfig
from kloplei_hub.tournaments import CameOut, Joined, Opened
from kloplei_hub.users import put_user
from kloplei_hub.web.serving import HouseServer
from tests.browser.test_looks import inaccessible
from tests.hub.conftest import dsn, house, open_folder, postgres
from tests.hub.test_pushes import Phone, PushService, service
from tests.hub.web.conftest import Tables, config, played, tables
from tests.hub.web.test_history import put
from tests.panel.past import AT
from tests.until import until

__all__ = ["config", "dsn", "house", "open_folder", "postgres", "service", "tables"]
SECRET = "wachtwoord"  # noqa: S105
SIZES = ((320, 640), (390, 844), (1280, 800), (1920, 1080))
PAGES = (
    "/", "/tables/7", "/tables/8", "/evenings", "/evenings/1", "/seasons", "/people", "/people/71",
    "/publican", "/login", "/offline", "/tournaments", "/tournaments/1",
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
    play_tournament(HouseReferee(house), house)
    pages, push = WebConfig(port=0, threads=8), PushConfig(anywhere=True)
    with HouseServer(replace(config, web=pages, push=push)) as running:
        yield running


def play_tournament(referee: HouseReferee, house: Connection) -> None:
    """Three at one table, one round of it played; Thijs and Tame are two of them."""
    house.execute("INSERT INTO people (person, name) VALUES (73, 'Een lange naam voor een mens')")
    number = referee.open(Opened("Feest", "toepen", "monster", tables=(7,)))
    for person in (71, 72, 73):
        referee.tell(number, Joined(person))
    referee.draw(number)
    referee.tell(number, CameOut(1, 7, (2, 1, 3), by="landlord", why="misread"))


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


SUBSCRIBES = """
const told = %s;
let kept = null;
Object.defineProperty(Notification, "permission", { value: "granted" });
Notification.requestPermission = async () => "granted";
Object.assign(PushManager.prototype, {
  subscribe: async ({ applicationServerKey }) => {
    window.key = applicationServerKey;
    return kept = { ...told, unsubscribe: async () => { kept = null; }, toJSON: () => told };
  },
  getSubscription: async () => kept,
});
"""
"""A browser whose push service is ours, and that lets us notify: one without a head never does."""
WATCHES = """
() => {
  self.shown = [];
  self.registration.showNotification = async (title, told) => self.shown.push({ title, ...told });
}
"""
CLICKED = """
async () => {
  const led = [], done = [];
  self.clients.openWindow = async (to) => { led.push(to); };
  self.clients.matchAll = async () => [];
  const event = new ExtendableEvent("notificationclick");
  event.notification = { data: self.shown[0].data, close: () => led.push("closed") };
  event.waitUntil = (promise) => done.push(promise);
  self.dispatchEvent(event);
  await Promise.all(done);
  return led;
}
"""


def test_a_phone_is_told_when_its_table_is_called_and_leads_there(
    page: Page, house: Connection, dsn: str, service: PushService
) -> None:
    phone = Phone(service, "phone")
    one = phone.subscription
    keys = {"p256dh": one.p256dh, "auth": one.auth}
    page.add_init_script(SUBSCRIBES % json.dumps({"endpoint": one.endpoint, "keys": keys}))
    page.goto("/tournaments/1")
    page.select_option("#tell-person", label="Thijs")
    page.get_by_role("button", name="Tell me when my table is called").click()
    expect(page.locator("#tell-who")).to_have_text("Thijs")
    assert [(page.evaluate("key"),)] == house.execute("SELECT public FROM push_keys").fetchall()

    with PushWorker(dsn.replace("user=kloplei_hub", "user=kloplei_fold"), anywhere=True):
        HouseReferee(house).draw(1)
        until(phone.told)
    (worker,) = page.context.service_workers
    worker.evaluate(WATCHES)
    deliver(page, json.dumps(phone.told()[0]))

    until(lambda: worker.evaluate("shown.length"))
    (shown,) = worker.evaluate("shown")
    assert shown["title"].startswith("De lange tafel achterin bij de biljarts: ")
    assert shown["body"] == "Feest, round 2. Take your seat!"
    assert (shown["tag"], shown["lang"], shown["renotify"]) == ("tournament-1", "en", True)
    assert worker.evaluate(CLICKED) == ["closed", "/tournaments/1"]
    page.locator("#tell-no-more").click()
    expect(page.locator("#tell form")).to_be_visible()
    kept = "SELECT count(*) FROM push_subscriptions"
    until(lambda: house.execute(kept).fetchall() == [(0,)])


def deliver(page: Page, data: str) -> None:
    """Let the browser have *data* as of its push service."""
    known: list[str] = []
    browser = page.context.new_cdp_session(page)
    browser.on(
        "ServiceWorker.workerRegistrationUpdated",
        lambda told: known.extend(one["registrationId"] for one in told["registrations"]),
    )
    browser.send("ServiceWorker.enable")
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    origin = page.evaluate("location.origin")
    push = {"origin": origin, "registrationId": known[0], "data": data}
    browser.send("ServiceWorker.deliverPushMessage", push)


@pytest.mark.parametrize(
    ("phone", "told"),
    [
        ("Object.defineProperty(window, 'isSecureContext', { value: false })", "https alone"),
        ("delete window.PushManager; navigator.standalone = false", "home screen"),
        ("delete window.PushManager", "another browser"),
        ("Object.defineProperty(Notification, 'permission', { value: 'denied' })", "Allow them"),
    ],
)
def test_where_a_phone_cannot_be_called_the_page_says_why(
    page: Page, phone: str, told: str
) -> None:
    page.add_init_script(phone)
    page.goto("/tournaments/1")

    shown = page.locator("#tell [data-when]:visible")

    expect(shown).to_contain_text(told)
    expect(shown).to_have_count(1)
