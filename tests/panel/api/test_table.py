"""The table for programs: scoreboard, log, health, stream, and the picture on the OLED.

The stream tells the whole scoreboard, at once and at every change; the picture is right pixel
by pixel.
"""

import io
import json
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from flask import Flask
from PIL import Image

from kloplei.diagnostics.system import room_on_disk
from kloplei.games.game import Seat
from kloplei.games.scoreboard import Grace, Scoreboard
from kloplei.knock.judgement import Struck
from kloplei.table.client import Frame
from kloplei.table.messages import PartFailed
from kloplei.table.schema import WORLD
from kloplei.table.session import Session
from kloplei_panel import PanelSettings
from kloplei_panel.api import table as table_api
from kloplei_panel.context import Feed
from tests.panel.conftest import NAMES, Phone, build


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


def test_the_log_tells_who_told_it_of_whom(phone: Phone) -> None:
    """What the keeper told about a player stood there as that player's own step."""
    phone.do(1, "deal")
    phone.do(3, "knock", by="keeper")
    for seat in (4, 1):
        phone.do(seat, "stay", by=2)
    phone.do(2, "stay")

    entries = phone.get("/api/v1/log?limit=4").get_json()["entries"][::-1]

    told = [(one.get("seat"), one.get("about"), one["line"]["facts"]["seat"]) for one in entries]
    assert told == [(None, 3, 3), (2, 4, 4), (2, 1, 1), (2, None, 2)]
    assert phone.ask(2, "knock", by=9).status_code == 400
    assert phone.ask(2, "knock", by="kastelein").status_code == 400


def test_who_keeps_the_slate_from_a_seat_takes_back_by_name(phone: Phone) -> None:
    """It stood there as the keeper's, on the bar and in the news as nobody's."""
    phone.do(1, "deal")

    phone.do(None, "undo", by=2, waits=True)
    grace = phone.board["grace"]
    phone.do(None, "cancel")
    phone.do(None, "undo", by=2)

    assert (grace["seat"], grace["action"]) == (2, "undo")
    assert phone.board["news"]["facts"]["seat"] == 2
    (newest,) = phone.get("/api/v1/log?limit=1").get_json()["entries"]
    assert newest["seat"] == 2
    assert newest["text"].startswith("Tame took back: ")


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


@pytest.mark.parametrize(
    ("free_mb", "told"), [(5, ["The disk is full: 5 MB are free"]), (5000, [])]
)
def test_health_tells_a_disk_that_is_full(
    table: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free_mb: int, told: list[str]
) -> None:
    """Before anybody has played, and the table could not write it down."""
    room: Any = SimpleNamespace(f_bavail=free_mb * 1000, f_frsize=1000, f_flag=0)
    monkeypatch.setattr(table_api, "room_on_disk", partial(room_on_disk, statvfs=lambda _: room))
    phone = Phone(build(table, PanelSettings(data=tmp_path)).test_client())

    notices = phone.get("/api/v1/health").get_json()["notices"]

    assert [one[: len("The disk is full: 5 MB are free")] for one in notices] == told
    assert all("Make room" in one for one in notices)


class Listening:
    """One open stream, read event by event."""

    def __init__(self, phone: Phone, **headers: str) -> None:
        self.response = phone.get("/api/v1/stream", headers=headers, buffered=False)
        self._chunks = cast("Iterator[bytes]", iter(self.response.response))
        self._said = ""

    def block(self) -> str:
        """Return the next block, up to the empty line that ends it."""
        while "\n\n" not in self._said:
            self._said += next(self._chunks).decode()
        block, self._said = self._said.split("\n\n", 1)
        return block

    def event(self) -> dict[str, str]:
        """Return the next event's fields; comments and retry are passed over."""
        while True:
            lines = [line for line in self.block().split("\n") if not line.startswith(":")]
            fields = dict(line.split(": ", 1) for line in lines)
            if "data" in fields:
                return fields

    def board(self) -> Any:
        return json.loads(self.event()["data"])

    def close(self) -> None:
        self.response.close()


def test_a_stream_begins_with_the_whole_scoreboard(phone: Phone) -> None:
    stream = Listening(phone)

    event = stream.event()

    assert stream.response.mimetype == "text/event-stream"
    assert event["event"] == "scoreboard"
    assert json.loads(event["data"]) == phone.board
    assert event["id"] == str(phone.board["seq"])
    stream.close()


def test_no_proxy_may_hold_it_back(phone: Phone) -> None:
    stream = Listening(phone)

    assert stream.response.headers["Cache-Control"] == "no-store"
    assert stream.response.headers["X-Accel-Buffering"] == "no"
    assert stream.block().startswith("retry: ")
    stream.close()


def test_that_the_wood_moved_is_no_news_for_a_phone(phone: Phone, table: Session) -> None:
    stream = Listening(phone)
    stream.board()

    table.put(Struck(time.monotonic(), 0.5))
    assert table.log(0) == ()  # it has been taken in
    phone.do(1, "deal")
    next_news = stream.board()

    assert next_news["stake"] == 1
    assert "struck" not in next_news
    stream.close()


