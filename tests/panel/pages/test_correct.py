"""All of a hand of toepen is corrected on a page, and the difference is seen before it counts."""

import html
import re
from dataclasses import replace

import pytest
from flask import Flask

from kloplei.games.scoreboard import Hand
from kloplei.table.session import Session
from tests.panel.conftest import PIN, Phone


@pytest.fixture
def played(phone: Phone) -> Phone:
    """Thijs knocks, Tame folds; Thomas wins for two. Then Stan wins for one."""
    phone.do(1, "deal")
    phone.do(2, "knock")
    phone.do(3, "stay")
    phone.do(4, "fold")
    phone.do(1, "stay")
    phone.do(3, "trick", n=4)
    phone.do(3, "deal")
    phone.do(4, "trick", n=4)
    return phone


def read(phone: Phone, query: str = "") -> str:
    return html.unescape(phone.get(f"/correct?seat=keeper{query}").text)


def difference(text: str) -> dict[str, str]:
    rows = re.findall(r'<th scope="row">(\w+)</th><td>(\d+)</td><td>(.*?)</td>', text)
    return {name: f"{now} {re.sub('<.*?>', '', then)}" for name, now, then in rows}


def facts(text: str) -> dict[str, str]:
    return dict(re.findall(r'name="(fact\.\w+)" value="([^"]*)"', text))


def test_a_hand_is_chosen_by_what_people_remember_of_it(played: Phone) -> None:
    """It was "Which hand? 1, 2": nobody knows their hands by number."""
    titles = re.findall(r'class="btn" href="[^"]*">([^<]+)</a>', read(played))

    assert titles == ["2 · Stan won · stake 1", "1 · Thomas won · stake 2"]


def test_stake_winner_and_who_folded_are_told_and_the_difference_is_seen_first(
    played: Phone,
) -> None:
    before = [row["tally"] for row in played.board["rows"]]

    text = read(played, "&hand=1&winner=2&stake=3&p.1=1&p.4=in")

    assert before == [3, 3, 1, 1]
    assert difference(text) == {
        "Thijs": "3 2 (−1)",
        "Tame": "3 1 (−2)",
        "Thomas": "1 4 (+3)",
        "Stan": "1 3 (+2)",
    }
    assert [row["tally"] for row in played.board["rows"]] == before


def test_what_was_seen_is_what_counts_and_undo_takes_it_back(played: Phone) -> None:
    text = read(played, "&hand=1&winner=2&stake=3&p.1=1&p.4=in")
    asked = {"action": "amend", **facts(text)}

    status = played.client.post("/act?seat=keeper", data=asked).status_code
    after = [row["tally"] for row in played.board["rows"]]
    played.do(None, "undo")

    assert status == 303
    assert after == [2, 1, 4, 3]
    assert [row["tally"] for row in played.board["rows"]] == [3, 3, 1, 1]


def test_a_hand_as_it_stands_changes_nothing_and_cannot_be_sent(played: Phone) -> None:
    text = read(played, "&hand=1")

    assert difference(text) == {"Thijs": "3 3", "Tame": "3 3", "Thomas": "1 1", "Stan": "1 1"}
    assert "That is how it stands there." in text
    assert "fact.folded" not in text


def test_only_the_keeper_writes_a_correction_down(played: Phone, locked_app: Flask) -> None:
    text = Phone(locked_app.test_client()).get("/correct?seat=1&hand=1&stake=3").text

    assert "Only the slate keeper" in text
    assert "fact.folded" not in text
    assert PIN not in text


@pytest.mark.parametrize("query", ["", "&hand=1"])
def test_who_may_not_write_one_down_reads_so_before_anything_is_told(
    played: Phone, locked_app: Flask, query: str
) -> None:
    text = Phone(locked_app.test_client()).get(f"/correct?seat=1{query}").text

    assert text.count("Only the slate keeper") == 1
    assert "Only the slate keeper" not in read(played, query)


@pytest.mark.parametrize(
    "query", ["&hand=9", "&hand=1&winner=8", "&hand=1&stake=0", "&hand=1&stake=999&p.1=999"]
)
def test_an_address_that_says_what_cannot_be_is_a_page_all_the_same(
    played: Phone, query: str
) -> None:
    assert played.get(f"/correct?seat=keeper{query}").status_code == 200


@pytest.mark.parametrize("query", ["&hand=x", "&hand=1&p.1=-1", "&hand=1&stake=1e3"])
def test_what_is_no_number_is_refused(played: Phone, query: str) -> None:
    assert played.get(f"/correct?seat=keeper{query}").status_code == 400


def test_a_hand_of_which_nobody_is_left_is_not_asked_about(
    played: Phone, table: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    board = table.scoreboard()
    left = Hand(1, None, "how.everyone-lost", {}, stake=2)
    left_behind = replace(board, hands=(left, board.hands[1]))
    monkeypatch.setattr(Session, "scoreboard", lambda _: left_behind)

    assert "2 · Stan won · stake 1" in read(played)
    assert "nobody won" not in read(played)
    assert played.get("/correct?seat=keeper&hand=1").status_code == 200


def test_the_link_stands_there_only_while_something_can_be_corrected(phone: Phone) -> None:
    fresh = phone.get("/?seat=1").text
    phone.do(1, "deal")
    running = phone.get("/?seat=1").text
    phone.do(3, "trick", n=4)

    assert ["/correct" in one for one in (fresh, running)] == [False, False]
    assert "/correct" in phone.get("/?seat=1").text


def test_while_a_hand_runs_or_none_was_played_the_page_says_so(phone: Phone) -> None:
    before = read(phone)
    phone.do(1, "deal")

    assert "Nothing to correct" in before
    assert "Nothing to correct" in read(phone)


def test_the_page_is_below_the_slate_of_toepen_alone(phone: Phone) -> None:
    phone.do(1, "deal")
    phone.do(3, "trick", n=4)
    slate = phone.get("/?seat=keeper").text
    phone.do(None, "wipe")
    phone.do(None, "options", game="watten")

    assert 'href="/correct?seat=keeper"' in slate
    assert 'href="/correct' not in phone.get("/?seat=keeper").text
    assert phone.get("/correct").status_code == 404
