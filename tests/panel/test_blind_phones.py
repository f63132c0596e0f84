"""What the phones of Blind Watten offer, to whom, and what they keep to themselves."""

import re
from collections.abc import Iterator, Mapping

import pytest

from kloplei.games.game import Seat
from kloplei.table.seating import TableSetup
from kloplei.table.session import Session
from kloplei_panel import PanelSettings
from tests.panel.conftest import NAMES, PIN, Phone, build
from tests.table.memory_journal import MemoryJournal

Asked = tuple[int, str, Mapping[str, object]]

SEALED: tuple[Asked, ...] = ((1, "seal_schlag", {"rank": "10"}), (4, "seal_trump", {"suit": "C"}))
OPENED = "It was Schlag 10, trump acorns."
SWEEP: tuple[Asked, ...] = ((1, "trick", {}), (1, "trick_of", {"took": 3}), (1, "trick", {}))


@pytest.fixture
def table() -> Iterator[Session]:
    """Four people play Blind Watten; Stan deals, and Thijs sits next to him."""
    with Session(MemoryJournal(), TableSetup(game="watten", preset="blind", seats=4)) as session:
        for seat, name in enumerate(NAMES):
            session.submit(Seat(seat), "sit_down", facts={"name": name})
        session.submit(Seat(3), "start")
        session.submit(None, "deal")
        yield session


def play(phone: Phone, *asked: Asked) -> None:
    for seat, action, facts in asked:
        phone.do(seat, action, **facts)


def offered(phone: Phone, seat: int) -> set[str]:
    row = next(row for row in phone.board["rows"] if row["seat"] == seat)
    return {offer["action"] for offer in row["actions"]}


def test_only_who_knows_may_say_so_and_seal_it(phone: Phone) -> None:
    for seat in (1, 4):
        assert {"confirm", "seal_schlag", "seal_trump"} <= offered(phone, seat)
        assert "data-secret" in phone.get(f"/?seat={seat}").text
    for seat in (2, 3):
        assert not {"confirm", "seal_schlag", "seal_trump", "card"} & offered(phone, seat)
        assert "data-secret" not in phone.get(f"/?seat={seat}").text


def test_programs_are_told_which_offers_are_secret(phone: Phone) -> None:
    (row,) = (row for row in phone.board["rows"] if row["seat"] == 1)

    assert {one["action"] for one in row["actions"] if one.get("secret")} == {
        "seal_schlag",
        "seal_trump",
    }


def test_cards_are_entered_once_both_halves_are_sealed(phone: Phone) -> None:
    play(phone, SEALED[0])
    assert "card" not in offered(phone, 1)

    play(phone, SEALED[1])
    assert "card" in offered(phone, 1) & offered(phone, 4)
    assert not {"card"} & (offered(phone, 2) | offered(phone, 3))


def test_without_javascript_nothing_is_chosen_on_the_page_that_comes_back(phone: Phone) -> None:
    form = {"seat": "1", "action": "seal_schlag", "fact.rank": '"10"'}

    answer = phone.client.post("/act?seat=1", data=form, headers=phone.headers)
    refused = phone.client.post("/act?seat=2", data={**form, "seat": "2"}, headers=phone.headers)

    assert (answer.status_code, answer.headers["Location"]) == (303, "/?seat=1")
    assert refused.status_code == 409
    for page in (phone.get("/?seat=1").text, refused.text):
        assert not re.search(r"\b(checked|selected)\b", page)
    assert re.search(r"<form[^>]*data-secret autocomplete=.off.", phone.get("/?seat=1").text)


def test_the_table_can_check_what_it_was(phone: Phone) -> None:
    laid = ("C10", "CJ", "H10", "CA")
    play(phone, *SEALED, *((1, "card", {"card": card}) for card in laid))
    assert OPENED not in phone.get("/").text

    play(phone, *SWEEP)

    page = phone.get("/").text
    assert OPENED in page
    assert "10 of acorns, Unter of acorns, 10 of hearts and ace of acorns: Tame" in page


def test_an_end_that_is_taken_back_closes_the_slate_over_it_again(phone: Phone) -> None:
    play(phone, *SEALED, *SWEEP)
    newest = phone.board["seq"]

    phone.do(None, "undo", seen=newest)

    assert phone.board["phase"] == "play"
    for page in ("/", "/tv", "/api/v1/scoreboard"):
        assert OPENED not in phone.get(page).text
        assert "seal-opened" not in phone.get(page).text
    assert OPENED in phone.get("/api/v1/log").text  # what was seen was seen
    play(phone, (1, "card", {"card": "H7"}))


def test_a_phone_that_is_not_paired_neither_seals_nor_enters(table: Session) -> None:
    app = build(table, PanelSettings(locked=True, pin=PIN))
    stranger, paired = Phone(app.test_client()), Phone(app.test_client())
    paired.client.post("/settings/pair", data={"pin": PIN})

    asked: tuple[Asked, ...] = (*SEALED, (1, "confirm", {}), (1, "card", {"card": "H7"}))
    for seat, action, facts in asked:
        assert stranger.ask(seat, action, **facts).status_code == 403
    assert "data-secret" not in stranger.get("/?seat=1").text
    play(paired, *SEALED)
