"""Asking to be let in, for programs: the phone asks, a knock on the table lets it."""

from flask import Blueprint, Response
from flask.typing import ResponseReturnValue

from kloplei_panel import doorstep, rights
from kloplei_panel.body import is_whole, read_object, seat_in
from kloplei_panel.fresh import fresh_json
from kloplei_panel.panel import panel
from kloplei_panel.problems import Problem

bp = Blueprint("door_api", __name__, url_prefix="/api/v1/door")
_MOST_NUMBER = 2**53


@bp.get("")
def look() -> Response:
    """Answer with what this phone may do, and how its question stands."""
    return _answer()


@bp.post("")
def ask() -> ResponseReturnValue:
    """Ask for a seat, ``{"seat": 3}``, or to keep the slate: ``{}``."""
    if not panel().pairing.locked:
        raise Problem(404, "door_open")
    doorstep.ask(seat_in(read_object()))
    return _answer(), 202


@bp.delete("")
def withdraw() -> Response:
    """Ask no longer."""
    doorstep.withdraw()
    return _answer()


@bp.post("/refuse")
def refuse() -> Response:
    """Turn away the phone that the scoreboard shows: ``{"number": 7}``; for the keeper."""
    rights.demand_keeper()
    number = read_object().get("number")
    if not is_whole(number, 0, _MOST_NUMBER):
        raise Problem(400, "unreadable", detail="number")
    panel().table.door.refuse(number)
    return _answer()


def _answer() -> Response:
    pairing, told = panel().pairing, doorstep.told()
    answer: dict[str, object] = {"may": pairing.may}
    if told is not None:
        answer["state"] = told.state.value
        if told.word:
            answer |= {"word": told.word, "left_s": told.left_s}
        if told.seat is not None:
            answer["seat"] = told.seat.shown
    return fresh_json(answer)
