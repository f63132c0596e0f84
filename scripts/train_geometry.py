"""Make firmware/kloplei/knock/geometry.json again, from virtual tables: ``make geometry``.

Knocks fall around the seats of tables of every kind whose discs are in the corners or at the
seats; what the delays of a disc are is fitted to its distance from the seat, and how they stray
around that is measured. Tables that were left out tell how much the measures say the same thing
twice. Tables that none of that was fitted to tell how sure one may be at last: by a size alone, by
lessons and by both (``--keep`` learns that alone). Others that took no part in anything tell how
well that holds, and stand with their counts in docs/knocks.md (``--measure`` does that alone).
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise, product, repeat, starmap
from math import exp, sqrt
from multiprocessing import Pool
from multiprocessing.pool import Pool as AnyPool
from pathlib import Path
from random import Random
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from benchmarks.tables import table as markdown
from hw.marked import replaced_between
from kloplei.files import atomic_write
from kloplei.games.game import Seat
from kloplei.knock.arrival import DELAYS, delays_ms, location_features
from kloplei.knock.geometry import PLANKS_ACROSS, Spot, TableGeometry
from kloplei.knock.judgement import SURE
from kloplei.knock.localization import (
    LOG_ODDS,
    CannotTellSeats,
    Known,
    KnownKnock,
    LocationModel,
    SeatFinder,
    far_and_near,
    learn,
    location_model,
)
from kloplei.knock.signal import Window
from kloplei.simulation.table_top import KINDS, PLATE, TableTop, wandering
from scripts.lessons import heard
from scripts.lessons_of_tables import KnuckleTable, converted

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
RINGING_S = 0.08  # of a knock: more tells nobody where it fell
LASTING_S = 0.2  # of what is listened to, from the blow on
FOLDS = 5
STEPS = (0.0, 0.6, 0.8, 0.9, 0.95, 0.99, 1.01)  # of confidence
SHARPNESS = tuple(at / 10 for at in range(1, 31))  # that are tried
FORGIVEN = (3.5, 5.0, 7.0, 10.0, 14.0, 20.0, 28.0, 40.0, 56.0, 80.0, 112.0)
DIGITS = 4
TRUST_TABLES, MEASURED_TABLES = 1200, 800
KNOWN_TO, FAR = 0.015, 0.03  # of a share: moved more by chance it tells little; off by so much
ALL = "4 and 6"  # seats
BY = {
    Known.SIZE: "its size",
    Known.LESSONS: "5 knocks a seat",
    Known.LESSONS_OF_TWO: "the same, by two discs",
    Known.BOTH: "5 knocks a seat, and its size",
}
HEAD = (
    "known of the table",
    "seats",
    *(f"{100 * low:g} to {100 * min(1, high):g}" for low, high in pairwise(STEPS)),
    "asked",
    "wrong",
)
PAGE = Path(__file__).parent.parent / "docs" / "knocks.md"
BEGIN, END = "<!-- made by make geometry -->", "<!-- end of what make geometry made -->"
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

    def predicted_by(self, seat: Spot) -> Numbers:
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
        """Return how far off *lesson* is from what each seat predicts, squared."""
        measured = lesson.delays_ms @ self.scaling.T
        seats = (lesson.predicted_by(seat) @ self.weights.T for seat in lesson.geometry.seats)
        return np.array([np.sum((measured - seat) ** 2) for seat in seats])


@dataclass(frozen=True, slots=True)
class Asking:
    """Which tables are asked who knocked, from *first_seed* on: nobody else looks at them.

    So many *seats* they have in turn, so many knocks of each are *taught* at one or another, and
    of hands that fall so far off each seat is *asked* so many.
    """

    first_seed: int
    seats: tuple[int, ...]
    taught: tuple[int, ...]
    asked: tuple[tuple[float, int], ...]

    @property
    def usual(self) -> float:
        """How many each seat is asked at one of the distances, on average."""
        return fmean(many for _, many in self.asked)


TRUST = Asking(30_000, SEATS, (2, 3, 5, 10), tuple(zip(HANDS_M, (4, 10), strict=True)))
MEASURED = Asking(40_000, (4, 6), (5,), tuple(zip(HANDS_M, (8, 8), strict=True)))
ONES = tuple(map(str, MEASURED.seats))


@dataclass(frozen=True, slots=True)
class Said:
    """How likely one of *seats* seemed at *table*, by what is *known*, and whether it was right.

    *terms* say it as `trust_terms` does, *sure* is what they make of it with the model there was.
    Each counts so *much* that hands which fall near and far count alike.
    """

    table: int
    seats: str
    known: Known
    terms: tuple[float, ...]
    sure: float
    is_right: bool
    much: float = 1.0


def main(argv: Sequence[str] | None = None) -> int:
    """Fit, write the parameters, and print what tables that were left out say of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=TABLES, metavar="N")
    parser.add_argument("--trust-tables", type=int, default=TRUST_TABLES, metavar="N")
    parser.add_argument("--measured-tables", type=int, default=MEASURED_TABLES, metavar="N")
    parser.add_argument("--out", type=Path, default=GEOMETRY)
    parser.add_argument("--page", type=Path, default=PAGE, help="where it is told how sure one is")
    parser.add_argument("--jobs", type=int, metavar="N", help="processes; as many as cores")
    only = parser.add_mutually_exclusive_group()
    only.add_argument(
        "--keep", action="store_true", help="keep the delays there are; learn how sure one may be"
    )
    only.add_argument(
        "--measure", action="store_true", help="learn nothing; tell how sure one is, and how right"
    )
    options = parser.parse_args(argv)
    if options.measured_tables:
        import benchmarks.plots  # noqa: F401  # who lacks matplotlib is told before minutes of work
    with Pool(options.jobs) as pool:
        model = location_model()
        if not options.measure:
            if options.keep:
                found = replace(model, trust=())
            else:
                found = _model(pool.map(_of_table, range(options.tables), chunksize=4))
            told = _told(pool, TRUST, found, options.trust_tables)
            model = replace(found, trust=trusted(told).round(DIGITS).tolist())
            atomic_write(options.out, _written(model).encode())
        if options.measured_tables:
            publish(_told(pool, MEASURED, model, options.measured_tables), options.page)
    return 0


