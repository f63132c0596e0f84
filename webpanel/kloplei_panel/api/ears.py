"""What the box heard, for programs: the events, their marks, the suggestion, the live meter."""

from collections.abc import Mapping

from flask import Blueprint, Response
from flask.typing import ResponseReturnValue

from kloplei.knock.judgement import Verdict
from kloplei.table.client import MOST_EVENTS
from kloplei_panel.body import read_object, seat_in
from kloplei_panel.forms import in_address
from kloplei_panel.fresh import fresh_json
from kloplei_panel.panel import panel
from kloplei_panel.problems import Problem

bp = Blueprint("ears_api", __name__, url_prefix="/api/v1/ears")
_USUAL = 50
_MARKS = {"knock": Verdict.KNOCK, "noise": Verdict.NOISE}
_MOST_DIGITS = 4


@bp.get("/events")
def events() -> Response:
    """Answer with the last events, newest first; ``?limit=`` asks for more or fewer."""
    ears = panel().table.ears
    limit = in_address("limit", _USUAL, MOST_EVENTS, _MOST_DIGITS, "bad_limit")
    return fresh_json({"events": ears.heard_events(limit), "keeping": ears.keeping()})


@bp.post("/events/<int:number>/mark")
def mark(number: int) -> ResponseReturnValue:
    """Say what event *number* was: ``{"was": "knock", "seat": 3}``, ``{"was": null}`` unsays it."""
    ears = panel().table.ears
    asked = read_object()
    marked = ears.mark(number, _was(asked), seat_in(asked))
    return fresh_json(marked)


@bp.get("/suggestion")
def suggestion() -> Response:
    """Answer with what the marks suggest and what it would do; null where there is nothing."""
    return fresh_json({"suggestion": panel().table.ears.suggestion()})


@bp.post("/suggestions/<name>/take")
def take(name: str) -> Response:
    """Do what the suggestion with the id *name* says."""
    ears = panel().table.ears
    ears.take(name)
    return fresh_json({"keeping": ears.keeping()})


@bp.post("/suggestions/<name>/decline")
def decline(name: str) -> Response:
    """Hear no more of the suggestion with the id *name*."""
    ears = panel().table.ears
    ears.decline(name)
    return fresh_json({"keeping": ears.keeping()})


@bp.post("/take-back")
def take_back() -> Response:
    """Undo what was taken last."""
    ears = panel().table.ears
    ears.take_back()
    return fresh_json({"keeping": ears.keeping()})


@bp.get("/meter")
def meter() -> Response:
    """Answer with how loud each channel was in the last second."""
    return fresh_json({"parts": panel().table.ears.meter()})


def _was(asked: Mapping[str, object]) -> Verdict | None:
    was = asked.get("was", "")
    if was is None:
        return None
    if isinstance(was, str) and was in _MARKS:
        return _MARKS[was]
    raise Problem(400, "bad_mark")
