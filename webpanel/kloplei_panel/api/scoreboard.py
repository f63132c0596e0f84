"""The table as JSON: the scoreboard, the log, and whether all is well."""

from flask import Blueprint, Response

from kloplei.table.client import LogEntry
from kloplei.table.schema import WORLD, dump
from kloplei_panel.forms import in_address
from kloplei_panel.fresh import fresh_json
from kloplei_panel.panel import panel
from kloplei_panel.reader import reader

bp = Blueprint("scoreboard", __name__, url_prefix="/api/v1")
MOST_LOG = 500


@bp.get("/scoreboard")
def scoreboard() -> Response:
    """Answer with the whole scoreboard."""
    return fresh_json(panel().table.scoreboard())


@bp.get("/log")
def log() -> Response:
    """Answer with the last steps of the evening, newest first; ``?limit=`` asks for more."""
    limit = in_address("limit", usual=50, most=MOST_LOG, digits=4, problem="bad_limit")
    return fresh_json({"entries": [_with_text(entry) for entry in panel().table.log(limit)]})


@bp.get("/health")
def health() -> Response:
    """Answer whether the table speaks and what of the box does not work."""
    board = panel().table.scoreboard()
    feed = panel().feed
    who = reader()
    return fresh_json(
        {
            "status": "ok",
            "seq": board.seq,
            "streams": {"open": feed.watching, "most": feed.most},
            "notices": [who.tell(one, board) for one in board.notices],
        }
    )


def _with_text(entry: LogEntry) -> dict[str, object]:
    return {**dump(entry, form=WORLD), "text": reader().recall(entry)}
