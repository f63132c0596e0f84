"""Which seat knocked: by what was learned, by where all are, else by the disc that felt it first.

`learn` makes `Places` of a few knocks whose seat somebody told, `SeatFinder` asks them about each
window.

Before anything was learned, geometry tells: a wave needs the longer the farther it runs, so each
seat predicts by how much later one disc feels its knocks than another. ``geometry.json``, made by
``make geometry``, knows how much that is at many virtual tables, and how far and how alike the
measures stray.

Learned seats are compared by a shrunken linear discriminant, for few examples of many numbers. All
classes share one scatter. A handful of examples cannot tell it, so it begins as what is usual
everywhere (each number scatters by 1, on its own) and is bent by what the examples show. The
matrix is never as large as the numbers are many: its inverse is worked out among the examples
(Woodbury's identity).
"""

import json
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from enum import IntEnum
from functools import cache
from importlib.resources import files
from itertools import combinations
from math import dist, exp, log, log1p, sqrt
from operator import mul
from typing import Any, Generic, TypeVar

from kloplei.files import KlopleiError
from kloplei.frozen import dataclass
from kloplei.games.game import Seat
from kloplei.knock.arrival import (
    LocationFeatures,
    delays_ms,
    first_felt,
    location_features,
    onsets_of,
)
from kloplei.knock.geometry import TableGeometry
from kloplei.knock.judgement import sure_enough
from kloplei.knock.signal import Window

FEWEST_KNOCKS = 2  # of a seat, to know how much they differ
_MOST_TURNS = 10  # in which knocks are tried: each of them means learning anew


class CannotTellSeats(KlopleiError, ValueError):
    """The knocks that were given do not teach where the seats are."""


@dataclass(frozen=True, slots=True)
class KnownKnock:
    """A knock whose seat somebody told."""

    seat: Seat
    location: LocationFeatures


@dataclass(frozen=True, slots=True)
class Places:
    """What was learned of all seats: some knocks of each."""

    knocks: tuple[KnownKnock, ...]

    @property
    def seats(self) -> tuple[Seat, ...]:
        """The seats that were learned."""
        return tuple(sorted({knock.seat for knock in self.knocks}))

    @property
    def sensors(self) -> int:
        """How many channels the table had."""
        return len(self.knocks[0].location.felt)

    @property
    def channels(self) -> tuple[int, ...]:
        """The channels, counted from 0, that felt every one of the knocks."""
        felt = zip(*(knock.location.felt for knock in self.knocks), strict=True)
        return tuple(channel for channel, each in enumerate(felt) if all(each))


class Known(IntEnum):
    """By what seats are told apart: how sure one may be is another matter for each."""

    SIZE = 0
    LESSONS = 1
    LESSONS_OF_TWO = 2  # discs that felt it
    BOTH = 3


@dataclass(frozen=True, slots=True)
class Compared:
    """How *likely* seats are, the likeliest first, and by what; None where no table taught it."""

    likely: Mapping[Seat, float]
    known: Known | None = None


def _parts_of_the_rest(compared: Compared) -> list[float]:
    """Return which part each of the seats has of what the likeliest one leaves."""
    _, *others = compared.likely.values()
    left = sum(others)
    return [one / left if left else 1 / len(others) for one in others]


