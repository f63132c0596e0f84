"""What works in the box and what does not, a knock for trial, and the slate's test picture.

Only for the keeper of the slate (`kloplei_panel.rights`).
"""

from flask import Blueprint, Response, redirect, request, url_for
from flask.typing import ResponseReturnValue

from kloplei.diagnostics.findings import doctor_words, said, write_report
from kloplei.games.game import Seat
from kloplei.games.scoreboard import Scoreboard
from kloplei.table.client import (
    MOST_KNOCKS,
    SEEN,
    SHOWN_S,
    BadRequest,
    FindingState,
    TableUnavailable,
)
from kloplei_panel.checkup import FindingText, checkup, tell_findings
from kloplei_panel.reader import whole
from kloplei_panel.forms import in_form, seat_numbered
from kloplei_panel.fresh import fresh_page
from kloplei_panel.panel import panel
from kloplei_panel.problems import Problem
from kloplei_panel.reader import here, reader

bp = Blueprint("doctor", __name__, url_prefix="/doctor")
_MOST_DIGITS = 3


@bp.get("")
def page() -> Response:
    """Show how each part does; ``?saw=`` says what stood on the slate, ``?knocked=`` who did."""
    saw = request.args.get("saw", "")
    if saw not in ("", *SEEN):
        raise Problem(400, "unreadable", detail="saw")
    return _show(saw=saw)


@bp.post("/knock")
def knock() -> ResponseReturnValue:
    """Let the table hear ``times`` knocks of ``seat``, as if its sensor had heard them."""
    seat = seat_numbered(in_form("seat", _MOST_DIGITS))
    panel().table.doctor.knock(seat, in_form("times", _MOST_DIGITS))
    return redirect(f"{url_for('doctor.page', knocked=seat.shown)}#knocks", 303)


@bp.post("/picture")
def picture() -> ResponseReturnValue:
    """Show the test picture on the slate, and ask what one sees."""
    panel().table.doctor.show_test_picture()
    return redirect(f"{url_for('doctor.page', shown=1)}#picture", 303)


def _show(saw: str) -> Response:
    who, board = reader(), _board()
    findings = checkup().findings()
    told = tell_findings(findings, who.language)
    return fresh_page(
        "doctor/page.html",
        reader=who,
        phrase=doctor_words(who.language).say,
        board=board,
        told=told,
        counts=[(state, sum(one.state == state for one in told)) for state in _states(told)],
        knocks=range(1, MOST_KNOCKS + 1),
        seats=_seats(board),
        knocked=whole(request.args.get("knocked", ""), _MOST_DIGITS),
        is_shown="shown" in request.args,
        seconds=round(SHOWN_S),
        seen=SEEN,
        advice=_advice(saw) if saw else None,
        report=write_report(findings),
        back=here(),
    )


def _states(told: list[FindingText]) -> list[FindingState]:
    """Return the states that occur, the worst first."""
    return list(dict.fromkeys(one.state for one in told))


def _board() -> Scoreboard | None:
    try:
        return panel().table.scoreboard()
    except TableUnavailable:
        return None


def _seats(board: Scoreboard | None) -> list[tuple[Seat, str]]:
    """Return the places of the table with who sits there, "" where nobody does."""
    if board is None:
        return []
    return [(Seat(at), board.names.get(Seat(at), "")) for at in range(board.seats)]


def _advice(saw: str) -> FindingText:
    try:
        finding = panel().table.doctor.judge_picture(saw)
    except (TableUnavailable, BadRequest) as error:
        finding = said("slate", FindingState.POOR, str(error))
    return tell_findings([finding], reader().language)[0]
