"""A locked house: a phone asks, somebody at the virtual table knocks, and the phone is in."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from playwright.sync_api import Browser, Page, expect

from kloplei.demo.table import Demo, demo_config
from kloplei.devices.schedule import ManualSchedule
from kloplei.table.pairing import SETTLE_S
from tests.browser.conftest import A_PATTERN_S, TIMINGS, House, Visitors, picture

ASK_SEAT, ASK_KEEPER = "Laat me erin op plek 2", "Laat me erin als schrijver"


@pytest.fixture
def locked_house() -> Iterator[House]:
    clock = ManualSchedule()
    config = demo_config()
    config = replace(config, panel=replace(config.panel, locked=True))
    with Demo(config=config, timings=TIMINGS, schedule=clock) as demo:
        house = House(demo, clock)
        yield house
        house.shut()


@pytest.fixture
def locked(browser: Browser, locked_house: House) -> Iterator[Visitors]:
    visitors = Visitors(browser, locked_house)
    yield visitors
    visitors.close()
    assert visitors.complaints == []


def knock_as_told(house: House, seat: int) -> None:
    """Let *seat* knock as often as the slate says, once people have read the word."""
    house.pass_time(SETTLE_S)
    door = house.demo.client.scoreboard().door
    assert door is not None
    house.demo.knock(seat, door.knocks)
    house.pass_time(door.knocks * 0.3 + A_PATTERN_S)


def word_on(page: Page) -> str:
    return page.locator("#door .word").inner_text()


def test_a_phone_asks_and_a_knock_lets_it_in(locked: Visitors, locked_house: House) -> None:
    phone = locked.open("/?seat=2")
    expect(phone.locator("[data-act]")).to_have_count(0)

    phone.get_by_role("button", name=ASK_SEAT).click()
    expect(phone.locator("#door .word")).to_be_visible()
    door = locked_house.demo.client.scoreboard().door
    picture(phone, "door-asking-390")

    assert door is not None
    assert word_on(phone) == door.word
    knock_as_told(locked_house, 2)
    expect(phone.locator("#door")).to_have_count(0)
    phone.locator("#more > summary").click()
    expect(phone.locator("[data-act]").first).to_be_visible()


def test_another_phone_sees_who_is_let_in_and_is_not(locked: Visitors, locked_house: House) -> None:
    other, phone = locked.open("/?seat=3"), locked.open("/?seat=keeper")
    phone.get_by_role("button", name=ASK_KEEPER).click()
    expect(phone.locator("#door .word")).to_be_visible()
    word = word_on(phone)

    expect(other.locator(".asks")).to_contain_text(f"{word} wil schrijver zijn")
    knock_as_told(locked_house, 1)

    expect(other.locator(".asks")).to_contain_text(f"{word} is binnen")
    expect(phone.locator(".keeper")).to_be_visible()
    expect(other.locator("[data-act]")).to_have_count(0)


def test_the_keeper_says_no(locked: Visitors, locked_house: House) -> None:
    keeper, phone = locked.open("/?seat=keeper"), locked.open("/?seat=2")
    by_pin(keeper, locked_house)
    phone.get_by_role("button", name=ASK_SEAT).click()
    expect(phone.locator("#door .word")).to_be_visible()

    expect(keeper.get_by_role("button", name="Nee,")).to_be_visible()
    picture(keeper, "door-keeper-390")
    keeper.get_by_role("button", name="Nee,").click()

    expect(phone.locator("#door")).to_contain_text("De schrijver zei nee")


def by_pin(page: Page, house: House) -> None:
    page.locator("#door-pin > summary").click()
    page.get_by_label("PIN", exact=False).fill(house.demo.read_evening()[0])
    page.get_by_role("button", name="Doe mee").click()


def test_the_pin_is_the_other_way_in(locked: Visitors, locked_house: House) -> None:
    phone = locked.open("/?seat=keeper", width=320, height=640)
    picture(phone, "door-320")

    by_pin(phone, locked_house)

    expect(phone.locator(".keeper")).to_be_visible()
    expect(phone.locator("#door")).to_have_count(0)


def test_who_comes_in_by_one_tab_may_act_in_the_other(
    locked: Visitors, locked_house: House
) -> None:
    """The stream of the other one went on as what the phone was before: a viewer."""
    waiting = locked.open("/?seat=2")
    expect(waiting.locator("#door")).to_be_visible()
    other = waiting.context.new_page()
    other.goto(f"{locked_house.url}/?seat=keeper")

    by_pin(other, locked_house)
    expect(other.locator(".keeper")).to_be_visible()
    locked_house.demo.client.submit(None, "deal", seen=None, facts={}, waits=False)

    expect(waiting.locator("#door")).to_have_count(0)
    expect(waiting.locator("[data-act]")).not_to_have_count(0)


@pytest.mark.parametrize("width", [320, 390])
def test_it_works_without_a_script(locked: Visitors, locked_house: House, width: int) -> None:
    phone = locked.open("/?seat=2", width=width, java_script_enabled=False)

    phone.get_by_role("button", name=ASK_SEAT).click()
    assert word_on(phone)
    picture(phone, f"door-plain-{width}")
    knock_as_told(locked_house, 2)
    phone.reload()

    assert phone.locator("#door").count() == 0
    assert phone.locator("[data-act]").count() > 0


def test_who_is_refused_reads_why_while_the_slate_goes_on(
    locked: Visitors, locked_house: House
) -> None:
    """The slate is drawn anew as soon as the page is there; the sentence outlives that."""
    keeper, phone = locked.open("/?seat=keeper"), locked.open("/?seat=2")
    by_pin(keeper, locked_house)
    phone.get_by_role("button", name=ASK_SEAT).click()
    keeper.get_by_role("button", name="Nee,").click()
    expect(phone.locator("#door")).to_contain_text("De schrijver zei nee")

    phone.get_by_role("button", name=ASK_SEAT).click()
    expect(phone.locator("#toast.is-up")).to_have_count(1)
    seq = locked_house.demo.client.submit(None, "deal", seen=None, facts={}, waits=False)
    expect(phone.locator("#table")).to_have_attribute("data-seq", str(seq))

    expect(phone.locator("#toast.is-up")).to_contain_text("over 15 min")
    picture(phone, "door-wait-390")
    phone.reload()
    expect(phone.get_by_role("button", name=ASK_SEAT)).to_be_visible()


def test_without_a_script_who_is_refused_comes_back_to_the_slate(
    locked: Visitors, locked_house: House
) -> None:
    phone = locked.open("/?seat=2", java_script_enabled=False)
    phone.get_by_role("button", name=ASK_SEAT).click()
    phone.get_by_role("button", name="Toch niet").click()
    phone.get_by_role("button", name=ASK_SEAT).click()
    expect(phone.locator("#toast.is-up")).to_contain_text("over 5 s")

    back = phone.locator("noscript meta").first.get_attribute("content")

    assert back is not None
    assert back.endswith("url=/?seat=2")


@pytest.mark.parametrize("width", [320, 390])
def test_nothing_is_wider_than_the_phone(locked: Visitors, width: int) -> None:
    phone = locked.open("/?seat=2", width=width, height=640, color_scheme="dark")
    phone.get_by_role("button", name=ASK_SEAT).click()
    expect(phone.locator("#door .word")).to_be_visible()
    picture(phone, f"door-dark-{width}")

    assert phone.evaluate("document.documentElement.scrollWidth") <= width


PAGES = ("/", "/?seat=2", "/?seat=keeper", "/tv", "/help", "/judge", "/settings")
KEEPERS = ("/ears", "/tune", "/record", "/doctor", "/seatcards")


def test_no_page_asks_for_what_its_policy_forbids(locked: Visitors, locked_house: House) -> None:
    """A violation is written to the console, which the fixture looks at."""
    phone = locked.open("/?seat=keeper")
    for path in (*PAGES, *KEEPERS):
        phone.goto(locked_house.url + path)  # as a viewer
    phone.goto(locked_house.url + "/?seat=keeper")
    by_pin(phone, locked_house)
    expect(phone.locator(".keeper")).to_be_visible()

    for path in (*PAGES, *KEEPERS, "/demo", "/demo/show"):
        answer = phone.goto(locked_house.url + path)
        assert answer is not None
        assert answer.status == 200, path
        assert "unsafe" not in answer.headers["content-security-policy"]
