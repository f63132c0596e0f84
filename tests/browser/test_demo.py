"""The virtual table: hands, keys, the OLED, bots, and the phone beside it."""

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from kloplei.games.game import Seat
from tests.browser.conftest import (
    TIMINGS,
    House,
    Visitors,
    picture,
    running,
    seq,
    wait_for_seq,
)
from tests.until import until

pytestmark = pytest.mark.browser

LONGER_THAN_A_TAP_MS = 600
A_JUDGEMENT_S = 0.3  # from the click to the blow, and on to what the box makes of it


def click(pad: Locator, times: int = 1) -> None:
    """Click *pad*, each time until the wave is on its way."""
    for _ in range(times):
        with pad.page.expect_response("**/demo/strike"):
            pad.click()


def press(page: Page, key: str, times: int = 1) -> None:
    """Press *key*, each time until the wave is on its way."""
    for _ in range(times):
        with page.expect_response("**/demo/strike"):
            page.keyboard.press(key)


def test_a_stranger_plays_a_hand_by_doing_what_the_hint_says(
    house: House, visitors: Visitors
) -> None:
    page = visitors.open("/demo", 1280, 900)
    hinted = page.locator(".pad.hinted")
    hint = page.locator(".hint")

    expect(hint).to_contain_text("Stan")  # deals
    click(hinted, 2)
    house.pass_time()
    expect(page.locator(".middle .stake strong")).to_have_text("1")
    expect(hint).to_contain_text("toep")
    click(hinted)
    house.pass_time()
    expect(page.locator(".middle .stake strong")).to_have_text("2")
    for left in (2, 1, 0):
        click(hinted)
        house.pass_time()
        expect(page.locator(".pad.must_answer")).to_have_count(left)
    click(page.locator("#pad-3"), 2)
    house.pass_time()
    house.pass_time(TIMINGS.grace_s)

    expect(page.locator("#pad-1 line")).to_have_count(2)
    expect(page.locator("#pad-3 line")).to_have_count(0)


def test_keys_knock_and_a_long_press_holds(house: House, visitors: Visitors) -> None:
    page = visitors.open("/demo", 1280, 900)
    expect(page.locator("#pad-4.hinted")).to_be_visible()

    number = seq(page)
    press(page, "4", 2)
    house.pass_time()
    wait_for_seq(page, number + 1)

    page.locator("#pad-2").hover()
    page.mouse.down()
    expect(page.locator("#pad-2.down")).to_be_visible()
    page.wait_for_timeout(LONGER_THAN_A_TAP_MS)  # the page's own clock
    with page.expect_response("**/hold"):
        page.mouse.up()
    house.pass_time(1.5)  # a hold claims the last trick
    house.pass_time(TIMINGS.grace_s)

    hands = house.demo.client.scoreboard().hands
    assert [hand.winner for hand in hands] == [1]


def test_a_knock_is_seen_on_the_wood_at_once(house: House, visitors: Visitors) -> None:
    page = visitors.open("/demo", 1280, 900)

    click(page.locator("#pad-2"))
    house.pass_time(A_JUDGEMENT_S)

    expect(page.locator("#pad-2 .echo i")).to_have_count(1)
    expect(page.frame_locator("#phone").locator("#row-2 .echo i")).to_have_count(1)


def test_the_magnified_slate_is_the_one_on_the_box(house: House, visitors: Visitors) -> None:
    page = visitors.open("/demo", 1280, 900)
    oled = page.locator("#oled")
    page.wait_for_function("() => document.getElementById('oled').src.startsWith('blob:')")
    first = oled.get_attribute("src")

    click(page.locator("#pad-4"), 2)
    house.pass_time()
    page.wait_for_function("before => document.getElementById('oled').src !== before", arg=first)
    page.wait_for_function("() => document.getElementById('oled').naturalWidth > 0")

    assert oled.evaluate("image => [image.naturalWidth, image.naturalHeight]") == [512, 256]


def test_the_magnified_slate_follows_a_table_that_has_come_to_rest(
    house: House, visitors: Visitors
) -> None:
    page = visitors.open("/demo", 1280, 900)
    page.clock.install()
    page.reload()
    page.wait_for_function("() => document.getElementById('oled').src.startsWith('blob:')")
    page.clock.run_for(10_000)  # so long nothing happened at the table

    with page.expect_request("**/slate.png?scale=4") as asked:
        page.clock.run_for(2_000)

    assert asked.value.method == "GET"


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (1366, 657), (1920, 1000)])
def test_a_laptop_shows_table_slate_and_phone_at_once(
    house: House, visitors: Visitors, width: int, height: int
) -> None:
    """The phone used to be cut off below the box, down to its header on a low screen."""
    page = visitors.open("/demo", width, height)
    phone = page.frame_locator("#phone")

    expect(phone.locator("#row-1")).to_be_in_viewport(ratio=0.9)
    for part in ("#pad-1", "#pad-4", "#oled", "#phone", ".keys"):
        expect(page.locator(part)).to_be_in_viewport(ratio=0.99)
    assert page.locator("#oled").evaluate("image => image.clientWidth % 128") == 0
    boxes = [page.locator(part).bounding_box() for part in (".hint", "#wood", ".keys")]
    tops, ends = zip(*((box["y"], box["y"] + box["height"]) for box in boxes if box), strict=True)
    assert ends[0] <= tops[1] and ends[1] <= tops[2], "the wood lies on the words beside it"


