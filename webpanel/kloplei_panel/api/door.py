"""Asking to be let in, for programs: the phone asks, a knock on the table lets it."""

from dataclasses import field
from typing import Annotated, Literal

from flask import Blueprint, Response
from flask.typing import ResponseReturnValue

from kloplei.frozen import dataclass
from kloplei.games.game import DEADLINE, SPARSE, Seat
from kloplei.games.scoreboard import Seconds, Within
from kloplei.table.client import DoorState
from kloplei_panel import access
from kloplei_panel.answers import Problem, fresh_json
from kloplei_panel.context import panel
from kloplei_panel.requests import known_seat, read_body

bp = Blueprint("door_api", __name__, url_prefix="/api/v1/door")


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


@dataclass(frozen=True, slots=True)
class PlaceAsked:
    """Where a phone wants to be let in."""

    seat: Annotated[Seat | None, "Left out: to keep the slate"] = None


@dataclass(frozen=True, slots=True)
class PhoneRefused:
    """Which phone is turned away."""

    number: Annotated[int, Within(0), "That of the scoreboard's door"]


@bp.get("")
def look() -> Response:
    """Answer with what this phone may do, and how its question stands."""
    return _answer()


@bp.post("")
def ask() -> ResponseReturnValue:
    """Ask for a seat, ``{"seat": 3}``, or to keep the slate: ``{}``."""
    if not panel().pairing.locked:
        raise Problem(404, "door_open")
    access.ask_at_door(known_seat(read_body(PlaceAsked).seat))
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
    panel().table.door.refuse(read_body(PhoneRefused).number)
    return _answer()


def _answer() -> Response:
    may, told = panel().pairing.may, access.door_answer()
    if told is None:
        return fresh_json(Doorstep(may))
    until_s = told.until_s if told.word else None
    return fresh_json(Doorstep(may, told.state, told.word, told.seat, until_s))