def _told(pool: AnyPool, asking: Asking, model: LocationModel, tables: int) -> list[Said]:
    """Return what so many *tables* say."""
    ask = partial(said_at, asking=asking, model=model)
    return [one for some in pool.imap(ask, range(tables), chunksize=4) for one in some]


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
    terms = [one.predicted_by(one.geometry.seats[one.seat]) for one in lessons]
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
    struck = _knuckles(table, rate_hz, hands, luck)
    for seat in range(seats):
        for turn in range(KNOCKS):
            window = struck(seat, off_m, turn)
            if window is None:
                continue
            for channels in (*FEWER, tuple(range(len(table.sensors)))):
                yield from _felt(number, geometry, seat, window, channels)


def _knuckles(
    table: TableTop, rate_hz: int, hands: Random, luck: np.random.Generator
) -> Callable[[int, float, int], Window | None]:
    """Return what gives the knock of a seat, by how far off it falls and by its seed, as heard."""
    knuckles = KnuckleTable(table, rate_hz, RINGING_S)

    def struck(seat: int, off_m: float, seed: int) -> Window | None:
        spot = wandering(table.seats[seat], off_m, table.plate, hands)
        wave = knuckles.knock(spot, 1000 * seat + seed)
        gain = 10 ** (luck.uniform(*GAIN_DB) / 20)
        found = heard(converted(wave, rate_hz, gain, luck, LASTING_S))
        return next((blow.window for blow in found), None)

    return struck


