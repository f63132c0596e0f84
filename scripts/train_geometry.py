"""Make firmware/kloplei/knock/geometry.json again, from virtual tables: ``make geometry``.

Knocks fall around the seats of tables of every kind whose discs are in the corners or at the
seats; what the delays of a disc are is fitted to its distance from the seat, and how they stray
around that is measured. Tables that were left out tell how much the measures say the same thing
twice, and with that how sure one may be.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, product
from math import exp
from multiprocessing import Pool
from pathlib import Path
from random import Random

import numpy as np
from numpy.typing import NDArray

from kloplei.knock.arrival import DELAYS, delays_ms
from kloplei.knock.geometry import PLANKS_ACROSS, Spot, TableGeometry
from kloplei.knock.localization import far_and_near
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


def main(argv: Sequence[str] | None = None) -> int:
    """Fit, write the parameters, and print what tables that were left out say of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=TABLES, metavar="N")
    parser.add_argument("--out", type=Path, default=GEOMETRY)
    parser.add_argument("--jobs", type=int, metavar="N", help="processes; as many as cores")
    options = parser.parse_args(argv)
    with Pool(options.jobs) as pool:
        some = pool.map(_of_table, range(options.tables), chunksize=4)
    lessons = [lesson for one in some for lesson in one]
    judged = [one for fold in range(FOLDS) for one in _left_out(lessons, fold)]
    sharpness = [_sharpest(judged, discs) for discs in range(2, MOST_DISCS + 1)]
    found = fit(lessons)
    known = {
        "sharpness": np.array(sharpness).T,
        "scaling": found.scaling,
        "weights": found.weights,
    }
    options.out.write_text(_written(known))
    return 0


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
    print("  said / right:", ", ".join(_reliability(_likely(off, *best), seats)))
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


def _reliability(likely: Numbers, seats: Places) -> Iterator[str]:
    """Yield how sure it was in each step of confidence, and how often right, in percent."""
    said, is_right = likely.max(axis=1), likely.argmax(axis=1) == seats
    for low, high in pairwise(STEPS):
        here = (low <= said) & (said < high)
        if here.any():
            percent = 100 * said[here].mean(), 100 * is_right[here].mean()
            yield f"{percent[0]:.1f} / {percent[1]:.1f} ({here.sum()})"


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
