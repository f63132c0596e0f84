"""An evening of Danish Tarok on phones: told, looked at, put right, settled."""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from playwright.sync_api import expect

from kloplei.demo.table import Demo, demo_config
from kloplei.devices.schedule import ManualSchedule
from kloplei.games.game import Seat
from kloplei.table.client import TableClient
from tests.browser.conftest import TIMINGS, House, Visitors, picture, wait_for_seq
from tests.browser.test_watten import faults
from tests.until import until

pytestmark = pytest.mark.browser

SMALL: dict[str, Any] = {"locale": "da-DK", "has_touch": True, "is_mobile": True}
NAMES = ("Bartholomæus", "Anna-Lise", "Bo", "Dorte")

COUNT_TAPS = "window.taps = 0; addEventListener('pointerdown', () => window.taps++, true);"


@pytest.fixture
def options() -> dict[str, object]:
    return {}


@pytest.fixture
def players() -> int:
    return 3


@pytest.fixture
def house(
    clock: ManualSchedule | None, options: dict[str, object], players: int
) -> Iterator[House]:
    config = demo_config("da")
    table = replace(config.table, game="tarok", preset="dansk", options=options)
    with Demo(config=replace(config, table=table), timings=TIMINGS, schedule=clock) as demo:
        for row in demo.client.scoreboard().rows:
            if row.seat >= players:
                demo.client.submit(row.seat, "stand_up")
        for seat, name in enumerate(NAMES[:players]):
            demo.client.submit(Seat(seat), "rename", facts={"name": name})
        house = House(demo, clock)
        yield house
        house.shut()


def dealer_of(house: House) -> int:
    dealer = house.demo.client.scoreboard().dealer
    assert dealer is not None
    return dealer.shown


def tell_a_hand(table: TableClient, *, book: bool = True) -> None:
    """Tell a hand in which seat 1 loses a king and seat 2 wins an ultimo with the pagat."""
    table.submit(None, "deal")
    table.submit(Seat(1), "declare", facts={"what": "taroks", "count": 11, "pagat": True})
    table.submit(Seat(0), "fate", facts={"what": "king_lost"})
    table.submit(Seat(1), "last_trick")
    table.submit(Seat(1), "last_card", facts={"card": "pagat"})
    table.submit(Seat(0), "points", facts={"points": 20})
    table.submit(Seat(1), "points", facts={"points": 35})
    if book:
        table.submit(None, "book")


@pytest.mark.timeout(180)
def test_a_plain_hand_is_told_in_few_taps_while_the_others_look_on(
    house: House, visitors: Visitors
) -> None:
    dealer = dealer_of(house)
    page = visitors.open(f"/?seat={dealer}", 390, 844, **SMALL)
    other = visitors.open("/?seat=1", 320, 640, **SMALL)
    page.evaluate(COUNT_TAPS)

    page.locator(f"#do-deal-{dealer}").tap()
    page.locator("#tell-pagat_home-2").tap()
    page.locator("#tell-last_trick-3").tap()
    for digits in ("31", "20"):
        for digit in digits:
            page.locator(f"[data-digit='{digit}']").tap()
        expect(page.locator(".known")).to_contain_text(re.compile(rf"\b{digits}\b"))
    expect(page.locator(".known")).to_contain_text("27")
    expect(other.locator(".draft tfoot td").first).to_have_text("−60")
    assert house.demo.client.scoreboard().hands == ()
    picture(page, "tarok-told")
    page.locator(f"#do-book-{dealer}").tap()
    expect(other.locator("#row-1 .count")).to_have_text("−60")

    assert page.evaluate("window.taps") == 8
    (hand,) = house.demo.client.scoreboard().hands
    assert [one.line.key for one in hand.ledger] == [
        *("ledger.ante", "ledger.dealer_extra", "ledger.pagat_home", "ledger.last_trick"),
        "ledger.cards",
    ]
    expect(other.locator("#hand-1")).to_have_count(1)


