"""The house on a phone: the keeper goes with one, or leaves it; who is known there says so."""

import time

import pytest
from flask import Flask

from kloplei.games.game import Seat
from kloplei.table.session import Session
from kloplei.table.uplink_client import (
    HousePerson,
    HubWish,
    OutsiderStatus,
    TableCall,
    UplinkStatus,
)
from kloplei.words import LANGUAGES, Sentence
from tests.panel.conftest import PIN, Phone

HOUSE = "/settings/house"


@pytest.fixture
def phone(app: Flask) -> Phone:
    return Phone(app.test_client(), "nl")


@pytest.fixture
def thijs(table: Session) -> int:
    table.submit(Seat(0), "recognise", facts={"remember": True})
    (person,) = table.people.people()
    return person.id


def post(phone: Phone, path: str, **fields: str) -> int:
    headers = {**phone.headers, "Accept": "text/html"}
    return phone.client.post(path, data=fields, headers=headers, follow_redirects=True).status_code


def test_the_keeper_goes_with_a_house_and_leaves_it(phone: Phone, table: Session) -> None:
    assert "hoort bij geen huis" in phone.get(HOUSE).text

    assert post(phone, f"{HOUSE}/pair", hub=" https://hub.example ", code="123-456") == 200
    assert table.uplink.wish() == HubWish("https://hub.example", "123-456")
    assert "Wacht op antwoord van https://hub.example" in phone.get(HOUSE).text

    table.uplink.report(UplinkStatus("pairing", "https://hub.example"))
    assert "Wordt gekoppeld" in phone.get(HOUSE).text
    assert post(phone, f"{HOUSE}/leave") == 200
    assert table.uplink.wish() == HubWish("", "")
    assert "gaat uit het huis weg" in phone.get(HOUSE).text


def test_what_was_scanned_is_filled_in(phone: Phone) -> None:
    page = phone.get(f"{HOUSE}?hub=https://hub.example&code=12-34").text

    assert 'value="https://hub.example"' in page
    assert 'value="12-34"' in page


@pytest.mark.parametrize("fields", [{}, {"hub": "x"}, {"code": "1"}, {"hub": " ", "code": "2"}])
def test_without_an_address_and_a_code_nothing_is_asked_for(
    phone: Phone, table: Session, fields: dict[str, str]
) -> None:
    assert post(phone, f"{HOUSE}/pair", **fields) == 400
    assert table.uplink.wish() is None


@pytest.mark.parametrize("language", LANGUAGES)
def test_how_it_stands_is_said_in_words(app: Flask, table: Session, language: str) -> None:
    phone, seq = Phone(app.test_client(), language), table.scoreboard().seq
    in_ten_days = time.time() + 10.5 * 86_400
    trouble = Sentence("uplink-twin")
    untold = Sentence("webhook-refused", address="hook.example", error="404 Not Found")
    for stands in (
        UplinkStatus(),
        UplinkStatus("connecting", "hub.example"),
        UplinkStatus("connected", "hub.example", seq - 3, certificate_ends=in_ten_days),
        UplinkStatus("connected", "hub.example", seq),
        UplinkStatus("refused", "hub.example", trouble=trouble),
        UplinkStatus(outsiders=(OutsiderStatus("webhook", trouble=untold),)),
    ):
        table.uplink.report(stands)
        page = phone.get(HOUSE).text
        assert "hub." not in page.replace("hub.example", "")

        if stands.certificate_ends:
            assert "10" in page
            assert "3" in page
        assert ("hook.example" in page) == bool(stands.outsiders)
        assert stands.trouble is None or (language != "en" or str(trouble)) in (True, str(trouble))


def test_only_who_keeps_the_slate_may_do_that(locked_app: Flask, table: Session) -> None:
    stranger = Phone(locked_app.test_client())

    assert stranger.get(HOUSE).status_code == 403
    assert post(stranger, f"{HOUSE}/pair", hub="evil.example", code="1") == 403
    assert post(stranger, f"{HOUSE}/leave") == 403
    assert table.uplink.wish() is None


def test_nobody_is_known_in_the_house_who_did_not_say_so(
    phone: Phone, table: Session, thijs: int
) -> None:
    path = f"/people/{thijs}"
    assert "agrees" not in phone.get(path).text  # there is no house

    table.uplink.report(UplinkStatus("connected", "hub.example"))
    assert "Het huis kent Thijs niet" in phone.get(path).text
    assert post(phone, f"{path}/agree", agrees="1") == 200
    assert [one.name for one in table.uplink.agreed()] == ["Thijs"]
    assert "Het huis kent Thijs bij naam" in phone.get(path).text

    table.uplink.report(UplinkStatus())
    assert "agrees" in phone.get(path).text  # it can be taken back without one
    assert post(phone, f"{path}/agree", agrees="0") == 200
    assert table.uplink.agreed() == ()


def test_a_seat_says_it_for_who_sits_there_and_for_nobody_else(
    locked_app: Flask, table: Session, thijs: int
) -> None:
    table.submit(Seat(1), "recognise", facts={"remember": True})
    (tame,) = (one.id for one in table.people.people() if one.id != thijs)
    table.uplink.report(UplinkStatus("connected", "hub.example"))
    own = Phone(locked_app.test_client(), "nl")
    with own.client.session_transaction() as session:
        assert session is not None
    assert post(own, f"/people/{thijs}/agree", agrees="1") == 403

    keeper = Phone(locked_app.test_client(), "nl")
    keeper.client.post("/settings/pair", data={"pin": PIN})
    assert post(keeper, f"/people/{tame}/agree", agrees="1") == 200
    assert [one.name for one in table.uplink.agreed()] == ["Tame"]


def test_a_call_is_a_notice_with_a_button_that_seats_them(phone: Phone, table: Session) -> None:
    players = (HousePerson(2**52, "Willemijn"), HousePerson(2**52 + 1, "Bo"))
    table.uplink.call(TableCall("9", "Tafel 7", round=3, players=players))

    page = phone.get("/?seat=1").text
    assert "Tafel 7, ronde 3: Willemijn en Bo" in page
    assert "Wij zitten" in page
    assert "Nu niet" in page
    assert (
        phone.client.post("/act?seat=1", data={"seat": "1", "action": "accept_call"}).status_code
        == 303
    )

    assert list(table.scoreboard().names.values()) == ["Willemijn", "Bo"]
    assert "ronde 3" not in phone.get("/?seat=1").text