class SeatFinder:
    """Says who knocked, or that nobody can say.

    Args:
        seats: Whose piezo each channel is, None for one in a corner or for the whole table;
            empty where nobody knows.
        places: What was learned at this table; None where nothing was. Places that were
            learned with more or fewer piezos are left alone.
        geometry: Where seats and discs are; None where nobody said. So is one of more or
            fewer discs.
        model: What is known of any table; another one than that which comes along is for whoever
            learns it.
    """

    def __init__(
        self,
        seats: Sequence[Seat | None] = (),
        places: Places | None = None,
        geometry: TableGeometry | None = None,
        model: "LocationModel | None" = None,
    ) -> None:
        self._seats = tuple(seats)
        self._learned = LearnedSeats(places) if places is not None else None
        self._model = model or location_model()
        self._located = LocatedSeats(geometry, self._model) if geometry is not None else None

    def seat_of(self, window: Window) -> tuple[Seat | None, float]:
        """Return the seat whose knock is in *window*, None if unsure, and how sure (0 to 1).

        Where no seat is told, the number is how likely the likeliest one is.
        """
        return sure_enough(self.whose(window))

    @property
    def is_taught(self) -> bool:
        """Whether it was learned at this table where the seats are."""
        return self._learned is not None

    def likeliest(self, window: Window) -> tuple[Seat | None, float]:
        """Return the likeliest seat and how likely it is, 0 to 1, however little that may be."""
        return next(iter(self.whose(window).items()), (None, 0.0))

    def whose(self, window: Window) -> Mapping[Seat, float]:
        """Return how likely the blow in *window* is each seat's, the likeliest first.

        So often is one right who says that of the first, at many virtual tables.
        """
        return self.trusted(self.compared(window))

    def trusted(self, compared: Compared) -> Mapping[Seat, float]:
        """Return how likely each seat is, where *compared* says how likely it seems."""
        if compared.known is None:
            return compared.likely
        (seat, _), *others = compared.likely.items()
        parts = _parts_of_the_rest(compared)
        sure = self._model.confidence(compared.known, self.trust_terms(compared))
        # The likeliest seat stays the likeliest, however little that is to be trusted.
        sure = max(sure, *(part / (1 + part) for part in parts))
        shared = ((1 - sure) * part for part in parts)
        return {seat: sure, **dict(zip((other for other, _ in others), shared, strict=True))}

    def trust_terms(self, compared: Compared) -> tuple[float, ...]:
        """Return what `LocationModel.confidence` weighs of what was *compared* here."""
        each = 0.0 if self._learned is None else self._learned.each
        by_size = self._located if compared.known in (Known.SIZE, Known.BOTH) else None
        has_grain = by_size is not None and by_size.has_grain
        seems, rival = max(compared.likely.values()), max(_parts_of_the_rest(compared))
        return trust_terms(seems, len(compared.likely), each, has_grain=has_grain, rival=rival)

    def likelihoods(self, window: Window, sharpness: float = 1.0) -> Mapping[Seat, float]:
        """Return how likely the seats are, the likeliest first; none where nobody can say.

        As the measures have it: how far to trust the first of them `whose` knows. *sharpness*
        below 1 tempers what geometry says, for a blow on wood that was not quiet.
        """
        return self.compared(window, sharpness).likely

    def compared(self, window: Window, sharpness: float = 1.0) -> Compared:
        """Return the likelihoods of *window*, and what they go by."""
        sensors = len(window.channels)
        located: dict[Seat, float] = {}
        paper = PAPER
        if self._located is not None and self._located.sensors == sensors:
            felt = delays_ms(window)
            located = self._located.likelihoods(felt, sharpness)
            paper = PAPER if len(felt) > 2 else 0.0  # two discs and a size alone tell too little
        if self._learned is not None and self._learned.sensors == sensors:
            found = location_features(window)
            learned = self._learned.likelihoods(found)
            likely = _refined(located, learned, paper / (paper + self._learned.each))
            by_size = Known.SIZE if located and paper else None
            if not learned:
                return Compared(likely, by_size)
            is_of_two = len(self._learned.felt_by(found)) == 2
            taught = Known.LESSONS_OF_TWO if is_of_two else Known.LESSONS
            return Compared(likely, taught if by_size is None else Known.BOTH)
        if located:
            return Compared(located, Known.SIZE if paper else None)
        seat, sure = self._first(window)
        return Compared({} if seat is None else {seat: sure})

    def _first(self, window: Window) -> tuple[Seat | None, float]:
        own = [
            (seat, channel)
            for channel, seat in enumerate(self._seats[: len(window.channels)])
            if seat is not None
        ]
        if len(own) < 2:
            return (own[0][0], 1.0) if own else (None, 0.0)
        felt = onsets_of(window)
        first, sure = first_felt([felt[channel] for _, channel in own])
        return own[first][0], sure


