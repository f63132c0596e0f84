"""Tuning the table, for programs: where it stands, and each step of it."""

from flask import Blueprint, Response

from kloplei.table.client import TuneStand, TuneState, read_stand
from kloplei_panel.body import read_object, seat_in
from kloplei_panel.fresh import fresh_json
from kloplei_panel.panel import panel
from kloplei_panel.problems import Problem
from kloplei_panel.reader import reader
from kloplei_panel.tuning import TuneTold, tell_tune

bp = Blueprint("tune_api", __name__, url_prefix="/api/v1/tune")


@bp.get("")
def look() -> Response:
    """Answer with where the tuning stands; ``idle`` while nobody tunes."""
    return _answer(panel().table.ears.tune("look"))


@bp.post("")
def step() -> Response:
    """Do one step: ``{"step": "begin", "seats": 4}``, ``{"step": "redo", "seat": 3}``."""
    asked = read_object()
    wanted = asked.pop("step", None)
    if not isinstance(wanted, str):
        raise Problem(400, "unreadable", detail="step")
    facts = {**asked, "seat": seat_in(asked)}
    facts = {name: value for name, value in facts.items() if value is not None}
    return _answer(panel().table.ears.tune(wanted, facts))


def _answer(state: TuneState) -> Response:
    stand = read_stand(state)
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
