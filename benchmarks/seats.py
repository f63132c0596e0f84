"""Tell who knocked on virtual tables that nothing was tuned on.

    python benchmarks/seats.py [--tables 12] [--kinds plate,round] [--hand 0.1] [--json FILE]

At each table five knocks a seat are learned, as from recordings in which somebody wrote down who
knocked; then others knock, nobody twice at the same spot. What was wrong, what nobody was named
for, and what was not taken for a knock at all are three different things, and told apart. Hands
that wander far come nearer to another seat: what somebody could say at best who saw each of them
fall is told beside it, and what the box says that knows besides who owes an answer: half of them.
"""

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from math import exp, sqrt
from pathlib import Path
from random import Random

if not __package__:  # run as a file: what lies beside it is found from the folder above
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.measured_table import Electronics, MeasuredTable
from benchmarks.tables import table
from kloplei.config.settings import EARS_HZ
from kloplei.devices.adc import BLOCK_S
from kloplei.devices.audio import SoundCard
from kloplei.devices.sampling import Stream
from kloplei.games.game import Seat
from kloplei.knock.calibration import Calibration
from kloplei.knock.classifier import likelihood
from kloplei.knock.detector import Listener
from kloplei.knock.features import AFTER_S, BEFORE_S
from kloplei.knock.geometry import PLANKS_ACROSS, Spot, TableGeometry
from kloplei.knock.judgement import SURE, Judgement, Verdict, sure_enough, verdict
from kloplei.knock.localization import CannotTellSeats, SeatFinder
from kloplei.knock.signal import Block, Window
from kloplei.recordings._learning import CannotLearn, LearningExample, examples, learn_table
from kloplei.recordings.labels import Labelled
from kloplei.simulation.blows import Blow
from kloplei.simulation.coupling import Coupling, UnknownCoupling, read_couplings
from kloplei.simulation.table_top import FARTHEST, KINDS, wandering
from kloplei.table.expectation import NONE, OWED, Expectation
from tests.devices.sound_cards import PacedPcm

LEARNED, ASKED = 5, 8  # knocks of a seat
HAND_M = 0.04  # spread of a hand round its place, both ways
HANDS_M = (HAND_M, 0.1)  # of those that are asked about, in turn
FIRST_SEED = 7000  # of the tables; none of them was ever looked at while tuning
RATES_HZ = (4000, 8000)
NOISE_CODES = (1, 3)

RIGHT, WRONG, UNSURE, UNHEARD = "right", "wrong", "unsure", "not heard"
HEAD = ("table", "known of it", "knocks", RIGHT, WRONG, UNSURE, UNHEARD)
STEPS = (0.0, 0.6, 0.8, 0.9, 0.95, 0.99)  # of confidence
ENOUGH = 100  # knocks, to say how many of them were right
KNOWN_TO = 0.015  # a share that chance alone moves by more, as a standard deviation, tells little
ANSWERED = 0.98
SURE_HEAD = ("table", "known of it", "surest", *(f"from {step}" for step in STEPS))
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


LAYOUTS = (Layout(4, 4), Layout(6, 4), Layout(4), Layout(6), Layout(4, 2))
CARD_LAYOUTS = (Layout(4, 4), Layout(6, 4), Layout(4), Layout(8))
CARD_NOISE = 2e-4  # of full scale: a card for little money
CARD_FAST_PPM = 60.0  # its crystal, and no period of its samples is fetched on time
CARD_LATE_S = 0.004
CARD_BEFORE_S = 0.2
_BY_CONVERTER = (
    f"at {RATES_HZ[0]} or {RATES_HZ[1]} Hz, 10 bits, {NOISE_CODES[0]} or {NOISE_CODES[1]} "
    "codes of noise"
)

Reads = Callable[[Spot, int], Iterator[Block]]
Outcomes = Counter[str]
Sure = list[tuple[float, bool]]
LESSONS, SIZE, BOTH, GAME, NOTHING, SEEN = (
    f"{LEARNED} knocks a seat",
    "its size",
    "both",
    "both, and the game",
    "nothing",
    "where hands fell",
)


