"""Sitting down on a phone: who was here before, who wants to be remembered, and guests."""

from dataclasses import replace
from typing import Any

import pytest
from flask import Flask

from kloplei.games.game import Seat
from kloplei.games.scoreboard import Line
from kloplei.table.session import Session
from kloplei_panel import PanelSettings
from tests.panel.conftest import PIN, Phone, build


@pytest.fixture
def session(table: Session) -> Session:
    """Anna, Bob and <b> were here, and left; Thijs and three more guests sit."""
    for name in ("Anna", "Bob", '<b>"=1+1'):
        table.submit(Seat(5), "sit_down", facts={"name": name, "remember": True})
        table.submit(Seat(5), "stand_up")
    return table


@pytest.fixture
def client(session: Session, app: Flask) -> Phone:
    return Phone(app.test_client(), "nl")


def post(phone: Phone, path: str, **fields: object) -> tuple[int, str]:
    headers = {**phone.headers, "Accept": "text/html"}
    answer = phone.client.post(path, data=fields, headers=headers, follow_redirects=True)
    return answer.status_code, answer.text


def sitting(session: Session) -> dict[int, tuple[str, bool]]:
    rows = session.scoreboard().rows
    return {row.seat.shown: (row.name, row.person is not None) for row in rows}


def known(session: Session, name: str) -> int:
    return next(one.id for one in session.people.people() if one.name == name)


def test_who_was_here_last_comes_first_and_sits_down_by_one_press(
    client: Phone, session: Session
) -> None:
    page = client.get("/who/6?seat=6").text

    assert page.index("&lt;b&gt;") < page.index("Bob") < page.index("Anna")
    assert "<b>&#34;" not in page
    assert '<b>"' not in page

    status, _ = post(client, "/who/6?seat=6", person=known(session, "Bob"))

    assert status == 200
    assert sitting(session)[6] == ("Bob", True)


@pytest.mark.parametrize(
    ("fields", "stands"),
    [
        ({"name": "Anna", "another": "1"}, ("Anna", False)),
        ({"name": "Carla"}, ("Carla", False)),
        ({"name": "Carla", "remember": "1"}, ("Carla", True)),
        ({}, ("Plek 6", False)),
    ],
)
def test_who_types_a_name_is_who_goes_by_it_or_a_guest_unless_it_says_otherwise(
    client: Phone, session: Session, fields: dict[str, str], stands: tuple[str, bool]
) -> None:
    assert post(client, "/who/6?seat=6", **fields)[0] == 200

    assert sitting(session)[6] == stands


@pytest.mark.parametrize("name", [" anna ", "\uff21nna"])  # as some keyboards spell it
@pytest.mark.parametrize("language", ["nl", "en", "de", "da", "ja"])
def test_who_types_a_known_name_is_asked_whether_it_is_that_one(
    app: Flask, session: Session, name: str, language: str
) -> None:
    """There are two Jans: whoever typed the name was the one whom the box knew."""
    phone, anna = Phone(app.test_client(), language), known(session, "Anna")

    status, page = post(phone, "/who/6?seat=6", name=name, remember="1")

    asked = page.partition("<h1>")[2].partition("</form>")[0]
    assert (status, 6 in sitting(session)) == (200, False)
    assert f'name="person" value="{anna}"' in asked
    assert 'name="another"' in asked
    assert f'type="hidden" name="name" value="{name}"' in asked
    assert "Anna" in asked
    assert "who." not in asked
    post(phone, "/who/6?seat=6", name=name, person=anna)
    assert sitting(session)[6] == ("Anna", True)
    session.submit(Seat(5), "stand_up")
    assert post(phone, "/who/6?seat=6", name=name)[0] == 200
    assert sitting(session)[6] == ("Anna", True)  # this phone was her: nobody asks it again


def test_a_phone_that_was_somebody_is_offered_that_person_first(
    client: Phone, session: Session
) -> None:
    post(client, "/who/6?seat=6", person=known(session, "Anna"))
    session.submit(Seat(5), "stand_up")
    session.submit(Seat(5), "sit_down", facts={"person": known(session, "Bob")})
    session.submit(Seat(5), "stand_up")

    page = client.get("/who/7?seat=7").text

    assert page.index("Anna") < page.index("dat was jij") < page.index("Bob")
    other = client.get("/who/7?seat=keeper").text
    assert "dat was jij" not in other
    assert other.index("Bob") < other.index("Anna")


def test_a_phone_is_offered_whom_its_person_turned_out_to_be(
    client: Phone, session: Session
) -> None:
    post(client, "/who/6?seat=6", person=known(session, "Anna"))
    session.submit(Seat(5), "stand_up")
    session.people.merge(int(known(session, "Anna")), int(known(session, "Bob")))

    page = client.get("/who/7?seat=7").text

    assert page.index("Bob") < page.index("dat was jij")


