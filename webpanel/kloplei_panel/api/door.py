"""Asking to be let in, for programs: the phone asks, a knock on the table lets it."""

from dataclasses import dataclass, field
from typing import Annotated, Literal

from flask import Blueprint, Response
from flask.typing import ResponseReturnValue

from kloplei.games.game import DEADLINE, SPARSE, Seat
from kloplei.games.scoreboard import Seconds
from kloplei.table.client import DoorState
from kloplei_panel import access
from kloplei_panel.answers import Problem, fresh_json
from kloplei_panel.context import panel
from kloplei_panel.requests import is_whole, read_object, seat_in

bp = Blueprint("door_api", __name__, url_prefix="/api/v1/door")
_MOST_NUMBER = 2**53


@dataclass(frozen=True, slots=True)
class Doorstep:
    """What a phone may do, and how its question stands."""

    may: Annotated[Literal["look", "act", "keep"], "act: for one seat"]
    state: DoorState | None = None
    word: Annotated[str, "Stands on the slate as well"] = field(default="", metadata=SPARSE)
    seat: Annotated[Seat | None, "The seat it asked for"] = None
    until_s: Annotated[Seconds | None, "So long the question still stands"] = field(
        default=None, metadata=DEADLINE
    )


@bp.get("")
def look() -> Response:
    """Answer with what this phone may do, and how its question stands."""
    return _answer()


@bp.post("")
def ask() -> ResponseReturnValue:
    """Ask for a seat, ``{"seat": 3}``, or to keep the slate: ``{}``."""
    if not panel().pairing.locked:
        raise Problem(404, "door_open")
    access.ask_at_door(seat_in(read_object()))
    return _answer(), 202


@bp.delete("")
def withdraw() -> Response:
    """Ask no longer."""
    access.withdraw_from_door()
    return _answer()


@bp.post("/refuse")
def refuse() -> Response:
    """Turn away the phone that the scoreboard shows: ``{"number": 7}``; for the keeper."""
    access.demand_keeper()
    number = read_object().get("number")
    if not is_whole(number, 0, _MOST_NUMBER):
        raise Problem(400, "unreadable", detail="number")
    panel().table.door.refuse(number)
    return _answer()


def _answer() -> Response:
    may, told = panel().pairing.may, access.door_answer()
    if told is None:
        return fresh_json(Doorstep(may))
    until_s = told.until_s if told.word else None
    return fresh_json(Doorstep(may, told.state, told.word, told.seat, until_s))
