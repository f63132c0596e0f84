"""What did you hear? The last blows on the wood, to say which were heard wrong."""

import time
from collections.abc import Callable

from flask import Blueprint, Response, request
from flask.typing import ResponseReturnValue

from kloplei.games.game import IllegalAction, Seat
from kloplei.knock.judgement import Verdict
from kloplei.table.client import MOST_EVENTS, BadRequest, EarsClient, TableUnavailable
from kloplei_panel import hearing
from kloplei_panel.answers import Problem, back_to, fresh_page, why_not
from kloplei_panel.context import panel
from kloplei_panel.reader import reader
from kloplei_panel.requests import in_form, seat_in_form

bp = Blueprint("ears", __name__, url_prefix="/ears")
_MARKS = {"knock": Verdict.KNOCK, "noise": Verdict.NOISE, "": None}
_MOST_DIGITS = 15


@bp.get("")
def page() -> Response:
    """Show the whole page."""
    return _show("ears/page.html")


@bp.get("/heard")
def fragment() -> Response:
    """Show only what changes."""
    return _show("ears/heard.html")


@bp.post("/mark")
def mark() -> ResponseReturnValue:
    """Say what event ``number`` was: ``was`` is knock, noise or nothing, ``seat`` who it was."""
    number = in_form("number", _MOST_DIGITS)
    was = request.form.get("was", "")
    if was not in _MARKS:
        raise Problem(400, "unreadable", detail="was")
    seat = seat_in_form(_MOST_DIGITS)
    return _do(lambda ears: ears.mark(number, _MARKS[was], seat), f"event-{number}")


@bp.post("/take")
def take() -> ResponseReturnValue:
    """Do what the ``suggestion`` of the form says."""
    suggestion = request.form.get("suggestion", "")
    return _do(lambda ears: ears.take(suggestion))


@bp.post("/decline")
def decline() -> ResponseReturnValue:
    """Hear no more of the ``suggestion`` of the form."""
    suggestion = request.form.get("suggestion", "")
    return _do(lambda ears: ears.decline(suggestion))


@bp.post("/take-back")
def take_back() -> ResponseReturnValue:
    """Undo what was taken last."""
    return _do(lambda ears: ears.take_back())


@bp.post("/forget")
def forget() -> ResponseReturnValue:
    """Take back the ``lesson`` of the form."""
    number = in_form("lesson", _MOST_DIGITS)
    return _do(lambda ears: ears.forget_lesson(number), "learned")


@bp.post("/forget-all")
def forget_all() -> ResponseReturnValue:
    """Take back all that was learned in play."""
    return _do(lambda ears: ears.forget_lessons(), "learned")


def _do(ask: Callable[[EarsClient], object], anchor: str = "suggestion") -> ResponseReturnValue:
    try:
        ask(panel().table.ears)
    except (IllegalAction, BadRequest, TableUnavailable) as error:
        return _show("ears/page.html", *why_not(error, silent="ears.not_written"))
    return back_to("ears.page", f"#{anchor}")


def _show(template: str, message: str = "", status: int = 200) -> Response:
    table, who = panel().table, reader()
    board, suggestion = who.reads(table.scoreboard()), table.ears.suggestion()
    heard = table.ears.heard_events(MOST_EVENTS)
    return fresh_page(
        template,
        status,
        reader=who,
        board=board,
        keeping=table.ears.keeping(),
        events=heard,
        suggestion=suggestion,
        learned=table.ears.learned_in_play(),
        now=time.time(),
        seats=[(Seat(at), who.name_at(Seat(at), board.names)) for at in range(board.seats)],
        hearing=hearing,
        locked=panel().settings.locked,
        message=message,
    )
