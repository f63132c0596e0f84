"""Asking the table to do something, for a seat or as the keeper of the slate."""

from flask import Blueprint, jsonify
from flask.typing import ResponseReturnValue

from kloplei.games.game import Seat
from kloplei_panel import rights
from kloplei_panel.body import read_ask
from kloplei_panel.forms import seat_numbered
from kloplei_panel.panel import panel
from kloplei_panel.problems import Problem

bp = Blueprint("actions", __name__, url_prefix="/api/v1")


@bp.post("/seats/<int:number>/actions")
def act(number: int) -> ResponseReturnValue:
    """Ask the table to do one action for seat *number*.

    Body: ``{"action": "knock", "seen": 41}`` and the facts the action needs; *seen* is the
    number the phone was showing, so a late thumb cannot answer a question already closed.
    202 with the new number, or 409 with one sentence fit to read out.
    """
    return _ask_for(seat_numbered(number))


@bp.post("/actions")
def act_as_keeper() -> ResponseReturnValue:
    """Ask for one action of the table itself, such as undo; the body is the same."""
    return _ask_for(None)


def _ask_for(seat: Seat | None) -> ResponseReturnValue:
    if not panel().pairing.may_act:
        raise Problem(403, "not_allowed")  # before anything of it is read
    ask = read_ask()
    rights.demand(seat, ask.action)
    seq = panel().table.submit(seat, ask.action, seen=ask.seen, facts=ask.facts)
    return jsonify(seq=seq), 202
