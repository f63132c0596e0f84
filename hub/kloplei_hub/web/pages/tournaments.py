"""Tournaments: who plays whom now, who stands where, and the referee's forms.

Everybody may look; what moves is followed as the wall is. A referee lets people join and leave,
draws, calls, and puts results right, all of it by plain forms.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final, NamedTuple, get_args

from flask import (
    Blueprint,
    Response,
    abort,
    make_response,
    redirect,
    render_template,
    request,
    url_for,
)
from flask import session as signed_in
from flask.typing import ResponseReturnValue

from kloplei_hub.desk import all_ranks_of, opened, ranks_of, tables_of
from kloplei_hub.draws import SHAPES, Match, Side, Unplayable
from kloplei_hub.people import HousePeople, NobodyMeant, add_person
from kloplei_hub.referee import AT_THE_TABLE, HouseReferee
from kloplei_hub.tournaments import (
    CameOut,
    Joined,
    Kind,
    Left,
    NotNow,
    TablesChanged,
    Tournament,
    TournamentEvent,
)
from kloplei_hub.web.access import USER, demand, is_at_least
from kloplei_hub.web.boards import version_of
from kloplei_hub.web.context import house, page, read_as_asked, say
from kloplei_hub.web.pages import Way
from kloplei_hub.web.pages.wall import shared
from kloplei_panel.reader import reader

bp = Blueprint("tournaments", __name__)
WAY = Way("tournaments.all", "way.tournaments")
_LONGEST: Final = 200
_MOST_AT_ONCE: Final = 100
_NAMES: Final = 4000
_FEW_DIGITS: Final = 4
_DIGITS: Final = 16
_LOSERS: Final = 2  # the rank of all others, where it is told who won and no more


class MatchNow(NamedTuple):
    """One match of a round: who plays, how it stands, and who won where it has come out."""

    match: Match
    result: CameOut | None
    plays: bool


class Now(NamedTuple):
    """A tournament as it stands, with the tables of its newest round."""

    number: int
    stands: Tournament
    people: HousePeople
    tables: tuple[MatchNow, ...]

    @property
    def version(self) -> str:
        """What tells this state from others."""
        names = sorted((one.player, self.name(one.player)) for one in self.stands.standings())
        return version_of((self.stands, self.tables, names))

    def name(self, player: int) -> str:
        """Return what *player* is called here; who has no name any more is somebody."""
        return self.people.name(player) or say("tournament.somebody")

    def side(self, players: Iterable[int]) -> str:
        """Return the names of who play together."""
        return " & ".join(map(self.name, players))

    def tables_of(self, number: int) -> tuple[MatchNow, ...]:
        """Return the tables of round *number*."""
        drawn = self.stands.rounds[number - 1]
        results = self.stands.results
        return tuple(
            MatchNow(one, results.get((number, one.table)), plays=False) for one in drawn.matches
        )


@bp.get("/tournaments")
def all() -> Response:  # noqa: A001 - the address of it
    """List the tournaments, newest first; a referee may open another."""
    return _list()


@bp.post("/tournaments")
def begin() -> ResponseReturnValue:
    """Open the tournament of the form."""
    demand("referee")
    asked = request.form
    rounds = asked.get("rounds", "").strip() or "0"
    with _referee() as referee:
        try:
            event = opened(
                referee.connection,
                name=asked.get("name", ""),
                game=asked.get("game", ""),
                kind=asked.get("kind", ""),
                rounds=int(rounds) if rounds.isdecimal() and len(rounds) <= _FEW_DIGITS else -1,
                tables=asked.get("tables", "")[:_LONGEST],
                auto="auto" in asked,
            )
            number = referee.open(event)
        except Unplayable as error:
            return _list(_why(error), 409)
    return redirect(url_for("tournaments.one", number=number), 303)


@bp.get("/tournaments/<int:number>")
def one(number: int) -> Response:
    """Show how it stands, all rounds, and the trail."""
    return _page(number)


@bp.get("/tournaments/<int:number>/wall")
def wall(number: int) -> Response:
    """Show how it stands to a whole room."""
    now = _now(number)
    return page("tournaments/wall.html", now=now, drawn=_drawn(now))


@bp.get("/tournaments/<int:number>/after/<version>")
def after(number: int, version: str) -> Response:
    """Answer with what moves where it is another than *version*; 204 where it is not."""
    read_as_asked()
    now = _now(number)
    if now.version == version:
        return shared(Response(status=204))
    return shared(make_response(_drawn(now)))


@bp.post("/tournaments/<int:number>/<doing>")
def do(number: int, doing: str) -> ResponseReturnValue:
    """Do what one of the referee's forms asks for, and show how it stands then."""
    demand("referee")
    act = _DOINGS.get(doing) or abort(404)
    with _referee() as referee:
        try:
            act(referee, number)
        except NobodyMeant:
            who = request.form.get("who", "")[:_LONGEST]
            return _page(number, say("tournament.nobody", name=who), 409, unknown=who)
        except Unplayable as error:
            return _page(number, _why(error), 409)
    return redirect(url_for("tournaments.one", number=number, _anchor=doing), 303)


