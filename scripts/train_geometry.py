"""Make firmware/kloplei/knock/geometry.json again, from virtual tables: ``make geometry``.

Knocks fall around the seats of tables of every kind whose discs are in the corners or at the
seats; what the delays of a disc are is fitted to its distance from the seat, and how they stray
around that is measured. Tables that were left out tell how much the measures say the same thing
twice. Tables that none of that was fitted to tell how sure one may be at last: by a size alone, by
lessons and by both (``--keep`` learns that alone).
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise, product
from math import exp
from multiprocessing import Pool
from pathlib import Path
from random import Random

import numpy as np
from numpy.typing import NDArray

from kloplei.games.game import Seat
from kloplei.knock.arrival import DELAYS, delays_ms, location_features
from kloplei.knock.geometry import PLANKS_ACROSS, Spot, TableGeometry
from kloplei.knock.localization import (
    ODDS,
    CannotTellSeats,
    Known,
    KnownKnock,
    LocationModel,
    SeatFinder,
    far_and_near,
    learn,
    location_model,
    trust_terms,
)
from kloplei.knock.signal import Window
from kloplei.simulation.blows import Blow
from kloplei.simulation.table_top import KINDS, PLATE, TableTop, wandering
from scripts.lessons import heard
from scripts.lessons_of_tables import converted

GEOMETRY = Path(__file__).parent.parent / "firmware" / "kloplei" / "knock" / "geometry.json"
FIRST_SEED = 20_000  # nobody else looks at these tables
TABLES = 480
KNOCKS = 2  # of each seat
SEATS = (4, 5, 6)
FEWER = ((0, 2), (0, 1, 2))  # discs that a table may have as well: they say less
ALL_CORNERS = 4  # fewer discs say too little to fit by
MOST_DISCS = 5  # or more: at the seats, where a hand is nearer to one than to all others
PLAIN = 0.4  # of the tables are bare plates, the others anything
AT_SEATS = 0.3  # of the tables have a disc at each seat, the others four in the corners
HANDS_M = (0.04, 0.1)  # how far they fall off, at one table and the next
RATES_HZ = (4000, 8000)
GAIN_DB = (-6.0, 3.0)
FOLDS = 5
STEPS = (0.0, 0.6, 0.8, 0.9, 0.95, 0.99, 1.01)  # of confidence
SHARPNESS = tuple(at / 10 for at in range(1, 31))  # that are tried
FORGIVEN = (3.5, 5.0, 7.0, 10.0, 14.0, 20.0, 28.0, 40.0, 56.0, 80.0, 112.0)
DIGITS = 4
TRUST_SEED = 30_000  # nor at these
TRUST_TABLES = 120
TAUGHT = (2, 3, 5, 10)  # knocks of a seat: so many that is told apart
USUALLY = 5  # of them; a third of the tables has more
ASKED = ((0.04, 4, 2.0), (0.1, 8, 1.0))  # how far hands fall off, how many, and what each counts
TWO = (0, 2)  # discs, across from each other
RIDGE = 5.0  # how much a weight has to be worth, beside taking all for what it seems

Numbers = NDArray[np.float64]
Places = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class SeatLesson:
    """A knock at *seat*, felt at *delays_ms* by the discs on *channels* of its *table*."""

    table: int
    geometry: TableGeometry
    seat: int
    channels: tuple[int, ...]
    delays_ms: Numbers

    def foretold_by(self, seat: Spot) -> Numbers:
        """Return the terms of each disc for a knock at *seat*, without their means."""
        discs = [self.geometry.discs[channel] for channel in self.channels]
        far_m = [self.geometry.distance_m(seat, disc) for disc in discs]
        return _centred(np.array(list(map(far_and_near, far_m))))


@dataclass(frozen=True, slots=True)
class Fitted:
    """Delays by the terms of a distance, and how to scale what strays around them."""

    weights: Numbers
    scaling: Numbers

    def off(self, lesson: SeatLesson) -> Numbers:
        """Return how far off *lesson* is from what each seat foretells, squared."""
        measured = lesson.delays_ms @ self.scaling.T
        seats = (lesson.foretold_by(seat) @ self.weights.T for seat in lesson.geometry.seats)
        return np.array([np.sum((measured - seat) ** 2) for seat in seats])


@dataclass(frozen=True, slots=True)
class Said:
    """How likely a seat seemed at *table*, as `trust_terms` says it, and whether it was right.

    It counts so *much*.
    """

    table: int
    known: Known
    terms: tuple[float, ...]
    is_right: bool
    much: float


def main(argv: Sequence[str] | None = None) -> int:
    """Fit, write the parameters, and print what tables that were left out say of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=TABLES, metavar="N")
    parser.add_argument("--trust-tables", type=int, default=TRUST_TABLES, metavar="N")
    parser.add_argument("--out", type=Path, default=GEOMETRY)
    parser.add_argument("--jobs", type=int, metavar="N", help="processes; as many as cores")
    parser.add_argument(
        "--keep", action="store_true", help="keep the delays there are; learn how sure one may be"
    )
    options = parser.parse_args(argv)
    with Pool(options.jobs) as pool:
        if options.keep:
            found = replace(location_model(), trust=())
        else:
            found = _model(pool.map(_of_table, range(options.tables), chunksize=4))
        told = pool.map(partial(said_at, model=found), range(options.trust_tables), chunksize=4)
    trust = trusted([one for some in told for one in some])
    known = {
        "sharpness": np.array([found.sharpness, found.forgiven]),
        "scaling": np.array(found.scaling),
        "weights": np.array(found.weights),
        "trust": trust,
    }
    options.out.write_text(_written(known))
    return 0


