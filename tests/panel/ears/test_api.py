"""What the box heard, for programs: as the description says."""

from typing import Any

import pytest
from flask import Flask

from kloplei.review.service import ReviewService
from kloplei_panel.api.openapi import describe
from tests.panel.api.test_openapi import assert_as_far_as_described, assert_fits
from tests.panel.conftest import Phone
from tests.panel.ears.asks import EVENTS, suggested


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return describe(with_demo=False)


class TestTheApi:
    """The same for programs, as the description says."""

    def test_events_are_told_as_described(
        self, heard: ReviewService, phone: Phone, document: dict[str, Any]
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

    def test_limits_are_described_as_far_as_they_go(
        self, ears: ReviewService, phone: Phone, document: dict[str, Any]
    ) -> None:
        assert_as_far_as_described(document, phone, EVENTS, "limit")

    def test_a_mark_is_kept_and_taken_back(
        self, heard: ReviewService, phone: Phone, document: dict[str, Any]
    ) -> None:
        marked = phone.client.post(f"{EVENTS}/3/mark", json={"was": "knock", "seat": 4})
        assert_fits(document, "HeardEvent", marked.get_json())
        assert (marked.get_json()["was"], marked.get_json()["was_seat"]) == ("knock", 4)

        unmarked = phone.client.post(f"{EVENTS}/3/mark", json={"was": None})

        assert "was" not in unmarked.get_json()

    def test_lessons_are_told_as_described_and_forgotten(
        self, heard: ReviewService, phone: Phone, document: dict[str, Any]
    ) -> None:
        for number in (1, 2):
            phone.client.post(f"{EVENTS}/{number}/mark", json={"was": "noise"})

        told = phone.get("/api/v1/ears/lessons").get_json()
        left = phone.client.post("/api/v1/ears/lessons/1/forget", json={}).get_json()
        again = phone.client.post("/api/v1/ears/lessons/1/forget", json={})
        none = phone.client.post("/api/v1/ears/lessons/forget", json={}).get_json()

        assert_fits(document, "LearnedInPlay", told)
        assert [one["number"] for one in told["lessons"]] == [2, 1]
        assert [one["number"] for one in left["lessons"]] == [2]
        assert (again.status_code, again.get_json()["error"]) == (409, "lesson_gone")
        assert none["lessons"] == []

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
        heard: ReviewService,
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
        described = document["paths"][f"{EVENTS}/{{number}}/mark"]["post"]["responses"]
        assert str(status) in described
        assert all(one.was is None for one in heard.heard_events())

    def test_a_suggestion_is_described_taken_and_taken_back(
        self, heard: ReviewService, phone: Phone, document: dict[str, Any]
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
        self, ears: ReviewService, phone: Phone, document: dict[str, Any]
    ) -> None:
        ears.loudness("piezos", (0.25, 0.5), at_s=0.0)

        answer = phone.get("/api/v1/ears/meter").get_json()

        assert_fits(document, "Meter", answer)
        assert answer["parts"][0]["peaks"] == [0.25, 0.5]

    def test_a_page_elsewhere_cannot_mark(self, heard: ReviewService, app: Flask) -> None:
        answer = app.test_client().post(
            f"{EVENTS}/1/mark", json={"was": "noise"}, headers={"Origin": "http://evil.example"}
        )

        assert answer.status_code == 403


@pytest.mark.parametrize(
    "body",
    [
        b'{"was": ' + b"[" * 5000 + b"]" * 5000 + b"}",
        b'{"was": {"knock": 1}}',
        b'{"was": "knock", "seat": 1e308}',
        b'{"was": "knock", "seat": ' + b"9" * 4000 + b"}",
        b'{"was": "' + b"x" * 100_000 + b'"}',
        b"\xff\xfe",
    ],
    ids=["nested", "an object", "endless", "huge", "long", "no text"],
)
def test_a_mark_that_no_person_makes_is_refused_and_teaches_nothing(
    heard: ReviewService, phone: Phone, body: bytes
) -> None:
    answer = phone.client.post(f"{EVENTS}/1/mark", data=body, content_type="application/json")

    assert 400 <= answer.status_code < 500
    assert heard.learned_in_play().lessons == ()


def test_a_lesson_of_any_number_that_is_none_is_gone(heard: ReviewService, phone: Phone) -> None:
    for number in ("0", "9" * 15, "9" * 400):
        answer = phone.client.post(f"/api/v1/ears/lessons/{number}/forget", json={})
        assert 400 <= answer.status_code < 500, number
