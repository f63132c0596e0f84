"""`GET /api/v1/stream`: the whole scoreboard, at once and at every change."""

import json
import time
from collections.abc import Iterator
from typing import Any, cast

from flask import Flask

from kloplei.knock.judgement import Struck
from kloplei.table.session import Session
from tests.panel.conftest import Phone


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
