"""The table top: whatever lands on it runs to the piezos, and the page says what came of it."""

from itertools import count

import pytest
from playwright.sync_api import Page, expect

from kloplei.games.game import Seat
from tests.browser.conftest import House, Visitors, picture, wait_for_seq

pytestmark = pytest.mark.browser

A_LANDING_S = 1.2  # from the click until the wave has died away and all of it is judged
A_BUZZ_S = 2.5

# What a wave lights may be dark again before a busy machine looks.
WATCH_THE_WAVE = """() => {
  window.seen = new Set();
  const waves = document.querySelector("#waves");
  new MutationObserver(() => {
    for (const one of document.querySelectorAll("#waves .felt")) window.seen.add(`${one.id} felt`);
    if (document.querySelector("#rings .ring")) window.seen.add("ring");
  }).observe(waves, { attributes: true, childList: true, subtree: true });
}"""


@pytest.fixture
def dealt(house: House) -> House:
    """A hand in play, with everybody in it."""
    house.demo.client.submit(Seat(3), "deal")
    return house


def land(page: Page, x: float, y: float) -> None:
    """Click the wood at parts of its length and width, until the wave is on its way."""
    box = page.locator("#wood").bounding_box()
    assert box is not None
    with page.expect_response("**/demo/strike"):
        page.mouse.click(box["x"] + x * box["width"], box["y"] + y * box["height"])


def beside(house: House, seat: int) -> tuple[float, float]:
    """Return a spot near the place of *seat* (1-based), where no mat lies: behind its disc."""
    place, disc = house.demo.places[seat - 1], house.demo.piezos[seat - 1]
    return (place[0] + 1.3 * (disc[0] - place[0]), place[1] + 1.3 * (disc[1] - place[1]))


def test_a_knuckle_near_a_seat_raises_the_stake_for_that_seat(
    dealt: House, visitors: Visitors
) -> None:
    page = visitors.open("/demo", 1280, 900)

    land(page, *beside(dealt, 3))
    dealt.pass_time(A_LANDING_S)

    expect(page.locator(".middle .stake strong")).to_have_text("2")
    expect(page.locator("#ear .told.knock .whose")).to_contain_text("Thomas")
    expect(page.locator("#disc-3.named")).to_be_attached()
    board = dealt.demo.client.scoreboard()
    assert [row.seat.shown for row in board.rows if "last_knocker" in row.flags] == [3]
    picture(page, "tabletop-knuckle")


def test_a_bump_is_no_toep_and_the_page_says_so(dealt: House, visitors: Visitors) -> None:
    page = visitors.open("/demo", 1280, 900)
    before = dealt.demo.client.scoreboard()

    page.locator("[name=kind][value=bump]").check()
    land(page, 0.5, 0.2)
    dealt.pass_time(A_BUZZ_S)

    expect(page.locator("#ear .told.noise .what")).to_have_text("stoot")
    expect(page.locator("#marks .mark.noise")).to_be_attached()
    assert dealt.demo.client.scoreboard().stake == before.stake == 1
    picture(page, "tabletop-bump")


def test_two_knocks_in_time_are_a_pattern_of_two(house: House, visitors: Visitors) -> None:
    page = visitors.open("/demo", 1280, 900)
    number = house.demo.client.scoreboard().seq

    for _ in range(2):
        land(page, *beside(house, 4))  # Stan deals
    house.pass_time(A_LANDING_S)

    wait_for_seq(page, number + 1)
    expect(page.locator(".middle .stake strong")).to_have_text("1")


def test_a_quick_double_click_is_two_knocks_too(house: House, visitors: Visitors) -> None:
    page = visitors.open("/demo", 1280, 900)

    answers = count(1)
    with page.expect_response(lambda one: "/demo/strike" in one.url and next(answers) == 2):
        page.locator("#pad-4").dblclick()  # both waves are on their way now
    house.pass_time(A_LANDING_S)

    expect(page.locator(".middle .stake strong")).to_have_text("1")


def test_the_palette_and_the_wood_obey_the_keys_alone(dealt: House, visitors: Visitors) -> None:
    page = visitors.open("/demo", 1280, 900)

    page.locator("[name=kind]:checked").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page.locator("[value=glass]")).to_be_checked()
    page.locator("#hand").focus()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowUp")
    with page.expect_response("**/demo/strike"):
        page.keyboard.press("Enter")
    dealt.pass_time(A_LANDING_S)

    expect(page.locator("#ear .told .what")).to_have_text("glas")
    (landing,) = dealt.demo.heard()
    assert landing.spot == pytest.approx((0.46, 0.46))


