"""What did you hear? The page for people, with and without JavaScript, and the API beside it."""

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from flask import Flask

from kloplei.ears import Ears, Review, Shelf, Weighing
from kloplei.knock.calibration import Calibration
from kloplei.knock.verdict import Judgement, Verdict
from kloplei.rules.game import Seat
from kloplei.table.session import Session
from kloplei.words.catalogue import LANGUAGES
from kloplei_panel import PanelSettings
from kloplei_panel.api.openapi import describe
from tests.ears.blows import Paper, blow, rejudge
from tests.panel.conftest import PIN, Phone, build
from tests.panel.test_openapi import assert_fits

EVENTS = "/api/v1/ears/events"


@pytest.fixture
def paper() -> Paper:
    return Paper()


@pytest.fixture
def ears(table: Session, paper: Paper) -> Ears:
    review = Review(Shelf(Calibration(), paper.save), Weighing(rejudge, breath_s=0, patience_s=10))
    ears = Ears(table, seats=8, review=review, keep=10)
    table.fit_ears(ears)
    return ears


@pytest.fixture
def heard(ears: Ears) -> Ears:
    """A knock of Tame's, a doubtful one, and a glass."""
    ears.judged(blow(Verdict.KNOCK, seat=Seat(1)))
    ears.judged(blow(Verdict.DOUBTFUL, likelihood=0.4))
    ears.judged(blow(Verdict.NOISE))
    return ears


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return describe(with_demo=False)


def event(page: str, number: int) -> str:
    """Return what the page shows of event *number*."""
    found = re.search(rf'<li id="event-{number}".*?</li>', page, re.DOTALL)
    assert found is not None, page
    return found[0]


def post(phone: Phone, path: str, **fields: str) -> tuple[int, str]:
    response = phone.client.post(f"/ears/{path}", data=fields, headers=phone.headers)
    return response.status_code, response.text


@contextmanager
def long_thought() -> Iterator[Weighing]:
    """Yield a weighing that comes to no answer before the end."""
    over = threading.Event()

    def rejudge(judged: Judgement, _: Calibration) -> Judgement:
        over.wait()
        return judged

    weighing = Weighing(rejudge, breath_s=0, patience_s=0)
    try:
        yield weighing
    finally:
        over.set()
        weighing.close()


def suggested(phone: Phone) -> str:
    """Mark the doubtful one as noise; return the id of what follows."""
    phone.client.post(f"{EVENTS}/2/mark", json={"was": "noise"})
    answer = phone.get("/api/v1/ears/suggestion").get_json()["suggestion"]
    return str(answer["id"])


