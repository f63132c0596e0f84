"""`POST /api/v1/seats/<n>/actions` and the keeper's `POST /api/v1/actions`."""

import json
import re

import pytest
from flask import Flask
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kloplei.games.catalogue import GAMES, game_kind
from kloplei.games.game import IllegalAction, Seat
from kloplei.games.scoreboard import Scoreboard
from kloplei.table.client import JournalWriteError, TableUnavailable
from kloplei.table.session import Session
from kloplei.words import LANGUAGES
from tests.examples import examples
from tests.panel.conftest import Phone

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def test_an_action_is_granted_with_the_number_it_was_written_down_under(phone: Phone) -> None:
    before = phone.board["seq"]

    response = phone.ask(1, "deal", seen=before)

    assert response.status_code == 202
    assert response.json == {"seq": before + 1}
    assert phone.board["phase"] == "exchange"


@pytest.mark.parametrize(("seat", "asked"), [(None, 0), (1, 1)])
def test_the_table_is_asked_how_it_stands_once_at_most(
    phone: Phone, table: Session, monkeypatch: pytest.MonkeyPatch, seat: int | None, asked: int
) -> None:
    """To ask takes as long as to write the action down."""
    asks: list[Scoreboard] = []
    real = table.scoreboard

    def told() -> Scoreboard:
        asks.append(real())
        return asks[-1]

    monkeypatch.setattr(table, "scoreboard", told)

    phone.do(seat, "deal")

    assert len(asks) == asked


def test_the_keeper_asks_for_the_table_itself(phone: Phone) -> None:
    phone.do(1, "deal")

    phone.do(None, "undo")

    assert phone.board["phase"] == "between_hands"


def test_facts_hold_seats_as_people_count_them(phone: Phone) -> None:
    phone.do(1, "deal")
    phone.do(2, "exchange")

    phone.do(4, "challenge", of=2, found="dirty")

    assert [row["tally"] for row in phone.board["rows"]] == [0, 1, 0, 0]


def test_a_refusal_gives_its_reason_a_sentence_and_facts(phone: Phone) -> None:
    phone.do(1, "deal")
    phone.do(3, "knock")

    response = phone.ask(3, "stay")

    assert response.status_code == 409
    assert response.json is not None
    assert response.json["error"] == "nothing_to_answer"
    assert set(response.json) == {"error", "message", "facts"}
    assert phone.board["to_answer"] == [4, 1, 2]


def test_a_refusal_speaks_the_language_of_the_phone(app: Flask) -> None:
    said = {
        language: Phone(app.test_client(), language).ask(1, "knock").get_json()["message"]
        for language in ("nl", "en", "de", "da", "ja")
    }

    assert len(set(said.values())) == 5
    assert "no_hand" not in "".join(said.values())


def test_a_late_thumb_cannot_answer_a_question_that_is_closed(phone: Phone) -> None:
    phone.do(1, "deal")
    seen = phone.do(3, "knock")
    for seat in (4, 1, 2):
        phone.do(seat, "stay")
    phone.do(2, "knock")

    response = phone.ask(4, "fold", seen=seen)

    assert response.status_code == 409
    assert response.get_json()["error"] == "stale"
    assert phone.board["rows"][3]["tally"] == 0


def test_what_the_table_says_stands_inside_our_sentence(phone: Phone) -> None:
    """The full stop of the one came before that of the other: "is missing.. See"."""
    phone.do(1, "deal")

    message = phone.ask(2, "challenge", found="clean").get_json()["message"]

    assert "'of' is missing. See" in message