PAPER = 3.0  # knocks of each seat: geometry counts as much as so many that were learned
_TOGETHER = 0.9  # tempers the two: they tell of the same milliseconds


def _refined(
    located: Mapping[Seat, float], learned: Mapping[Seat, float], share: float
) -> dict[Seat, float]:
    """Return how likely each seat is, by where it is and by what its knocks taught.

    Seats that nobody has taught keep what geometry gives them; among the others it has that
    *share*. Without one of the two the other stands.
    """
    if not located or not learned:
        return dict(located or learned)
    together = _TOGETHER if share else 1.0
    odds = {
        seat: (sure ** (1 - share) * located.get(seat, 0.0) ** share) ** together
        for seat, sure in learned.items()
    }
    known = sum(located.get(seat, 0.0) for seat in learned)
    total = sum(odds.values())
    if total <= 0:
        return dict(located)
    both = {**located, **{seat: known * one / total for seat, one in odds.items()}}
    return dict(sorted(both.items(), key=lambda one: -one[1]))


class LearnedSeats:
    """Compares a knock with those of *places*."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self.sensors = places.sensors  # so many channels must a knock have
        self.each = len(places.knocks) / len(places.seats)  # knocks of a seat, on average
        self._fitted: dict[tuple[tuple[int, ...], int], Discriminant[Seat]] = {}
        if len(places.channels) > 1:
            # Many knocks take their time, and the first one that is judged is not to wait for it.
            self._fit(places.channels, min(knock.location.bands for knock in places.knocks))

    def likeliest(self, found: LocationFeatures) -> tuple[Seat | None, float]:
        """Return the likeliest seat and how likely it is, 0 to 1; None if nothing can be said."""
        return next(iter(self.likelihoods(found).items()), (None, 0.0))

    def likelihoods(self, found: LocationFeatures) -> dict[Seat, float]:
        """Return how likely each seat is, adding up to 1, the likeliest first.

        Channels that felt nothing are left out; with less than two nothing can be said.
        """
        channels = self.felt_by(found)
        if len(channels) < 2:
            return {}
        bands = min(found.bands, *(knock.location.bands for knock in self._places.knocks))
        numbers = tuple(_numbers(found, channels, bands))
        sharpness = _SHARPNESS_OF_TWO if len(channels) == 2 else _SHARPNESS
        return self._fit(channels, bands).likelihoods(numbers, sharpness)

    def felt_by(self, found: LocationFeatures) -> tuple[int, ...]:
        """Return the channels that felt *found*, of those that felt all that was learned."""
        return tuple(channel for channel in self._places.channels if found.felt[channel])

    def _fit(self, channels: tuple[int, ...], bands: int) -> "Discriminant[Seat]":
        if (channels, bands) not in self._fitted:
            self._fitted[channels, bands] = _fitted(self._places, channels, bands)
        return self._fitted[channels, bands]


def learn(known: Sequence[KnownKnock], names: Mapping[Seat, object] | None = None) -> Places:
    """Return where the seats are, from *known* knocks.

    Those that were too faint for a piezo which felt most of the others are left out, unless
    their seat has no others. A complaint calls the seats by their *names*, None for their
    numbers on the slate.

    Raises:
        CannotTellSeats: There are too few knocks, seats or channels.
    """
    mostly = _mostly_felt(known)
    clear = [one for one in known if all(one.location.felt[channel] for channel in mostly)]
    enough = Counter(one.seat for one in clear)
    # Of a seat that has no others the faint ones will do, if the piezos that felt them can tell.
    kept = [one for one in known if one in clear or enough[one.seat] < FEWEST_KNOCKS]
    places = Places(tuple(kept))
    return usable(places if len(places.channels) > 1 else Places(tuple(clear)), names)


def usable(places: Places, names: Mapping[Seat, object] | None = None) -> Places:
    """Return *places* if seats can be told by them; a complaint calls the seats by *names*.

    Raises:
        CannotTellSeats: There are too few knocks, seats or channels.
    """
    counts = Counter(knock.seat for knock in places.knocks)
    if len(counts) < 2:
        raise CannotTellSeats(
            f"Knocks that the piezos felt came from {len(counts)} seats, but telling seats apart "
            "takes two: knock at each seat, five times"
        )
    for seat, count in sorted(counts.items()):
        if count < FEWEST_KNOCKS:
            shown = names[seat] if names else seat.shown
            raise CannotTellSeats(
                f"Only {count} of the knocks of seat {shown} was felt by all piezos, but it "
                f"takes {FEWEST_KNOCKS}: knock there again, five times and a little harder"
            )
    if len({len(knock.location.felt) for knock in places.knocks}) > 1:
        raise CannotTellSeats("The knocks were felt by more piezos, then by fewer: knock anew")
    if len(places.channels) < 2:
        raise CannotTellSeats(
            f"The knocks were felt by {len(places.channels)} of the piezos, but telling seats "
            "apart takes two: look for a loose plug, or let the slate ask who it was"
        )
    return places


def tried(places: Places) -> tuple[tuple[Seat | None, float], ...]:
    """Return whose each of the knocks seems to be by what others teach, and how sure (0 to 1).

    The first knock of every seat is judged by those that are not the first, then the second,
    and so on; of many, every `_MOST_TURNS`-th together.
    """
    turns = _turns(places)
    found: list[tuple[Seat | None, float]] = [(None, 0.0)] * len(turns)
    for turn in set(turns):
        seen = zip(places.knocks, turns, strict=True)
        learned = LearnedSeats(Places(tuple(one for one, its in seen if its != turn)))
        for at, knock in enumerate(places.knocks):
            if turns[at] == turn:
                found[at] = learned.likeliest(knock.location)
    return tuple(found)


def astray(found: LocationFeatures, known: Sequence[LocationFeatures]) -> float | None:
    """Return how far *found* lies off the mean of *known*, some knocks of one seat.

    In mean squares of what knocks of one seat usually scatter by: most of theirs lie below 1.
    None where less than two discs felt all of them: then nothing can be said.
    """
    felt = zip(*(one.felt for one in (found, *known)), strict=True)
    channels = tuple(channel for channel, each in enumerate(felt) if all(each))
    if not known or len(channels) < 2:
        return None
    bands = min(one.bands for one in (found, *known))
    numbers = tuple(_numbers(found, channels, bands))
    off = _minus(numbers, _mean([tuple(_numbers(one, channels, bands)) for one in known]))
    return _dot(off, off) / len(off) / (1 + 1 / len(known))  # the mean itself is only known so well


Vector = Sequence[float]
Class = TypeVar("Class", bound=Hashable)

BELIEF = 20.0  # the usual scatter counts as much as so many examples


@dataclass(frozen=True, slots=True)
class _Class:
    centre: Vector
    seen: Vector  # the centre, as the residuals see it
    count: int


class Discriminant(Generic[Class]):
    """Tells classes apart by *examples* of each, vectors whose numbers usually scatter by 1."""

    def __init__(self, examples: Mapping[Class, Sequence[Vector]]) -> None:
        centres = {one: _mean(vectors) for one, vectors in examples.items()}
        self._residuals = [
            _minus(vector, centres[one]) for one, vectors in examples.items() for vector in vectors
        ]
        self._freedom = len(self._residuals) - len(centres) + BELIEF
        self._factor = _cholesky(
            [
                [_dot(a, b) + (BELIEF if a is b else 0.0) for b in self._residuals[:count]]
                for count, a in enumerate(self._residuals, 1)
            ]
        )
        self._classes = {
            one: _Class(centre, self._seen(centre), len(examples[one]))
            for one, centre in centres.items()
        }

    def likelihoods(self, vector: Vector, sharpness: float = 1.0) -> dict[Class, float]:
        """Return how likely *vector* is of each class, adding up to 1, the likeliest first.

        *sharpness* below 1 tempers the answer, for numbers that say the same thing twice.
        """
        seen = self._seen(vector)
        weights = {
            one: -sharpness * self._misfit(vector, seen, known)
            for one, known in self._classes.items()
        }
        best = max(weights.values())
        odds = {one: exp(weight - best) for one, weight in weights.items()}
        total = sum(odds.values())
        ranked = sorted(odds, key=odds.__getitem__, reverse=True)
        return {one: odds[one] / total for one in ranked}

    def _misfit(self, vector: Vector, seen: Vector, known: _Class) -> float:
        """Return minus the logarithm of Student's density, which forgives what is far off."""
        off = _minus(vector, known.centre)
        within = _forward(self._factor, _minus(seen, known.seen))
        squared = (_dot(off, off) - _dot(within, within)) / BELIEF
        squared /= 1 + 1 / known.count  # the centre itself is only known so well
        return 0.5 * (self._freedom + 1) * log1p(max(0.0, squared))

    def _seen(self, vector: Vector) -> Vector:
        return [_dot(residual, vector) for residual in self._residuals]


