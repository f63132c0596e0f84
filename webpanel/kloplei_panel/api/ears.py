"""What the box heard, for programs: the events, their marks, the suggestion, the live meter."""

from collections.abc import Mapping

from flask import Blueprint, Response, jsonify, request
from flask.typing import ResponseReturnValue

from kloplei.knock.verdict import Verdict
from kloplei.rules.game import Seat
from kloplei.table.ears import MOST_EVENTS
from kloplei.table.schema import WORLD, dump
from kloplei_panel.api.actions import seat_numbered
from kloplei_panel.body import read_object
from kloplei_panel.digits import whole
from kloplei_panel.fresh import fresh
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
    return _fresh(events=ears.heard_events(_limit()), keeping=ears.keeping())


@bp.post("/events/<int:number>/mark")
def mark(number: int) -> ResponseReturnValue:
    """Say what event *number* was: ``{"was": "knock", "seat": 3}``, ``{"was": null}`` unsays it."""
    ears = panel().table.ears
    asked = read_object()
    marked = ears.mark(number, _was(asked), _seat(asked.get("seat")))
    return fresh(jsonify(dump(marked, form=WORLD)))


@bp.get("/suggestion")
def suggestion() -> Response:
    """Answer with what the marks suggest and what it would do; null where there is nothing."""
    return _fresh(suggestion=panel().table.ears.suggestion())


@bp.post("/suggestions/<name>/take")
def take(name: str) -> Response:
    """Do what the suggestion with the id *name* says."""
    ears = panel().table.ears
    ears.take(name)
    return _fresh(keeping=ears.keeping())


@bp.post("/suggestions/<name>/decline")
def decline(name: str) -> Response:
    """Hear no more of the suggestion with the id *name*."""
    ears = panel().table.ears
    ears.decline(name)
    return _fresh(keeping=ears.keeping())


@bp.post("/take-back")
def take_back() -> Response:
    """Undo what was taken last."""
    ears = panel().table.ears
    ears.take_back()
    return _fresh(keeping=ears.keeping())


@bp.get("/meter")
def meter() -> Response:
    """Answer with how loud each channel was in the last second."""
    return _fresh(parts=panel().table.ears.meter())


def _limit() -> int:
    limit = whole(request.args.get("limit", str(_USUAL)), _MOST_DIGITS)
    if limit is None or not 1 <= limit <= MOST_EVENTS:
        raise Problem(400, "bad_limit", most=MOST_EVENTS)
    return limit


def _was(asked: Mapping[str, object]) -> Verdict | None:
    was = asked.get("was", "")
    if was is None:
        return None
    if isinstance(was, str) and was in _MARKS:
        return _MARKS[was]
    raise Problem(400, "bad_mark")


def _seat(number: object) -> Seat | None:
    if number is None:
        return None
    if isinstance(number, bool) or not isinstance(number, int):
        raise Problem(400, "unreadable", detail="seat")
    return seat_numbered(number)


def _fresh(**answer: object) -> Response:
    return fresh(jsonify(dump(answer, form=WORLD)))
