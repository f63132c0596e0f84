"""What of a page's speed can be counted: what moves when it comes up, and what a change touches."""

import pytest
from playwright.sync_api import Page, expect

from kloplei.games.game import Seat
from tests.browser.conftest import House, Visitors, wait_for_seq

pytestmark = pytest.mark.browser

SHIFTS = """() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => {
  const seen = new PerformanceObserver(() => {});
  seen.observe({ type: "layout-shift", buffered: true });
  done(seen.takeRecords().flatMap(one => one.sources)
    .map(({ node }) => node?.id || node?.className || node?.nodeName));
})))"""


def moved(page: Page) -> list[str]:
    """Return what of *page* moved after it was drawn first."""
    page.evaluate("document.fonts.ready.then(() => true)")
    return list(page.evaluate(SHIFTS))


def test_nothing_moves_when_a_page_comes_up(house: House, visitors: Visitors) -> None:
    """The points of Watten grew when their figures came, the demo's box with its picture."""
    house.demo.choose_game("watten")
    phone, screen = visitors.open("/?seat=1"), visitors.open("/tv", 1280, 720)
    demo = visitors.open("/demo", 820, 1180)
    demo.wait_for_function("() => document.getElementById('oled').src.startsWith('blob:')")

    assert [moved(page) for page in (phone, screen, demo)] == [[], [], []]


WATCH = """() => {
  const told = window.told = [];
  const whose = node => node.nodeType === 1 ? node : node.parentElement;
  const named = node => { const of = whose(node);
    return (of.closest("[id]")?.id ?? "") + " " + (of.className || of.localName); };
  new MutationObserver(seen => { for (const one of seen) {
    if (one.type === "childList") told.push(named(one.target) + " has other children");
    else if (one.type === "characterData") told.push(named(one.target) + " says");
    else if (one.attributeName !== "value") told.push(named(one.target) + " " + one.attributeName);
  } }).observe(document.body,
    { subtree: true, childList: true, characterData: true, attributes: true });
}"""


def touched(page: Page) -> list[str]:
    """Return what changed since `WATCH`, but for what forms send unseen."""
    return sorted(set(page.evaluate("window.told")))


def test_a_change_touches_what_it_changes(house: House, visitors: Visitors) -> None:
    page = visitors.open("/?seat=3")
    wait_for_seq(page, house.demo.client.submit(None, "deal"))
    page.evaluate(WATCH)

    wait_for_seq(page, house.demo.client.submit(Seat(0), "rename", facts={"name": "Truus"}))

    assert touched(page) == [
        *("do-undo-3 of says", "evening span says"),
        *("row-1 name says", "row-1 name title"),
        *("table main data-seq", "table news says", "table prompt says"),
    ]


def test_what_another_phone_tells_of_a_hand_leaves_the_rest_of_the_sheet(
    house: House, visitors: Visitors
) -> None:
    """The focus was lost with the button before it: forms had been told apart by their order."""
    house.demo.choose_game("tarok")
    table = house.demo.client
    table.submit(None, "deal")
    leader = table.scoreboard().leader
    assert leader is not None
    page = visitors.open("/?seat=keeper", 390, 600)
    page.locator("#hand-rare > summary").click()
    page.locator("#place-2 > summary").click()
    page.locator("#sheet-rename-2 > summary").click()
    page.locator("#field-rename-2-name").fill("Tho")
    page.locator(f"#do-feat-tout-null-true-{leader.shown}").focus()
    page.evaluate("scrollTo(0, 400)")
    page.evaluate(WATCH)

    wait_for_seq(page, table.submit(leader, "fate", facts={"what": "pagat_home"}))

    expect(page.locator(f"#do-feat-tout-null-true-{leader.shown}")).to_be_focused()
    expect(page.locator("#field-rename-2-name")).to_be_visible()
    assert page.locator("#field-rename-2-name").input_value() == "Tho"
    assert page.evaluate("scrollY") == 400
    kept = ("row-", "evening", "field-", "sheet-rename", "hand-rare do", "log-")
    assert [one for one in touched(page) if one.startswith(kept)] == []


def test_a_demo_at_rest_is_looked_at_and_left_alone(house: House, visitors: Visitors) -> None:
    """Its slate was decoded and painted anew four times a second, whatever stood on it."""
    page = visitors.open("/demo", 1280, 720)
    page.wait_for_function("() => document.getElementById('oled').src.startsWith('blob:')")
    page.wait_for_function("() => !('listening' in document.getElementById('ear').dataset)")
    page.wait_for_function("() => document.getElementById('lamp').style.backgroundColor")
    with page.expect_response("**/demo/box"):
        page.evaluate(WATCH)

    for _ in range(2):
        with page.expect_response("**/demo/box"):
            pass

    assert touched(page) == []
