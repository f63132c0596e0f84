"""What is said of a tuning: how far knocks are from the rest, and seats apart (dB, shares of 1).

Each ``on_...`` takes what was `Gathered` and yields `Remark`s, whose sentences are in ``words/``.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from statistics import median

from kloplei.frozen import dataclass
from kloplei.games.game import Seat
from kloplei.games.scoreboard import Line
from kloplei.knock import trimmer
from kloplei.knock.calibration import Calibration
from kloplei.knock.fitting import (
    Gathered,
    Knocks,
    Rejudge,
    decibels,
    loudness_of,
    peaks_of,
    usual_db,
)
from kloplei.knock.judgement import Judgement, Verdict
from kloplei.knock.trimmer import TrimmerTurn, Trimming

_GOOD_DB, _FAIR_DB = 10.0, 3.0  # knocks above what else is loud on the table
_FLOOR_GOOD_DB, _FLOOR_FAIR_DB = 24.0, 15.0  # knocks above the silence
_UNEVEN_DB = 12.0  # a seat so far below the usual one is faint
_GOOD_SHARE, _FAIR_SHARE = 0.95, 0.8  # of the knocks that are known
_OFTEN = 0.2  # of the knocks of two seats: confused more often, they can hardly be told apart
_DEAF = 2.0  # times the silence: a sensor that knocks move no more than that hears nothing
_LEAST_SIGNAL = 0.004  # of full scale, two steps of ten bits
LOOSE_DB = 9.0  # so far below the others no glue lies: wax loses 4, tape and foam 20 (hw/piezo.md)
GLUED_KNOCK_DB = -11.0  # below full scale: a usual knock at a glued disc (hw/piezo.md)
_FEWEST_PLACES = 3  # to tell a disc that is loose from one that is far


class Grade(StrEnum):
    """How good a remark is news."""

    GOOD = "good"
    FAIR = "fair"
    POOR = "poor"


@dataclass(frozen=True, slots=True)
class Remark:
    """One sentence of the result."""

    grade: Grade
    line: Line


# How loud


def on_loudness(gathered: Gathered, knocks: Knocks) -> Iterator[Remark]:
    """Say how far the softest seat is above all else that is loud, and who knocks faintly."""
    levels = {seat: usual_db(strokes) for seat, strokes in knocks.items()}
    softest = min(levels.values())
    if gathered.floor:
        db = softest - decibels(max(gathered.floor))
        yield _margin("tuning.above-silence", db, _FLOOR_GOOD_DB, _FLOOR_FAIR_DB)
    if gathered.glasses:
        db = softest - decibels(max(map(loudness_of, gathered.glasses)))
        yield _margin("tuning.above-glass", db, _GOOD_DB, _FAIR_DB)
    if gathered.buzz:
        db = softest - decibels(gathered.buzz)
        yield _margin("tuning.above-phone", db, _GOOD_DB, _FAIR_DB)
    faint = tuple(s for s, db in levels.items() if median(levels.values()) - db > _UNEVEN_DB)
    if faint:
        yield _remark("tuning.faint-seats", Grade.FAIR, seats=faint, n=len(faint))


def _margin(key: str, db: float, good_db: float, fair_db: float) -> Remark:
    """Return *key* with its ending by grade: margins that are good read other than poor ones."""
    grade = _grade(db, good_db, fair_db)
    return _remark(f"{key}.{grade}", grade, db=round(db))


def _remark(key: str, grade: Grade, **facts: object) -> Remark:
    return Remark(grade, Line(key, facts))


def _grade(value: float, good: float, fair: float) -> Grade:
    return Grade.GOOD if value >= good else Grade.FAIR if value >= fair else Grade.POOR


# Knock or not


def on_verdicts(
    gathered: Gathered,
    knocks: Knocks,
    before: Calibration,
    after: Calibration,
    rejudge: Rejudge,
) -> Iterator[Remark]:
    """Say how many knocks are known *after*, and what else is mistaken for one."""
    all_knocks = tuple(one for strokes in knocks.values() for one in strokes)
    facts = _counts(all_knocks, before, after, rejudge)
    share = facts["n"] / len(all_knocks)
    grade = _grade(share, _GOOD_SHARE, _FAIR_SHARE)
    yield _remark("tuning.knocks-known", grade, **facts)
    others = (
        ("tuning.glasses-mistaken", gathered.glasses),
        ("tuning.buzzes-mistaken", gathered.buzzed),
    )
    for key, blows in others:
        facts = _counts(blows, before, after, rejudge)
        if facts["n"]:
            yield _remark(key, Grade.POOR, **facts)


def _counts(
    blows: tuple[Judgement, ...], before: Calibration, after: Calibration, rejudge: Rejudge
) -> dict[str, int]:
    """Return how many of *blows* would be taken for knocks, and how many were before."""

    def taken(calibration: Calibration) -> int:
        return sum(rejudge(one, calibration).verdict is Verdict.KNOCK for one in blows)

    return {"n": taken(after), "of": len(blows), "before": taken(before)}


# Whose knock


def on_skipped(gathered: Gathered) -> Iterator[Remark]:
    """Name the seats that nobody knocked at."""
    skipped = tuple(seat for seat in gathered.setup.seats if seat not in gathered.knocks)
    if skipped:
        yield _remark("tuning.seats-skipped", Grade.FAIR, seats=skipped, n=len(skipped))


def on_seats(knocks: Knocks, tried: Sequence[tuple[Seat, Seat | None]]) -> Iterator[Remark]:
    """Say which seats sound alike; *tried* is each knock's seat, and which it was taken for."""
    confused = Counter(
        (min(seat, other), max(seat, other))
        for seat, other in tried
        if other is not None and other != seat
    )
    for pair, times in confused.most_common():
        of = sum(len(knocks.get(seat, ())) for seat in pair)
        grade = Grade.POOR if times > _OFTEN * of else Grade.FAIR
        yield _remark("tuning.seats-alike", grade, seats=pair, n=times, of=of)
    unsure = sum(other is None for _, other in tried)
    if unsure:
        yield _remark("tuning.seats-unsure", Grade.FAIR, n=unsure, of=len(tried))
    if not confused and not unsure:
        yield _remark("tuning.seats-apart", Grade.GOOD, n=len(knocks))


