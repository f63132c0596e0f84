"""What did you hear? The page for people, with and without JavaScript."""

import re
from html import unescape
from pathlib import Path

import pytest
from flask import Flask

from kloplei.knock.calibration import Calibration
from kloplei.knock.judgement import Verdict
from kloplei.knock.lessons import LessonSource
from kloplei.review.calibrations import CalibrationStore
from kloplei.review.lessons import LessonBook
from kloplei.review.service import ReviewService
from kloplei.review.store import LoggedEvent
from kloplei.review.suggest import SuggestionWorker
from kloplei.table.client import LearnsNothing
from kloplei.table.expectation import NONE, OWED, Expectation
from kloplei.table.messages import BlowFate, Fate
from kloplei.table.session import Session
from kloplei.words.catalogue import LANGUAGES, Sentence, Words
from tests.panel.conftest import Phone
from tests.panel.ears.asks import EVENTS, event, long_thought, post, suggested
from tests.review.blows import Paper, blow, rejudge
from tests.until import until


class TestThePage:
    """What people see, and press without JavaScript."""

    def test_a_table_without_ears_says_that_nothing_is_kept(self, phone: Phone) -> None:
        assert "switched off" in phone.get("/ears").text

    def test_before_the_first_blow_it_invites_one(self, ears: ReviewService, phone: Phone) -> None:
        assert "Nothing heard yet" in phone.get("/ears").text

    def test_each_event_is_told_in_words_with_an_icon_and_a_drawing(
        self, heard: ReviewService, phone: Phone
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

    @pytest.mark.parametrize(
        ("expected", "told"),
        [
            (OWED, "sounded 40 % like a knock, and 27 % was enough"),
            (NONE, "sounded 40 % like a knock, and it took 73 %"),
        ],
    )
    def test_it_tells_where_the_game_had_moved_the_line(
        self, table: Session, paper: Paper, phone: Phone, expected: float, told: str
    ) -> None:
        table.ears = ears = ReviewService(
            table,
            seats=8,
            store=CalibrationStore(Calibration(), paper.save),
            worker=SuggestionWorker(rejudge),
            expects=lambda: Expectation((expected,) * 8),
        )
        ears.judged(blow(Verdict.DOUBTFUL, likelihood=0.4))
        ears.judged(blow(Verdict.DOUBTFUL, at_s=20.0, edges_only=True))

        page = phone.get("/ears").text

        assert told in event(page, 1)
        assert "%" not in event(page, 2)

    def test_what_is_kept_of_people_stands_on_the_page(
        self, heard: ReviewService, phone: Phone
    ) -> None:
        assert "nobody&#39;s business" in phone.get("/ears").text

    def test_a_blow_at_a_pad_has_no_drawing_and_tells_nothing_of_the_other_sensors(
        self, ears: ReviewService, phone: Phone
    ) -> None:
        """After some blows at its pads, a table with piezos too was said to have pads alone."""
        ears.judged(blow(edges_only=True))

        page = phone.get("/ears").text

        assert "no picture" in event(page, 1)
        assert "<polygon" not in page
        assert "not how it sounded" not in page

    def test_one_tap_marks_an_event_as_wrong(self, heard: ReviewService, phone: Phone) -> None:
        status, _ = post(phone, "mark", number="1", was="noise")

        assert status == 303
        assert "You said: no knock" in event(phone.get("/ears").text, 1)

    def test_a_tap_says_whose_knock_it_was(self, heard: ReviewService, phone: Phone) -> None:
        post(phone, "mark", number="1", was="knock", seat="3")

        assert "You said: a knock of Thomas" in event(phone.get("/ears").text, 1)

    def test_a_mark_is_taken_back(self, heard: ReviewService, phone: Phone) -> None:
        post(phone, "mark", number="1", was="noise")

        post(phone, "mark", number="1", was="")

        assert "You said" not in phone.get("/ears").text

    def test_an_event_that_has_just_been_forgotten_is_told_as_that(
        self, heard: ReviewService, phone: Phone
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
        self, heard: ReviewService, phone: Phone, fields: dict[str, str]
    ) -> None:
        assert post(phone, "mark", **fields)[0] == 400

    def test_a_suggestion_is_shown_with_its_effect(
        self, heard: ReviewService, phone: Phone
    ) -> None:
        suggested(phone)

        page = phone.get("/ears").text

        assert "Listen more strictly" in page
        assert "Of the 3 blows that are kept, 1 would come out otherwise." in page
        assert "By your answers I was right 0 out of 1; then it would be 1." in page
        assert 'href="#event-2"' in page

    def test_while_it_is_worked_out_the_page_says_so(self, table: Session, phone: Phone) -> None:
        with long_thought() as weighing:
            ears = ReviewService(
                table, seats=8, store=CalibrationStore(Calibration()), worker=weighing
            )
            table.ears = ears
            ears.judged(blow())
            ears.mark(1, Verdict.NOISE)

            assert "Thinking about your answers" in phone.get("/ears").text

    def test_it_is_done_when_it_is_taken_and_undone_when_taken_back(
        self, heard: ReviewService, phone: Phone, paper: Paper
    ) -> None:
        assert post(phone, "take", suggestion=suggested(phone))[0] == 303
        assert "Taken over" in phone.get("/ears").text

        assert post(phone, "take-back")[0] == 303

        assert [one.strictness for one in paper.saved] == [0.5, 0.0]
        assert "Taken over" not in phone.get("/ears").text

    def test_what_was_taken_may_be_taken_back_though_more_is_suggested(
        self, heard: ReviewService, phone: Phone
    ) -> None:
        post(phone, "take", suggestion=suggested(phone))
        heard.judged(blow(Verdict.DOUBTFUL, likelihood=0.47))
        phone.client.post(f"{EVENTS}/4/mark", json={"was": "noise"})

        page = phone.get("/ears").text

        assert "A suggestion" in page
        assert "Taken over" in page
        assert "Take it back" in page

    def test_no_thanks_is_an_answer(self, heard: ReviewService, phone: Phone, paper: Paper) -> None:
        assert post(phone, "decline", suggestion=suggested(phone))[0] == 303

        assert "A suggestion" not in phone.get("/ears").text
        assert paper.saved == []

    def test_a_suggestion_of_before_is_not_taken(
        self, heard: ReviewService, phone: Phone, paper: Paper
    ) -> None:
        old = suggested(phone)
        post(phone, "mark", number="2", was="")

        status, page = post(phone, "take", suggestion=old)

        assert status == 409
        assert "Just too late" in page
        assert paper.saved == []

    def test_a_full_disk_is_told_and_nothing_is_taken(
        self, heard: ReviewService, phone: Phone, paper: Paper
    ) -> None:
        name, paper.full = suggested(phone), True

        status, page = post(phone, "take", suggestion=name)

        assert status == 503
        assert "could not be written down" in page
        assert "A suggestion" in page

    @pytest.mark.parametrize("language", LANGUAGES)
    def test_every_language_tells_it_without_gaps(
        self, heard: ReviewService, app: Flask, language: str
    ) -> None:
        phone = Phone(app.test_client(), language)
        suggested(phone)
        for fate in (Fate.CONFIRMED, Fate.UNDONE):
            heard.judged(blow(Verdict.DOUBTFUL, 20.0, likelihood=0.4))
            heard.became(BlowFate(fate, (20.0,)))

        page = phone.get("/ears").text

        assert "learned." not in page
        assert "ears." not in re.sub(r'(src|href)="[^"]*"', "", page)
        assert not re.search(r"\{\w+\}", page)

    @pytest.mark.parametrize("language", LANGUAGES)
    def test_what_keeps_it_from_the_disk_is_told_in_the_language_of_the_reader(
        self, table: Session, app: Flask, tmp_path: Path, language: str
    ) -> None:
        (tmp_path / "ears.db").write_text("Shopping list: earplugs")
        store, worker = CalibrationStore(Calibration()), SuggestionWorker(rejudge)
        ears = ReviewService(
            table, seats=8, store=store, worker=worker, keep=0, path=tmp_path / "ears.db"
        )
        with ears:
            table.ears = ears
            page = unescape(Phone(app.test_client(), language).get("/ears").text)

        trouble = Sentence("ears-foreign", path=str(tmp_path / "ears.db"))
        assert Words(language).tell(trouble) in page
        assert (trouble in page) is (language == "en")

    def test_before_anything_was_learned_it_says_from_what_it_would_be(
        self, ears: ReviewService, phone: Phone
    ) -> None:
        page = phone.get("/ears").text

        assert "Nothing yet. Say of a blow what it was" in page
        assert "Forget" not in page

    def test_what_was_learned_is_told_and_each_lesson_is_one_tap_to_take_back(
        self, heard: ReviewService, phone: Phone
    ) -> None:
        post(phone, "mark", number="1", was="noise")
        post(phone, "mark", number="3", was="knock")
        until(lambda: not heard.learned_in_play().is_learning)
        before = phone.get("/ears").text

        assert post(phone, "forget", lesson="1")[0] == 303

        page = phone.get("/ears").text
        assert "Of your 1 knocks I know" in before
        assert "Of 1 blows that were no knocks I take" in before
        assert "Forget this<span" in before
        assert "no knock · said on the page" in before
        assert "no knock · said on the page" not in page
        assert 'id="lesson-2"' in page
        status, gone = post(phone, "forget", lesson="1")
        assert (status, "forgotten already" in gone) == (409, True)

    @pytest.mark.parametrize(
        ("why", "told"),
        [("keep", "keep = 0"), ("edges", "not how it sounded"), ("deaf", "no sensor")],
    )
    def test_where_nothing_is_learned_it_says_why_and_promises_nothing(
        self, table: Session, phone: Phone, why: LearnsNothing, told: str
    ) -> None:
        store = CalibrationStore(Calibration())
        table.ears = ReviewService(
            table,
            seats=8,
            store=store,
            worker=SuggestionWorker(rejudge),
            lessons=LessonBook(store, learns_nothing=why),
        )

        page = phone.get("/ears").text

        assert "I learn nothing while you play" in page
        assert told in page
        assert "Nothing yet. Say of a blow" not in page

    def test_what_was_learned_before_remembering_was_switched_off_can_be_forgotten(
        self, table: Session, phone: Phone
    ) -> None:
        """It stays in force, and was not to be seen."""
        store = CalibrationStore(Calibration())
        lessons = LessonBook(store, learns_nothing="keep")
        table.ears = ReviewService(
            table, seats=8, store=store, worker=SuggestionWorker(rejudge), keep=0, lessons=lessons
        )
        lessons.learn(LoggedEvent(1, None, blow()), False, LessonSource.MARK)

        page = phone.get("/ears").text

        assert 'id="lesson-1"' in page
        assert "I learn nothing while you play" in page
        assert post(phone, "forget", lesson="1")[0] == 303

    def test_all_that_was_learned_is_forgotten_by_one_tap(
        self, heard: ReviewService, phone: Phone
    ) -> None:
        post(phone, "mark", number="1", was="noise")

        assert post(phone, "forget-all")[0] == 303

        assert "Nothing yet" in phone.get("/ears").text

    def test_settings_lead_there(self, phone: Phone) -> None:
        assert 'href="/ears"' in phone.get("/settings").text


def test_the_forms_of_the_page_name_addresses_that_are_there(
    heard: ReviewService, phone: Phone
) -> None:
    suggested(phone)
    page = phone.get("/ears").text

    for path in set(re.findall(r'action="([^"]+)"', page)):
        assert phone.client.post(path, data={}).status_code in {303, 400, 409}, path