def _dot(one: Vector, other: Vector) -> float:
    return float(sum(map(mul, one, other)))


def _minus(one: Vector, other: Vector) -> Vector:
    return [a - b for a, b in zip(one, other, strict=True)]


def _mean(vectors: Sequence[Vector]) -> Vector:
    return [sum(column) / len(vectors) for column in zip(*vectors, strict=True)]


def _cholesky(matrix: Sequence[Vector]) -> list[list[float]]:
    """Return the lower triangle whose square *matrix* is, given as its own lower triangle.

    It must be positive definite.
    """
    factor: list[list[float]] = []
    for at, row in enumerate(matrix):
        line: list[float] = []
        for column, other in enumerate(factor):
            # Up to the diagonal: *line* ends there.
            rest = row[column] - sum(map(mul, line, other))
            line.append(rest / other[column])
        line.append(sqrt(row[at] - _dot(line, line)))
        factor.append(line)
    return factor


def _forward(factor: Sequence[Vector], vector: Vector) -> list[float]:
    """Return what times the triangle *factor* is *vector*."""
    solved: list[float] = []
    for row, value in zip(factor, vector, strict=True):
        solved.append((value - _dot(row, solved)) / row[len(solved)])
    return solved


def solved(matrix: Sequence[Vector], vector: Vector) -> list[float]:
    """Return what times the symmetric, positive definite *matrix* is *vector*."""
    factor = _cholesky([row[: at + 1] for at, row in enumerate(matrix)])
    half, last = _forward(factor, vector), len(factor) - 1
    turned = [[factor[last - at][last - of] for at in range(of + 1)] for of in range(last + 1)]
    return _forward(turned, half[::-1])[::-1]


