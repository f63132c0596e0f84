"""Who plays whom: rounds of a tournament drawn out of who is there and what was before. Pure.

`draw_monster` gives new tables and partners each round (*MonsterDYP*: draw your partner, again and
again), to whoever is there by then; `round_robin` lets each side meet each other once, and
`bracket` begins a knock-out from a table of standings. A side is one player or several who win
together; whoever stands in no match has a bye.

No kept library draws these: the pairing systems on the index are for chess, two by two. All of it
is repeatable: the same draw comes of the same seed, which a referee may keep.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations, permutations, product
from math import exp
from typing import Final

from kloplei.files import KlopleiError

Player = int
"""A person of the house, by id."""
Side = tuple[Player, ...]
_PARTNERS_WEIGH: Final = 4
"""To have the same partner again is as bad as to meet four people again."""
_STARTS: Final = 3
_STEPS: Final = 1500
_STEPS_A_TABLE: Final = 50
_WARM: Final = 4.0
"""What may be lost by an exchange, at the beginning, with a chance of one in e."""
_SEATS_TRIED: Final = 24
_PLACES_TRIED: Final = 12


class Unplayable(KlopleiError, ValueError):
    """A tournament cannot go on so; the message says what to do.

    Args:
        message: In English, for a terminal.
        key: Of a sentence of the house's pages, below ``tournament.why``.
        facts: Which that sentence tells.
    """

    def __init__(self, message: str, key: str = "otherwise", **facts: object) -> None:
        super().__init__(message)
        self.key, self.facts = key, facts


class DrawImpossible(Unplayable):
    """Nothing can be drawn of that."""


@dataclass(frozen=True, slots=True)
class TableShape:
    """How many play at one table of a game.

    From *least* to *most*, best with *ideal*. Where *in_pairs*, four play two against two, and
    partners sit across from each other.
    """

    least: int
    most: int
    ideal: int
    in_pairs: bool = False


SHAPES: Final = {
    "toepen": TableShape(3, 8, 4),
    "watten": TableShape(4, 4, 4, in_pairs=True),
    "tarok": TableShape(3, 3, 3),
    "eenendertigen": TableShape(3, 8, 4),
}
"""By game; Watten is drawn in pairs, the others as people sit."""


@dataclass(frozen=True, slots=True)
class Match:
    """One table of a round: *players* in order of their seats, in *sides* that win together.

    *table* is its number in the house.
    """

    table: int
    players: tuple[Player, ...]
    sides: tuple[Side, ...]


@dataclass(frozen=True, slots=True)
class Round:
    """The matches of one round, by table, and who has none."""

    matches: tuple[Match, ...]
    byes: tuple[Player, ...] = ()


@dataclass(slots=True)
class Past:
    """What was drawn before, as far as it is to be avoided; `note` adds a round.

    Pairs are frozensets of two. Who comes late begins with nothing.
    """

    met: Counter[frozenset[Player]] = field(default_factory=Counter)
    partners: Counter[frozenset[Player]] = field(default_factory=Counter)
    byes: Counter[Player] = field(default_factory=Counter)
    played: Counter[Player] = field(default_factory=Counter)
    sat: Counter[tuple[Player, int]] = field(default_factory=Counter)
    """How often a player had a seat, counted from 0."""
    at: Counter[tuple[Player, int]] = field(default_factory=Counter)
    """How often a player was at a table of the house."""

    def note(self, drawn: Round) -> None:
        """Remember *drawn*."""
        self.byes.update(drawn.byes)
        for match in drawn.matches:
            self.met.update(map(frozenset, combinations(match.players, 2)))
            for side in match.sides:
                self.partners.update(map(frozenset, combinations(side, 2)))
            self.played.update(match.players)
            self.sat.update((one, seat) for seat, one in enumerate(match.players))
            self.at.update((one, match.table) for one in match.players)

    def repeats(self, drawn: Round) -> int:
        """Return how much of *drawn* was before: 0 where everybody meets new people alone.

        Two who met n times before count n squared, partners who were it n times four times that.
        """
        cost = _Cost(self)
        return sum(cost.of(one.players, len(one.sides) < len(one.players)) for one in drawn.matches)


class _Cost:
    """What it costs to put people at one table who were together before."""

    def __init__(self, past: Past) -> None:
        self._met = _squares(past.met)
        self._partners = _squares(past.partners)

    def of(self, players: Sequence[Player], in_pairs: bool) -> int:
        """Return what it costs to put *players* at one table, partners across."""
        cost = 0
        for at, one in enumerate(players):
            known = self._met.get(one)
            if known:
                cost += sum(known.get(other, 0) for other in players[at + 1 :])
        if in_pairs:
            for one, other in zip(players, players[2:], strict=False):
                cost += _PARTNERS_WEIGH * self._partners.get(one, _NOBODY).get(other, 0)
        return cost


_NOBODY: Final[dict[Player, int]] = {}


def _squares(counted: Counter[frozenset[Player]]) -> dict[Player, dict[Player, int]]:
    squares: dict[Player, dict[Player, int]] = {}
    for (one, other), times in ((tuple(pair), n) for pair, n in counted.items()):
        squares.setdefault(one, {})[other] = times**2
        squares.setdefault(other, {})[one] = times**2
    return squares


def draw_monster(
    players: Iterable[Player], shape: TableShape, tables: Sequence[int], past: Past, seed: int
) -> Round:
    """Return a round for all *players* who are there, with as few repeats as can be found.

    Everybody plays whom the tables and the game have room for; a bye goes to who had the fewest,
    and of them to who has played most.

    Args:
        players: Who is there, in any order.
        shape: Of the game.
        tables: Numbers of the tables that are free.
        past: What was drawn before.
        seed: Of the draw; the same one draws the same.

    Raises:
        DrawImpossible: There are too few for one table, or no table.
    """
    luck = random.Random(seed)  # noqa: S311 - a draw that a referee can repeat
    there = _due_to_rest(players, past, luck)
    sizes = table_sizes(len(there), shape, len(tables))
    idle = len(there) - sum(sizes)
    found = _best_tables(there[idle:], sizes, _Cost(past), luck, in_pairs=shape.in_pairs)
    seated = [_seated(one, shape, past, luck) for one in found]
    matches = [replace_sides(one, shape) for one in _placed(seated, tables, past, luck)]
    return Round(tuple(sorted(matches, key=lambda one: one.table)), tuple(sorted(there[:idle])))


def table_sizes(players: int, shape: TableShape, tables: int) -> list[int]:
    """Return how many sit at each table: as few byes as can be, then as near to ideal.

    Raises:
        DrawImpossible: There are too few for one table, or no table.
    """
    fits = [
        (players - seated, abs(seated / count - shape.ideal), count, seated)
        for count in range(1, tables + 1)
        if (seated := min(players, count * shape.most)) >= count * shape.least
    ]
    if not fits:
        raise DrawImpossible(
            f"{players} players and {tables} free tables make no round; "
            f"one table takes {shape.least} of them.",
            "few",
            players=players,
            least=shape.least,
        )
    *_, count, seated = min(fits)
    return [seated // count + (at < seated % count) for at in range(count)]


def round_robin(sides: Sequence[Side], tables: Sequence[int]) -> list[Round]:
    """Return rounds in which each of *sides* meets each other once; of an odd number one rests.

    Where there are fewer *tables* than matches of a round, it is played in several.

    Raises:
        DrawImpossible: Fewer than two sides, or no table.
    """
    if len(sides) < 2 or not tables:
        raise DrawImpossible("A round robin needs two sides at the least, and a table.", "sides")
    circle: list[Side | None] = [*sides, *([None] if len(sides) % 2 else [])]
    half = len(circle) // 2
    rounds: list[Round] = []
    for _ in range(len(circle) - 1):
        pairs = list(zip(circle[:half], reversed(circle[half:]), strict=True))
        rounds += _in_turns([(a, b) for a, b in pairs if a and b], sides, tables)
        circle = [circle[0], circle[-1], *circle[1:-1]]
    return rounds


def bracket(seeds: Sequence[Side]) -> list[tuple[Side, Side | None]]:
    """Return the first round of a knock-out, from a table of standings, best first.

    Where they are no power of two the best have a bye (None); the two best meet in the final at the
    earliest. The winners, in this order, are `next_pairs`' next ones.

    Raises:
        DrawImpossible: Fewer than two sides.
    """
    if len(seeds) < 2:
        raise DrawImpossible("A knock-out needs two sides at the least.", "sides")
    order = [0]
    while len(order) < len(seeds):
        order = [one for at in order for one in (at, 2 * len(order) - 1 - at)]
    places = [seeds[at] if at < len(seeds) else None for at in order]
    pairs = zip(places[::2], places[1::2], strict=True)
    return [(first or (), other) for first, other in pairs]


def next_pairs(winners: Sequence[Side]) -> list[tuple[Side, Side]]:
    """Return who meets whom next in a knock-out; empty where one is left, who has won it."""
    return list(zip(winners[::2], winners[1::2], strict=True)) if len(winners) > 1 else []


def replace_sides(match: Match, shape: TableShape) -> Match:
    """Return *match* with the sides of a game of that *shape*."""
    players = match.players
    if shape.in_pairs:
        return replace(match, sides=(players[::2], players[1::2]))
    return replace(match, sides=tuple((one,) for one in players))


def _due_to_rest(players: Iterable[Player], past: Past, luck: random.Random) -> list[Player]:
    """Return *players*, first who had the fewest byes, and of them who has played most."""
    there = sorted(set(players))
    luck.shuffle(there)
    return sorted(there, key=lambda one: (past.byes[one], -past.played[one]))


def _best_tables(
    players: Sequence[Player],
    sizes: Sequence[int],
    cost: _Cost,
    luck: random.Random,
    *,
    in_pairs: bool,
) -> list[list[Player]]:
    """Return *players* at tables of these *sizes*, as near to no repeats as some tries come."""
    found: list[tuple[int, list[list[Player]]]] = []
    for _ in range(_STARTS):
        left = iter(luck.sample(players, len(players)))
        tables = [[next(left) for _ in range(size)] for size in sizes]
        found.append(_annealed(tables, lambda one: cost.of(one, in_pairs), luck))
        if not found[-1][0]:
            break
    return min(found)[1]


def _annealed(
    tables: list[list[Player]], cost: Callable[[Sequence[Player]], int], luck: random.Random
) -> tuple[int, list[list[Player]]]:
    """Let people change places, ever less often for the worse; return the best that was met."""
    costs = [cost(one) for one in tables]
    total = least = sum(costs)
    best = [list(one) for one in tables]
    steps = _STEPS + _STEPS_A_TABLE * len(tables)
    for step in range(steps):
        if not least:
            break
        at = luck.choices(range(len(tables)), weights=costs)[0] if total else 0
        other = luck.randrange(len(tables))
        here, there = luck.randrange(len(tables[at])), luck.randrange(len(tables[other]))
        a, b = tables[at], tables[other]
        a[here], b[there] = b[there], a[here]
        after = {at: cost(a), other: cost(b)}
        worse = sum(after.values()) - sum(costs[one] for one in after)
        warmth = _WARM * (1 - step / steps)
        if worse > 0 and luck.random() >= exp(-worse / warmth):
            a[here], b[there] = b[there], a[here]
            continue
        costs[at], costs[other] = after[at], after[other]
        total += worse
        if total < least:
            least, best = total, [list(one) for one in tables]
    return least, best


def _seated(
    players: Sequence[Player], shape: TableShape, past: Past, luck: random.Random
) -> tuple[Player, ...]:
    """Return *players* in the order of seats in which fewest have a seat that they had before."""

    def repeats(order: Sequence[Player]) -> int:
        return sum(past.sat[one, seat] for seat, one in enumerate(order))

    return min(_orders(players, shape, luck), key=repeats)


def _orders(
    players: Sequence[Player], shape: TableShape, luck: random.Random
) -> Iterator[tuple[Player, ...]]:
    """Yield some orders of seats; partners stay across from each other."""
    if not shape.in_pairs:
        for _ in range(_SEATS_TRIED):
            yield tuple(luck.sample(players, len(players)))
        return
    pairs = (players[::2], players[1::2])
    ways = list(product(permutations(pairs), permutations(range(2)), permutations(range(2))))
    for (one, other), turn, turned in luck.sample(ways, len(ways)):
        a, c = (one[at] for at in turn)
        b, d = (other[at] for at in turned)
        yield (a, b, c, d)


def _placed(
    drawn: Sequence[tuple[Player, ...]], tables: Sequence[int], past: Past, luck: random.Random
) -> list[Match]:
    """Return a match for each of *drawn* at one of *tables*, where fewest have been before."""

    def been(players: Iterable[Player], table: int) -> int:
        return sum(past.at[who, table] ** 2 for who in players)

    def placed() -> list[Match]:
        free, matches = list(tables), []
        for players in luck.sample(drawn, len(drawn)):
            table = min(free, key=partial(been, players))
            free.remove(table)
            matches.append(Match(table, players, ()))
        return matches

    tries = [placed() for _ in range(_PLACES_TRIED)]
    return min(tries, key=lambda one: sum(been(match.players, match.table) for match in one))


def _in_turns(
    pairs: Sequence[tuple[Side, Side]], sides: Sequence[Side], tables: Sequence[int]
) -> Iterator[Round]:
    """Yield *pairs* as rounds of as many matches as there are tables."""
    everybody = {one for side in sides for one in side}
    for at in range(0, len(pairs), len(tables)):
        some = pairs[at : at + len(tables)]
        matches = tuple(
            Match(table, _alternating(a, b), (a, b))
            for table, (a, b) in zip(tables, some, strict=False)
        )
        playing = {one for match in matches for one in match.players}
        yield Round(matches, tuple(sorted(everybody - playing)))


def _alternating(a: Side, b: Side) -> tuple[Player, ...]:
    """Return both sides as they sit, by turns around the table."""
    both = [one for two in zip(a, b, strict=False) for one in two]
    return (*both, *a[len(b) :], *b[len(a) :])
