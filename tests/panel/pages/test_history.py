"""What stays of the evenings on a phone: lists, one evening, a season, people and numbers."""

import re
from dataclasses import replace

import pytest
from flask import Flask

from kloplei.table.client import TableUnavailable
from kloplei.table.history_client import Evening, HistoryStand, Rule, Settlement
from kloplei.table.schema import dump
from kloplei.table.session import Session
from kloplei.words import Sentence, Words
from kloplei.words.dates import time_of
from kloplei_panel import PanelSettings, answers
from kloplei_panel.pages.history import counted_in, number_told
from tests.history.made import Night
from tests.panel.conftest import PIN, Phone, build
from tests.panel.past import AT, Past, toepen

PEOPLE = ("/people", "/people/1", "/people/numbers", "/api/v1/people", "/api/v1/people/1")


@pytest.fixture
def phone(app: Flask) -> Phone:
    return Phone(app.test_client(), "nl")


@pytest.fixture
def past(table: Session) -> Past:
    table.history = past = Past()
    return past


def post(phone: Phone, path: str, **fields: str) -> tuple[int, str]:
    headers = {**phone.headers, "Accept": "text/html"}
    answer = phone.client.post(path, data=fields, headers=headers, follow_redirects=True)
    return answer.status_code, answer.text


def test_evenings_are_reached_from_the_slate_and_from_the_settings(
    phone: Phone, past: Past
) -> None:
    assert 'href="/evenings"' in phone.get("/settings").text
    assert 'href="/evenings"' in phone.get("/").text