def said_at(number: int, asking: Asking, model: LocationModel) -> list[Said]:
    """Return how sure one seems to be at a table, by its size, by lessons and by both."""
    luck = np.random.default_rng(asking.first_seed + number)
    hands = Random(f"asked hands {asking.first_seed + number}")  # noqa: S311 - no secret
    seats = range(asking.seats[number % len(asking.seats)])
    kind = hands.choice(list(KINDS.values()))
    corners = None if hands.random() < AT_SEATS else ALL_CORNERS
    table = TableTop.of_seed(asking.first_seed + number, len(seats), corners, kind=kind)
    struck = _knuckles(table, hands.choice(RATES_HZ), hands, luck)
    each = hands.choice(asking.taught)
    lessons = [[struck(seat, HANDS_M[0], seed) for seed in range(each)] for seat in seats]
    geometry = TableGeometry(table.seats, table.sensors, PLANKS_ACROSS if kind.planks else 1.0)
    finders = [
        (SeatFinder((), None, geometry, model), tuple(range(len(geometry.discs)))),
        *_taught(lessons, geometry, model),
    ]
    return [
        Said(
            number,
            str(len(seats)),
            compared.known,
            finder.trust_terms(compared),
            sure,
            said == seat,
            much,
        )
        for seat in seats
        for off_m, many in asking.asked
        for seed, much in enumerate(repeat(asking.usual / many, many), each)
        for finder, window in _each(finders, struck(seat, off_m, seed))
        if (compared := finder.compared(window)).known is not None
        for said, sure in list(finder.trusted(compared).items())[:1]
    ]


Finders = list[tuple[SeatFinder, tuple[int, ...]]]


def _taught(
    lessons: Sequence[Sequence[Window | None]], geometry: TableGeometry, model: LocationModel
) -> Finders:
    """Return who tells seats by *lessons* of each, and by which channels: all, and two alone."""
    finders: Finders = []
    every = tuple(range(len(geometry.discs)))
    for channels in (every, TWO):
        known = [
            KnownKnock(Seat(seat), location_features(_only(window, channels)))
            for seat, windows in enumerate(lessons)
            for window in windows
            if window is not None
        ]
        try:
            places = learn(known)
        except CannotTellSeats:
            continue
        finders.append((SeatFinder((), places, None, model), channels))
        if channels == every:
            finders.append((SeatFinder((), places, geometry, model), channels))
    return finders


def _each(finders: Finders, window: Window | None) -> Iterator[tuple[SeatFinder, Window]]:
    """Yield each of *finders* with what it hears of *window*, if anything was felt."""
    if window is None:
        return
    seen: dict[tuple[int, ...], Window] = {}  # what is worked out of a window stays with it
    for finder, channels in finders:
        if channels not in seen:
            seen[channels] = _only(window, channels)
        yield finder, seen[channels]


def _only(window: Window, channels: tuple[int, ...]) -> Window:
    """Return *window* as it is where those *channels* are all."""
    if channels == tuple(range(len(window.channels))):
        return window
    return replace(window, channels=tuple(window.channels[one] for one in channels))


def trusted(told: Sequence[Said]) -> Numbers:
    """Return how far to trust what seems likely, a row of weights for each of `Known`."""
    return np.array([_trust([one for one in told if one.known is known]) for known in Known])


def _trust(told: Sequence[Said]) -> Numbers:
    """Return the weights by which what was *told* is most likely: a logistic regression."""
    terms = np.array([one.terms for one in told])
    much = np.array([one.much for one in told])
    is_right = np.array([one.is_right for one in told])
    usual = np.zeros(terms.shape[1])
    usual[LOG_ODDS] = 1.0  # what seems likely is so likely

    def loss(weights: Numbers) -> float:
        log_odds = terms @ weights
        cross_entropy = np.logaddexp(0, np.where(is_right, -log_odds, log_odds))
        return float(much @ cross_entropy + 0.5 * RIDGE * np.sum((weights - usual) ** 2))

    weights = usual.copy()
    for _ in range(ROUNDS):
        likely = 1 / (1 + np.exp(-(terms @ weights)))
        slope = terms.T @ (much * (is_right - likely)) - RIDGE * (weights - usual)
        bend = (terms.T * (much * likely * (1 - likely))) @ terms + RIDGE * np.eye(len(usual))
        step = np.linalg.solve(bend, slope)
        # Where next to nothing bends it, Newton's step is far too long.
        while loss(weights + step) > loss(weights) and np.abs(step).max() > SMALL:
            step = step / 2
        weights = weights + step
    return weights


ROUNDS = 30  # of Newton's method; it stands still after ten
SMALL = 1e-9


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


