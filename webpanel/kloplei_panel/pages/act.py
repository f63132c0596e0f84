"""Pressing a button without JavaScript: a form is posted, and the slate comes back."""

from flask import Blueprint, redirect, request, url_for
from flask.typing import ResponseReturnValue

from kloplei.games.game import IllegalAction
from kloplei.table.client import BadRequest
from kloplei_panel import rights
from kloplei_panel.body import NotPlain, read_plain
from kloplei_panel.reader import whole
from kloplei_panel.forms import seat_in_form
from kloplei_panel.games import game_pages
from kloplei_panel.pages.slate import render_slate
from kloplei_panel.panel import panel
from kloplei_panel.problems import Problem, why_not
from kloplei_panel.reader import here

bp = Blueprint("act", __name__)
_FACT, _TEXT, _OPTION, _SHARE = "fact.", "text.", "option.", "share."


@bp.post("/act")
def act() -> ResponseReturnValue:
    """Ask the table for what the form says, and show the slate, or go back to the page ``then``.

    ``fact.<name>`` holds JSON, ``text.<name>`` what somebody typed, ``option.<name>`` a house
    rule, ``share.<name>.<place>`` the number of one player from 1 on; an empty one was left out.
    """
    if not panel().pairing.may_act:
        raise Problem(403, "not_allowed")
    action = request.form.get("action", "")
    if not action:
        raise Problem(400, "no_action")
    seat = seat_in_form()
    rights.demand(seat, action)
    try:
        panel().table.submit(seat, action, seen=_seen(), facts=_facts())
    except (IllegalAction, BadRequest) as error:
        return render_slate("slate/page.html", *why_not(error))
    return redirect(url_for(_next_page()) + here(), 303)


def _next_page() -> str:
    """Return where to go once it is done: only pages of a game can ask for themselves."""
    own = {f"{page.name}.page" for page in game_pages(panel().table.scoreboard().game)}
    asked = request.form.get("then", "")
    return asked if asked in own else "slate.page"


def _seen() -> int | None:
    return whole(request.form.get("seen", ""), most=15)


def _facts() -> dict[str, object]:
    facts: dict[str, object] = {}
    options = {field.removeprefix(_OPTION): text for field, text in _fields(_OPTION) if text}
    if any(_fields(_OPTION)):  # all of them left empty is an answer as well
        facts["options"] = options
    for field, written in request.form.items():
        if written and field.startswith(_TEXT):
            facts[field.removeprefix(_TEXT)] = written
        elif written and field.startswith(_FACT):
            facts[field.removeprefix(_FACT)] = _read(field, written)
    return facts | _shares()


def _shares() -> dict[str, object]:
    """Return a list of numbers for each thing that was told player by player."""
    found: dict[str, dict[int, object]] = {}
    for field, written in _fields(_SHARE):
        name, _, place = field.removeprefix(_SHARE).rpartition(".")
        found.setdefault(name, {})[whole(place, most=2) or 0] = _read(field, written)
    return {name: [numbers[at] for at in sorted(numbers)] for name, numbers in found.items()}


def _fields(family: str) -> list[tuple[str, str]]:
    return [(field, text) for field, text in request.form.items() if field.startswith(family)]


def _read(field: str, written: str) -> object:
    try:
        return read_plain(written)
    except NotPlain:
        raise Problem(400, "unreadable", detail=field) from None
