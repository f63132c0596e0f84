"""Who may see and do what, how one signs in, and what is refused."""

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from kloplei_hub.boxes import where_to_pair
from kloplei_hub.database import Connection
from kloplei_hub.settings import HubConfig
from kloplei_hub.users import UserRefused, put_user
from tests.hub.web.conftest import Open, Tables, played
from tests.until import until

SECRET = "wachtwoord"  # noqa: S105
ROLES = ("guest", "player", "referee", "landlord")
FREE = (
    "/",
    "/tables/7",
    "/evenings",
    "/seasons",
    "/login",
    "/offline",
    "/manifest.json",
    "/worker.js",
    "/api/v1/wall",
    "/api/v1/tables/7",
    "/api/v1/standings",
    "/wall/after/1",
)


@pytest.fixture
def pages(tables: Tables, house: Connection, open_pages: Open) -> FlaskClient:
    tables.add("b1", 7, "Stamtafel", played())
    for role in ROLES[1:]:
        put_user(house, role, SECRET, role)
    return open_pages()


def sign_in(pages: FlaskClient, name: str, password: str = SECRET, then: str = "") -> TestResponse:
    return pages.post("/login", data={"name": name, "password": password, "then": then})


@pytest.mark.parametrize("role", ROLES)
def test_each_role_sees_what_it_may(pages: FlaskClient, role: str) -> None:
    if role != "guest":
        assert sign_in(pages, role).status_code == 303
    at_least = ROLES.index(role)

    assert [one for one in FREE if pages.get(one).status_code != 200] == []
    people, bar = pages.get("/people"), pages.get("/publican")
    assert people.status_code == (200 if at_least >= 1 else 308)
    assert bar.status_code == (200 if at_least == 3 else 403 if at_least else 308)
    code = pages.post("/publican/code").status_code
    season = pages.post("/evenings/seasons", data={"name": "Winter"}).status_code
    assert (code, season) == ((200, 303) if at_least == 3 else (403, 403))
    assert ("begin-season" in pages.get("/seasons").text) == (at_least == 3)


def test_who_signs_in_goes_on_to_where_they_wanted_and_nowhere_else(pages: FlaskClient) -> None:
    asked = pages.get("/publican")

    assert asked.headers["Location"].endswith("/login?then=/publican")
    assert sign_in(pages, "landlord", then="/publican").headers["Location"] == "/publican"
    for elsewhere in ("https://elsewhere.example/", "//elsewhere.example", "/\\elsewhere"):
        assert sign_in(pages, "landlord", then=elsewhere).headers["Location"] == "/"
    assert "publican here" in pages.get("/login").text
    pages.post("/logout")
    assert pages.get("/people").status_code == 308


def test_a_wrong_password_is_told_and_tries_run_out(pages: FlaskClient) -> None:
    answers = [sign_in(pages, "landlord", "wrong").status_code for _ in range(5)]

    assert answers == [403] * 5
    assert sign_in(pages, "nobody", "wrong").status_code == 429
    assert sign_in(pages, "landlord").status_code == 429


def test_a_new_password_ends_what_was_signed_in_by_the_old(
    pages: FlaskClient, house: Connection
) -> None:
    sign_in(pages, "landlord")
    assert pages.get("/publican").status_code == 200

    put_user(house, "landlord", "something else", "landlord")

    assert pages.get("/publican").status_code == 308


def test_posts_of_other_pages_are_refused(pages: FlaskClient) -> None:
    sign_in(pages, "landlord")

    for headers in (
        {"Origin": "https://elsewhere.example"},
        {"Sec-Fetch-Site": "cross-site"},
    ):
        answer = pages.post("/publican/b1/retire", headers=headers)
        assert answer.status_code == 403
        assert "another website" in answer.text
    assert "Stamtafel" in pages.get("/").text


def test_posts_in_a_flood_have_to_wait(pages: FlaskClient) -> None:
    assert pages.post("/logout").status_code == 303

    until(lambda: pages.post("/logout").status_code == 429)


def test_every_answer_keeps_other_pages_out_and_the_cookie_to_itself(pages: FlaskClient) -> None:
    answer = sign_in(pages, "player")

    assert answer.headers["X-Frame-Options"] == "DENY"
    assert "default-src 'self'" in answer.headers["Content-Security-Policy"]
    assert "HttpOnly" in answer.headers["Set-Cookie"]
    assert "SameSite=Lax" in answer.headers["Set-Cookie"]


