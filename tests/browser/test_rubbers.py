"""Two whole rubbers: one by knocking on virtual pads, one by two phones under a TV."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import TIMINGS, House, Visitors, picture, wait_for_seq
from tests.browser.play import Move, is_wiped, next_move

pytestmark = pytest.mark.browser

MOST_MOVES = 120


def knock(house: House, page: Page, move: Move) -> None:
    """Click the pad, and let the pattern and any grace that it asks for end."""
    for _ in range(move.knocks):
        with page.expect_response("**/demo/strike"):
            page.locator(f"#pad-{move.seat}").click()
    house.pass_time()
    house.pass_time(TIMINGS.grace_s)


@pytest.mark.timeout(120)
def test_a_whole_rubber_by_knocking_on_the_virtual_pads(house: House, visitors: Visitors) -> None:
    page = visitors.open("/demo", 1280, 900)
    table = house.demo.client
    picture(page, "demo-start")
    seen = set()

    for _ in range(MOST_MOVES):
        board = table.scoreboard()
        if is_wiped(board):
            break
        if board.phase not in seen:
            seen.add(board.phase)
            wait_for_seq(page, board.seq)
            picture(page, f"demo-{board.phase}")
        knock(house, page, next_move(board, winner=1, toep_to=3))
        assert table.scoreboard().seq > board.seq

    board = table.scoreboard()
    assert is_wiped(board)
    assert {"between_hands", "exchange", "answering", "rubber_over"} <= seen
    assert sum(row.counts["drinks"] for row in board.rows) >= 1
    assert board.rows[0].counts["rubbers_won"] == 1
    wait_for_seq(page, board.seq)
    expect(page.locator(".pad line")).to_have_count(0)
    phone = page.frame_locator("#phone")
    expect(phone.locator("#row-1")).to_be_visible()
    expect(phone.locator(".row line")).to_have_count(0)
    picture(page, "demo-wiped")


def press(house: House, player: Page, keeper: Page, move: Move) -> None:
    """Let who sits at seat 1 press it on their phone, and the keeper do it for the others."""
    mine = move.seat == 1
    page = player if mine else keeper
    if not mine:
        place = page.locator(f"#place-{move.seat}")
        if place.get_attribute("open") is None:
            place.locator("> summary").click()
    if move.action == "trick":
        with page.expect_response("**/actions"):
            page.locator(f"#do-trick-4-{move.seat}").click()
        house.pass_time(TIMINGS.grace_s)
    else:
        page.locator(f"#do-{move.action}-{move.seat}").click()


@pytest.mark.timeout(120)
def test_a_whole_rubber_by_two_phones_and_a_tv(house: House, visitors: Visitors) -> None:
    player = visitors.open("/?seat=1", 390, 800, has_touch=True, is_mobile=True)
    keeper = visitors.open("/?seat=keeper", 768, 1024, has_touch=True, color_scheme="light")
    tv = visitors.open("/tv", 1920, 1080)
    table = house.demo.client
    seen = set()

    for _ in range(MOST_MOVES):
        board = table.scoreboard()
        if is_wiped(board):
            break
        for page in (player, keeper, tv):
            wait_for_seq(page, board.seq)
            expect(page.locator("#table .stake strong")).to_have_text(str(board.stake or "–"))
        look = "armoede" if any("armoede" in row.flags for row in board.rows) else board.phase
        if look not in seen:
            seen.add(look)
            for page, who in ((player, "phone"), (keeper, "keeper"), (tv, "tv")):
                picture(page, f"{who}-{look}")
        press(house, player, keeper, next_move(board, winner=2, toep_to=2))
        player.wait_for_function(
            "before => Number(document.getElementById('table').dataset.seq) > before",
            arg=board.seq,
        )

    board = table.scoreboard()
    assert is_wiped(board)
    assert {"exchange", "answering", "armoede", "rubber_over"} <= seen
    assert sum(row.counts["drinks"] for row in board.rows) >= 1
    for page in (player, keeper, tv):
        wait_for_seq(page, board.seq)
        expect(page.locator(".row line")).to_have_count(0)
    picture(tv, "tv-wiped")
