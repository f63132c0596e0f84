"""Seasons: a name, a start and a rule, and the table of honour that comes of them.

They are what people have, so they stand in a file of their own, which a backup takes along.
"""

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple, get_args

from kloplei.config.settings import SEASONS
from kloplei.files import atomic_write, read_limited
from kloplei.frozen import replace
from kloplei.table.client import BadRequest
from kloplei.table.history_client import Evening, Honours, Player, Rule, Season
from kloplei.table.schema import Misfit, dump, load
from kloplei.words import Sentence
from kloplei.words.dates import is_known

MOST_NAME = 40
MOST_COUNTED: Final = 1000
"""Points a rubber, and evenings that count."""
_MOST_SEASONS = 200
_LARGEST = 1 << 20


class Honour(NamedTuple):
    """What one evening brought one player in one game."""

    rubbers: int = 0
    bought: int = 0
    drunk: int = 0
    crowns: int = 0
    points: int = 0
    settled: int = 0


class Won(NamedTuple):
    """What *player*, known by *key*, had of the *evening* of that number in one game."""

    key: str
    player: Player
    evening: int
    honour: Honour


class SeasonFile:
    """The seasons of the folder *data*; for one thread at a time.

    Raises:
        UnreadableFile: It cannot be read.
    """

    def __init__(self, data: Path) -> None:
        self._path = data / SEASONS

    def read(self) -> tuple[Season, ...]:
        """Return the seasons, newest first; a file that is none counts as empty, and is kept.

        Raises:
            UnreadableFile: It cannot be read now.
        """
        if not self._path.exists():
            return ()
        found = self._found() or ()
        return tuple(sorted(found, key=lambda one: (one.since, one.id), reverse=True))

    def _found(self) -> tuple[Season, ...] | None:
        """Return what the file says, None where it says something else."""
        raw = read_limited(self._path, _LARGEST, "for a list of seasons")
        try:
            return load(tuple[Season, ...], json.loads(raw)["seasons"])
        except (ValueError, TypeError, LookupError, RecursionError, Misfit):
            return None

    def begin(self, season: Season) -> Season:
        """Write *season* down under a number of its own.

        Raises:
            BadRequest: A name that cannot be written, or numbers that make no rule.
            OSError: It could not be written; nothing has changed.
        """
        name = checked_name(season.name, season.since, season.rule, season.points, season.best)
        seasons = self.read()
        if len(seasons) >= _MOST_SEASONS:
            raise BadRequest(Sentence("season-too-many", most=_MOST_SEASONS))
        number = max((one.id for one in seasons), default=0) + 1
        begun = replace(season, id=number, name=name)
        self._write((begun, *seasons))
        return begun

    def end(self, season: int) -> None:
        """Take *season* away.

        Raises:
            BadRequest: There is none.
            OSError: It could not be written; nothing has changed.
        """
        seasons = self.read()
        if season not in [one.id for one in seasons]:
            raise BadRequest(Sentence("no-such-season"))
        self._write(tuple(one for one in seasons if one.id != season))

    def _write(self, seasons: tuple[Season, ...]) -> None:
        if self._path.exists() and self._found() is None:
            self._path.replace(self._path.with_name(f"{SEASONS}.unreadable"))
        told = json.dumps({"seasons": dump(seasons, tuple[Season, ...])}, indent=1)
        atomic_write(self._path, told.encode(), 0o600)


def checked_name(name: str, since: float | None, rule: str, points: int, best: int) -> str:
    """Return *name* as it is kept, if there may be a season of that name, start and rule.

    Raises:
        BadRequest: A name that cannot be written, or numbers that make no rule.
    """
    kept = " ".join(name.split())
    if not (kept.isprintable() and 0 < len(kept) <= MOST_NAME):
        raise BadRequest(Sentence("season-name", most=MOST_NAME))
    numbers = 1 <= points <= MOST_COUNTED and 0 <= best <= MOST_COUNTED
    if rule not in get_args(Rule) or not numbers or not (since is None or is_known(since)):
        raise BadRequest(Sentence("season-rule", most=MOST_COUNTED))
    return kept


