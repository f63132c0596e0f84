"""Let a second hand knock soon after the first, on virtual tables that nothing was tuned on.

    python benchmarks/hands.py [--tables 6]

Two seats of each table knock so many ms apart, and one of them knocks alone, or with a knuckle
that bounces: what of these is then taken for somebody else is told beside it. Four discs, 4 kHz and
10 bits; where the table is tuned, by five knocks a seat.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from random import Random

if not __package__:  # run as a file: what lies beside it is found from the folder above
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.measured_table import Electronics, MeasuredTable, SimulatedConverter
from benchmarks.seats import HAND_M, LEARNED, Layout, _knocks, _taught, by_converter
from benchmarks.tables import table
from kloplei.knock.detector import Listener
from kloplei.knock.geometry import TableGeometry
from kloplei.knock.judgement import Judgement, Verdict
from kloplei.knock.signal import Block
from kloplei.simulation.blows import Blow
from kloplei.simulation.plate import Wave
from kloplei.simulation.table_top import wandering

APART_MS = (20, 30, 40, 60, 80, 100, 120, 150)
BOUNCE_MS = (20, 95)
BOUNCE_N = (8.0, 25.0)
BOUNCE_M = 0.015
PAIRS = 2  # of seats at each table
NEAR_S = 0.012  # a judgement so near to a blow is about it
BEFORE_S, LASTING_S = 0.3, 0.45
FIRST_SEED = 7500  # of the tables; none of them was ever looked at while tuning
LAYOUTS = (Layout(4, 4), Layout(6, 4))

SIZE, TUNED = "its size", "5 knocks a seat"
SURE, DOUBT, RIGHT, WRONG = "sure", "doubt", "right", "wrong"
ALONE, BOUNCE = "one hand alone", "a knuckle that bounces"
HEAD = ("known of it", "blows", "n", "found", SURE, DOUBT, "seat right", "seat wrong", "asked")

Found = dict[tuple[str, str], Counter[str]]


def second_hands(tables: int) -> Found:
    """Print what is made of second hands at so many *tables* of each layout, and return it."""
    found: Found = {}
    for layout in LAYOUTS:
        for number in range(tables):
            _ask(layout, FIRST_SEED + number, found)
    print(table(HEAD, [(*key, *_row(one)) for key, one in sorted(found.items(), key=_order)]))
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print the table, and return the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tables", type=int, default=6, metavar="N", help="so many of each kind")
    arguments = parser.parse_args(argv)
    if arguments.tables < 1:
        parser.error("--tables must be 1 or more")
    second_hands(arguments.tables)
    return 0


def _ask(layout: Layout, seed: int, found: Found) -> None:
    top = MeasuredTable.of_seed(seed, layout.seats, layout.corners)
    electronics = Electronics(noise_codes=(1, 3)[seed % 2])
    lessons = _knocks(top, partial(by_converter, top, electronics), range(LEARNED))
    taught = _taught((seat, blow) for seat, _, blow in lessons)
    geometry = TableGeometry(top.seats, top.sensors)
    for name, second, after_s, block in _recorded(top, layout, seed, electronics):
        listeners = {SIZE: Listener(geometry=geometry), TUNED: Listener(calibration=taught)}
        for known, listener in listeners.items():
            outcomes = found.setdefault((known, name), Counter())
            outcomes["n"] += 1
            _note(outcomes, listener, block, second, after_s)


def _recorded(
    top: MeasuredTable, layout: Layout, seed: int, electronics: Electronics
) -> Iterator[tuple[str, int, float | None, Block]]:
    """Yield what is heard, by its name, with the second seat and when it strikes, if it does."""
    luck = Random(f"two hands {seed} {layout.seats}")  # noqa: S311 - no secret
    for _ in range(PAIRS):
        first, second = luck.sample(range(layout.seats), 2)
        spot, other = (
            wandering(top.seats[seat], HAND_M, top.plate, luck) for seat in (first, second)
        )
        wave, later, again = (luck.randrange(10**6) for _ in range(3))
        one = top.strike(Blow.KNUCKLE, spot, seed=wave)
        two = top.strike(Blow.KNUCKLE, other, seed=later)
        near = wandering(spot, BOUNCE_M, top.plate, luck)
        bounce = top.strike(Blow.KNUCKLE, near, seed=again, force_n=luck.uniform(*BOUNCE_N))
        bounce = bounce.later(luck.uniform(*BOUNCE_MS) / 1000)
        yield ALONE, first, None, _read(electronics, wave, one)
        yield BOUNCE, first, None, _read(electronics, wave, one, bounce)
        for ms in APART_MS:
            both = _read(electronics, wave, one, two.later(ms / 1000))
            yield f"{ms} ms apart", second, ms / 1000, both


def _read(electronics: Electronics, seed: int, *waves: Wave) -> Block:
    converter = SimulatedConverter(len(waves[0].channels), electronics, seed)
    count = round((BEFORE_S + LASTING_S) * electronics.rate_hz)
    return converter.block(waves, -BEFORE_S, count)


def _note(
    outcomes: Counter[str], listener: Listener, block: Block, second: int, after_s: float | None
) -> None:
    """Note what of *block* is told beside the first blow, which came at 0 s."""
    told = [
        one
        for one in (*listener.feed(block), *listener.flush())
        if isinstance(one, Judgement)
        and one.verdict is not Verdict.NOISE
        and (one.at_s > NEAR_S if after_s is None else abs(one.at_s - after_s) < NEAR_S)
    ]
    for one in told[:1]:
        outcomes[SURE if one.verdict is Verdict.KNOCK else DOUBT] += 1
        if one.seat is not None:
            outcomes[RIGHT if one.seat == second else WRONG] += 1


def _row(one: Counter[str]) -> tuple[str, ...]:
    found = one[SURE] + one[DOUBT]
    asked = found - one[RIGHT] - one[WRONG]
    counts = (one[SURE], one[DOUBT], one[RIGHT], one[WRONG], asked)
    return (str(one["n"]), f"{found / one['n']:.2f}", *map(str, counts))


def _order(item: tuple[tuple[str, str], Counter[str]]) -> tuple[str, int, str]:
    known, name = item[0]
    first = name.split()[0]
    return known, int(first) if first.isdigit() else 0, name


if __name__ == "__main__":
    sys.exit(main())
