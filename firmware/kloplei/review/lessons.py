"""What the table learns while people play: the lessons, their file, and the thread that learns.

`LessonBook` is told what people said of blows (`learn`, `unlearn`), and returns at once. Its thread
writes the lessons down, works out what follows from all of them, and hands that to the
`CalibrationStore`, so that the next blow is judged by it. `PlayObserver` is told what the table did
with blows, and that nobody played, and tells the book which of them that says anything of.
What each lesson weighs, and how far all of them may go, `kloplei.knock.lessons` says.
"""

import json
import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from kloplei.config.settings import LESSONS
from kloplei.files import atomic_write, reason_of, reason_or_kind
from kloplei.frozen import dataclass, replace
from kloplei.games.game import IllegalAction
from kloplei.knock.calibration import Calibration
from kloplei.knock.features import RATES_HZ, features, judging_rate_hz
from kloplei.knock.judgement import KNOCK_LINE, Judgement, Verdict
from kloplei.knock.lessons import (
    FittedEvenings,
    LessonSource,
    PlayLesson,
    kept_of,
    likelihood_by,
    taught_by,
)
from kloplei.review.calibrations import CalibrationStore
from kloplei.review.store import LoggedEvent
from kloplei.table.client import LearnedInPlay, LearnsNothing, LessonHeard, TakenForKnock
from kloplei.table.messages import BlowFate, Fate
from kloplei.table.schema import JOURNAL, MOST_WHOLE, dump, load
from kloplei.words import Sentence, SentenceError

logger = logging.getLogger(__name__)
FILE_VERSION = 1
_MOST_VERSION = 999
NIGHT_S = 8 * 3600.0  # without a lesson: then the next one is another evening's
REPEAT_S = (0.5, 2.5)  # before a knock that was taken, the same hand may have knocked in vain
ALIKE = 3.0  # times as strong at most: the same hand
SILENT_S = 1800.0  # before a blow and after it: then nobody was playing
UNSURE = (0.05, 0.98)  # likelihood of a blow that people's doings tell anything of
_UNSURE_IN_SILENCE = (0.1, 0.9)
_MOST_IN_SILENCE = 50  # blows that wait for half an hour to pass; the oldest go first
_MOST_BYTES = 1 << 20
_MOST_NUMBERED = 10**12  # lessons in the life of a table; a larger number somebody wrote
_LATEST_S = 1e11  # since the epoch; no calendar goes much further
_LARGEST = 1e6  # decibels, octaves, or whatever is said of a blow
# What people said of a blow outweighs what they did, and a mark what they said at the moment.
_RANK = {LessonSource.MARK: 2, LessonSource.ANSWER: 1}


class LessonsUnkept(SentenceError, OSError):
    """The lessons cannot be read or written; one sentence says what to do."""


@dataclass(frozen=True, slots=True)
class KeptLessons:
    """The *lessons* of a table, the oldest first, and how many were *numbered* by now.

    What is forgotten keeps its number: a page that still shows it would take back another's.
    """

    lessons: tuple[PlayLesson, ...] = ()
    numbered: int = 0


