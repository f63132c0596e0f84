"""The wall: all tables at one glance, live, and the same for everybody."""

import json
import threading
import time
from dataclasses import replace

import pytest

from kloplei_hub.database import Connection, HouseUnavailable, connect
from kloplei_hub.people import forget_person
from kloplei_hub.web.boards import TableNow
from kloplei_hub.web.live import HELD_S, LiveHouse
from tests.hub.web.conftest import THIJS, Open, Tables, played, sent
from tests.until import PATIENCE_S


def test_a_house_without_tables_says_how_one_comes(open_pages: Open) -> None:
    page = open_pages().get("/").text

    assert "De Kelk" in page
    assert "Make a pairing code" in page


def test_a_table_shows_game_stake_who_is_near_the_end_and_who_is_silent(
    tables: Tables, open_pages: Open
) -> None:
    tables.add("b1", 7, "Stamtafel", played(near=True))
    tables.add("b2", 8, "", online=False)
    tables.add("b3")

    page = open_pages().get("/").text

    tiles = {one.split('"')[0]: one for one in page.split('id="table-')[1:]}
    assert "Stamtafel" in tiles["7"]
    assert "Toepen" in tiles["7"]
    assert "Thijs" in tiles["7"].split("nearly at the end:")[1]
    assert "Table 8" in tiles["8"]
    assert "silent since" in tiles["8"]
    assert "free" in tiles["b3"]


@pytest.mark.parametrize(
    ("won", "crowned"),
    [((2, 1, 0), [1]), ((2, 2, 1), [1, 2]), ((1, 1, 1), []), ((0, 0, 0), []), ((1, 0, 0), [1])],
)
def test_who_leads_the_evening_wears_a_crown_and_nobody_where_all_are_equal(
    won: tuple[int, ...], crowned: list[int]
) -> None:
    board = played()
    rows = [
        replace(row, counts={"rubbers_won": rubbers})
        for row, rubbers in zip(board.rows, won, strict=True)
    ]

    tile = TableNow("b1", "", 7, True, None, replace(board, rows=tuple(rows))).tile

    assert [seat for seat, _ in tile.crowned] == crowned


def test_who_did_not_agree_or_is_forgotten_since_is_a_seat(
    tables: Tables, open_pages: Open
) -> None:
    tables.add("b1", 7, "", played(near=True))
    tables.know(THIJS, "", agreed=False)
    pages = open_pages()

    shown = pages.get("/").text + pages.get("/tables/7").text

    assert "Thijs" not in shown
    assert "Sanne" not in shown
    assert "Tame" in shown
    assert "Seat 1" in shown


def test_who_is_forgotten_leaves_the_wall_at_once(
    tables: Tables, house: Connection, live: LiveHouse
) -> None:
    tables.add("b1", 7, "", played(near=True))
    house.execute("INSERT INTO box_people VALUES ('b1', %s)", (THIJS.id,))
    live.start()
    before = live.wall

    forget_person(house, THIJS.id)

    assert "Thijs" in repr(before)
    assert "Thijs" not in repr(live.wall_after(before.version, PATIENCE_S))


@pytest.mark.parametrize(
    "odd",
    [{"seat": 2**50}, {"tally": 2**52, "limit": 2**53 - 1}, {"tricks": 2**40}, {"counts": None}],
)
def test_a_scoreboard_that_makes_no_sense_is_none_and_costs_nobody_else(
    tables: Tables, house: Connection, live: LiveHouse, odd: dict[str, object]
) -> None:
    tables.add("b1", 7, "", played())
    tables.add("b2", 8)
    board = json.loads(sent(played()))
    board["rows"][0] |= odd
    house.execute("INSERT INTO boards (box, board) VALUES ('b2', %s)", (json.dumps(board),))

    live.start()

    assert [one.plays for one in live.wall.tiles] == [True, False]
    assert not live.wall.lost