class TestThePage:
    """What people see, and press without JavaScript."""

    def test_a_table_without_ears_says_that_nothing_is_kept(self, phone: Phone) -> None:
        assert "switched off" in phone.get("/ears").text

    def test_before_the_first_blow_it_invites_one(self, ears: Ears, phone: Phone) -> None:
        assert "Nothing heard yet" in phone.get("/ears").text

    def test_each_event_is_told_in_words_with_an_icon_and_a_drawing(
        self, heard: Ears, phone: Phone
    ) -> None:
        page = phone.get("/ears").text

        knock, doubtful, noise = (event(page, number) for number in (1, 2, 3))
        assert "#knock" in knock
        assert "</svg> knock</strong>" in knock
        assert "Tame" in knock
        assert "sure" in knock
        assert "maybe a knock" in doubtful
        assert "cannot tell who" in doubtful
        assert "no knock" in noise
        assert "cannot tell who" not in noise
        assert all("<polygon" in one for one in (knock, doubtful, noise))
        assert page.index('id="event-3"') < page.index('id="event-1"')

    def test_what_is_kept_of_people_stands_on_the_page(self, heard: Ears, phone: Phone) -> None:
        assert "nobody&#39;s business" in phone.get("/ears").text

    def test_where_only_edges_are_known_it_says_why_there_is_no_drawing(
        self, ears: Ears, phone: Phone
    ) -> None:
        ears.judged(blow(edges_only=True))

        page = phone.get("/ears").text

        assert "no picture" in event(page, 1)
        assert "<polygon" not in page
        assert "not how it sounded" in page

    def test_one_tap_marks_an_event_as_wrong(self, heard: Ears, phone: Phone) -> None:
        status, _ = post(phone, "mark", number="1", was="noise")

        assert status == 303
        assert "You said: no knock" in event(phone.get("/ears").text, 1)

    def test_a_tap_says_whose_knock_it_was(self, heard: Ears, phone: Phone) -> None:
        post(phone, "mark", number="1", was="knock", seat="3")

        assert "You said: a knock of Thomas" in event(phone.get("/ears").text, 1)

    def test_a_mark_is_taken_back(self, heard: Ears, phone: Phone) -> None:
        post(phone, "mark", number="1", was="noise")

        post(phone, "mark", number="1", was="")

        assert "You said" not in phone.get("/ears").text

    def test_an_event_that_has_just_been_forgotten_is_told_as_that(
        self, heard: Ears, phone: Phone
    ) -> None:
        status, page = post(phone, "mark", number="99", was="noise")

        assert status == 409
        assert "That blow has been forgotten already" in page

    @pytest.mark.parametrize(
        "fields",
        [
            {"number": "x", "was": "noise"},
            {"number": "1", "was": "doubtful"},
            {"number": "9" * 20, "was": "noise"},
            {"was": "noise"},
            {"number": "1", "was": "noise", "seat": "1"},
        ],
    )
    def test_what_no_button_sends_is_refused(
        self, heard: Ears, phone: Phone, fields: dict[str, str]
    ) -> None:
        assert post(phone, "mark", **fields)[0] == 400

    def test_a_suggestion_is_shown_with_its_effect(self, heard: Ears, phone: Phone) -> None:
        suggested(phone)

        page = phone.get("/ears").text

        assert "Listen more strictly" in page
        assert "Of the 3 blows that are kept, 1 would come out otherwise." in page
        assert "By your answers I was right 0 out of 1; then it would be 1." in page
        assert 'href="#event-2"' in page

    def test_while_it_is_worked_out_the_page_says_so(self, table: Session, phone: Phone) -> None:
        with long_thought() as weighing:
            ears = Ears(table, seats=8, review=Review(Shelf(Calibration()), weighing))
            table.fit_ears(ears)
            ears.judged(blow())
            ears.mark(1, Verdict.NOISE)

            assert "Thinking about your answers" in phone.get("/ears").text

    def test_it_is_done_when_it_is_taken_and_undone_when_taken_back(
        self, heard: Ears, phone: Phone, paper: Paper
    ) -> None:
        assert post(phone, "take", suggestion=suggested(phone))[0] == 303
        assert "Taken over" in phone.get("/ears").text

        assert post(phone, "take-back")[0] == 303

        assert [one.strictness for one in paper.saved] == [0.5, 0.0]
        assert "Taken over" not in phone.get("/ears").text

    def test_what_was_taken_may_be_taken_back_though_more_is_suggested(
        self, heard: Ears, phone: Phone
    ) -> None:
        post(phone, "take", suggestion=suggested(phone))
        heard.judged(blow(Verdict.DOUBTFUL, likelihood=0.47))
        phone.client.post(f"{EVENTS}/4/mark", json={"was": "noise"})

        page = phone.get("/ears").text

        assert "A suggestion" in page
        assert "Taken over" in page
        assert "Take it back" in page

    def test_no_thanks_is_an_answer(self, heard: Ears, phone: Phone, paper: Paper) -> None:
        assert post(phone, "decline", suggestion=suggested(phone))[0] == 303

        assert "A suggestion" not in phone.get("/ears").text
        assert paper.saved == []

    def test_a_suggestion_of_before_is_not_taken(
        self, heard: Ears, phone: Phone, paper: Paper
    ) -> None:
        old = suggested(phone)
        post(phone, "mark", number="2", was="")

        status, page = post(phone, "take", suggestion=old)

        assert status == 409
        assert "Just too late" in page
        assert paper.saved == []

    def test_a_full_disk_is_told_and_nothing_is_taken(
        self, heard: Ears, phone: Phone, paper: Paper
    ) -> None:
        name, paper.full = suggested(phone), True

        status, page = post(phone, "take", suggestion=name)

        assert status == 503
        assert "could not be written down" in page
        assert "A suggestion" in page

    @pytest.mark.parametrize("language", LANGUAGES)
    def test_every_language_tells_it_without_gaps(
        self, heard: Ears, app: Flask, language: str
    ) -> None:
        phone = Phone(app.test_client(), language)
        suggested(phone)

        page = phone.get("/ears").text

        assert "ears." not in re.sub(r'(src|href)="[^"]*"', "", page)
        assert not re.search(r"\{\w+\}", page)

    def test_settings_lead_there(self, phone: Phone) -> None:
        assert 'href="/ears"' in phone.get("/settings").text


