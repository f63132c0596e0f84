"""What a tuning comes to, in plain words: how far knocks are from the rest, and seats apart."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from statistics import median
from typing import Protocol

from kloplei.knock.calibration import Calibration
from kloplei.knock.signal import Window
from kloplei.knock.strokes import Gathered, decibels, loudness_of, peaks_of, usual_db
from kloplei.knock.verdict import Judgement, Verdict
from kloplei.rules.game import Seat
from kloplei.rules.scoreboard import Line

USUAL_KNOCK_DB = -12.0  # below full scale: so loud are the knocks that the judge knows
MOST_GAIN_DB = 20.0
_GOOD_DB, _FAIR_DB = 10.0, 3.0  # knocks above what else is loud on the table
_FLOOR_GOOD_DB, _FLOOR_FAIR_DB = 24.0, 15.0  # knocks above the silence
_UNEVEN_DB = 12.0
_DEAF = 2.0  # times the silence: a sensor that knocks move no more than that hears nothing
_LEAST_SIGNAL = 0.004  # of full scale, two steps of ten bits

Knocks = Mapping[Seat, tuple[Window, ...]]


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


class Trial(Protocol):
    """The judge and the places, asked what they would make of a blow."""

    def verdict(self, window: Window, calibration: Calibration) -> Verdict:
        """Return what *window* is found to be with *calibration*."""
        ...

    def learn(self, knocks: Knocks, calibration: Calibration) -> Calibration:
        """Return *calibration* with what *knocks* teach about the seats."""
        ...

    def seat(self, window: Window, calibration: Calibration) -> Seat | None:
        """Return whose knock *window* is with *calibration*, or None if it cannot be said."""
        ...


def weigh(gathered: Gathered, before: Calibration, trial: Trial) -> Result:
    """Return what *gathered* comes to at a table that was tuned as *before*.

    Takes its time: the places are learned several times over, each time to be tried on knocks
    that they have not seen.
    """
    knocks = _windows(gathered)
    if not knocks:
        return Result(tuple(_on_edges(gathered)), None)
    levelled = replace(before, gain_db=_gain_db(gathered, knocks), floor=gathered.floor)
    after = trial.learn(knocks, levelled)
    remarks = (
        *_on_loudness(gathered, knocks),
        *_on_verdicts(gathered, knocks, before, after, trial),
        *_on_seats(gathered, knocks, levelled, trial),
        *_on_sensors(gathered, knocks),
        *_on_edges(gathered),
    )
    return Result(remarks, after)


def _windows(gathered: Gathered) -> dict[Seat, tuple[Window, ...]]:
    found = {
        seat: tuple(one.window for one in strokes if one.window is not None)
        for seat, strokes in gathered.knocks.items()
    }
    return {seat: windows for seat, windows in found.items() if windows}


def _gain_db(gathered: Gathered, knocks: Knocks) -> float:
    usual = median(usual_db(gathered.knocks[seat]) for seat in knocks)
    return round(max(-MOST_GAIN_DB, min(MOST_GAIN_DB, USUAL_KNOCK_DB - usual)), 1)


# How loud


def _on_loudness(gathered: Gathered, knocks: Knocks) -> Iterator[Remark]:
    levels = {seat: usual_db(gathered.knocks[seat]) for seat in knocks}
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
    gathered: Gathered, knocks: Knocks, before: Calibration, after: Calibration, trial: Trial
) -> Iterator[Remark]:
    all_knocks = tuple(one for windows in knocks.values() for one in windows)
    known = _taken(all_knocks, after, trial)
    facts = {
        "n": known,
        "of": len(all_knocks),
        "before": _taken(all_knocks, before, trial),
    }
    share = known / len(all_knocks)
    grade = Grade.GOOD if share >= 0.95 else Grade.FAIR if share >= 0.8 else Grade.POOR
    yield Remark(grade, Line("tuning.knocks-known", facts))
    for key, blows in (("glasses", gathered.glasses), ("buzzes", gathered.buzzed)):
        others = tuple(one.window for one in blows if one.window is not None)
        mistaken = _taken(others, after, trial)
        if mistaken:
            facts = {"n": mistaken, "of": len(others), "before": _taken(others, before, trial)}
            yield Remark(Grade.POOR, Line(f"tuning.{key}-mistaken", facts))


def _taken(windows: tuple[Window, ...], calibration: Calibration, trial: Trial) -> int:
    """Return how many of *windows* are taken for knocks."""
    return sum(trial.verdict(one, calibration) is Verdict.KNOCK for one in windows)


# Whose knock


def _on_seats(
    gathered: Gathered, knocks: Knocks, levelled: Calibration, trial: Trial
) -> Iterator[Remark]:
    skipped = tuple(seat for seat in gathered.setup.seats if seat not in gathered.knocks)
    if skipped:
        yield Remark(
            Grade.FAIR, Line("tuning.seats-skipped", {"seats": skipped, "n": len(skipped)})
        )
    if len(knocks) < 2:
        return
    confused = _confusions(knocks, levelled, trial)
    for (seat, other), times in confused.most_common():
        of = len(knocks[seat]) + len(knocks[other])
        grade = Grade.POOR if times * 5 > of else Grade.FAIR
        facts = {"seats": (seat, other), "n": times, "of": of}
        yield Remark(grade, Line("tuning.seats-alike", facts))
    if not confused:
        yield Remark(Grade.GOOD, Line("tuning.seats-apart", {"n": len(knocks)}))


def _confusions(knocks: Knocks, levelled: Calibration, trial: Trial) -> Counter[tuple[Seat, Seat]]:
    """Return how often the seats of a pair were taken for each other.

    The first knock of every seat is judged by what the others teach, then the second, and so on.
    """
    confused: Counter[tuple[Seat, Seat]] = Counter()
    for turn in range(max(map(len, knocks.values()))):
        seen = {seat: _all_but(windows, turn) for seat, windows in knocks.items()}
        learned = trial.learn({seat: some for seat, some in seen.items() if some}, levelled)
        for seat, windows in knocks.items():
            found = trial.seat(windows[turn], learned) if turn < len(windows) else seat
            if found is not None and found != seat:
                confused[min(seat, found), max(seat, found)] += 1
    return confused


def _all_but(windows: tuple[Window, ...], turn: int) -> tuple[Window, ...]:
    return windows[:turn] + windows[turn + 1 :]


# Wires


def _on_sensors(gathered: Gathered, knocks: Knocks) -> Iterator[Remark]:
    if gathered.humming:
        yield Remark(Grade.FAIR, _about_sensors("tuning.sensors-hum", gathered.humming))
    deaf = tuple(_deaf(gathered, knocks))
    if deaf:
        yield Remark(Grade.POOR, _about_sensors("tuning.sensors-deaf", deaf))
    for seat in knocks:
        other = _felt_at(gathered.knocks[seat])
        if seat in gathered.setup.piezos and other not in (None, seat):
            yield Remark(Grade.FAIR, Line("tuning.crossed", {"seat": seat, "of": other}))


def _about_sensors(key: str, channels: tuple[int, ...]) -> Line:
    return Line(key, {"sensors": tuple(one + 1 for one in channels), "n": len(channels)})


def _deaf(gathered: Gathered, knocks: Knocks) -> Iterator[int]:
    """Yield the channels that none of the knocks moved."""
    strokes = [one for seat in knocks for one in gathered.knocks[seat] if one.window is not None]
    for channel, loudest in enumerate(map(max, zip(*map(peaks_of, strokes), strict=False))):
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