def _written(model: LocationModel) -> str:
    """Return *model* as JSON, a row on each line."""
    known = {
        "sharpness": (model.sharpness, model.forgiven),
        "scaling": model.scaling,
        "weights": model.weights,
        "trust": model.trust,
    }
    parts = []
    for name, rows in known.items():
        lines = ",\n  ".join(map(json.dumps, (np.array(rows).round(DIGITS) + 0.0).tolist()))
        parts.append(f'"{name}": [\n  {lines}\n ]')
    return "{" + ",\n ".join(parts) + "}\n"


@dataclass(frozen=True, slots=True)
class Step:
    """How many of what was *said* fell into one step of confidence, how sure, and how right.

    *chance* is by how much chance alone moves *right*, as a standard deviation.
    """

    count: int
    sure: float
    right: float
    chance: float


def steps(said: Sequence[Said]) -> list[Step | None]:
    """Return the steps of confidence of what was *said*, None where nothing was."""
    found: list[Step | None] = []
    for low, high in pairwise(STEPS):
        here = [one for one in said if low <= one.sure < high]
        many = len(here)
        chance = sqrt(sum(one.sure * (1 - one.sure) for one in here))
        sure, right = sum(one.sure for one in here), sum(one.is_right for one in here)
        found.append(Step(many, sure / many, right / many, chance / many) if here else None)
    return found


def publish(told: Sequence[Said], page: Path) -> None:
    """Write how sure it was in each step of confidence, and how often right, on *page*.

    It stands between marks there, with a picture beside the page.
    """
    from benchmarks.plots import reliability  # wants matplotlib, and learning does not

    by_seats = {seats: [one for one in told if seats in (one.seats, ALL)] for seats in (*ONES, ALL)}
    rows = {
        (BY[known], seats): [one for one in these if one.known is known]
        for known, (seats, these) in product(Known, by_seats.items())
    }
    stepped = {row: steps(said) for row, said in rows.items()}
    made = f"{markdown(HEAD, list(starmap(_cells, rows.items())))}\n\n{_in_short(told, stepped)}"
    text = replaced_between(page.read_text(encoding="utf-8"), BEGIN, END, f"\n{made}\n")
    atomic_write(page, text.encode())
    print(made)
    drawn = {
        f"{seats} seats": {by: _points(stepped[by, seats]) for by in BY.values()} for seats in ONES
    }
    reliability(drawn, HEAD[2:-2], page.parent / "pictures" / "seats-sure.svg")


def _points(found: Sequence[Step | None]) -> list[tuple[int, float, float]]:
    """Return of each step that chance moves little how far off it is, and how little."""
    return [
        (at, one.right - one.sure, one.chance)
        for at, one in enumerate(found)
        if one and one.chance <= KNOWN_TO
    ]


def _cells(row: tuple[str, str], said: Sequence[Said]) -> tuple[str, ...]:
    cells = (
        "-" if one is None else
        f"{one.count}: {100 * one.sure:.1f} / {100 * one.right:.1f} ± {100 * one.chance:.1f}"
        for one in steps(said)
    )  # fmt: skip
    answered = [one for one in said if one.sure >= SURE]
    wrong = sum(not one.is_right for one in answered) / max(1, len(answered))
    asked = 1 - len(answered) / max(1, len(said))
    return (*row, *cells, f"{asked:.1%}", f"{wrong:.2%}")


def _in_short(
    told: Sequence[Said], stepped: Mapping[tuple[str, str], Sequence[Step | None]]
) -> str:
    every = [one for found in stepped.values() for one in found if one]
    known = [one for one in every if one.chance <= KNOWN_TO]
    off = max((abs(one.sure - one.right) for one in known), default=0.0)
    beyond = sum(abs(one.sure - one.right) > max(FAR, 2 * one.chance) for one in every)
    return (
        f"{len({one.table for one in told})} tables. In each step of confidence: how many knocks, "
        "how sure it was of them and how many were right, in percent, and by how much chance alone "
        f"moves that (a standard deviation). In the {len(known)} of {len(every)} steps that chance "
        f"moves by no more than {100 * KNOWN_TO:g} points it is off by up to {100 * off:.1f}; "
        f"{beyond} of all are off by more than {100 * FAR:g} points and twice what chance moves."
    )


if __name__ == "__main__":
    sys.exit(main())
