"""Recording the table from a phone: what to do now, large, and the files that came of it."""

from flask import Blueprint, Response, request
from flask.typing import ResponseReturnValue

from kloplei.games.game import IllegalAction
from kloplei.table.client import BadRequest, TableUnavailable
from kloplei.table.recordings_client import RecordingStand
from kloplei_panel import hearing
from kloplei_panel.answers import back_to, fresh_page, why_not
from kloplei_panel.api.recordings import kept_file
from kloplei_panel.context import panel
from kloplei_panel.reader import reader
from kloplei_panel.requests import in_form

bp = Blueprint("recordings", __name__, url_prefix="/record")
_MOST_DIGITS = 3


@bp.get("")
def page() -> Response:
    """Show the whole page."""
    return _show("recordings/page.html")


@bp.get("/now")
def fragment() -> Response:
    """Show only what changes."""
    return _show("recordings/now.html")


@bp.post("/step")
def step() -> ResponseReturnValue:
    """Do the ``step`` of the form; to begin, ``walk`` says which, ``seats`` how many knock."""
    facts: dict[str, object] = {}
    if walk := request.form.get("walk"):
        facts = {"walk": walk, "seats": in_form("seats", _MOST_DIGITS)}
        if held_by := request.form.get("held_by"):
            facts["held_by"] = held_by
    try:
        panel().table.recordings.step(request.form.get("step", "begin" if walk else ""), facts)
    except (IllegalAction, BadRequest, TableUnavailable) as error:
        return _show("recordings/page.html", *why_not(error, silent="tune.not_saved"))
    return back_to("recordings.page")


@bp.post("/delete")
def delete() -> ResponseReturnValue:
    """Throw the file away that the form calls ``name``."""
    panel().table.recordings.delete(kept_file(request.form.get("name", "")).name)
    return back_to("recordings.page")


def _show(template: str, message: str = "", status: int = 200) -> Response:
    it = _stand()
    return fresh_page(
        template,
        status,
        reader=reader(),
        board=reader().reads(panel().table.scoreboard()),
        it=it,
        asked=it and it.asked and hearing.tell_asked(it.asked, reader()),
        go=hearing.tell_go(reader()),
        send_to=panel().settings.recordings_to,
        is_link=panel().settings.recordings_to.startswith(("https://", "mailto:")),
        message=message,
    )


def _stand() -> RecordingStand | None:
    """Return where a recording stands, or None at a table that gives no waves."""
    try:
        return panel().table.recordings.look()
    except BadRequest:
        return None
