"""``kloplei-hub tournament``: the referee's desk, at the house's own machine.

People go by name, or by the number that ``kloplei-hub people list`` shows; tables by their number
in the house.
"""

import argparse
import json
import secrets
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final, get_args

from kloplei.cli.terminal import say
from kloplei_hub.cli import add_task, counted
from kloplei_hub.database import Connection
from kloplei_hub.draws import SHAPES, Match, Unplayable
from kloplei_hub.people import HousePeople
from kloplei_hub.referee import HouseReferee
from kloplei_hub.tournaments import (
    CameOut,
    Drawn,
    Ended,
    Joined,
    Kind,
    Left,
    NotNow,
    Opened,
    TablesChanged,
    Tournament,
    TournamentEvent,
)

if TYPE_CHECKING:
    from kloplei.replay.commands import Subparsers
    from kloplei_hub.settings import HubConfig

_Run = Callable[[HouseReferee, argparse.Namespace], None]
_WHO: Final = "a name, or the number that `kloplei-hub people list` shows"
_TABLES: Final = "numbers of tables in the house, such as 1-8,12"
_MOST_TABLES: Final = 1000
_LONGEST: Final = 16
_AT_THE_DESK: Final = "referee"
_SEEDS: Final = 1 << 31


class Unclear(Unplayable):
    """What was typed means nothing here; the message says what does."""


def tables_of(written: str) -> tuple[int, ...]:
    """Return the numbers of tables that *written* means, such as 1-8,12.

    Raises:
        Unclear: It means none.
    """
    found: list[int] = []
    for part in filter(None, (one.strip() for one in written.replace(" ", ",").split(","))):
        first, dash, last = part.partition("-")
        last = last if dash else first
        if not (first.isdecimal() and last.isdecimal() and len(part) < _LONGEST):
            raise Unclear(f"{part} is no table; write them like 1-8,12.", "numbers")
        if not 0 <= int(last) - int(first) < _MOST_TABLES:
            raise Unclear(
                f"{part} are no tables; write the smaller number first, like 1-8.", "numbers"
            )
        found += range(int(first), int(last) + 1)
    return tuple(dict.fromkeys(found))


def tables_here(connection: Connection) -> tuple[int, ...]:
    """Return the numbers of all tables that go with the house."""
    ask = "SELECT number FROM boxes WHERE number IS NOT NULL AND NOT retired ORDER BY number"
    return tuple(number for (number,) in connection.execute(ask))


def opened(
    connection: Connection,
    *,
    name: str,
    game: str,
    kind: str,
    rounds: int,
    tables: str,
    auto: bool,
) -> Opened:
    """Return how a tournament opens, as somebody wrote it; without *tables* at all of the house.

    Raises:
        Unclear: Its name, game, kind or number of rounds cannot be.
    """
    called = " ".join(name.split())
    if not (0 < len(called) <= 60 and called.isprintable()):
        raise Unclear("A tournament has a name, of 1 to 60 letters.", "name")
    of_kind: Kind | None = next((one for one in get_args(Kind) if one == kind), None)
    if game not in SHAPES or of_kind is None or not 0 <= rounds <= 1000:
        raise Unclear(f"Play one of {', '.join(SHAPES)}, for 0 to 1000 rounds.")
    at = tables_of(tables) or tables_here(connection)
    return Opened(called, game, of_kind, rounds, at, secrets.randbelow(_SEEDS), auto)


def ranks_of(match: Match, winners: Iterable[int]) -> tuple[int, ...]:
    """Return the ranks of the sides of *match* where *winners* won it.

    Raises:
        Unclear: They are no side of it.
    """
    won = set(winners)
    ranks = tuple(1 if won & set(side) else 2 for side in match.sides)
    if not won or not won <= set(match.players) or ranks.count(1) != 1:
        raise Unclear("Say who won of those who play at that table, one side of them.", "winner")
    return ranks


def all_ranks_of(match: Match, written: Iterable[str]) -> tuple[int, ...]:
    """Return the ranks of the sides of *match* that are *written*, one each in the order drawn.

    Who shares a rank has the same number; whether they are ranks of it `HouseReferee.decide` says.

    Raises:
        Unclear: They are no numbers, or larger than there are sides.
    """
    told = [one.strip() for one in written]
    most = len(match.sides)
    if not all(one.isdecimal() and len(one) < _LONGEST and 1 <= int(one) <= most for one in told):
        raise Unclear(
            f"Write a rank from 1 to {most} for each side in the order of the draw, such as 2,1,3.",
            "winner",
        )
    return tuple(map(int, told))