@pytest.mark.parametrize("language", ["nl", "de", "ja"])
@pytest.mark.parametrize(("width", "height"), [(1024, 700), (1280, 720), (1440, 900), (1920, 1080)])
def test_the_table_stands_still_whatever_the_hint_says(
    house: House, visitors: Visitors, width: int, height: int, language: str
) -> None:
    """When a hand began it moved by a line of the hint, and who aimed at a seat missed it."""
    page = visitors.open(f"/demo?lang={language}", width, height)
    table = house.demo.client
    stood, hints = [], []

    for what, seat in (("deal", None), ("knock", Seat(0)), ("fold", Seat(1)), ("stay", Seat(2))):
        hints.append(page.locator(".hint").inner_text())
        stood.append([page.locator(one).bounding_box() for one in ("#wood", "#pad-1")])
        wait_for_seq(page, table.submit(seat, what))

    assert len(set(hints)) == len(hints)
    assert [one for one in stood if one != stood[0]] == []


@running
def test_bots_play_when_asked_to_and_stop_when_told_to(house: House, visitors: Visitors) -> None:
    page = visitors.open("/demo", 1280, 900)
    number = seq(page)

    page.locator("#bots-speed").fill("3")
    page.locator("#bots-on").check()
    wait_for_seq(page, number + 3)
    assert house.demo.bots_speed == 8.0
    page.locator("#bots-on").uncheck()

    until(lambda: house.demo.bots_speed is None)
    expect(page.locator("#bots-on")).not_to_be_checked()


def test_the_page_shows_the_pace_at_which_bots_play_already(
    house: House, visitors: Visitors
) -> None:
    house.demo.set_bots(4.0)

    page = visitors.open("/demo", 1280, 900)

    expect(page.locator("#bots-on")).to_be_checked()
    expect(page.locator("#bots-times")).to_have_text("4×")
    expect(page.locator("#bots-speed")).to_have_value("2")


def test_bots_hear_one_word_after_the_other(house: House, visitors: Visitors) -> None:
    """Two that were on their way at once came in either order."""
    page = visitors.open("/demo", 1280, 900)
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/demo/bots", hold, times=1)
    with page.expect_request("**/demo/bots"):
        page.locator("#bots-on").check()
    page.locator("#bots-on").uncheck()
    page.evaluate("() => fetch('/api/v1/health')")

    with page.expect_request("**/demo/bots") as second:
        (first,) = held
        first.continue_()
    assert second.value.post_data == '{"on":false}'


def test_the_phone_beside_the_table_can_be_anybodys(house: House, visitors: Visitors) -> None:
    page = visitors.open("/demo", 1280, 900)
    phone = page.frame_locator("#phone")
    expect(phone.locator("#row-1.mine")).to_be_visible()
    expect(phone.locator(".to-demo")).to_be_hidden()

    page.locator("#phone-seat").select_option("4")
    phone.locator("#do-deal-4").click()

    expect(page.locator(".middle .stake strong")).to_have_text("1")
    picture(page, "demo-phone-deals")


def test_no_knock_makes_a_sound_unless_asked_for(house: House, visitors: Visitors) -> None:
    page = visitors.open("/demo", 1280, 900)

    expect(page.locator("#tick")).not_to_be_checked()


def test_where_cards_are_slammed_a_click_on_a_name_is_its_button(
    house: House, visitors: Visitors
) -> None:
    table = house.demo.client
    table.submit(None, "options", facts={"game": "tarok"})
    table.submit(Seat(3), "start")
    table.submit(None, "deal")
    page = visitors.open("/demo", 1280, 900)
    expect(page.locator("#deaf")).to_be_visible()
    picture(page, "demo-deaf")

    for name in ("Stan", "Thomas", "Thijs"):  # Tame sits opposite the dealer, and out
        with page.expect_response("**/hold"):
            page.locator(".pad", has_text=name).click()
        house.pass_time()
    expect(page.locator(".hint")).to_contain_text("laatste slag")
    for _ in range(2):
        with page.expect_response("**/hold"):
            page.keyboard.press("1")
        house.pass_time(A_JUDGEMENT_S)
    house.pass_time()
    house.pass_time(TIMINGS.grace_s)

    assert [one.line.key for one in table.scoreboard().draft][-1] == "ledger.last_trick"
    page.locator("[name=kind][value=knuckle]").check()
    page.locator("#hand").press("Enter")  # in the middle of the wood
    house.pass_time()
    expect(page.locator("#ear .told.unheeded")).to_have_count(1)
    picture(page, "demo-deaf-wood")
    page.set_viewport_size({"width": 320, "height": 640})
    expect(page.locator(".middle .pot").first).to_be_visible()
    assert page.evaluate(PUSHES_ON_POTS) == 0