def test_a_guest_who_sits_is_recognised_remembered_and_a_guest_again(
    client: Phone, session: Session
) -> None:
    assert "als gast" in client.get("/who/1?seat=1").text
    post(client, "/who/1?seat=1", remember="1")
    assert sitting(session)[1] == ("Thijs", True)
    assert 'name="guest"' in client.get("/who/1?seat=1").text

    post(client, "/who/1?seat=1", guest="1")
    assert sitting(session)[1] == ("Plek 1", False)

    post(client, "/who/1?seat=1", person=known(session, "Thijs"))
    assert sitting(session)[1] == ("Thijs", True)


def test_who_sat_down_by_a_knock_and_is_new_says_a_name_to_be_remembered_by(
    client: Phone, session: Session
) -> None:
    """The page of a seat without a name knew those who had been here, and nobody else."""
    post(client, "/who/1?seat=1", remember="1")
    post(client, "/who/1?seat=1", guest="1")
    assert 'name="remember"' in client.get("/who/1?seat=1").text

    assert post(client, "/who/1?seat=1", name="Wim", remember="1")[0] == 200
    assert sitting(session)[1] == ("Wim", True)

    post(client, "/who/1?seat=1", guest="1")
    post(client, "/who/1?seat=1", name="Ria")
    assert sitting(session)[1] == ("Ria", False)
    assert 'name="remember" value="1">Onthoud mij als Ria' in client.get("/who/1?seat=1").text


def test_a_phone_answers_what_the_slate_asks_who_sat_down_by_a_knock(
    client: Phone, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The slate asked *Anna again?*, and the phone of that seat had nothing to press."""
    session.submit(Seat(6), "sit_down", facts={"name": "Anna"})
    session.submit(Seat(5), "sit_down")
    board = replace(session.scoreboard(), asking=Line("ask.again", {"name": "Bob"}))
    monkeypatch.setattr(Session, "scoreboard", lambda _: board)

    for seat, is_asked in ((6, True), (7, False), (1, False)):
        thumbs = client.get(f"/?seat={seat}").text.partition('class="thumbs')[2]
        assert (f'<a class="btn main" href="/who/{seat}?' in thumbs) is is_asked


def test_what_was_typed_still_stands_there_when_it_cannot_be(client: Phone) -> None:
    status, page = post(client, "/who/6?seat=6", name="Thijs", remember="1")

    assert status == 409
    assert 'value="Thijs"' in page
    assert 'name="remember" value="1" checked' in page


def test_why_it_cannot_be_is_said_on_the_same_page(client: Phone, session: Session) -> None:
    post(client, "/who/6?seat=6", person=known(session, "Anna"))

    for fields in ({"person": known(session, "Anna")}, {"remember": "1"}, {"person": 1}):
        status, page = post(client, "/who/7?seat=7", **fields)
        assert status == 409
        assert 'role="alert"' in page
    assert post(client, "/who/7?seat=7", person="x")[0] == 400
    assert client.get("/who/99").status_code == 404


def test_two_hundred_people_are_found_by_typing_without_a_script(
    session: Session, client: Phone
) -> None:
    for n in range(200):
        session.submit(Seat(5), "sit_down", facts={"name": f"Gast {n}", "remember": True})
        session.submit(Seat(5), "stand_up")

    page = client.get("/who/6?seat=6").text

    assert page.count('class="one-person"') == 8
    assert page.count("<option") == 203
    assert "Gast 199" in page
    assert len(page) < 20_000


def test_on_a_locked_box_a_seat_says_who_it_is_and_nobody_else(session: Session) -> None:
    app = build(session, PanelSettings(locked=True, read_evening=lambda: (PIN, "code")))
    stranger, seat, keeper = (Phone(app.test_client(), "nl") for _ in range(3))
    for phone, place in ((seat, "6"), (keeper, "")):
        phone.client.get("/in/code")
        phone.client.post("/door/ask", data={"seat": place})

    assert (stranger.get("/who/6").status_code, "Anna" in stranger.get("/who/6").text) == (
        403,
        False,
    )
    assert seat.get("/who/1").status_code == 403
    assert post(seat, "/who/1", guest="1")[0] == 403
    assert post(seat, "/who/6?seat=6", person=known(session, "Anna"))[0] == 200
    assert post(keeper, "/who/7", person=known(session, "Bob"))[0] == 200
    assert (sitting(session)[6], sitting(session)[7]) == (("Anna", True), ("Bob", True))


def test_the_slate_leads_there(client: Phone, session: Session) -> None:
    told: Any = client.get("/?seat=6").text

    assert 'href="/who/6?seat=6"' in told
    assert 'href="/who/1?seat=1"' in client.get("/?seat=1").text
