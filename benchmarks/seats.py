"""Tell who knocked on virtual tables that nothing was tuned on.

    python benchmarks/seats.py [--tables 6] [--coupling glued,foam] [--json FILE]

At each table five knocks a seat are learned, as from recordings in which somebody wrote down who
knocked; then others knock, nobody twice at the same spot. What was wrong, what nobody was named
for, and what was not taken for a knock at all are three different things, and told apart.
"""

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import hypot
from pathlib import Path
from random import Random

if not __package__:  # run as a file: what lies beside it is found from the folder above
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.measured_table import Electronics, MeasuredTable
from benchmarks.tables import table
from kloplei.games.game import Seat
from kloplei.knock.calibration import Calibration
from kloplei.knock.classifier import likelihood
from kloplei.knock.detector import Listener
from kloplei.knock.features import AFTER_S, BEFORE_S
from kloplei.knock.geometry import Spot, TableGeometry
from kloplei.knock.judgement import Judgement, Verdict, verdict
from kloplei.knock.localization import CannotTellSeats, SeatFinder
from kloplei.recordings._learning import CannotLearn, LearningExample, examples, learn_table
from kloplei.recordings.labels import Labelled
from kloplei.simulation.blows import Blow
from kloplei.simulation.coupling import Coupling, UnknownCoupling, read_couplings

LEARNED, ASKED = 5, 8  # knocks of a seat
HAND_M = 0.04  # spread of a hand round its place, both ways
FARTHEST = 2.5  # times that, and somebody else knocks
FIRST_SEED = 7000  # of the tables; none of them was ever looked at while tuning
RATES_HZ = (4000, 8000)
NOISE_CODES = (1, 3)

RIGHT, WRONG, UNSURE, UNHEARD = "right", "wrong", "unsure", "not heard"
HEAD = ("table", "known of it", "knocks", RIGHT, WRONG, UNSURE, UNHEARD)
STEPS = (0.0, 0.6, 0.8, 0.9, 0.95, 0.99)  # of confidence
ANSWERED = 0.98
SURE_HEAD = ("table", "surest", *(f"from {step}" for step in STEPS))
COST_HEAD = ("table", "judging a blow, us", "finding its seat, us", "ratio")


@dataclass(frozen=True, slots=True)
class Layout:
    """*seats* people at a table with a disc for each, or with discs in so many *corners*."""

    seats: int
    corners: int | None = None

    @property
    def name(self) -> str:
        """What it is called in the table."""
        discs = "a disc a seat" if self.corners is None else f"{self.corners} in the corners"
        return f"{self.seats} seats, {discs}"


LAYOUTS = (Layout(4), Layout(6, 4), Layout(4, 2), Layout(6))


Outcomes = Counter[str]


@dataclass(slots=True)
class Told:
    """What was made of the knocks at one kind of table, and how long it took."""

    learned: Outcomes = field(default_factory=Counter)
    first: Outcomes = field(default_factory=Counter)  # by whose disc felt it first
    located: Outcomes = field(default_factory=Counter)  # by where seats and discs are
    sure: list[tuple[float, bool]] = field(default_factory=list)  # how sure that was, and right
    judging_s: float = 0.0
    finding_s: float = 0.0
    blows: int = 0