def test_the_same_numbers_are_spelled_once(
    phone: Phone, past: Past, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, spelled = past.statistics(), iter("one")
    monkeypatch.setattr(Past, "statistics", lambda *_: found)
    monkeypatch.setattr(answers, "dump", lambda told, form: next(spelled) and dump(told))

    told = [phone.get("/api/v1/statistics") for _ in range(3)]

    assert "".join(spelled) == "ne"
    assert told[0].json["people"]  # type: ignore[index]
    assert told[0].data == told[2].data
    assert told[0].headers["Cache-Control"] == told[2].headers["Cache-Control"] == "no-store"


def test_an_evening_in_the_list_says_when_it_began(phone: Phone, past: Past) -> None:
    """Two of one day, by the same players, looked alike."""
    first = past.told[1]
    past.told[2] = replace(first, line=replace(first.line, number=2, at=AT + 20_000.0))

    text = phone.get("/evenings").text

    assert f"{time_of(AT)} · " in text
    assert f"{time_of(AT + 20_000.0)} · " in text


def test_who_follows_an_evening_is_told_what_is_new_alone(phone: Phone, past: Past) -> None:
    told = past.told[1]
    past.told[1] = replace(told, line=replace(told.line, runs=True))
    page = phone.get("/evenings/1")
    following = {"If-None-Match": page.headers["ETag"]}

    assert f"data-tag={page.headers['ETag']}" in page.text
    assert phone.get("/evenings/1", headers=following).status_code == 304

    past.told[1] = replace(past.told[1], corrections=2)

    anew = phone.get("/evenings/1", headers=following)
    assert anew.status_code == 200
    assert anew.headers["ETag"] != page.headers["ETag"]
    past.told[1] = told
    assert "data-follows" not in phone.get("/evenings/1").text


def test_a_box_without_evenings_says_when_the_first_one_comes(phone: Phone, past: Past) -> None:
    past.told.clear()

    assert "Na de eerste uitgespeelde ronde" in phone.get("/evenings").text
    assert "Nog niets om op te tellen" in phone.get("/evenings/seasons").text
    assert phone.get("/evenings/last").status_code == 404


@pytest.mark.parametrize(
    ("language", "told", "share"),
    [
        ("nl", "1,4 s", "62%"),
        ("en", "1.4 s", "62%"),
        ("de", "1,4 s", "62\u00a0%"),
        ("da", "1,4 s", "62\u00a0%"),
        ("ja", "1.4秒", "62%"),
    ],
)
def test_a_number_is_written_as_people_do(language: str, told: str, share: str) -> None:
    words = Words(language)

    assert number_told(1.44, "s", words) == told
    assert number_told(0.625, "share", words) == share
    assert [number_told(one, "lives", words) for one in (3.0, -2.0)] == ["3", "−2"]


@pytest.mark.parametrize(
    ("value", "unit", "told"),
    [
        (1.0, "lives", "leven"),
        (-1.0, "chips", "fiche"),
        (3.0, "hands", "rondes"),
        (1.2, "points", "punten"),
        (0.5, "share", ""),
    ],
)
def test_what_is_counted_agrees_with_the_number(value: float, unit: str, told: str) -> None:
    assert counted_in(value, unit, Words("nl")) == told


def test_what_differs_by_little_is_told_with_two_digits() -> None:
    """All four players had 0.1 knocks a hand, or 0.2."""
    told = [number_told(one, "", Words("en")) for one in (0.13, 0.18, 199.5)]

    assert told == ["0.13", "0.18", "199.5"]


def test_many_rubbers_are_a_race_and_each_has_a_chart_of_its_own(phone: Phone, past: Past) -> None:
    past.told[1] = toepen(hands=60)
    page = phone.get("/evenings/1").text
    rubbers = past.told[1].line.rubbers

    assert rubbers > 5
    assert "Gewonnen bomen" in page
    shown = [int(one) for one in re.findall(r"<figcaption>Boom (\d+)", page)]
    assert shown == sorted(shown, reverse=True)
    assert len(shown) >= rubbers
    assert f"Eerder die avond ({len(shown) - 3})" in page
    assert page.count('<tr id="hand-') == 60  # all of it stands in numbers as well


def test_a_few_rubbers_are_one_chart(phone: Phone, past: Past) -> None:
    page = phone.get("/evenings/1").text

    assert 0 < past.told[1].line.rubbers < 3
    assert page.count('class="course"') == 1
    assert "<figcaption>" not in page


def test_a_number_of_honour_says_on_a_narrow_phone_what_it_is(phone: Phone, past: Past) -> None:
    page = phone.get("/evenings/seasons").text

    told = re.findall(r'data-what="([^"]*)"', page)
    assert told[:6] == ["Punten", "Bomen", "Toepkoning", "Rondjes gegeven", "Gekregen", "Avonden"]


def test_a_history_that_is_still_told_does_not_say_that_nobody_played(
    phone: Phone, past: Past
) -> None:
    past.told.clear()
    past.how_far = HistoryStand(0, behind=320)

    for page in ("/evenings", "/evenings/seasons", "/people"):
        assert "320 regels van het dagboek" in phone.get(page).text
    assert "Nog geen avond" not in phone.get("/evenings").text
    assert "Nog niets om op te tellen" not in phone.get("/evenings/seasons").text
    assert "Kijk over een minuut nog eens" in phone.get("/evenings/1").text


def test_long_lists_of_an_evening_are_folded(phone: Phone, past: Past) -> None:
    past.told[1] = toepen(hands=100)

    page = phone.get("/evenings/1").text

    assert past.told[1].line.rubbers > 8
    assert '<details class="long" id="rubbers">' in page
    won = re.findall(r"<th scope=\"row\">[^<]*</th><td>(\d+)</td>", page)
    assert sum(map(int, won)) == past.told[1].line.rubbers  # the race in numbers


def test_chips_go_on_where_they_were_settled(phone: Phone, past: Past) -> None:
    night = Night("A", "B", "C", game="tarok").hand(how="booked", paid={1: 30, 2: -30}).rubber(1)
    night.settled.append(Settlement(2, 1, 30, "chips", rubber=1))
    past.told[1] = night.hand(how="booked", paid={1: -5, 3: 5}).evening()

    page = phone.get("/evenings/1").text

    ends = [run.split()[-1].split(",")[1] for run in re.findall(r'points="([^"]+)"', page)]
    a, b, c = (float(y) for y in ends[1::2])  # of the second part of each
    assert a < c < b  # +25, +5, -30
    assert "<figcaption>" not in page


def test_who_treated_whom_is_told_once_however_often(phone: Phone, past: Past) -> None:
    told = past.told[1]
    past.told[1] = replace(told, settled=(Settlement(1, 2, 1), Settlement(1, 2, 2)))

    assert re.findall(r"Thijs trakteerde [^<]*", phone.get("/evenings/1").text) == [
        "Thijs trakteerde &lt;b&gt;Sanne&lt;/b&gt; 3 keer"
    ]


def test_an_evening_of_watten_speaks_of_games_and_raises(phone: Phone, past: Past) -> None:
    told = past.told[1]
    line = replace(told.line, games=("watten",), rubbers=1)
    hands = tuple(replace(hand, game="watten") for hand in told.hands)
    past.told[1] = replace(told, line=line, hands=hands)
    page = phone.get("/evenings/1").text

    assert "<h2>Partijen</h2>" in page
    assert "verhoogde naar 3" in page
    assert "klopte" not in page
    assert "één partij" in phone.get("/evenings").text


@pytest.mark.parametrize(
    ("rule", "points", "best", "told"),
    [
        ("points", 1, 0, "één punt per gewonnen boom"),
        ("points", 3, 0, "3 punten per gewonnen boom"),
        ("best", 1, 1, "de beste avond van ieder telt"),
        ("best", 1, 8, "de beste 8 avonden van ieder tellen"),
        ("best", 1, 0, "alle avonden van ieder tellen"),
    ],
)
def test_a_season_says_how_it_counts(
    phone: Phone, past: Past, rule: Rule, points: int, best: int, told: str
) -> None:
    past.begin_season("Winter", AT, rule, points, best)

    assert told in phone.get("/evenings/seasons").text


def test_nobody_has_won_an_evening_that_is_still_played(phone: Phone, past: Past) -> None:
    told = past.told[1]
    past.told[1] = replace(told, line=replace(told.line, runs=True))

    page = phone.get("/evenings/1").text

    assert "Voorop: Thijs" in page
    assert "Winnaar" not in page


def test_the_list_goes_on_behind_fifty(phone: Phone, past: Past) -> None:
    past.told = {number: toepen(number, hands=1) for number in range(1, 121)}

    seen, path = [], "/evenings"
    while path:
        page = phone.get(path).text
        seen += [int(one) for one in re.findall(r'id="evening-(\d+)"', page)]
        older = re.search(r'href="(/evenings\?before=\d+)"', page)
        path = older.group(1) if older else ""

    assert seen == list(range(120, 0, -1))


def test_an_evening_tells_who_won_who_paid_and_how_it_went(phone: Phone, past: Past) -> None:
    page = phone.get("/evenings/1").text

    assert "maandag 23 november 2026" in page
    assert "Winnaar: Thijs" in page
    assert page.count('<tr id="hand-') == 14
    assert "<polyline" in page
    assert "later verbeterd" in page
    assert "het keerpunt" in page
    assert "/evenings/1/recap.png?download=" in page


@pytest.mark.parametrize("path", ["/evenings", "/evenings/1", "/people", "/people/numbers"])
def test_a_name_is_never_markup(phone: Phone, past: Past, path: str) -> None:
    page = phone.get(path).text

    assert "<b>Sanne</b>" not in page
    assert "&lt;b&gt;Sanne&lt;/b&gt;" in page


def test_a_clock_that_was_never_set_gives_no_date(phone: Phone, past: Past) -> None:
    old = toepen()
    past.told[1] = replace(old, line=replace(old.line, at=None, until=None))

    assert "datum onbekend" in phone.get("/evenings").text
    assert "datum onbekend" in phone.get("/evenings/1").text


def test_an_evening_that_cannot_be_told_says_so_and_asks_for_nothing(
    phone: Phone, past: Past
) -> None:
    line = replace(past.told[1].line, games=(), players=(), hands=0, rubbers=0)
    assert "niet te lezen" not in phone.get("/evenings/1").text
    past.told[1] = Evening(line, (), (), (), (), broken=True)

    assert "Een deel van deze avond is niet te lezen" in phone.get("/evenings/1").text
    for path in ("/evenings", "/evenings/1/recap.png", "/evenings/1/text", "/api/v1/evenings/1"):
        assert phone.get(path).status_code == 200


def test_an_evening_on_paper_has_a_day_and_no_time_of_day(phone: Phone, past: Past) -> None:
    old = toepen()
    told = f">{time_of(old.line.at)}–"
    past.told = {1: old, 2: replace(old, line=replace(old.line, number=2, imported=True))}

    assert told in phone.get("/evenings/1").text
    assert told not in phone.get("/evenings/2").text


def test_history_that_is_behind_says_so(phone: Phone, past: Past) -> None:
    past.how_far = HistoryStand(1, behind=320)
    assert "320 regels" in phone.get("/evenings").text

    for path in ("/people", "/people/1", "/people/numbers", "/evenings/seasons"):
        assert "320 regels" in phone.get(path).text

    past.how_far = HistoryStand(1, trouble=Sentence("history-unkept", error="full"))
    page = phone.get("/evenings").text
    assert "Deze lijst loopt achter. De avonden" in page
    assert page.count("Het spel gaat") == 1


def test_what_is_read_again_is_not_said_to_be_missing(phone: Phone, past: Past) -> None:
    """Forgetting somebody has all evenings read again; they "were not in the diary" meanwhile."""
    past.how_far = HistoryStand(0, behind=320)
    for path in ("/evenings/77", "/evenings/77/recap.png", "/people/77"):
        answer = phone.get(path)
        assert answer.status_code == 404
        assert "opnieuw gelezen" in answer.text
    assert "opnieuw gelezen" in phone.client.get("/api/v1/evenings/77", headers=phone.headers).text

    past.how_far = HistoryStand(1)
    assert "staat niet in het dagboek" in phone.get("/evenings/77").text


def test_a_season_is_begun_by_the_keeper_and_taken_away(phone: Phone, past: Past) -> None:
    fields = {"name": "Winter", "since": "2026-10-01", "rule": "best", "points": "2", "best": "6"}

    status, page = post(phone, "/evenings/seasons", **fields)

    assert status == 200
    assert "de beste 6 avonden" in page
    assert past.known[0].since < AT
    assert post(phone, "/evenings/seasons/end", season="1")[0] == 200
    assert past.known == []


@pytest.mark.parametrize(
    "fields",
    [{"name": ""}, {"name": "X", "since": "gisteren"}, {"name": "X", "rule": "luck"}],
)
def test_a_season_that_makes_no_sense_is_refused_with_a_sentence(
    phone: Phone, past: Past, fields: dict[str, str]
) -> None:
    status, page = post(phone, "/evenings/seasons", **fields)

    assert status == 400
    assert past.known == []
    assert "<html" in page


class TestOnALockedBox:
    @pytest.fixture
    def stranger(self, locked_app: Flask, past: Past) -> Phone:
        return Phone(locked_app.test_client(), "nl")

    def test_who_only_looks_reads_evenings(self, stranger: Phone) -> None:
        assert stranger.get("/evenings").status_code == 200
        assert stranger.get("/evenings/1").status_code == 200
        assert stranger.get("/api/v1/evenings/1").status_code == 200

    @pytest.mark.parametrize("path", [*PEOPLE, "/api/v1/statistics"])
    def test_people_are_for_phones_that_were_let_in(self, stranger: Phone, path: str) -> None:
        assert stranger.get(path).status_code == 403

        stranger.client.post("/settings/pair", data={"pin": PIN}, headers=stranger.headers)

        assert stranger.get(path).status_code == 200

    def test_unless_the_house_shows_them_to_all(self, table: Session, past: Past) -> None:
        app = build(table, PanelSettings(locked=True, pin=PIN, people="all"))

        assert Phone(app.test_client()).get("/people/1").status_code == 200

    def test_a_season_is_the_keepers(self, stranger: Phone, past: Past) -> None:
        assert post(stranger, "/evenings/seasons", name="Winter")[0] == 403
        assert past.known == []
        assert "/evenings/seasons/end" not in stranger.get("/evenings/seasons").text


def test_a_table_that_is_silent_is_said_to_be(phone: Phone, past: Past) -> None:
    def silent(*_: object, **__: object) -> None:
        raise TableUnavailable("gone")

    past.evenings = past.evening = silent  # type: ignore[method-assign, assignment]

    assert phone.get("/evenings").status_code == 503
    assert phone.get("/evenings/1").status_code == 503


class TestToShare:
    def test_the_picture_is_kept_by_its_name_and_asked_for_once(
        self, phone: Phone, past: Past
    ) -> None:
        shown = phone.get("/evenings/1/recap.png")
        again = phone.get("/evenings/1/recap.png", headers={"If-None-Match": shown.headers["ETag"]})
        kept = phone.get("/evenings/1/recap.png?download=")

        assert shown.data.startswith(b"\x89PNG")
        assert shown.mimetype == "image/png"
        assert again.status_code == 304
        assert kept.headers["Content-Disposition"] == 'attachment; filename="kloplei-1.png"'
        assert phone.get("/evenings/9/recap.png").status_code == 404

    def test_it_is_drawn_once_for_all_who_ask(
        self, phone: Phone, past: Past, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        drawn: list[Evening] = []

        def draw(evening: Evening, *_: object, **__: object) -> bytes:
            drawn.append(evening)
            return b"\x89PNG"

        monkeypatch.setattr("kloplei.history.recap.draw", draw)
        past.told[2] = toepen(2, hands=9)

        for _ in range(3):
            assert phone.get("/evenings/2/recap.png").status_code == 200
        past.told[2] = toepen(2, hands=10)
        phone.get("/evenings/2/recap.png")

        assert [one.line.hands for one in drawn] == [9, 10]

    def test_the_text_is_in_the_language_of_the_reader(self, app: Flask, past: Past) -> None:
        dutch, german = (
            Phone(app.test_client(), language).get("/evenings/1/text") for language in ("nl", "de")
        )

        assert dutch.mimetype == german.mimetype == "text/plain"
        assert "Thijs" in dutch.text
        assert dutch.text != german.text

    def test_only_the_keeper_hands_it_to_another_app(self, locked_app: Flask, past: Past) -> None:
        keeper, stranger = (Phone(locked_app.test_client(), "nl") for _ in range(2))
        keeper.client.post("/settings/pair", data={"pin": PIN}, headers=keeper.headers)

        assert "bgstatsapp.com" in keeper.get("/evenings/1").text
        assert "bgstatsapp.com" not in stranger.get("/evenings/1").text
