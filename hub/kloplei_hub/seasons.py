"""The house's seasons, and ``kloplei-hub admin season``: a name, a start and a rule for all tables.

What comes of one is reckoned where it is shown (`kloplei_hub.web.evenings`), by the rules of a
box's own seasons.
"""

import argparse
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, get_args

from kloplei.cli.terminal import say
from kloplei.files import KlopleiError
from kloplei.history.seasons import MOST_COUNTED, MOST_NAME, checked_name
from kloplei.table.client import BadRequest
from kloplei.table.history_client import Rule, Season
from kloplei.words.catalogue import Sentence
from kloplei_hub.database import Connection

if TYPE_CHECKING:
    from kloplei_hub.settings import HubConfig

_COLUMNS: Final = "season, name, since, rule, points, best"
Ask = Callable[[str, Any], list[tuple[Any, ...]]]
Add = Callable[..., argparse.ArgumentParser]


class SeasonRefused(KlopleiError, ValueError):
    """A season that cannot be; the message says what can."""


def seasons_of(ask: Ask) -> tuple[Season, ...]:
    """Return the seasons, newest first."""
    told = f"SELECT {_COLUMNS} FROM seasons ORDER BY since DESC, season DESC"  # noqa: S608 - ours
    return tuple(Season(*row) for row in ask(told, None))


def begin_season(
    ask: Ask,
    name: str,
    since: float | None = None,
    rule: Rule = "wins",
    points: int = 1,
    best: int = 0,
) -> Season:
    """Begin a season, now or at *since*.

    Raises:
        BadRequest: A name that cannot be written, or numbers that make no rule.
    """
    called = checked_name(name, since, rule, points, best)
    add = (
        "INSERT INTO seasons (name, since, rule, points, best) VALUES "  # noqa: S608 - ours
        f"(%s, coalesce(%s, extract(epoch FROM now())), %s, %s, %s) RETURNING {_COLUMNS}"
    )
    return Season(*ask(add, (called, since, rule, points, best))[0])


def end_season(ask: Ask, season: int) -> None:
    """Take a season away; its evenings stay.

    Raises:
        BadRequest: There is none.
    """
    if not ask("DELETE FROM seasons WHERE season = %s RETURNING season", (season,)):
        raise BadRequest(Sentence("no-such-season"))


def add_season_task(add: Add, tasks: Any) -> None:
    """Add ``season`` with what it can do to *tasks* of ``admin``."""
    parser = tasks.add_parser("season", help="seasons of all tables: list, begin, end")
    doings = parser.add_subparsers(title="tasks", required=True, metavar="TASK")
    add(doings, "list", _list, "list the seasons, newest first")
    begun = add(doings, "begin", _begin, "begin a season; the one before ends there")
    begun.add_argument("name", help="what it is called")
    begun.add_argument("--since", metavar="YYYY-MM-DD", help="its first day; now, without")
    begun.add_argument("--rule", default="wins", choices=get_args(Rule), help="(wins)")
    begun.add_argument("--points", type=int, default=1, help="a rubber, for rule points (1)")
    begun.add_argument(
        "--best", type=int, default=0, help="so many evenings count, for rule best; 0 is all"
    )
    ended = add(doings, "end", _end, "take a season away; its evenings stay")
    ended.add_argument("season", type=int, help="as `list` shows it")


def _asking(connection: Connection) -> Ask:
    def ask(question: str, facts: Any) -> list[tuple[Any, ...]]:
        return connection.execute(question, facts).fetchall()

    return ask


def _list(connection: Connection, arguments: argparse.Namespace, config: "HubConfig") -> None:
    seasons = seasons_of(_asking(connection))
    for one in seasons:
        say(f"{one.id:>4}  {one.name:40}  since {_day(one.since)}, {one.rule}")
    if not seasons:
        say("No season yet. Begin one with: kloplei-hub admin season begin NAME")


def _begin(connection: Connection, arguments: argparse.Namespace, config: "HubConfig") -> None:
    since = None if arguments.since is None else _first_day(arguments.since)
    plan = (since, arguments.rule, arguments.points, arguments.best)
    try:
        season = begin_season(_asking(connection), arguments.name, *plan)
    except BadRequest as error:
        raise SeasonRefused(
            f"A season has a name of 1 to {MOST_NAME} letters, 1 to {MOST_COUNTED} points a "
            f"rubber, and 0 to {MOST_COUNTED} evenings that count."
        ) from error
    say(f"Season {season.id}, {season.name}, counts since {_day(season.since)}.")


def _end(connection: Connection, arguments: argparse.Namespace, config: "HubConfig") -> None:
    try:
        end_season(_asking(connection), arguments.season)
    except BadRequest as error:
        raise SeasonRefused(
            f"There is no season {arguments.season}; see: kloplei-hub admin season list"
        ) from error
    say("It is gone; its evenings stay.")


def _day(at: float) -> str:
    return f"{datetime.fromtimestamp(at).astimezone():%Y-%m-%d}"


def _first_day(written: str) -> float:
    """Return when the day that is *written* began here.

    Raises:
        SeasonRefused: It is no day.
    """
    try:
        return datetime.strptime(written, "%Y-%m-%d").astimezone().timestamp()
    except ValueError as error:
        raise SeasonRefused(f"{written} is no day; write it like 2026-09-01.") from error