def tell_apart(
    tables: int, couplings: Sequence[Coupling] = (), hand_m: float = HAND_M
) -> dict[str, object]:
    """Print how well seats are told on so many virtual *tables*; return it as plain values.

    Their discs are glued, unless *couplings* say otherwise; hands fall some *hand_m* off.
    """
    told = {layout: _asked(layout, tables, couplings, hand_m) for layout in LAYOUTS}
    rows = []
    for layout, one in told.items():
        rows.append((layout.name, f"{LEARNED} knocks a seat", *_shares(one.learned)))
        rows.append((layout.name, "its size", *_shares(one.located)))
        if layout.corners is None:
            rows.append((layout.name, "nothing", *_shares(one.first)))
    print(table(HEAD, rows))
    print(
        f"{tables} tables of each kind at {RATES_HZ[0]} or {RATES_HZ[1]} Hz, 10 bits, "
        f"{NOISE_CODES[0]} or {NOISE_CODES[1]} codes of noise;\n"
        f"hands fall some {100 * hand_m:.0f} cm off their place. "
        "Right, wrong and unsure are shares of what was heard.\n"
    )
    print(table(SURE_HEAD, [(layout.name, *_steps(one.sure)) for layout, one in told.items()]))
    print(
        "By size alone: right of the surest 98 %, and in steps of confidence how many there were,\n"
        "how sure they were and how many of them were right.\n"
    )
    print(table(COST_HEAD, [_cost_row(layout, one) for layout, one in told.items()]))
    return {
        layout.name: {
            "learned": dict(one.learned),
            "first_arrival": dict(one.first),
            "located": dict(one.located),
            "right_of_the_surest": _right_of_the_surest(one.sure),
            "judging_us": 1e6 * one.judging_s / one.blows,
            "finding_us": 1e6 * one.finding_s / one.blows,
        }
        for layout, one in told.items()
    }


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print the tables, and return the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tables", type=int, default=6, metavar="N", help="so many of each kind")
    parser.add_argument(
        "--hand", type=float, default=HAND_M, metavar="M", help="how far hands fall off their place"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures there")
    parser.add_argument(
        "--coupling", default="glued", metavar="HOW", help="how discs are stuck on: hw/piezo.md"
    )
    arguments = parser.parse_args(argv)
    if arguments.tables < 1:
        parser.error("--tables must be 1 or more")
    try:
        couplings = read_couplings(arguments.coupling)
    except UnknownCoupling as error:
        parser.error(str(error))
    report = tell_apart(arguments.tables, couplings, arguments.hand)
    if arguments.json:
        arguments.json.write_text(json.dumps(report, indent=1) + "\n")
    return 0


def _asked(
    layout: Layout, tables: int, couplings: Sequence[Coupling], hand_m: float = HAND_M
) -> Told:
    """Learn *tables* of one kind, one after the other, and let all seats knock at them."""
    told = Told()
    for number in range(tables):
        if sys.stderr.isatty():
            print(f"{layout.name}: table {number + 1} of {tables}", file=sys.stderr)
        _ask(layout, number, told, couplings, hand_m)
    return told


def _ask(
    layout: Layout, number: int, told: Told, couplings: Sequence[Coupling], hand_m: float
) -> None:
    seed = FIRST_SEED + number
    top = MeasuredTable.of_seed(seed, layout.seats, layout.corners, couplings=couplings)
    electronics = Electronics(
        rate_hz=RATES_HZ[number % len(RATES_HZ)],
        noise_codes=NOISE_CODES[number // len(RATES_HZ) % len(NOISE_CODES)],
    )
    calibration = _taught(_knocks(top, electronics, range(LEARNED)))
    taught = SeatFinder((), calibration.places)
    own = SeatFinder(tuple(map(Seat, range(layout.seats))))
    by_size = SeatFinder((), None, TableGeometry(top.seats, top.sensors))
    for seat, blow in _knocks(top, electronics, range(LEARNED, LEARNED + ASKED), hand_m):
        if blow is None or blow.window is None:
            told.learned[UNHEARD] += 1
            told.first[UNHEARD] += 1
            told.located[UNHEARD] += 1
            continue
        begun_s = time.perf_counter()
        sure = likelihood(blow.window, calibration)
        judged_s = time.perf_counter()
        said = taught.seat_of(blow.window)[0]
        told.finding_s += time.perf_counter() - judged_s
        told.judging_s += judged_s - begun_s
        told.blows += 1
        told.learned[_outcome(seat, said, verdict(sure))] += 1
        told.first[_outcome(seat, own.seat_of(blow.window)[0], blow.verdict)] += 1
        told.located[_outcome(seat, by_size.seat_of(blow.window)[0], blow.verdict)] += 1
        if blow.verdict is Verdict.KNOCK:
            likeliest, confidence = by_size.likeliest(blow.window)
            told.sure.append((confidence, likeliest == seat))


def _taught(knocks: Iterator[tuple[Seat, Judgement | None]]) -> Calibration:
    """Return what *knocks* teach, as `kloplei listen --learn` has it; few teach nothing."""
    labelled: list[Labelled] = []
    known: list[LearningExample | None] = []
    for seat, blow in knocks:
        if blow is not None:
            labelled.append(Labelled(blow.at_s, int(seat)))
            known += examples(labelled[-1:], [blow])
    try:
        return learn_table(labelled, [one for one in known if one is not None]).calibration
    except (CannotLearn, CannotTellSeats):
        return Calibration()


def _knocks(
    top: MeasuredTable, electronics: Electronics, numbers: range, hand_m: float = HAND_M
) -> Iterator[tuple[Seat, Judgement | None]]:
    """Yield knocks of each seat, as they are judged where nothing was learned; None if unfelt."""
    for seat, usual in enumerate(top.seats):
        for number in numbers:
            block = top.record(
                Blow.KNUCKLE,
                _hand(top, usual, Random(f"{seat} {number}"), hand_m),  # noqa: S311 - no secret
                seed=100 * seat + number,
                electronics=electronics,
                before_s=BEFORE_S + 0.01,
                lasting_s=AFTER_S + 0.01,
            )
            listener = Listener()
            found = (*listener.feed(block), *listener.flush())
            yield Seat(seat), next((one for one in found if isinstance(one, Judgement)), None)


def _hand(top: MeasuredTable, usual: Spot, luck: Random, hand_m: float) -> Spot:
    """Return where a hand falls this time that usually knocks at *usual*."""
    while True:
        by = luck.gauss(0, hand_m), luck.gauss(0, hand_m)
        if hypot(*by) <= FARTHEST * hand_m and top.plate.holds(usual.moved(*by)):
            return usual.moved(*by)


def _outcome(seat: Seat, said: Seat | None, found: Verdict) -> str:
    if found is not Verdict.KNOCK:
        return UNHEARD
    return UNSURE if said is None else RIGHT if said == seat else WRONG


def _shares(outcomes: Outcomes) -> tuple[str, ...]:
    heard = max(1, outcomes.total() - outcomes[UNHEARD])
    shares = (f"{outcomes[one] / heard:.2%}" for one in (RIGHT, WRONG, UNSURE))
    return (str(outcomes.total()), *shares, f"{outcomes[UNHEARD] / outcomes.total():.2%}")


def _right_of_the_surest(sure: Sequence[tuple[float, bool]]) -> float:
    surest = sorted(sure, reverse=True)[: round(ANSWERED * len(sure))]
    return sum(is_right for _, is_right in surest) / max(1, len(surest))


def _steps(sure: Sequence[tuple[float, bool]]) -> Iterator[str]:
    yield f"{_right_of_the_surest(sure):.2%}"
    for low, high in pairwise((*STEPS, 2.0)):
        these = [one for one in sure if low <= one[0] < high]
        if not these:
            yield "-"
            continue
        mean, right = (sum(column) / len(these) for column in zip(*these, strict=True))
        yield f"{len(these)}: {mean:.1%} / {right:.1%}"


def _cost_row(layout: Layout, told: Told) -> tuple[str, ...]:
    judging_us, finding_us = (1e6 * one / told.blows for one in (told.judging_s, told.finding_s))
    ratio = finding_us / judging_us
    return (layout.name, f"{judging_us:.0f}", f"{finding_us:.0f}", f"{ratio:.2f}")


if __name__ == "__main__":
    sys.exit(main())
