"""What may have been no knock, on the phones and over HTTP: asked of everybody, done by one yes."""

import re
from collections.abc import Iterator

import pytest
from flask import Flask

from kloplei.games.game import IllegalAction, Seat
from kloplei.knock import KnockHeard
from kloplei.table.gestures import Timings
from kloplei.table.session import Session
from kloplei.words.catalogue import LANGUAGES
from kloplei_panel import PanelSettings
from kloplei_panel.api.openapi import describe
from tests.panel.api.test_openapi import assert_fits
from tests.panel.conftest import NAMES, Phone, build
from tests.table.memory_journal import MemoryJournal

TIMINGS = Timings()


class Evening:
    """Four people at a dealt hand, and the clock of their table; seats are counted from 1."""

    def __init__(self) -> None:
        self.now_s = 100.0
        self.table = Session(MemoryJournal(), clock=lambda: self.now_s)

    def deal(self) -> None:
        for seat, name in enumerate(NAMES):
            self.table.submit(Seat(seat), "sit_down", facts={"name": name})
        self.table.submit(Seat(0), "start")
        self.table.submit(Seat(0), "deal")

    def hear(self, seat: int | None, times: int = 1, *, doubtful: bool = False) -> None:
        """Let *seat* knock, and let its pattern end."""
        place = None if seat is None else Seat(seat - 1)
        for _ in range(times):
            self.blow(place, self.now_s, doubtful=doubtful)
            self.now_s += 0.2
        self.wait(TIMINGS.gap_s)

    def blow(self, place: Seat | None, at_s: float, *, doubtful: bool = False) -> None:
        self.table.put(KnockHeard(place, 0.5, at_s, doubtful))

    def wait(self, seconds: float) -> None:
        self.now_s += seconds
        # The table looks at its clock before it answers, and refuses a question so old.
        with pytest.raises(IllegalAction):
            self.table.submit(None, "undo", seen=-1)


@pytest.fixture
def evening() -> Iterator[Evening]:
    evening = Evening()
    with evening.table:
        evening.deal()
        yield evening


@pytest.fixture
def app(evening: Evening) -> Flask:
    return build(evening.table, PanelSettings(clock=lambda: evening.now_s))


def offered(phone: Phone) -> dict[str, object]:
    return {one["action"]: one.get("choices") for one in phone.board["actions"]}


def amber(page: str) -> str:
    """Return what the amber line of *page* says, "" without one."""
    line = re.search(r'<div class="doubt".*?</p>', page, re.DOTALL)
    return "" if line is None else " ".join(re.sub(r"<[^>]*>", " ", line[0]).split())


def buttons(page: str) -> list[str]:
    return re.findall(r'id="do-((?:accept|dismiss)_knock[\w-]*)"', page)


# Over HTTP


def test_the_scoreboard_says_what_is_in_doubt_and_how_long(phone: Phone, evening: Evening) -> None:
    evening.hear(3, doubtful=True)
    evening.wait(1.5)

    assert phone.board["doubt"] == {
        "seat": 3,
        "knocks": 1,
        "sure": 0,
        "left_s": pytest.approx(3.5),
        "total_s": TIMINGS.doubt_s,
        "number": 1,
        "action": "knock",
    }
    assert_fits(describe(with_demo=False), "Scoreboard", phone.board)


def test_who_made_it_is_absent_where_one_sensor_serves_all(phone: Phone, evening: Evening) -> None:
    evening.hear(None, 2, doubtful=True)

    assert {"seat", "action"}.isdisjoint(phone.board["doubt"])
    assert phone.board["doubt"]["knocks"] == 2
    assert_fits(describe(with_demo=False), "Scoreboard", phone.board)


def test_both_answers_are_offered_to_everybody_while_it_stands(
    phone: Phone, evening: Evening
) -> None:
    before = offered(phone)
    evening.hear(3, doubtful=True)

    anybody = {"doubt": [1], "seat": [1, 2, 3, 4]}
    asked = {"accept_knock": anybody, "dismiss_knock": anybody}
    assert offered(phone) == {**before, **asked}


@pytest.mark.parametrize("by", [1, 3, None])
def test_anybodys_yes_makes_it_the_knock_of_who_knocked(
    phone: Phone, evening: Evening, by: int | None
) -> None:
    evening.hear(3, doubtful=True)

    phone.do(by, "accept_knock", doubt=1)

    entry = phone.get("/api/v1/log?limit=1").get_json()["entries"][0]
    assert (entry["seat"], entry["line"]["key"], entry["via"]) == (3, "knocked", "pad")
    assert phone.board["stake"] == 2
    assert "doubt" not in phone.board