class TestALockedBox:
    """What the box heard is for the keeper of the slate."""

    def test_it_shows_nothing_and_takes_no_word_for_it(
        self, heard: Ears, locked_app: Flask
    ) -> None:
        phone = Phone(locked_app.test_client())

        page = phone.get("/ears", headers={"Accept": "text/html"})

        assert page.status_code == 403
        assert "event-1" not in page.text
        assert "PIN" in page.text
        for path in ("mark", "take", "decline", "take-back"):
            assert post(phone, path, number="1", was="noise", suggestion="x")[0] == 403
        for path in ("events/1/mark", "suggestions/x/take", "suggestions/x/decline", "take-back"):
            answer = phone.client.post(f"/api/v1/ears/{path}", json={"was": "noise"})
            assert answer.status_code == 403
        assert heard.heard_events()[-1].was is None

    def test_with_the_pin_it_may_be_said(self, heard: Ears, locked_app: Flask) -> None:
        phone = Phone(locked_app.test_client())
        phone.client.post("/settings/pair", data={"pin": PIN})

        assert post(phone, "mark", number="1", was="noise")[0] == 303
        assert heard.heard_events()[-1].was is Verdict.NOISE


class TestTheApi:
    """The same for programs, as the description says."""

    def test_events_are_told_as_described(
        self, heard: Ears, phone: Phone, document: dict[str, Any]
    ) -> None:
        answer = phone.get(EVENTS).get_json()

        assert_fits(document, "HeardEvents", answer)
        assert [one["verdict"] for one in answer["events"]] == ["noise", "doubtful", "knock"]
        assert answer["events"][2]["seat"] == 2
        assert answer["keeping"] == {
            "most": 10,
            "kept": 3,
            "taken": [],
            "weighing": False,
        }

    @pytest.mark.parametrize("limit", ["0", "-1", "201", "x", "1e2", "٣", "9999999999", ""])
    def test_a_limit_without_sense_is_refused(self, phone: Phone, limit: str) -> None:
        answer = phone.get(f"{EVENTS}?limit={limit}")

        assert (answer.status_code, answer.get_json()["error"]) == (400, "bad_limit")

    def test_a_mark_is_kept_and_taken_back(
        self, heard: Ears, phone: Phone, document: dict[str, Any]
    ) -> None:
        marked = phone.client.post(f"{EVENTS}/3/mark", json={"was": "knock", "seat": 4})
        assert_fits(document, "HeardEvent", marked.get_json())
        assert (marked.get_json()["was"], marked.get_json()["was_seat"]) == ("knock", 4)

        unmarked = phone.client.post(f"{EVENTS}/3/mark", json={"was": None})

        assert "was" not in unmarked.get_json()

    @pytest.mark.parametrize(
        ("number", "body", "status", "code"),
        [
            ("3", {}, 400, "bad_mark"),
            ("3", {"was": "doubtful"}, 400, "bad_mark"),
            ("3", {"was": True}, 400, "bad_mark"),
            ("3", {"was": ["knock"]}, 400, "bad_mark"),
            ("3", {"was": "knock", "seat": "4"}, 400, "unreadable"),
            ("3", {"was": "knock", "seat": True}, 400, "unreadable"),
            ("3", {"was": "knock", "seat": 9}, 404, "no_such_seat"),
            ("3", {"was": "noise", "seat": 1}, 400, "unreadable"),
            ("99", {"was": "noise"}, 409, "event_gone"),
            ("9" * 400, {"was": "noise"}, 409, "event_gone"),
            ("-1", {"was": "noise"}, 404, "not_found"),
        ],
    )
    def test_a_mark_without_sense_is_refused(
        self,
        heard: Ears,
        phone: Phone,
        document: dict[str, Any],
        number: str,
        body: dict[str, object],
        status: int,
        code: str,
    ) -> None:
        answer = phone.client.post(f"{EVENTS}/{number}/mark", json=body)

        assert (answer.status_code, answer.get_json()["error"]) == (status, code)
        assert_fits(document, "Refusal" if status == 409 else "Problem", answer.get_json())
        assert all(one.was is None for one in heard.heard_events())

    def test_a_suggestion_is_described_taken_and_taken_back(
        self, heard: Ears, phone: Phone, document: dict[str, Any]
    ) -> None:
        assert phone.get("/api/v1/ears/suggestion").get_json() == {"suggestion": None}
        name = suggested(phone)
        answer = phone.get("/api/v1/ears/suggestion").get_json()
        assert_fits(document, "MaybeSuggestion", answer)
        assert answer["suggestion"]["moves"] == [{"key": "stricter", "facts": {"amount": 0.5}}]

        taken = phone.client.post(f"/api/v1/ears/suggestions/{name}/take")
        assert_fits(document, "Kept", taken.get_json())
        assert len(taken.get_json()["keeping"]["taken"]) == 1
        back = phone.client.post("/api/v1/ears/take-back").get_json()
        again = phone.client.post("/api/v1/ears/take-back")

        assert back["keeping"]["taken"] == []
        assert (again.status_code, again.get_json()["error"]) == (409, "nothing_to_undo")

    def test_the_meter_is_told_as_described(
        self, ears: Ears, phone: Phone, document: dict[str, Any]
    ) -> None:
        ears.loudness("piezos", (0.25, 0.5), at_s=0.0)

        answer = phone.get("/api/v1/ears/meter").get_json()

        assert_fits(document, "Meter", answer)
        assert answer["parts"][0]["peaks"] == [0.25, 0.5]

    def test_a_page_elsewhere_cannot_mark(self, heard: Ears, app: Flask) -> None:
        answer = app.test_client().post(
            f"{EVENTS}/1/mark", json={"was": "noise"}, headers={"Origin": "http://evil.example"}
        )

        assert answer.status_code == 403


def test_the_forms_of_the_page_name_addresses_that_are_there(heard: Ears, phone: Phone) -> None:
    suggested(phone)
    page = phone.get("/ears").text

    for path in set(re.findall(r'action="([^"]+)"', page)):
        assert phone.client.post(path, data={}).status_code in {400, 409}, path


def test_a_locked_page_has_no_forms_but_the_way_in(heard: Ears, table: Session) -> None:
    phone = Phone(build(table, PanelSettings(locked=True, pin=PIN)).test_client())

    page = phone.get("/ears", headers={"Accept": "text/html"}).text

    assert set(re.findall(r'action="([^"]+)"', page)) == {"/settings/pair", "/door/ask"}
