"""What a tuning comes to, in plain words: how far knocks are from the rest, and seats apart."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from statistics import median

from kloplei.knock.calibration import Calibration
from kloplei.knock.strokes import Gathered, decibels, loudness_of, peaks_of, usual_db
from kloplei.knock.suggestion import Example, Learn, Rejudge
from kloplei.knock.verdict import Judgement, Verdict
from kloplei.rules.game import Seat
from kloplei.rules.scoreboard import Line

USUAL_KNOCK_DB = -12.0  # below full scale: so loud are the knocks that the judge knows
MOST_GAIN_DB = 20.0
STRICTER_STEPS = (0.0, 0.5, 1.0, 1.5, 2.0)  # log-odds that glasses and phones may ask for
ROOM = 0.5  # log-odds that the least likely of the knocks keeps: the next may be less likely
_GOOD_DB, _FAIR_DB = 10.0, 3.0  # knocks above what else is loud on the table
_FLOOR_GOOD_DB, _FLOOR_FAIR_DB = 24.0, 15.0  # knocks above the silence
_UNEVEN_DB = 12.0
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


@dataclass(frozen=True, slots=True)
class Result:
    """What a tuning comes to; *calibration* is None where there was nothing to learn from."""

    remarks: tuple[Remark, ...]
    calibration: Calibration | None


def weigh(gathered: Gathered, before: Calibration, rejudge: Rejudge, learn: Learn | None) -> Result:
    """Return what *gathered* comes to at a table that was tuned as *before*.

    Takes its time: the places are learned several times over, each time to be tried on knocks
    that they have not seen. *learn* None is for a table at which no seat is attributed.
    """
    knocks = _felt(gathered)
    if not knocks:
        return Result(tuple(_on_edges(gathered)), None)
    levelled = replace(before, gain_db=gain_db(knocks), floor=gathered.floor)
    levelled = _strict_enough(gathered, knocks, levelled, rejudge)
    after = _taught(knocks, levelled, learn)
    remarks = (
        *_on_loudness(gathered, knocks),
        *_on_verdicts(gathered, knocks, before, after, rejudge),
        *_on_seats(gathered, knocks, levelled, rejudge, learn),
        *_on_sensors(gathered, knocks),
        *_on_edges(gathered),
    )
    return Result(remarks, after)


def _felt(gathered: Gathered) -> dict[Seat, tuple[Judgement, ...]]:
    """Return the knocks that piezos felt, by seat: of edges there is nothing to learn."""
    found = {
        seat: tuple(one for one in strokes if one.window is not None)
        for seat, strokes in gathered.knocks.items()
    }
    return {seat: strokes for seat, strokes in found.items() if strokes}


def _taught(knocks: Knocks, calibration: Calibration, learn: Learn | None) -> Calibration:
    """Return *calibration* with what *knocks* teach about the seats."""
    examples = [
        Example(number, judged, Verdict.KNOCK, seat)
        for number, (seat, judged) in enumerate(
            (seat, one) for seat, strokes in knocks.items() for one in strokes
        )
    ]
    learned = learn(calibration, examples) if learn is not None else None
    return learned or calibration


def gain_db(knocks: Knocks) -> float:
    """Return what makes these *knocks* as loud as those that the judge knows."""
    usual = median(map(usual_db, knocks.values()))
    return round(max(-MOST_GAIN_DB, min(MOST_GAIN_DB, USUAL_KNOCK_DB - usual)), 1)


def _strict_enough(
    gathered: Gathered, knocks: Knocks, levelled: Calibration, rejudge: Rejudge
) -> Calibration:
    """Return *levelled* as strict as it takes to mistake the fewest glasses and phones.

    But no stricter than the knocks bear: all that were known stay known, with some room.
    """
    others = (*gathered.glasses, *gathered.buzzed)
    all_knocks = tuple(one for strokes in knocks.values() for one in strokes)

    def known(blows: tuple[Judgement, ...], stricter: float) -> int:
        turned = replace(levelled, strictness=levelled.strictness + stricter)
        return sum(rejudge(one, turned).verdict is Verdict.KNOCK for one in blows)

    bearable = [
        step
        for step in STRICTER_STEPS
        if step == 0.0 or known(all_knocks, step + ROOM) == known(all_knocks, 0.0)
    ]
    step = min(bearable, key=lambda one: (known(others, one), one))
    return replace(levelled, strictness=levelled.strictness + step)


# How loud


def _on_loudness(gathered: Gathered, knocks: Knocks) -> Iterator[Remark]:
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
    grade = Grade.GOOD if db >= good_db else Grade.FAIR if db >= fair_db else Grade.POOR
    return Remark(grade, Line(f"{key}.{grade}", {"db": round(db)}))


# Knock or not


def _on_verdicts(
    gathered: Gathered,
    knocks: Knocks,
    before: Calibration,
    after: Calibration,
    rejudge: Rejudge,
) -> Iterator[Remark]:
    all_knocks = tuple(one for strokes in knocks.values() for one in strokes)
    facts = _counts(all_knocks, before, after, rejudge)
    share = facts["n"] / len(all_knocks)
    grade = Grade.GOOD if share >= 0.95 else Grade.FAIR if share >= 0.8 else Grade.POOR
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


def _on_seats(
    gathered: Gathered,
    knocks: Knocks,
    levelled: Calibration,
    rejudge: Rejudge,
    learn: Learn | None,
) -> Iterator[Remark]:
    skipped = tuple(seat for seat in gathered.setup.seats if seat not in gathered.knocks)
    if skipped:
        yield Remark(
            Grade.FAIR, Line("tuning.seats-skipped", {"seats": skipped, "n": len(skipped)})
        )
    if learn is None or len(knocks) < 2:
        return
    found = _tried(knocks, levelled, rejudge, learn)
    confused = Counter(
        (min(seat, other), max(seat, other))
        for seat, other in found
        if other is not None and other != seat
    )
    for pair, times in confused.most_common():
        of = sum(len(knocks.get(seat, ())) for seat in pair)
        grade = Grade.POOR if times * 5 > of else Grade.FAIR
        yield Remark(grade, Line("tuning.seats-alike", {"seats": pair, "n": times, "of": of}))
    unsure = sum(other is None for _, other in found)
    if unsure:
        facts = {"n": unsure, "of": len(found)}
        yield Remark(Grade.FAIR, Line("tuning.seats-unsure", facts))
    if not confused and not unsure:
        yield Remark(Grade.GOOD, Line("tuning.seats-apart", {"n": len(knocks)}))


def _tried(
    knocks: Knocks, levelled: Calibration, rejudge: Rejudge, learn: Learn
) -> list[tuple[Seat, Seat | None]]:
    """Return each knock's seat with the seat it would be taken for.

    The first knock of every seat is judged by what the others teach, then the second, and so on.
    """
    found: list[tuple[Seat, Seat | None]] = []
    for turn in range(max(map(len, knocks.values()))):
        seen = {seat: _all_but(strokes, turn) for seat, strokes in knocks.items()}
        learned = _taught(seen, levelled, learn)
        found += [
            (seat, rejudge(strokes[turn], learned).seat)
            for seat, strokes in knocks.items()
            if turn < len(strokes) and seen[seat]
        ]
    return found


def _all_but(strokes: tuple[Judgement, ...], turn: int) -> tuple[Judgement, ...]:
    return strokes[:turn] + strokes[turn + 1 :]


# Wires


def _on_sensors(gathered: Gathered, knocks: Knocks) -> Iterator[Remark]:
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


def _on_edges(gathered: Gathered) -> Iterator[Remark]:
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
