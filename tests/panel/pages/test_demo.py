"""The demo's one hint at a time."""

import re
from dataclasses import replace

import pytest
from markupsafe import escape

from kloplei.games.game import Seat
from kloplei.games.scoreboard import Doubt, Grace
from kloplei.table.session import Session
from kloplei.words import LANGUAGES
from kloplei_panel import PanelSettings
from kloplei_panel.pages.demo import hint
from kloplei_panel.reader import Reader
from tests.panel.conftest import DemoOfPins, Phone, build
from tests.panel.tarok_table import tarok_at

READER = Reader("en", place=None, may_act=True)


def test_the_first_hint_is_to_deal_at_the_dealers_place(table: Session) -> None:
    found = hint(table.scoreboard(), READER)

    assert found.seat == 1
    assert "Thijs" in found.text


def test_after_a_toep_it_is_up_to_the_first_who_must_answer(table: Session, phone: Phone) -> None:
    phone.do(1, "deal")
    phone.do(3, "knock")

    found = hint(table.scoreboard(), READER)

    assert found.seat == 4
    assert "Stan" in found.text


def test_every_phase_has_a_hint_that_names_a_pad(table: Session, phone: Phone) -> None:
    phone.do(2, "chalk", lives=9)
    hints = []
    for ask in ((1, "deal"), (3, "stay"), (4, "stay"), (1, "stay"), (1, "trick"), (2, "drink")):
        hints.append(hint(table.scoreboard(), READER))
        phone.do(*ask)

    assert all(one.seat for one in hints)
    assert len({one.text for one in hints}) >= 4
    assert not any("hint." in one.text for one in hints)


def test_a_doubt_says_how_to_settle_it(table: Session) -> None:
    doubt = Doubt(Seat(0), knocks=1, sure=0, until_s=4.0, total_s=5.0, number=1, action="knock")
    board = replace(table.scoreboard(), doubt=doubt, grace=Grace(Seat(0), "trick", 2.0, 3.0))

    assert "Knock once, anywhere" in hint(board, READER).text


def test_a_running_grace_says_to_wait(table: Session) -> None:
    board = replace(table.scoreboard(), grace=Grace(Seat(0), "trick", 2.0, 3.0))

    assert "stops this" in hint(board, READER).text


def test_each_moment_of_a_hand_of_tarok_has_a_hint_of_its_own() -> None:
    hints = []
    with tarok_at() as table:

        def do(seat: int | None, action: str, **facts: object) -> None:
            hints.append(hint(table.scoreboard(), Reader("en", None, may_act=True, game="tarok")))
            table.submit(None if seat is None else Seat(seat - 1), action, facts=facts)

        do(1, "deal")
        for seat in (1, 3, 2):
            do(seat, "pass")
        do(3, "last_trick")
        do(2, "fate", what="pagat_home")
        do(1, "points", points=20)
        do(2, "points", points=30)
        do(None, "book")
        do(None, "settle")
        do(None, "new_game")

    texts = [one.text for one in hints]
    assert len(set(texts)) == len(texts) - 1  # the two who count are told the same
    assert [one.seat for one in hints[1:4]] == [1, 3, 2]
    assert not any("hint." in one or "Knock" in one for one in texts)


def test_the_slate_speaks_the_language_of_who_opens_the_table(
    demo: DemoOfPins, demo_phone: Phone
) -> None:
    demo_phone.get("/demo", headers={"Accept-Language": "da"})
    # What only draws itself again, or looks at another page, changes nothing.
    demo_phone.get("/demo/table", headers={"Accept-Language": "de"})
    demo_phone.get("/", headers={"Accept-Language": "de"})

    assert demo.spoken == "da"


@pytest.mark.parametrize("language", LANGUAGES)
def test_where_a_real_table_is_listened_to_nobody_is_sent_to_click(
    demo: DemoOfPins, demo_phone: Phone, language: str
) -> None:
    """With ``--audio`` the page asked for clicks on wood that nobody heard."""
    demo.is_real, demo.piezos = True, []
    words = {"Accept-Language": language}

    page = demo_phone.get("/demo", headers=words).text
    refused = [
        demo_phone.client.post(path, json=body, headers=words)
        for path, body in (
            ("/demo/strike", {"x": 0.5, "y": 0.5}),
            ("/demo/seats/1/knock", {}),
            ("/demo/bots", {"speed": 1}),
        )
    ]
    held = demo_phone.client.post("/demo/seats/1/hold", json={"for_s": 1})
    rested = demo_phone.client.post("/demo/bots", json={"on": False})

    say = Reader(language, place=None, may_act=True).say
    assert str(escape(say("hint.real"))) in page
    assert say("demo.keys_real") in page
    assert '<fieldset class="palette" hidden>' in page
    assert {(one.status_code, one.get_json()["message"]) for one in refused} == {
        (404, say("error.real_table"))
    }
    assert (held.status_code, rested.status_code) == (202, 202)
    assert demo.moved == [("hold", 1, 1.0)]


def test_the_show_has_the_large_screen_two_phones_and_the_glass(table: Session) -> None:
    phone = Phone(build(table, PanelSettings(), DemoOfPins()).test_client())

    page = phone.get("/demo/show")

    frames = re.findall(r'<iframe class="(\w+)" src="([^"]+)"', page.text)
    assert frames == [("screen", "/tv?theme=loud"), ("one", "/?seat=1"), ("two", "/?seat=3")]
    assert all(phone.get(src).headers["X-Frame-Options"] == "SAMEORIGIN" for _, src in frames)
    assert 'id="oled"' in page.text


def test_a_real_table_has_no_show(table: Session) -> None:
    assert Phone(build(table, PanelSettings()).test_client()).get("/demo/show").status_code == 404