def test_many_boards_in_one_change_are_one_new_wall(
    tables: Tables, house: Connection, live: LiveHouse
) -> None:
    for number in range(1, 9):
        tables.add(f"b{number}", number)
    live.start()
    before = live.wall
    with house.transaction():
        for number in range(1, 9):
            tables.show(f"b{number}", played())

    after = live.wall_after(before.version, PATIENCE_S)

    assert [one.plays for one in after.tiles] == [True] * 8
    assert live.wall_after(after.version, 0.05) is after


def test_a_page_waits_for_the_next_wall_and_all_get_the_same(
    tables: Tables, open_pages: Open
) -> None:
    tables.add("b1", 7)
    pages = open_pages()
    version = pages.get("/").text.split('data-version="')[1].split('"')[0]
    threading.Timer(0.1, tables.show, ("b1", played())).start()

    answer = pages.get(f"/wall/after/{version}?lang=en")
    other = pages.get("/wall/after/1?lang=en", headers={"Accept-Language": "da", "Cookie": "a=b"})

    assert "Toepen" in answer.text
    assert answer.data == other.data
    assert answer.headers["Cache-Control"] == "public, max-age=0, s-maxage=1"
    assert "Set-Cookie" not in answer.headers
    assert "Vary" not in answer.headers


def test_who_finds_no_room_to_wait_is_answered_at_once(
    tables: Tables, open_pages: Open, live: LiveHouse
) -> None:
    pages = open_pages()
    held = threading.Thread(target=live.wall_after, args=(live.wall.version, 60))
    held.start()
    while live._room._value:
        time.sleep(0.01)
    begun_s = time.monotonic()

    assert pages.get(f"/wall/after/{live.wall.version}").status_code == 204

    assert time.monotonic() - begun_s < HELD_S / 2
    live.close()
    held.join(PATIENCE_S)
    assert not held.is_alive()


def test_one_table_is_followed_without_the_others(tables: Tables, open_pages: Open) -> None:
    tables.add("b1", 7, "Stamtafel", played())
    tables.add("b2", 8, "", played())
    pages = open_pages()
    page = pages.get("/tables/7").text
    version = page.split('data-version="')[1].split('"')[0]
    threading.Timer(0.1, tables.show, ("b1", played(near=True))).start()

    answer = pages.get(f"/tables/7/after/{version}?lang=nl")

    assert "Stamtafel" in page
    assert "<form" not in page
    assert "hole" not in page
    assert "armoede" in answer.text
    assert pages.get("/tables/9").status_code == 404
    assert pages.get("/tables/9/after/1").status_code == 404


@pytest.mark.parametrize(
    ("language", "told"),
    [("nl", "Alle tafels"), ("de", "Alle Tische"), ("da", "Alle borde"), ("ja", "全テーブル")],
)
def test_pages_are_read_in_five_languages(
    tables: Tables, open_pages: Open, language: str, told: str
) -> None:
    tables.add("b1", 7, "", replace(played(), notices=()))

    page = open_pages().get("/", headers={"Accept-Language": language}).text

    assert told in page
    assert f'lang="{language}"' in page


def test_a_silent_database_is_told_and_the_wall_stays(
    tables: Tables,
    open_pages: Open,
    house: Connection,
    live: LiveHouse,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tables.add("b1", 7, "Stamtafel", played())
    pages = open_pages()
    before = live.wall.version
    is_back = threading.Event()

    def connect_once_back(dsn: str, *, autocommit: bool) -> Connection:
        if not is_back.is_set():
            raise HouseUnavailable("It starts.")
        return connect(dsn, autocommit=autocommit)

    monkeypatch.setattr("kloplei_hub.web.live.connect", connect_once_back)
    house.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = %s",
        ("kloplei_web",),
    )
    lost = live.wall_after(before, PATIENCE_S)

    assert lost.lost
    assert "Stamtafel" in pages.get("/").text
    is_back.set()
    assert not live.wall_after(lost.version, PATIENCE_S).lost
