"""What stays of the evenings, for programs: evenings, people and their numbers."""

from collections import deque
from dataclasses import field
from typing import Annotated

from flask import Blueprint, Response, request

from kloplei.frozen import dataclass
from kloplei.games.catalogue import GAMES
from kloplei.games.scoreboard import Within
from kloplei.table import history_client
from kloplei.table.client import BadRequest
from kloplei_panel.answers import Problem, as_json, fresh, fresh_json
from kloplei_panel.context import panel
from kloplei_panel.pages.history import NEWEST, demand_reader_of_people, evening_found, missing
from kloplei_panel.reader import whole
from kloplei_panel.requests import problem, read_address

bp = Blueprint("history_api", __name__, url_prefix="/api/v1")
_MOST = history_client.MOST_EVENINGS
_MOST_DIGITS = 10
_last: deque[tuple[object, bytes]] = deque(maxlen=2)


@dataclass(frozen=True, slots=True)
class EveningsWanted:
    """Which evenings are wanted."""

    before: Annotated[
        int | None, Within(1), "Those before that number; absent begins with the newest"
    ] = field(default=None, metadata=problem("unreadable"))
    limit: Annotated[int, Within(1, _MOST)] = field(
        default=50, metadata=problem("bad_limit", most=_MOST)
    )


@dataclass(frozen=True, slots=True)
class Evenings:
    """The evenings, newest first, and how far the history is."""

    evenings: tuple[history_client.EveningLine, ...]
    stand: history_client.HistoryStand


@dataclass(frozen=True, slots=True)
class People:
    """The people that the box knows, who was here last first."""

    people: tuple[history_client.PersonLine, ...]


@dataclass(frozen=True, slots=True)
class StatisticsWanted:
    """Whose numbers are wanted, in which game and since when."""

    game: Annotated[str | None, {"enum": list(GAMES)}, "In that game; absent is all"] = None
    since: Annotated[
        float | None, Within(0), "Evenings that began then or later, in seconds since 1970"
    ] = None
    person: Annotated[int | None, Within(1), "Of that person; absent is everybody"] = None


@dataclass(frozen=True, slots=True)
class Statistics:
    """The numbers of everybody that was asked for."""

    people: tuple[history_client.PersonNumbers, ...]


@bp.get("/evenings")
def evenings() -> Response:
    """Answer with the evenings, newest first."""
    wanted = read_address(EveningsWanted, _MOST_DIGITS)
    if request.args.get("before") and wanted.before is None:
        raise Problem(400, "unreadable", detail="before")
    history = panel().table.history
    return fresh_json(Evenings(history.evenings(wanted.before, wanted.limit), history.stand()))


@bp.get("/evenings/<int:number>")
def evening(number: int) -> Response:
    """Answer with all that is told of one evening."""
    return fresh_json(evening_found(number))


@bp.get("/evenings/last")
def last() -> Response:
    """Answer with the newest evening."""
    return fresh_json(evening_found(NEWEST))


@bp.get("/people")
def people() -> Response:
    """Answer with the people that the box knows."""
    demand_reader_of_people()
    return fresh_json(People(panel().table.history.people()))


@bp.get("/people/<int:person>")
def person(person: int) -> Response:
    """Answer with what is told of one person."""
    demand_reader_of_people()
    try:
        return fresh_json(panel().table.history.person(person))
    except BadRequest:
        raise missing("no_person") from None


@bp.get("/statistics")
def statistics() -> Response:
    """Answer with the numbers of everybody, or of one; ``?game=``, ``?since=``, ``?person=``."""
    demand_reader_of_people()
    game = request.args.get("game") or None
    if game is not None and game not in GAMES:
        raise Problem(400, "unreadable", detail="game")
    person = _number("person")
    try:
        found = panel().table.history.statistics(game, _number("since"), person)
    except BadRequest:
        raise missing("no_person") from None
    return fresh(_as_json_once(found))


def _as_json_once(found: tuple[history_client.PersonNumbers, ...]) -> Response:
    """Return *found* as JSON; megabytes, which are the same until a hand has ended."""
    for kept, body in tuple(_last):
        if kept is found:
            return Response(body, mimetype="application/json")
    told = as_json(Statistics(found))
    if found:
        _last.append((found, told.get_data()))
    return told


def _number(name: str) -> int | None:
    written = request.args.get(name)
    if written is None or not written:
        return None
    number = whole(written.partition(".")[0] if name == "since" else written, _MOST_DIGITS)
    if number is None:
        raise Problem(400, "unreadable", detail=name)
    return number
