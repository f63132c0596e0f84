"""A referee's evening on a page, and who looks on."""

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from kloplei.words.catalogue import LANGUAGES
from kloplei_hub.database import Connection
from kloplei_hub.referee import HouseReferee
from kloplei_hub.tournaments import CameOut, Opened
from kloplei_hub.words import house_words
from tests.hub.web.conftest import Open, Tables

PLAN = {"name": "Feest", "game": "watten", "kind": "monster", "rounds": "2", "tables": ""}
KEYS = (
    *("over", "playing", "few", "sides", "partner", "tables", "winner", "drawn", "busy", "absent"),
    *("match", "played-on", "numbers", "name", "otherwise"),
)


@pytest.fixture
def pages(tables: Tables, house: Connection, open_pages: Open) -> FlaskClient:
    """Two tables and eight people, before whoever is signed in by `as_role`."""
    for number in (1, 2):
        tables.add(f"b{number}", number)
    for person in range(1, 9):
        house.execute("INSERT INTO people (person, name) VALUES (%s, %s)", (person, f"P{person}"))
    for role in ("player", "referee"):
        add = "INSERT INTO users (name, password, role, seal) VALUES (%s, '', %s, 'x')"
        house.execute(add, (f"the {role}", role))
    pages = open_pages()
    as_role(pages, "referee")
    return pages


def as_role(pages: FlaskClient, role: str) -> None:
    with pages.session_transaction() as session:
        session["user"], session["seal"] = f"the {role}", "x"


def do(pages: FlaskClient, doing: str, **form: str | int) -> TestResponse:
    return pages.post(f"/tournaments/1/{doing}", data=form)


def begun(pages: FlaskClient) -> None:
    assert pages.post("/tournaments", data=PLAN).status_code == 303
    everybody = ", ".join(f"P{one}" for one in range(1, 9))
    assert do(pages, "join", who=everybody).status_code == 303


def test_a_referees_evening(pages: FlaskClient, house: Connection) -> None:
    assert "no tournament yet" in pages.get("/tournaments").text
    begun(pages)
    assert "No round has been drawn yet; 8 players" in pages.get("/tournaments/1").text

    assert do(pages, "draw", round=1).status_code == 303
    assert do(pages, "draw", round=1).status_code == 409  # a second tap
    early = do(pages, "draw", round=2)
    assert "Wait for table 1, 2" in early.text
    first, last = HouseReferee(house).read(1).rounds[0].matches
    won = ",".join(map(str, first.sides[1]))
    do(pages, "result", round=1, table=1, winner=won)
    do(pages, "result", round=1, table=1, winner=first.sides[0][0], why="misread the slate")
    house.execute("DELETE FROM calls")
    do(pages, "call", table=2)
    do(pages, "result", round=1, table=2, winner=last.sides[0][0])
    do(pages, "leave", who=last.players[0])
    do(pages, "tables", tables="2")
    assert do(pages, "draw", round=2).status_code == 303

    page = pages.get("/tournaments/1").text
    assert "Round 2 of 2" in page
    assert "Resting this round" in page
    assert f"P{first.sides[0][0]} &amp; P{first.sides[0][1]}, written by the referee" in page
    assert "(misread the slate)" in page
    assert [box for (box,) in house.execute("SELECT box FROM calls")] == ["b2"]
    assert do(pages, "end").status_code == 303
    assert "This tournament is over" in do(pages, "join", who="P1").text
    assert "<form" not in pages.get("/tournaments/1").text.split("<main")[1]
    assert "Feest" in pages.get("/tournaments").text


def test_who_is_new_is_taken_in_by_one_more_tap(pages: FlaskClient, house: Connection) -> None:
    begun(pages)

    asked = do(pages, "join", who="Nieuwe Nel")
    assert asked.status_code == 409
    assert "Nieuwe Nel is new here" in asked.text
    assert do(pages, "join", who="Nieuwe Nel", new="1").status_code == 303
    assert "Nieuwe Nel" in pages.get("/tournaments/1").text
    assert do(pages, "join", who="p").status_code == 409  # several
    assert do(pages, "join", who="nel").status_code == 303


def test_only_a_referee_does_anything(pages: FlaskClient) -> None:
    begun(pages)
    as_role(pages, "player")

    assert do(pages, "draw", round=1).status_code == 403
    assert pages.post("/tournaments", data=PLAN).status_code == 403
    assert "/tournaments/1/join" not in pages.get("/tournaments/1").text
    pages.delete_cookie("kloplei_house")
    assert do(pages, "end").status_code == 403
    assert pages.get("/tournaments/1").status_code == 200
    elsewhere = pages.post("/tournaments/1/end", headers={"Origin": "https://elsewhere.example"})
    assert elsewhere.status_code == 403


