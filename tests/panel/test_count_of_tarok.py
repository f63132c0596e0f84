"""Counting help on a phone: a pile of Tarok told by its good cards and its size."""

import re
from html import unescape
from typing import Any
from urllib.parse import urlencode

import pytest

from kloplei.games.game import Seat
from kloplei.table.session import Session
from kloplei.words import LANGUAGES
from kloplei_panel import PanelSettings
from kloplei_panel.games import game_pages
from tests.panel.conftest import PIN, Phone, build
from tests.panel.tarok_table import tarok_at


def phone_at(table: Session, language: str = "en", **settings: Any) -> Phone:
    return Phone(build(table, PanelSettings(**settings)).test_client(), language)


def count(table: Session, /, language: str = "en", **told: object) -> str:
    return unescape(phone_at(table, language).get(f"/count?{urlencode(told)}").text)


def points(text: str) -> str:
    return "".join(re.findall(r"<output>(\d+)</output>", text))


def sum_of(text: str) -> str:
    return re.sub("<[^>]*>", "", text.partition('class="sum">')[2].partition(" <small>")[0])


def told_last(table: Session) -> None:
    """Let the first seat win the last trick of a hand: now points may be told."""
    table.submit(None, "deal")
    table.submit(Seat(0), "last_trick")


@pytest.mark.parametrize(
    ("told", "comes_to", "added"),
    [
        ({}, "9", "27 ÷ 3 = 9"),
        (
            {"fives": 3, "queens": 1, "cavaliers": 2, "jacks": 1, "size": 27},
            "29",
            "3 × 4 + 1 × 3 + 2 × 2 + 1 × 1 + 27 ÷ 3 = 29",
        ),
        ({"fives": 7, "queens": 4, "cavaliers": 4, "jacks": 4, "size": 78}, "78", None),
        ({"fives": 1, "size": 1}, "4", "1 × 4 + 0 = 4"),
        ({"size": 26}, "9", "9 = 9"),
        ({"size": 25}, "8", "8 = 8"),
        ({"size": 0}, "0", "0 ÷ 3 = 0"),
    ],
)
def test_a_pile_is_counted_before_everybodys_eyes(
    told: dict[str, Any], comes_to: str, added: str | None
) -> None:
    with tarok_at() as table:
        text = count(table, **told)

    assert points(text) == comes_to
    assert added is None or sum_of(text) == added


@pytest.mark.parametrize(("size", "warned"), [(27, False), (26, True), (25, True), (24, False)])
def test_a_pile_that_is_not_in_threes_is_warned_of(size: int, warned: bool) -> None:
    with tarok_at() as table:
        text = count(table, size=size)

    assert ("was the exchange for the Fool forgotten?" in text) is warned


@pytest.mark.parametrize(
    ("size", "step", "after"), [(27, 3, 30), (27, -1, 26), (78, 1, 78), (1, -3, 0), (39, 3, 42)]
)
def test_the_size_moves_by_threes_and_by_ones(size: int, step: int, after: int) -> None:
    with tarok_at() as table:
        text = count(table, size=size, step=step)

    assert f'name="size" value="{after}" checked' in text
    assert text.count(" checked") == 5


def test_a_step_beyond_the_pack_cannot_be_pressed() -> None:
    with tarok_at() as table:
        disabled = {size: count(table, size=size).count(" disabled") for size in (0, 2, 27, 76, 78)}

    assert disabled == {0: 2, 2: 1, 27: 0, 76: 1, 78: 2}


def test_more_good_cards_than_cards_are_no_pile() -> None:
    with tarok_at() as table:
        told_last(table)
        text = count(table, fives=7, size=6)

    assert "A pile of 6 has not so many good cards." in text
    assert points(text) == ""
    assert 'name="fact.points"' not in text


@pytest.mark.parametrize(
    "told",
    [{"fives": 8}, {"queens": 5}, {"size": 79}, {"size": "x"}, {"jacks": "-1"}, {"step": "2"}],
)
def test_what_cannot_be_read_is_said_to_be_unreadable(told: dict[str, object]) -> None:
    with tarok_at() as table:
        response = phone_at(table).get(f"/count?{urlencode(told)}")

    assert response.status_code == 400
    assert "cannot be read" in response.text


def takers(text: str) -> list[tuple[str, str]]:
    return re.findall(r'id="take-(\d)"[^>]*>([^<]+)<', text)


def test_a_figure_is_put_down_for_whoever_may_still_be_told_one() -> None:
    with tarok_at() as table:
        before = count(table)
        told_last(table)
        phone = phone_at(table)
        pile = phone.get("/count?seat=2&fives=3&size=27").text
        asked = {"action": "points", "seat": "1", "fact.points": "21", "then": "count.page"}
        answer = phone.client.post("/act?seat=2", data=asked)
        next_pile = phone.get(answer.headers["Location"]).text

    assert "As soon as the table asks for card points" in before
    assert takers(pile) == [("1", "Thijs: 21"), ("2", "Tame: 21"), ("3", "Thomas: 21")]
    assert (answer.status_code, answer.headers["Location"]) == (303, "/count?seat=2")
    assert takers(next_pile) == [("2", "Tame: 9"), ("3", "Thomas: 9")]
    assert "Thijs counts 21." in next_pile


def test_below_put_down_for_stands_what_was_put_down_and_nothing_else() -> None:
    """It said "Put down for: Thijs takes the last trick", which read as one sentence."""
    with tarok_at() as table:
        told_last(table)
        before = count(table, seat=1)
        table.submit(Seat(0), "points", facts={"points": 20})
        after = count(table, seat=1)

    assert "takes the last trick" not in before
    assert "counts 20." in after


def test_only_a_page_of_the_game_sends_people_back_to_itself() -> None:
    with tarok_at() as table:
        client = phone_at(table).client
        answer = client.post("/act", data={"action": "deal", "then": "judge.page"})

    assert answer.headers["Location"] == "/"


def test_a_phone_that_only_looks_on_counts_but_puts_nothing_down() -> None:
    with tarok_at() as table:
        told_last(table)
        text = phone_at(table, locked=True, pin=PIN).get("/count?fives=2").text

    assert points(text) == "17"
    assert "has to join in first" in text
    assert 'action="/act' not in text


def test_it_is_a_page_of_tarok_alone(phone: Phone) -> None:
    assert phone.get("/count").status_code == 404
    assert "/count" not in phone.get("/?seat=1").text
    with tarok_at() as table:
        assert 'href="/count?seat=1"' in phone_at(table).get("/?seat=1").text

    assert [page.name for page in game_pages("tarok")] == ["count"]
    assert "count" not in [page.name for page in game_pages("toepen")]


def test_the_seat_in_the_address_stays_there() -> None:
    with tarok_at() as table:
        text = phone_at(table).get("/count?seat=keeper&size=30").text

    assert '<input type="hidden" name="seat" value="keeper">' in text
    assert 'href="/?seat=keeper"' in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_speaks_every_language(language: str) -> None:
    with tarok_at() as table:
        told_last(table)
        text = count(table, language, size=26)

    assert not re.search(r">[^<]*\b(page|pile|news)\.[a-z]", text)
