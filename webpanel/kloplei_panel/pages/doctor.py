"""What works in the box and what does not, a knock for trial, and the slate's test picture.

Only for the keeper of the slate (`kloplei_panel.access`). The table sees the parts, the panel the
phones: it has no device, no journal and little of ``/proc``, so for the rest it asks the table's
doctor. Without a table it tells what it sees by itself.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial

from flask import Blueprint, Response, redirect, request, url_for
from flask.typing import ResponseReturnValue

from kloplei import __version__
from kloplei.diagnostics.findings import bad, doctor_words, good, poor, said, tell, write_report
from kloplei.diagnostics.registry import Examination, checks_for_phones, merged
from kloplei.diagnostics.system import VERSIONS, Machine, check_versions
from kloplei.games.game import Seat
from kloplei.games.scoreboard import Scoreboard
from kloplei.table.client import BadRequest, TableUnavailable
from kloplei.table.doctor_client import MOST_KNOCKS, SEEN, SHOWN_S, Finding, FindingState
from kloplei.words import sentence_of
from kloplei_panel.answers import Problem, fresh_page
from kloplei_panel.context import PanelSettings, panel
from kloplei_panel.reader import here, reader, whole
from kloplei_panel.requests import in_form, seat_numbered

_WORST_FIRST = (FindingState.BAD, FindingState.POOR, FindingState.GOOD)
# Several phones may look at once.
_FRESH_S = 3.0
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


def examinations(settings: PanelSettings) -> tuple[Examination, Examination]:
    """Return what the panel looks at by itself, and what besides while no table answers."""
    machine = Machine()
    own = checks_for_phones(machine, settings.where)
    alone = {VERSIONS: lambda: check_versions(machine)}
    return Examination(own, fresh_s=_FRESH_S), Examination(alone, fresh_s=_FRESH_S)


def _findings() -> tuple[Finding, ...]:
    """Return how each part does, the worst first."""
    table, told = _ask_the_table()
    found = (*table, _phones(), *merged(panel().own.findings(), told))
    return tuple(sorted(found, key=lambda one: _WORST_FIRST.index(one.state)))


def _ask_the_table() -> tuple[list[Finding], tuple[Finding, ...]]:
    """Return what can be said of the table itself, and what its doctor found."""
    try:
        seq = panel().table.scoreboard().seq
        told = panel().table.doctor.examine()
    except TableUnavailable:
        return [bad("table", "table.silent", "do.start-table")], panel().alone.findings()
    except BadRequest as error:  # of a version that knows no doctor
        return [said("table", FindingState.POOR, sentence_of(error))], panel().alone.findings()
    return [good("table", "table.runs", seq=seq), *_apart(told)], told


def _phones() -> Finding:
    feed = panel().feed
    facts = {"open": feed.watching, "most": feed.most}
    if feed.watching >= feed.most:
        return poor("panel", "panel.full", "do.more-phones", **facts)
    return good("panel", "panel.good", **facts)


def _apart(told: Iterable[Finding]) -> Iterator[Finding]:
    """Yield that table and panel are of different versions, if they are."""
    for one in told:
        table = one.says.facts.get("kloplei") if one.part == VERSIONS else None
        if table is not None and table != __version__:
            yield bad(
                VERSIONS, "versions.apart", "do.restart-table", panel=__version__, table=table
            )


def _show(saw: str) -> Response:
    who, board, findings = reader(), _board(), _findings()
    words = doctor_words(who.language)
    return fresh_page(
        "doctor/page.html",
        reader=who,
        phrase=words.say,
        part=partial(words.name, "part"),
        tell=partial(tell, words=words),
        board=board,
        findings=findings,
        # As they are sorted: the worst first.
        counts=Counter(one.state for one in findings),
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


def _advice(saw: str) -> Finding:
    try:
        return panel().table.doctor.judge_picture(saw)
    except (TableUnavailable, BadRequest) as error:
        return said("slate", FindingState.POOR, sentence_of(error))
