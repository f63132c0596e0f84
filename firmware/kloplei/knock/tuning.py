"""Teaching the box its table, step by step: be quiet, a glass, a phone, five knocks a seat.

Pads teach no more than which way to turn their trimmers: then it is five knocks a seat, and a
glass beside each pad.

Told what was found and what time it is, each function returns the `Lesson` that follows; `weigh`
says what it comes to. Nothing here saves anything: what comes out is a proposal, and
`kloplei.review.tuning` owns the thread. However long it goes on, what is kept of it is bounded.

Whether all are quiet is told by `NoiseFloor`: how loud the wood is by itself, and who cannot keep
still. Peaks run from 0 to 1 of full scale; what people read is in decibels below it.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import field
from enum import StrEnum
from statistics import median

from kloplei.frozen import dataclass, replace
from kloplei.games.game import Seat
from kloplei.games.scoreboard import Line, Tuning
from kloplei.knock.arrival import location_features
from kloplei.knock.calibration import JUDGE, Calibration
from kloplei.knock.features import judging_rate_hz
from kloplei.knock.fitting import (
    Gathered,
    Knocks,
    Learn,
    MarkedKnock,
    NoiseFit,
    Rejudge,
    SensorSetup,
    decibels,
    loudness_of,
    peaks_of,
    usual_db,
)
from kloplei.knock.judgement import Judgement, Verdict
from kloplei.knock.localization import astray
from kloplei.knock.remarks import (
    Remark,
    may_be_trimmed,
    on_edges,
    on_loudness,
    on_seats,
    on_sensors,
    on_skipped,
    on_verdicts,
)
from kloplei.knock.signal import RAIL


@dataclass(frozen=True, slots=True)
class TuningResult:
    """What a tuning comes to; *calibration* is None where there was nothing to learn from."""

    remarks: tuple[Remark, ...]
    calibration: Calibration | None


QUIET_S = 4.0  # so long nobody may stir
_KEPT_S = 8.0  # half of it is quiet even while a phone rings
_MOST_REPORTS = 160  # twice as many as sensors send in that time
_LOST_S = 3.0  # no report for so long: the sensor was away; one that feels nothing tells less often
_LOUDER = 2.5  # times the usual loudness: somebody stirred
_STEP = 0.006  # of full scale, three steps of ten bits: less is the converter's own
_OF_LATE_S = 2.5
_BUZZ_S = 0.3  # no blow on wood stays loud for so long
_ONE_BLOW = 2  # reports that a single blow makes loud at the most
_HUM = 0.02  # of full scale
_STEADY = 1.6  # the loudest of a hum is no more than so many times its softest


class Disturbance(StrEnum):
    """Who is not quiet; ``tuning.hint.<disturbance>`` tells it to people."""

    KNOCK = "somebody-knocked"
    RESTLESS = "restless"
    BUZZ = "something-buzzes"


@dataclass(frozen=True, slots=True)
class Report:
    """The loudest sample of each channel, 0 to 1, in the moment before *at_s*."""

    at_s: float
    peaks: tuple[float, ...]

    @property
    def is_sound(self) -> bool:
        """Whether it tells anything: each peak is a number of that range."""
        return bool(self.peaks) and all(
            math.isfinite(peak) and 0.0 <= peak <= 1.0 for peak in self.peaks
        )


@dataclass(frozen=True, slots=True)
class NoiseFloor:
    """The last seconds of a table at which nobody should stir; bounded, and told the time.

    What is usual is learned from the same seconds, so that a sensor that hums all the time is
    no disturbance.
    """

    reports: tuple[Report, ...] = ()
    struck_s: float = float("-inf")  # when a blow was last heard

    def heard(self, report: Report) -> "NoiseFloor":
        """Take in the next report; one that tells nothing or comes late is left out."""
        if not report.is_sound:
            return self
        # Time runs back where a converter is opened anew; what is late must not make calm longer.
        kept = self.reports
        if kept and report.at_s <= kept[-1].at_s:
            return self
        if kept and (_is_gap(kept[-1], report) or len(kept[-1].peaks) != len(report.peaks)):
            kept = ()
        kept = (*(one for one in kept if one.at_s > report.at_s - _KEPT_S), report)
        return replace(self, reports=kept[-_MOST_REPORTS:])

    def struck(self, at_s: float) -> "NoiseFloor":
        """Take in that somebody struck the wood."""
        return replace(self, struck_s=max(self.struck_s, at_s))

    @property
    def calm_s(self) -> float:
        """For how many seconds nobody has stirred."""
        calm = self._calm()
        return calm[-1].at_s - calm[0].at_s if calm else 0.0

    @property
    def disturbance(self) -> Disturbance | None:
        """Who stirred of late, or None if nobody did."""
        if not self.reports:
            return None
        since_s = self.reports[-1].at_s - _OF_LATE_S
        loud = self._loud()
        late = [
            (one.at_s, is_loud)
            for one, is_loud in zip(self.reports, loud, strict=True)
            if one.at_s >= since_s
        ]
        if _longest_run_s(late) >= _BUZZ_S:
            return Disturbance.BUZZ
        stirred = sum(is_loud for _, is_loud in late)
        if stirred > _ONE_BLOW:
            return Disturbance.RESTLESS
        return Disturbance.KNOCK if stirred or self.struck_s >= since_s else None

    @property
    def floor(self) -> tuple[float, ...]:
        """The loudest sample of each channel while it was calm; empty if it never was."""
        return tuple(max(peaks) for peaks in _by_channel(self._calm()))

    @property
    def humming(self) -> tuple[int, ...]:
        """The channels, 0-based, that are loud and steady: something hums there."""
        return tuple(
            channel
            for channel, peaks in enumerate(_by_channel(self._calm()))
            if min(peaks) >= _HUM and max(peaks) <= _STEADY * min(peaks)
        )

    def _calm(self) -> tuple[Report, ...]:
        """Return the reports since somebody last stirred."""
        loud = self._loud()
        calm = []
        for report, is_loud in zip(reversed(self.reports), reversed(loud), strict=True):
            if is_loud or report.at_s <= self.struck_s:
                break
            calm.append(report)
        return tuple(reversed(calm))

    def _loud(self) -> tuple[bool, ...]:
        usual = [sorted(peaks)[len(peaks) // 4] for peaks in _by_channel(self.reports)]
        limits = [max(_LOUDER * peak, peak + _STEP) for peak in usual]
        return tuple(
            any(peak > limit for peak, limit in zip(one.peaks, limits, strict=True))
            for one in self.reports
        )


def _is_gap(last: Report, report: Report) -> bool:
    return report.at_s - last.at_s > _LOST_S


def _by_channel(reports: tuple[Report, ...]) -> list[tuple[float, ...]]:
    return list(zip(*(one.peaks for one in reports), strict=True))


def _longest_run_s(moments: list[tuple[float, bool]]) -> float:
    longest_s, since_s = 0.0, None
    for at_s, is_loud in moments:
        if not is_loud:
            since_s = None
            continue
        since_s = at_s if since_s is None else since_s
        longest_s = max(longest_s, at_s - since_s)
    return longest_s


KNOCKS = 5  # a seat
FEWEST_KNOCKS = 3  # that a seat can be learned from
GLASSES = 3
BUZZ_REPORTS = 12  # loud moments of a phone: a second or so
IDLE_S = 300.0  # nobody touches it for so long: the game comes back
PAUSE_S = 1.0  # between two steps; what may still be of the one before belongs to neither
_UNKNOWN_FLOOR = 0.01  # of full scale, where nobody measured it
_METER_DB = 60.0
_METER_STEP = 5


class LessonStep(StrEnum):
    """Where a lesson stands."""

    QUIET = "quiet"
    GLASS = "glass"
    PHONE = "phone"
    KNOCKS = "knocks"
    WEIGHING = "weighing"
    RESULT = "result"


@dataclass(frozen=True, slots=True)
class Lesson:
    """One lesson at one moment; `kloplei.knock.tuning` turns it into the next.

    *begun_s* is when the step begins to listen, *touched_s* when somebody last did something.
    *quiet* is the silence as it was accepted; *buzz* are the loud moments of a phone;
    *declined* are blows at this seat that the judge took for noise, in a row; *left* are the knocks
    of the seat whose turn it was until then, None where glass or phone may still be heard; *meter*
    is how loud it was of late. *beside* is what each pad felt of glasses, None where none were put
    down. *result* is there at `LessonStep.RESULT` only.
    """

    setup: SensorSetup
    step: LessonStep
    begun_s: float
    touched_s: float
    seat: Seat | None = None
    noise_floor: NoiseFloor = field(default_factory=NoiseFloor)
    quiet: NoiseFloor = field(default_factory=NoiseFloor)
    glasses: tuple[Judgement, ...] = ()
    buzz: tuple[float, ...] = ()
    buzzed: tuple[Judgement, ...] = ()
    knocks: Mapping[Seat, tuple[Judgement, ...]] = field(default_factory=dict)
    skipped: frozenset[Seat] = frozenset()
    beside: Mapping[Seat, tuple[Judgement, ...] | None] = field(default_factory=dict)
    declined: tuple[Judgement, ...] = ()
    left: tuple[Judgement, ...] | None = None
    meter: tuple[float, ...] = ()
    hint: Line | None = None
    result: TuningResult | None = None

    @property
    def knocks_here(self) -> tuple[Judgement, ...]:
        """The knocks of the seat whose turn it is."""
        return () if self.seat is None else self.knocks.get(self.seat, ())

    @property
    def glasses_here(self) -> tuple[Judgement, ...]:
        """The glasses of this step: on the table, or beside the pad of the seat it is about."""
        return self.glasses if self.seat is None else self.beside.get(self.seat) or ()

    @property
    def progress(self) -> tuple[int, int]:
        """How much of the step is done, and of how much."""
        match self.step:
            case LessonStep.QUIET:
                return min(int(self.noise_floor.calm_s), int(QUIET_S)), int(QUIET_S)
            case LessonStep.GLASS:
                return len(self.glasses_here), GLASSES
            case LessonStep.PHONE:
                return len(self.buzz), BUZZ_REPORTS
            case LessonStep.KNOCKS:
                return len(self.knocks_here), KNOCKS
        return 0, 0

    @property
    def level(self) -> int:
        """How loud the wood is now, 0 to 100 over 60 dB, in steps that the eye can tell."""
        db = decibels(max(self.meter, default=0.0))
        percent = 100.0 * max(0.0, 1.0 + db / _METER_DB)
        return _METER_STEP * round(percent / _METER_STEP)

    @property
    def floor_db(self) -> float:
        """How loud the wood is by itself, in decibels below full scale."""
        return decibels(max(self.quiet.floor, default=_UNKNOWN_FLOOR))

    @property
    def shown(self) -> Tuning:
        """What slate and phones show of it."""
        count, of = self.progress
        return Tuning(self.step, self._prompt, self.seat, count, of, self.level, self.hint)

    @property
    def gathered(self) -> Gathered:
        """What the result is to be worked out from."""
        return Gathered(
            setup=self.setup,
            floor=self.quiet.floor,
            humming=self.quiet.humming,
            glasses=self.glasses,
            buzz=max(self.buzz, default=0.0),
            buzzed=self.buzzed,
            knocks={seat: self.knocks[seat] for seat in self.setup.seats if seat in self.knocks},
            beside=self.beside,
        )

    def is_forgotten(self, now_s: float) -> bool:
        """Whether nobody has touched it for so long that the game should come back."""
        return now_s - self.touched_s >= IDLE_S

    def entering(self, step: LessonStep, now_s: float, seat: Seat | None = None) -> "Lesson":
        """Return it at the beginning of *step*."""
        return replace(
            self,
            step=step,
            seat=seat,
            begun_s=now_s + PAUSE_S,
            touched_s=now_s,
            declined=(),
            left=None if self._lingers else self.knocks_here,
            hint=None,
            result=None,
        )

    def onward(self, now_s: float) -> "Lesson":
        """Return it at the step after this one, or at the next seat that has yet to knock."""
        match self.step:
            case LessonStep.QUIET:
                return replace(self, quiet=self.noise_floor).entering(LessonStep.GLASS, now_s)
            case LessonStep.GLASS if self.seat is None:
                return self.entering(LessonStep.PHONE, now_s)
            case LessonStep.GLASS | LessonStep.PHONE | LessonStep.KNOCKS:
                return self.to_next_seat(now_s)
        return replace(self, touched_s=now_s)

    def to_next_seat(self, now_s: float) -> "Lesson":
        """Return it at the first seat that has yet to knock, then at the first that lacks glasses.

        Where nothing is lacking any more the result is worked out.
        """
        for seat in self.setup.seats:
            if seat not in self.skipped and len(self.knocks.get(seat, ())) < FEWEST_KNOCKS:
                return self.entering(LessonStep.KNOCKS, now_s, seat)
        for seat in self.setup.seats:
            if seat not in self.beside and may_be_trimmed(seat, self.knocks.get(seat, ())):
                return self.entering(LessonStep.GLASS, now_s, seat)
        return self.entering(LessonStep.WEIGHING, now_s)

    def without_knocks(self, seat: Seat) -> "Lesson":
        """Return it as if *seat* had not knocked yet."""
        others = {other: strokes for other, strokes in self.knocks.items() if other != seat}
        without = self.without_glasses(seat)
        return replace(without, knocks=others, skipped=self.skipped - {seat})

    def without_glasses(self, seat: Seat) -> "Lesson":
        """Return it as if no glass had been put down beside the pad of *seat* yet."""
        others = {other: felt for other, felt in self.beside.items() if other != seat}
        return replace(self, beside=others)

    def with_glasses(self, seat: Seat, felt: tuple[Judgement, ...] | None) -> "Lesson":
        """Return it with what the pad of *seat* *felt* of glasses; None where there were none."""
        return replace(self, beside={**self.beside, seat: felt})

    @property
    def _lingers(self) -> bool:
        """Whether a glass that was put down may still rock, or a phone still buzz."""
        match self.step:
            case LessonStep.GLASS:
                return bool(self.glasses_here)
            case LessonStep.PHONE:
                return bool(self.buzz)
        return False

    @property
    def _prompt(self) -> Line:
        match self.step:
            case LessonStep.KNOCKS:
                return Line("tuning.knocks", {"seat": self.seat, "n": KNOCKS})
            case LessonStep.GLASS if self.seat is not None:
                return Line("tuning.glass-beside", {"seat": self.seat, "n": GLASSES})
        return Line(f"tuning.{self.step}")


APART_S = 0.2  # a glass rocks, a hand bounces: sooner it is the same blow
INSISTED = 3  # so many "noises" in a row are how this seat knocks
MOST_BUZZED = 20
_ABOVE_FLOOR_DB = 12.0  # a knock that is no louder has hardly been one
_BUZZ_ABOVE_FLOOR_DB = 6.0
_BELOW_OTHERS_DB = 15.0
# So far astray of the seat before: one in 25 of its own knocks is (docs/knocks.md, the next seat).
_ANOTHER_HAND = 1.0
_METER_REPORTS = 4  # a blow stays on the meter long enough to be seen


def begin(setup: SensorSetup, now_s: float) -> Lesson:
    """Return a lesson that has just begun; without piezos there are only knocks to count."""
    lesson = Lesson(setup, LessonStep.QUIET, now_s, now_s)
    if setup.piezos:
        return lesson.entering(LessonStep.QUIET, now_s)
    return lesson.to_next_seat(now_s)


# What the sensors find


def judged(lesson: Lesson, judgement: Judgement) -> Lesson:
    """Take in one blow."""
    if judgement.at_s < lesson.begun_s:
        return _early(lesson, judgement)
    match lesson.step:
        case LessonStep.QUIET:
            return replace(lesson, noise_floor=lesson.noise_floor.struck(judgement.at_s))
        case LessonStep.GLASS if lesson.seat is not None:
            return _glass_beside(lesson, judgement, lesson.seat)
        case LessonStep.GLASS:
            return _glass(lesson, judgement)
        case LessonStep.PHONE:
            others = [one for one in lesson.buzzed if one.at_s != judgement.at_s]
            return replace(lesson, buzzed=(*others, judgement)[-MOST_BUZZED:])
        case LessonStep.KNOCKS if lesson.seat is not None:
            return _knock(lesson, judgement, lesson.seat)
    return lesson


def loudness(lesson: Lesson, peaks: tuple[float, ...], at_s: float) -> Lesson:
    """Take in how loud each piezo was in the moment before *at_s*, 0 to 1."""
    report = Report(at_s, peaks)
    if len(peaks) != len(lesson.setup.piezos) or not report.is_sound:
        return lesson
    metered = replace(lesson, meter=(*lesson.meter, max(peaks))[-_METER_REPORTS:])
    if at_s < lesson.begun_s:
        return metered
    match lesson.step:
        case LessonStep.QUIET:
            return _quiet(metered, report)
        case LessonStep.PHONE:
            return _phone(metered, report)
    return metered


# What people ask for


def go_on(lesson: Lesson, now_s: float) -> Lesson:
    """Take what there is and do the next step; a seat needs some knocks first."""
    if lesson.step is LessonStep.KNOCKS and len(lesson.knocks_here) < FEWEST_KNOCKS:
        few = Line("tuning.hint.too-few", {"n": FEWEST_KNOCKS})
        return replace(lesson, hint=few, touched_s=now_s)
    if lesson.step is LessonStep.GLASS and lesson.seat is not None:
        # A pad that is set well feels none of them: that they were put down, people say.
        return lesson.with_glasses(lesson.seat, lesson.glasses_here).onward(now_s)
    return lesson.onward(now_s)


def skip(lesson: Lesson, now_s: float) -> Lesson:
    """Leave this step out, or this seat, and do the next one."""
    if lesson.step is LessonStep.KNOCKS and lesson.seat is not None:
        without = lesson.without_knocks(lesson.seat)
        return replace(without, skipped=without.skipped | {lesson.seat}).onward(now_s)
    if lesson.step is LessonStep.GLASS and lesson.seat is not None:
        return lesson.with_glasses(lesson.seat, None).onward(now_s)
    return _emptied(lesson).onward(now_s)


def redo(lesson: Lesson, now_s: float, seat: Seat | None = None) -> Lesson:
    """Do a step again: the one the lesson stands at, or the knocks of *seat*.

    A seat that has not knocked yet has nothing to do again; then it is the one before.
    """
    if lesson.step in (LessonStep.QUIET, LessonStep.GLASS, LessonStep.PHONE) and (
        seat is None or lesson.seat is None
    ):
        return _emptied(lesson).entering(lesson.step, now_s, lesson.seat)
    wanted = _last_seat(lesson) if seat is None else seat
    if wanted not in lesson.setup.seats:
        return replace(lesson, touched_s=now_s)
    return _emptied(lesson).without_knocks(wanted).entering(LessonStep.KNOCKS, now_s, wanted)


def weighed(lesson: Lesson, result: TuningResult, now_s: float) -> Lesson:
    """Take in what came out; if something is being done again meanwhile it is stale."""
    if lesson.step is not LessonStep.WEIGHING:
        return lesson
    return replace(lesson, step=LessonStep.RESULT, result=result, touched_s=now_s)


def _emptied(lesson: Lesson) -> Lesson:
    """Return *lesson* without what this step has gathered."""
    match lesson.step:
        case LessonStep.QUIET:
            return replace(lesson, noise_floor=NoiseFloor())
        case LessonStep.GLASS if lesson.seat is not None:
            return lesson.without_glasses(lesson.seat)
        case LessonStep.GLASS:
            return replace(lesson, glasses=())
        case LessonStep.PHONE:
            return replace(lesson, buzz=(), buzzed=())
    return lesson


def _last_seat(lesson: Lesson) -> Seat | None:
    seats = lesson.setup.seats
    if lesson.seat is None:
        return seats[-1] if seats else None
    at = seats.index(lesson.seat)
    return lesson.seat if lesson.knocks_here or at == 0 else seats[at - 1]


# Findings, step by step


def _quiet(lesson: Lesson, report: Report) -> Lesson:
    listened = replace(lesson, noise_floor=lesson.noise_floor.heard(report))
    if listened.noise_floor.calm_s >= QUIET_S:
        return listened.onward(report.at_s)
    disturbance = listened.noise_floor.disturbance
    hint = None if disturbance is None else Line(f"tuning.hint.{disturbance}")
    return replace(listened, hint=hint)


def _glass_beside(lesson: Lesson, judgement: Judgement, seat: Seat) -> Lesson:
    """Count what the pad of *seat* took for a blow: of a glass it had better feel nothing."""
    if _is_echo(judgement, lesson.glasses_here) or judgement.verdict is Verdict.NOISE:
        return lesson
    if judgement.window is not None or judgement.seat != seat:
        return lesson
    felt = (*lesson.glasses_here, judgement)
    heard = replace(lesson.with_glasses(seat, felt), touched_s=judgement.at_s)
    return heard.onward(judgement.at_s) if len(felt) >= GLASSES else heard


def _glass(lesson: Lesson, judgement: Judgement) -> Lesson:
    if _is_faint(lesson, judgement) or _is_echo(judgement, lesson.glasses):
        return lesson
    heard = replace(lesson, glasses=(*lesson.glasses, judgement), touched_s=judgement.at_s)
    return heard.onward(judgement.at_s) if len(heard.glasses) >= GLASSES else heard


def _phone(lesson: Lesson, report: Report) -> Lesson:
    loudest = max(report.peaks)
    if decibels(loudest) < lesson.floor_db + _BUZZ_ABOVE_FLOOR_DB:
        return lesson
    heard = replace(lesson, buzz=(*lesson.buzz, loudest))
    return heard.onward(report.at_s) if len(heard.buzz) >= BUZZ_REPORTS else heard


def _knock(lesson: Lesson, judgement: Judgement, seat: Seat) -> Lesson:
    if _is_echo(judgement, lesson.knocks_here + lesson.declined):
        return lesson
    by_edges = lesson.setup.by_edges(seat)
    if _is_elsewhere(judgement, seat, by_edges=by_edges):
        return replace(lesson, hint=Line("tuning.hint.elsewhere", {"seat": seat}))
    if not by_edges and (_is_faint(lesson, judgement) or _is_far_below(judgement, lesson)):
        return replace(lesson, hint=Line("tuning.hint.too-soft"))
    if judgement.verdict is Verdict.NOISE:
        return _declined(lesson, judgement, seat)
    return _counted(lesson, (judgement,), seat)


def _early(lesson: Lesson, judgement: Judgement) -> Lesson:
    """Take in a blow in the pause before a step; a seat that is quick need not knock again.

    People do not stop at five, though: what may be another one of the seat before does not count.
    """
    since_s = judgement.at_s - (lesson.begun_s - PAUSE_S)
    if lesson.step is not LessonStep.KNOCKS or lesson.seat is None or since_s < APART_S:
        return lesson
    if lesson.left is None:
        return lesson
    if _may_be_of(lesson.left, judgement, by_edges=lesson.setup.by_edges(lesson.seat)):
        return replace(lesson, hint=Line("tuning.hint.elsewhere", {"seat": lesson.seat}))
    return _knock(lesson, judgement, lesson.seat)


def _may_be_of(strokes: tuple[Judgement, ...], judgement: Judgement, *, by_edges: bool) -> bool:
    """Whether who struck *strokes* may have struck *judgement* too."""
    if by_edges or not strokes:
        return bool(strokes) and judgement.seat is None
    windows = [one.window for one in strokes if one.window is not None]
    if judgement.window is None or not windows:
        return True
    off = astray(location_features(judgement.window), [*map(location_features, windows)])
    return off is None or off < _ANOTHER_HAND


def _declined(lesson: Lesson, judgement: Judgement, seat: Seat) -> Lesson:
    """Take it for something else, unless people insist: it is their table."""
    declined = (*lesson.declined, judgement)
    if len(declined) >= INSISTED:
        return _counted(lesson, declined, seat)
    return replace(lesson, declined=declined, hint=Line("tuning.hint.other-noise"))


def _counted(lesson: Lesson, strokes: tuple[Judgement, ...], seat: Seat) -> Lesson:
    knocks = (*lesson.knocks_here, *strokes)[:KNOCKS]
    counted = replace(
        lesson,
        knocks={**lesson.knocks, seat: knocks},
        declined=(),
        hint=_hint_about(strokes[-1]),
        touched_s=strokes[-1].at_s,
    )
    return counted.onward(strokes[-1].at_s) if len(knocks) >= KNOCKS else counted


def _hint_about(judgement: Judgement) -> Line | None:
    if judgement.window is not None and _clips(judgement):
        return Line("tuning.hint.too-hard")
    if judgement.verdict is Verdict.DOUBTFUL:
        return Line("tuning.hint.doubtful")
    return None


def _is_elsewhere(judgement: Judgement, seat: Seat, *, by_edges: bool) -> bool:
    """Whether another sensor felt it than those that feel *seat*."""
    if by_edges:
        return judgement.window is not None or judgement.seat not in (None, seat)
    return judgement.window is None


def _is_faint(lesson: Lesson, judgement: Judgement) -> bool:
    return decibels(loudness_of(judgement)) < lesson.floor_db + _ABOVE_FLOOR_DB


def _is_far_below(judgement: Judgement, lesson: Lesson) -> bool:
    """Whether the other knocks of this seat were much louder."""
    others = lesson.knocks_here
    if len(others) < 2:
        return False
    return decibels(loudness_of(judgement)) < usual_db(others) - _BELOW_OTHERS_DB


def _is_echo(judgement: Judgement, before: tuple[Judgement, ...]) -> bool:
    return any(judgement.at_s - one.at_s < APART_S for one in before)


def _clips(judgement: Judgement) -> bool:
    """Whether most of the piezos were driven to their end; the nearest one often is."""
    peaks = peaks_of(judgement)
    return 2 * sum(peak >= RAIL for peak in peaks) > len(peaks)


USUAL_KNOCK_DB = -12.0  # below full scale: so loud are the knocks that the judge knows
MOST_GAIN_DB = 20.0


def weigh(
    gathered: Gathered, before: Calibration, rejudge: Rejudge, learn: Learn | None
) -> TuningResult:
    """Return what *gathered* comes to at a table that was tuned as *before*.

    Takes its time: the places are learned several times over, each time to be tried on knocks
    that they have not seen. *learn* None is for a table at which no seat is attributed.
    """
    knocks = _felt(gathered)
    if not knocks:
        return TuningResult(tuple(on_edges(gathered)), None)
    levelled = replace(
        before,
        gain_db=gain_db(knocks),
        floor=gathered.floor,
        # How strict it was asked to be was asked of another judge, where that one was there then.
        strictness=before.strictness if before.judge == JUDGE else 0.0,
        correction=None,
        rate_hz=_heard_at_hz(knocks),
        judge=JUDGE,
    )
    wary = NoiseFit(gathered, knocks, levelled, rejudge)
    levelled = wary.calibration
    after = _taught(knocks, levelled, learn)
    remarks = (
        *on_loudness(gathered, knocks),
        *on_verdicts(gathered, knocks, before, after, wary.rejudge),
        *on_skipped(gathered),
        *_on_seats(knocks, levelled, rejudge, learn),
        *on_sensors(gathered, knocks),
        *on_edges(gathered),
    )
    return TuningResult(remarks, after)


def _heard_at_hz(knocks: Knocks) -> int:
    """Return the judge's rate at which *knocks* were heard; the slowest, should they differ."""
    windows = (one.window for strokes in knocks.values() for one in strokes)
    return min(judging_rate_hz(one.rate_hz) for one in windows if one is not None)


