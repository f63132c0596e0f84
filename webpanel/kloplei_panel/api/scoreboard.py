"""The table as JSON: the scoreboard, the log, and whether all is well."""

from flask import Blueprint, Response, jsonify, request

from kloplei.rules.game import Seat
from kloplei.table.client import LogEntry
from kloplei.table.wire import facts_to_wire, to_wire
from kloplei_panel.panel import panel
from kloplei_panel.problems import Problem
from kloplei_panel.reader import reader, shared_words

bp = Blueprint("scoreboard", __name__, url_prefix="/api/v1")
MOST_LOG = 500


@bp.get("/scoreboard")
def scoreboard() -> Response:
    """Answer with the whole scoreboard."""
    return _fresh(jsonify(to_wire(panel().table.scoreboard())))


@bp.get("/log")
def log() -> Response:
    """Answer with the last steps of the evening, newest first; ``?limit=`` asks for more."""
    limit = request.args.get("limit", "50")
    if not (limit.isascii() and limit.isdigit() and 1 <= len(limit) <= 4):
        raise Problem(400, "bad_limit", most=MOST_LOG)
    if not 1 <= int(limit) <= MOST_LOG:
        raise Problem(400, "bad_limit", most=MOST_LOG)
    table = panel().table
    names = table.scoreboard().names
    return _fresh(jsonify(entries=[_entry(one, names) for one in table.log(int(limit))]))


@bp.get("/health")
def health() -> Response:
    """Answer whether the table speaks and what of the box does not work."""
    board = panel().table.scoreboard()
    streams = panel().streams
    words = shared_words(reader().language)
    return _fresh(
        jsonify(
            status="ok",
            seq=board.seq,
            streams={"open": streams.open, "most": streams.most},
            notices=[words.say(one.key, one.facts, board.names) for one in board.notices],
        )
    )


def _entry(entry: LogEntry, names: dict[Seat, str]) -> dict[str, object]:
    words = shared_words(reader().language)
    return {
        "seq": entry.seq,
        "seat": None if entry.seat is None else entry.seat.shown,
        "via": entry.via,
        "key": entry.line.key.removeprefix("news."),
        "facts": facts_to_wire(entry.line.facts),
        "text": words.say(entry.line.key, entry.line.facts, names),
        "undone": entry.undone,
        "at": entry.at,
    }


def _fresh(response: Response) -> Response:
    response.headers["Cache-Control"] = "no-store"
    return response
