"""Who sits at a place: somebody whom the box knows, somebody to remember from now on, or a guest.

One page for each place, without a script: the ones who were here last are buttons, all others are
found by typing. A phone that was somebody is offered that person first, for its signed cookie knows
their id. On a locked box a seat's phone says it of its own seat, the keeper's of anybody.
"""

from collections.abc import Iterable

from flask import Blueprint, Response, request, session
from flask.typing import ResponseReturnValue

from kloplei.games.game import Facts, IllegalAction, Seat
from kloplei.games.scoreboard import Row, Scoreboard
from kloplei.table.client import BadRequest
from kloplei.table.people_client import Person
from kloplei.words.catalogue import lent_by
from kloplei.words.letters import folded
from kloplei_panel import access
from kloplei_panel.answers import back_to, why_not
from kloplei_panel.context import panel
from kloplei_panel.pages.history import page_of
from kloplei_panel.reader import reader
from kloplei_panel.requests import in_form, seat_numbered

bp = Blueprint("who", __name__, url_prefix="/who")
SHOWN = 8
"""So many people are buttons; whoever looks for another one types."""
_PERSON = "person"
_MOST_DIGITS = 9


@bp.get("/<int:number>")
def page(number: int) -> Response:
    """Show who may sit at place *number*."""
    seat = seat_numbered(number)
    board = panel().table.scoreboard()
    access.demand(seat, "recognise" if board.row(seat) else "sit_down", {})
    _remember(seat, board)
    return _show(seat, board)


@bp.post("/<int:number>")
def say(number: int) -> ResponseReturnValue:
    """Let who sits, or sits down, at place *number* be who the form says.

    ``person`` is somebody's id, ``guest`` nobody's; else ``name`` is what somebody typed, who is
    to be remembered with ``remember``; a guest who sits is called so from now on. Where the box
    knows somebody of that name the page asks first, for there are two Jans; ``another`` is not that
    one.
    """
    seat = seat_numbered(number)
    board = panel().table.scoreboard()
    action = "recognise" if board.row(seat) else "sit_down"
    facts = _facts(seat)
    access.demand(seat, action, facts)
    if (alike := _alike(seat)) is not None:
        if _takes_name(board.row(seat)) and alike not in _first([alike], seat):
            return _show(seat, board, alike=alike)
        facts = {"person": alike.id}
    try:
        for each, told in _steps(action, facts):
            panel().table.submit(seat, each, facts=told, by=access.doer(reader().doer))
    except (IllegalAction, BadRequest) as error:
        return _show(seat, panel().table.scoreboard(), *why_not(error))
    _remember(seat, panel().table.scoreboard())
    return back_to("slate.page")


def _steps(action: str, facts: Facts) -> tuple[tuple[str, Facts], ...]:
    """Return what is done one after the other: who sits has to have a name to be remembered by."""
    if action == "sit_down" or "name" not in facts:
        return ((action, facts),)
    renamed = ("rename", {"name": facts["name"]})
    return (renamed, (action, {"remember": True})) if "remember" in facts else (renamed,)


def _facts(seat: Seat) -> Facts:
    if request.form.get("guest"):
        return {"guest": True}
    if request.form.get("person"):
        return {"person": in_form("person", _MOST_DIGITS)}
    name = _typed()
    told: dict[str, object] = {"name": name} if name else {}
    return told | ({"remember": True} if request.form.get("remember") else {})


def _typed() -> str:
    return " ".join(request.form.get("name", "").split())


def _alike(seat: Seat) -> Person | None:
    """Return whom the box knows by the name that was typed, unless the form says it is another."""
    name, form = _typed(), request.form
    if not name or form.get("guest") or form.get("person") or form.get("another"):
        return None
    offered = panel().table.people.offered(seat)
    return next((one for one in offered if folded(one.name) == folded(name)), None)


def _takes_name(row: Row | None) -> bool:
    """Whether who comes to sit there may be called by a new name; else a known one is meant."""
    return row is None or (row.person is None and lent_by(row.name) is not None)


def _show(
    seat: Seat,
    board: Scoreboard,
    message: str = "",
    status: int = 200,
    alike: Person | None = None,
) -> Response:
    who, row = reader().at(board), board.row(seat)
    board = who.reads(board)
    offered = panel().table.people.offered(seat)
    first = _first(offered, seat)
    return page_of(
        "who.html",
        status,
        seat=seat,
        row=board.row(seat),
        offered=offered,
        shown=[*first, *(one for one in offered if one not in first)][:SHOWN],
        first=first,
        is_named=row is not None and row.person is None and lent_by(row.name) is None,
        takes_name=_takes_name(row),
        alike=alike,
        typed=request.form.get("name", ""),
        message=message,
    )


def _first(offered: Iterable[Person], seat: Seat) -> list[Person]:
    """Return whom the phone of this request was, if it asks for its own place."""
    known = session.get(_PERSON) if _is_own(seat) else None
    return [one for one in offered if known in (one.id, *one.was)]


def _remember(seat: Seat, board: Scoreboard) -> None:
    """Let the phone of who sits at *seat* know who that is; a guest's forgets it."""
    row: Row | None = board.row(seat)
    if row is None or not _is_own(seat) or session.get(_PERSON) == row.person:
        return
    if row.person is None:
        session.pop(_PERSON)
        return
    session[_PERSON] = row.person
    session.permanent = True


def _is_own(seat: Seat) -> bool:
    return reader().seat == seat
