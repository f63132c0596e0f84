"""What works in the box and what does not, a knock for trial, and the slate's test picture.

Only for the keeper of the slate (`kloplei_panel.access`). The table sees the parts, the panel the
phones: it has no device, no journal and little of ``/proc``, so for the rest it asks the table's
doctor. Without a table it tells what it sees by itself.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from flask import Blueprint, Flask, Response, current_app, redirect, request, url_for
from flask.typing import ResponseReturnValue

from kloplei import __version__
from kloplei.diagnostics.findings import bad, doctor_words, good, poor, said, tell, write_report
from kloplei.diagnostics.registry import Examination, checks_for_phones, merged
from kloplei.diagnostics.system import VERSIONS, Machine, check_versions
from kloplei.games.game import Seat
from kloplei.games.scoreboard import Scoreboard
from kloplei.table.client import (
    MOST_KNOCKS,
    SEEN,
    SHOWN_S,
    BadRequest,
    Finding,
    FindingState,
    TableClient,
    TableUnavailable,
)
from kloplei.words import sentence_of
from kloplei_panel.answers import Problem, fresh_page
from kloplei_panel.context import Feed, PanelSettings, panel
from kloplei_panel.reader import here, reader, whole
from kloplei_panel.requests import in_form, seat_numbered

NAME = "kloplei-checkup"
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


class Checkup:
    """Examines what the panel sees, and asks *table* for the rest; safe from any thread.

    Args:
        table: Whose doctor is asked.
        feed: Knows how many phones follow.
        own: What the panel looks at by itself.
        alone: What it looks at besides while no table answers.
    """

    def __init__(
        self, table: TableClient, feed: Feed, own: Examination, alone: Examination
    ) -> None:
        self._table = table
        self._feed = feed
        self._own = own
        self._alone = alone

    def findings(self) -> tuple[Finding, ...]:
        """Return how each part does, the worst first."""
        table, told = self._ask_the_table()
        found = (*table, *self._phones(), *merged(self._own.findings(), told))
        return tuple(sorted(found, key=lambda one: _WORST_FIRST.index(one.state)))

    def _ask_the_table(self) -> tuple[list[Finding], tuple[Finding, ...]]:
        """Return what can be said of the table itself, and what its doctor found."""
        try:
            seq = self._table.scoreboard().seq
            told = self._table.doctor.examine()
        except TableUnavailable:
            return [bad("table", "table.silent", "do.start-table")], self._alone.findings()
        except BadRequest as error:  # of a version that knows no doctor
            return [said("table", FindingState.POOR, sentence_of(error))], self._alone.findings()
        return [good("table", "table.runs", seq=seq), *_apart(told)], told

    def _phones(self) -> Iterator[Finding]:
        facts = {"open": self._feed.watching, "most": self._feed.most}
        if self._feed.watching >= self._feed.most:
            yield poor("panel", "panel.full", "do.more-phones", **facts)
        else:
            yield good("panel", "panel.good", **facts)


def register(app: Flask, table: TableClient, settings: PanelSettings, feed: Feed) -> None:
    """Let `checkup` find the one of *app*."""
    machine = Machine()
    own = checks_for_phones(machine, settings.where)
    alone = {VERSIONS: lambda: check_versions(machine)}
    app.extensions[NAME] = Checkup(
        table, feed, Examination(own, fresh_s=_FRESH_S), Examination(alone, fresh_s=_FRESH_S)
    )


def checkup() -> Checkup:
    """Return the one of the app that serves this request."""
    found: Checkup = current_app.extensions[NAME]
    return found


@dataclass(frozen=True, slots=True)
class FindingText:
    """A finding in the reader's language."""

    state: FindingState
    mark: str
    part: str
    says: str
    step: str


def tell_findings(findings: Iterable[Finding], language: str) -> list[FindingText]:
    """Return *findings* in *language*."""
    words = doctor_words(language)
    return [
        FindingText(
            one.state,
            words.say(f"state.{one.state}"),
            words.name("part", one.part),
            *tell(one, words),
        )
        for one in findings
    ]


def _apart(told: Iterable[Finding]) -> Iterator[Finding]:
    """Yield that table and panel are of different versions, if they are."""
    for one in told:
        table = one.says.facts.get("kloplei") if one.part == VERSIONS else None
        if table is not None and table != __version__:
            yield bad(
                VERSIONS, "versions.apart", "do.restart-table", panel=__version__, table=table
            )


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
        finding = said("slate", FindingState.POOR, sentence_of(error))
    return tell_findings([finding], reader().language)[0]