def gain_db(knocks: Knocks) -> float:
    """Return what makes these *knocks* as loud as those that the judge knows.

    Louder ones are not turned down: softer ones will come, and what else is loud here is told
    apart by `NoiseFit`.
    """
    usual = median(map(usual_db, knocks.values()))
    return round(max(0.0, min(MOST_GAIN_DB, USUAL_KNOCK_DB - usual)), 1)


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
        MarkedKnock(number, judged, Verdict.KNOCK, seat)
        for number, (seat, judged) in enumerate(
            (seat, one) for seat, strokes in knocks.items() for one in strokes
        )
    ]
    learned = learn(calibration, examples) if learn is not None else None
    return learned or calibration


def _on_seats(
    knocks: Knocks, levelled: Calibration, rejudge: Rejudge, learn: Learn | None
) -> Iterator[Remark]:
    """Say how far seats are apart, where there are several and somebody is to tell them apart."""
    if learn is not None and len(knocks) > 1:
        yield from on_seats(knocks, _tried(knocks, levelled, rejudge, learn))


def _tried(
    knocks: Knocks, levelled: Calibration, rejudge: Rejudge, learn: Learn
) -> list[tuple[Seat, Seat | None]]:
    """Return each knock's seat with the seat it would be taken for.

    The first knock of every seat is judged by what the others teach, then the second, and so on.
    """
    found: list[tuple[Seat, Seat | None]] = []
    for turn in range(max(map(len, knocks.values()))):
        seen = {seat: strokes[:turn] + strokes[turn + 1 :] for seat, strokes in knocks.items()}
        learned = _taught(seen, levelled, learn)
        found += [
            (seat, rejudge(strokes[turn], learned).seat)
            for seat, strokes in knocks.items()
            if turn < len(strokes) and seen[seat]
        ]
    return found