@pytest.mark.parametrize("number", [0, 9, 999, 10**30])
def test_a_seat_that_is_not_there_is_not_found(phone: Phone, number: int) -> None:
    response = phone.ask(number, "knock")

    assert response.status_code == 404
    assert response.get_json()["error"] == "no_such_seat"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"knock",
        b"null",
        b"[]",
        b'"knock"',
        b"12",
        b"{}",
        b'{"action": null}',
        b'{"action": 3}',
        b'{"action": ""}',
        b'{"action": ["knock"]}',
        b'{"action": "knock", "seen": "41"}',
        b'{"action": "knock", "seen": true}',
        b'{"action": "knock", "seen": -1}',
        b'{"action": "knock", "seen": 1.5}',
        b'{"action": "knock", "seen": NaN}',
        b'{"action": "knock", "stake": NaN}',
        b'{"action": "knock", "stake": Infinity}',
        b'{"action": "knock", "stake": 3}',
        b'{"action": "jump"}',
        b'{"action": "__class__"}',
        b'{"action": "deal", "seat": 2}',
        b'{"action": "sit_down", "name": "\\ud800"}',
        b'{"action": "trick", "n": true}',
        b'{"action": "trick", "n": "4"}',
        b'{"action": "trick", "n": ' + b"9" * 400 + b"}",
        b'{"action": "trick", "n": 1e400}',
        b'{"action": "challenge", "of": 2}',
        b'{"action": "challenge", "of": 99, "found": "dirty"}',
        b'{"action": "trick", "n": ' + b"[" * 5000 + b"]" * 5000 + b"}",
        b"\xff\xfe{}",
        b'{"action": "knock"',
    ],
)
def test_what_cannot_be_read_is_said_to_be_unreadable(phone: Phone, body: bytes) -> None:
    before = phone.board

    response = phone.client.post(
        "/api/v1/seats/1/actions", data=body, content_type="application/json"
    )

    assert response.status_code == 400
    assert set(response.get_json()) == {"error", "message"}
    assert phone.board == before


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("nl", "Dit is niet te lezen: geen actie heet 'jump'; de stand (scoreboard) noemt"),
        ("de", "Das ist nicht lesbar: keine Aktion heißt 'jump'; der Spielstand (scoreboard)"),
        ("da", "Det kan ikke læses: ingen handling hedder 'jump'; stillingen (scoreboard)"),
        ("ja", "読み取れません：'jump'という操作はありません。"),
        ("en", "This cannot be read: No action is called 'jump'; the scoreboard lists those"),
    ],
)
def test_an_action_that_is_none_is_told_in_one_language(
    app: Flask, language: str, said: str
) -> None:
    """English stood within the sentence of each other one."""
    answer = Phone(app.test_client(), language).ask(1, "jump")

    assert answer.get_json()["message"].startswith(said)