@pytest.mark.parametrize(
    ("name", "password", "role"),
    [("", SECRET, "player"), ("x", "short", "player"), ("x", SECRET, "guest")],
)
def test_a_user_that_cannot_be_is_refused(
    house: Connection, name: str, password: str, role: str
) -> None:
    with pytest.raises(UserRefused):
        put_user(house, name, password, role)


def test_the_publican_names_pairs_and_retires_boxes(
    pages: FlaskClient, house: Connection, tables: Tables
) -> None:
    tables.add("b2", 8)
    house.execute("INSERT INTO eras (box, era, seq, quarantined) VALUES ('b2', 'e', 41, 'twin')")
    sign_in(pages, "landlord")

    house.execute("INSERT INTO box_people VALUES ('b2', 71, 'Vlegel')")

    bar = pages.get("/publican").text
    taken = pages.post("/publican/b2/rename", data={"name": "Raam", "number": "7"})
    named = pages.post("/publican/b2/rename", data={"name": "Raam", "number": "9"})
    paired = pages.post("/publican/code", data={"name": "Nieuw", "number": "10"}).text
    house.execute("UPDATE boxes SET password = '$7$', proof = 'x'")
    gone = pages.post("/publican/b1/retire")

    assert "a memory card was copied" in bar
    assert "41 entries kept" in bar
    assert "calls Thijs otherwise: Vlegel" in bar
    assert (taken.status_code, named.status_code, gone.status_code) == (409, 303, 303)
    assert 'class="qr"' in paired
    assert house.execute("SELECT name, number FROM pairing_codes").fetchall() == [("Nieuw", 10)]
    stand = house.execute("SELECT box, number, retired, password FROM boxes ORDER BY box")
    assert stand.fetchall() == [("b1", None, True, None), ("b2", 9, False, "$7$")]


@pytest.mark.parametrize(("told", "left"), [({}, 41), ({"anew": "1"}, 0)])
def test_a_twin_is_let_go_on_from_behind_the_bar(
    pages: FlaskClient, house: Connection, told: dict[str, str], left: int
) -> None:
    house.execute("INSERT INTO eras (box, era, seq, quarantined) VALUES ('b1', 'e', 41, 'twin')")
    sign_in(pages, "landlord")
    assert "/publican/b1/release" in pages.get("/publican").text

    answer = pages.post("/publican/b1/release", data=told)

    assert answer.status_code == 303
    assert house.execute("SELECT seq, quarantined FROM eras").fetchall() == [(left, None)]
    assert "/publican/b1/release" not in pages.get("/publican").text


def test_a_code_comes_with_the_address_at_which_boxes_are_paired(pages: FlaskClient) -> None:
    sign_in(pages, "landlord")

    plain = pages.post("/publican/code", base_url="http://localhost:8090").text
    by_nginx = pages.post("/publican/code", base_url="https://localhost").text

    assert "http://localhost:8091." in plain  # the pages themselves take no box
    assert where_to_pair(HubConfig(), "http://[fe80::1]:8090") == "http://[fe80::1]:8091"
    assert "https://localhost." in by_nginx


def test_a_code_for_one_table_is_for_its_box_alone(pages: FlaskClient, house: Connection) -> None:
    sign_in(pages, "landlord")

    told = pages.post("/publican/b1/code").text

    assert "New code for Stamtafel" in told
    assert house.execute("SELECT box FROM pairing_codes").fetchall() == [("b1",)]
    assert pages.post("/publican/none/code").status_code == 303
    assert house.execute("SELECT box FROM pairing_codes").fetchall() == [("b1",)]


def test_a_language_is_remembered_and_leads_back_to_the_page(pages: FlaskClient) -> None:
    answer = pages.get("/speak/da", headers={"Referer": "http://localhost/tables/7"})

    assert answer.headers["Location"] == "/tables/7"
    assert "Alle borde" in pages.get("/").text
    elsewhere = pages.get("/speak/nl", headers={"Referer": "http://elsewhere.example/x"})
    assert elsewhere.headers["Location"] == "/"
    assert pages.get("/speak/xx").status_code == 404
    sly = pages.get("/speak/nl", headers={"Referer": "http://localhost//elsewhere.example/x"})
    assert sly.headers["Location"] == "/"


def test_what_no_database_keeps_is_refused(pages: FlaskClient) -> None:
    assert pages.post("/login", data={"name": "a\0", "password": SECRET}).status_code == 400
    assert sign_in(pages, "landlord").status_code == 303
    assert pages.post("/publican/code", data={"name": "\0"}).status_code == 400
    assert pages.post("/publican/%00/retire").status_code == 400
