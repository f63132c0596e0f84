"""A hand of eenendertigen on a small phone and the large screen: knocked, laid open, lowest."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from playwright.sync_api import expect

from kloplei.demo.table import Demo, demo_config
from kloplei.devices.schedule import ManualSchedule
from tests.browser.conftest import TIMINGS, House, Visitors, picture
from tests.browser.test_looks import open_all, outside, too_small

pytestmark = pytest.mark.browser


@pytest.fixture
def house(clock: ManualSchedule | None) -> Iterator[House]:
    config = demo_config("nl")
    table = replace(config.table, game="eenendertigen", preset="nl", options={})
    with Demo(config=replace(config, table=table), timings=TIMINGS, schedule=clock) as demo:
        house = House(demo, clock)
        yield house
        house.shut()


def test_a_hand_on_a_phone(house: House, visitors: Visitors) -> None:
    phone, large = visitors.open("/?seat=4", 320, 640), visitors.open("/tv", 1280, 720)

    phone.locator("#do-deal-4").click()
    phone.locator("#do-knock-4").click()
    expect(large.locator(".prompt")).to_contain_text("Stan klopte")
    phone.locator("#do-lowest-4").click()
    expect(phone.locator(".grace progress")).to_be_visible()
    house.pass_time(TIMINGS.grace_s)
    expect(phone.locator(".news")).to_have_text("Stan was het laagst.")
    house.demo.client.submit(None, "deal")
    phone.locator("#sheet-lay-4 > summary").click()
    picture(phone, "31-phone")
    assert (outside(phone), too_small(phone)) == ([], [])
    phone.locator("#sheet-lay-4").get_by_role("button", name="drie azen").click()
    expect(phone.locator(".news")).to_contain_text("Vuur!")

    assert [row.tally for row in house.demo.client.scoreboard().rows] == [1, 1, 1, 1]
    open_all(phone)
    assert (outside(phone), too_small(phone)) == ([], [])
    picture(large, "31-tv")