# Wires


def on_sensors(gathered: Gathered, knocks: Knocks) -> Iterator[Remark]:
    """Name the channels that hum, hear nothing or are loose, and seats whose wires are crossed."""
    if gathered.humming:
        yield _about_discs("tuning.sensors-hum", Grade.FAIR, gathered, gathered.humming)
    deaf = tuple(_deaf(gathered, knocks))
    if deaf:
        yield _about_discs("tuning.sensors-deaf", Grade.POOR, gathered, deaf)
    yield from _on_glue(gathered, knocks, frozenset((*deaf, *gathered.humming)))
    for seat, strokes in knocks.items():
        other = _felt_at(strokes)
        if seat in gathered.setup.piezos and other not in (None, seat):
            yield _remark("tuning.crossed", Grade.FAIR, seat=seat, of=other)


def _on_glue(gathered: Gathered, knocks: Knocks, left_out: frozenset[int]) -> Iterator[Remark]:
    """Say which discs are loose, and whether all of them may be; *left_out* ail otherwise."""
    for channel, db in beside_db(gathered, knocks, left_out).items():
        if db <= -LOOSE_DB:
            part = gathered.setup.disc_name(channel)
            yield _remark("tuning.disc-loose", Grade.POOR, part=part, db=round(-db))
    below_db = GLUED_KNOCK_DB - median(map(usual_db, knocks.values()))
    if below_db >= LOOSE_DB:
        yield _remark("tuning.discs-faint", Grade.FAIR, db=round(below_db))


def beside_db(
    gathered: Gathered, knocks: Knocks, left_out: frozenset[int] = frozenset()
) -> dict[int, float]:
    """Return how much more each channel makes of the wood than the others do, in decibels.

    How hard people knock counts for nothing, for two discs are compared by the same knocks; and
    how far they sit hardly does: what one has before the other where it is nearest, the other has
    where that is nearest, and only the glue is in the middle between both. So channels that
    nobody knocked near, and a table of too few places, are left out.
    """
    piezos = gathered.setup.piezos
    own = [at for at, seat in enumerate(piezos) if seat in knocks]
    corners = [at for at, seat in enumerate(piezos) if seat is None]
    known = own + (corners if len(knocks) >= _FEWEST_PLACES else [])
    discs = [at for at in known if at not in left_out]
    heard = [_levels_db(gathered, strokes, discs) for strokes in knocks.values()]
    return {
        one: median(_apart_db(heard, one, other) for other in discs if other != one)
        for one in discs
        if len(discs) > 1
    }