def _model(some: Sequence[Sequence[SeatLesson]]) -> LocationModel:
    """Return what *some* lessons of each table teach, as exactly as it is written down."""
    lessons = [lesson for one in some for lesson in one]
    judged = [one for fold in range(FOLDS) for one in _left_out(lessons, fold)]
    sharpness, forgiven = zip(
        *(_sharpest(judged, discs) for discs in range(2, MOST_DISCS + 1)), strict=True
    )
    found = fit(lessons)
    scaling, weights = (one.round(DIGITS).tolist() for one in (found.scaling, found.weights))
    return LocationModel(sharpness, forgiven, scaling, weights)


def fit(lessons: Sequence[SeatLesson]) -> Fitted:
    """Return the weights that fit *lessons* best, and what scales their scatter to 1."""
    lessons = [one for one in lessons if len(one.channels) >= ALL_CORNERS]
    terms = [one.foretold_by(one.geometry.seats[one.seat]) for one in lessons]
    found = np.linalg.lstsq(
        np.concatenate(terms), np.concatenate([one.delays_ms for one in lessons]), rcond=None
    )
    weights = found[0].T
    scatter = np.zeros((DELAYS, DELAYS))
    for one, own in zip(lessons, terms, strict=True):
        off = one.delays_ms - own @ weights.T
        scatter += off.T @ off
    # The mean of the discs was taken off, and with it one of them.
    scatter /= sum(len(one.channels) - 1 for one in lessons)
    scaling = np.linalg.inv(np.linalg.cholesky(scatter + 0.02 * np.diag(np.diag(scatter))))
    return Fitted(scaling @ weights, scaling)


def _of_table(number: int) -> list[SeatLesson]:
    return list(_lessons(number))