def chosen_season(
    seasons: Collection[Season], wanted: int | None
) -> tuple[Season | None, tuple[float | None, float | None]]:
    """Return the *wanted* one of *seasons*, with when it begins and ends; None wants all evenings.

    Raises:
        BadRequest: There is no such season.
    """
    if wanted is None:
        return None, (None, None)
    found = next((one for one in seasons if one.id == wanted), None)
    if found is None:
        raise BadRequest(Sentence("no-such-season"))
    return found, span_of(found, seasons)


def span_of(season: Season, seasons: Iterable[Season]) -> tuple[float, float | None]:
    """Return when *season* begins, and when the next one of *seasons* does."""
    later = (one.since for one in seasons if (one.since, one.id) > (season.since, season.id))
    return season.since, min(later, default=None)


def honours_of(evening: Evening) -> Mapping[tuple[int, str], Honour]:
    """Return what *evening* brought whom in which game."""
    found: defaultdict[tuple[int, str], Honour] = defaultdict(Honour)
    games = {one.number: one.game for one in evening.rubbers}
    for hand in evening.hands:
        for player in hand.tallies:
            found[player, hand.game] = found[player, hand.game]
    for player, game, honour in (*_of_rubbers(evening), *_of_settlements(evening, games)):
        before = found[player, game]
        found[player, game] = Honour(*map(sum, zip(before, honour, strict=True)))
    return found


def _of_rubbers(evening: Evening) -> Iterator[tuple[int, str, Honour]]:
    for one in evening.rubbers:
        for player in one.winners:
            yield player, one.game, Honour(rubbers=1)
        for player in one.crowned:
            yield player, one.game, Honour(crowns=1)
        for player, points in one.points.items():
            yield player, one.game, Honour(points=points)


def _of_settlements(
    evening: Evening, games: Mapping[int, str]
) -> Iterator[tuple[int, str, Honour]]:
    rounds = {(one.rubber, one.payer) for one in evening.settled if one.unit == "round"}
    for rubber, payer in sorted(rounds):
        yield payer, games[rubber], Honour(bought=1)
        for other in sorted(_sat_in(evening, rubber) - {payer}):
            yield other, games[rubber], Honour(drunk=1)
    for one in evening.settled:
        if one.unit != "round":
            yield one.payer, games[one.rubber], Honour(settled=-one.amount)
            yield one.payee, games[one.rubber], Honour(settled=one.amount)


def _sat_in(evening: Evening, rubber: int) -> set[int]:
    """Return who sat there as *rubber* ended: a round is for the table, as in the statistics."""
    hands = [one for one in evening.hands if one.rubber == rubber]
    return set(hands[-1].tallies) if hands else set()


def ranked(won: Iterable[Won], season: Season | None) -> tuple[Honours, ...]:
    """Return the table of honour of one game, the best first, by the rule of *season*."""
    by_player: defaultdict[str, list[Won]] = defaultdict(list)
    for one in won:
        by_player[one.key].append(one)
    lines = [_line(number, some, season) for number, some in enumerate(by_player.values(), 1)]
    lines.sort(key=lambda one: (-one.score, -one.rubbers, one.evenings, one.player.name))
    scores = [one.score for one in lines]
    placed = (replace(one, place=scores.index(one.score) + 1) for one in lines)
    return tuple(placed)


def _line(number: int, won: list[Won], season: Season | None) -> Honours:
    whole = Honour(*map(sum, zip(*(one.honour for one in won), strict=True)))
    return Honours(
        player=replace(won[-1].player, number=number),
        evenings=len({one.evening for one in won}),
        rubbers=whole.rubbers,
        score=_score(won, season),
        bought=whole.bought,
        drunk=whole.drunk,
        crowns=whole.crowns,
        points=whole.points,
        settled=whole.settled,
    )


def _score(won: list[Won], season: Season | None) -> float:
    """Return what *won* counts: by wins, by points a rubber, or the best evenings of each."""
    rubbers = [one.honour.rubbers for one in won]
    match season.rule if season else "wins":
        case "points":
            each = season.points if season else 1
            # Where the house plays a tournament, it has said itself what a rubber is worth.
            return sum(one.honour.points or each * one.honour.rubbers for one in won)
        case "best":
            most = (season.best if season else 0) or len(rubbers)
            return sum(sorted(rubbers, reverse=True)[:most])
    return sum(rubbers)