class LessonArchive:
    """Keeps lessons in a file of *folder*: a text that people can read, copy and delete."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / LESSONS

    def load(self) -> KeptLessons:
        """Return the lessons, none where there is no file; without those that make no sense.

        Raises:
            LessonsUnkept: There is a file, but it cannot be used.
        """
        if self._path.is_fifo():  # to open one is to wait at it
            raise self._unread("pipe")
        try:
            with self._path.open("rb") as file:
                raw = file.read(_MOST_BYTES + 1)
            read = json.loads(raw[:_MOST_BYTES])
            version = read["version"]
            kept = _kept_in(read) if version == FILE_VERSION else KeptLessons()
        except FileNotFoundError:
            return KeptLessons()
        except (OSError, ValueError, TypeError, KeyError, RecursionError) as error:
            raise self._unread(reason_or_kind(error)) from error
        if version != FILE_VERSION:
            # What somebody else wrote there may be too long, or no letters at all.
            number = isinstance(version, int) and 0 <= version <= _MOST_VERSION
            raise self._unread(f"version {version}" if number else "version")
        return kept

    def save(self, kept: KeptLessons) -> None:
        """Write what is *kept*, whole or not at all.

        Raises:
            LessonsUnkept: It could not be written; what was there still is.
        """
        rows = ",\n".join(json.dumps(dump(one, PlayLesson, JOURNAL)) for one in kept.lessons)
        head = f'"version": {FILE_VERSION}, "numbered": {kept.numbered}'
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            text = f'{{{head}, "lessons": [\n{rows}\n]}}\n'
            atomic_write(self._path, text.encode(), 0o600)
        except OSError as error:
            folder, why = str(self._path.parent), reason_of(error)
            raise LessonsUnkept(Sentence("tuning-unkept", folder=folder, error=why)) from error

    def _unread(self, why: str) -> LessonsUnkept:
        return LessonsUnkept(Sentence("lessons-unread", path=str(self._path), error=why))


def _kept_in(read: Mapping[str, Any]) -> KeptLessons:
    lessons = kept_of([*_sound(read["lessons"])])
    numbered = read.get("numbered")  # which Kloplei did not write down at first
    if not isinstance(numbered, int) or not 0 <= numbered <= _MOST_NUMBERED:
        numbered = 0
    return KeptLessons(lessons, max([numbered, *(one.number for one in lessons)]))


def _sound(rows: Iterable[Any]) -> Iterable[PlayLesson]:
    for one in rows:
        try:
            found = load(PlayLesson, one, JOURNAL)
        except ValueError:
            continue  # a row that somebody edited, or of a version that wrote something else
        if _makes_sense(found):
            yield found


def _makes_sense(lesson: PlayLesson) -> bool:
    return (
        1 <= lesson.number <= _MOST_NUMBERED
        and 0 <= lesson.evening <= MOST_WHOLE
        and lesson.rate_hz in RATES_HZ
        and (lesson.at is None or 0 <= lesson.at < _LATEST_S)
        and all(-_LARGEST < value < _LARGEST for value in lesson.seen.values())
    )


class LessonBook:
    """All lessons of a table; safe from any thread.

    Args:
        store: Gets what the lessons teach.
        archive: Where they are kept; None keeps them in memory.
        clock: Monotonic seconds, the same clock that sensors stamp with.
        wall: Seconds since the epoch; None where nobody knows the time.
        learns_nothing: Why this table learns nothing more (`LearnedInPlay`); None where it does.
    """

    def __init__(
        self,
        store: CalibrationStore,
        archive: LessonArchive | None = None,
        *,
        learns_nothing: LearnsNothing | None = None,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] | None = time.time,
    ) -> None:
        self._store = store
        self._archive = archive
        self._clock = clock
        self._wall = wall
        self._learns_nothing = learns_nothing
        self._changed = threading.Condition()
        self._lessons: tuple[PlayLesson, ...] = ()
        self._numbered = 0
        self._fits = FittedEvenings()
        self._written = KeptLessons()
        self._evening_s: float | None = None  # of the last lesson of this start of the box
        # So often the lessons changed, and what follows from so many changes is in force.
        self._changes = self._changes_learned = 0
        self._is_closed = False
        self._thread: threading.Thread | None = None
        self._typical = (TakenForKnock(), TakenForKnock())
        self.trouble: Sentence | None = None
        """One sentence on why the disk does not take the lessons, until it does."""
        if archive is not None:
            self._open(archive)
        store.follow_tuning(self._learn_anew)

    def close(self) -> None:
        """Write down what waits, and stop."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
            thread = self._thread
        if thread is not None:
            thread.join()

    def learn(self, event: LoggedEvent, was_knock: bool, said: LessonSource) -> None:
        """Take *event* for a knock or for none, as somebody *said*; nothing of edges is learned.

        What people said of it before in words is not outweighed by what they do.
        """
        window = event.judgement.window
        if window is None:
            return
        seen = {name: round(value, 3) for name, value in features(window).items()}
        rate_hz = judging_rate_hz(window.rate_hz)
        with self._changed:
            before = next((one for one in self._lessons if _is_of(one, event)), None)
            if before is not None and _RANK.get(before.said, 0) > _RANK.get(said, 0):
                return
            rest = [one for one in self._lessons if one is not before]
            self._numbered += 1
            lesson = PlayLesson(
                self._numbered,
                self._evening(),
                was_knock,
                said,
                event.number,
                rate_hz,
                seen,
                event.at,
            )
            self._change(kept_of([*rest, lesson]))

    def unlearn(self, event: LoggedEvent, said: LessonSource) -> None:
        """Forget what *said* of *event*, if it is what was learned of it."""
        with self._changed:
            rest = tuple(
                one for one in self._lessons if not (_is_of(one, event) and one.said is said)
            )
            if rest != self._lessons:
                self._change(rest)

    def told(self) -> LearnedInPlay:
        """Return what was learned, with what it makes of typical blows."""
        with self._changed:
            lessons, is_learning = self._lessons, self._changes_learned != self._changes
        knocks, others = self._typical
        return LearnedInPlay(
            tuple(
                LessonHeard(one.number, one.was_knock, str(one.said), one.event, one.at)
                for one in reversed(lessons)
            ),
            knocks,
            others,
            round(self._store.calibration.trigger_db - self._store.tuned.trigger_db, 1),
            is_learning,
            self.trouble,
            self._learns_nothing,
        )

    def forget(self, number: int) -> None:
        """Take lesson *number* back, and learn from the others alone.

        Raises:
            IllegalAction: ``lesson_gone``: there is none (any more).
        """
        with self._changed:
            rest = tuple(one for one in self._lessons if one.number != number)
            if rest == self._lessons:
                raise IllegalAction("lesson_gone", number=number)
            self._change(rest)

    def forget_all(self) -> None:
        """Take all lessons back: the table is as its tuning left it."""
        with self._changed:
            self._change(())

    def settle(self) -> None:
        """Wait until what was learned so far is in force."""
        with self._changed:
            wanted = self._changes
            self._changed.wait_for(lambda: self._changes_learned >= wanted or self._thread is None)

    def _open(self, archive: LessonArchive) -> None:
        try:
            self._written = kept = archive.load()
        except LessonsUnkept as error:
            logger.warning("%s", error)
            self._archive, self.trouble = None, error.sentence
            return
        self._lessons, self._numbered = kept.lessons, kept.numbered
        if self._lessons:
            # On its thread: no start of the box waits for it.
            self._change(self._lessons)

    def _evening(self) -> int:
        """Return the evening of a lesson that is learned now."""
        last = self._lessons[-1] if self._lessons else None
        now_s, before_s = self._clock(), self._evening_s
        self._evening_s = now_s
        if last is None:
            return 1
        if before_s is not None:
            return last.evening + (now_s - before_s >= NIGHT_S)
        # Whoever does not know the time may not begin a new one by pulling the plug.
        if last.at is None or self._wall is None:
            return last.evening
        return last.evening + (self._wall() - last.at >= NIGHT_S)

    def _learn_anew(self, _tuned: Calibration) -> None:
        with self._changed:
            if self._lessons:
                self._change(self._lessons)

    def _change(self, lessons: tuple[PlayLesson, ...]) -> None:
        self._lessons = lessons
        self._changes += 1
        if self._thread is None and not self._is_closed:
            self._thread = threading.Thread(target=self._run, name="kloplei-lessons", daemon=True)
            self._thread.start()

    def _run(self) -> None:
        """Write down and learn until nothing waits."""
        while True:
            with self._changed:
                if self._changes_learned == self._changes:
                    self._thread = None
                    self._changed.notify_all()
                    return
                changes, kept = self._changes, KeptLessons(self._lessons, self._numbered)
            self._keep(kept)
            try:
                self._teach(kept.lessons)
            except Exception:
                logger.exception("The table stumbled over its lessons, and learns nothing of them.")
            with self._changed:
                self._changes_learned = changes
                self._changed.notify_all()

    def _teach(self, lessons: tuple[PlayLesson, ...]) -> None:
        taught = taught_by(lessons, self._store.tuned, self._fits)
        self._store.play(taught.played)
        self._typical = _typical(lessons, taught)

    def _keep(self, kept: KeptLessons) -> None:
        if self._archive is None or kept == self._written:
            return
        try:
            self._archive.save(kept)
            self._written = kept
            self.trouble = None
        except LessonsUnkept as error:
            if self.trouble is None:
                logger.warning("%s", error)
            self.trouble = error.sentence


