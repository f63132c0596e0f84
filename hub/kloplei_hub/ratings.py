"""Ratings of the house's people, by game: out of who won which rubber, in the order they ended.

Plackett and Luce's model (openskill), which knows ranks alone: by how much somebody won is the
game's business and the season's. A guest has no rating; who plays against one plays against what
is known of nobody. The number that people see is a cautious one, so that few rubbers count little
(`Rating.shown`), and it is shown after ten of them; season points stay the first number.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from kloplei.table.history_client import Evening, PlayedRubber

FEW: Final = 10
"""Rubbers it takes until somebody's rating is shown."""
KEPT_STEPS: Final = 20
"""So many rubbers tell how a rating came."""
_BEGIN, _SCALE = 1000, 25
_CAUTION: Final = 3
"""Standard deviations below the mean: better than that with 99.7 %."""


@dataclass(frozen=True, slots=True)
class Result:
    """One rubber: *sides* by rank, best first, a rank each in *ranks*; None is a guest.

    *source* is where it can be seen: evening and rubber.
    """

    game: str
    sides: tuple[tuple[int | None, ...], ...]
    ranks: tuple[int, ...]
    source: tuple[int, int]


@dataclass(frozen=True, slots=True)
class RatingStep:
    """What one rubber did to a rating: *won* or not, and the number that was shown after it."""

    source: tuple[int, int]
    won: bool
    shown: int
    moved: int


@dataclass(frozen=True, slots=True)
class Rating:
    """What is known of somebody's strength in a game after so many *rubbers*."""

    person: int
    game: str
    mu: float
    sigma: float
    rubbers: int = 0
    steps: tuple[RatingStep, ...] = field(default=())

    @property
    def shown(self) -> int:
        """The number that people see; everybody begins at 1000."""
        return _shown(self.mu, self.sigma)

    @property
    def is_shown(self) -> bool:
        """Whether it stands on rubbers enough."""
        return self.rubbers >= FEW


def _shown(mu: float, sigma: float) -> int:
    return round(_BEGIN + _SCALE * (mu - _CAUTION * sigma))


def results_of(number: int, evening: Evening) -> Iterable[Result]:
    """Yield the rubbers of *evening*, which goes by that number, as far as somebody lost one."""
    people = {one.number: one.person for one in evening.line.players}
    for rubber in evening.rubbers:
        if rubber.winners and rubber.losers:
            sides, ranks = _sides(rubber)
            known = tuple(tuple(people.get(one) for one in side) for side in sides)
            yield Result(rubber.game, known, ranks, (number, rubber.number))


def _sides(rubber: PlayedRubber) -> tuple[list[tuple[int, ...]], tuple[int, ...]]:
    """Return who won and lost together: two and two where two won, else each alone.

    What a rubber was worth ranks who lost alone, where it tells them apart.
    """
    if len(rubber.winners) > 1:
        return [rubber.winners, rubber.losers], (1, 2)
    worth = {one: -rubber.points.get(one, 0) for one in rubber.losers}
    order = sorted(worth, key=worth.__getitem__)
    places = sorted(set(worth.values()))
    ranks = (1, *(2 + places.index(worth[one]) for one in order))
    return [rubber.winners, *((one,) for one in order)], ranks


class Ratings:
    """Ratings as they stand after the results that were taken; the same of the same, in order."""

    def __init__(self) -> None:
        from openskill.models import PlackettLuce

        self._model = PlackettLuce()
        self._known: defaultdict[str, dict[int, Any]] = defaultdict(dict)
        self._rubbers: defaultdict[tuple[str, int], int] = defaultdict(int)
        self._steps: defaultdict[tuple[str, int], list[RatingStep]] = defaultdict(list)

    def take(self, result: Result) -> None:
        """Let *result* move who is known in it."""
        known = self._known[result.game]
        before = [[self._of(known, one) for one in side] for side in result.sides]
        after = self._model.rate(before, ranks=list(result.ranks))
        best = min(result.ranks)
        for at, side in enumerate(result.sides):
            for person, was, now in zip(side, before[at], after[at], strict=True):
                if person is not None:
                    known[person] = now
                    self._note(result, person, _of(was), _of(now), result.ranks[at] == best)

    def standings(self, game: str) -> tuple[Rating, ...]:
        """Return the ratings of *game*, best first."""
        ratings = (self._rating(game, person) for person in self._known.get(game, {}))
        return tuple(sorted(ratings, key=lambda one: (-one.shown, one.person)))

    @property
    def games(self) -> tuple[str, ...]:
        """In which anybody has a rating."""
        return tuple(sorted(self._known))

    def _of(self, known: Mapping[int, Any], person: int | None) -> Any:
        if person is None or person not in known:
            return self._model.rating()
        return known[person]

    def _note(self, result: Result, person: int, was: float, now: float, won: bool) -> None:
        key = result.game, person
        self._rubbers[key] += 1
        shown = round(_BEGIN + _SCALE * now)
        moved = shown - round(_BEGIN + _SCALE * was)
        steps = self._steps[key]
        steps.append(RatingStep(result.source, won, shown, moved))
        del steps[:-KEPT_STEPS]

    def _rating(self, game: str, person: int) -> Rating:
        one, key = self._known[game][person], (game, person)
        steps = tuple(self._steps[key])
        return Rating(person, game, one.mu, one.sigma, self._rubbers[key], steps)


def _of(rating: Any) -> float:
    value: float = rating.mu - _CAUTION * rating.sigma
    return value


def rate(results: Sequence[Result]) -> Ratings:
    """Return the ratings that come of *results*, oldest first."""
    ratings = Ratings()
    for one in results:
        ratings.take(one)
    return ratings
