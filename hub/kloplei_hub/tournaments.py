"""A tournament: who is in it, what was drawn, how it came out; a fold of its own trail. Pure.

What a referee or a table does is an event, written down and never erased: a result that was wrong
is corrected by another event, which says who did it and why. `Tournament.after` applies one;
`draw` and `result_of` find the next ones. Who has how many points: `TournamentStanding`.

Players are people of the house by id, tables go by their number in the house.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from itertools import chain
from typing import Annotated, Final, Literal

from kloplei.frozen import dataclass, replace
from kloplei.table.history_client import Evening, PlayedRubber
from kloplei_hub.draws import (
    SHAPES,
    Match,
    Past,
    Player,
    Round,
    Side,
    Unplayable,
    bracket,
    draw_monster,
    next_pairs,
    round_robin,
)

Kind = Literal["monster", "robin", "knockout"]
FULL: Final = 10
"""What it is worth to be the best of a table; to beat half of the others is worth half of it."""
Since = tuple[int, int]
"""The number that a table's newest evening has in the house, and how many rubbers of it are over.

In trails of before it is after which entry that evening began: a box that was put back from a
backup had to play as far again as it had been, before anything of it counted.
"""
BYE: Final = 5
"""What who has none to play against gets for that round."""


class NotNow(Unplayable):
    """It cannot be done as the tournament stands; the message says what has to be done first."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A tournament of *game* begins, for *rounds* rounds; 0 is as many as it takes, or pleases.

    Where it is *auto*, each round after the first is drawn as soon as the one before has come out,
    and it ends by itself after its last.
    """

    name: str
    game: str
    kind: Kind = "monster"
    rounds: int = 0
    tables: tuple[int, ...] = ()
    seed: Annotated[int, "Of its draws, which a referee can repeat"] = 0
    auto: bool = False


@dataclass(frozen=True, slots=True)
class Joined:
    """A *player* takes part from the next round on."""

    player: Player


@dataclass(frozen=True, slots=True)
class Left:
    """A *player* takes part no longer."""

    player: Player


@dataclass(frozen=True, slots=True)
class TablesChanged:
    """From the next round on these *tables* are played at."""

    tables: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Drawn:
    """Round number *number* is played like this."""

    number: int
    matches: tuple[Match, ...]
    byes: tuple[Player, ...] = ()
    since: Annotated[Mapping[int, Since], "By table, where there is no `told` yet"] = field(
        default_factory=dict
    )
    told: Annotated[Mapping[int, Since], "By table; what was told before is none of it"] = field(
        default_factory=dict
    )


@dataclass(frozen=True, slots=True)
class CameOut:
    """How the match at *table* in a *round* came out: a rank for each of its sides, best 1.

    *source* is box, era, evening and rubber where a table told it; else *by* says who did. What
    came out otherwise before is corrected by it, and *why* says why.
    """

    round: int
    table: int
    ranks: tuple[int, ...]
    source: str = ""
    by: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class Ended:
    """It is over, and stands as it stands."""

    by: str = ""


TournamentEvent = Opened | Joined | Left | TablesChanged | Drawn | CameOut | Ended
EVENTS: Final[Mapping[str, type]] = {
    one.__name__: one for one in (Opened, Joined, Left, TablesChanged, Drawn, CameOut, Ended)
}
"""By the name under which they are written down."""


@dataclass(frozen=True, slots=True)
class TournamentStanding:
    """One line of the table: *points*, matches *won* and *played*, and what opponents have.

    Players with the same of all have the same *place*.
    """

    player: Player
    place: int
    points: int
    won: int
    played: int
    byes: int
    opponents: Annotated[int, "Points of all who were played against"]


@dataclass(frozen=True, slots=True)
class Tournament:
    """A tournament as it stands; all that was drawn, in order, and what came out of it."""

    opened: Opened
    players: tuple[Player, ...] = ()
    """Who takes part now, in the order in which they joined."""
    tables: tuple[int, ...] = ()
    rounds: tuple[Drawn, ...] = ()
    results: Mapping[tuple[int, int], CameOut] = field(default_factory=dict)
    """The newest of each match, by round and table."""
    is_over: bool = False
    began: tuple[tuple[Player, ...], tuple[int, ...]] | None = None
    """Players and tables as they were when the first round was drawn: who comes later to a round
    robin or a knock-out only watches."""

    def after(self, event: TournamentEvent) -> "Tournament":
        """Return the tournament once *event* has happened."""
        match event:
            case Joined(player):
                return replace(self, players=(*self._without(player), player))
            case Left(player):
                return replace(self, players=self._without(player))
            case TablesChanged(tables):
                return replace(self, tables=tables)
            case Drawn():
                began = self.began or (self.players, self.tables)
                return replace(self, rounds=(*self.rounds, event), began=began)
            case CameOut(number, table):
                return replace(self, results={**self.results, (number, table): event})
            case Ended():
                return replace(self, is_over=True)
            case Opened():
                return Tournament(event, tables=event.tables)

    @property
    def running(self) -> tuple[Match, ...]:
        """The matches of the newest round that have not come out yet."""
        if not self.rounds or self.is_over:
            return ()
        newest = self.rounds[-1]
        return tuple(
            one for one in newest.matches if (newest.number, one.table) not in self.results
        )

    @property
    def past(self) -> Past:
        """What was drawn so far."""
        past = Past()
        for drawn in self.rounds:
            past.note(Round(drawn.matches, drawn.byes))
        return past

    @property
    def is_played(self) -> bool:
        """Whether no round is left to be drawn."""
        if self.running:
            return False
        if self.opened.kind == "monster":
            return 0 < self.opened.rounds <= len(self.rounds)
        return bool(self.rounds) and not self._next_rounds()

    @property
    def is_final(self) -> bool:
        """Whether the newest round is the last of a knock-out."""
        if self.opened.kind != "knockout" or not self.rounds:
            return False
        return 1 << len(self.rounds) >= len(self._sides())

    def standings(self) -> tuple[TournamentStanding, ...]:
        """Return the table: who has most points, then who won most, then the strongest others."""
        points, won, played = Counter[Player](), Counter[Player](), Counter[Player]()
        against: dict[Player, list[Player]] = {}
        for match, result in self._came_out():
            for side, rank in zip(match.sides, result.ranks, strict=True):
                others = [one for one in match.players if one not in side]
                for player in side:
                    played[player] += 1
                    won[player] += rank == min(result.ranks)
                    points[player] += _points(rank, result.ranks)
                    against.setdefault(player, []).extend(others)
        byes = Counter(chain.from_iterable(drawn.byes for drawn in self.rounds))
        if self.opened.kind == "monster":
            points.update({one: BYE * times for one, times in byes.items()})
        strength = Counter(
            {one: sum(points[other] for other in them) for one, them in against.items()}
        )
        everybody = {*self.players, *points, *byes, *played}
        merits = {one: (points[one], won[one], strength[one]) for one in everybody}
        order = sorted(merits.values(), reverse=True)
        lines = [
            TournamentStanding(
                player=one,
                place=order.index(merit) + 1,
                points=points[one],
                won=won[one],
                played=played[one],
                byes=byes[one],
                opponents=strength[one],
            )
            for one, merit in merits.items()
        ]
        return tuple(sorted(lines, key=lambda line: (line.place, line.player)))

    def draw(self) -> Drawn:
        """Return the next round.

        Raises:
            NotNow: Results are missing, it is over, or nothing is left to play.
            DrawImpossible: Too few players, or tables.
        """
        if self.is_over or self.is_played:
            raise NotNow("The tournament is over; open another one.", "over")
        if missing := [one.table for one in self.running]:
            told = ", ".join(map(str, missing))
            raise NotNow(
                f"Not every match has come out yet; still playing: table {told}.",
                "playing",
                tables=told,
            )
        number = len(self.rounds) + 1
        if self.opened.kind == "monster":
            shape, seed = SHAPES[self.opened.game], self.opened.seed * 1000 + number
            drawn = draw_monster(self.players, shape, self.tables, self.past, seed)
        else:
            drawn = self._next_rounds()[0]
        return Drawn(number, drawn.matches, drawn.byes)

    def _without(self, player: Player) -> tuple[Player, ...]:
        return tuple(one for one in self.players if one != player)

    def _came_out(self) -> Iterable[tuple[Match, CameOut]]:
        for drawn in self.rounds:
            for match in drawn.matches:
                result = self.results.get((drawn.number, match.table))
                if result is not None:
                    yield match, result

    def _sides(self) -> list[Side]:
        """Return who plays together all the way: two and two as they joined, or each alone."""
        players, _ = self.began or (self.players, self.tables)
        each = 2 if SHAPES[self.opened.game].in_pairs else 1
        if len(players) % each:
            raise NotNow("One player has no partner; let somebody join, or leave.", "partner")
        return [players[at : at + each] for at in range(0, len(players), each)]

    def _next_rounds(self) -> list[Round]:
        _, tables = self.began or (self.players, self.tables)
        if self.opened.kind == "robin":
            return round_robin(self._sides(), tables)[len(self.rounds) :]
        pairs = self._knocked_out()
        return [_of_pairs(pairs, self.tables)] if pairs else []

    def _knocked_out(self) -> list[tuple[Side, Side]]:
        """Return who meets whom next in a knock-out; a bye of its first round is through."""
        first = bracket(self._sides())
        if not self.rounds:
            return [(a, b) for a, b in first if b is not None]
        pairs = next_pairs([a if b is None else self._winner(1, (a, b)) for a, b in first])
        for drawn in self.rounds[1:]:
            pairs = next_pairs([self._winner(drawn.number, pair) for pair in pairs])
        return pairs

    def _winner(self, number: int, pair: tuple[Side, Side]) -> Side:
        drawn = self.rounds[number - 1]
        match = next(one for one in drawn.matches if set(one.sides) == set(pair))
        ranks = self.results[number, match.table].ranks
        return match.sides[ranks.index(min(ranks))]


def begin(events: Iterable[TournamentEvent]) -> Tournament:
    """Return the tournament that *events* tell, the first of which opened it.

    Raises:
        NotNow: It was never opened.
    """
    told = iter(events)
    first = next(told, None)
    if not isinstance(first, Opened):
        raise NotNow("Of this tournament it is not known how it was opened.")
    tournament = Tournament(first, tables=first.tables)
    for event in told:
        tournament = tournament.after(event)
    return tournament


def result_of(match: Match, evening: Evening, rubber: PlayedRubber) -> tuple[int, ...] | None:
    """Return the ranks of the sides of *match* if that *rubber* was it, else None.

    It was if all its players, and nobody else, played it; whoever won with another partner than
    drawn has played something else.
    """
    people = {one.number: one.person for one in evening.line.players}
    winners = {people.get(one) for one in rubber.winners}
    losers = {people.get(one) for one in rubber.losers}
    if winners | losers != set(match.players) or len(rubber.winners) + len(rubber.losers) != len(
        match.players
    ):
        return None
    ranks = tuple(1 if winners.issuperset(side) else 2 for side in match.sides)
    best = {one for side, rank in zip(match.sides, ranks, strict=True) if rank == 1 for one in side}
    return ranks if best == winners else None


def checked(match: Match, ranks: Sequence[int]) -> tuple[int, ...]:
    """Return *ranks* if a referee may tell them of *match*.

    Raises:
        NotNow: There is not one for each side, or nobody is the best.
    """
    if len(ranks) != len(match.sides) or min(ranks, default=0) != 1:
        raise NotNow(
            f"Tell a rank for each of the {len(match.sides)} sides; the best has 1.", "winner"
        )
    return tuple(ranks)


def _points(rank: int, ranks: Sequence[int]) -> int:
    """Return what *rank* is worth: who shares a rank has beaten nobody of it, nor been beaten."""
    others = len(ranks) - 1
    beaten = sum(other > rank for other in ranks)
    return FULL * beaten // others if others else 0


def _of_pairs(pairs: Sequence[tuple[Side, Side]], tables: Sequence[int]) -> Round:
    """Return a round of *pairs*, each at a table."""
    if len(pairs) > len(tables):
        raise NotNow(
            f"{len(pairs)} matches want {len(pairs)} tables; there are {len(tables)}.",
            "tables",
            matches=len(pairs),
            tables=len(tables),
        )
    matches = []
    for table, (a, b) in zip(tables, pairs, strict=False):
        players = tuple(one for two in zip(a, b, strict=True) for one in two)
        matches.append(Match(table, players, (a, b)))
    return Round(tuple(matches))
