"""The result of a tuning in plain words: how far knocks are from the rest, and seats apart."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import median

from kloplei.games.game import Seat
from kloplei.games.scoreboard import Line
from kloplei.knock.calibration import Calibration
from kloplei.knock.strokes import Gathered, decibels, loudness_of, peaks_of, usual_db
from kloplei.knock.suggestion import Rejudge
from kloplei.knock.verdict import Judgement, Verdict

_GOOD_DB, _FAIR_DB = 10.0, 3.0  # knocks above what else is loud on the table
_FLOOR_GOOD_DB, _FLOOR_FAIR_DB = 24.0, 15.0  # knocks above the silence
_UNEVEN_DB = 12.0  # a seat so far below the usual one is faint
_GOOD_SHARE, _FAIR_SHARE = 0.95, 0.8  # of the knocks that are known
_OFTEN = 0.2  # of the knocks of two seats: confused more often, they can hardly be told apart
_DEAF = 2.0  # times the silence: a sensor that knocks move no more than that hears nothing
_LEAST_SIGNAL = 0.004  # of full scale, two steps of ten bits

Knocks = Mapping[Seat, tuple[Judgement, ...]]


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
        yield Remark(Grade.FAIR, Line("tuning.faint-seats", {"seats": faint, "n": len(faint)}))


def _margin(key: str, db: float, good_db: float, fair_db: float) -> Remark:
    """Return *key* with its ending by grade: margins that are good read other than poor ones."""
    grade = _grade(db, good_db, fair_db)
    return Remark(grade, Line(f"{key}.{grade}", {"db": round(db)}))


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
    yield Remark(grade, Line("tuning.knocks-known", facts))
    others = (
        ("tuning.glasses-mistaken", gathered.glasses),
        ("tuning.buzzes-mistaken", gathered.buzzed),
    )
    for key, blows in others:
        facts = _counts(blows, before, after, rejudge)
        if facts["n"]:
            yield Remark(Grade.POOR, Line(key, facts))


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
        facts = {"seats": skipped, "n": len(skipped)}
        yield Remark(Grade.FAIR, Line("tuning.seats-skipped", facts))


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
        yield Remark(grade, Line("tuning.seats-alike", {"seats": pair, "n": times, "of": of}))
    unsure = sum(other is None for _, other in tried)
    if unsure:
        facts = {"n": unsure, "of": len(tried)}
        yield Remark(Grade.FAIR, Line("tuning.seats-unsure", facts))
    if not confused and not unsure:
        yield Remark(Grade.GOOD, Line("tuning.seats-apart", {"n": len(knocks)}))


# Wires


def on_sensors(gathered: Gathered, knocks: Knocks) -> Iterator[Remark]:
    """Name the channels that hum or hear nothing, and the seats whose wires are crossed."""
    if gathered.humming:
        yield Remark(Grade.FAIR, _about_sensors("tuning.sensors-hum", gathered.humming))
    deaf = tuple(_deaf(gathered, knocks))
    if deaf:
        yield Remark(Grade.POOR, _about_sensors("tuning.sensors-deaf", deaf))
    for seat, strokes in knocks.items():
        other = _felt_at(strokes)
        if seat in gathered.setup.piezos and other not in (None, seat):
            yield Remark(Grade.FAIR, Line("tuning.crossed", {"seat": seat, "of": other}))


def _about_sensors(key: str, channels: tuple[int, ...]) -> Line:
    return Line(key, {"sensors": tuple(one + 1 for one in channels), "n": len(channels)})


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
    """Say which pads answered: of edges there is nothing else to learn."""
    by_edges = [seat for seat in gathered.setup.seats if gathered.setup.by_edges(seat)]
    answered = tuple(seat for seat in by_edges if gathered.knocks.get(seat))
    silent = tuple(seat for seat in by_edges if seat not in answered)
    if answered:
        facts = {"seats": answered, "n": len(answered)}
        yield Remark(Grade.GOOD, Line("tuning.pads-answer", facts))
    if silent:
        facts = {"seats": silent, "n": len(silent)}
        yield Remark(Grade.POOR, Line("tuning.pads-silent", facts))