PUSHES_ON_POTS = """() => {
  const [pots, pushes] = [".middle .pot", ".push"].map(what =>
    [...document.querySelectorAll(what)].map(one => one.getBoundingClientRect()));
  return pushes.filter(a => pots.some(b => a.left < b.right && a.right > b.left
    && a.top < b.bottom && a.bottom > b.top)).length;
}"""

ON_NAMES = """() => [...document.querySelectorAll(".pad .name")].flatMap(name => {
  const text = document.createRange();
  text.selectNodeContents(name);
  const a = text.getBoundingClientRect(), pad = name.closest(".pad").getBoundingClientRect();
  const right = Math.min(a.right, pad.right), left = Math.max(a.left, pad.left);
  return [...document.querySelectorAll(".disc")].filter(disc => {
    const b = disc.getBoundingClientRect();
    return left < b.right && right > b.left && a.top < b.bottom && a.bottom > b.top;
  }).map(disc => `${disc.textContent} on ${name.textContent}`);
})"""

CUT_OR_COVERED = """() => {
  const stake = document.querySelector(".middle .stake strong").getBoundingClientRect();
  const under = [...document.querySelectorAll(".pad")].map(one => one.getBoundingClientRect())
    .filter(pad => Math.min(pad.right, stake.right) > Math.max(pad.left, stake.left)
      && Math.min(pad.bottom, stake.bottom) > Math.max(pad.top, stake.top));
  return [...document.querySelectorAll(".lands span")]
    .filter(one => one.scrollWidth > one.clientWidth).map(one => `${one.textContent} is cut off`)
    .concat(under.map(() => "the stake lies on a mat"));
}"""


def test_the_table_takes_the_room_with_the_phone_in_view_and_no_number_on_a_name(
    house: House, visitors: Visitors
) -> None:
    for number, name in enumerate(("Wilhelmina", "Tame", "Maximilian", "Annemarie"), start=1):
        house.demo.client.submit(Seat(number - 1), "rename", facts={"name": name})
    for number in range(5, 9):
        house.demo.client.submit(
            Seat(number - 1), "sit_down", facts={"name": f"Jan-Willem {number}"}
        )
    page = visitors.open("/demo?lang=de", 1280, 720)
    faults = {}

    for width, height, share in (
        *((1920, 1080, 0.5), (1280, 720, 0.42), (1024, 768, 0.6)),
        *((820, 1180, 0.6), (600, 960, 0.6), (390, 844, 0.9), (320, 640, 0.9)),
    ):
        page.set_viewport_size({"width": width, "height": height})
        wood, phone = (page.locator(one).bounding_box() for one in ("#wood", "#phone"))
        assert wood is not None and phone is not None
        faults[width] = page.evaluate(ON_NAMES) + page.evaluate(CUT_OR_COVERED)
        if wood["width"] < share * width:
            faults[width].append(f"a table of {wood['width']} px")
        if width <= 820 and phone["y"] + 100 > height:
            faults[width].append(f"the phone begins at {phone['y']} px")

    assert {width: found for width, found in faults.items() if found} == {}


MATS_ON_MATS = """() => {
  const mats = [...document.querySelectorAll(".pad")].map(one => one.getBoundingClientRect());
  return mats.flatMap((a, at) => mats.slice(at + 1).filter(b => Math.min(a.right, b.right)
    > Math.max(a.left, b.left) + 1 && Math.min(a.bottom, b.bottom) > Math.max(a.top, b.top) + 1));
}"""


def test_no_seat_lies_on_another_on_a_phone_that_lies_down(
    house: House, visitors: Visitors
) -> None:
    """The table was as high as what was left of the screen, 150 pixels wide, mats upon mats."""
    page = visitors.open("/demo", 844, 390)
    covered = {}

    for width, height in ((844, 390), (932, 430), (667, 375), (568, 320), (390, 844), (320, 568)):
        page.set_viewport_size({"width": width, "height": height})
        covered[width] = page.evaluate(MATS_ON_MATS)
        assert page.evaluate("document.documentElement.scrollWidth") <= width

    assert {width: found for width, found in covered.items() if found} == {}
    picture(page, "demo-lying-down")


@pytest.mark.parametrize("width", [1600, 390])
def test_the_show_follows_the_table_in_all_its_frames(
    house: House, visitors: Visitors, width: int
) -> None:
    page = visitors.open("/demo/show", width, 900)
    frames = [page.frame_locator(f"iframe.{name}") for name in ("screen", "one", "two")]
    glass = page.locator("#oled").get_attribute("src")

    house.demo.client.submit(None, "deal")
    house.demo.client.submit(Seat(1), "knock")

    for frame in frames:
        expect(frame.locator("body")).to_contain_text("Tame")
        expect(frame.locator("#table")).to_contain_text("2")
    expect(page.locator("#oled")).not_to_have_attribute("src", str(glass))
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    picture(page, f"show-{width}")
