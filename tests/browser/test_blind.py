"""A deal of Blind Watten on four phones: sealed by two of them, and opened for all at the end."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from playwright.sync_api import Page, expect
from playwright.sync_api import TimeoutError as TooLateError

from kloplei.demo.table import Demo, demo_config
from kloplei.devices.schedule import ManualSchedule
from tests.browser.conftest import (
    PATIENCE_MS,
    TIMINGS,
    House,
    Visitors,
    picture,
    seq,
    wait_for_seq,
)

pytestmark = pytest.mark.browser

SOON_MS = 3_000

# Schlag 10, trump acorns: the Unter is the Guate, the tens of other suits are Linken.
TRICKS = (
    (("eikels 10", "eikels Unter", "harten 10", "eikels aas"), 2),
    (("harten 7", "harten 8", "harten aas", "Weli"), 4),
    (("bladen aas", "bladen 10", "eikels koning", "harten 9"), 1),
)
LAST = ("harten Ober", "eikels 7", "bladen 9", "bellen 10")  # and so did Stan, with a Linke


@pytest.fixture
def house(clock: ManualSchedule | None) -> Iterator[House]:
    config = demo_config()
    table = replace(config.table, game="watten", preset="blind", options={})
    with Demo(config=replace(config, table=table), timings=TIMINGS, schedule=clock) as demo:
        house = House(demo, clock)
        yield house
        house.shut()


@pytest.fixture
def phones(visitors: Visitors) -> dict[int, Page]:
    """Thijs (1) sits next to Stan (4), who deals; Tame (2) and Thomas (3) play blind."""
    looks = {1: (390, "light"), 2: (320, "light"), 3: (390, "dark"), 4: (320, "dark")}
    touch = {"has_touch": True, "is_mobile": True}
    return {
        seat: visitors.open(f"/?seat={seat}", wide, color_scheme=scheme, **touch)
        for seat, (wide, scheme) in looks.items()
    }


def press(page: Page, button: str) -> None:
    """Press *button*, which may stand behind "more"."""
    found = page.locator(f"#do-{button}")
    expect(found).to_be_attached()
    if not found.is_visible():
        page.locator("#more > summary").click()
    found.click()


def choose(page: Page, sheet: str, choice: str) -> None:
    """Open *sheet* if it is closed, and tap *choice* in it."""
    found = page.locator(f"#sheet-{sheet}")
    expect(found).to_be_visible()

    def tap(patience_ms: int) -> None:
        if found.get_attribute("open") is None:
            found.locator("> summary").click()
        found.get_by_role("button", name=choice, exact=True).click(timeout=patience_ms)

    try:
        tap(SOON_MS)
    except TooLateError:
        # The answer to the tap before may close the sheet a moment after the slate has moved on.
        tap(PATIENCE_MS)


def in_step(house: House, phones: dict[int, Page]) -> None:
    number = house.demo.client.scoreboard().seq
    for page in phones.values():
        wait_for_seq(page, number)


def enter(page: Page, seat: int, cards: tuple[str, ...]) -> None:
    for card in cards:
        before = seq(page)
        choose(page, f"card-{seat}", card)
        wait_for_seq(page, before + 1)


@pytest.mark.timeout(180)
def test_a_blind_deal_on_four_phones(
    house: House, phones: dict[int, Page], visitors: Visitors
) -> None:
    tv = visitors.open("/tv", 1920, 1080)
    everybody = {**phones, 0: tv}
    press(phones[4], "deal-4")
    in_step(house, everybody)
    for blind in (2, 3):
        expect(phones[blind].locator("[id*=seal], [id*=confirm], [id*=sheet-card]")).to_have_count(
            0
        )

    phones[1].locator("#sheet-seal_schlag-1 > summary").click()
    expect(phones[1].locator("#sheet-seal_schlag-1 .secret")).to_contain_text("niemand")
    picture(phones[1], "blind-seal")
    choose(phones[1], "seal_schlag-1", "10")
    expect(tv.locator(".told").first).to_have_text("Dat moet Stan nog zeggen.")
    before = seq(phones[4])
    choose(phones[4], "seal_trump-4", "eikels")
    wait_for_seq(phones[4], before + 1)

    in_step(house, everybody)
    for page in everybody.values():
        expect(page.locator(".told")).to_contain_text("liggen verzegeld")
        assert page.locator("details.sheet[open]").count() == 0
    picture(phones[4], "blind-sealed")

    press(phones[2], "raise-2")
    in_step(house, everybody)
    press(phones[1], "accept-1")
    in_step(house, everybody)
    for number, (cards, taker) in enumerate(TRICKS, start=1):
        enter(phones[1 if number % 2 else 4], 1 if number % 2 else 4, cards)
        in_step(house, everybody)
        board = house.demo.client.scoreboard()
        assert board.leader is not None
        assert board.leader.shown == taker
        if number == 1:
            picture(phones[1], "blind-cards")
    expect(phones[1].get_by_role("button", name="eikels 10", exact=True)).to_have_count(0)
    enter(phones[4], 4, LAST[:3])
    lying = phones[4].locator("#sheet-card-4 .so-far")
    expect(lying).to_contain_text("Op tafel: harten Ober, eikels 7 en bladen 9. Nu Stan.")
    picture(phones[4], "blind-lying")
    for page in everybody.values():
        expect(page.locator(".says")).not_to_contain_text("troef eikels")
    enter(phones[4], 4, LAST[3:])

    in_step(house, everybody)
    for page in everybody.values():
        expect(page.locator(".told").first).to_have_text("Het was Schlag 10, troef eikels.")
    assert [row.tally for row in house.demo.client.scoreboard().rows] == [0, 3, 0, 3]
    picture(phones[2], "blind-opened")
    picture(tv, "blind-opened-tv")
    phones[2].locator("#evening > summary").click()
    expect(phones[2].locator("tr.told")).to_contain_text("troef eikels")
    picture(phones[2], "blind-rounds")
