"""What a table teaches while people play: lessons with their evidence, and what follows from them.

A lesson is a blow of which somebody said, in words or by what they did next, whether it was a
knock. Nobody's silence about a single blow teaches anything. `taught_by` adds to a calibration
what lessons say, with the one trainer that a tuning has (`fitting.weighed_fit`), on top of what
the tuning taught; how far that may go is bounded in `calibration.PlayCorrection`.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from math import log10

from kloplei.frozen import dataclass, replace
from kloplei.knock.calibration import (
    FIRST_JUDGE,
    MOST_SOFTER_DB,
    Calibration,
    Correction,
    PlayCorrection,
)
from kloplei.knock.classifier import classifier_for, likelihood_of, log_odds_of, scaled_of
from kloplei.knock.features import LOUDNESS
from kloplei.knock.fitting import Weighed, weighed_fit
from kloplei.knock.onset import LOWEST

MOST_EVENINGS = 8  # that are bounded by themselves; what is older counts as one
_CLEAR_DB = 6.0  # above the threshold a knock has to be, to wake the judge when it is softer once
_FEWEST_SOFT = 3  # confirmed knocks before the threshold follows them


class LessonSource(StrEnum):
    """How somebody told what a blow was."""

    MARK = "mark"  # on the page of what was heard
    ANSWER = "answer"  # to a doubt, by phone or by somebody else's knock
    UNDO = "undo"  # of what it had brought about, right after it
    REPEAT = "repeat"  # by the same hand at once, as nothing had come of it
    SILENCE = "silence"  # for half an hour before it and after: nobody was playing


WEIGHTS = {
    LessonSource.MARK: 1.0,
    LessonSource.ANSWER: 1.0,
    LessonSource.UNDO: 0.3,
    LessonSource.REPEAT: 0.3,
    LessonSource.SILENCE: 0.15,
}
"""How much one lesson of each kind counts beside a blow of a tuning."""
MOST_LESSONS = {
    LessonSource.MARK: 40,
    LessonSource.ANSWER: 40,
    LessonSource.UNDO: 20,
    LessonSource.REPEAT: 20,
    LessonSource.SILENCE: 20,
}
"""So many of each kind are kept; the oldest go first."""
_SPOKEN = frozenset({LessonSource.MARK, LessonSource.ANSWER})


@dataclass(frozen=True, slots=True)
class PlayLesson:
    """A blow that *was* a knock or none, with what it looked like.

    *number* counts up at one table, and so does *evening*, of those on which there were lessons.
    *event* is the number of the blow in the log of what was heard, *at* when it was by the wall
    clock, None where nobody knew. *seen* are its features at *rate_hz*, by name, without any gain.
    """

    number: int
    evening: int
    was_knock: bool
    said: LessonSource
    event: int
    rate_hz: int
    seen: Mapping[str, float]
    at: float | None = None

    def __hash__(self) -> int:
        """Return a hash without the features, which are many and change with none of these."""
        return hash((self.number, self.was_knock, self.said))


def kept_of(lessons: Sequence[PlayLesson]) -> tuple[PlayLesson, ...]:
    """Return the newest of *lessons*, as many of each kind as are kept, the oldest first."""
    kept: list[PlayLesson] = []
    count = dict.fromkeys(LessonSource, 0)
    for one in reversed(lessons):
        count[one.said] += 1
        if count[one.said] <= MOST_LESSONS[one.said]:
            kept.append(one)
    return tuple(reversed(kept))


class FittedEvenings:
    """Remembers what lessons taught on top of one tuning: earlier evenings seldom change."""

    def __init__(self) -> None:
        self._tuned: Calibration | None = None
        self._known: dict[tuple[PlayLesson, ...], Correction] = {}

    def of(self, some: Sequence[tuple[PlayLesson, ...]], tuned: Calibration) -> list[Correction]:
        """Return what each of *some* teaches on top of *tuned*; forget all others."""
        known = self._known if tuned == self._tuned else {}
        self._tuned = tuned
        self._known = {one: known.get(one) or fitted(one, tuned) for one in some}
        return [self._known[one] for one in some]


def taught_by(
    lessons: Sequence[PlayLesson], tuned: Calibration, fits: FittedEvenings | None = None
) -> Calibration:
    """Return *tuned* with what *lessons* of play teach on top of it.

    Those that the judge of today cannot read, for it looks at something else or at another rate
    than the newest, count nothing.
    """
    tuned = replace(tuned, played=None)
    readable = _readable(lessons)
    if not readable:
        return tuned
    evenings = sorted({one.evening for one in readable})[-MOST_EVENINGS:]
    upto = [tuple(one for one in readable if one.evening <= evening) for evening in evenings]
    taught = tuple((fits or FittedEvenings()).of(upto, tuned))
    return replace(tuned, played=PlayCorrection(taught, _softer_db(readable, tuned)))


def likelihood_by(lesson: PlayLesson, calibration: Calibration) -> float:
    """Return how sure the judge is by *calibration* that it was a knock, 0 if it cannot read it."""
    return likelihood_of(lesson.seen, lesson.rate_hz, calibration) if _readable([lesson]) else 0.0


def fitted(lessons: tuple[PlayLesson, ...], tuned: Calibration) -> Correction:
    """Return what *lessons*, all of one rate, say beyond what *tuned* knows; unbounded."""
    rate_hz = lessons[-1].rate_hz
    return weighed_fit(rate_hz, [_weighed(one, tuned) for one in lessons])


def _readable(lessons: Sequence[PlayLesson]) -> list[PlayLesson]:
    if not lessons:
        return []
    rate_hz = lessons[-1].rate_hz
    names = classifier_for(rate_hz, FIRST_JUDGE).scales.keys()
    return [one for one in lessons if one.rate_hz == rate_hz and names <= one.seen.keys()]


def _weighed(lesson: PlayLesson, tuned: Calibration) -> Weighed:
    scaled = scaled_of(lesson.seen, lesson.rate_hz, tuned)
    log_odds = log_odds_of(lesson.seen, lesson.rate_hz, tuned) - tuned.strictness
    log_odds += tuned.correction_of(scaled, lesson.rate_hz)
    return Weighed(lesson.was_knock, scaled, log_odds, WEIGHTS[lesson.said])


def _softer_db(lessons: Sequence[PlayLesson], tuned: Calibration) -> float:
    """Return how much lower the threshold has to be for the softest knocks but one."""
    levels_db = sorted(
        one.seen[LOUDNESS] for one in lessons if one.was_knock and one.said in _SPOKEN
    )
    if len(levels_db) < _FEWEST_SOFT:
        return 0.0
    threshold_db = 20 * log10(LOWEST) - max(0.0, tuned.gain_db)
    wanted_db = threshold_db + _CLEAR_DB - levels_db[1]
    return round(max(0.0, min(MOST_SOFTER_DB, wanted_db)), 1)