@pytest.mark.parametrize(
    ("doing", "form", "told"),
    [
        ("tables", {"tables": "x"}, "1-8, 12"),
        ("tables", {"tables": ""}, "1-8, 12"),
        ("leave", {"who": "nobody"}, "do not take part"),
        ("result", {"round": 1, "table": 9, "winner": "1"}, "Nothing is played"),
        ("result", {"round": 1, "table": 1, "winner": ""}, "Choose who won"),
        ("result", {"round": "x", "table": "y" * 99, "winner": "1"}, "Nothing is played"),
        ("draw", {}, "has just been drawn"),
    ],
)
def test_what_cannot_be_is_told_and_nothing_lost(
    pages: FlaskClient, doing: str, form: dict[str, str | int], told: str
) -> None:
    begun(pages)
    do(pages, "draw", round=1)

    answer = do(pages, doing, **form)

    assert answer.status_code == 409
    assert told in answer.text
    assert do(pages, "fly").status_code == 404
    assert pages.get("/tournaments/7").status_code == 404
    assert pages.get(f"/tournaments/{10**30}").status_code == 404


def test_a_referee_tells_all_places_of_a_table_of_more_than_two(
    pages: FlaskClient, house: Connection
) -> None:
    pages.post("/tournaments", data=PLAN | {"game": "toepen", "tables": "1"})
    do(pages, "join", who="P1, P2, P3")
    do(pages, "draw", round=1)
    (match,) = HouseReferee(house).read(1).rounds[0].matches
    assert pages.get("/tournaments/1").text.count('name="rank"') == 3

    def tell(*ranks: str) -> int:
        told = {"round": "1", "table": "1", "rank": list(ranks), "why": ""}
        return pages.post("/tournaments/1/result", data=told).status_code

    for wrong in (("1", "2"), ("2", "2", "3"), ("1", "2", "4"), ("1", "", "2"), ("0", "1", "2")):
        assert tell(*wrong) == 409
    assert tell("3", "1", "2") == 303

    stands = HouseReferee(house).read(1)
    assert stands.results[1, 1].ranks == (3, 1, 2)
    assert [one.player for one in stands.standings()] == [
        match.players[1],
        match.players[2],
        match.players[0],
    ]
    names = ", ".join(
        f"{place}. P{match.players[at]}" for place, at in enumerate((1, 2, 0), start=1)
    )
    assert f"Round 1, table 1: {names}, written by the referee" in pages.get("/tournaments/1").text


@pytest.mark.parametrize("wrong", [{"name": " "}, {"rounds": "-1"}, {"game": "go"}, {"kind": "?"}])
def test_a_tournament_that_cannot_be_is_not_opened(
    pages: FlaskClient, wrong: dict[str, str], house: Connection
) -> None:
    assert pages.post("/tournaments", data=PLAN | wrong).status_code == 409
    assert HouseReferee(house).all() == ()


def test_who_looks_on_sees_a_result_once_it_is_in(pages: FlaskClient, house: Connection) -> None:
    begun(pages)
    do(pages, "draw", round=1)
    page = pages.get("/tournaments/1/wall").text
    version = page.split('data-version="')[1].split('"')[0]
    assert pages.get(f"/tournaments/1/after/{version}?lang=en").status_code == 204

    HouseReferee(house).tell(1, CameOut(1, 1, (1, 2), source="b1/e/0/1"))

    fresh = pages.get(f"/tournaments/1/after/{version}?lang=nl")
    assert "gewonnen" in fresh.text
    assert fresh.headers["Cache-Control"] == "public, max-age=0, s-maxage=1"
    assert "<form" not in fresh.text


def test_who_is_forgotten_has_no_name_and_who_is_two_is_one(
    pages: FlaskClient, house: Connection
) -> None:
    begun(pages)
    house.execute("UPDATE people SET name = '', agreed = false WHERE person = 3")
    house.execute("UPDATE people SET merged = 1 WHERE person = 2")

    page = pages.get("/tournaments/1").text

    assert "P3" not in page
    assert "somebody takes part" in page
    assert "7 players" in page


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_sentence_is_there(pages: FlaskClient, house: Connection, language: str) -> None:
    words, headers = house_words(language), {"Accept-Language": language}
    for key in KEYS:
        facts = {"tables": "1", "players": 1, "least": 3, "matches": 2}
        assert not words.say(f"tournament.why.{key}", facts).startswith("tournament.")
    begun(pages)
    do(pages, "draw", round=1)
    do(
        pages,
        "result",
        round=1,
        table=1,
        winner=HouseReferee(house).read(1).rounds[0].matches[0].players[0],
    )

    for address in ("/tournaments", "/tournaments/1", "/tournaments/1/wall"):
        text = pages.get(address, headers=headers).text
        assert "tournament." not in text.replace("tournaments.css", "")
        assert "trail." not in text


def test_a_tournament_from_before_opens_as_it_was(house: Connection) -> None:
    """What was opened before tournaments went on by themselves does not."""
    house.execute("INSERT INTO tournaments DEFAULT VALUES")
    told = '{"name":"Feest","game":"watten","kind":"monster","rounds":2,"tables":[1],"seed":3}'
    into = "INSERT INTO tournament_trail (tournament, number, event, facts) "
    house.execute(into + "VALUES (1, 1, 'Opened', %s)", (told,))

    assert HouseReferee(house).read(1).opened == Opened(
        "Feest", "watten", "monster", 2, (1,), 3, False
    )
