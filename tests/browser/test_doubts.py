"""A knock in doubt, on every phone at the table: seen by all, settled by one, over by itself."""

import pytest
from playwright.sync_api import Page, expect

from kloplei.games.game import Seat
from tests.browser.conftest import TIMINGS, House, Visitors, picture, seq, wait_for_seq

pytestmark = pytest.mark.browser

YES, NO = "#do-accept_knock-1-1", "#do-dismiss_knock-1-1"
BAR_MOVES = """() => { const bar = document.querySelector(".doubt progress");
  return bar && bar.value < Number(bar.dataset.left) - 0.2; }"""
NOTE_WHEN_TAME_IS_ASKED = """() => {
  new MutationObserver(() => {
    const isAsked = document.querySelector(".doubt")?.textContent.includes("Tame");
    if (isAsked) window.askedAt ??= performance.now();
  }).observe(document.body, { subtree: true, childList: true, characterData: true });
}"""
# Of the time that is left by now, however long ago a busy machine drew it.
SHORT_OF_S = """bar =>
  Number(bar.dataset.left) - (performance.now() - window.askedAt) / 1000 - bar.value"""


@pytest.fixture
def dealt(house: House) -> House:
    """A hand in play, on which Thomas at seat 3 may have knocked."""
    house.demo.client.submit(None, "deal")
    return house


def stake(house: House) -> int | None:
    return house.demo.client.scoreboard().stake


def band(page: Page) -> list[float]:
    """Return where the amber band begins and ends on the screen, and how high the screen is."""
    return list(
        page.evaluate(
            """() => { const box = document.querySelector(".doubt").getBoundingClientRect();
              return [box.top, box.bottom, innerHeight]; }"""
        )
    )


def test_every_phone_shows_it_and_a_tap_on_one_makes_it_count(
    dealt: House, visitors: Visitors
) -> None:
    player, keeper = visitors.open("/?seat=1"), visitors.open("/?seat=keeper")
    watcher, screen = visitors.open("/"), visitors.open("/tv", 1280, 720)
    everybody = (player, keeper, watcher, screen)

    dealt.hear(3, doubtful=True)
    for page in everybody:
        expect(page.locator(".doubt")).to_contain_text("Thomas")
        expect(page.locator(".stake strong")).to_have_text("1")
    picture(player, "phone-doubt")
    picture(screen, "tv-doubt")
    player.locator(YES).click()

    for page in everybody:
        expect(page.locator(".stake strong")).to_have_text("2")
        expect(page.locator(".doubt")).to_have_count(0)
    assert dealt.demo.client.log(1)[0].seat == Seat(2)


def test_one_knock_on_the_wood_makes_it_count(dealt: House, visitors: Visitors) -> None:
    page = visitors.open("/?seat=1")
    dealt.hear(3, doubtful=True)
    expect(page.locator(".doubt")).to_be_visible()

    dealt.demo.knock(2, 1)
    dealt.pass_time()

    expect(page.locator(".stake strong")).to_have_text("2")
    expect(page.locator(".doubt")).to_have_count(0)
    assert [one.seat for one in dealt.demo.client.log(1)] == [Seat(2)]
    assert stake(dealt) == 2


def test_without_a_word_it_goes_away_and_nothing_has_counted(
    dealt: House, visitors: Visitors
) -> None:
    page = visitors.open("/?seat=1")
    number = seq(page)
    dealt.hear(3, doubtful=True)
    expect(page.locator(".doubt")).to_be_visible()

    dealt.pass_time(TIMINGS.doubt_s)

    expect(page.locator(".doubt")).to_have_count(0)
    expect(page.locator(YES)).to_have_count(0)
    assert (stake(dealt), dealt.demo.client.scoreboard().seq) == (1, number)


def test_a_tap_says_that_it_was_none(dealt: House, visitors: Visitors) -> None:
    page = visitors.open("/?seat=1")
    number = seq(page)
    dealt.hear(3, doubtful=True)

    page.locator(NO).click()

    expect(page.locator(".doubt")).to_have_count(0)
    assert (stake(dealt), dealt.demo.client.scoreboard().seq) == (1, number)


def test_the_keeper_answers_for_the_table_and_who_looks_on_does_not(
    dealt: House, visitors: Visitors
) -> None:
    keeper, watcher = visitors.open("/?seat=keeper"), visitors.open("/")
    dealt.hear(3, doubtful=True)

    expect(watcher.locator(".doubt")).to_be_visible()
    expect(watcher.locator("[id^=do-accept_knock]")).to_have_count(0)
    expect(keeper.locator("[id^=do-accept_knock]")).to_have_count(1)
    keeper.locator("#do-accept_knock-1-table").click()

    expect(watcher.locator(".stake strong")).to_have_text("2")


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_its_time_runs_down(dealt: House, visitors: Visitors, motion: str) -> None:
    page = visitors.open("/?seat=1", reduced_motion=motion)

    dealt.hear(3, doubtful=True)

    assert page.wait_for_function(BAR_MOVES).json_value() is True


