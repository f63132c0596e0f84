"""A phone at the table: what it does when all is well, and when it is not."""

import re

import pytest
from playwright.sync_api import expect

from kloplei.games.game import Seat
from kloplei.table.uplink_client import HousePerson, TableCall
from tests.browser.conftest import TIMINGS, House, Visitors, picture, seq, wait_for_seq

pytestmark = pytest.mark.browser
HOLDS_BACK = """
window.EventSource = class extends EventSource {
  addEventListener(kind, heard) {
    if (this.url.includes("packed=no")) super.addEventListener(kind, heard);
  }
};
"""


def deal(house: House) -> int:
    return house.demo.client.submit(None, "deal")


def seat(number: int) -> Seat:
    return Seat(number - 1)


def test_a_phone_follows_without_being_touched(house: House, visitors: Visitors) -> None:
    page = visitors.open("/")
    number = deal(house)

    wait_for_seq(page, number)

    expect(page.locator(".stake strong")).to_have_text("1")


def test_two_quick_taps_are_one_press(house: House, visitors: Visitors) -> None:
    page = visitors.open("/?seat=4")
    expect(page.locator("#do-deal-4")).to_be_visible()

    page.locator("#do-deal-4").dblclick()
    expect(page.locator("#do-deal-4")).to_have_count(0)

    dealt = [one for one in house.demo.client.log() if one.line.key == "news.dealt"]
    assert len(dealt) == 1


def test_what_the_keeper_presses_for_a_player_is_logged_as_the_keepers(
    house: House, visitors: Visitors
) -> None:
    page = visitors.open("/?seat=keeper")
    page.locator("#place-4 > summary").click()

    page.locator("#do-deal-4").click()
    expect(page.locator("#do-deal-4")).to_have_count(0)

    newest, *_ = house.demo.client.log(1)
    assert (newest.line.key, newest.seat) == ("news.dealt", None)


def test_the_last_trick_is_one_tap_that_anybody_can_stop(house: House, visitors: Visitors) -> None:
    page, other = visitors.open("/?seat=2"), visitors.open("/?seat=3")
    number = deal(house)
    for one in (page, other):
        wait_for_seq(one, number)

    page.locator("#do-trick-4-2").click()
    other.locator("#do-cancel-3").click()
    expect(page.locator(".grace")).to_have_count(0)
    house.pass_time(TIMINGS.grace_s)
    assert house.demo.client.scoreboard().seq == number

    page.locator("#do-trick-4-2").click()
    expect(page.locator(".grace")).to_be_visible()
    house.pass_time(TIMINGS.grace_s)
    wait_for_seq(page, number + 1)
    assert house.demo.client.scoreboard().hands[0].winner == seat(2)


def test_a_form_is_filled_in_and_its_sheet_closes(house: House, visitors: Visitors) -> None:
    page = visitors.open("/?seat=3")
    deal(house)
    house.demo.client.submit(seat(1), "exchange")
    sheet = page.locator("#sheet-challenge-1-3")
    expect(sheet).to_be_visible()

    # The last of three below the knock is alone in its row, and has all of it.
    alone, knock = sheet.bounding_box(), page.locator("#do-knock-3").bounding_box()
    assert alone is not None
    assert knock is not None
    assert alone["width"] == pytest.approx(knock["width"], abs=1)

    sheet.locator("summary").click()
    sheet.get_by_role("button", name=re.compile("Bluf")).click()

    expect(page.locator("#row-1 .count")).to_have_text("1/5")
    expect(sheet).to_have_count(0)


def test_what_is_being_typed_outlives_the_next_picture(house: House, visitors: Visitors) -> None:
    page = visitors.open("/?seat=3")
    page.locator("#more > summary").click()
    page.locator("#sheet-rename-3 > summary").click()
    name = page.locator("#field-rename-3-name")
    name.press_sequentially("Tho")

    wait_for_seq(page, deal(house))
    name.press_sequentially("masje")
    page.keyboard.press("Enter")

    expect(page.locator("#row-3 .name")).to_have_text("Thomasje")


def test_focus_and_scroll_stay_where_they_were(house: House, visitors: Visitors) -> None:
    page = visitors.open("/?seat=keeper", 390, 500)
    page.locator("#place-4 > summary").click()
    page.locator("#place-4 > summary").focus()
    page.evaluate("scrollTo(0, 300)")

    wait_for_seq(page, deal(house))

    assert page.evaluate("document.activeElement.parentElement.id") == "place-4"
    assert page.evaluate("document.getElementById('place-4').open")
    assert abs(page.evaluate("scrollY") - 300) < 60


# In one go: between two steps the newest slate may come in.
PRESS_ON_AN_OLD_SLATE = """(button) => {
  document.getElementById("table").dataset.seq = 1;
  document.getElementById(button).click();
}"""