def _lessons(number: int) -> Iterator[SeatLesson]:
    luck = np.random.default_rng(FIRST_SEED + number)
    hands = Random(f"hands {number}")  # noqa: S311 - no secret
    seats = SEATS[number % len(SEATS)]
    kind = PLATE if hands.random() < PLAIN else hands.choice(list(KINDS.values()))
    corners = None if hands.random() < AT_SEATS else ALL_CORNERS
    table = TableTop.of_seed(FIRST_SEED + number, seats, corners, kind=kind)
    across = PLANKS_ACROSS if kind.planks else 1.0
    geometry = TableGeometry(table.seats, table.sensors, across)
    off_m = hands.choice(HANDS_M)
    rate_hz = RATES_HZ[number // len(SEATS) % len(RATES_HZ)]
    for seat in range(seats):
        for turn in range(KNOCKS):
            spot = wandering(table.seats[seat], off_m, table.plate, hands)
            wave = table.sampled(Blow.KNUCKLE, spot, rate_hz, seed=1000 * seat + turn)
            block = converted(wave, rate_hz, 10 ** (luck.uniform(*GAIN_DB) / 20), luck)
            for blow in heard(block)[:1]:
                for channels in (*FEWER, tuple(range(len(table.sensors)))):
                    if blow.window is not None:
                        yield from _felt(number, geometry, seat, blow.window, channels)


def said_at(number: int, model: LocationModel) -> list[Said]:
    """Return how sure one seems to be at a table, by its size, by lessons and by both."""
    luck = np.random.default_rng(TRUST_SEED + number)
    hands = Random(f"asked hands {number}")  # noqa: S311 - no secret
    seats = SEATS[number % len(SEATS)]
    kind = hands.choice(list(KINDS.values()))
    corners = None if hands.random() < AT_SEATS else ALL_CORNERS
    table = TableTop.of_seed(TRUST_SEED + number, seats, corners, kind=kind)
    rate_hz = RATES_HZ[number // len(SEATS) % len(RATES_HZ)]

    def struck(seat: int, off_m: float, seed: int) -> Window | None:
        spot = wandering(table.seats[seat], off_m, table.plate, hands)
        wave = table.sampled(Blow.KNUCKLE, spot, rate_hz, seed=1000 * seat + seed)
        block = converted(wave, rate_hz, 10 ** (luck.uniform(*GAIN_DB) / 20), luck)
        return next((blow.window for blow in heard(block)), None)

    most = TAUGHT[-1] if number // len(SEATS) % 3 == 0 else USUALLY
    places = range(seats)
    lessons = [[struck(seat, HANDS_M[0], turn) for turn in range(most)] for seat in places]
    geometry = TableGeometry(table.seats, table.sensors, PLANKS_ACROSS if kind.planks else 1.0)
    finders = list(_finders(lessons, geometry, model))
    return [
        Said(
            number,
            compared.known,
            trust_terms(seems, seats, each, has_grain=kind.planks and knows_grain),
            said == seat,
            counts,
        )
        for seat in places
        for off_m, count, counts in ASKED
        for turn in range(count)
        if (window := struck(seat, off_m, most + turn)) is not None
        for finder, channels, each, knows_grain in finders
        if (compared := finder.compared(_only(window, channels))).known is not None
        for said, seems in list(compared.likely.items())[:1]
    ]


def _finders(
    lessons: Sequence[Sequence[Window | None]], geometry: TableGeometry, model: LocationModel
) -> Iterator[tuple[SeatFinder, tuple[int, ...], int, bool]]:
    """Yield who tells seats by some of what is known, by which discs and how many lessons.

    And whether it knows of the wood.
    """
    every = tuple(range(len(geometry.discs)))
    yield SeatFinder((), None, geometry, model), every, 0, True
    for each in (one for one in TAUGHT if one <= len(lessons[0])):
        for channels in (every, TWO):
            taught = [
                KnownKnock(Seat(seat), location_features(_only(window, channels)))
                for seat, windows in enumerate(lessons)
                for window in windows[:each]
                if window is not None
            ]
            try:
                places = learn(taught)
            except CannotTellSeats:
                continue
            yield SeatFinder((), places, None, model), channels, each, False
            if channels == every:
                yield SeatFinder((), places, geometry, model), channels, each, True


def _only(window: Window, channels: tuple[int, ...]) -> Window:
    """Return *window* as it is where those *channels* are all."""
    if channels == tuple(range(len(window.channels))):
        return window
    return replace(window, channels=tuple(window.channels[one] for one in channels))


def trusted(told: Sequence[Said]) -> Numbers:
    """Return how far to trust what seems likely, a row of weights for each of `Known`."""
    found = np.zeros((len(Known), len(trust_terms(0.5, 0, 0))))
    for known in Known:
        these = [one for one in told if one.known is known]
        found[known] = _trust(these)
        print(f"by {known.name.lower()}, {len(these)} times at tables left out, said / right:")
        left_out = np.zeros(len(these))
        for fold in range(FOLDS):
            weights = _trust([one for one in these if one.table % FOLDS != fold])
            for at, one in enumerate(these):
                if one.table % FOLDS == fold:
                    left_out[at] = 1 / (1 + exp(-float(weights @ one.terms)))
        is_right, much = (np.array([getattr(one, its) for one in these]) for its in _WEIGHED)
        print("  ", ", ".join(_reliability(left_out, is_right, much)))
    return found


_WEIGHED = ("is_right", "much")


def _trust(told: Sequence[Said]) -> Numbers:
    """Return the weights by which what was *told* is most likely: a logistic regression."""
    terms = np.array([one.terms for one in told])
    much = np.array([one.much for one in told])
    is_right = np.array([one.is_right for one in told])
    usual = np.zeros(terms.shape[1])
    usual[ODDS] = 1.0  # what seems likely is so likely
    weights = usual.copy()
    for _ in range(ROUNDS):
        likely = 1 / (1 + np.exp(-(terms @ weights)))
        slope = terms.T @ (much * (is_right - likely)) - RIDGE * (weights - usual)
        bend = (terms.T * (much * likely * (1 - likely))) @ terms + RIDGE * np.eye(len(usual))
        weights = weights + np.linalg.solve(bend, slope)
    return weights


ROUNDS = 30  # of Newton's method; it stands still after ten


def _felt(
    table: int, geometry: TableGeometry, seat: int, window: Window, channels: tuple[int, ...]
) -> Iterator[SeatLesson]:
    """Yield the knock in *window* as it would be if those *channels* were all, if two felt it."""
    discs = tuple(geometry.discs[one] for one in channels)
    fewer = TableGeometry(geometry.seats, discs, geometry.across)
    felt = delays_ms(replace(window, channels=tuple(window.channels[one] for one in channels)))
    if len(felt) > 1:
        yield SeatLesson(table, fewer, seat, tuple(felt), _centred(np.array(list(felt.values()))))


def _left_out(lessons: Sequence[SeatLesson], fold: int) -> list[tuple[SeatLesson, Numbers]]:
    """Return how far off the tables of *fold* are, by what all the others teach."""
    found = fit([one for one in lessons if one.table % FOLDS != fold])
    return [(one, found.off(one)) for one in lessons if one.table % FOLDS == fold]


def _sharpest(judged: Sequence[tuple[SeatLesson, Numbers]], discs: int) -> tuple[float, float]:
    """Return what loses least where so many *discs*, or more, felt the knock.

    It is the sharpness, and how far off, squared, is forgiven.
    """
    these = [one for one in judged if min(len(one[0].channels), MOST_DISCS) == discs]
    seats = np.array([lesson.seat for lesson, _ in these])
    # A seat that a table does not have is infinitely far off.
    off = np.full((len(these), max(SEATS)), np.inf)
    for row, (_, its) in zip(off, these, strict=True):
        row[: len(its)] = its
    losses = {tried: _loss(off, seats, *tried) for tried in product(SHARPNESS, FORGIVEN)}
    best = min(losses, key=losses.__getitem__)
    print(
        f"{discs} discs, {len(these)} knocks at tables left out: "
        f"{np.mean(off.argmin(axis=1) == seats):.2%} right, "
        f"sharpness {best[0]:g}, forgiven {best[1]:g}, loss {losses[best]:.4f}"
    )
    likely = _likely(off, *best)
    is_right = likely.argmax(axis=1) == seats
    said = _reliability(likely.max(axis=1), is_right, np.ones(len(these)))
    print("  said / right:", ", ".join(said))
    return best


def _loss(off: Numbers, seats: Places, sharpness: float, forgiven: float) -> float:
    """Return the mean of minus the logarithm of how likely the right one of *seats* seemed."""
    likely = _likely(off, sharpness, forgiven)[np.arange(len(seats)), seats]
    return -float(np.mean(np.log(np.maximum(exp(-6), likely))))


def _likely(off: Numbers, sharpness: float, forgiven: float) -> Numbers:
    """Return how likely each seat is that is so far *off*, squared: a row for each knock."""
    weights = -0.5 * sharpness * forgiven * np.log1p(off / forgiven)
    odds = np.exp(weights - weights.max(axis=1, keepdims=True))
    likely: Numbers = odds / odds.sum(axis=1, keepdims=True)
    return likely


def _reliability(said: Numbers, is_right: Numbers, much: Numbers) -> Iterator[str]:
    """Yield how sure it was in each step of confidence, and how often right, in percent."""
    for low, high in pairwise(STEPS):
        here = (low <= said) & (said < high)
        if here.any():
            sure, right = (
                100 * np.average(one[here], weights=much[here]) for one in (said, is_right)
            )
            yield f"{sure:.1f} / {right:.1f} ({here.sum()})"


def _centred(rows: Numbers) -> Numbers:
    centred: Numbers = rows - rows.mean(axis=0)
    return centred


def _written(known: dict[str, Numbers]) -> str:
    """Return *known* as JSON, a row on each line."""
    parts = []
    for name, rows in known.items():
        lines = ",\n  ".join(map(json.dumps, (rows.round(DIGITS) + 0.0).tolist()))
        parts.append(f'"{name}": [\n  {lines}\n ]')
    return "{" + ",\n ".join(parts) + "}\n"


if __name__ == "__main__":
    sys.exit(main())