def test_who_wants_no_motion_sees_it_run_in_steps(dealt: House, visitors: Visitors) -> None:
    page = visitors.open("/?seat=1")
    dealt.hear(3, doubtful=True)
    expect(page.locator(".doubt")).to_be_visible()

    seen = page.evaluate(
        """() => new Promise((done) => {
          const seen = new Set(), end = performance.now() + 1200;
          const look = () => {
            seen.add(document.querySelector(".doubt progress").value);
            if (performance.now() < end) requestAnimationFrame(look); else done(seen.size);
          };
          look();
        })"""
    )

    assert seen <= 3  # one a second, and not one a frame


def test_who_comes_later_sees_what_is_left(dealt: House, visitors: Visitors) -> None:
    dealt.hear(3, doubtful=True)
    dealt.pass_time(3.0)

    page = visitors.open("/?seat=1")

    assert float(page.locator(".doubt progress").get_attribute("data-left") or 0) == 2.0


def test_the_next_doubt_has_all_its_time_again(dealt: House, visitors: Visitors) -> None:
    """The bar of the one before it stood in its place, and ran on."""
    page = visitors.open("/?seat=1")
    dealt.hear(3, doubtful=True)
    page.wait_for_function(BAR_MOVES)
    page.evaluate(NOTE_WHEN_TAME_IS_ASKED)
    dealt.hear(2, doubtful=True)

    expect(page.locator(".doubt")).to_contain_text("Tame")

    bar = page.locator(".doubt progress")
    assert bar.get_attribute("data-left") == str(TIMINGS.doubt_s)
    assert bar.evaluate(SHORT_OF_S) < 0.1
    expect(page.locator("#do-accept_knock-2-1")).to_be_visible()


def test_what_is_read_aloud_is_one_line_that_stays(dealt: House, visitors: Visitors) -> None:
    """A box that only comes with its words is not read by every reader."""
    page = visitors.open("/?seat=1")
    page.evaluate("document.querySelector('.doubts[aria-live=polite]').known = true")
    dealt.hear(3, doubtful=True)
    expect(page.locator(".doubt")).to_be_visible()

    dealt.demo.client.submit(Seat(3), "rename", facts={"name": "Stanley"})
    expect(page.locator("#row-4")).to_contain_text("Stanley")

    assert page.evaluate("document.querySelector('.doubts').known")
    assert page.locator(".doubts [aria-hidden=true] progress").count() == 1


def test_it_stays_in_sight_on_a_small_phone(dealt: House, visitors: Visitors) -> None:
    page = visitors.open("/?seat=1", 320, 568)
    dealt.hear(3, doubtful=True)
    expect(page.locator(YES)).to_be_in_viewport()

    page.evaluate("scrollTo(0, 260)")
    top, bottom, height = band(page)

    assert 0 <= top < bottom <= height
    expect(page.locator(YES)).to_be_in_viewport()
    picture(page, "phone-doubt-320")


def test_it_can_be_settled_without_scripts(dealt: House, visitors: Visitors) -> None:
    dealt.hear(3, doubtful=True)
    page = visitors.open("/?seat=1", java_script_enabled=False)

    page.locator(YES).click()

    expect(page.locator(".stake strong")).to_have_text("2")
    expect(page.locator(".doubt")).to_have_count(0)


def test_a_thumb_that_comes_too_late_is_told(dealt: House, visitors: Visitors) -> None:
    page = visitors.open("/?seat=1")
    number = seq(page)
    dealt.hear(3, doubtful=True)
    expect(page.locator(YES)).to_be_visible()
    # The line is slow: what comes next is never drawn, or only as it stands there already.
    page.evaluate("DOMParser.prototype.parseFromString = () => document")

    dealt.pass_time(TIMINGS.doubt_s)
    page.locator(YES).click()

    expect(page.locator("#toast.is-up")).to_have_text("Over geen enkele klop is twijfel.")
    assert dealt.demo.client.scoreboard().seq == number


def test_one_sensor_for_all_asks_and_a_phone_answers(dealt: House, visitors: Visitors) -> None:
    page, other = visitors.open("/?seat=2"), visitors.open("/?seat=4")

    dealt.hear(None, doubtful=False)
    expect(page.locator(".asking")).to_contain_text("wie was dat?")
    expect(other.locator("#do-it_was_me-4")).to_be_visible()
    picture(page, "phone-who-was-it")
    number = seq(page)
    page.locator("#do-it_was_me-2").click()

    wait_for_seq(other, number + 1)
    expect(other.locator("#do-it_was_me-4")).to_have_count(0)
    assert dealt.demo.client.log(1)[0].seat == Seat(1)
    assert stake(dealt) == 2