def _apart_db(heard: Sequence[Mapping[int, float]], one: int, other: int) -> float:
    apart = [levels[one] - levels[other] for levels in heard]
    return (max(apart) + min(apart)) / 2


def _levels_db(
    gathered: Gathered, strokes: tuple[Judgement, ...], discs: Sequence[int]
) -> dict[int, float]:
    """Return how loud *strokes* of one seat usually are at each disc, its silence taken off."""
    floors = (*gathered.floor, *[0.0] * len(gathered.setup.piezos))
    peaks = [peaks_of(one) for one in strokes]
    return {
        at: median(
            decibels(math.sqrt(max(one[at] ** 2 - floors[at] ** 2, (floors[at] / 4) ** 2)))
            for one in peaks
        )
        for at in discs
    }


def _about_discs(key: str, grade: Grade, gathered: Gathered, channels: tuple[int, ...]) -> Remark:
    parts = tuple(map(gathered.setup.disc_name, channels))
    return _remark(key, grade, part=parts, n=len(channels))


def _deaf(gathered: Gathered, knocks: Knocks) -> Iterator[int]:
    """Yield the channels that none of the knocks moved."""
    peaks = [peaks_of(one) for strokes in knocks.values() for one in strokes]
    for channel, loudest in enumerate(map(max, zip(*peaks, strict=False))):
        floor = gathered.floor[channel] if channel < len(gathered.floor) else 0.0
        if loudest <= max(_DEAF * floor, _LEAST_SIGNAL):
            yield channel


def _felt_at(strokes: tuple[Judgement, ...]) -> Seat | None:
    """Return the seat that most of *strokes* seemed to come from before anything was learned."""
    (seat, times) = Counter(one.seat for one in strokes).most_common(1)[0]
    return seat if 2 * times > len(strokes) else None


def on_edges(gathered: Gathered) -> Iterator[Remark]:
    """Say which pads answered, and which way to turn their trimmers: edges teach nothing else."""
    by_edges = [seat for seat in gathered.setup.seats if gathered.setup.by_edges(seat)]
    answered = tuple(seat for seat in by_edges if gathered.knocks.get(seat))
    silent = tuple(seat for seat in by_edges if seat not in answered)
    if answered:
        yield _remark("tuning.pads-answer", Grade.GOOD, seats=answered, n=len(answered))
    if silent:
        yield _remark("tuning.pads-silent", Grade.POOR, seats=silent, n=len(silent))
    for seat in answered:
        yield from _on_trimmer(seat, gathered.knocks[seat], gathered.beside.get(seat))


def may_be_trimmed(seat: Seat, strokes: Sequence[Judgement]) -> bool:
    """Whether *strokes* tell how the trimmer of *seat* stands: its own pad timed enough of them."""
    return len(_timed(seat, strokes)) >= trimmer.KNOCKS


def _timed(seat: Seat, strokes: Sequence[Judgement]) -> list[Judgement]:
    return [one for one in strokes if one.seat == seat and one.rang_s]


def _on_trimmer(
    seat: Seat, strokes: Sequence[Judgement], glasses: Sequence[Judgement] | None
) -> Iterator[Remark]:
    """Say how its own trimmer stands, of a pad whose pulses were timed."""
    if not may_be_trimmed(seat, strokes):
        return
    _, advice = Trimming(fewest=trimmer.KNOCKS).heard(_timed(seat, strokes), glasses)
    if advice.most_glasses_pass and advice.turn is TrimmerTurn.GOOD:
        yield _remark("tuning.pad-passes", Grade.FAIR, seat=seat)
    elif advice.turn is TrimmerTurn.GOOD:
        yield _remark("tuning.pad-set", Grade.GOOD, seat=seat)
    elif advice.turn in (TrimmerTurn.FINER, TrimmerTurn.COARSER):
        facts = {"seat": seat, "db": advice.db}
        yield _remark(f"tuning.pad-{advice.turn}", Grade.FAIR, **facts)
