"""`/api/v1/reactions`: pictures that fly over large screens, and that no journal hears of."""

import pytest

from kloplei.table.session import Session
from kloplei_panel import PanelSettings
from kloplei_panel.stage import REACTIONS
from tests.panel.conftest import PIN, Phone, build

PATH = "/api/v1/reactions"


@pytest.fixture
def thrower(table: Session) -> Phone:
    return Phone(build(table, PanelSettings(reactions=True)).test_client())


def flying(phone: Phone, after: int = 0) -> object:
    told = phone.get(f"{PATH}?after={after}").json
    assert told is not None
    return told["reactions"]


def throw(phone: Phone, **asked: object) -> tuple[int, str | None]:
    answer = phone.client.post(PATH, json=asked, headers=phone.headers)
    return answer.status_code, (answer.json or {}).get("error")


def test_what_is_thrown_flies_and_leaves_the_table_alone(thrower: Phone, table: Session) -> None:
    before = table.scoreboard(), table.log(5)

    assert throw(thrower, reaction="cheers", by=2) == (202, None)
    assert throw(thrower, reaction="fire") == (202, None)

    assert thrower.get(PATH).json == {
        "last": 2,
        "reactions": [
            {"number": 1, "reaction": "cheers", "seat": 2},
            {"number": 2, "reaction": "fire"},
        ],
    }
    assert flying(thrower, after=1) == [{"number": 2, "reaction": "fire"}]
    assert (table.scoreboard(), table.log(5)) == before


def test_too_many_are_refused_with_how_long_to_wait(thrower: Phone) -> None:
    answers = [
        thrower.client.post(PATH, json={"reaction": "heart"}, headers=thrower.headers)
        for _ in range(4)
    ]

    assert [one.status_code for one in answers] == [202, 202, 202, 429]
    assert answers[-1].get_json()["error"] == "too_many_reactions"
    assert int(answers[-1].headers["Retry-After"]) >= 1


@pytest.mark.parametrize("asked", [{}, {"reaction": "insult"}, {"reaction": 3}, {"reaction": []}])
def test_only_what_is_drawn_can_be_thrown(thrower: Phone, asked: dict[str, object]) -> None:
    status, code = throw(thrower, **asked)

    assert (status, code) == (400, "unreadable")
    assert thrower.get(PATH).json == {"last": 0, "reactions": []}


def test_a_house_has_none_until_it_wants_them(phone: Phone) -> None:
    assert PanelSettings().reactions is False
    assert throw(phone, reaction="cheers") == (404, "reactions_off")
    assert phone.get(PATH).status_code == 404
    assert 'id="reactions"' not in phone.get("/?seat=1").text
    assert 'id="flights"' not in phone.get("/tv").text


def test_who_only_looks_on_throws_nothing(table: Session) -> None:
    settings = PanelSettings(locked=True, pin=PIN, reactions=True)
    watcher = Phone(build(table, settings).test_client())

    assert throw(watcher, reaction="cheers") == (403, "not_allowed")
    assert watcher.client.post("/react", data={"reaction": "cheers"}).status_code == 403
    assert 'id="reactions"' not in watcher.get("/?seat=1").text


def test_each_has_a_picture_and_a_form_throws_it_without_scripts(thrower: Phone) -> None:
    page = thrower.get("/?seat=2").text

    for one in REACTIONS:
        assert f'name="reaction" value="{one}"' in page
        drawn = thrower.get(f"/static/reactions/{one}.svg")
        assert drawn.content_type.startswith("image/svg+xml")
    answer = thrower.client.post("/react?seat=2", data={"reaction": "laugh"})
    assert answer.status_code == 303
    assert flying(thrower) == [{"number": 1, "reaction": "laugh", "seat": 2}]
    assert thrower.client.post("/react", data={"reaction": "insult"}).status_code == 400


def test_nobody_throws_from_a_seat_that_is_not_there(table: Session) -> None:
    phone = Phone(build(table, PanelSettings(reactions=True)).test_client())

    told = phone.client.post("/api/v1/reactions", json={"reaction": "cheers", "by": 99})

    assert (told.status_code, told.json and told.json["error"]) == (404, "no_such_seat")
