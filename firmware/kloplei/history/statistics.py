"""From what games count to the numbers that are told of a player (docs/history.md has each).

All is made of `Summed` rows: what all counts of one kind came to for one player, over whatever
evenings are meant. The whole table's are the rows of everybody together, so that the numbers of a
season stand beside what was usual in that season.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, cached_property
from math import sqrt
from typing import Any

from kloplei.games.catalogue import GAMES
from kloplei.games.statistics import Statistic, Total
from kloplei.table.history_client import Told

_SURE = 1.645  # nine times out of ten


Summed = tuple[str, str, str, str, str, float, int, float, float]
"""What all counts of one kind came to for one player, as a database has it: the player, the game,
what was counted and its detail, the player it was against or nothing, value, n, most and least."""


class Book:
    """What somebody's counts of one game came to, or those of all who were *players* in it."""

    def __init__(self, players: int = 0) -> None:
        self.sums: dict[tuple[str, str], Total] = {}
        self.about: dict[str, dict[str, Total]] = {}
        self.players = players

    def enter(self, row: Summed) -> None:
        """Add *row* to what is known."""
        # Some fifty thousand, where everybody is asked about: nothing is made that is there.
        player, _, what, detail, against, value, n, most, least = row
        found = self.sums.get((what, detail))
        if found is None:
            found = self.sums[what, detail] = Total()
        found.add(value, n, most, least)
        if against and against != player:  # two who are one since, and sat together
            others = self.about.get(what)
            if others is None:
                others = self.about[what] = {}
            other = others.get(against)
            if other is None:
                other = others[against] = Total()
            other.add(value, n, most, least)

    def take_in(self, other: "Book") -> None:
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
    rows: Iterable[Summed], names: Mapping[str, str], table: Mapping[str, Book] | None = None
) -> dict[str, tuple[Told, ...]]:
    """Return what is told of each player in *rows*, game by game in the order of the catalogue.

    A number stands on a case at least; on fewer than its `few` it has no value.

    Args:
        rows: Those of whoever is asked about.
        names: What the players are called. Nobody is compared with one who has no name, or only
            that of a seat: that was somebody else each time.
        table: What each is compared with, by game; None where *rows* are those of everybody.
    """
    books: dict[str, defaultdict[str, Book]] = {game: defaultdict(Book) for game in GAMES}
    for row in rows:
        if row[1] in books:  # a later version plays others
            books[row[1]][row[0]].enter(row)
    told: defaultdict[str, tuple[Told, ...]] = defaultdict(tuple)
    for game, players in books.items():
        whole = _together(players.values()) if table is None else table.get(game, Book())
        for player, book in players.items():
            told[player] += tuple(_told(game, book, whole, names))
    return dict(told)


def _together(books: Iterable[Book]) -> Book:
    table = Book()
    for book in books:
        table.take_in(book)
    return table


def statistics_of(game: str) -> tuple[Statistic, ...]:
    """Return what may be told of a player of *game*; nothing where nobody counts it."""
    return getattr(_counted(game), "STATISTICS", ())


@cache
def _counted(game: str) -> Any:
    return GAMES[game].statistics


def _told(game: str, own: Book, table: Book, names: Mapping[str, str]) -> Iterator[Told]:
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


def _usual(one: Statistic, found: Total, table: Book) -> float | None:
    """Return what *one* is at the whole table, where that stands on enough.

    Of what is summed up it is what a player has on average, of records the table's own.
    """
    if found.n < one.few:
        return None
    value = _value(one, found)
    return value / table.players if one.kind in ("sum", "cases") else value


def _against(
    game: str, one: Statistic, own: Book, table: Book, names: Mapping[str, str]
) -> Iterator[Told]:
    """Yield *one* of whom it is largest against; of equals whom it stands on more cases."""
    about = [(who, of) for who, of in own.about.get(one.of, {}).items() if names.get(who)]
    if not about:
        return
    enough = [(who, of) for who, of in about if of.n >= one.few]
    is_share = one.kind == "share"
    # There is one for each two people who ever sat at one table.
    ranked = [(of.value / of.n if is_share else of.value, of.n, who) for who, of in enough or about]
    value, n, who = max(ranked)
    if enough and not value:
        return  # there is no such person
    total = value * n if is_share else value
    name = names[who] if enough else ""
    mean = _usual(one, table.all[one.of], table) if is_share else None
    yield _number(game, one, Total(total, n), mean, against=name)


def _derived(game: str, one: Statistic, own: Book, table: Book) -> Iterator[Told]:
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