@pytest.mark.parametrize("by", [2, None])
def test_a_no_leaves_no_trace(phone: Phone, evening: Evening, by: int | None) -> None:
    before = phone.board
    evening.hear(3, doubtful=True)

    phone.do(by, "dismiss_knock", doubt=1)

    assert phone.board == before


def test_without_a_word_it_leaves_no_trace_either(phone: Phone, evening: Evening) -> None:
    before = phone.board
    evening.hear(3, doubtful=True)

    evening.wait(TIMINGS.doubt_s)

    assert phone.board == before


@pytest.mark.parametrize("answer", ["accept_knock", "dismiss_knock"])
def test_a_late_answer_is_refused_in_a_sentence(app: Flask, evening: Evening, answer: str) -> None:
    evening.hear(3, doubtful=True)
    evening.wait(TIMINGS.doubt_s)
    before = evening.table.scoreboard()

    refused = [Phone(app.test_client(), one).ask(1, answer, doubt=1) for one in LANGUAGES]

    assert {one.status_code for one in refused} == {409}
    assert {one.get_json()["error"] for one in refused} == {"nothing_doubtful"}
    assert len({one.get_json()["message"] for one in refused}) == len(LANGUAGES)
    assert evening.table.scoreboard() == before


def test_the_answer_to_one_doubt_is_none_to_the_next(phone: Phone, evening: Evening) -> None:
    evening.hear(3, doubtful=True)
    evening.hear(2, doubtful=True)

    late = phone.ask(1, "accept_knock", doubt=1)

    assert (late.status_code, late.get_json()["error"]) == (409, "nothing_doubtful")
    assert phone.board["stake"] == 1
    assert phone.board["doubt"]["seat"] == 2


@pytest.mark.parametrize("doubt", ["1", True, 1.5, [1]])
def test_a_number_that_is_none_is_unreadable(phone: Phone, evening: Evening, doubt: object) -> None:
    evening.hear(3, doubtful=True)

    assert phone.ask(1, "accept_knock", doubt=doubt).status_code == 400
    assert phone.board["doubt"]["number"] == 1


def test_a_phone_without_the_pin_sees_it_and_may_say_nothing(evening: Evening) -> None:
    locked = build(evening.table, PanelSettings(locked=True, pin="4711"))
    phone = Phone(locked.test_client())
    evening.hear(3, doubtful=True)

    page = phone.get("/?seat=1").text

    assert "Thomas" in amber(page)
    assert buttons(page) == []
    assert phone.ask(1, "accept_knock", doubt=1).status_code == 403
    assert phone.board["stake"] == 1


# On the pages


@pytest.mark.parametrize("path", ["/", "/slate", "/?seat=1", "/?seat=keeper", "/tv", "/tv/slate"])
def test_every_screen_shows_the_amber_line(phone: Phone, evening: Evening, path: str) -> None:
    before = amber(phone.get(path).text)
    evening.hear(3, doubtful=True)

    assert before == ""
    assert amber(phone.get(path).text) == (
        "Did I hear Thomas right, “Toep!”? One knock, by anybody, says yes."
    )


@pytest.mark.parametrize(
    ("place", "found"),
    [
        ("1", ["accept_knock-1-1", "dismiss_knock-1-1"]),
        ("3", ["accept_knock-1-3", "dismiss_knock-1-3"]),
        ("keeper", ["accept_knock-1-table", "dismiss_knock-1-table"]),
        ("8", []),  # nobody sits there
        ("0", []),
    ],
)
def test_who_sits_or_keeps_the_slate_may_answer_and_who_looks_on_may_not(
    phone: Phone, evening: Evening, place: str, found: list[str]
) -> None:
    evening.hear(3, doubtful=True)

    assert buttons(phone.get(f"/?seat={place}").text) == found


def test_the_answer_lies_under_the_thumb(phone: Phone, evening: Evening) -> None:
    evening.hear(3, doubtful=True)

    thumbs = phone.get("/?seat=1").text.partition('<section class="thumbs')[2]

    assert thumbs.index("do-accept_knock") < thumbs.index("do-knock")