def _do_join(referee: HouseReferee, number: int) -> None:
    """Let those join whose names are written, separated by commas; or who is new, by that name."""
    written = request.form.get("who", "")
    if "new" in request.form:
        referee.join(number, add_person(referee.connection, written[:_LONGEST]))
        return
    people = referee.people()
    names = [one for one in written[:_NAMES].split(",") if one.strip()][:_MOST_AT_ONCE]
    for player in [people.find(name) for name in names]:
        referee.join(number, player)


def _do_leave(referee: HouseReferee, number: int) -> None:
    referee.leave(number, _whole("who"))


def _do_tables(referee: HouseReferee, number: int) -> None:
    tables = tables_of(request.form.get("tables", "")[:_LONGEST])
    if not tables:
        raise NotNow("Say which tables.", "numbers")
    referee.tell(number, TablesChanged(tables))


def _do_draw(referee: HouseReferee, number: int) -> None:
    if _whole("round") != len(referee.read(number).rounds) + 1:
        raise NotNow("That round is drawn already.", "drawn")
    referee.draw(number)


def _do_call(referee: HouseReferee, number: int) -> None:
    running = referee.read(number).running
    wanted = _whole("table") if request.form.get("table") else None
    referee.call(number, [one for one in running if wanted in (None, one.table)])


def _do_result(referee: HouseReferee, number: int) -> None:
    table, round_ = _whole("table"), _whole("round")
    match = referee.match_at(number, table, round_)
    why = " ".join(request.form.get("why", "")[:_LONGEST].split())
    referee.decide(number, table, _ranks_in_form(match), _me(), why, round_)


def _ranks_in_form(match: Match) -> tuple[int, ...]:
    """Return what the form says of *match*: a place for each of its sides, or who won."""
    if "rank" in request.form:
        return all_ranks_of(match, request.form.getlist("rank"))
    winners = request.form.get("winner", "").split(",")
    return ranks_of(match, [int(one) for one in winners if one.isdecimal()])


def _do_end(referee: HouseReferee, number: int) -> None:
    referee.end(number, _me())


_DOINGS: Final = {
    "join": _do_join,
    "leave": _do_leave,
    "tables": _do_tables,
    "draw": _do_draw,
    "call": _do_call,
    "result": _do_result,
    "end": _do_end,
}
"""By the last word of their address."""


@contextmanager
def _referee() -> Iterator[HouseReferee]:
    with house().connected() as connection:
        yield HouseReferee(connection, house().tournaments)


