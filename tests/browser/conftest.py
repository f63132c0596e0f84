"""A real Chromium before a real panel over the demo's table, whose clock the test moves.

A browser on a busy machine takes its time, and what a table shows for a moment would be over
before anybody looked. So no time passes at the table but what a test lets pass.
"""

import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, expect, sync_playwright

from kloplei.demo.table import Demo, demo_config
from kloplei.devices.schedule import ManualSchedule
from kloplei.games.game import IllegalAction, Seat
from kloplei.knock import KnockHeard
from kloplei.table.gestures import Timings
from kloplei.table.session import Session
from kloplei_hub.servers import free_port
from kloplei_panel import PanelSettings, create_app
from kloplei_panel.server import Server
from scripts.pictures import CHROMIUM
from tests.panel.conftest import TEMPLATES

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PICTURES = Path(__file__).parents[2] / "test-results"
TIMINGS = Timings()
A_PATTERN_S = 2 * TIMINGS.gap_s  # two knocks of the virtual pad, and the pause that ends them
LIVES = 5  # a short rubber
PATIENCE_MS = 30_000
expect.set_options(timeout=PATIENCE_MS)


class House:
    """A demo that is served, and can be closed and opened again on the same port.

    Args:
        demo: Its table.
        clock: That table's clock if the test moves it, None if it runs by itself.
    """

    def __init__(self, demo: Demo, clock: ManualSchedule | None) -> None:
        self.demo = demo
        self.port = free_port()
        self.server = self._serve()
        self._clock = clock

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def shut(self) -> None:
        self.server.close()

    def reopen(self) -> None:
        self.server = self._serve()

    def pass_time(self, by_s: float = A_PATTERN_S) -> None:
        """Let *by_s* seconds pass at the table, and let it do what falls due in them."""
        assert self._clock is not None, "the clock of this house runs by itself"
        self._clock.advance(by_s)
        # The table looks at its clock before it answers anybody, and refuses so old a question.
        with pytest.raises(IllegalAction):
            self.demo.client.submit(None, "undo", seen=-1)

    def hear(self, seat: int | None, *, doubtful: bool) -> None:
        """Let the box find that it heard one knock at *seat*; None: it cannot say at which."""
        assert self._clock is not None, "the clock of this house runs by itself"
        assert isinstance(self.demo.client, Session)
        place = None if seat is None else Seat(seat - 1)
        self.demo.client.put(KnockHeard(place, 0.5, self._clock.now_s(), doubtful))
        self.pass_time()

    def _serve(self) -> Server:
        settings = PanelSettings(
            join_url="http://kloplei.local/",
            reactions=True,
            locked=self.demo.config.panel.locked,
            read_evening=self.demo.read_evening,
            read_key=self.demo.read_key,
            clock=self.demo.virtual.schedule.now_s,
        )
        app = create_app(self.demo.client, settings=settings, demo=self.demo)
        app.jinja_env.bytecode_cache = TEMPLATES
        server = Server(app, "127.0.0.1", self.port)
        server.start()
        return server


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="session")
def browser(playwright: Playwright) -> Iterator[Browser]:
    if shutil.which(CHROMIUM) is None:
        pytest.fail(
            f"No Chromium at {CHROMIUM}. Install it, apt-get install chromium, "
            "or name another: KLOPLEI_CHROMIUM=/path/to/chromium",
            pytrace=False,
        )
    browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
    yield browser
    browser.close()


@pytest.fixture
def clock() -> ManualSchedule | None:
    """The clock of the house; a test of what moves by itself asks for `running`."""
    return ManualSchedule()


running = pytest.mark.parametrize("clock", [None], ids=["running"])


@pytest.fixture
def house(clock: ManualSchedule | None) -> Iterator[House]:
    config = demo_config()
    table = replace(config.table, options={"max_lives": LIVES})
    with Demo(config=replace(config, table=table), timings=TIMINGS, schedule=clock) as demo:
        house = House(demo, clock)
        yield house
        house.shut()


class Visitors:
    """Opens pages of the house; whatever a page complains of fails the test."""

    def __init__(self, browser: Browser, house: House) -> None:
        self._browser = browser
        self._house = house
        self._contexts: list[BrowserContext] = []
        self.complaints: list[str] = []

    def open(self, path: str = "/", width: int = 390, height: int = 800, **more: Any) -> Page:
        """Open *path* in a browser of its own, as another phone would."""
        context = self._browser.new_context(
            viewport={"width": width, "height": height},
            **{"locale": "nl-NL", "reduced_motion": "reduce", **more},
        )
        context.set_default_timeout(PATIENCE_MS)
        self._contexts.append(context)
        page = context.new_page()
        page.on("console", lambda said: self._listen(said.type, said.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.goto(self._house.url + path)
        return page

    def close(self) -> None:
        for context in self._contexts:
            context.close()

    def _listen(self, kind: str, text: str) -> None:
        # A refusal or a lost line is written to the console by the browser itself.
        if kind in {"error", "warning"} and "Failed to load resource" not in text:
            self.complaints.append(text)


@pytest.fixture
def visitors(browser: Browser, house: House) -> Iterator[Visitors]:
    visitors = Visitors(browser, house)
    yield visitors
    visitors.close()
    assert visitors.complaints == []


def picture(page: Page, name: str) -> None:
    """Keep what the page looks like in ``test-results``, for who sets KLOPLEI_PICTURES."""
    if not os.environ.get("KLOPLEI_PICTURES"):
        return
    PICTURES.mkdir(exist_ok=True)
    page.screenshot(path=PICTURES / f"{name}.png")


def seq(page: Page) -> int:
    """Return the number of the slate that the page shows."""
    return int(page.locator("#table").get_attribute("data-seq") or -1)


def wait_for_seq(page: Page, number: int) -> None:
    """Wait until the page shows slate *number* or a later one."""
    page.wait_for_function(
        "number => Number(document.getElementById('table').dataset.seq) >= number", arg=number
    )
