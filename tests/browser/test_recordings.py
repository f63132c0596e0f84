"""Recording the virtual table in a browser, on a small phone and on a tablet."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from playwright.sync_api import Page, expect

from kloplei.demo.table import Demo, demo_config
from kloplei.devices.schedule import ManualSchedule
from kloplei.table.recordings_client import AskedStep
from tests.browser.conftest import TIMINGS, House, Visitors, picture
from tests.browser.test_looks import inaccessible, outside, too_small
from tests.capture.paced import PacedTime

pytestmark = pytest.mark.browser
SEATS = 4
SIZES = ((320, 640), (820, 1180))


@pytest.fixture
def house(clock: ManualSchedule) -> Iterator[House]:
    config = demo_config()
    table = replace(config.table, seats=SEATS)
    with Demo(config=replace(config, table=table), timings=TIMINGS, schedule=clock) as demo:
        house = House(demo, clock)
        yield house
        house.shut()


def move_on(time: PacedTime, fits: Callable[[AskedStep], bool]) -> None:
    """Let time pass until the recorder asks for what *fits*."""
    for _ in range(2000):
        asked = time.pass_by(0.1).asked
        if asked is not None and fits(asked):
            return
    raise AssertionError(f"The recorder asks for {asked}.")


def faults(page: Page, name: str) -> list[str]:
    """Return what does not fit at any size, and keep a picture of each."""
    found = []
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        picture(page, f"record-{name}-{width}")
        found += [f"{width} {one}" for one in (*outside(page), *too_small(page))]
    return found + inaccessible(page)


def test_a_newcomer_records_the_virtual_table_and_takes_the_file_along(
    house: House, visitors: Visitors, clock: ManualSchedule, monkeypatch: pytest.MonkeyPatch
) -> None:
    time = PacedTime(house.demo, clock, monkeypatch)
    page = visitors.open("/settings?seat=keeper", 320, 640)
    page.get_by_role("link", name="Deze tafel opnemen").click()
    expect(page.locator("#walk-short")).to_be_visible()
    wrong = faults(page, "idle")

    page.locator("#seats").select_option("1")
    page.locator("#walk-short").click()
    expect(page.locator("#step-stop")).to_be_visible()
    # The piezos give something, whenever the recorder has begun to listen to them.
    move_on(time, lambda asked: asked.kind == "silence")
    expect(page.locator("#task")).to_have_text("STIL, handen van tafel")
    expect(page.locator("#count")).to_contain_text("Begint over")
    wrong += faults(page, "reads")
    # The phone goes dark: nobody looks, and the table leads on.
    page.goto("about:blank")
    move_on(time, lambda asked: asked.kind == "usual" and asked.done == 2)
    page.goto(house.url + "/record?seat=keeper")
    expect(page.locator("#task")).to_have_text("Plek 1: KLOP, zoals altijd")
    expect(page.locator(".boxes .done")).to_have_count(2)
    wrong += faults(page, "knocks")
    page.goto(house.url + "/?seat=2")
    expect(page.get_by_text("De tafel wordt opgenomen")).to_be_visible()

    page.goto(house.url + "/record?seat=keeper")
    page.locator("#step-stop").click()
    expect(page.locator("#table-1")).to_be_visible()
    wrong += faults(page, "kept")
    with page.expect_download() as downloading:
        page.get_by_role("link", name="Downloaden").click()
    assert downloading.value.suggested_filename == "kloplei-table-1.zip"
    page.locator("#table-1 summary").click()
    page.get_by_role("button", name="table-1.zip echt weggooien").click()
    expect(page.locator("#table-1")).to_have_count(0)
    expect(page.get_by_text("Nog geen.")).to_be_visible()

    house.demo.client.submit(None, "deal", via="table")
    page.goto(house.url + "/record?seat=keeper")
    expect(page.get_by_role("link", name="Naar de lei")).to_be_visible()
    assert wrong + faults(page, "plays") == []
