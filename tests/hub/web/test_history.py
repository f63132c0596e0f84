"""Evenings, seasons and people over all tables, with the names that may be said today."""

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest

from kloplei.games.game import Seat
from kloplei.history.service import HistoryService
from kloplei.table import actions
from kloplei.table.history_client import Player, Told
from kloplei.table.people import KnownPerson, Register, write_register
from kloplei.table.schema import dump
from kloplei.table.uplink_client import HousePerson
from kloplei_hub._telling import Folder
from kloplei_hub.database import Connection, connect
from kloplei_hub.referee import HouseReferee
from kloplei_hub.settings import HubConfig, WebConfig
from kloplei_hub.tournaments import CameOut, Opened
from kloplei_hub.web.context import HouseSite
from kloplei_hub.web.evenings import HouseHistory
from kloplei_hub.web.live import LiveHouse
from tests.history.journals import Scribe
from tests.history.test_store import Box
from tests.hub.test_folding import send
from tests.hub.web.conftest import TAME, THIJS, Open, Tables
from tests.panel.past import AT, toepen

WHO = (Player(1, "Seat 1", 71), Player(2, "Seat 2", 72), Player(3, "Seat 3"), Player(4, "Jan"))
ALL = WebConfig(people="all")
COUNTS = [
    (who, "toepen", what, detail, 3 - who if what == "steal" else None, value, 14, True, False)
    for who in (1, 2)
    for what, detail, value in (
        ("won", "", 5),
        ("lives", "", 21),
        ("steal", "", 3),
        ("answer", "2", 9),
    )
]
"""What was counted of two of them in an evening, as `kloplei_hub._telling` writes it down."""


@pytest.fixture
def config(config: HubConfig) -> HubConfig:
    return replace(config, web=ALL)


@pytest.fixture
def evenings(tables: Tables, house: Connection) -> Tables:
    """Twelve evenings at table 7 and one at table 8, told as the fold does."""
    tables.add("b1", 7, "Stamtafel")
    tables.add("b2", 8)
    for day in range(12):
        put(house, "b1", day, AT + day * 86_400)
    put(house, "b2", 99, AT - 86_400)
    return tables


def put(house: Connection, box: str, after: int, at: float | None) -> None:
    evening = toepen(1, WHO)
    told = replace(evening, settled=(), line=replace(evening.line, at=at, until=at))
    house.execute(
        "INSERT INTO evenings (box, era, after, last, at, told, counts) "
        "VALUES (%s, 'e', %s, %s, %s, %s, %s)",
        (box, after, after + 9, at, json.dumps(dump(told)), json.dumps(COUNTS)),
    )
    house.execute("SELECT pg_notify('evenings', %s)", (box,))


def test_evenings_are_listed_with_their_tables_and_shown(
    evenings: Tables, open_pages: Open
) -> None:
    pages = open_pages()

    listed = pages.get("/evenings").text
    number = listed.split('href="/evenings/')[1].split('"')[0]
    page = pages.get(f"/evenings/{number}").text
    picture = pages.get(f"/evenings/{number}/recap.png")

    assert listed.count('class="one-evening"') == 13
    assert listed.index("Stamtafel") < listed.index("Table 8")
    assert "Thijs" in page
    assert "Jan" not in page.replace("Jan-", "")
    assert "Stamtafel" in page
    assert picture.data.startswith(b"\x89PNG")
    assert "Thijs" in pages.get(f"/evenings/{number}/text").text
    assert pages.get("/evenings/9999").status_code == 404


def test_what_was_played_in_one_night_of_a_tournament_stands_together(
    tables: Tables, house: Connection, open_pages: Open
) -> None:
    """Two rounds at two tables, and another one a week later; a round at home beside them."""
    rounds = [(box, at) for at in (0, 3600, 7 * 86_400) for box in ("b1", "b2")]
    for number, box in enumerate(("b1", "b2", "b3"), 1):
        tables.add(box, number)
    put(house, "b3", 5, AT + 1800)
    referee = HouseReferee(house)
    number = referee.open(Opened("Kelkcup", "toepen"))
    for round_, (box, after) in enumerate(rounds, 1):
        put(house, box, after, AT + after)
        referee.tell(number, CameOut(round_, 1, (1, 2), source=f"{box}/e/{after}/1"))
        referee.tell(number, CameOut(round_, 1, (2, 1), source=f"{box}/e/{after}/1", why="no"))

    listed = open_pages().get("/evenings").text

    heads = [one.split("</summary>")[0] for one in listed.split("<summary>")[1:]]
    assert [one.partition(" · ")[2] for one in heads] == [
        "Kelkcup · 2 evenings",
        "Kelkcup · 4 evenings",
    ]
    assert listed.count(f'href="/tournaments/{number}"') == 2
    assert listed.count('class="one-evening"') == 7
    assert listed.rindex("</details>") < listed.index("Table 3")


def test_a_table_shows_its_own_evenings(evenings: Tables, open_pages: Open) -> None:
    pages = open_pages()

    assert pages.get("/tables/8").text.count('class="one-evening"') == 1
    assert pages.get("/tables/7").text.count('class="one-evening"') == 10