class PlayObserver:
    """Finds out what blows were by what the table did with them; safe from any thread.

    Args:
        book: Is taught what that was.
        clock: Monotonic seconds, the same clock that sensors stamp with.
    """

    def __init__(self, book: LessonBook, clock: Callable[[], float] = time.monotonic) -> None:
        self._book = book
        self._clock = clock
        self._lock = threading.Lock()
        self._played_s = clock()
        self._in_silence: deque[LoggedEvent] = deque(maxlen=_MOST_IN_SILENCE)

    def heard(self, event: LoggedEvent) -> None:
        """Note *event*, in case nobody plays for a while after it as well as before."""
        self._judge_silence()
        if event.judgement.amends:
            with self._lock:
                rest = [one for one in self._in_silence if one.number != event.number]
                self._in_silence = deque(rest, maxlen=_MOST_IN_SILENCE)
        least, most = _UNSURE_IN_SILENCE
        if not least <= event.judgement.likelihood <= most:
            return
        with self._lock:
            if event.judgement.at_s - self._played_s >= SILENT_S:
                self._in_silence.append(event)

    def became(self, fate: BlowFate, kept: Sequence[LoggedEvent]) -> None:
        """Learn from what became of blows, all of them among *kept*, where that tells anything."""
        self._judge_silence()
        with self._lock:
            self._played_s = self._clock()
            self._in_silence.clear()
        meant = [one for one in kept if one.judgement.at_s in fate.blows]
        match fate.fate:
            case Fate.CONFIRMED | Fate.DENIED:
                for one in filter(_is_judged_doubtful, meant):
                    self._book.learn(one, fate.fate is Fate.CONFIRMED, LessonSource.ANSWER)
            case Fate.REPEATED:
                for one in filter(_is_judged_doubtful, meant):
                    self._book.learn(one, True, LessonSource.REPEAT)
            case Fate.UNDONE if len(fate.blows) == 1:
                for one in filter(_is_unsure, meant):
                    self._book.learn(one, False, LessonSource.UNDO)
            case Fate.REDONE:
                for one in meant:
                    self._book.unlearn(one, LessonSource.UNDO)
            case Fate.TAKEN if len(meant) == len(fate.blows) == 1:
                self._learn_unheard(meant[0].judgement, kept)
            case _:
                pass

    def _learn_unheard(self, taken: Judgement, kept: Sequence[LoggedEvent]) -> None:
        """Learn the one blow of the same hand that nothing came of just before *taken*."""
        least_s, most_s = REPEAT_S
        before = [
            one
            for one in kept
            if least_s <= taken.at_s - one.judgement.at_s <= most_s
            and one.judgement.part == taken.part
        ]
        # With more of them something clatters there.
        if len(before) == 1 and _may_be_same_hand(before[0].judgement, taken):
            self._book.learn(before[0], True, LessonSource.REPEAT)

    def _judge_silence(self) -> None:
        for one in self._take_silent():
            self._book.learn(one, False, LessonSource.SILENCE)

    def _take_silent(self) -> list[LoggedEvent]:
        """Take the blows after which nobody has played for long enough."""
        silent = []
        # Sensors and the table come here, each on a thread of its own.
        with self._lock:
            now_s = self._clock()
            while self._in_silence and now_s - self._in_silence[0].judgement.at_s >= SILENT_S:
                silent.append(self._in_silence.popleft())
        return silent


