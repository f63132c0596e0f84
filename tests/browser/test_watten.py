"""An evening of Watten on phones under a TV: named, raised, held, given up, counted, judged."""

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from playwright.sync_api import Page, expect

from kloplei.demo.table import Demo, demo_config
from kloplei.devices.schedule import ManualSchedule
from kloplei.games.game import Seat
from tests.browser.conftest import TIMINGS, House, Visitors, picture, wait_for_seq
from tests.browser.test_looks import inaccessible, open_all, outside, too_small

pytestmark = pytest.mark.browser

THUMBS_PX = 120  # what is pressed in a hurry
LONG_NAMES = ("Bartholomäus", "Maximiliane", "Anna-Lena-Sophie", "Wolfgang Amadeus")


def playing(preset: str, **options: object) -> pytest.MarkDecorator:
    """Let the house of a test play Watten by *preset*."""
    return pytest.mark.parametrize("rules", [(preset, options)], ids=[preset])


@pytest.fixture
def house(rules: tuple[str, dict[str, object]], clock: ManualSchedule | None) -> Iterator[House]:
    preset, options = rules
    config = demo_config("de")
    table = replace(config.table, game="watten", preset=preset, options=options)
    with Demo(config=replace(config, table=table), timings=TIMINGS, schedule=clock) as demo:
        house = House(demo, clock)
        yield house
        house.shut()


class Table:
    """The phones of an evening; each step waits until all of them show what came of it."""

    def __init__(self, house: House, visitors: Visitors, *seats: int) -> None:
        self._house, self._table = house, house.demo.client
        german = {"locale": "de-AT", "has_touch": True, "is_mobile": True}
        self.phones = {seat: visitors.open(f"/?seat={seat}", 320, 640, **german) for seat in seats}
        self.tv = visitors.open("/tv", 1920, 1080, locale="de-AT")

    def press(self, seat: int, action: str) -> None:
        """Press *action* on the phone of *seat*; say yes, or wait, if it asks for that."""
        page, before = self.phones[seat], self._table.scoreboard().seq
        sheet = page.locator(f"#sheet-{action}-{seat}")
        button = page.locator(f"#do-{action}-{seat}")
        expect(sheet.or_(button)).to_be_visible()
        if sheet.count():
            sheet.locator("> summary").click()
            button = sheet.locator(".finals button")
        button.click()
        if action in ("trick", "fold"):
            for phone in self.phones.values():
                expect(phone.locator(".grace progress")).to_be_visible()
            self._house.pass_time(TIMINGS.grace_s)
        self.in_step(before + 1)

    def choose(self, seat: int, action: str, choice: str) -> None:
        """Tap *choice* in the sheet of *action* on the phone of *seat*."""
        page, before = self.phones[seat], self._table.scoreboard().seq
        sheet = page.locator(f"#sheet-{action}-{seat}")
        sheet.locator("> summary").click()
        sheet.get_by_role("button", name=choice, exact=True).click()
        self.in_step(before + 1)

    def in_step(self, number: int) -> None:
        for page in (*self.phones.values(), self.tv):
            wait_for_seq(page, number)

    def points(self) -> list[str]:
        return [one.inner_text() for one in self.tv.locator(".side .points strong").all()]


@playing("tirol", target=5)
@pytest.mark.timeout(180)
def test_a_game_of_watten_on_phones(house: House, visitors: Visitors) -> None:
    table = Table(house, visitors, 1, 2, 3, 4)

    table.press(4, "deal")
    table.choose(1, "schlag", "9")
    table.choose(4, "trump", "Herz")
    expect(table.tv.locator(".announced")).to_contain_text("9")
    expect(table.tv.locator(".announced .suit")).to_have_accessible_name("Herz")

    table.press(1, "raise")
    expect(table.tv.locator(".stake strong")).to_have_text("3?")
    expect(table.tv.locator(".side.asked .name")).to_have_text(["Tame", "Stan"])
    for answer in ("accept", "fold"):  # once a style of another page made slivers of them
        box = table.phones[2].locator(f"#do-{answer}-2").bounding_box()
        assert box is not None
        assert box["width"] > THUMBS_PX
        assert box["x"] > 0  # nor do they stick to the glass's edge
    picture(table.phones[2], "watten-phone-raised")
    picture(table.tv, "watten-tv-raised")
    table.press(2, "accept")
    expect(table.tv.locator(".stake strong")).to_have_text("3")

    for seat in (2, 4, 1, 2):
        table.press(seat, "trick")
    assert table.points() == ["0", "3"]

    # 3 is two short of 5: who is gestrichen may not raise, but the others may.
    expect(table.tv.locator(".side.gestrichen .name")).to_have_text(["Tame", "Stan"])
    table.press(1, "deal")
    table.choose(2, "schlag", "König")
    table.choose(1, "trump", "Laub")
    assert table.phones[2].locator("#do-raise-2").count() == 0
    table.press(1, "raise")
    table.press(4, "fold")
    assert table.points() == ["2", "3"]

    table.in_step(house.demo.client.submit(Seat(1), "deal"))
    for seat, action, facts in (
        *((2, "schlag", {"rank": "A"}), (1, "trump", {"suit": "C"})),
        *((1, "trick", {}), (3, "trick", {})),
    ):
        number = house.demo.client.submit(Seat(seat), action, facts=facts)
    table.in_step(number)
    table.press(2, "trick")
    assert table.points() == ["2", "5"]
    expect(table.tv.locator(".side.rubber_winner .name")).to_have_text(["Tame", "Stan"])
    picture(table.tv, "watten-tv-over")

    table.press(3, "new_game")  # who deals next
    assert table.points() == ["0", "0"]