# How much knocks of one seat differ: standard deviations over many virtual tables, where hands
# wander farther than while they teach. What is learned at a table corrects them.
_ARRIVALS_MS = (0.45, 0.55, 0.82)  # of each of arrival.PARTS
_LEVELS_DB = (2.0, 3.0, 4.2, 4.6, 4.4)  # of each of arrival.BANDS_HZ
_LIKENESS = (0.5, 0.7, 0.9, 0.95, 0.8)  # of each of arrival.BANDS_HZ
# All of these numbers come of the same few milliseconds, the more so the more discs there are.
_SHARPNESS, _SHARPNESS_OF_TWO = 0.35, 0.5
_MOSTLY = 0.75  # of the learned knocks: a disc that felt fewer is no help


def _mostly_felt(known: Sequence[KnownKnock]) -> list[int]:
    """Return the channels that felt most of the knocks."""
    felt = zip(*(knock.location.felt for knock in known), strict=False)
    return [channel for channel, each in enumerate(felt) if sum(each) >= _MOSTLY * len(each)]


def _fitted(places: Places, channels: tuple[int, ...], bands: int) -> "Discriminant[Seat]":
    examples: dict[Seat, list[Vector]] = {seat: [] for seat in places.seats}
    for knock in places.knocks:
        examples[knock.seat].append(tuple(_numbers(knock.location, channels, bands)))
    return Discriminant(examples)