def test_a_line_that_comes_is_read_aloud_and_its_seconds_are_not(
    phone: Phone, evening: Evening
) -> None:
    """The box that is listened to has to stand there before anything comes into it."""
    listened_to = '<div class="doubts" aria-live="polite"'
    before = phone.get("/").text
    evening.hear(3, doubtful=True)

    page = phone.get("/").text

    assert listened_to in before
    assert listened_to in page
    assert re.search(r'<div aria-hidden="true"><progress id="doubt-left-1"', page)


def test_the_time_left_is_that_of_the_moment(phone: Phone, evening: Evening) -> None:
    evening.hear(3, doubtful=True)
    evening.wait(1.25)

    assert 'max="5.0" value="3.75" data-left="3.75"' in phone.get("/").text


@pytest.mark.parametrize(
    ("seat", "times", "said"),
    [
        (None, 1, "Was that really 1 knock?"),
        (None, 2, "Was that really 2 knocks?"),
        (2, 2, "Did I hear Tame right, “I took the last trick”?"),
    ],
)
def test_it_says_what_was_heard(
    phone: Phone, evening: Evening, seat: int | None, times: int, said: str
) -> None:
    evening.hear(seat, times, doubtful=True)

    assert amber(phone.get("/").text).startswith(said)


def test_at_a_free_seat_it_says_which_and_who_sits_there_may_answer() -> None:
    evening = Evening()
    with evening.table:
        phone = Phone(build(evening.table, PanelSettings()).test_client())
        evening.hear(6, doubtful=True)
        page = phone.get("/?seat=6").text
        phone.do(6, "accept_knock", doubt=1)

    assert amber(page).startswith("Did I hear Seat 6 right, “Sit down”?")
    assert buttons(page) == ["accept_knock-1-6", "dismiss_knock-1-6"]
    assert [row.seat.shown for row in evening.table.scoreboard().rows] == [6]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_asks_in_its_own_words(app: Flask, evening: Evening, language: str) -> None:
    phone = Phone(app.test_client(), language)
    evening.hear(3, doubtful=True)
    seated = amber(phone.get("/").text)
    evening.hear(None, 2, doubtful=True)
    nobodys = amber(phone.get("/").text)

    assert "Thomas" in seated
    assert "2" in nobodys
    assert re.findall(r"[a-z]+\.[a-z]+", seated + nobodys) == []


def test_without_scripts_a_form_accepts_it(phone: Phone, evening: Evening) -> None:
    evening.hear(3, doubtful=True)

    phone.client.post(
        "/act?seat=1", data={"seat": "1", "action": "accept_knock", "fact.doubt": "1"}
    )

    assert phone.board["stake"] == 2


def test_a_doubtful_knock_is_echoed_hollow(phone: Phone, evening: Evening) -> None:
    evening.blow(Seat(1), evening.now_s)
    evening.wait(0.0)
    sure = phone.get("/").text
    evening.blow(Seat(1), evening.now_s + 0.1, doubtful=True)
    evening.wait(0.1)

    assert 'class="echo" aria-hidden="true"><i></i></span>' in sure
    assert 'class="echo in-doubt" aria-hidden="true"><i></i><i></i></span>' in phone.get("/").text


# Two at once, one sensor for all


def test_of_two_who_knock_at_once_the_first_counts_and_the_second_is_shown(
    phone: Phone, evening: Evening
) -> None:
    phone.do(3, "knock")
    evening.blow(Seat(3), evening.now_s)
    evening.blow(Seat(0), evening.now_s + 0.029)
    evening.wait(1.0)

    assert phone.board["to_answer"] == [1, 2]
    assert amber(phone.get("/?seat=1").text).startswith("Did I hear Thijs right, “Stay”?")
    phone.do(1, "accept_knock", doubt=1)
    assert phone.board["to_answer"] == [2]


def test_one_sensor_for_all_asks_who_it_was_and_every_phone_may_own_to_it(
    phone: Phone, evening: Evening
) -> None:
    evening.hear(None)
    player, watcher = phone.get("/?seat=2").text, phone.get("/?seat=0").text

    phone.do(2, "it_was_me")

    assert "who was it?" in watcher
    assert 'id="do-it_was_me-2"' in player
    assert "it_was_me" not in watcher
    assert phone.get("/api/v1/log?limit=1").get_json()["entries"][0]["seat"] == 2
    assert phone.board["stake"] == 2
    assert "asking" not in phone.board