def _is_of(lesson: PlayLesson, event: LoggedEvent) -> bool:
    # A log that was begun anew counts from 1 again.
    return lesson.event == event.number and lesson.at == event.at


def _is_judged_doubtful(event: LoggedEvent) -> bool:
    """Whether it was in doubt by how it sounded, and not for another blow just before it."""
    return event.judgement.verdict is Verdict.DOUBTFUL and not event.judgement.is_held


def _is_unsure(event: LoggedEvent) -> bool:
    """Whether what people did tells anything of it: of some the judge is surer than they are."""
    least, most = UNSURE
    return least <= event.judgement.likelihood <= most


def _may_be_same_hand(unheard: Judgement, taken: Judgement) -> bool:
    if unheard.verdict is Verdict.KNOCK or unheard.seat != taken.seat:
        return False
    if unheard.is_held or unheard.likelihood < UNSURE[0]:
        return False
    weaker, stronger = sorted((unheard.strength, taken.strength))
    return stronger <= ALIKE * weaker


def _typical(
    lessons: Sequence[PlayLesson], taught: Calibration
) -> tuple[TakenForKnock, TakenForKnock]:
    """Return how many of the knocks, and of the others, are taken for knocks, and were before."""
    tuned = replace(taught, played=None)
    return (
        _taken([one for one in lessons if one.was_knock], tuned, taught),
        _taken([one for one in lessons if not one.was_knock], tuned, taught),
    )


def _taken(lessons: Sequence[PlayLesson], tuned: Calibration, taught: Calibration) -> TakenForKnock:
    def count(calibration: Calibration) -> int:
        return sum(likelihood_by(one, calibration) >= KNOCK_LINE for one in lessons)

    return TakenForKnock(len(lessons), count(tuned), count(taught))