@playing("tirol")
def test_a_trick_is_one_tap_that_anybody_can_stop(house: House, visitors: Visitors) -> None:
    table = Table(house, visitors, 1, 2)
    client = house.demo.client
    for seat, action in ((None, "deal"), (Seat(0), "announced")):
        number = client.submit(seat, action)
    table.in_step(number)

    table.phones[1].locator("#do-trick-1").click()
    bar = table.phones[2].locator(".grace")
    expect(bar).to_be_visible()
    picture(table.phones[2], "watten-phone-trick-waits")
    table.phones[2].locator("#more > summary").click()
    table.phones[2].locator("#do-undo-2").click()
    toast = table.phones[2].locator("#toast.is-up")
    expect(toast).to_have_count(1)
    table.phones[2].locator("#do-cancel-2").click()
    expect(bar).to_have_count(0)
    expect(toast).to_have_count(0)  # what was refused a moment ago is right now
    house.pass_time(TIMINGS.grace_s)
    assert client.scoreboard().seq == number

    table.press(1, "trick")

    undo = table.phones[2].locator("#do-undo-2")
    expect(undo.locator(".of")).to_contain_text("Thijs")
    picture(table.phones[2], "watten-phone-undo")
    undo.click()
    expect(table.phones[1].locator(".grace")).to_contain_text("(Stich 1 geht an Thijs)")
    picture(table.phones[1], "watten-phone-undo-waits")
    house.pass_time(TIMINGS.grace_s)
    table.in_step(number + 2)
    expect(table.phones[1].locator(".says .news")).to_have_text(re.compile("^Tame nahm zurück: "))
    picture(table.tv, "watten-tv-undone")


@playing("boehmisch")
def test_bohemian_tricks_are_counted_on_the_dealers_phone(house: House, visitors: Visitors) -> None:
    table = Table(house, visitors, 1, 4)
    phone = table.phones[4]
    number = house.demo.client.submit(None, "deal")
    table.in_step(number)
    phone.locator("#sheet-turnup-4 > summary").click()
    phone.locator("#sheet-turnup-4 .pick", has_text="Herz").click()
    phone.locator("#sheet-turnup-4").get_by_role("button", name="10", exact=True).click()
    table.in_step(number + 1)
    table.choose(1, "exchange", "3")

    phone.locator("#sheet-result-4 > summary").click()
    shares = phone.locator("#sheet-result-4 .shares fieldset")
    for player, tricks in ((0, 3), (1, 1)):
        shares.nth(player).locator(".pick", has_text=str(tricks)).click()
    expect(phone.locator("#sheet-result-4 output")).to_have_text("(noch 1)")
    shares.nth(3).locator(".pick", has_text="1").click()
    expect(phone.locator("#sheet-result-4 output")).to_have_text("(noch 0)")
    picture(phone, "watten-phone-result")
    phone.locator("#sheet-result-4 .finals button").click()

    table.in_step(number + 4)
    expect(table.tv.locator(".row .count")).to_have_text(["14", "18", "30", "18"])


@playing("tirol")
def test_the_judge_keeps_its_place_while_cards_are_tapped(house: House, visitors: Visitors) -> None:
    page = visitors.open("/judge", 320, 640, locale="de-AT", has_touch=True, is_mobile=True)
    page.locator(".announcing-schlag .pick", has_text=re.compile("^9$")).click()
    page.locator(".announcing-trump .pick", has_text="Herz").click()

    for card in ("HA", "S9", "D7"):
        page.locator(f"#lay-{card}").click()
        expect(page.locator(f"#lay-{card}.lies")).to_be_attached()
    expect(page.locator(".verdict")).to_contain_text("Karte 2, Laub 9, bekommt den Stich.")
    assert page.evaluate("scrollY") > 100
    page.locator("#lay-D7").click()
    expect(page.locator(".wrong")).to_have_text("Schell 7 liegt schon da.")
    picture(page, "watten-judge")
    page.locator("#clear").click()
    expect(page.locator(".lying li")).to_have_count(0)


