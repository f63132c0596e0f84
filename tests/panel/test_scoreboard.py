"""`GET /api/v1/scoreboard`, `/log` and `/health`."""

import pytest

from kloplei.games.game import Seat
from kloplei.table.messages import PartFailed
from kloplei.table.session import Session
from tests.panel.conftest import NAMES, Phone


def test_the_scoreboard_counts_seats_as_people_do(phone: Phone) -> None:
    phone.do(1, "deal")
    phone.do(3, "knock")

    board = phone.board

    assert board["game"] == "toepen"
    assert board["phase"] == "answering"
    assert board["stake"] == 2
    assert board["dealer"] == 1
    assert board["leader"] == 2
    assert board["to_answer"] == [4, 1, 2]
    assert board["prompt"]["key"] == "stay-or-fold"
    assert board["prompt"]["facts"] == {"seat": 3, "seats": [4, 1, 2], "stake": 2, "fold": 1}
    assert [row["name"] for row in board["rows"]] == list(NAMES)
    assert {"action": "stay"} in board["rows"][3]["actions"]


def test_what_does_not_apply_is_absent(phone: Phone) -> None:
    board = phone.board

    assert "stake" not in board
    assert "leader" not in board
    assert board["pots"] == {}


def test_nothing_of_it_may_be_kept_by_a_cache(phone: Phone) -> None:
    for path in ("/api/v1/scoreboard", "/api/v1/log", "/api/v1/health", "/", "/slate", "/tv"):
        assert phone.get(path).headers["Cache-Control"] == "no-store", path


def test_the_log_tells_who_did_what_newest_first(phone: Phone) -> None:
    phone.do(1, "deal")
    phone.do(3, "knock")

    entries = phone.get("/api/v1/log?limit=2").get_json()["entries"]

    assert [(one["seat"], one["line"]["key"], one["via"]) for one in entries] == [
        (3, "knocked", "phone"),
        (1, "dealt", "phone"),
    ]
    assert "Thomas" in entries[0]["text"]


def test_the_log_says_what_was_taken_back(phone: Phone) -> None:
    phone.do(1, "deal")
    phone.do(None, "undo")

    entries = phone.get("/api/v1/log").get_json()["entries"]

    assert next(one for one in entries if one["line"]["key"] == "dealt")["undone"] is True


def test_the_log_tells_of_a_correction_also_when_it_ends_the_rubber(phone: Phone) -> None:
    phone.do(2, "chalk", lives=9)
    phone.do(1, "deal")
    for seat in (3, 4, 1):
        phone.do(seat, "fold" if seat == 4 else "stay")
    phone.do(2, "trick", n=4)

    phone.do(None, "correct", hand=1, winner=3)

    newest = phone.get("/api/v1/log?limit=1").get_json()["entries"][0]
    told = [line["key"] for line in (*newest["before"], newest["line"])]
    assert told == ["corrected", "rubber-over"]
    assert newest["text"].startswith("Hand 1 corrected: Thomas won it.")
    assert newest["text"] in phone.get("/?seat=keeper").text


@pytest.mark.parametrize("limit", ["0", "501", "-1", "ten", "1.5", "٣", ""])
def test_a_limit_that_is_none_is_refused(phone: Phone, limit: str) -> None:
    response = phone.get(f"/api/v1/log?limit={limit}")

    assert response.status_code == 400
    assert response.get_json()["error"] == "bad_limit"


def test_health_names_what_does_not_work(phone: Phone, table: Session) -> None:
    assert phone.get("/api/v1/health").get_json()["notices"] == []

    table.put(PartFailed("pad 3", "Check its wires (docs/config.md, Pins)."))
    table.submit(Seat(0), "rename", facts={"name": "Matthijs"})  # the inbox is read in order

    health = phone.get("/api/v1/health").get_json()
    assert health["status"] == "ok"
    assert any("the knock pad of seat 3" in notice for notice in health["notices"])
    assert health["streams"] == {"open": 0, "most": 3}