def test_a_late_thumb_is_told_in_a_sentence(house: House, visitors: Visitors) -> None:
    page = visitors.open("/?seat=4")
    expect(page.locator("#do-deal-4")).to_be_visible()
    number = seq(page)

    page.evaluate(PRESS_ON_AN_OLD_SLATE, "do-deal-4")

    expect(page.locator("#toast.is-up")).to_have_text(re.compile(r"\w+ .*\."))
    picture(page, "phone-refused")
    assert house.demo.client.scoreboard().seq == number
    expect(page.locator(f"#table[data-seq='{number}']")).to_be_visible()


def test_a_lost_connection_is_said_and_comes_back_by_itself(
    house: House, visitors: Visitors
) -> None:
    page = visitors.open("/?seat=2")
    expect(page.locator("#row-2")).to_be_visible()
    expect(page.locator("#lost")).to_be_hidden()

    house.shut()
    expect(page.locator("#lost")).to_be_visible()
    expect(page.locator("#lost")).to_contain_text("Verbinding kwijt")
    picture(page, "phone-lost")
    number = deal(house)  # the table plays on meanwhile
    house.reopen()

    expect(page.locator("#lost")).to_be_hidden()
    wait_for_seq(page, number)


def test_a_table_that_is_silent_is_no_lost_connection(visitors: Visitors) -> None:
    """Nobody goes looking for the Wi-Fi while it is the table that is away."""
    page = visitors.open("/?seat=2")
    expect(page.locator("#row-2")).to_be_visible()
    silent = {"error": "table_silent", "message": "De tafel antwoordt niet."}
    page.route("**/api/v1/stream*", lambda road: road.fulfill(status=503, json=silent))

    page.evaluate("dispatchEvent(new Event('online'))")  # let it open the stream anew
    expect(page.locator("#lost")).to_have_text("De tafel antwoordt niet.")
    page.unroute("**/api/v1/stream*")

    expect(page.locator("#lost")).to_be_hidden()


def test_a_tap_without_a_connection_is_never_kept_for_later(
    house: House, visitors: Visitors
) -> None:
    page = visitors.open("/?seat=4")
    number = house.demo.client.submit(seat(3), "rename", facts={"name": "Kees"})
    # From now on the page follows; the first board behind a warning would take it away again.
    wait_for_seq(page, number)

    page.context.set_offline(True)
    expect(page.locator("#lost")).to_be_visible()
    page.locator("#do-deal-4").click()
    expect(page.locator("#toast")).to_contain_text("Niet verstuurd")
    page.context.set_offline(False)

    expect(page.locator("#lost")).to_be_hidden()
    assert house.demo.client.scoreboard().seq == number


def test_a_grace_runs_down_and_can_be_cancelled(house: House, visitors: Visitors) -> None:
    number = deal(house)
    page = visitors.open("/?seat=1")

    house.demo.knock(3, 2)
    house.pass_time()
    expect(page.locator("#grace")).to_be_visible()
    page.wait_for_function(
        "() => { const bar = document.getElementById('grace');"
        " return bar.value < Number(bar.dataset.left) - 0.2; }"
    )
    page.locator("#do-cancel-1").click()

    expect(page.locator("#grace")).to_have_count(0)
    expect(page.locator(".shown")).to_contain_text("Thijs")
    assert house.demo.client.scoreboard().seq == number
    assert house.demo.client.scoreboard().hands == ()


def test_a_grace_that_nobody_cancels_ends_in_what_was_asked(
    house: House, visitors: Visitors
) -> None:
    number = deal(house)
    page = visitors.open("/?seat=1")

    house.demo.knock(3, 2)
    house.pass_time()
    expect(page.locator("#grace")).to_be_visible()
    house.pass_time(TIMINGS.grace_s)

    wait_for_seq(page, number + 1)
    expect(page.locator("#grace")).to_have_count(0)
    assert house.demo.client.scoreboard().hands[0].winner == seat(3)


def test_the_evening_without_scripts(house: House, visitors: Visitors) -> None:
    page = visitors.open("/?seat=4", java_script_enabled=False)

    page.locator("#do-deal-4").click()
    expect(page.locator(".stake strong")).to_have_text("1")
    page.locator("#do-knock-4").click()
    expect(page.locator(".stake strong")).to_have_text("2")
    picture(page, "phone-without-scripts")


def test_two_frames_of_one_browser_keep_to_their_own_seats(
    house: House, visitors: Visitors
) -> None:
    first = visitors.open("/?seat=1")
    second = first.context.new_page()
    second.goto(house.url + "/?seat=2")

    wait_for_seq(first, deal(house))
    wait_for_seq(second, seq(first))

    expect(first.locator("#row-1.mine")).to_be_visible()
    expect(second.locator("#row-2.mine")).to_be_visible()


