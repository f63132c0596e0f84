"""A phone asks to be told when somebody is called, and takes it back."""

from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from kloplei_hub.database import Connection
from kloplei_hub.pushes import PushSubscription, encoded
from kloplei_hub.referee import HouseReferee
from kloplei_hub.tournaments import Joined, Opened
from tests.hub.web.conftest import TAME, THIJS, Open, Tables
from tests.until import until

# The point of RFC 8291, 5.
POINT = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
PHONE = PushSubscription("https://push.example/x", POINT, encoded(b"0" * 16))


@pytest.fixture
def pages(tables: Tables, house: Connection, open_pages: Open) -> FlaskClient:
    """A tournament in which Thijs takes part, and Tame does not."""
    referee = HouseReferee(house)
    referee.tell(referee.open(Opened("Feest", "toepen", tables=(1,))), Joined(THIJS.id))
    return open_pages()


def asked(person: int = THIJS.id, phone: PushSubscription = PHONE, tournament: int = 1) -> Any:
    keys = {"p256dh": phone.p256dh, "auth": phone.auth}
    told = {"endpoint": phone.endpoint, "expirationTime": None, "keys": keys}
    return {"tournament": tournament, "person": person, "subscription": told}


def ask(pages: FlaskClient, told: Any, **headers: str) -> TestResponse:
    return pages.post("/push", json=told, headers=headers)


def kept(house: Connection) -> list[tuple[Any, ...]]:
    return house.execute("SELECT person, endpoint, language FROM push_subscriptions").fetchall()


def test_a_guest_picks_their_name_and_takes_it_back(pages: FlaskClient, house: Connection) -> None:
    page = pages.get("/tournaments/1").text
    assert f'<option value="{THIJS.id}">Thijs</option>' in page
    assert f'value="{TAME.id}"' not in page.split('id="tell"')[1]
    assert pages.get(f"/push/{PHONE.id}").status_code == 404

    answer = ask(pages, asked(), **{"Accept-Language": "da"})

    assert answer.json == {"name": "Thijs"}
    assert kept(house) == [(THIJS.id, PHONE.endpoint, "da")]
    assert pages.get(f"/push/{PHONE.id}").json == {"name": "Thijs"}
    assert pages.post(f"/push/{PHONE.id}/stop").status_code == 200
    assert kept(house) == []


def test_who_is_signed_in_finds_their_own_name_chosen(
    pages: FlaskClient, house: Connection
) -> None:
    house.execute("INSERT INTO users (name, password, role, seal) VALUES ('Thijs','','player','x')")
    with pages.session_transaction() as session:
        session["user"], session["seal"] = "Thijs", "x"

    assert f'<option value="{THIJS.id}" selected>Thijs</option>' in pages.get("/tournaments/1").text


def test_the_key_is_made_once_and_its_other_half_goes_nowhere(
    pages: FlaskClient, house: Connection
) -> None:
    told = pages.get("/push/key").json

    assert told == pages.get("/push/key").json
    assert [told] == [{"key": one} for (one,) in house.execute("SELECT public FROM push_keys")]


@pytest.mark.parametrize(
    ("told", "status"),
    [
        (asked(TAME.id), 404),
        (asked(tournament=9), 404),
        (asked(tournament=1 << 70), 404),
        (asked() | {"person": "71"}, 404),
        (asked() | {"person": True}, 404),
        (asked(phone=PushSubscription("https://10.0.0.1/x", POINT, PHONE.auth)), 400),
        (asked(phone=PushSubscription("http://push.example/x", POINT, PHONE.auth)), 400),
        (asked(phone=PushSubscription(PHONE.endpoint, "x", PHONE.auth)), 400),
        (asked() | {"subscription": None}, 400),
        ([], 400),
        ("x\0", 400),
    ],
)
def test_what_cannot_be_pushed_to_is_not_kept(
    pages: FlaskClient, house: Connection, told: Any, status: int
) -> None:
    assert ask(pages, told).status_code == status
    assert pages.post("/push", data="{").status_code == 400
    assert kept(house) == []


def test_another_page_subscribes_nobody_and_nobody_many(
    pages: FlaskClient, house: Connection
) -> None:
    assert ask(pages, asked(), Origin="https://elsewhere.example").status_code == 403
    assert ask(pages, asked(), **{"Sec-Fetch-Site": "cross-site"}).status_code == 403
    assert kept(house) == []

    assert ask(pages, asked()).status_code == 200
    until(lambda: ask(pages, asked()).status_code == 429)


def test_who_is_forgotten_meanwhile_is_told_nothing(
    pages: FlaskClient, tables: Tables, house: Connection
) -> None:
    ask(pages, asked())

    tables.know(THIJS, "", agreed=False)

    assert kept(house) == []
    assert pages.get(f"/push/{PHONE.id}").status_code == 404
    assert ask(pages, asked()).status_code == 404
    assert 'id="tell"' not in pages.get("/tournaments/1").text


def test_the_worker_shows_what_is_pushed_and_where_it_leads(pages: FlaskClient) -> None:
    """What it does in a browser: tests/browser/test_house_pages.py."""
    worker = pages.get("/worker.js")

    assert worker.headers["Cache-Control"] == "no-cache"
    assert pages.get(worker.text.split('icon: "')[1].split('"')[0]).status_code == 200