def _now(number: int) -> Now:
    with _referee() as referee:
        try:
            stands = referee.read(number)
        except NotNow:
            abort(404)
        now = Now(number, stands, referee.people(), ())
    if not stands.rounds:
        return now
    newest = now.tables_of(len(stands.rounds))
    return now._replace(
        tables=tuple(one._replace(plays=_is_played_at(one.match)) for one in newest)
    )


def _is_played_at(match: Match) -> bool:
    """Whether those who are to play *match* play at its table now."""
    found = house().live.table(str(match.table))
    board = found.board if found else None
    return board is not None and set(match.players) <= {row.person for row in board.rows}


def _list(message: str = "", status: int = 200) -> Response:
    with _referee() as referee:
        found = referee.read_all()
    told = {"found": found, "message": message, "kinds": get_args(Kind), "games": tuple(SHAPES)}
    return page("tournaments/all.html", status, **told, may=is_at_least("referee"))


def _page(number: int, message: str = "", status: int = 200, unknown: str = "") -> Response:
    now = _now(number)
    with _referee() as referee:
        trail = referee.trail(number)
    told = {
        "now": now,
        "drawn": _drawn(now),
        "trail": reversed(trail),
        "told": lambda line: _told(line.event, now),
        "message": message,
        "unknown": unknown,
        "may": is_at_least("referee") and not now.stands.is_over,
        "others": _others(now),
        "named": _named(now),
        "me": _me(),
    }
    return page("tournaments/one.html", status, **told)


def _others(now: Now) -> Iterable[str]:
    """Return the names of who may still join."""
    return [name for one, name in now.people.named.items() if one not in now.stands.players]


def _named(now: Now) -> list[tuple[int, str]]:
    """Return who may be told when they are called: all who take part and may be named, by name."""
    if now.stands.is_over:
        return []
    found = [(one, now.people.name(one)) for one in now.stands.players]
    return sorted(((one, name) for one, name in found if name), key=lambda one: one[1].casefold())


def _drawn(now: Now) -> str:
    return render_template("tournaments/now.html", reader=reader(), now=now)


def _told(event: TournamentEvent, now: Now) -> str:
    """Return what happened, as the trail tells it."""
    kind = type(event).__name__.lower()
    told = {
        name: str(getattr(event, name))
        for name in ("number", "round", "table", "by", "why", "name")
        if hasattr(event, name)
    }
    match event:
        case Joined(player) | Left(player):
            told["player"] = now.name(now.people.today(player))
        case TablesChanged(tables):
            told["tables"] = ", ".join(map(str, tables))
        case CameOut(why=why):
            told["who"] = _winners(event, now)
            if max(event.ranks) > _LOSERS:
                kind, told["who"] = "cameout_ranked", _ranked(event, now)
            told["why"] = say("tournament.at_the_table") if why == AT_THE_TABLE else why
    line = say(f"trail.{kind}{'_by' if told.get('by') else ''}", **told)
    return f"{line} ({told['why']})" if told.get("why") else line


def _winners(event: CameOut, now: Now) -> str:
    sides = _sides_of(event, now)
    won = [side for side, rank in zip(sides, event.ranks, strict=False) if rank == 1]
    return ", ".join(map(now.side, won))


def _ranked(event: CameOut, now: Now) -> str:
    """Return all sides with their places, best first."""
    order = sorted(zip(event.ranks, _sides_of(event, now), strict=False))
    return say("comma").join(f"{rank}. {now.side(side)}" for rank, side in order)


def _sides_of(event: CameOut, now: Now) -> Sequence[Side]:
    return next(
        (
            one.sides
            for one in now.stands.rounds[event.round - 1].matches
            if one.table == event.table
        ),
        (),
    )


def _why(error: Unplayable) -> str:
    return say(f"tournament.why.{error.key}", **error.facts)


def _whole(name: str) -> int:
    """Return the number that stands in the form by that *name*."""
    written = request.form.get(name, "")
    return int(written) if written.isdecimal() and len(written) <= _DIGITS else -1


def _me() -> str:
    return str(signed_in.get(USER, ""))