def test_every_change_comes_whole(phone: Phone) -> None:
    stream = Listening(phone)
    first = stream.board()

    phone.do(1, "deal")
    second = stream.board()

    assert (first["phase"], second["phase"]) == ("between_hands", "exchange")
    assert second["seq"] == first["seq"] + 1
    assert second == phone.board
    stream.close()


def test_a_board_is_written_once_for_all_who_follow_as_long_as_its_deadlines_are_right(
    table: Session,
) -> None:
    """It was written anew for each of forty phones, and where none runs it is right for good."""
    now_s, written = [7.0], count()
    feed, form = Feed(table, 3, 1.0), replace(WORLD, clock=lambda: now_s[0])
    still = table.scoreboard()
    board = replace(still, grace=Grace(Seat(1), "undo", 10.0, 4.0))

    def told(board: Scoreboard) -> str:
        return feed.told(board, form, lambda *_: str(next(written)))

    at_once = [told(board) for _ in range(3)]
    now_s[0] += 1.0
    later = [told(board) for _ in range(3)]
    another = told(replace(board, seq=board.seq + 1))
    first = told(still)
    now_s[0] += 1.0

    assert (at_once, later, another) == (["0"] * 3, ["1"] * 3, "2")
    assert (first, told(still)) == ("3", "3")


def test_a_phone_that_comes_back_gets_all_of_it_whatever_it_saw(phone: Phone) -> None:
    for seen in ("0", "3", str(phone.board["seq"]), "999999", "", "abc", "-5", "9" * 40):
        stream = Listening(phone, **{"Last-Event-ID": seen})

        assert stream.board() == phone.board
        stream.close()


def test_a_still_table_is_heard_breathing(phone: Phone) -> None:
    stream = Listening(phone)
    stream.event()

    assert stream.block().startswith(":")
    stream.close()


def test_one_stream_too_many_is_told_so_and_a_place_comes_free_again(phone: Phone) -> None:
    streams = [Listening(phone) for _ in range(3)]

    refused = phone.get("/api/v1/stream")
    assert refused.status_code == 503
    assert refused.get_json()["error"] == "too_many_streams"

    streams[0].close()
    again = Listening(phone)
    assert again.board() == phone.board
    for stream in (*streams[1:], again):
        stream.close()
    assert phone.get("/api/v1/health").get_json()["streams"]["open"] == 0


def test_asking_for_the_head_alone_takes_no_place(phone: Phone) -> None:
    for _ in range(5):
        assert phone.client.head("/api/v1/stream").status_code == 200

    assert phone.get("/api/v1/health").get_json()["streams"]["open"] == 0


def test_a_stream_ends_when_the_table_closes(phone: Phone, table: Session) -> None:
    stream = Listening(phone)
    stream.event()

    table.close()

    assert list(stream._chunks) in ([], [b": still here\n\n"])
    stream.close()


def test_a_stream_ends_when_the_server_stops(phone: Phone, app: Flask) -> None:
    stream = Listening(phone)
    stream.event()

    app.extensions["kloplei"].feed.close()

    assert list(stream._chunks) == []
    stream.close()


def test_the_picture_is_the_slate_pixel_by_pixel(phone: Phone, slate: Frame) -> None:
    response = phone.get("/slate.png")

    picture = Image.open(io.BytesIO(response.data))
    assert response.mimetype == "image/png"
    assert picture.size == (slate.width, slate.height)
    assert picture.tobytes() == slate.bits


def test_a_magnified_pixel_is_a_square(phone: Phone, slate: Frame) -> None:
    picture = Image.open(io.BytesIO(phone.get("/slate.png?scale=4").data)).convert("L")

    assert picture.size == (4 * slate.width, 4 * slate.height)
    lit = [xy for xy in ((x, y) for x in range(64) for y in range(32)) if picture.getpixel(xy)]
    assert lit == [(x, y) for x in range(4) for y in range(4)]


@pytest.mark.parametrize("scale", ["0", "17", "-1", "two", "1.5", "", "1e1", "٤", "9" * 50])
def test_a_scale_that_is_none_is_refused(phone: Phone, slate: Frame, scale: str) -> None:
    response = phone.get(f"/slate.png?scale={scale}")

    assert response.status_code == 400
    assert response.get_json()["error"] == "bad_scale"


def test_without_a_slate_there_is_no_picture(phone: Phone) -> None:
    response = phone.get("/slate.png")

    assert response.status_code == 404
    assert response.get_json()["error"] == "no_slate"


def test_a_picture_that_has_not_changed_is_not_sent_again(
    phone: Phone, slate: Frame, table: Session
) -> None:
    etag = phone.get("/slate.png").headers["ETag"]
    headers = {"If-None-Match": etag}

    assert phone.get("/slate.png", headers=headers).status_code == 304
    assert phone.get("/slate.png?scale=2", headers=headers).status_code == 200

    table.show(Frame(slate.width, slate.height, bytes(16)))
    assert phone.get("/slate.png", headers=headers).status_code == 200
