"""PIN, key and tickets are planted, and then looked for wherever somebody might read them."""

import logging
from collections.abc import Iterator

import pytest
from flask import Flask

from kloplei.games.game import Seat
from kloplei.table.session import Session
from kloplei_panel import PanelSettings
from tests.panel.conftest import Phone, build

PIN = "80514627"
KEY = "key-c0ffee-4d6bed4b"
CODE = "vijf-keer_klop-9"
ENDLESS = "/api/v1/stream"


@pytest.fixture
def app(table: Session) -> Flask:
    read = lambda: (PIN, CODE)  # noqa: E731
    settings = PanelSettings(locked=True, secret_key=KEY, read_evening=read)
    return build(table, settings)


@pytest.fixture
def heard(caplog: pytest.LogCaptureFixture) -> Iterator[pytest.LogCaptureFixture]:
    with caplog.at_level(logging.DEBUG):
        yield caplog


def ticket_of(phone: Phone, app: Flask) -> str:
    """Let *phone* ask at the door, and return the ticket in its cookie."""
    answer = phone.client.post("/api/v1/door", json={})
    assert answer.status_code == 202
    cookie = answer.headers["Set-Cookie"].split(";")[0].partition("=")[2]
    signer = app.session_interface.get_signing_serializer(app)  # type: ignore[attr-defined]
    return str(signer.loads(cookie)["ticket"])


def pages(app: Flask) -> list[str]:
    """Return every address that one may read without knowing more than it."""
    served = (one for one in app.url_map.iter_rules() if "GET" in (one.methods or ()))
    plain = [one.rule for one in served if not one.arguments and one.rule != ENDLESS]
    return [*plain, "/?seat=1", "/?seat=keeper", "/nothing"]


def test_no_page_and_no_answer_tells_a_secret(app: Flask) -> None:
    viewer, keeper = Phone(app.test_client()), Phone(app.test_client())
    ticket = ticket_of(viewer, app)
    assert keeper.client.post("/settings/pair", data={"pin": PIN}).status_code == 303

    for phone in (viewer, keeper):
        for path in pages(app):
            answer = phone.get(path)
            told = answer.data + str(answer.headers).encode()
            assert PIN.encode() not in told, path
            assert KEY.encode() not in told, path
            assert CODE.encode() not in told, path
            assert ticket.encode() not in answer.data, path


def test_no_redirect_carries_a_secret_in_its_address(app: Flask) -> None:
    phone = Phone(app.test_client())
    asked = phone.client.post("/door/ask", data={"seat": "1"})
    paired = phone.client.post("/settings/pair", data={"pin": PIN})

    assert asked.headers["Location"] == "/?seat=1"
    assert paired.headers["Location"] == "/"


def test_a_pin_in_an_address_is_no_pin(app: Flask) -> None:
    """It would stand in the history of the browser, and in the logs of whatever lies between."""
    phone = Phone(app.test_client())

    phone.client.post(f"/settings/pair?pin={PIN}")

    assert phone.get("/api/v1/door").get_json() == {"may": "look"}


def test_nothing_secret_is_logged(
    app: Flask, heard: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    phone = Phone(app.test_client())
    ticket = ticket_of(phone, app)
    phone.client.post("/settings/pair", data={"pin": "1" + PIN})
    phone.client.post("/settings/pair", data={"pin": PIN})
    phone.client.post("/api/v1/actions", data=f'{{"pin": "{PIN}"', content_type="application/json")

    def stumble(*_: object, **__: object) -> None:
        raise RuntimeError("a mistake of ours")

    monkeypatch.setattr(app.extensions["kloplei"].pairing, "pair", stumble)
    assert phone.client.post("/settings/pair", data={"pin": PIN}).status_code == 500

    assert "a mistake of ours" in heard.text  # it really was logged, with all that goes with it
    for secret in (PIN, KEY, ticket):
        assert secret not in heard.text


def test_settings_and_answers_are_not_printed_with_their_secrets(app: Flask) -> None:
    panel = app.extensions["kloplei"]
    answer = panel.table.door.ask(Seat(0), "192.168.1.7")

    assert KEY not in repr(panel.settings)
    assert PIN not in repr(panel.settings)
    assert answer.ticket not in repr(answer)
