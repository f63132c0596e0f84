"""What the box heard, for programs: events, marks, the suggestion, the meter, and the tuning."""

from collections.abc import Mapping

from flask import Blueprint, Response
from flask.typing import ResponseReturnValue

from kloplei.knock.judgement import Verdict
from kloplei.table.client import MOST_EVENTS, TuneStand
from kloplei_panel.answers import Problem, fresh_json
from kloplei_panel.context import panel
from kloplei_panel.hearing import TuneTold, tell_tune
from kloplei_panel.reader import reader
from kloplei_panel.requests import in_address, read_object, seat_in

bp = Blueprint("ears_api", __name__, url_prefix="/api/v1")
_USUAL = 50
_MARKS = {"knock": Verdict.KNOCK, "noise": Verdict.NOISE}
_MOST_DIGITS = 4


@bp.get("/ears/events")
def events() -> Response:
    """Answer with the last events, newest first; ``?limit=`` asks for more or fewer."""
    ears = panel().table.ears
    limit = in_address("limit", _USUAL, MOST_EVENTS, _MOST_DIGITS, "bad_limit")
    return fresh_json({"events": ears.heard_events(limit), "keeping": ears.keeping()})


@bp.post("/ears/events/<int:number>/mark")
def mark(number: int) -> ResponseReturnValue:
    """Say what event *number* was: ``{"was": "knock", "seat": 3}``, ``{"was": null}`` unsays it."""
    ears = panel().table.ears
    asked = read_object()
    marked = ears.mark(number, _was(asked), seat_in(asked))
    return fresh_json(marked)


@bp.get("/ears/suggestion")
def suggestion() -> Response:
    """Answer with what the marks suggest and what it would do; null where there is nothing."""
    return fresh_json({"suggestion": panel().table.ears.suggestion()})


@bp.post("/ears/suggestions/<name>/take")
def take(name: str) -> Response:
    """Do what the suggestion with the id *name* says."""
    panel().table.ears.take(name)
    return _kept()


@bp.post("/ears/suggestions/<name>/decline")
def decline(name: str) -> Response:
    """Hear no more of the suggestion with the id *name*."""
    panel().table.ears.decline(name)
    return _kept()


@bp.post("/ears/take-back")
def take_back() -> Response:
    """Undo what was taken last."""
    panel().table.ears.take_back()
    return _kept()


@bp.get("/ears/meter")
def meter() -> Response:
    """Answer with how loud each channel was in the last second."""
    return fresh_json({"parts": panel().table.ears.meter()})


@bp.get("/tune")
def tuning() -> Response:
    """Answer with where the tuning stands; ``idle`` while nobody tunes."""
    return _tuning(panel().table.ears.tune("look"))


@bp.post("/tune")
def tune() -> Response:
    """Do one step: ``{"step": "begin", "seats": 4}``, ``{"step": "redo", "seat": 3}``."""
    asked = read_object()
    wanted = asked.pop("step", None)
    if not isinstance(wanted, str):
        raise Problem(400, "unreadable", detail="step")
    facts = {**asked, "seat": seat_in(asked)}
    facts = {name: value for name, value in facts.items() if value is not None}
    return _tuning(panel().table.ears.tune(wanted, facts))


def _kept() -> Response:
    return fresh_json({"keeping": panel().table.ears.keeping()})


def _was(asked: Mapping[str, object]) -> Verdict | None:
    was = asked.get("was", "")
    if was is None:
        return None
    if isinstance(was, str) and was in _MARKS:
        return _MARKS[was]
    raise Problem(400, "bad_mark")


def _tuning(stand: TuneStand) -> Response:
    told = tell_tune(stand, reader(), panel().table.scoreboard())
    return fresh_json(_spelled(stand, told))


def _spelled(stand: TuneStand, told: TuneTold) -> dict[str, object]:
    answer: dict[str, object] = {
        "step": stand.step,
        "commands": stand.commands,
        "in_force": stand.in_force,
    }
    if not stand.is_under_way:
        return answer
    answer |= {"text": told.prompt, "count": stand.count, "of": stand.of, "level": stand.level}
    answer["seats"] = stand.seats
    answer["remarks"] = [{"grade": one.grade, "text": one.text} for one in told.remarks]
    if stand.seat is not None:
        answer["seat"] = stand.seat.shown
    if told.hint:
        answer["hint"] = told.hint
    if stand.proposed is not None:
        answer["proposed"] = stand.proposed
    return answer