def test_enter_on_a_name_strikes_at_its_place(house: House, visitors: Visitors) -> None:
    page = visitors.open("/demo", 1280, 900)

    page.locator("#pad-2").focus()
    with page.expect_response("**/demo/strike"):
        page.keyboard.press("Enter")

    (landing,) = house.demo.heard()
    assert (landing.near, landing.kind) == (2, "knuckle")


def test_enter_in_the_palette_strikes_nothing(house: House, visitors: Visitors) -> None:
    """A form would send itself, and the first place would be struck."""
    page = visitors.open("/demo", 1280, 900)

    page.locator("[value=glass]").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("3")  # a place: that one lands
    page.wait_for_function("() => document.querySelector('#ear .told')")

    assert [one.near for one in house.demo.heard()] == [3]


@pytest.mark.parametrize("width", [320, 390])
def test_a_thumb_strikes_the_wood_of_a_small_phone(
    dealt: House, visitors: Visitors, width: int
) -> None:
    page = visitors.open("/demo", width, 740, has_touch=True, is_mobile=True)
    box = page.locator("#wood").bounding_box()
    assert box is not None
    x, y = beside(dealt, 4)

    with page.expect_response("**/demo/strike"):
        page.touchscreen.tap(box["x"] + x * box["width"], box["y"] + y * box["height"])
    dealt.pass_time(A_LANDING_S)

    expect(page.locator("#ear .told.knock")).to_be_visible()
    (landing,) = dealt.demo.heard()
    assert landing.spot == pytest.approx((x, y), abs=0.02)
    picture(page, f"tabletop-{width}")


def test_a_thumb_that_scrolls_strikes_nothing(house: House, visitors: Visitors) -> None:
    page = visitors.open("/demo", 320, 640, has_touch=True, is_mobile=True)

    page.locator("#wood").dispatch_event(
        "pointerdown", {"pointerId": 7, "pointerType": "touch", "button": 0, "clientX": 150}
    )
    page.locator("#wood").dispatch_event("pointercancel", {"pointerId": 7, "bubbles": True})
    page.keyboard.press("1")
    page.wait_for_function("() => document.querySelector('#ear .told')")

    assert len(house.demo.heard()) == 1


def test_without_a_script_a_place_is_still_struck(house: House, visitors: Visitors) -> None:
    page = visitors.open("/demo", 390, 800, java_script_enabled=False)

    page.locator("[value=glass]").check()
    page.locator("#pad-3").click()
    page.wait_for_url("**/demo?kind=glass")

    expect(page.locator("[value=glass]")).to_be_checked()
    assert [(one.kind, one.near) for one in house.demo.heard()] == [("glass", 3)]


def test_a_phone_that_buzzes_on_the_wood_is_no_knock(dealt: House, visitors: Visitors) -> None:
    page = visitors.open("/demo", 1280, 900)
    number = dealt.demo.client.scoreboard().seq

    page.locator("[value=phone]").check()
    land(page, 0.5, 0.5)
    dealt.pass_time(A_BUZZ_S)

    expect(page.locator("#ear .told")).not_to_have_attribute("data-outcome", "waiting")
    expect(page.locator("#ear .told.knock")).to_have_count(0)
    assert dealt.demo.client.scoreboard().seq == number


def test_the_wave_lights_the_discs_as_it_passes(house: House, visitors: Visitors) -> None:
    page = visitors.open("/demo", 1280, 900, reduced_motion="no-preference")
    page.evaluate(WATCH_THE_WAVE)

    land(page, *beside(house, 6))

    page.wait_for_function("() => window.seen.has('disc-6 felt') && window.seen.has('ring')")
    expect(page.locator("#rings .ring")).to_have_count(0)


@pytest.mark.parametrize("scripts", [True, False])
def test_the_table_top_is_asked_for_nothing_that_means_nothing(
    house: House, visitors: Visitors, scripts: bool
) -> None:
    """Where discs lie at the seats places of their own were asked for, of a round top a width."""
    page = visitors.open("/tune/wood", 390, 844, java_script_enabled=scripts)
    asked = {}

    for discs, shape in (("seats", "rectangular"), ("own", "round"), ("corners", "rectangular")):
        page.locator(f'[name="discs"][value="{discs}"]').check()
        page.locator(f'[name="shape"][value="{shape}"]').check()
        fields = [page.locator(f'[name="{name}"]') for name in ("length", "width", "spots")]
        asked[discs] = [field.is_visible() for field in fields]

    assert asked == {
        "seats": [True, True, False],
        "own": [True, False, True],
        "corners": [True, True, False],
    }
