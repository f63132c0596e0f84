"""Every page on every screen: nothing sticks out, thumbs fit, contrast holds."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from kloplei.games.game import Seat
from kloplei.knock.judgement import Verdict
from kloplei.review.service import ReviewService
from kloplei.words import LANGUAGES
from tests.browser.conftest import TIMINGS, House, Visitors, picture
from tests.review.blows import blow

pytestmark = pytest.mark.browser

PAGES = (
    "/?seat=0",
    "/?seat=3",
    "/?seat=keeper",
    "/judge",
    "/settings",
    "/settings/house",
    "/seatcards",
    "/voice",
    "/help",
    "/doctor",
    "/demo",
    "/tv",
)
SIZES = ((320, 640), (390, 844), (768, 1024), (1280, 800), (1920, 1080))
THUMB_PX = 48


@pytest.fixture
def busy_house(house: House) -> House:
    """A hand with everything in it: armoede, a fold, a knock, one in doubt, long names."""
    table = house.demo.client
    for number, lives in enumerate((2, 4, 3, 1)):
        table.submit(Seat(number), "chalk", facts={"lives": lives})
    table.submit(Seat(0), "rename", facts={"name": "Wilhelmina"})
    table.submit(None, "deal")
    table.submit(Seat(0), "stay")
    table.submit(Seat(2), "stay")
    table.submit(Seat(3), "fold")
    house.hear(1, doubtful=True)
    assert table.scoreboard().doubt is not None
    return house


def name_of(path: str) -> str:
    return path.strip("/?").replace("=", "-") or "slate"


def open_all(page: Page) -> None:
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")


def outside(page: Page) -> list[str]:
    """Return what sticks out of the screen sideways."""
    return list(
        page.evaluate(
            """() => [...document.querySelectorAll('body *')]
              .filter(one => one.checkVisibility() && !one.closest('.disc, svg, .wide table'))
              .filter(one => { const box = one.getBoundingClientRect();
                return box.width && (box.right > innerWidth + 1 || box.left < -1); })
              .map(one => `${one.tagName}.${one.className} ${one.textContent.trim().slice(0, 30)}`)
            """
        )
    )


def too_small(page: Page) -> list[str]:
    """Return what is to be pressed and is smaller than a thumb."""
    return list(
        page.evaluate(
            """least => [...document.querySelectorAll('a, button, summary, select, .pick, label')]
              .filter(one => one.checkVisibility() && !one.closest('svg'))
              .filter(one => one.tagName !== 'LABEL' || one.control?.type === 'checkbox')
              .filter(one => one.getBoundingClientRect().height < least - 0.5)
              .map(one => one.outerHTML.slice(0, 90))""",
            THUMB_PX,
        )
    )


def test_nothing_sticks_out_and_everything_fits_a_thumb(
    busy_house: House, visitors: Visitors
) -> None:
    page = visitors.open("/help")
    faults = {}
    for path in PAGES:
        page.goto(busy_house.url + path)
        page.wait_for_load_state("load")
        open_all(page)
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            picture(page, f"look-{name_of(path)}-{width}")
            faults[path, width] = outside(page) + too_small(page)

    assert {where: found for where, found in faults.items() if found} == {}


def inaccessible(page: Page) -> list[str]:
    """Return what is wrong for those who see little, by daylight and in the dark."""
    page.emulate_media(color_scheme="dark")
    # Of all rules only this one asks what colour anything has.
    in_the_dark = violations(page, runOnly=["color-contrast"])
    page.emulate_media(color_scheme="light")
    return in_the_dark + violations(page)


def violations(page: Page, **options: object) -> list[str]:
    """Return what axe complains of, each with the element."""
    answer = Axe().run(page, options={"iframes": False, **options}).response
    assert answer["passes"] or answer["incomplete"], "nothing was looked at"
    return [f"{one['id']} {one['nodes'][0]['html'][:120]}" for one in answer["violations"]]


def test_accessibility_holds_in_the_dark_and_by_daylight(
    busy_house: House, visitors: Visitors
) -> None:
    page = visitors.open("/help", 390, 844)
    faults: dict[str, list[str]] = {}
    for path in PAGES:
        page.goto(busy_house.url + path)
        open_all(page)
        faults[path] = inaccessible(page)

    assert {path: found for path, found in faults.items() if found} == {}


# Anything else is painted anew sixty times a second: a hint that beckoned by its outline took
# two thirds of a phone's time.
MOVED = """document.getAnimations().flatMap(one => one.effect.getKeyframes())
  .flatMap(one => Object.keys(one))
  .filter(one => !["offset", "computedOffset", "easing", "composite"].includes(one))"""


def test_who_wants_no_motion_gets_none(busy_house: House, visitors: Visitors) -> None:
    moving = "document.getAnimations().filter(one => one.playState === 'running').length"

    still = visitors.open("/?seat=0")
    busy_house.pass_time(TIMINGS.doubt_s)  # while a knock is in doubt no place is hinted at
    lively = visitors.open("/demo", 1280, 800, reduced_motion="no-preference")

    assert still.evaluate(moving) == 0
    assert lively.evaluate(moving) > 0
    assert set(lively.evaluate(MOVED)) <= {"transform", "opacity"}


@pytest.mark.parametrize("light", ["dark", "light"])
def test_nothing_shines_through_the_bar_below(visitors: Visitors, light: str) -> None:
    page = visitors.open("/?seat=1", color_scheme=light)

    assert page.locator(".thumbs").evaluate("one => getComputedStyle(one).backgroundColor") == (
        page.locator("html").evaluate("one => getComputedStyle(one).backgroundColor")
    )


def test_quick_taps_do_not_zoom(visitors: Visitors) -> None:
    page = visitors.open("/?seat=1")

    assert page.evaluate("getComputedStyle(document.documentElement).touchAction") == "manipulation"


def test_the_stake_and_the_news_are_read_aloud(visitors: Visitors) -> None:
    page = visitors.open("/?seat=1")

    assert page.locator("[aria-live=polite] .prompt").count() == 1
    assert page.locator(".stake[aria-live=polite]").count() == 1


def test_nothing_comes_from_elsewhere(house: House, visitors: Visitors) -> None:
    asked: list[str] = []
    page = visitors.open("/help")
    page.on("request", lambda request: asked.append(request.url))

    for path in PAGES:
        page.goto(house.url + path)

    assert asked
    assert [url for url in asked if not url.startswith((house.url, "blob:"))] == []


def test_what_is_chosen_between_hands_fits_and_is_for_everybody(
    house: House, visitors: Visitors
) -> None:
    """Games and presets, all house rules, and a hand that is corrected."""
    table = house.demo.client
    page = visitors.open("/?seat=keeper", 320, 640)
    open_all(page)
    faults = {"rules": [*outside(page), *inaccessible(page)]}
    table.submit(None, "deal")
    table.submit(Seat(1), "trick", facts={"n": 4})

    page.goto(f"{house.url}/correct?seat=keeper&hand=1&winner=3&stake=2")
    faults["correct"] = [*outside(page), *inaccessible(page)]

    assert faults == {"rules": [], "correct": []}


def test_what_was_learned_in_play_fits_every_screen_and_is_for_everybody(
    house: House, visitors: Visitors
) -> None:
    ears = house.demo.client.ears
    assert isinstance(ears, ReviewService)
    for verdict, was in ((Verdict.KNOCK, Verdict.NOISE), (Verdict.NOISE, Verdict.KNOCK)):
        ears.judged(blow(verdict, house.demo.virtual.schedule.now_s(), seat=Seat(1)))
        ears.mark(ears.heard_events(1)[0].number, was)
    page = visitors.open("/ears?seat=keeper&lang=de")
    faults: dict[object, list[str]] = {}

    open_all(page)
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        picture(page, f"look-ears-{width}")
        faults[width] = outside(page) + too_small(page)
    faults["access"] = inaccessible(page)

    assert page.locator("#lessons li button").count() == 2
    assert {where: found for where, found in faults.items() if found} == {}


# Of each choice at its longest: the lines it wants, and those for which there is room.
LINES = """() => [...document.querySelectorAll(".rules select")].map(list => {
  const look = getComputedStyle(list), pen = document.createElement("canvas").getContext("2d");
  pen.font = look.font;
  const px = (...of) => of.reduce((sum, one) => sum + parseFloat(look[one]), 0);
  const wide = list.clientWidth - px("paddingLeft", "paddingRight") - 16; // and its arrow
  const wanted = Math.max(...[...list.options].map(one => pen.measureText(one.text).width)) / wide;
  const high = list.clientHeight - px("paddingTop", "paddingBottom");
  const line = 1.36 * px("fontSize");
  return [wanted, look.whiteSpace === "normal" ? Math.floor(high / line) : 1];
})"""


def test_a_long_choice_of_a_house_rule_is_read_to_its_end(house: House, visitors: Visitors) -> None:
    """It ended in dots in Danish and German, and one cannot scroll in it."""
    house.demo.choose_game("eenendertigen")
    for language in ("da-DK", "de-DE"):
        page = visitors.open("/?seat=keeper", 320, 568, locale=language)
        page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
        lines = page.evaluate(LINES)

        assert max(wanted for wanted, _ in lines) > 1
        assert [(wanted, room) for wanted, room in lines if wanted > 0.9 * room] == []


def test_what_is_played_wraps_before_the_words_it_stands_beside(
    house: House, visitors: Visitors
) -> None:
    """Both stood in two lines where Eenendertigen is played."""
    house.demo.choose_game("eenendertigen")
    page = visitors.open("/?seat=1", 390, 844)
    lines = page.evaluate("""() => {
      const words = document.createRange();
      words.selectNodeContents(document.querySelector("#place-house > summary").firstChild);
      return words.getClientRects().length;
    }""")

    assert lines == 1


LAST_COLUMN = """() => {
  const line = document.querySelector(".knocks tbody tr");
  return [...line.cells].at(-1).offsetWidth / document.querySelector(".knocks").offsetWidth;
}"""


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_a_knock_does_has_half_of_the_table_on_a_narrow_phone(
    visitors: Visitors, language: str
) -> None:
    """How often to knock stood on one line and took two fifths; what it does had a word a line."""
    page = visitors.open(f"/help?lang={language}", 320, 568)

    assert page.evaluate(LAST_COLUMN) > 0.45
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
