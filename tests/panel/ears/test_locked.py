"""What the box heard is for the keeper of the slate."""

import re

from flask import Flask

from kloplei.knock.judgement import Verdict
from kloplei.review.service import ReviewService
from kloplei.table.session import Session
from kloplei_panel import PanelSettings
from tests.panel.conftest import PIN, Phone, build
from tests.panel.ears.asks import post


class TestALockedBox:
    """What the box heard is for the keeper of the slate."""

    def test_it_shows_nothing_and_takes_no_word_for_it(
        self, heard: ReviewService, locked_app: Flask
    ) -> None:
        phone = Phone(locked_app.test_client())

        page = phone.get("/ears", headers={"Accept": "text/html"})

        assert page.status_code == 403
        assert "event-1" not in page.text
        assert "PIN" in page.text
        for path in ("mark", "take", "decline", "take-back", "forget", "forget-all"):
            assert post(phone, path, number="1", was="noise", suggestion="x")[0] == 403
        for path in ("events/1/mark", "suggestions/x/take", "take-back", "lessons/1/forget"):
            answer = phone.client.post(f"/api/v1/ears/{path}", json={"was": "noise"})
            assert answer.status_code == 403
        assert phone.client.post("/api/v1/ears/lessons/forget", json={}).status_code == 403
        assert phone.client.get("/api/v1/ears/lessons").status_code == 403
        assert heard.heard_events()[-1].was is None

    def test_with_the_pin_it_may_be_said(self, heard: ReviewService, locked_app: Flask) -> None:
        phone = Phone(locked_app.test_client())
        phone.client.post("/settings/pair", data={"pin": PIN})

        assert post(phone, "mark", number="1", was="noise")[0] == 303
        assert heard.heard_events()[-1].was is Verdict.NOISE


def test_a_locked_page_has_no_forms_but_the_way_in(heard: ReviewService, table: Session) -> None:
    phone = Phone(build(table, PanelSettings(locked=True, pin=PIN)).test_client())

    page = phone.get("/ears", headers={"Accept": "text/html"}).text

    assert set(re.findall(r'action="([^"]+)"', page)) == {"/settings/pair", "/door/ask"}
