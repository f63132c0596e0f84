"""A phone before the door: it asks, and comes in with the first request after the knock.

Its ticket is kept in the signed cookie, which no script can read: only the phone that asked
can take what was granted.
"""

from dataclasses import replace

from flask import g, request, session

from kloplei.games.game import Seat
from kloplei.table.client import DoorAnswer, DoorState, TableUnavailable
from kloplei_panel.panel import panel

_TICKET = "ticket"


def step_in() -> None:
    """Give the phone of this request what was granted to it since the last one."""
    ticket = session.get(_TICKET)
    if not isinstance(ticket, str) or request.endpoint == "static":
        return
    try:
        answer = panel().table.door.look(ticket)
    except TableUnavailable:
        return  # it may well be back before the question is over
    if answer.state is DoorState.GRANTED:
        panel().pairing.let_in(answer.seat)
    if answer.state not in (DoorState.ASKING, DoorState.QUEUED):
        session.pop(_TICKET, None)
    g.door = answer


def ask(seat: Seat | None) -> DoorAnswer:
    """Ask for *seat*, or to keep the slate; what this phone asked before is taken back.

    Raises:
        IllegalAction: Not now; its reason is one of the door's.
        TableUnavailable: The table does not answer.
    """
    door = panel().table.door
    answer = standing()
    if answer is not None and answer.seat == seat:
        return answer  # a double tap
    withdraw()
    answer = door.ask(seat, request.remote_addr or "")
    session[_TICKET] = answer.ticket
    session.permanent = True
    g.door = answer
    return answer


def withdraw() -> None:
    """Ask no longer."""
    ticket = session.pop(_TICKET, None)
    if isinstance(ticket, str):
        panel().table.door.withdraw(ticket)
    g.pop("door", None)


def standing() -> DoorAnswer | None:
    """Return the question of this phone as long as it stands."""
    answer = told()
    if answer is None or answer.state not in (DoorState.ASKING, DoorState.QUEUED):
        return None
    return answer


def told() -> DoorAnswer | None:
    """Return what this phone has to hear about its question; its ticket is told to nobody."""
    answer: DoorAnswer | None = g.get("door")
    return None if answer is None else replace(answer, ticket="")