@dataclass(slots=True)
class Told:
    """What was made of the knocks at one kind of table, and how long it took.

    *sure* holds how sure that was, and whether it was right, by what was known of the table;
    *of_kind* the same of one kind of table alone.
    """

    outcomes: dict[str, Outcomes] = field(default_factory=dict)
    sure: dict[str, Sure] = field(default_factory=dict)
    of_kind: dict[tuple[str, str], Sure] = field(default_factory=dict)
    judging_s: float = 0.0
    finding_s: float = 0.0
    blows: int = 0


def tell_apart(
    tables: int,
    couplings: Sequence[Coupling] = (),
    hands_m: Sequence[float] = HANDS_M,
    kinds: Sequence[str] = tuple(KINDS),
    *,
    on_card: bool = False,
) -> dict[str, object]:
    """Print how well seats are told on so many virtual *tables*; return it as plain values.

    The tables are of the *kinds* named, in turn. Their discs are glued, unless the kind or
    *couplings* say otherwise, and hang on a converter or *on_card*; hands fall off by each of
    *hands_m* in turn.
    """
    told = {
        layout: _asked(layout, tables, couplings, hands_m, kinds, on_card=on_card)
        for layout in (CARD_LAYOUTS if on_card else LAYOUTS)
    }
    read = "by a sound card at 48 kHz and 16 bits" if on_card else _BY_CONVERTER
    rows = [
        (layout.name, known, *_shares(outcomes))
        for layout, one in told.items()
        for known, outcomes in one.outcomes.items()
    ]
    print(table(HEAD, rows))
    print(
        f"{tables} tables of each layout ({', '.join(kinds)})\n"
        f"{read}; hands stray by {' or '.join(f'{100 * one:g}' for one in hands_m)} cm "
        "both ways.\nRight, wrong and unsure are shares of what was heard. "
        f"Below a confidence of {SURE:g} it is asked who it was.\n"
    )
    print(table(SURE_HEAD, list(_sure_rows(told))))
    print(
        "Right of the surest 98 %, and in steps of confidence how many knocks there were, how sure "
        "the\nfinder was of them and how many of them were right, with the standard deviation of "
        "chance.\n"
    )
    print(_reliability(told))
    print(table(COST_HEAD, [_cost_row(layout, one) for layout, one in told.items()]))
    return {
        layout.name: {
            "outcomes": {known: dict(counts) for known, counts in one.outcomes.items()},
            "right_of_the_surest": {
                known: _right_of_the_surest(sure) for known, sure in one.sure.items()
            },
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
    parser.add_argument(
        "--tables", type=int, default=12, metavar="N", help="so many of each layout"
    )
    parser.add_argument(
        "--hand",
        type=float,
        nargs="+",
        default=HANDS_M,
        metavar="M",
        help="how far hands fall off their place, in turn",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures there")
    parser.add_argument(
        "--coupling", default="", metavar="HOW", help="how discs are stuck on: hw/piezo.md"
    )
    parser.add_argument(
        "--kinds",
        default=",".join(KINDS),
        metavar="K,...",
        help="what tables there are, in turn (all)",
    )
    parser.add_argument(
        "--card", action="store_true", help="the discs hang on a sound card, up to eight of them"
    )
    arguments = parser.parse_args(argv)
    if arguments.tables < 1:
        parser.error("--tables must be 1 or more")
    kinds = arguments.kinds.split(",")
    if not set(kinds) <= set(KINDS):
        parser.error(f"--kinds are of {', '.join(KINDS)}")
    try:
        couplings = read_couplings(arguments.coupling) if arguments.coupling else ()
    except UnknownCoupling as error:
        parser.error(str(error))
    report = tell_apart(arguments.tables, couplings, arguments.hand, kinds, on_card=arguments.card)
    if arguments.json:
        arguments.json.write_text(json.dumps(report, indent=1) + "\n")
    return 0


def _asked(
    layout: Layout,
    tables: int,
    couplings: Sequence[Coupling] = (),
    hands_m: Sequence[float] = HANDS_M,
    kinds: Sequence[str] = tuple(KINDS),
    *,
    on_card: bool = False,
) -> Told:
    """Learn *tables* of one layout, one after the other, and let all seats knock at them."""
    told = Told()
    for number in range(tables):
        if sys.stderr.isatty():
            print(f"{layout.name}: table {number + 1} of {tables}", file=sys.stderr)
        kind = kinds[number % len(kinds)]
        top = MeasuredTable.of_seed(
            FIRST_SEED + number, layout.seats, layout.corners, couplings=couplings, kind=KINDS[kind]
        )
        electronics = Electronics(
            rate_hz=RATES_HZ[number % len(RATES_HZ)],
            noise_codes=NOISE_CODES[number // len(RATES_HZ) % len(NOISE_CODES)],
        )
        reads = partial(_by_card, top) if on_card else partial(by_converter, top, electronics)
        _ask(layout, top, reads, told, hands_m, kind)
    return told


def by_converter(
    top: MeasuredTable, electronics: Electronics, spot: Spot, seed: int
) -> Iterator[Block]:
    """Yield a knock at *spot* of *top* as a converter reads the discs in turn."""
    yield top.record(
        Blow.KNUCKLE,
        spot,
        seed=seed,
        electronics=electronics,
        before_s=BEFORE_S + 0.01,
        lasting_s=AFTER_S + 0.01,
    )


def _by_card(top: MeasuredTable, spot: Spot, seed: int) -> Iterator[Block]:
    """Yield a knock as the box gets it from a card that samples all discs at once."""
    luck = Random(f"card {seed}")  # noqa: S311 - no secret
    felt = top.sampled(Blow.KNUCKLE, spot, PacedPcm.USUAL_HZ, seed=seed)
    before = round(CARD_BEFORE_S * PacedPcm.USUAL_HZ)

    def sample(frame: int, channel: int) -> int:
        at = frame - before
        level = felt[channel][at] if 0 <= at < len(felt[channel]) else 0.0
        return round(32767 * max(-1.0, min(1.0, level + luck.gauss(0, CARD_NOISE))))

    now_s = [0.0]
    pcm = PacedPcm(
        now_s,
        sample,
        channels=len(felt),
        fast_ppm=CARD_FAST_PPM,
        late_s=lambda _: luck.uniform(0, CARD_LATE_S),
    )
    card = SoundCard(lambda: pcm, range(len(felt)), lambda: now_s[0])
    stream = Stream(len(felt), EARS_HZ)
    while now_s[0] < CARD_BEFORE_S + AFTER_S + 2 * BLOCK_S:
        yield from stream.add(card.burst(), card.skew_s)


def _ask(
    layout: Layout,
    top: MeasuredTable,
    reads: Reads,
    told: Told,
    hands_m: Sequence[float],
    kind: str,
) -> None:
    lessons = _knocks(top, reads, range(LEARNED))
    calibration = _taught((seat, blow) for seat, _, blow in lessons)
    across = PLANKS_ACROSS if KINDS[kind].planks else 1.0
    geometry = TableGeometry(top.seats, top.sensors, across)
    finders = {
        LESSONS: SeatFinder((), calibration.places),
        SIZE: SeatFinder((), None, geometry),
        BOTH: SeatFinder((), calibration.places, geometry),
    }
    if layout.corners is None:
        finders[NOTHING] = SeatFinder(tuple(map(Seat, range(layout.seats))))
    tried = range(LEARNED, LEARNED + ASKED)
    luck = Random(f"who owes {top.seats}")  # noqa: S311 - no secret
    for seat, fell, blow in _knocks(top, reads, tried, hands_m):
        _note(told, (SEEN, kind), seat, _seen(fell, top.seats, hands_m), blow)
        for known, finder in finders.items():
            found = finder.likeliest(blow.window) if blow and blow.window else (None, 0.0)
            by = calibration if known in (LESSONS, BOTH) else None
            _note(told, (known, kind), seat, found, blow, by)
        likely = finders[BOTH].whose(blow.window) if blow and blow.window else {}
        found = _by_the_game(likely, seat, len(top.seats), luck)
        _note(told, (GAME, kind), seat, found, blow, calibration)
        if blow is not None and blow.window is not None:
            _time(told, finders[LESSONS], blow.window, calibration)


def _by_the_game(
    likely: Mapping[Seat, float], seat: Seat, seats: int, luck: Random
) -> tuple[Seat | None, float]:
    """Return whose knock it is where *seat* owes an answer, and half of all do."""
    others = [one for one in range(seats) if one != seat]
    owing = {seat, *luck.sample(others, seats // 2 - 1)}
    expected = Expectation(tuple(OWED if one in owing else NONE for one in range(seats)))
    found = sure_enough(likely)
    return found if found[0] is not None else expected.whose(likely)


def _seen(fell: Spot, seats: Sequence[Spot], hands_m: Sequence[float]) -> tuple[Seat | None, float]:
    """Return whose hand *fell* there, and how sure, for who knows that it strays by *hands_m*."""
    likely = [sum(_density(fell.distance_m(one), off_m) for off_m in hands_m) for one in seats]
    best = max(range(len(seats)), key=likely.__getitem__)
    return Seat(best), likely[best] / sum(likely)


def _density(distance_m: float, off_m: float) -> float:
    """Return how likely a hand falls so far off, as `wandering` lets it."""
    if distance_m > FARTHEST * off_m:
        return 0.0
    return exp(-0.5 * (distance_m / off_m) ** 2) / off_m**2


def _note(
    told: Told,
    known_of_kind: tuple[str, str],
    seat: Seat,
    found: tuple[Seat | None, float],
    blow: Judgement | None,
    calibration: Calibration | None = None,
) -> None:
    """Note what was *found* of a *blow* of *seat*, by what was known of a table of its kind."""
    known = known_of_kind[0]
    outcomes = told.outcomes.setdefault(known, Counter())
    sure = told.sure.setdefault(known, [])
    of_kind = told.of_kind.setdefault(known_of_kind, [])
    if blow is None or blow.window is None or not _is_knock(blow, calibration):
        outcomes[UNHEARD] += 1
        return
    said, confidence = found
    sure.append((confidence, said == seat))
    of_kind.append(sure[-1])
    outcomes[UNSURE if confidence < SURE else RIGHT if said == seat else WRONG] += 1


def _is_knock(blow: Judgement, calibration: Calibration | None) -> bool:
    found = blow.verdict
    if calibration is not None and blow.window is not None:
        found = verdict(likelihood(blow.window, calibration))
    return found is Verdict.KNOCK


def _time(told: Told, finder: SeatFinder, window: Window, calibration: Calibration) -> None:
    window = replace(window)  # what was worked out of the other one is remembered there
    begun_s = time.perf_counter()
    likelihood(window, calibration)
    judged_s = time.perf_counter()
    finder.seat_of(window)
    told.finding_s += time.perf_counter() - judged_s
    told.judging_s += judged_s - begun_s
    told.blows += 1


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
    top: MeasuredTable,
    reads: Reads,
    numbers: range,
    hands_m: Sequence[float] = (HAND_M,),
) -> Iterator[tuple[Seat, Spot, Judgement | None]]:
    """Yield knocks of each seat, where they fell, and how they are judged untaught or not felt."""
    for seat, usual in enumerate(top.seats):
        for number in numbers:
            luck = Random(f"{seat} {number}")  # noqa: S311 - no secret
            spot = wandering(usual, hands_m[number % len(hands_m)], top.plate, luck)
            listener = Listener()
            blocks = reads(spot, 100 * seat + number)
            found = [*(one for block in blocks for one in listener.feed(block)), *listener.flush()]
            judged = next((one for one in found if isinstance(one, Judgement)), None)
            yield Seat(seat), spot, judged


def _shares(outcomes: Outcomes) -> tuple[str, ...]:
    heard = max(1, outcomes.total() - outcomes[UNHEARD])
    shares = (f"{outcomes[one] / heard:.2%}" for one in (RIGHT, WRONG, UNSURE))
    return (str(outcomes.total()), *shares, f"{outcomes[UNHEARD] / outcomes.total():.2%}")


def _right_of_the_surest(sure: Sequence[tuple[float, bool]]) -> float:
    surest = sorted(sure, reverse=True)[: round(ANSWERED * len(sure))]
    return sum(is_right for _, is_right in surest) / max(1, len(surest))


def _sure_rows(told: dict[Layout, Told]) -> Iterator[tuple[str, ...]]:
    for layout, one in told.items():
        for known in (LESSONS, SIZE, BOTH):
            yield _sure_row(layout.name, known, one.sure[known])
    of_kinds: dict[tuple[str, str], Sure] = {}
    for layout, one in told.items():
        for (known, kind), sure in one.of_kind.items():
            if known in (LESSONS, SIZE, BOTH) and _is_able(layout, known):
                of_kinds.setdefault((kind, known), []).extend(sure)
    for (kind, known), sure in of_kinds.items():
        yield _sure_row(f"all, {kind}", known, sure)


def _sure_row(name: str, known: str, sure: Sure) -> tuple[str, ...]:
    return (name, known, f"{_right_of_the_surest(sure):.2%}", *map(_step, _stepped(sure)))


def _is_able(layout: Layout, known: str) -> bool:
    """Whether seats are told at all: two discs and a size are never sure enough."""
    return known != SIZE or layout.corners != 2


def _stepped(sure: Sequence[tuple[float, bool]]) -> Iterator[Sure]:
    """Yield what of *sure* lies within each of the steps of confidence."""
    for low, high in pairwise((*STEPS, 2.0)):
        yield [one for one in sure if low <= one[0] < high]


def _step(sure: Sure) -> str:
    if not sure:
        return "-"
    by_chance = f"{100 * _chance(sure):.1f}"
    return f"{len(sure)}: {_mean(sure):.1%} / {_right(sure):.1%} +- {by_chance}"


def _chance(sure: Sure) -> float:
    """Return by how much chance alone moves the share of right ones, as a standard deviation."""
    return sqrt(sum(said * (1 - said) for said, _ in sure)) / len(sure)


def _mean(sure: Sure) -> float:
    return sum(confidence for confidence, _ in sure) / len(sure)


def _right(sure: Sure) -> float:
    return sum(is_right for _, is_right in sure) / len(sure)


def _reliability(told: dict[Layout, Told]) -> str:
    """Return how far a confidence is from what it says, where there are enough knocks for it."""
    lines = []
    for known in (LESSONS, SIZE, BOTH):
        able = [one for layout, one in told.items() if _is_able(layout, known)]
        sure = [knock for one in able for knock in one.sure.get(known, ())]
        bins = [one for one in _stepped(sure) if len(one) >= ENOUGH]
        well = [one for one in bins if _chance(one) <= KNOWN_TO]
        answered = [one for one in sure if one[0] >= SURE]
        if not answered:
            continue
        lines.append(
            f"By {known}, all tables: in {len(bins)} steps with {ENOUGH} knocks or more a "
            f"confidence is {_off(bins)};\nin the {len(well)} of them that chance moves by no more "
            f"than {100 * KNOWN_TO:g} points it is {_off(well)};\nof {len(answered)} answers "
            f"{1 - _right(answered):.2%} were wrong, and {1 - _mean(answered):.2%} were to be."
        )
    return "\n".join((*lines, ""))


def _off(bins: Sequence[Sure]) -> str:
    if not bins:
        return "known in none"
    farthest = max(abs(_mean(one) - _right(one)) for one in bins)
    return f"off by up to {100 * farthest:.1f} points"


def _cost_row(layout: Layout, told: Told) -> tuple[str, ...]:
    judging_us, finding_us = (1e6 * one / told.blows for one in (told.judging_s, told.finding_s))
    ratio = finding_us / judging_us
    return (layout.name, f"{judging_us:.0f}", f"{finding_us:.0f}", f"{ratio:.2f}")


if __name__ == "__main__":
    sys.exit(main())