def test_a_season_counts_all_tables_points_first_and_ratings_after_ten_rubbers(
    evenings: Tables, open_pages: Open, house: Connection
) -> None:
    pages = open_pages()
    house.execute(
        "INSERT INTO seasons (name, since, rule, points, best) VALUES ('Winter', %s, 'wins', 1, 0)",
        (AT - 3600,),
    )

    season = pages.get("/seasons").text
    all_time = pages.get("/seasons/0").text
    told = pages.get("/api/v1/standings").json

    assert "Winter" in season
    assert "12 evenings" in season
    assert "13 evenings" in all_time
    assert season.index("honours") < season.index("rated")
    assert "Jan" not in season
    assert told is not None
    assert [row["player"]["name"] for row in told["games"]["toepen"]] == ["Tame", "Thijs"]
    assert all(row["rating"] for row in told["games"]["toepen"])
    assert pages.get("/seasons/77").status_code == 404


def test_a_person_has_evenings_titles_and_a_rating_with_how_it_came(
    evenings: Tables, open_pages: Open
) -> None:
    pages = open_pages()

    people, page = pages.get("/people").text, pages.get("/people/71").text

    assert people.index("Tame") < people.index("Thijs")
    assert "13 evenings" in page
    assert "How it came" in page
    assert "place " in page
    assert pages.get("/people/5").status_code == 404


def test_who_has_few_rubbers_is_told_when_a_rating_is_shown(
    tables: Tables, open_pages: Open, house: Connection
) -> None:
    tables.add("b1", 7)
    put(house, "b1", 1, None)

    assert "Shown after 10 rubbers" in open_pages().get("/people/71").text


def test_who_is_forgotten_is_nowhere_from_then_on(
    evenings: Tables, open_pages: Open, live: LiveHouse
) -> None:
    pages = open_pages()
    number = pages.get("/evenings").text.split('href="/evenings/')[1].split('"')[0]
    addresses = (
        "/evenings",
        f"/evenings/{number}",
        f"/evenings/{number}/text",
        "/seasons",
        "/people",
        "/api/v1/standings",
        "/tables/7",
    )
    assert all("Thijs" in pages.get(one).text for one in addresses[:5])

    evenings.know(THIJS, "", agreed=False)

    assert [one for one in addresses if "Thijs" in pages.get(one).text] == []
    assert pages.get("/people/71").status_code == 404


def test_two_ids_that_the_house_made_one_are_one(
    evenings: Tables, open_pages: Open, house: Connection
) -> None:
    house.execute("UPDATE people SET merged = 71 WHERE person = 72")
    pages = open_pages()

    assert "Tame" not in pages.get("/people").text + pages.get("/seasons").text
    assert "Thijs" in pages.get(f"/people/{TAME.id}").text


def test_what_was_counted_is_told_as_at_the_table_and_of_all_tables_together(
    config: HubConfig, live: LiveHouse, tables: Tables, dsn: str, tmp_path: Path, open_pages: Open
) -> None:
    people = (HousePerson(73, "Nel"), THIJS, TAME)
    tables.know(people[0])
    scribe = Scribe(5)
    for day in range(2):
        scribe.now = AT + day * 86_400
        seats = tuple((Seat(at), "") for at in range(3))
        known = tuple((Seat(at), one.id) for at, one in enumerate(people))
        scribe.write(actions.EveningBegun("toepen", "kroeg", (), seats, known))
        scribe.do(actions.Start())
        scribe.hands(30)

    def at_the_house(box: str) -> tuple[Told, ...]:
        """What it tells of Thijs once *box* has sent all of that as well."""
        tables.add(box)
        send(tables.house, scribe, len(scribe.entries), box=box)
        with closing(connect(dsn, autocommit=True)) as connection:
            while not Folder(connection, "nl").fold(box):
                pass
        with closing(HouseSite(config, live, config.database.web)) as site:
            return HouseHistory(site).person(THIJS.id).numbers

    box = Box(tmp_path)
    box.grow(scribe.rows())
    with closing(sqlite3.connect(box.journal)) as connection, connection:
        known_there = tuple(KnownPerson(one.id, one.name) for one in people)
        write_register(connection, Register(known_there))
    at_table = HistoryService(box.journal, wall=lambda: AT + 9 * 86_400)
    at_table.update()

    told, twice = at_the_house("one"), at_the_house("two")
    page = open_pages().get(f"/people/{THIJS.id}").text

    assert len([one for one in told if one.value is not None]) >= 15
    assert any(one.against for one in told)
    assert told == at_table.person(THIJS.id).numbers
    assert {(one.key, one.detail): one.n * 2 for one in told if one.unit == "share"} == {
        (one.key, one.detail): one.n for one in twice if one.unit == "share"
    }
    assert "Hands won" in page.split('id="numbers-toepen"')[1]


def test_a_season_begins_over_connections_that_a_restart_broke(
    config: HubConfig, live: LiveHouse, house: Connection
) -> None:
    with closing(HouseSite(config, live, config.database.web)) as site:
        site.ask("SELECT 1")
        house.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'kloplei_web'"
        )
        HouseHistory(site).begin_season("Herfst")

    assert house.execute("SELECT name FROM seasons").fetchall() == [("Herfst",)]


def test_a_season_of_which_nobody_heard_that_it_began_is_not_begun_again(
    config: HubConfig, live: LiveHouse, house: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It stood there twice: what the database had done before it fell silent was asked again."""
    ask = HouseSite._ask

    def fall_silent(site: HouseSite, question: str, facts: object = None) -> list[Any]:
        found = ask(site, question, facts)
        if question.startswith("INSERT"):
            raise psycopg.OperationalError
        return found

    monkeypatch.setattr(HouseSite, "_ask", fall_silent)
    with (
        closing(HouseSite(config, live, config.database.web)) as site,
        pytest.raises(psycopg.OperationalError),
    ):
        HouseHistory(site).begin_season("Herfst")

    assert house.execute("SELECT name FROM seasons").fetchall() == [("Herfst",)]
