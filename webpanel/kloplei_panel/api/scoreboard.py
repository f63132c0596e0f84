"""The table as JSON: the scoreboard, the log, and whether all is well."""

from flask import Blueprint, Response, jsonify, request

from kloplei.table.client import LogEntry
from kloplei.table.schema import WORLD, dump
from kloplei_panel.digits import whole
from kloplei_panel.fresh import fresh
from kloplei_panel.panel import panel
from kloplei_panel.problems import Problem
from kloplei_panel.reader import reader

bp = Blueprint("scoreboard", __name__, url_prefix="/api/v1")
MOST_LOG = 500


@bp.get("/scoreboard")
def scoreboard() -> Response:
    """Answer with the whole scoreboard."""
    return fresh(jsonify(dump(panel().table.scoreboard(), form=WORLD)))


@bp.get("/log")
def log() -> Response:
    """Answer with the last steps of the evening, newest first; ``?limit=`` asks for more."""
    limit = whole(request.args.get("limit", "50"), most=4)
    if limit is None or not 1 <= limit <= MOST_LOG:
        raise Problem(400, "bad_limit", most=MOST_LOG)
    entries = panel().table.log(limit)
    return fresh(jsonify(entries=[_with_text(entry) for entry in entries]))


@bp.get("/health")
def health() -> Response:
    """Answer whether the table speaks and what of the box does not work."""
    board = panel().table.scoreboard()
    feed = panel().feed
    who = reader()
    return fresh(
        jsonify(
            status="ok",
            seq=board.seq,
            streams={"open": feed.watching, "most": feed.most},
            notices=[who.tell(one, board) for one in board.notices],
        )
    )


def _with_text(entry: LogEntry) -> dict[str, object]:
    return {**dump(entry, form=WORLD), "text": reader().recall(entry)}
