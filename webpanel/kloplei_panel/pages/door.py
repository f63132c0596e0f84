"""Asking to be let in without JavaScript: one tap, a word, and a knock on the table."""

from flask import Blueprint, redirect, url_for
from flask.typing import ResponseReturnValue

from kloplei.games.game import IllegalAction
from kloplei_panel import doorstep, rights
from kloplei_panel.forms import in_form, seat_in_form
from kloplei_panel.pages.slate import render_slate
from kloplei_panel.panel import panel
from kloplei_panel.problems import Problem, why_not
from kloplei_panel.reader import here

bp = Blueprint("door", __name__, url_prefix="/door")
_MOST_DIGITS = 15


@bp.post("/ask")
def ask() -> ResponseReturnValue:
    """Ask for the ``seat`` of the form, or to keep the slate where it is empty."""
    if not panel().pairing.locked:
        raise Problem(404, "door_open")
    seat = seat_in_form()
    try:
        doorstep.ask(seat)
    except IllegalAction as refusal:
        return render_slate("slate/page.html", *why_not(refusal))
    place = f"?seat={'keeper' if seat is None else seat.shown}"
    return redirect(url_for("slate.page") + place, 303)


@bp.post("/withdraw")
def withdraw() -> ResponseReturnValue:
    """Ask no longer."""
    doorstep.withdraw()
    return redirect(url_for("slate.page") + here(), 303)


@bp.post("/refuse")
def refuse() -> ResponseReturnValue:
    """Turn away the phone with that ``number``, as the keeper of the slate."""
    rights.demand_keeper()
    number = in_form("number", _MOST_DIGITS)
    try:
        panel().table.door.refuse(number)
    except IllegalAction as refusal:
        return render_slate("slate/page.html", *why_not(refusal))
    return redirect(url_for("slate.page") + here(), 303)