def test_toepkoning_is_crowned(house: House, visitors: Visitors) -> None:
    page = visitors.open("/?seat=2", reduced_motion="no-preference")
    table = house.demo.client
    for _ in range(3):
        table.submit(seat(1), "chalk", facts={"lives": 4})
        table.submit(None, "deal")
        for poor in table.scoreboard().to_answer:
            table.submit(poor, "stay")
        table.submit(seat(2), "trick", facts={"n": 4})
        table.submit(seat(1), "drink")

    expect(page.locator("#row-2 .flag-toepkoning")).to_be_visible()
    picture(page, "phone-toepkoning")


def test_names_of_games_and_presets_stand_above_their_notes(
    house: House, visitors: Visitors
) -> None:
    """Between two hands they were drawn in the small ring of a seat's number, over the note."""
    page = visitors.open("/?seat=2", 360, 740)
    page.locator("#place-house > summary").click()
    cards = page.locator("#place-house .card-of-game")
    expect(cards.first).to_be_visible()

    assert cards.evaluate_all(
        """cards => cards.every(card => {
          const [name, note] = [card.querySelector("b"), card.querySelector("span")];
          const bottom = name.getBoundingClientRect().top + name.scrollHeight;
          return getComputedStyle(name).borderStyle === "none"
            && bottom <= note.getBoundingClientRect().top + 2;
        })"""
    )


def test_a_phone_goes_along_to_the_empty_place_that_its_owner_takes(
    house: House, visitors: Visitors
) -> None:
    """It stayed at the place of before, and asked who would sit down there."""
    page = visitors.open("/?seat=3")
    page.route("**/?seat=*", lambda route: route.abort())  # a Wi-Fi too weak for a whole page
    page.locator("#more > summary").click()
    page.locator("#sheet-swap-3 > summary").click()
    page.locator("#sheet-swap-3 label", has_text="plek 6").click()
    page.locator("#sheet-swap-3 form > .finals button").click()

    expect(page).to_have_url(re.compile(r"\?seat=6$"))
    expect(page.locator("#row-6.mine .name")).to_have_text("Thomas")
    expect(page.locator(".says .news")).to_have_text("Thomas zit nu op plek 6.")

    house.demo.client.submit(Seat(0), "undo")  # by whomever: the phone comes back as well

    expect(page).to_have_url(re.compile(r"\?seat=3$"))
    expect(page.locator("#row-3.mine .name")).to_have_text("Thomas")
    expect(page.locator(".says .news")).to_have_text(
        "Thijs draaide terug: Thomas zit nu op plek 6."
    )
    expect(page.locator(".place-link")).to_have_attribute("href", re.compile(r"/settings\?seat=3$"))


def test_a_page_left_open_over_an_update_of_the_box_is_loaded_anew(
    house: House, visitors: Visitors
) -> None:
    """Its script did not know the forms of the new pages: a tap did nothing, and said nothing."""
    deal(house)
    page, older = visitors.open("/?seat=3"), "/static/v000000000000/"
    script = page.locator('script[src$="/slate.js"]')
    newest = str(script.get_attribute("src"))
    page.route(
        "**/?seat=3",
        lambda route: route.fulfill(body=re.sub(r"/static/v\w+/", older, route.fetch().text())),
        times=1,
    )

    page.reload()

    expect(script).to_have_attribute("src", newest)
    page.locator("#do-knock-3").click()
    expect(page.locator(".stake strong")).to_have_text("2")


def test_a_stream_of_which_nothing_comes_through_is_asked_for_plain(
    visitors: Visitors, house: House
) -> None:
    """No standard says that what is packed has to be passed on at once."""
    phone = visitors.open("/?seat=2")
    phone.clock.install()
    phone.add_init_script(HOLDS_BACK)
    phone.goto(f"{house.url}/?seat=2")
    number = deal(house)
    with phone.expect_response(lambda answer: "packed=no" in answer.url):
        phone.clock.run_for(13_000)

    wait_for_seq(phone, number)
    assert int(phone.locator("#table").get_attribute("data-seq") or 0) >= number


def test_who_is_called_to_the_table_sits_down_by_one_tap(house: House, visitors: Visitors) -> None:
    page, watcher = visitors.open("/?seat=1", 320, 640), visitors.open("/tv", 1280, 720)
    players = (HousePerson(2**52, "Willemijn"), HousePerson(2**52 + 1, "Bo"))

    house.demo.client.uplink.call(TableCall("1", "Tafel 7", round=3, players=players))
    for one in (page, watcher):
        expect(one.locator(".slate > .asking")).to_contain_text("Tafel 7")
    picture(page, "phone-call")
    page.locator("#do-accept_call-1").click()

    for one in (page, watcher):
        expect(one.locator(".slate > .asking")).to_have_count(0)
        expect(one.locator(".slate")).to_contain_text("Willemijn")