@settings(max_examples=examples(100), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(body=JSON)
def test_no_body_whatever_breaks_the_panel(phone: Phone, body: object) -> None:
    response = phone.client.post(
        "/api/v1/seats/2/actions", data=json.dumps(body), content_type="application/json"
    )

    assert response.status_code == 400
    assert set(response.get_json()) == {"error", "message"}


@settings(max_examples=examples(100), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    action=st.sampled_from(
        ["sit_down", "rename", "swap", "options", "start", "undo", "chalk", "trick", "correct"]
    ),
    fact=st.sampled_from(["name", "of", "options", "preset", "dealer", "steps", "lives", "n"]),
    value=JSON,
)
def test_no_fact_whatever_breaks_the_panel(
    phone: Phone, action: str, fact: str, value: object
) -> None:
    response = phone.ask(3, action, **{fact: value})

    assert response.status_code in {202, 400, 409}
    assert phone.get("/").status_code == 200


@pytest.mark.parametrize(("nest", "says"), [("[[[1]]]", "'nest'"), ("[[[[1]]]]", "JSON")])
def test_a_nest_deeper_than_any_action_needs_is_not_handed_on(
    phone: Phone, nest: str, says: str
) -> None:
    response = phone.client.post(
        "/api/v1/seats/1/actions",
        data=f'{{"action": "deal", "nest": {nest}}}',
        content_type="application/json",
    )

    assert response.status_code == 400
    assert says in response.get_json()["message"]


def test_a_body_without_the_right_content_type_is_refused(phone: Phone) -> None:
    response = phone.client.post("/api/v1/seats/1/actions", data=b'{"action": "deal"}')

    assert response.status_code == 415
    assert response.get_json()["error"] == "not_json"
    assert phone.board["phase"] == "between_hands"


def test_a_huge_body_is_refused(phone: Phone) -> None:
    response = phone.ask(1, "rename", name="x" * 100_000)

    assert response.status_code == 413
    assert response.get_json()["error"] == "too_large"


def test_a_silent_table_is_a_503_that_asks_for_patience(
    phone: Phone, table: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    def silent(*_: object, **__: object) -> int:
        raise TableUnavailable("No answer.")

    monkeypatch.setattr(table, "submit", silent)

    response = phone.ask(1, "deal")

    assert response.status_code == 503
    assert response.get_json()["error"] == "table_silent"
    assert response.headers["Retry-After"] == "2"


def test_a_table_that_dies_after_its_no_is_no_fault_of_the_panels(
    phone: Phone, table: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse_and_die(*_: object, **__: object) -> int:
        def silent() -> Scoreboard:
            raise TableUnavailable("No answer.")

        monkeypatch.setattr(table, "scoreboard", silent)
        raise IllegalAction("seat_taken", seat=Seat(1))

    monkeypatch.setattr(table, "submit", refuse_and_die)

    response = phone.ask(2, "sit_down")

    assert (response.status_code, response.get_json()["error"]) == (409, "seat_taken")
    assert "2" in response.get_json()["message"]


@pytest.mark.parametrize("path", ["/", "/?seat=2", "/tv", "/settings?lang=da"])
def test_a_page_without_a_table_reads_itself_again(
    phone: Phone, table: Session, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    """A box that has just got its power, and a large screen that nobody touches."""

    def silent() -> Scoreboard:
        raise TableUnavailable("No answer.")

    monkeypatch.setattr(table, "scoreboard", silent)

    page = phone.get(path, headers={"Accept": "text/html"})

    assert page.status_code == 503
    assert f'http-equiv="refresh" content="2; url={path}"' in page.text
    posted = phone.client.post(
        "/act?seat=2", data={"seat": "2", "action": "deal"}, headers={"Accept": "text/html"}
    )
    assert 'content="2; url=/?seat=2"' in posted.text


def test_other_problems_do_not_read_themselves_again(phone: Phone) -> None:
    page = phone.get("/nowhere", headers={"Accept": "text/html"})

    assert page.status_code == 404
    assert "http-equiv" not in page.text


def test_what_a_full_disk_refuses_is_told_as_such(
    phone: Phone, table: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was told as a table that does not answer, with advice that did not help."""

    def full(*_: object, **__: object) -> int:
        raise JournalWriteError("The disk is full. Free some space.")

    monkeypatch.setattr(table, "submit", full)

    response = phone.ask(1, "deal")

    assert response.status_code == 503
    assert response.get_json() == {
        "error": "not_kept",
        "message": "That was not done: the table cannot write it down. "
        "The disk is full. Free some space.",
    }


def test_a_mistake_of_ours_is_a_500_without_a_traceback(
    phone: Phone,
    table: Session,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def broken(*_: object, **__: object) -> int:
        raise ZeroDivisionError("secret detail")

    monkeypatch.setattr(table, "submit", broken)

    response = phone.ask(1, "deal")

    assert response.status_code == 500
    assert response.get_json()["error"] == "broken"
    assert "secret detail" not in response.text
    assert "secret detail" in caplog.text


@pytest.mark.parametrize(
    ("path", "method", "status"),
    [
        ("/api/v1/nothing", "GET", 404),
        ("/api/v1/seats/one/actions", "POST", 404),
        ("/api/v1/seats/-1/actions", "POST", 404),
        ("/api/v1/seats/1/actions", "GET", 405),
        ("/api/v1/scoreboard", "POST", 405),
        ("/nothing", "GET", 404),
    ],
)
def test_every_error_has_the_same_shape(phone: Phone, path: str, method: str, status: int) -> None:
    response = phone.client.open(path, method=method)

    assert response.status_code == status
    assert set(response.get_json()) == {"error", "message"}
    if status == 405:
        assert response.headers["Allow"]


def test_a_browser_gets_a_page_instead(phone: Phone) -> None:
    response = phone.get("/nothing", headers={"Accept": "text/html,*/*;q=0.8"})

    assert response.status_code == 404
    assert response.mimetype == "text/html"
    assert 'class="brand"' in response.text  # its title stood at the very edge of the glass
    assert "first page" in response.text


MISFITS = (
    {"action": "juggle"},
    {"action": "knock", "nest": 3},
    {"action": "challenge", "of": 99, "found": "dirty"},
    {"action": "challenge", "of": 2},
    {"action": "challenge", "of": 2, "found": "x"},
    {"action": "sit_down", "name": 5},
    {"action": "chalk", "seat": 1, "lives": True},
    {"action": "options", "options": 5},
    {"action": "options", "options": {"most_lives": 1}},
    {"action": "options", "options": {"max_lives": "x"}},
    {"action": "options", "preset": "x"},
    {"action": "options", "game": "whist"},
)
SAID_ANYWHERE = {
    "text",
    "toep",
    "version",
    "true",
    "false",
    "json",
    "openapi",
    "scoreboard",
    "options",
    "toepen",
}


@pytest.mark.parametrize("misfit", MISFITS, ids=str)
@pytest.mark.parametrize("language", [one for one in LANGUAGES if one != "en"])
def test_what_does_not_fit_is_told_in_one_language(
    phone: Phone, language: str, misfit: dict[str, object]
) -> None:
    """It read: Toep! geht so nicht: it has no fact 'nest'."""

    def told(spoken: str) -> tuple[str, str]:
        answer = phone.client.post(
            "/api/v1/seats/1/actions", json=misfit, headers={"Accept-Language": spoken}
        )
        assert answer.status_code == 400
        return answer.get_json()["error"], answer.get_json()["message"]

    def words(message: str) -> set[str]:
        free = re.sub(r"'[^']*'|/api\S*|„[^“]*“|: [\w, ]*$", " ", message)
        return set(re.findall(r"[a-z_]{4,}", free.lower())) - SAID_ANYWHERE

    (code, english), (same, here) = told("en"), told(language)
    assert code == same
    assert "…" not in here + english
    # What it may be called instead is a word of ours on the wire, the same to all.
    names = {*GAMES, *game_kind("toepen").presets, *" ".join(game_kind("toepen").presets).split()}
    assert words(english) & words(here) <= names
