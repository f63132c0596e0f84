"""The large screen in front of the room: who must answer, what happened, and how it is read."""

import io
from typing import TYPE_CHECKING, Any, cast

import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from kloplei.games.game import Seat
from kloplei.games.scoreboard import Line
from kloplei.history.titles import TITLES
from kloplei.table.history_client import Title
from kloplei.words import LANGUAGES
from kloplei_panel import stage
from tests.browser.conftest import LIVES, House, Visitors, picture, wait_for_seq
from tests.browser.test_history import LONG
from tests.panel.past import FOUR, Past, titled, toepen

if TYPE_CHECKING:
    from kloplei.table.session import Session

pytestmark = pytest.mark.browser

# Of the height of the screen; docs/show.md has the angles.
SMALLEST_LETTERS = 0.037
SIZES = """() => [...document.querySelectorAll(".ring .name, .ring .answer-told, .ring strong")]
  .map(one => parseFloat(getComputedStyle(one).fontSize) / innerHeight)"""
RUNNING = """() => document.getAnimations().filter(one => one.playState === "running").length"""
MOVED = """() => [...new Set(document.getAnimations()
  .flatMap(one => one.effect.getKeyframes()).flatMap(frame => Object.keys(frame)))]
  .filter(name => !["offset", "computedOffset", "easing", "composite"].includes(name)).sort()"""
# The same of whatever plays in the break at some time: by its style, for it is soon over.
PLAYS = """() => {
  const rules = list => [...list].flatMap(one => [one, ...rules(one.cssRules || [])]);
  const all = rules([...document.styleSheets].flatMap(sheet => [...sheet.cssRules]));
  const names = new Set([...document.querySelectorAll("#break *")]
    .flatMap(one => getComputedStyle(one).animationName.split(", ")));
  return [...new Set(all.filter(one => one instanceof CSSKeyframesRule && names.has(one.name))
    .flatMap(one => [...one.cssRules]).flatMap(frame => [...frame.style]))].sort(); }"""
OVER = """() => [...document.querySelectorAll("#break, #break :is(h1, h2, p, td, i, thead th)")]
  .filter(one => one.scrollWidth > one.clientWidth + 1 && one.clientWidth
    || one.scrollHeight > one.clientHeight + 4 && one.id)
  .map(one => one.textContent.trim().slice(0, 60))"""
SAYS = """() => [...document.querySelectorAll("#break :is(.title, .evening-told, .of-honour)")]
  .filter(one => one.checkVisibility())
  .map(one => one.querySelector("b, h2").textContent.split(" · ")[0])"""
ALONE = """half => document.querySelectorAll("#break .halves > *").forEach(one => {
  one.hidden = Boolean(half) && !one.classList.contains(half); })"""
# Show so many titles at once, and return what of them is cut off, and how large their letters are.
EACH = """many => { const frame = document.getElementById("break");
  const [inside, titles] = [frame.getBoundingClientRect(), [...frame.querySelectorAll(".title")]];
  const [cut, letters] = [[], []];
  frame.classList.toggle("is-still", many > 1);
  for (let at = 0; at < titles.length; at += many) {
    titles.forEach((one, number) => { one.hidden = number < at || number >= at + many; });
    for (const one of frame.querySelectorAll(".title:not([hidden]) > :not(.emblem)")) {
      const box = one.getBoundingClientRect();
      letters.push(parseFloat(getComputedStyle(one).fontSize) / innerHeight);
      if (box.top < inside.top || box.bottom > inside.bottom || box.right > inside.right)
        cut.push(one.textContent);
    }
  }
  return [cut, letters]; }"""
CROWNED = Past({0: titled(toepen(0))})
BREAK_MS = 41_000
MOST_S = 900  # on a busy machine what is asked for takes its time
# All that plays, as it is once its time has come.
FINISH = """() => document.getAnimations().forEach(one => one.finish())"""
# What would be looked at sixty times a second for as long as a moment lasts.
BUSY = """() => document.getAnimations().map(one => one.effect.getComputedTiming())
  .filter(time => time.activeDuration > 4000).length"""