@playing("tirol")
def test_the_judge_without_scripts(house: House, visitors: Visitors) -> None:
    page = visitors.open("/judge", 390, 800, java_script_enabled=False, locale="de-AT")

    page.locator(".announcing-schlag .pick", has_text=re.compile("^9$")).click()
    page.locator(".announcing-trump .pick", has_text="Herz").click()
    page.locator("#lay-C9").click()
    page.locator("#lay-H9").click()

    expect(page.locator(".verdict")).to_contain_text("der Rechte")


def faults(page: Page) -> list[str]:
    """Return what sticks out, is too small for a thumb or hard to read, in either light."""
    open_all(page)
    return outside(page) + too_small(page) + inaccessible(page)


@playing("tirol")
def test_nothing_sticks_out_on_the_smallest_phone(house: House, visitors: Visitors) -> None:
    table = house.demo.client
    for seat, name in enumerate(LONG_NAMES):
        table.submit(Seat(seat), "rename", facts={"name": name})
    table.submit(None, "deal")
    page = visitors.open("/?seat=1", 320, 640, locale="de-AT")
    found = {"schlag": faults(page)}
    table.submit(Seat(0), "schlag", facts={"rank": "J"})
    number = table.submit(Seat(3), "trump", facts={"suit": "S"})
    page.reload()
    wait_for_seq(page, number)
    found["play"] = faults(page)
    number = table.submit(Seat(3), "raise")
    page.reload()
    wait_for_seq(page, number)
    found["raised"] = faults(page)
    for path in ("/tv", "/judge", "/?seat=keeper"):
        page.goto(house.url + path)
        found[path] = faults(page)

    assert {what: one for what, one in found.items() if one} == {}


@playing("boehmisch")
def test_nothing_sticks_out_when_six_play_alone(house: House, visitors: Visitors) -> None:
    table = house.demo.client
    for seat in (4, 5):
        table.submit(Seat(seat), "sit_down", facts={"name": LONG_NAMES[seat - 4]})
    table.submit(None, "deal")
    table.submit(None, "turnup", facts={"suit": "D", "rank": "6"})
    dealer = table.scoreboard().dealer
    assert dealer is not None
    page = visitors.open(f"/?seat={dealer.shown}", 320, 640, locale="de-AT")

    assert faults(page) == []
    page.goto(house.url + "/tv")
    assert faults(page) == []


@playing("tirol")
def test_whoever_is_asked_on_the_large_screen_is_asked_in_whole_words(
    house: House, visitors: Visitors
) -> None:
    """In four of five languages it said "halten oder au…" there."""
    table = house.demo.client
    for seat in (0, 1):
        table.submit(Seat(seat), "chalk", facts={"points": 10 + seat}, via="table")
    table.submit(None, "deal", via="table")
    for action, facts in (("schlag", {"rank": "9"}), ("trump", {"suit": "H"})):
        asked = (
            row for row in table.scoreboard().rows for one in row.offers if one.action == action
        )
        table.submit(next(asked).seat, action, facts=facts)
    number = table.submit(Seat(0), "raise")
    cut = {}

    for language in ("nl", "en", "de", "da", "ja"):
        screen = visitors.open(f"/tv?lang={language}", 1280, 720)
        wait_for_seq(screen, number)
        told = screen.locator(".ring .asked .answer-told span")
        expect(told).to_have_count(2)
        cut[language] = told.evaluate_all(
            "all => all.filter(it => it.scrollWidth > it.clientWidth).map(it => it.textContent)"
        )

    assert cut == {language: [] for language in cut}


@playing("tirol")
def test_why_another_game_has_to_wait_is_told_in_whole(house: House, visitors: Visitors) -> None:
    """On a narrow phone it ended in "or o…", in every language."""
    table = house.demo.client
    table.submit(None, "deal", via="table")
    for action, facts in (("schlag", {"rank": "9"}), ("trump", {"suit": "H"})):
        rows = table.scoreboard().rows
        asked = next(row for row in rows if any(one.action == action for one in row.offers))
        table.submit(asked.seat, action, facts=facts)
    table.submit(Seat(0), "raise")
    table.submit(Seat(1), "fold")  # this deal is over, and the game goes on
    page = visitors.open("/?seat=keeper&lang=en", 320, 568)
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")

    told = page.locator("#house p.hint")
    expect(told).to_be_visible()
    assert told.evaluate("one => one.scrollWidth <= one.clientWidth")
