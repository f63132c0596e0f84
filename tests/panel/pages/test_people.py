"""People and their numbers on a phone; and what the keeper of the slate does for them."""

import pytest
from flask import Flask

from kloplei.table.history_client import PersonLine, PersonNumbers, Told
from kloplei.table.session import Session
from kloplei_panel.pages.people import standings_of
from tests.panel.conftest import Phone
from tests.panel.past import FOUR, Known, Past


@pytest.fixture
def phone(app: Flask) -> Phone:
    return Phone(app.test_client(), "nl")


@pytest.fixture
def past(table: Session) -> Past:
    table.history = past = Past()
    return past


@pytest.fixture
def known(table: Session, past: Past) -> Known:
    table.people = known = Known()
    return known


def post(phone: Phone, path: str, **fields: str) -> tuple[int, str]:
    headers = {**phone.headers, "Accept": "text/html"}
    answer = phone.client.post(path, data=fields, headers=headers, follow_redirects=True)
    return answer.status_code, answer.text


@pytest.mark.parametrize(
    ("path", "fields", "done"),
    [
        ("/people/1/rename", {"name": " Tijs "}, ("rename", 1, "Tijs")),
        ("/people/1/merge", {"into": "4"}, ("merge", 1, 4)),
        ("/people/1/hide", {"hidden": "1"}, ("hide", 1, True)),
        ("/people/1/hide", {"hidden": "0"}, ("hide", 1, False)),
        ("/people/adopt", {"name": "Bram"}, ("adopt", "Bram")),
    ],
)
def test_the_keeper_sees_to_people(
    phone: Phone, known: Known, path: str, fields: dict[str, str], done: tuple[object, ...]
) -> None:
    status, _ = post(phone, path, **fields)

    assert status == 200
    assert known.done == [done]


@pytest.mark.parametrize(
    ("path", "fields"),
    [("/people/2/rename", {"name": "Thijs"}), ("/people/adopt", {"name": "Niemand"})],
)
def test_what_cannot_be_is_said_on_the_same_page(
    phone: Phone, known: Known, path: str, fields: dict[str, str]
) -> None:
    status, page = post(phone, path, **fields)

    assert status == 409
    assert 'role="alert"' in page
    assert "reason." not in page
    assert known.done == []


def test_who_is_forgotten_is_told_with_what_came_of_it(phone: Phone, known: Known) -> None:
    assert 'action="/people/1/forget"' in phone.get("/people/1").text

    status, page = post(phone, "/people/1/forget")

    assert status == 200
    assert known.done == [("forget", 1)]
    assert "herschreven: 3; bewaarde kopieën weggegooid: 1" in page


@pytest.mark.parametrize("fields", [{}, {"into": "x"}, {"into": "1e3"}, {"into": "9" * 40}])
def test_a_form_that_makes_no_sense_does_nothing(
    phone: Phone, known: Known, fields: dict[str, str]
) -> None:
    assert post(phone, "/people/1/merge", **fields)[0] == 400
    assert known.done == []


def test_who_has_not_played_yet_is_shown_to_the_keeper(phone: Phone, known: Known) -> None:
    page = phone.get("/people").text

    assert "Nieuw" in page
    assert "verborgen" in page
    assert "Nog te weinig gespeeld" in phone.get("/people/9").text
    assert phone.get("/people/77").status_code == 404


def test_a_page_counts_all_evenings_and_not_those_that_it_lists(phone: Phone, past: Past) -> None:
    assert "120 avonden" in phone.get("/people/1").text


def test_only_the_keeper_does_that(locked_app: Flask, known: Known) -> None:
    stranger = Phone(locked_app.test_client(), "nl")

    for path in ("/people/1/rename", "/people/1/merge", "/people/1/hide", "/people/adopt"):
        assert post(stranger, path, name="Piet", into="2", hidden="1")[0] == 403
    assert known.done == []


def test_who_has_not_played_yet_was_not_here_on_an_unknown_day(
    phone: Phone, past: Past, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who had just been remembered read "0 evenings, last date unknown"."""
    monkeypatch.setattr(past, "people", lambda: (PersonLine(FOUR[0], 0, None),))

    assert "datum onbekend" not in phone.get("/people").text


def test_no_list_is_headed_of_evenings_that_were_not_played(phone: Phone, known: Known) -> None:
    assert "<h2>Avonden</h2>" in phone.get("/people/1").text
    assert "<h2>Avonden</h2>" not in phone.get("/people/9").text


class TestNumbers:
    def test_the_largest_comes_first_and_who_has_too_few_is_only_named(
        self, phone: Phone, past: Past
    ) -> None:
        page = phone.get("/people/numbers?game=toepen").text
        section = page.partition('id="of-folds"')[2].partition("</section>")[0]

        assert section.index("60%") < section.index("40%") < section.index("20%")
        assert "zwijgt de lei over Jan-Willem van der Berg" in section

    def test_all_kinds_of_one_number_stand_together(self) -> None:
        """Those that the first player had none of stood at the very end of the page."""
        taroks, pots, ante = (
            Told(key, "tarok", 5.0, 9, 1, detail=detail)
            for key, detail in (("own-lines", "taroks"), ("pots", ""), ("own-lines", "ante"))
        )
        told = [PersonNumbers(FOUR[0], (ante, pots)), PersonNumbers(FOUR[1], (taroks, pots))]

        assert [one.anchor for one in standings_of(told)] == [
            "of-own-lines-ante",
            "of-own-lines-taroks",
            "of-pots",
        ]

    def test_seats_and_stakes_stand_in_their_order(self) -> None:
        """The seat of who is first in the alphabet came first of all."""
        at_seats = (
            PersonNumbers(one, (Told("folds-at", "toepen", 0.5, 9, 5, detail=detail),))
            for one, detail in zip(FOUR, ("armoede", "10", "2", "3"), strict=True)
        )

        anchors = [one.anchor for one in standings_of([*at_seats])]

        assert anchors == [f"of-folds-at-{at}" for at in ("2", "3", "10", "armoede")]

    def test_a_game_that_nobody_knows_is_not_there(self, phone: Phone, past: Past) -> None:
        assert phone.get("/people/numbers?game=poker").status_code == 404
        assert phone.get("/api/v1/statistics?game=poker").status_code == 400

    @pytest.mark.parametrize("since", ["x", "2026-13-01", "1e9", "-5"])
    def test_a_day_that_is_none_is_as_if_nobody_had_asked(
        self, phone: Phone, past: Past, since: str
    ) -> None:
        assert phone.get(f"/people/numbers?since={since}").status_code == 200
        assert phone.get(f"/api/v1/statistics?since={since}").status_code in (200, 400)
