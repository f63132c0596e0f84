"""The live stream: the whole scoreboard as a server-sent event, at once and at every change."""

import json
from collections.abc import Generator, Iterator

from flask import Blueprint, Response, request

from kloplei.rules.scoreboard import Scoreboard
from kloplei.table.client import TableSilent
from kloplei.table.wire import to_wire
from kloplei_panel.panel import Panel, panel
from kloplei_panel.problems import Problem

bp = Blueprint("stream", __name__, url_prefix="/api/v1")
RETRY_MS = 2000
KEEP_ALIVE = ": still here\n\n"


@bp.get("/stream")
def stream() -> Response:
    """Follow the table; ``Last-Event-ID`` is read, and the whole state comes in any case."""
    here = panel()
    here.table.scoreboard()  # a silent table is a 503 now, not an empty stream
    if not here.streams.take():
        raise Problem(503, "too_many_streams", most=here.streams.most)
    response = Response(_Events(here, _last_seen()), mimetype="text/event-stream")
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Accel-Buffering"] = "no"  # a proxy must not wait for more
    return response


def as_event(board: Scoreboard) -> str:
    """Return *board* as one server-sent event; its id is the journal number."""
    text = json.dumps(to_wire(board), ensure_ascii=False, separators=(",", ":"))
    return f"event: scoreboard\nid: {board.seq}\ndata: {text}\n\n"


class _Events:
    """The body of a stream. The server calls `close` when the phone has gone."""

    def __init__(self, here: Panel, after: int | None) -> None:
        self._streams = here.streams
        self._told = self._tell(here, after)
        self._is_open = True

    def __iter__(self) -> Iterator[str]:
        return self._told

    def close(self) -> None:
        if self._is_open:
            self._is_open = False
            self._streams.give_back()
        self._told.close()

    def _tell(self, here: Panel, after: int | None) -> Generator[str, None, None]:
        yield f"retry: {RETRY_MS}\n\n"
        try:
            for board in here.table.follow(after):
                if here.streams.closing:
                    return
                yield KEEP_ALIVE if board is None else as_event(board)
        except TableSilent:
            return  # the phone comes back by itself, and then hears the reason


def _last_seen() -> int | None:
    asked = request.headers.get("Last-Event-ID", request.args.get("after", ""))
    return int(asked) if asked.isascii() and asked.isdigit() and len(asked) < 16 else None
