"""However much a slate has to say: nothing stands on anything else, nothing leaves its frame.

What a browser drew is asked of its boxes: those of every piece of text, and of every picture. One
page takes the fragments of all the boards, one after another, as it would take them from the table.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import cycle
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from kloplei.games.scoreboard import Scoreboard
from kloplei.words.catalogue import LANGUAGES
from kloplei_panel import PanelSettings, create_app
from kloplei_panel.server import Server
from tests.browser.poses import (
    PosedTable,
    all_said,
    at_once,
    eenendertigen,
    evening,
    every_combination,
    tarok,
    treats,
    watten,
)
from tests.panel.conftest import TEMPLATES
from tests.table.memory_journal import MemoryJournal

pytestmark = pytest.mark.browser

SCREENS = ((1280, 720), (1920, 1080), (3840, 2160), (1024, 768), (1080, 1920))
PHONES = ((320, 640), (360, 740), (390, 844), (430, 932), (600, 960), (720, 900), (820, 1180))
MOST = 8
PLAYERS = range(2, MOST + 1)
# Where the text of each ends on the right, and the line on which it stands.
ENDS = """what => [...document.querySelectorAll(what)].map(one => {
  const text = document.createRange(), foot = document.createElement("img");
  text.selectNodeContents(one);
  const right = text.getBoundingClientRect().right;
  one.append(foot);
  const line = foot.getBoundingClientRect().bottom;
  foot.remove();
  return [Math.round(right), Math.round(line)];
})"""
# How far the middle of a seat's number is from that of its name, at most.
APART = """() => Math.max(...[...document.querySelectorAll(".row")].map(row => {
  const [no, name] = [".seat-no", ".name"].map(what => {
    const box = row.querySelector(what).getBoundingClientRect();
    return (box.top + box.bottom) / 2;
  });
  return Math.abs(no - name);
}))"""
FAULTS = (Path(__file__).parent / "boxes.js").read_text()


class Easel:
    """Shows posed boards in a browser, and tells what is wrong with what it drew."""

    def __init__(self, table: PosedTable, browser: Browser, path: str) -> None:
        app = create_app(table, settings=PanelSettings(join_url="http://192.168.1.23:8080/"))
        app.jinja_env.bytecode_cache = TEMPLATES
        self._table, self._phone = table, app.test_client()
        self._server = Server(app, "127.0.0.1", 0)
        self._server.start()
        self._page: Page = browser.new_page(reduced_motion="reduce")
        self._page.goto(f"http://127.0.0.1:{self._server.port}{path}")
        self._page.evaluate("document.fonts.ready.then(() => true)")

    def draw(self, path: str, board: Scoreboard, language: str) -> str:
        self._table.posed = board
        return self._phone.get(path, headers={"Accept-Language": language}).text

    def look(self, htmls: list[str], width: int, height: int) -> list[list[str]]:
        self._page.set_viewport_size({"width": width, "height": height})
        return list(self._page.evaluate(FAULTS, htmls))

    def ends(self, what: str) -> list[tuple[int, int]]:
        return [(right, line) for right, line in self._page.evaluate(ENDS, what)]

    def apart(self) -> float:
        return float(self._page.evaluate(APART))

    @property
    def fit(self) -> str:
        """How large all is drawn on a large screen: 1 where it has room."""
        return str(self._page.evaluate("document.documentElement.style.getPropertyValue('--fit')"))

    def close(self) -> None:
        self._page.close()
        self._server.close()


@pytest.fixture(scope="module")
def table() -> Iterator[PosedTable]:
    with PosedTable(MemoryJournal()) as table:
        yield table


@pytest.fixture(scope="module")
def screen(table: PosedTable, browser: Browser) -> Iterator[Easel]:
    easel = Easel(table, browser, "/tv")
    yield easel
    easel.close()


@pytest.fixture(scope="module")
def phone(table: PosedTable, browser: Browser) -> Iterator[Easel]:
    easel = Easel(table, browser, "/")
    yield easel
    easel.close()


def crowds() -> Iterator[tuple[str, Scoreboard, str]]:
    """Yield the fullest boards in every language, and every combination in one or another."""
    for language in LANGUAGES:
        for players in PLAYERS:
            yield f"{players} at toepen", at_once(players), language
        for players in (2, 3, 4):
            yield f"{players} at watten", watten(players), language
        yield "tarok", tarok(4), language
    others = [(f"combinations {number}", one) for number, one in enumerate(every_combination(MOST))]
    others += [(f"{players} at toepen, and all said", all_said(players)) for players in PLAYERS]
    yield from ((*other, language) for other, language in zip(others, cycle(LANGUAGES)))


def faults_on(easel: Easel, path: str, sizes: Sequence[tuple[int, int]]) -> dict[str, object]:
    """Return what is wrong where; each board is looked at in one of *sizes*, in turn."""
    boards = list(crowds())
    found: dict[str, object] = {}
    for turn, (width, height) in enumerate(sizes):
        mine = boards[turn :: len(sizes)]
        looks = easel.look(
            [easel.draw(path, board, told) for _, board, told in mine], width, height
        )
        for (name, _, language), look in zip(mine, looks, strict=True):
            if look:
                found[f"{name}, {language}, {width}x{height}"] = look
    return found


def test_nothing_leaves_the_frame_of_a_large_screen(screen: Easel) -> None:
    assert faults_on(screen, "/tv/slate", SCREENS) == {}


def test_nothing_leaves_the_frame_on_a_phone(phone: Easel) -> None:
    assert faults_on(phone, "/slate", PHONES) == {}


def test_a_question_of_two_lines_makes_nothing_smaller(screen: Easel) -> None:
    """With no news below it, it was taken for too full, and all was drawn at six tenths."""
    board = replace(eenendertigen(4), news=None, rows=tarok(4).rows)

    screen.look([screen.draw("/tv/slate", board, "nl")], *SCREENS[0])

    assert screen.fit == "1"


def test_what_a_hand_brought_ends_below_each_other_on_a_large_screen(screen: Easel) -> None:
    """It stood some px further left where more digits stand behind it, and above their line."""
    board = tarok(4)
    chips = zip(board.rows, ((-1280, -340), (45, 15), (7, -5), (1228, 330)), strict=True)
    rows = tuple(replace(row, tally=tally, swing=swing) for row, (tally, swing) in chips)

    screen.look([screen.draw("/tv/slate", replace(board, rows=rows), "nl")], *SCREENS[1])
    brought, together = screen.ends(".swing"), screen.ends(".count")

    assert len({right for right, _ in brought}) == 1
    assert [line for _, line in brought] == [line for _, line in together]


def test_a_seat_number_stands_beside_its_name_on_a_large_screen(screen: Easel) -> None:
    """Where chips are counted it stood up to 10 px above, and below on a screen that stands."""
    apart = {}
    for players in (2, 4, MOST):
        settled = replace(tarok(players), payments=())
        plain = tuple(replace(row, flags=(), swing=None) for row in settled.rows)
        begun = replace(settled, rows=plain, prompt=None)
        for board in (settled, begun, treats(players), eenendertigen(players)):
            for size in (*SCREENS[:2], SCREENS[-1]):
                screen.look([screen.draw("/tv/slate", board, "nl")], *size)
                apart[board.game, board is begun, players, size] = screen.apart()

    assert {which: px for which, px in apart.items() if px > 4} == {}


def test_this_evening_names_everybody_on_a_phone(phone: Easel) -> None:
    """Thijs and Thomas were both "Th…" in its head."""
    some = [(evening(players), told) for told in LANGUAGES for players in (5, MOST)]
    closed = [phone.draw("/slate", board, told) for board, told in some]
    pages = [page.replace('id="evening"', 'id="evening" open') for page in closed]

    for width, height in (PHONES[0], PHONES[2], PHONES[-1]):
        assert phone.look(pages, width, height) == [[]] * len(pages), width


@pytest.mark.parametrize("language", ["nl", "de"])
def test_the_boards_once_drawn_over_their_frame_fit_every_large_screen(
    screen: Easel, language: str
) -> None:
    boards = [*map(treats, PLAYERS), at_once(MOST), eenendertigen(4), eenendertigen(MOST)]
    htmls = [screen.draw("/tv/slate", board, language) for board in boards]

    for width, height in SCREENS[:3]:
        assert screen.look(htmls, width, height) == [[]] * len(boards), (width, height)