@pytest.mark.timeout(180)
def test_who_is_to_declare_has_it_open_with_one_tap(house: House, visitors: Visitors) -> None:
    table, dealer = house.demo.client, dealer_of(house)
    table.submit(None, "deal")
    table.submit(Seat(dealer - 1), "pass")
    prompt = table.scoreboard().prompt
    assert prompt is not None
    asked = prompt.facts["seat"]
    assert isinstance(asked, Seat) and asked.shown != dealer
    page = visitors.open(f"/?seat={asked.shown}", 320, 640, **SMALL)

    page.locator(f".thumbs a[href='#declare-{asked.shown}']").tap()

    expect(
        page.locator(f"#declare-{asked.shown}").locator("summary", has_text="Matadorer")
    ).to_be_in_viewport()
    table.submit(asked, "rename", facts={"name": "Grethe"})
    expect(page.locator(".place-link")).to_have_text(f"{asked.shown} · Grethe")


@pytest.mark.timeout(180)
def test_a_drawing_between_two_taps_costs_no_digit(house: House, visitors: Visitors) -> None:
    table, dealer = house.demo.client, dealer_of(house)
    table.submit(None, "deal")
    table.submit(Seat(1), "last_trick")
    page = visitors.open(f"/?seat={dealer}", 320, 640, **SMALL)

    page.locator("[data-digit='2']").tap()
    table.submit(Seat(0), "fate", facts={"what": "king_lost"})
    expect(page.locator("#tell-king_lost-1")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#points")).to_have_value("2")
    page.locator("[data-digit='0']").tap()
    expect(page.locator(".known")).to_contain_text(re.compile(r"\b20\b"))


@pytest.mark.timeout(180)
def test_a_digit_that_was_counted_is_no_part_of_the_next_number(
    house: House, visitors: Visitors
) -> None:
    """One digit and *Count*, all of it counted anew, and the 30 was written down as 3."""
    table, dealer = house.demo.client, dealer_of(house)
    table.submit(None, "deal")
    table.submit(Seat(1), "last_trick")
    page = visitors.open(f"/?seat={dealer}", 320, 640, **SMALL)

    page.locator("[data-digit='9']").tap()
    page.locator(".number .btn").tap()
    page.locator("#recount").tap()
    expect(page.locator("#recount")).to_have_count(0)
    for digit in "30":
        page.locator(f"[data-digit='{digit}']").tap()
    expect(page.locator(".known")).to_contain_text(re.compile(r"\b30\b"))


@pytest.mark.timeout(180)
def test_a_hand_is_told_step_by_step_and_each_step_taken_back(
    house: House, visitors: Visitors
) -> None:
    table, dealer = house.demo.client, dealer_of(house)
    table.submit(None, "deal")
    page = visitors.open(f"/?seat={dealer}", 320, 640, **SMALL)

    page.locator("#declare-2 > summary").tap()
    taroks = page.locator("#declare-2 details", has_text="Tarokker")
    taroks.locator("> summary").tap()
    taroks.locator("select").select_option("12")
    taroks.get_by_role("button", name="med pagat", exact=True).tap()
    expect(page.locator(".draft")).to_contain_text("12 tarokker")
    expect(page.locator("#tell-pagat_home-1")).to_be_disabled()  # who declared it has it
    page.locator("#tell-pagat_home-2").tap()
    expect(page.locator("#tell-pagat_home-2")).to_have_attribute("aria-pressed", "true")
    page.locator("#tell-pagat_home-2").tap()
    expect(page.locator("#tell-pagat_home-2")).to_have_attribute("aria-pressed", "false")
    page.locator("#tell-pagat_lost-2").tap()
    for strike in ("#strike-3", "#strike-4"):
        page.locator("#tell-king_lost-1").tap()
        expect(page.locator(strike)).to_be_visible()
    expect(page.locator("#tell-king_lost-1")).to_have_text("Bartholomæus ×2")
    page.locator("#strike-4").tap()
    expect(page.locator("#tell-king_lost-1")).to_have_text("Bartholomæus")
    page.locator("#tell-last_trick-3").tap()
    expect(page.locator(".keypad")).to_be_visible()
    assert [one.line.key for one in table.scoreboard().draft if one.entry] == [
        *("news.taroks-with-pagat", "ledger.pagat_lost", "ledger.king_lost", "ledger.last_trick")
    ]


@pytest.mark.timeout(180)
def test_a_newcomer_is_asked_one_thing_at_a_time_and_sees_what_it_brings(
    house: House, visitors: Visitors
) -> None:
    table, dealer = house.demo.client, dealer_of(house)
    table.submit(None, "deal")
    page = visitors.open(f"/?seat={dealer}", 320, 640, **SMALL)
    shown = page.locator(".single > .step:visible")

    page.locator("#sheet-kind").tap()
    # A page whose stylesheet is still on its way shows all questions at once.
    expect(shown).to_have_count(1)
    for question, answer in (
        *(("declare", None), ("pagat_home", 2), ("pagat_lost", None), ("king_lost", None)),
        *(("last_trick", 3), ("last_pagat", None), ("last_king", None)),
    ):
        expect(shown).to_have_id(f"one-{question}")
        if answer:
            page.locator(f"#tell-{question}-{answer}").tap()
            expect(shown.locator(".told")).to_have_count(1)
        shown.locator(".turn label").last.tap()
    for digits in ("31", "20"):
        for digit in digits:
            page.locator(f"[data-digit='{digit}']").tap()
        expect(page.locator(".known")).to_contain_text(re.compile(rf"\b{digits}\b"))
    shown.locator(".turn label").first.tap()
    expect(shown).to_have_id("one-last_king")
    assert faults(page) == []
    picture(page, "tarok-steps")
    for _ in range(2):
        shown.locator(".turn label").last.tap()
    expect(shown).to_have_id("one-book")
    assert shown.evaluate(  # the number of the question stood on what the hand brings
        """step => { const nth = step.querySelector('.nth').getBoundingClientRect();
          return [...step.querySelectorAll('.brings > span:not(.unseen)')].every(one => {
            const box = one.getBoundingClientRect();
            return box.right <= nth.left || box.top >= nth.bottom; }); }"""
    )

    expect(page.locator(".thumbs .brings")).to_be_in_viewport()
    expect(page.locator(".thumbs .brings b").first).to_have_text("−60")
    page.locator(f"#do-book-{dealer}").tap()
    expect(page.locator("#row-1 .count")).to_have_text("−60")


@pytest.mark.timeout(180)
def test_of_questions_one_by_one_there_is_always_one(house: House, visitors: Visitors) -> None:
    """What was asked about the whole hand was answered, and nothing stood there any more."""
    table, dealer = house.demo.client, dealer_of(house)
    table.submit(None, "deal")
    table.submit(Seat(1), "last_trick")
    table.submit(Seat(0), "fate", facts={"what": "pagat_home"})
    page = visitors.open(f"/?seat={dealer}&sheet=steps", 320, 640, **SMALL)
    shown = page.locator(".single > .step:visible")
    expect(shown).to_have_id("one-last_trick")
    page.locator(".thumbs a").tap()  # it led to the sheet, whatever was asked there
    expect(shown).to_have_id("one-points")

    table.submit(Seat(1), "points", facts={"points": 0})
    table.submit(Seat(0), "points", facts={"points": 48})
    page.locator(".thumbs a[href$='-asked']").tap()
    expect(shown).to_have_id("one-asked")
    assert faults(page) == []
    shown.get_by_role("button", name="tæller 0").tap()

    expect(shown).to_have_id("one-points")


@pytest.mark.parametrize("players", [4])
def test_the_heads_of_a_ledger_stand_apart_on_a_small_phone(
    house: House, visitors: Visitors
) -> None:
    house.demo.client.submit(None, "deal")
    page = visitors.open("/?seat=1", 320, 640, **SMALL)

    for width in (320, 360, 390):
        page.set_viewport_size({"width": width, "height": 640})
        heads = page.locator(".draft thead th:not(:first-child)").evaluate_all(
            """heads => heads.map(head => { const text = document.createRange();
              text.selectNodeContents(head); const box = text.getBoundingClientRect();
              return [box.left, box.right, head.scrollHeight <= head.clientHeight + 1]; })"""
        )
        assert len(heads) == 6
        assert all(a[1] + 3 < b[0] for a, b in pairwise(heads)), heads
        assert all(is_whole for *_, is_whole in heads)


def test_somebody_else_may_write_when_the_dealer_has_no_phone(
    house: House, visitors: Visitors
) -> None:
    house.demo.client.submit(None, "deal")
    page = visitors.open("/?seat=1", 390, 844, **SMALL)
    expect(page.locator("#tell-last_trick-1")).to_be_hidden()

    page.locator("#hand > summary").tap()
    page.locator("#tell-last_trick-1").tap()

    expect(page.locator("#tell-last_trick-1")).to_have_attribute("aria-pressed", "true")
    viewer = visitors.open("/?seat=", 390, 844, **SMALL)
    expect(viewer.locator(".draft")).to_contain_text("Bartholomæus")
    assert viewer.locator("#hand, .strike").count() == 0


def test_without_scripts_a_hand_is_told_as_well(house: House, visitors: Visitors) -> None:
    dealer = dealer_of(house)
    house.demo.client.submit(None, "deal")
    page = visitors.open(f"/?seat={dealer}", 390, 844, locale="da-DK", java_script_enabled=False)

    page.locator("#tell-pagat_home-2").click()
    page.locator("#tell-last_trick-3").click()
    for points in ("31", "20"):
        page.locator("#points").fill(points)
        page.locator(".keypad .number button").click()
    page.locator(f"#do-book-{dealer}").click()

    until(lambda: house.demo.client.scoreboard().hands)
    assert len(house.demo.client.scoreboard().hands) == 1


@pytest.mark.parametrize("players", [4])
@pytest.mark.timeout(180)
def test_an_older_hand_is_put_right_and_the_evening_settled(
    house: House, visitors: Visitors
) -> None:
    table = house.demo.client
    table.submit(None, "deal")
    board = table.scoreboard()
    first, second, third = (row.seat for row in board.rows if "in_hand" in row.flags)
    table.submit(first, "fate", facts={"what": "pagat_home"})
    table.submit(second, "last_trick")
    table.submit(first, "points", facts={"points": 26})
    table.submit(second, "points", facts={"points": 26})
    table.submit(None, "book")
    page = visitors.open("/?seat=1", 390, 844, **SMALL)
    before = {row.seat: row.tally for row in table.scoreboard().rows}

    page.locator("#evening > summary").tap()
    page.locator("#hand-1 > summary").tap()
    page.locator("#hand-1 form button", has_text="Ret").tap()
    expect(page.locator(".draft")).to_be_visible()
    if table.scoreboard().dealer != Seat(0):
        page.locator("#hand > summary").tap()
    page.locator(f"#tell-pagat_home-{first.shown}").tap()
    page.locator(f"#tell-pagat_lost-{first.shown}").tap()
    expect(page.locator(f"#tell-pagat_lost-{first.shown}")).to_have_attribute(
        "aria-pressed", "true"
    )
    told = table.scoreboard().seq
    page.locator("[id^=do-book]").first.tap()
    wait_for_seq(page, told + 1)
    after = {row.seat: row.tally for row in table.scoreboard().rows}
    assert after[first] == before[first] - 25  # 10 not won, 10 and 5 lost
    assert after[third] == before[third] + 10

    page.locator("details", has_text="Gør op").last.locator("> summary").tap()
    page.get_by_role("button", name=re.compile("Gør op")).last.tap()
    expect(page.locator(".payments li")).not_to_have_count(0)
    picture(page, "tarok-settled")
    paid = dict.fromkeys((row.seat for row in board.rows), 0)
    for one in table.scoreboard().payments:
        paid[one.payer] -= one.amount
        paid[one.payee] += one.amount
        assert sum(one.chips) == one.amount
    assert paid == {row.seat: row.tally for row in table.scoreboard().rows}


def test_pots_and_payments_are_read_across_the_room(house: House, visitors: Visitors) -> None:
    table = house.demo.client
    table.submit(Seat(1), "rename", facts={"name": "Jørgen Æbeløkke"})
    tv = visitors.open("/tv", 1280, 720, locale="da-DK")

    tell_a_hand(table, book=False)
    pots = tv.locator(".pots dd")
    expect(pots).to_have_count(2)
    assert pots.evaluate_all("pots => pots.every(pot => pot.clientHeight > 60)")
    picture(tv, "tarok-tv-pots")
    table.submit(None, "book")
    table.submit(None, "settle")

    chips = tv.locator(".chip")
    expect(chips.first).to_be_visible()
    assert chips.evaluate_all(
        "chips => chips.every(chip => getComputedStyle(chip).borderRadius === '50%')"
    )
    slate = tv.locator(".slate")
    assert slate.evaluate("slate => slate.scrollHeight <= slate.clientHeight")
    assert tv.locator(".row .name").evaluate_all(  # half of the line was kept for strokes
        "names => names.every(name => name.scrollWidth <= name.clientWidth)"
    )
    picture(tv, "tarok-tv-settled")


@pytest.mark.parametrize("options", [{"only_points": "yes"}])
def test_a_house_that_reckons_by_itself_writes_results(house: House, visitors: Visitors) -> None:
    dealer = dealer_of(house)
    house.demo.client.submit(None, "deal")
    page = visitors.open(f"/?seat={dealer}", 320, 640, **SMALL)

    for seat, amount in (("1", "45"), ("2", "20")):
        page.locator(f"#amount-{seat}").tap()  # in the middle, where the nought stands
        page.keyboard.type(amount)
        expect(page.locator(f"#amount-{seat}")).to_have_value(amount)
    page.get_by_role("button", name="Plus eller minus for Anna-Lise").tap()
    expect(page.locator("#amount-2")).to_have_value("-20")
    expect(page.locator(".over")).to_have_text("Endnu +25 til overs")
    page.locator("#tell-result").tap()
    expect(page.locator("#toast")).to_contain_text("nul")
    expect(page.locator("#amount-1")).to_have_value("45")  # nothing is lost by a refusal
    page.locator("#amount-3").fill("-25")
    expect(page.locator(".over")).to_be_hidden()
    assert faults(page) == []
    page.locator("#tell-result").tap()

    expect(page.locator("#row-1 .count")).to_have_text("45")
    assert [row.tally for row in house.demo.client.scoreboard().rows] == [45, -20, -25]


@pytest.mark.timeout(180)
def test_nothing_sticks_out_on_the_smallest_phone(house: House, visitors: Visitors) -> None:
    table, dealer = house.demo.client, dealer_of(house)
    tell_a_hand(table)
    tell_a_hand(table, book=False)
    dealer = dealer_of(house)
    page = visitors.open(f"/?seat={dealer}", 320, 640, **SMALL)
    found = {"told": faults(page)}
    table.submit(None, "undo")
    table.submit(None, "undo")
    expect(page.locator(".keypad")).to_be_visible()
    found["counting"] = faults(page)
    other = visitors.open("/?seat=keeper", 320, 640, **SMALL)
    found["keeper"] = faults(other)
    table.submit(None, "throw_in")
    table.submit(None, "book")
    table.submit(None, "settle")
    expect(page.locator(".payments")).to_be_visible()
    found["settled"] = faults(page)
    picture(page, "tarok-light")

    assert found == {name: [] for name in found}
