"""The live stream: the whole scoreboard as a server-sent event, at once and at every change."""

import json
from collections.abc import Generator, Iterator

from flask import Blueprint, Response, request

from kloplei.games.scoreboard import Scoreboard
from kloplei.table.client import TableUnavailable
from kloplei.table.schema import WORLD, dump
from kloplei_panel.feed import Feed
from kloplei_panel.panel import panel
from kloplei_panel.problems import Problem

bp = Blueprint("stream", __name__, url_prefix="/api/v1")
RETRY_MS = 2000
KEEP_ALIVE = ": still here\n\n"


@bp.get("/stream")
def stream() -> Response:
    """Follow the table.

    A phone that comes back sends ``Last-Event-ID``. Whatever it has seen it gets the whole
    state at once: nothing is ever sent as a difference, so nothing has to be caught up with.
    """
    feed = panel().feed
    panel().table.scoreboard()  # a silent table is a 503 now, not an empty stream
    if request.method == "HEAD":
        response = Response(mimetype="text/event-stream")
    elif feed.take_place():
        response = Response(_Events(feed), mimetype="text/event-stream")
    else:
        raise Problem(503, "too_many_streams", most=feed.most)
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Accel-Buffering"] = "no"  # a proxy must not wait for more
    return response


def as_event(board: Scoreboard) -> str:
    """Return *board* as one server-sent event; its id is the journal number."""
    text = json.dumps(dump(board, form=WORLD), ensure_ascii=False, separators=(",", ":"))
    return f"event: scoreboard\nid: {board.seq}\ndata: {text}\n\n"


class _Events:
    """The body of a stream. The server calls `close` when the phone has gone."""

    def __init__(self, feed: Feed) -> None:
        self._feed = feed
        self._told = _tell(feed)
        self._is_open = True

    def __iter__(self) -> Iterator[str]:
        return self._told

    def close(self) -> None:
        self._told.close()
        if self._is_open:
            self._is_open = False
            self._feed.give_back_place()


def _tell(feed: Feed) -> Generator[str, None, None]:
    yield f"retry: {RETRY_MS}\n\n"
    try:
        for board in feed.watch():
            yield KEEP_ALIVE if board is None else as_event(board)
    except TableUnavailable:
        return  # the phone comes back by itself, and then hears the reason