def register(commands: "Subparsers") -> None:
    """Add ``tournament`` to the command line."""
    parser = commands.add_parser("tournament", description=__doc__)
    tasks = parser.add_subparsers(title="tasks", required=True, metavar="TASK")
    _add(tasks, "list", _list, "list the tournaments, newest first")
    _add_opening(tasks)
    _add_entries(tasks)
    _add_rounds(tasks)
    standings = _of_one(tasks, "standings", _standings, "show who stands where")
    standings.add_argument("--json", action="store_true", help="for programs")
    _of_one(tasks, "trail", _trail, "show all that happened")
    _of_one(tasks, "end", _end, "end it as it stands")


def _add_opening(tasks: Any) -> None:
    begun = _add(tasks, "open", _open, "open a tournament")
    begun.add_argument("name", help="what it is called")
    begun.add_argument("--game", default="toepen", choices=tuple(SHAPES), help="(toepen)")
    begun.add_argument("--kind", default="monster", choices=get_args(Kind), help="(monster)")
    begun.add_argument("--rounds", type=int, default=0, help="0 is as many as it takes, or pleases")
    begun.add_argument("--tables", default="", help=f"{_TABLES}; all, without")
    begun.add_argument("--auto", action="store_true", help="draw round after round by itself")


def _add_entries(tasks: Any) -> None:
    for name, run, told in (
        ("join", _join, "let people take part from the next round on"),
        ("leave", _leave, "let people take part no longer"),
    ):
        _of_one(tasks, name, run, told).add_argument("who", nargs="+", help=_WHO)
    _of_one(tasks, "tables", _tables, "play at other tables").add_argument("tables", help=_TABLES)


def _add_rounds(tasks: Any) -> None:
    _of_one(tasks, "draw", _draw, "draw the next round, and call its players")
    called = _of_one(tasks, "call", _call, "call again who has not come")
    called.add_argument("table", nargs="*", type=int, help="all that still play, without")
    came_out = _of_one(tasks, "result", _result, "say how a table came out, or put it right")
    came_out.add_argument("table", type=int, help="its number in the house")
    came_out.add_argument("winner", nargs="*", help=_WHO)
    came_out.add_argument("--ranks", help="of each side in the order of the draw, such as 2,1,3")
    came_out.add_argument("--round", type=int, help="an earlier one, where it is put right")
    came_out.add_argument("--why", default="", help="stands in the trail")


def _add(tasks: Any, name: str, run: _Run, told: str) -> argparse.ArgumentParser:
    def do(connection: Connection, arguments: argparse.Namespace, config: "HubConfig") -> None:
        run(HouseReferee(connection), arguments)

    return add_task(tasks, name, do, told)


def _of_one(tasks: Any, name: str, run: _Run, told: str) -> argparse.ArgumentParser:
    parser = _add(tasks, name, run, told)
    parser.add_argument("number", type=int, help="of the tournament, as `list` shows it")
    return parser


def _list(referee: HouseReferee, arguments: argparse.Namespace) -> None:
    numbers = referee.all()
    for number in numbers:
        stands = referee.read(number)
        state = "over" if stands.is_over else f"{len(stands.players)} take part"
        rounds = counted(len(stands.rounds), "round", "rounds")
        say(f"{number:>4}  {stands.opened.name:30}  {stands.opened.game}, {rounds}, {state}")
    if not numbers:
        say("No tournament yet. Open one with: kloplei-hub tournament open NAME")


def _open(referee: HouseReferee, arguments: argparse.Namespace) -> None:
    event = opened(
        referee.connection,
        name=arguments.name,
        game=arguments.game,
        kind=arguments.kind,
        rounds=arguments.rounds,
        tables=arguments.tables,
        auto=arguments.auto,
    )
    number = referee.open(event)
    at = ", ".join(map(str, event.tables)) or "no table yet: kloplei-hub tournament tables"
    say(f"Tournament {number} is open, at tables {at}.")
    say(f"Let people join: kloplei-hub tournament join {number} NAME ...")


def _join(referee: HouseReferee, arguments: argparse.Namespace) -> None:
    people = referee.people()
    for player in [people.find(one) for one in arguments.who]:
        is_new = referee.join(arguments.number, player)
        say(f"{people.name(player)} {'takes part' if is_new else 'takes part already'}.")


def _leave(referee: HouseReferee, arguments: argparse.Namespace) -> None:
    people = referee.people()
    for player in [people.find(one) for one in arguments.who]:
        referee.leave(arguments.number, player)
        say(f"{people.name(player)} takes part no longer.")


def _tables(referee: HouseReferee, arguments: argparse.Namespace) -> None:
    tables = tables_of(arguments.tables)
    if not tables:
        raise Unclear(f"Say {_TABLES}.")
    referee.tell(arguments.number, TablesChanged(tables))
    say(f"From the next round on: tables {', '.join(map(str, tables))}.")