@pytest.fixture(autouse=True)
def moments_wait_for_a_busy_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let what fills the screen be drawn however late it is asked for; it goes by its style."""
    monkeypatch.setattr(stage, "_SHOWN_S", dict.fromkeys(stage._SHOWN_S, float(MOST_S)))
    for name in ("_SHORT_S", "ASKED_S"):
        monkeypatch.setattr(stage, name, float(MOST_S))


def toep(house: House) -> int:
    table = house.demo.client
    table.submit(None, "deal")
    return table.submit(Seat(0), "knock")


def stands(screen: Page, seat: int) -> str:
    return (screen.locator(f"#ring-{seat}").get_attribute("class") or "").strip()


def test_a_toep_is_a_ring_of_who_must_answer_until_all_have(
    house: House, visitors: Visitors
) -> None:
    screen = visitors.open("/tv", 1280, 720)
    wait_for_seq(screen, toep(house))

    expect(screen.locator("#call-2 strong")).to_have_text("2")
    assert [stands(screen, seat) for seat in (1, 2, 3, 4)] == ["called", *["asked"] * 3]

    table = house.demo.client
    table.submit(Seat(1), "stay")
    wait_for_seq(screen, table.submit(Seat(2), "fold"))
    assert [stands(screen, seat) for seat in (1, 2, 3, 4)] == ["called", "in", "out", "asked"]
    picture(screen, "stage-ring")

    wait_for_seq(screen, table.submit(Seat(3), "stay"))
    expect(screen.locator("#ring")).to_have_count(0)
    expect(screen.locator("#row-1")).to_be_visible()


def test_a_rubber_that_is_won_fills_the_screen_and_what_happens_next_ends_it(
    house: House, visitors: Visitors
) -> None:
    screen = visitors.open("/tv", 1280, 720)
    table = house.demo.client
    for seat in range(4):
        table.submit(Seat(seat), "chalk", facts={"lives": LIVES - 2})
    table.submit(None, "deal")
    table.submit(Seat(0), "knock")
    for seat in (1, 2, 3):
        table.submit(Seat(seat), "stay")
    wait_for_seq(screen, table.submit(Seat(0), "trick", facts={"n": 4}))

    expect(screen.locator(".moment .happened")).to_contain_text(table.scoreboard().names[Seat(0)])
    expect(screen.locator(".moment .treats")).to_be_visible()
    board = table.scoreboard()
    finals = [f"{row.name} {row.tally}/{row.limit}" for row in board.rows]
    shown = screen.locator(".moment .finals li").all_inner_texts()
    assert [" ".join(one.split()) for one in shown] == finals
    expect(screen.locator(".moment .finals .won")).to_contain_text(board.names[Seat(0)])
    expect(screen.locator(".moment .why")).to_have_text("minste op de lei · laatste slag")
    picture(screen, "stage-won")
    late = visitors.open("/tv?lang=en", 1280, 720)
    wait_for_seq(screen, table.submit(Seat(1), "drink"))
    expect(screen.locator(".moment")).to_have_count(0)
    wait_for_seq(late, table.scoreboard().seq)
    expect(late.locator(".moment")).to_have_count(0)


def test_who_won_a_rubber_is_not_said_to_have_taken_a_trick_of_another(
    house: House, visitors: Visitors
) -> None:
    """In half of all rubbers of bots who won had not taken the last trick."""
    screen = visitors.open("/tv?lang=en", 1280, 720)
    table = house.demo.client
    for seat in (1, 2, 3):
        table.submit(Seat(seat), "chalk", facts={"lives": LIVES - 2})
    table.submit(None, "deal")
    table.submit(Seat(1), "knock")
    for seat in (0, 2, 3):
        table.submit(Seat(seat), "stay")
    wait_for_seq(screen, table.submit(Seat(1), "trick", facts={"n": 4}))
    names = table.scoreboard().names

    expect(screen.locator(".moment .happened")).to_contain_text(names[Seat(0)])
    expect(screen.locator(".moment .why")).to_have_text(
        f"fewest on the slate · {names[Seat(1)]} last trick"
    )
    expect(screen.locator(".last-hand")).to_have_text(f"{names[Seat(1)]} last trick")


@pytest.mark.parametrize(
    ("path", "moment"),
    [("/tv?theme=loud", ".moment"), ("/tv?theme=quiet", ".moment"), ("/overlay", ".flash")],
)
def test_a_moment_goes_by_itself_and_nothing_of_it_runs_for_long(
    house: House, visitors: Visitors, path: str, moment: str
) -> None:
    screen = visitors.open(path, 1280, 720, reduced_motion="no-preference")
    table = house.demo.client
    for seat in (1, 2, 3):
        table.submit(Seat(seat), "chalk", facts={"lives": LIVES - 2})
    table.submit(None, "deal")
    table.submit(Seat(0), "knock")
    for seat in (1, 2, 3):
        table.submit(Seat(seat), "stay")
    wait_for_seq(screen, table.submit(Seat(0), "trick", facts={"n": 4}))
    expect(screen.locator(moment)).to_be_visible()

    assert screen.evaluate(BUSY) == 0
    screen.evaluate(FINISH)
    expect(screen.locator(moment)).to_be_hidden()


@pytest.mark.parametrize("height", [720, 2160])
def test_the_ring_is_read_from_six_metres(house: House, visitors: Visitors, height: int) -> None:
    screen = visitors.open("/tv", height * 16 // 9, height)
    wait_for_seq(screen, toep(house))
    expect(screen.locator("#ring")).to_be_visible()

    assert min(screen.evaluate(SIZES)) >= SMALLEST_LETTERS


def test_only_what_costs_nothing_moves_and_then_stands_still(
    house: House, visitors: Visitors
) -> None:
    screen = visitors.open("/tv?theme=loud", 1280, 720, reduced_motion="no-preference")
    wait_for_seq(screen, toep(house))
    expect(screen.locator("#ring")).to_be_visible()

    assert set(screen.evaluate(MOVED)) <= {"opacity", "transform", "visibility"}
    screen.wait_for_function(f"() => ({RUNNING})() === 0")


@pytest.mark.parametrize(
    ("path", "motion"), [("/tv?theme=quiet", "no-preference"), ("/tv?theme=loud", "reduce")]
)
def test_nothing_moves_for_who_wants_it_quiet(
    house: House, visitors: Visitors, path: str, motion: str
) -> None:
    screen = visitors.open(path, 1280, 720, reduced_motion=motion)
    wait_for_seq(screen, toep(house))
    expect(screen.locator("#ring")).to_be_visible()

    assert screen.evaluate(RUNNING) == 0


@pytest.mark.parametrize(("theme", "moves"), [("quiet", False), ("loud", True)])
def test_seconds_run_down_by_steps_on_a_quiet_screen(
    house: House, visitors: Visitors, theme: str, moves: bool
) -> None:
    """Twenty pictures a second of a bar were a third of what the quiet screen cost."""
    screen = visitors.open(f"/tv?theme={theme}", 1280, 720, reduced_motion="no-preference")
    screen.clock.install()
    screen.reload()
    wait_for_seq(screen, house.demo.client.submit(None, "deal"))
    screen.clock.pause_at(screen.evaluate("Date.now() + 1000"))
    house.demo.knock(1, 2)
    house.pass_time()
    bar = screen.locator(".grace progress")
    expect(bar).to_be_visible()
    seen = set()
    for _ in range(6):
        seen.add(bar.evaluate("one => one.value"))
        screen.clock.run_for(60)

    assert (len(seen) > 2) is moves  # a second may end among them


@pytest.mark.parametrize(
    ("corner", "clear"),
    [("top-left", (0.9, 0.9)), ("bottom-right", (0.1, 0.1)), ("top-right", (0.1, 0.9))],
)
def test_an_overlay_covers_nothing_but_its_corner(
    house: House, visitors: Visitors, corner: str, clear: tuple[float, float]
) -> None:
    screen = visitors.open(f"/overlay?corner={corner}", 1280, 720, color_scheme="dark")
    wait_for_seq(screen, toep(house))
    expect(screen.locator("li.asked")).to_have_count(3)

    drawn = Image.open(io.BytesIO(screen.screenshot(omit_background=True))).convert("RGBA")

    assert drawn.getpixel((int(clear[0] * drawn.width), int(clear[1] * drawn.height)))[3] == 0  # type: ignore[index]
    box = drawn.getbbox()
    assert box is not None
    assert (box[2] - box[0]) * (box[3] - box[1]) < 0.25 * drawn.width * drawn.height


def test_a_break_shows_the_evening_until_somebody_plays_on(
    house: House, visitors: Visitors
) -> None:
    screen = rest(house, visitors, Past({0: toepen(0, hands=60)}), "/tv")

    screen.clock.run_for(BREAK_MS)
    expect(screen.locator("#break .evening-told tbody tr")).to_have_count(4)
    expect(screen.locator("#break .of-honour tbody tr")).to_have_count(4)
    expect(screen.locator(".join .code")).to_be_visible()
    picture(screen, "stage-break")

    wait_for_seq(screen, house.demo.client.submit(None, "deal"))
    expect(screen.locator("#break")).to_be_hidden()


@pytest.mark.parametrize("language", ["nl", "en", "de", "da", "ja"])
def test_a_break_of_a_full_table_finds_room(
    house: House, visitors: Visitors, language: str
) -> None:
    past = Past({0: toepen(0, players=(*FOUR, *LONG), hands=60)})
    screen = break_of(house, visitors, past, language)

    for width, height in ((1280, 720), (1920, 1080), (3840, 2160)):
        screen.set_viewport_size({"width": width, "height": height})
        picture(screen, f"stage-break-{language}-{height}")
        assert screen.evaluate(OVER) == []
        for half in ("evening-told", "of-honour"):  # as beside titles
            screen.evaluate(ALONE, half)
            assert screen.evaluate(OVER) == []
            picture(screen, f"stage-{half}-{language}-{height}")
        screen.evaluate(ALONE, "")


def break_of(house: House, visitors: Visitors, past: Past, language: str) -> Page:
    """Return a screen that shows all of the break at once, whatever plays at the table."""
    cast("Session", house.demo.client).history = past
    screen = visitors.open(f"/tv?lang={language}", 1280, 720)
    screen.evaluate(
        """async () => { document.getElementById("break").innerHTML =
           await (await fetch("/tv/break" + location.search)).text();
           document.getElementById("break").hidden = false; }"""
    )
    return screen


def rest(house: House, visitors: Visitors, past: Past, path: str, **more: Any) -> Page:
    """Return a screen whose table nobody plays at, with the clock of the page in our hands."""
    table = cast("Session", house.demo.client)
    table.history = past
    screen = visitors.open(path, 1280, 720, **more)
    screen.clock.install()
    screen.reload()
    wait_for_seq(screen, table.scoreboard().seq)
    screen.clock.pause_at(screen.evaluate("Date.now() / 1000 + 1"))
    return screen


def break_told(screen: Page, pages: int) -> list[tuple[str, ...]]:
    """Return what the break tells from now on, *pages* of it, one after the other.

    What it asks for comes by the clock of this world, so that seconds alone say little.
    """
    told: list[tuple[str, ...]] = []
    for _ in range(MOST_S):
        now = tuple(screen.evaluate(SAYS))
        if now and told[-1:] != [now]:
            told.append(now)
        if len(told) == pages:
            break
        screen.clock.run_for(1000)
        screen.evaluate("() => fetch('/api/v1/health')")  # it answers all that was asked before
    return told


ROUND = [
    ("The Drummer",),
    ("The Bogeyman",),
    ("The Hat-trick",),
    ("This evening",),
    ("Honours",),
]


def test_titles_are_handed_out_one_by_one_then_evening_and_honours_and_again(
    house: House, visitors: Visitors
) -> None:
    screen = rest(house, visitors, CROWNED, "/tv?lang=en", reduced_motion="no-preference")

    screen.clock.run_for(35_000)
    assert screen.evaluate(SAYS) == []
    assert break_told(screen, 6) == [*ROUND, ROUND[0]]
    expect(screen.locator(".titles h2")).to_have_text("Titles so far")
    expect(screen.locator(".title:visible .whom")).to_have_text("<b>Sanne</b> and =Bram(1)")
    expect(screen.locator(".title:visible small")).to_contain_text("9")
    expect(screen.locator(".join .code")).to_be_visible()
    screen.clock.run_for(6000)
    assert tuple(screen.evaluate(SAYS)) == ROUND[0]
    screen.clock.run_for(2100)
    assert tuple(screen.evaluate(SAYS)) == ROUND[1]

    table = house.demo.client
    wait_for_seq(screen, table.submit(None, "deal"))
    expect(screen.locator("#break")).to_be_hidden()
    screen.clock.run_for(120_000)
    expect(screen.locator("#break")).to_be_hidden()


@pytest.mark.parametrize(
    ("path", "motion"), [("/tv?theme=quiet", "no-preference"), ("/tv?theme=loud", "reduce")]
)
def test_where_nothing_is_to_move_titles_are_a_list(
    house: House, visitors: Visitors, path: str, motion: str
) -> None:
    screen = rest(house, visitors, CROWNED, f"{path}&lang=en", reduced_motion=motion)

    in_order = tuple(title for (title,) in ROUND[2::-1])
    assert break_told(screen, 3) == [in_order, ("This evening", "Honours"), in_order]
    assert screen.evaluate(RUNNING) == 0


def test_an_evening_without_titles_has_the_break_that_it_had(
    house: House, visitors: Visitors
) -> None:
    past = Past({0: toepen(0)})
    screen = rest(house, visitors, past, "/tv?lang=en", reduced_motion="no-preference")

    asked: list[str] = []
    screen.on("request", lambda one: asked.append(one.url))
    assert break_told(screen, 1) == [("This evening", "Honours")]
    screen.clock.run_for(28_000)
    assert sum("/tv/break" in one for one in asked) == 1
    with screen.expect_request("**/tv/break*"):
        screen.clock.run_for(3000)
    assert screen.evaluate(SAYS) == ["This evening", "Honours"]


def test_who_bears_a_title_comes_after_its_name_and_why_comes_last(
    house: House, visitors: Visitors
) -> None:
    """Why somebody bears it stood there before who does."""
    screen = rest(house, visitors, CROWNED, "/tv?theme=loud", reduced_motion="no-preference")
    break_told(screen, 1)

    begins = screen.evaluate(
        """() => ["b", ".whom", "small"]
           .map(one => document.querySelector(`.title:not([hidden]) ${one}`))
           .map(one => parseFloat(getComputedStyle(one).animationDelay))"""
    )
    assert 0 < begins[0] < begins[1] < begins[2] < 2


def test_what_hands_a_title_out_costs_nothing_and_then_stands_still(
    house: House, visitors: Visitors
) -> None:
    screen = rest(house, visitors, CROWNED, "/tv?theme=loud", reduced_motion="no-preference")
    assert len(break_told(screen, 1)) == 1

    assert screen.evaluate(PLAYS) == ["opacity", "transform"]
    assert screen.evaluate(BUSY) == 0
    screen.wait_for_function(f"() => ({RUNNING})() === 0")


@pytest.mark.parametrize("language", ["nl", "en", "de", "da", "ja"])
def test_every_title_finds_room_and_is_read_from_six_metres(
    house: House, visitors: Visitors, language: str
) -> None:
    """Shared by the two longest names of a full table; one by one, and three in a list."""
    facts = {"n": 12, "of": 20, "mine": 15, "theirs": 5, "other": Seat(6)}
    titles = [Title(key, 5, Line(f"title.{key}.why", facts), shared=(6,)) for key in TITLES]
    evening = titled(toepen(0, players=(*FOUR, *LONG), hands=60), *titles)
    screen = break_of(house, visitors, Past({0: evening}), language)
    screen.evaluate("""() => { document.querySelector("#break .halves").hidden = true; }""")

    assert screen.locator(".title").count() == len(TITLES)
    for width, height in ((1280, 720), (1920, 1080)):
        screen.set_viewport_size({"width": width, "height": height})
        for many in (1, 3):
            cut, letters = screen.evaluate(EACH, many)
            assert cut == []
            assert min(letters) >= SMALLEST_LETTERS
            picture(screen, f"stage-titles-{language}-{height}-{many}")


def test_a_first_evening_has_a_break_without_anything_to_tell(
    house: House, visitors: Visitors
) -> None:
    cast("Session", house.demo.client).history = Past({})
    screen = visitors.open("/tv/break?lang=en", 1280, 720)

    expect(screen.locator("body")).to_contain_text("Who knocks first?")
    assert screen.locator("table").count() == 0


@pytest.mark.parametrize("path", ["/tv", "/overlay"])
def test_a_screen_says_that_it_lost_the_box_and_comes_back_by_itself(
    house: House, visitors: Visitors, path: str
) -> None:
    screen = visitors.open(path, 1280, 720)
    wait_for_seq(screen, house.demo.client.submit(None, "deal"))
    house.shut()

    expect(screen.locator("#lost")).to_be_visible()
    expect(screen.locator("#row-1")).to_be_visible()
    house.reopen()
    expect(screen.locator("#lost")).to_be_hidden()
    wait_for_seq(screen, house.demo.client.submit(Seat(0), "knock"))


def test_a_narrow_screen_is_not_pushed_aside(house: House, visitors: Visitors) -> None:
    screen = visitors.open("/tv", 360, 740)

    assert not screen.evaluate("document.documentElement.scrollWidth > innerWidth")


LONG_NAMES = (
    "さくら",
    "けんた",
    "ゆうじろう",
    "Wilhelmina",
    "Bartholomäus",
    "Jan-Willem",
    "Stan",
    "Friederike",
)
# Half a pixel is an ellipsis, and no width of the box tells it.
CUT = """all => all.filter(one => {
    const text = document.createRange();
    text.selectNodeContents(one);
    return text.getBoundingClientRect().width > one.getBoundingClientRect().width;
  }).map(one => one.textContent)"""


def test_names_at_a_full_table_are_written_smaller_before_they_are_cut(
    house: House, visitors: Visitors
) -> None:
    """It said "ゆうじ…" and "Bartholom…" in the ring of eight, and beside a sign on the slate."""
    table = house.demo.client
    for seat, name in enumerate(LONG_NAMES):
        known = seat < len(table.scoreboard().rows)
        table.submit(Seat(seat), "rename" if known else "sit_down", facts={"name": name})
    screen = visitors.open("/tv?lang=ja", 1280, 720)
    wait_for_seq(screen, table.submit(None, "deal"))
    names = screen.locator("#table .row .name")
    expect(names).to_have_count(8)
    cut = names.evaluate_all(CUT)
    wait_for_seq(screen, table.submit(Seat(5), "knock"))
    ring = screen.locator(".ring .name")
    expect(ring).to_have_count(8)

    assert cut + ring.evaluate_all(CUT) == []
    sizes = ring.evaluate_all("all => all.map(one => parseFloat(getComputedStyle(one).fontSize))")
    assert max(sizes) > min(sizes) >= max(sizes) / 2
    picture(screen, "ring-of-eight")


@pytest.mark.parametrize("players", [4, 6])
def test_whoever_must_stay_or_fold_is_asked_in_whole_words(
    house: House, visitors: Visitors, players: int
) -> None:
    """It said "mit oder pass…" in German and "勝負？降り…" in Japanese, at the call of the game."""
    table = house.demo.client
    for seat in range(4, players):
        table.submit(Seat(seat), "sit_down", facts={"name": f"Guest {seat + 1}"})
    table.submit(None, "deal")
    number = table.submit(Seat(0), "knock")
    cut = {}

    for language in LANGUAGES:
        screen = visitors.open(f"/tv?lang={language}", 1280, 720)
        wait_for_seq(screen, number)
        told = screen.locator(".ring .answer-told span")
        expect(told).to_have_count(players)
        cut[language] = told.evaluate_all(
            "all => all.filter(it => it.scrollWidth > it.clientWidth).map(it => it.textContent)"
        )

    assert {language: found for language, found in cut.items() if found} == {}