def _numbers(found: LocationFeatures, channels: tuple[int, ...], bands: int) -> Iterator[float]:
    """Yield what differs between *channels*, each in its usual standard deviations."""
    for part, scatter in enumerate(_ARRIVALS_MS):
        yield from _centred([found.arrivals_ms[one][part] for one in channels], scatter)
    for band, scatter in enumerate(_LEVELS_DB[:bands]):
        yield from _centred([found.levels_db[one][band] for one in channels], scatter)
    pairs = combinations(range(len(found.felt)), 2)
    for (one, other), likeness in zip(pairs, found.likeness, strict=True):
        if one in channels and other in channels:
            yield from (likeness[at] / _LIKENESS[at // 2] for at in range(2 * bands))


def _centred(values: Sequence[float], scatter: float) -> Iterator[float]:
    mean = sum(values) / len(values)
    return ((value - mean) / scatter for value in values)


def _turns(places: Places) -> list[int]:
    """Return when each of the knocks is tried."""
    counts = Counter[Seat]()
    turns = []
    for knock in places.knocks:
        turns.append(counts[knock.seat] % _MOST_TURNS)
        counts[knock.seat] += 1
    return turns


_NEAR_M = 0.1  # a wave that has not run so far is all of it near
_NEXT_M = 0.15  # a disc that lies so near feels the push itself
_SLIP = 0.003  # of all knocks may come from anywhere: on paper no hand ever slips
_SLIP_OF_TWO = 0.35  # of all that only two discs felt: so many were wrong, however sure it seemed


def far_and_near(distance_m: float) -> tuple[float, float, float, float]:
    """Return what each delay is a weighted sum of, for a disc *distance_m* from the hand."""
    return (
        distance_m,
        distance_m * distance_m,
        log(distance_m + _NEAR_M),
        exp(-distance_m / _NEXT_M),
    )


@dataclass(frozen=True, slots=True)
class LocationModel:
    """What is known of the delays at any table.

    *scaling*, a lower triangle, brings what was measured to delays that stray by 1 and on their
    own. *weights* predict those, a row for each, from what `far_and_near` says of a disc.
    *sharpness* tempers the answer where two discs felt it, three, and more: few discs stray alike,
    and all measures say much the same. What is off by more than *forgiven*, squared, counts ever
    less, as by Student's density: some tables are like no other. *trust*, a row for each of
    `Known`, weighs what `trust_terms` says of how likely a seat seems: so far is that to be
    trusted. Without one, as far as it seems.
    """

    sharpness: Sequence[float]
    forgiven: Sequence[float]
    scaling: Sequence[Sequence[float]]
    weights: Sequence[Sequence[float]]
    trust: Sequence[Sequence[float]] = ()

    def confidence(self, known: Known, terms: Sequence[float]) -> float:
        """Return how sure one may be of a seat of which `trust_terms` says so."""
        # Without any weights as likely as it seems.
        log_odds = _dot(self.trust[known], terms) if self.trust else terms[LOG_ODDS]
        return 1 / (1 + exp(-min(log_odds, _SUREST)))

    def measured(self, delays_ms: Sequence[float]) -> list[float]:
        """Return the scaled delays of one disc."""
        return [sum(map(mul, row, delays_ms)) for row in self.scaling]

    def predicted(self, distance_m: float) -> list[float]:
        """Return the same for a disc *distance_m* from the hand, as they mostly are."""
        terms = far_and_near(distance_m)
        return [sum(map(mul, row, terms)) for row in self.weights]

    def weight(self, off: float, discs: int) -> float:
        """Return the logarithm of how likely it is to be *off*, squared, where *discs* felt it."""
        at = min(discs - 2, len(self.sharpness) - 1)
        return -0.5 * self.sharpness[at] * self.forgiven[at] * log1p(off / self.forgiven[at])


_SUREST = 7.0  # log-odds: one in a thousand is wrong, and of likelier seats nothing is known
_BENDS = (1.0, 2.0, 3.5)  # log-odds at which more of them may say less, or more
_CROWD, _TAUGHT = (4, 6), (2.0, 10.0)  # seats, and knocks of each: of others nothing is known


def trust_terms(
    seems: float, seats: int, lessons: float, *, has_grain: bool = False, rival: float = 1.0
) -> tuple[float, ...]:
    """Return what the log-odds of a seat that *seems* so likely are a weighted sum of.

    The more *seats* there are the nearer is the next one; *lessons* of each that are few look
    more alike than hands are, 0 is none; where the wood *has_grain* nobody told how much; and
    where the next likely seat has nearly all of what is left, as its part *rival* says, the knock
    fell between two, and elsewhere it was unlike them all.
    """
    rest = 1 - seems
    log_odds = _SUREST if rest <= 0 else min(_SUREST, log(seems / rest))
    crowd = min(max(seats, _CROWD[0]), _CROWD[1]) - sum(_CROWD) / 2
    few = 1 / min(max(lessons, _TAUGHT[0]), _TAUGHT[1]) if lessons else 0.0
    slopes = (1.0, crowd, few, float(has_grain), rival)
    bends = (max(0.0, log_odds - one) for one in _BENDS)
    return (log_odds, *slopes, *(log_odds * one for one in slopes[1:]), *bends)


LOG_ODDS = 0  # of those terms: how likely it seems


@cache
def location_model() -> LocationModel:
    """Return what virtual tables have taught."""
    text = files("kloplei.knock").joinpath("geometry.json").read_text()
    known: dict[str, Any] = json.loads(text)
    sharpness, forgiven = known["sharpness"]
    return LocationModel(
        sharpness, forgiven, known["scaling"], known["weights"], known.get("trust", ())
    )


class LocatedSeats:
    """Tells seats by the delays with which the discs of *geometry* feel a knock, by *model*."""

    def __init__(self, geometry: TableGeometry, model: LocationModel) -> None:
        self._model = model
        self.sensors = len(geometry.discs)  # so many channels must a knock have
        self.has_grain = geometry.across != 1.0
        self._geometry = geometry
        self._predicted: dict[tuple[int, ...], list[list[float]]] = {}

    def likelihoods(
        self, delays_ms: Mapping[int, Sequence[float]], sharpness: float = 1.0
    ) -> dict[Seat, float]:
        """Return how likely each seat is, adding up to 1, the likeliest first.

        *sharpness* tempers it further than that of the model. *delays_ms* are those of the
        channels that felt the knock; with less than two nothing can be said.
        """
        if len(delays_ms) < 2:
            return {}
        model = self._model
        measured = _without_mean([model.measured(one) for one in delays_ms.values()])
        discs = len(delays_ms)
        weights = [
            sharpness * model.weight(dist(measured, seat) ** 2, discs)
            for seat in self._at_seats(tuple(delays_ms))
        ]
        odds = [exp(one - max(weights)) for one in weights]
        slips = _SLIP_OF_TWO if discs == 2 else _SLIP
        slip = slips / len(odds)
        sure = {Seat(at): (1 - slips) * one / sum(odds) + slip for at, one in enumerate(odds)}
        return dict(sorted(sure.items(), key=lambda one: -one[1]))

    def _at_seats(self, channels: tuple[int, ...]) -> list[list[float]]:
        """Return what a knock of each seat is like, disc after disc."""
        if channels not in self._predicted:
            where, model = self._geometry, self._model
            discs = [where.discs[channel] for channel in channels]
            self._predicted[channels] = [
                _without_mean([model.predicted(where.distance_m(seat, disc)) for disc in discs])
                for seat in where.seats
            ]
        return self._predicted[channels]


def _without_mean(rows: Sequence[Sequence[float]]) -> list[float]:
    """Return all numbers of *rows*, each without the mean of its column."""
    means = [sum(column) / len(rows) for column in zip(*rows, strict=True)]
    return [one - mean for row in rows for one, mean in zip(row, means, strict=True)]