def _draw(referee: HouseReferee, arguments: argparse.Namespace) -> None:
    drawn = referee.draw(arguments.number)
    people = referee.people()
    say(f"Round {drawn.number}:")
    for match in drawn.matches:
        say(f"  table {match.table:>3}  {_sides(match, people)}")
    if drawn.byes:
        say(f"  bye        {', '.join(_called(one, people) for one in drawn.byes)}")


def _call(referee: HouseReferee, arguments: argparse.Namespace) -> None:
    running = referee.read(arguments.number).running
    wanted = set(arguments.table) or {one.table for one in running}
    called = [one for one in running if one.table in wanted]
    if wanted - {one.table for one in called} or not called:
        still = ", ".join(str(one.table) for one in running) or "none"
        raise NotNow(f"Tables that still play, and can be called: {still}.")
    referee.call(arguments.number, called)
    say(f"Called to table {', '.join(str(one.table) for one in called)}.")


def _result(referee: HouseReferee, arguments: argparse.Namespace) -> None:
    number, table, round_ = arguments.number, arguments.table, arguments.round
    match = referee.match_at(number, table, round_)
    people = referee.people()
    if arguments.ranks:
        ranks = all_ranks_of(match, arguments.ranks.split(","))
    else:
        ranks = ranks_of(match, [people.find(one) for one in arguments.winner])
    referee.decide(number, table, ranks, _AT_THE_DESK, arguments.why, round_)
    say(f"Table {table}: {_ranked(match, ranks, people)}.")


def _standings(referee: HouseReferee, arguments: argparse.Namespace) -> None:
    stands, people = referee.read(arguments.number), referee.people()
    if arguments.json:
        say(json.dumps(standings_told(stands, people), ensure_ascii=False, indent=1))
        return
    for one in stands.standings():
        called = _called(one.player, people)
        say(f"{one.place:>3}  {called:30}  {one.points:>4} points, {one.won} of {one.played} won")


def standings_told(stands: Tournament, people: HousePeople) -> dict[str, Any]:
    """Return the table of a tournament as programs read it."""
    lines = [
        {
            "place": one.place,
            "person": one.player,
            "name": people.name(one.player),
            "points": one.points,
            "won": one.won,
            "played": one.played,
            "byes": one.byes,
            "opponents": one.opponents,
        }
        for one in stands.standings()
    ]
    opened = stands.opened
    return {
        "name": opened.name,
        "game": opened.game,
        "kind": opened.kind,
        "rounds": len(stands.rounds),
        "over": stands.is_over,
        "standings": lines,
    }


def _trail(referee: HouseReferee, arguments: argparse.Namespace) -> None:
    lines, people = referee.trail(arguments.number), referee.people()
    for line in lines:
        say(f"{line.number:>4}  {line.at:%Y-%m-%d %H:%M:%S}  {_happened(line.event, people)}")


def _end(referee: HouseReferee, arguments: argparse.Namespace) -> None:
    referee.end(arguments.number, _AT_THE_DESK)
    say("It is over, and stands as it stands.")


def _happened(event: TournamentEvent, people: HousePeople) -> str:
    match event:
        case Opened(name, game, kind, rounds):
            planned = counted(rounds, "round", "rounds") if rounds else "any number of rounds"
            return f"opened: {name}, {game}, {kind}, {planned}"
        case Joined(player):
            return f"joined: {_called(player, people)}"
        case Left(player):
            return f"left: {_called(player, people)}"
        case TablesChanged(tables):
            return f"tables: {', '.join(map(str, tables))}"
        case Drawn(number, matches, byes):
            drawn = counted(len(matches), "table", "tables")
            return f"round {number} drawn: {drawn}, {counted(len(byes), 'bye', 'byes')}"
        case CameOut(number, table, ranks, source, by, why):
            who = f"by {by}" if by else source
            reason = f" ({why})" if why else ""
            return f"round {number}, table {table}: {', '.join(map(str, ranks))} {who}{reason}"
        case Ended(by):
            return f"ended{f' by {by}' if by else ''}"


def _ranked(match: Match, ranks: Iterable[int], people: HousePeople) -> str:
    order = sorted(zip(ranks, match.sides, strict=True))
    return "; ".join(f"{rank}. {_side(side, people)}" for rank, side in order)


def _sides(match: Match, people: HousePeople) -> str:
    return " - ".join(_side(one, people) for one in match.sides)


def _side(side: Iterable[int], people: HousePeople) -> str:
    return " & ".join(_called(one, people) for one in side)


def _called(player: int, people: HousePeople) -> str:
    return people.name(player) or "somebody"
