"""Teaching the box its table, step by step: be quiet, a glass, a phone, five knocks a seat.

Told what was found and what time it is, each function returns the lesson that follows. Nothing
here saves anything: what comes out is a proposal. However long it goes on, what is kept of it
is bounded.
"""

from dataclasses import replace

from kloplei.games.game import Seat
from kloplei.games.scoreboard import Line
from kloplei.knock.lesson import (
    BUZZ_REPORTS,
    FEWEST_KNOCKS,
    GLASSES,
    KNOCKS,
    Lesson,
    Step,
)
from kloplei.knock.result import Result
from kloplei.knock.signal import RAIL
from kloplei.knock.silence import QUIET_S, Report, Silence, Unrest
from kloplei.knock.strokes import Setup, decibels, loudness_of, peaks_of, usual_db
from kloplei.knock.verdict import Judgement, Verdict

APART_S = 0.2  # a glass rocks, a hand bounces: sooner it is the same blow
INSISTED = 3  # so many "noises" in a row are how this seat knocks
MOST_BUZZED = 20
_ABOVE_FLOOR_DB = 12.0  # a knock that is no louder has hardly been one
_BUZZ_ABOVE_FLOOR_DB = 6.0
_BELOW_OTHERS_DB = 15.0
_METER_REPORTS = 4  # a blow stays on the meter long enough to be seen


def begin(setup: Setup, now_s: float) -> Lesson:
    """Return a lesson that has just begun; without piezos there are only knocks to count."""
    lesson = Lesson(setup, Step.QUIET, now_s, now_s)
    if setup.piezos:
        return lesson.entering(Step.QUIET, now_s)
    return lesson.to_next_seat(now_s)


# What the sensors find


def judged(lesson: Lesson, judgement: Judgement) -> Lesson:
    """Take in one blow."""
    if judgement.at_s < lesson.begun_s:
        return lesson
    match lesson.step:
        case Step.QUIET:
            return replace(lesson, silence=lesson.silence.struck(judgement.at_s))
        case Step.GLASS:
            return _glass(lesson, judgement)
        case Step.PHONE:
            return replace(lesson, buzzed=(*lesson.buzzed, judgement)[-MOST_BUZZED:])
        case Step.KNOCKS if lesson.seat is not None:
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
        case Step.QUIET:
            return _quiet(metered, report)
        case Step.PHONE:
            return _phone(metered, report)
    return metered


# What people ask for


def go_on(lesson: Lesson, now_s: float) -> Lesson:
    """Take what there is and do the next step; a seat needs some knocks first."""
    if lesson.step is Step.KNOCKS and len(lesson.knocks_here) < FEWEST_KNOCKS:
        few = Line("tuning.hint.too-few", {"n": FEWEST_KNOCKS})
        return replace(lesson, hint=few, touched_s=now_s)
    return lesson.onward(now_s)


def skip(lesson: Lesson, now_s: float) -> Lesson:
    """Leave this step out, or this seat, and do the next one."""
    if lesson.step is Step.KNOCKS and lesson.seat is not None:
        without = lesson.without_knocks(lesson.seat)
        return replace(without, skipped=without.skipped | {lesson.seat}).onward(now_s)
    return _emptied(lesson).onward(now_s)


def redo(lesson: Lesson, now_s: float, seat: Seat | None = None) -> Lesson:
    """Do a step again: the one the lesson stands at, or the knocks of *seat*.

    A seat that has not knocked yet has nothing to do again; then it is the one before.
    """
    if lesson.step in (Step.QUIET, Step.GLASS, Step.PHONE):
        return _emptied(lesson).entering(lesson.step, now_s)
    wanted = _last_seat(lesson) if seat is None else seat
    if wanted not in lesson.setup.seats:
        return replace(lesson, touched_s=now_s)
    return lesson.without_knocks(wanted).entering(Step.KNOCKS, now_s, wanted)


def weighed(lesson: Lesson, result: Result, now_s: float) -> Lesson:
    """Take in what came out; if something is being done again meanwhile it is stale."""
    if lesson.step is not Step.WEIGHING:
        return lesson
    return replace(lesson, step=Step.RESULT, result=result, touched_s=now_s)


def _emptied(lesson: Lesson) -> Lesson:
    """Return *lesson* without what this step has gathered."""
    match lesson.step:
        case Step.QUIET:
            return replace(lesson, silence=Silence())
        case Step.GLASS:
            return replace(lesson, glasses=())
        case Step.PHONE:
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
    listened = replace(lesson, silence=lesson.silence.heard(report))
    if listened.silence.calm_s >= QUIET_S:
        return listened.onward(report.at_s)
    return replace(listened, hint=_about(listened.silence.unrest))


def _about(unrest: Unrest | None) -> Line | None:
    match unrest:
        case Unrest.KNOCK:
            return Line("tuning.hint.somebody-knocked")
        case Unrest.BUZZ:
            return Line("tuning.hint.something-buzzes")
        case Unrest.RESTLESS:
            return Line("tuning.hint.restless")
    return None


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
