"""From what games count to the numbers that are told of a player (docs/history.md has each).

All is made of `Summed` rows: what all counts of one kind came to for one player, over whatever
evenings are meant. The whole table's are the rows of everybody together, so that the numbers of a
season stand beside what was usual in that season.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache, cached_property
from itertools import groupby
from math import sqrt
from operator import itemgetter
from typing import Any, NamedTuple

from kloplei.games.catalogue import GAMES
from kloplei.games.statistics import Statistic, Total
from kloplei.table.history_client import Told

_SURE = 1.645  # nine times out of ten


class Summed(NamedTuple):
    """What all counts of one kind came to for one *player*, in the order of a database's columns.

    *against* is the player it was about; where it was about nobody, None.
    """

    player: int
    game: str
    what: str
    detail: str
    against: int | None
    value: float
    n: int
    most: float
    least: float


class _Book:
    """What somebody's counts of one game came to, or everybody's."""

    def __init__(self) -> None:
        self.sums: dict[tuple[str, str], Total] = {}
        self.about: dict[str, list[Summed]] = {}
        self.players = 0  # whose counts were taken in

    def enter(self, rows: Iterable[Summed]) -> None:
        """Add *rows* to what is known."""
        found: defaultdict[tuple[str, str], list[Summed]] = defaultdict(list)
        for row in rows:  # some fifty thousand, where everybody is asked about
            found[row[2], row[3]].append(row)
        for (what, detail), alike in found.items():
            *_, values, cases, most, least = zip(*alike, strict=True)
            self.sums.setdefault((what, detail), Total()).add(
                sum(values), sum(cases), max(most), min(least)
            )
            self.about.setdefault(what, []).extend(row for row in alike if row[4] is not None)

    def take_in(self, other: "_Book") -> None:
        """Add what is known of one more player."""
        for kind, one in other.sums.items():
            self.sums.setdefault(kind, Total()).add(one.value, one.n, one.most, one.least)
        self.players += 1

    @cached_property
    def all(self) -> dict[str, Total]:
        """What it all came to, of whichever detail."""
        found: dict[str, Total] = {}
        for (what, _), one in self.sums.items():
            found.setdefault(what, Total()).add(one.value, one.n, one.most, one.least)
        return found

    def kinds(self, what: str) -> Iterator[tuple[str, Total]]:
        """Yield what *what* came to of each detail: of numbers in their order, then of words."""
        found = ((kind, one) for (of, kind), one in self.sums.items() if of == what)
        yield from sorted(found, key=lambda one: (one[0].rjust(3), one[0]))


def numbers(
    rows: Iterable[Summed], names: Mapping[int, str], only: Collection[int] | None = None
) -> dict[int, tuple[Told, ...]]:
    """Return what is told of each player, game by game in the order of the catalogue.

    A number stands on a case at least; on fewer than its `few` it has no value.

    Args:
        rows: Those of everybody, for they are the table that each is compared with; quickest where
            those of a player and game stand together.
        names: What the players are called. Nobody is compared with one who has no name, or only
            that of a seat: that was somebody else each time.
        only: Who is asked about; None is everybody.
    """
    books: dict[str, dict[int, _Book]] = {game: {} for game in GAMES}
    for (game, player), own in groupby(rows, key=itemgetter(1, 0)):
        if game in books:  # a later version plays others
            books[game].setdefault(player, _Book()).enter(own)
    told: defaultdict[int, tuple[Told, ...]] = defaultdict(tuple)
    for game, players in books.items():
        table = _Book()
        for book in players.values():
            table.take_in(book)
        for player, book in players.items():
            if only is None or player in only:
                told[player] += tuple(_told(game, book, table, names))
    return dict(told)


def statistics_of(game: str) -> tuple[Statistic, ...]:
    """Return what may be told of a player of *game*; nothing where nobody counts it."""
    return getattr(_counted(game), "STATISTICS", ())


@cache
def _counted(game: str) -> Any:
    return GAMES[game].statistics


def _told(game: str, own: _Book, table: _Book, names: Mapping[Any, str]) -> Iterator[Told]:
    for one in statistics_of(game):
        if one.kind == "derived":
            yield from _derived(game, one, own, table)
        elif one.is_against:
            yield from _against(game, one, own, table, names)
        elif one.by_detail:
            for kind, found in own.kinds(one.of):
                usual = table.sums[one.of, kind]
                yield _number(game, one, found, _usual(one, usual, table), detail=kind)
        elif one.of in own.all:
            yield _number(game, one, own.all[one.of], _usual(one, table.all[one.of], table))


def _number(
    game: str,
    one: Statistic,
    found: Total,
    mean: float | None,
    *,
    detail: str = "",
    against: str = "",
) -> Told:
    value = _value(one, found) if found.n >= one.few else None
    low, high = (None, None)
    if value is not None and one.kind == "share":
        low, high = likely_share(found.value, found.n)
    return Told(
        *(one.key, game, value, found.n, one.few, one.unit, mean),
        against=against,
        detail=detail,
        low=low,
        high=high,
    )


def _value(one: Statistic, found: Total) -> float:
    match one.kind:
        case "share" | "mean":
            return found.value / found.n
        case "sum":
            return found.value
        case "cases":
            return found.n
        case "most":
            return found.most
        case _:
            return found.least


def _usual(one: Statistic, found: Total, table: _Book) -> float | None:
    """Return what *one* is at the whole table, where that stands on enough.

    Of what is summed up it is what a player has on average, of records the table's own.
    """
    if found.n < one.few:
        return None
    value = _value(one, found)
    return value / table.players if one.kind in ("sum", "cases") else value


def _against(
    game: str, one: Statistic, own: _Book, table: _Book, names: Mapping[Any, str]
) -> Iterator[Told]:
    """Yield *one* of whom it is largest against; of equals whom it stands on more cases."""
    about = [row for row in own.about.get(one.of, ()) if names.get(row[4])]
    if not about:
        return
    enough = [row for row in about if row[6] >= one.few]
    is_share = one.kind == "share"
    # Loops over plain rows: there is one for each two people who ever sat at one table.
    ranked = [(v / n if is_share else v, n, who) for *_, who, v, n, _, _ in enough or about]
    value, n, who = max(ranked)
    if enough and not value:
        return  # there is no such person
    total = value * n if is_share else value
    name = names[who] if enough else ""
    mean = _usual(one, table.all[one.of], table) if is_share else None
    yield _number(game, one, Total(total, n), mean, against=name)


def _derived(game: str, one: Statistic, own: _Book, table: _Book) -> Iterator[Told]:
    derive = _counted(game).DERIVED[one.key]
    found, usual = derive(own.sums, table.sums), derive(table.sums, table.sums)
    if found is not None:
        value, n = found
        mean = usual[0] if usual and usual[1] >= one.few else None
        told = value if n >= one.few else None
        yield Told(one.key, game, told, n, one.few, one.unit, mean)


def likely_share(value: float, n: int) -> tuple[float, float]:
    """Return between what a share of *value* in *n* may well lie in truth, nine times out of ten.

    It is Wilson's interval, which says something sensible of 0 and of all as well.
    """
    share, z2 = value / n, _SURE**2
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    reach = _SURE / (1 + z2 / n) * sqrt(share * (1 - share) / n + z2 / (4 * n * n))
    return min(share, max(0.0, middle - reach)), max(share, min(1.0, middle + reach))
