"""With a lock a phone only looks on until it has entered the PIN of the slate."""

import pytest
from flask import Flask

from kloplei.table.session import Session
from kloplei_panel import PanelSettings, create_app
from kloplei_panel.pairing import TRIES_ALL, TRIES_EACH, WAIT_S, Pairing, TooManyTries
from tests.panel.conftest import PIN, Phone, build


def pair(phone: Phone, pin: str) -> int:
    return phone.client.post("/settings/pair", data={"pin": pin}).status_code


def test_a_phone_that_is_not_paired_may_look_and_not_act(locked_app: Flask) -> None:
    phone = Phone(locked_app.test_client())

    assert phone.get("/").status_code == 200
    assert phone.board["phase"] == "between_hands"
    for seat in (1, None):
        response = phone.ask(seat, "deal")
        assert (response.status_code, response.get_json()["error"]) == (403, "not_allowed")
    assert phone.client.post("/act", data={"action": "deal", "seat": "1"}).status_code == 403
    assert phone.board["phase"] == "between_hands"


def test_the_pin_of_the_slate_pairs_a_phone(locked_app: Flask) -> None:
    phone = Phone(locked_app.test_client())

    assert pair(phone, PIN) == 303

    phone.do(1, "deal")


def test_a_seat_asks_for_the_pin_before_it_shows_buttons(locked_app: Flask) -> None:
    phone = Phone(locked_app.test_client())

    before = phone.get("/?seat=1").text
    pair(phone, PIN)
    after = phone.get("/?seat=1").text

    assert 'name="pin"' in before
    assert "data-act" not in before
    assert 'name="pin"' not in after
    assert "data-act" in after


def test_pairing_is_the_phones_own(locked_app: Flask) -> None:
    pair(Phone(locked_app.test_client()), PIN)

    assert Phone(locked_app.test_client()).ask(1, "deal").status_code == 403


def test_the_cookie_is_signed_and_holds_no_pin(locked_app: Flask) -> None:
    phone = Phone(locked_app.test_client())
    response = phone.client.post("/settings/pair", data={"pin": PIN})
    cookie = response.headers["Set-Cookie"]

    assert PIN not in cookie
    assert "SameSite=Lax" in cookie
    assert "HttpOnly" in cookie

    forged = Phone(locked_app.test_client())
    value = cookie.split(";")[0].removeprefix("kloplei=")
    forged.client.set_cookie("kloplei", "x" + value)
    assert forged.ask(1, "deal").status_code == 403


def test_a_new_pin_ends_old_pairings(table: Session) -> None:
    key = "the same key"
    old = create_app(table, settings=PanelSettings(locked=True, pin="1111", secret_key=key))
    new = create_app(table, settings=PanelSettings(locked=True, pin="2222", secret_key=key))
    cookie = old.test_client().post("/settings/pair", data={"pin": "1111"}).headers["Set-Cookie"]
    value = cookie.split(";")[0].removeprefix("kloplei=")

    statuses = []
    for app in (old, new):
        # Werkzeug 2 and 3 differ in `set_cookie`.
        phone = Phone(app.test_client(use_cookies=False))
        phone.client.environ_base["HTTP_COOKIE"] = f"kloplei={value}"
        statuses.append(phone.ask(1, "rename", name="Matthijs").status_code)

    assert statuses == [202, 403]


def test_a_phone_may_go_back_to_looking_on(locked_app: Flask) -> None:
    phone = Phone(locked_app.test_client())
    pair(phone, PIN)

    phone.client.post("/settings/unpair")

    assert phone.ask(1, "deal").status_code == 403


def test_a_wrong_pin_is_refused_and_often_wrong_has_to_wait(locked_app: Flask) -> None:
    phone = Phone(locked_app.test_client())

    assert [pair(phone, "0000") for _ in range(TRIES_EACH)] == [403] * TRIES_EACH
    assert pair(phone, PIN) == 429


def test_a_lock_without_a_pin_opens_for_nobody(table: Session) -> None:
    app = build(table, PanelSettings(locked=True, pin=None))

    assert pair(Phone(app.test_client()), "") == 403


@pytest.fixture
def watched(locked_app: Flask) -> tuple[Flask, Pairing, list[float]]:
    now_s = [1000.0]
    pairing = Pairing(PIN, key="k", locked=True, now=lambda: now_s[0])
    return locked_app, pairing, now_s


def test_the_wait_ends(watched: tuple[Flask, Pairing, list[float]]) -> None:
    app, pairing, now_s = watched
    with app.test_request_context():
        for _ in range(TRIES_EACH):
            assert not pairing.pair("9", "10.0.0.1")
        with pytest.raises(TooManyTries) as caught:
            pairing.pair(PIN, "10.0.0.1")
        assert caught.value.wait_s == WAIT_S
        assert pairing.pair(PIN, "10.0.0.2")

        now_s[0] += WAIT_S
        assert pairing.pair(PIN, "10.0.0.1")


def test_changing_addresses_does_not_help(watched: tuple[Flask, Pairing, list[float]]) -> None:
    app, pairing, _ = watched
    with app.test_request_context():
        for number in range(TRIES_ALL):
            pairing.pair("9", f"10.0.1.{number}")

        with pytest.raises(TooManyTries):
            pairing.pair("9", "10.0.2.1")
