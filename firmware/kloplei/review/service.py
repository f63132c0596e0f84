"""The ears of the table: sensors hand in here, the inbox gets the knocks, and people look back.

`ReviewService` may be called from any thread. Its lock guards memory and meter alone and is never
held while a disk, a suggestion or a tuning takes its time.
"""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Protocol, Self

from kloplei.games.game import NO_FACTS, Facts, IllegalAction, Seat
from kloplei.knock.judgement import Judgement, Struck, Verdict
from kloplei.knock.lessons import LessonSource
from kloplei.knock.tuning import Report
from kloplei.review.calibrations import CalibrationStore
from kloplei.review.lessons import LessonBook, PlayObserver
from kloplei.review.store import EventLogError, EventLogWriter, LoggedEvent, forget, slim
from kloplei.review.suggest import Suggestions, SuggestionWorker, suggestion_of
from kloplei.table.client import (
    BadRequest,
    HeardEvent,
    Keeping,
    LearnedInPlay,
    Loudness,
    Suggestion,
    TuneStand,
    check_limit,
)
from kloplei.table.expectation import Expectation, Expectations
from kloplei.table.messages import BlowFate, Inbox, finding
from kloplei.words import Sentence


class Tuner(Protocol):
    """A tuning of the table, under way or not.

    The ears call it from many threads, but one call at a time; it must answer at once.
    """

    @property
    def is_under_way(self) -> bool:
        """Whether somebody tunes: then every blow is for it, and none for the game."""
        ...

    def step(self, step: str, facts: Facts, now_s: float) -> TuneStand:
        """Do *step* of the tuning at *now_s*; see `kloplei.table.client.EarsClient.tune`."""
        ...

    def judged(self, judgement: Judgement) -> None:
        """Take a blow that was judged, noise included."""
        ...

    def loudness(self, part: str, peaks: tuple[float, ...], at_s: float) -> None:
        """Take how loud each channel of *part* was of late."""
        ...


logger = logging.getLogger(__name__)


class ReviewService:
    """A `Hearer` for the sensors, an `EarsClient` for whoever looks; a context manager.

    Enter it before sensors hand in: that brings back what an earlier start of the box kept.
    Sensors never wait: not for the disk, and not for a suggestion that is being worked out.

    Args:
        inbox: Where knocks go.
        seats: Places at the table.
        store: The calibration in force.
        worker: Works out what marks suggest.
        keep: So many blows are kept; 0 keeps none, and takes away what was kept before.
        path: The file that outlives a power cut; None keeps in memory only.
        lessons: What the table learns of what people say, in play as well; None learns nothing.
        clock: Monotonic seconds, the same clock that sensors stamp with.
        wall: Seconds since the epoch, only to show; None where nobody knows the time.
        expects: Returns what knocks the game expects now; None where that moves no line.
        speaks: Tells whether the box itself was making sound at a moment.
    """

    def __init__(
        self,
        inbox: Inbox,
        *,
        seats: int,
        store: CalibrationStore,
        worker: SuggestionWorker,
        keep: int = 50,
        path: Path | None = None,
        lessons: LessonBook | None = None,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] | None = time.time,
        expects: Callable[[], Expectation] | None = None,
        speaks: Callable[[float], bool] = lambda _: False,
    ) -> None:
        self._inbox = inbox
        self._seats = seats
        self._suggestions = Suggestions(store, worker, self._kept)
        self._lessons = lessons
        self._observer = None if lessons is None else PlayObserver(lessons, clock)
        self._clock = clock
        self._wall = wall
        self._expectations = Expectations(expects or Expectation, speaks)
        self._lock = threading.Lock()  # of memory and meter; never held for long
        self._meter = Meter()
        self._tuner: Tuner | None = None
        self.is_recorded: Callable[[], bool] = lambda: False
        """Whether the sensors hear for a recording, and nobody can tune by them."""
        self._tuning = threading.Lock()
        self._trouble: Sentence | None = None
        self._path = path
        self._writer = EventLogWriter(path) if path is not None and keep else None
        self._memory = EventMemory(keep)

    def __enter__(self) -> Self:
        if self._writer is not None:
            self._memory = EventMemory(self._memory.most, self._writer.load())
            self._writer.start()
        elif self._path is not None:
            self._forget(self._path)
        return self

    def __exit__(self, *_: object) -> None:
        self._suggestions.close()
        if self._lessons is not None:
            self._lessons.close()
        if self._writer is not None:
            self._writer.close()

    def fit_tuner(self, tuner: Tuner) -> None:
        """Let *tuner* answer for `tune`, and hear all that is heard."""
        self._tuner = tuner

    # What sensors hand in

    def struck(self, struck: Struck) -> None:
        """Let the table show that the wood moved, unless somebody tunes it."""
        if self._tuner is None or not self._tuner.is_under_way:
            self._inbox.put(struck)

    def judged(self, judgement: Judgement) -> None:
        """Pass a knock on to the table, and keep what was heard, noise included.

        While somebody tunes, all of it is for the tuning.
        """
        if self._tuner is not None and self._tuner.is_under_way:
            with self._tuning:
                self._tuner.judged(judgement)
            return
        weighed = self._expectations.weigh(judgement)
        if weighed is None:
            return
        self._inbox.put(finding(weighed))
        if self._memory.most:
            self._keep(weighed)

    def loudness(self, part: str, peaks: tuple[float, ...], at_s: float) -> None:
        """Take how loud each channel of *part* was of late."""
        with self._lock:
            self._meter.take(part, peaks, at_s)
        if self._tuner is not None:
            with self._tuning:
                self._tuner.loudness(part, peaks, at_s)

    def became(self, fate: BlowFate) -> None:
        """Learn from what the table made of blows; from the table's thread, which never waits."""
        if self._observer is not None:
            self._observer.became(fate, self._kept())

    # What people ask

    def heard_events(self, limit: int = 50) -> tuple[HeardEvent, ...]:
        """Return the last *limit* events that are kept, newest first."""
        check_limit(limit)
        newest_first = self._kept()[::-1][:limit]
        return tuple(one.told() for one in newest_first)

    def mark(self, number: int, was: Verdict | None, seat: Seat | None = None) -> HeardEvent:
        """Say what event *number* was in truth; see `kloplei.table.client.EarsClient.mark`."""
        self._check_mark(was, seat)
        with self._lock:
            try:
                marked = self._memory.mark(number, was, seat)
            except KeyError:
                raise IllegalAction("event_gone", number=number) from None
            self._write(marked)
        if self._lessons is not None:
            if was is None:
                self._lessons.unlearn(marked, LessonSource.MARK)
            else:
                self._lessons.learn(marked, was is Verdict.KNOCK, LessonSource.MARK)
        return marked.told()

    def keeping(self) -> Keeping:
        """Return what is kept, and what was taken of late."""
        trouble = self._writer.trouble if self._writer is not None else self._trouble
        return Keeping(
            self._memory.most,
            len(self._kept()),
            trouble,
            self._suggestions.taken_moves(),
            self._suggestions.is_under_way,
        )

    def suggestion(self) -> Suggestion | None:
        """Return what the marks suggest, with its effect; None where they suggest nothing."""
        proposal = self._suggestions.proposal()
        return None if proposal is None else suggestion_of(proposal)

    def take(self, suggestion: str) -> None:
        """Do what the suggestion with that id says; see `kloplei.table.client.EarsClient.take`."""
        self._suggestions.take(suggestion)

    def decline(self, suggestion: str) -> None:
        """Hear no more of that suggestion until the marks suggest another."""
        self._suggestions.decline(suggestion)

    def take_back(self) -> None:
        """Undo the `take` before, unless the table was tuned since."""
        self._suggestions.take_back()

    def learned_in_play(self) -> LearnedInPlay:
        """Return what the table learned while people played, and what that makes of blows."""
        return LearnedInPlay(()) if self._lessons is None else self._lessons.told()

    def forget_lesson(self, number: int) -> None:
        """Take a lesson back; see `kloplei.table.client.EarsClient.forget_lesson`."""
        if self._lessons is None:
            raise IllegalAction("lesson_gone", number=number)
        self._lessons.forget(number)

    def forget_lessons(self) -> None:
        """Take back all that was learned while people played."""
        if self._lessons is not None:
            self._lessons.forget_all()

    def meter(self) -> tuple[Loudness, ...]:
        """Return the live meter: each part that measures how loud it is."""
        with self._lock:
            return self._meter.read(self._clock())

    def tune(self, step: str, facts: Facts = NO_FACTS) -> TuneStand:
        """Do one step of a tuning; see `kloplei.table.client.EarsClient.tune`."""
        if self._tuner is None:
            raise BadRequest(Sentence("not-tunable"))
        if step == "begin" and self.is_recorded():
            raise IllegalAction("recording")
        with self._tuning:
            return self._tuner.step(step, facts, self._clock())

    def _kept(self) -> tuple[LoggedEvent, ...]:
        with self._lock:
            return self._memory.blows

    def _check_mark(self, was: Verdict | None, seat: Seat | None) -> None:
        if was is Verdict.DOUBTFUL:
            raise BadRequest("A mark says a knock or noise; doubtful is what it takes away.")
        if seat is None:
            return
        if was is not Verdict.KNOCK:
            raise BadRequest(Sentence("no-knock-no-seat"))
        if not 0 <= seat < self._seats:
            raise BadRequest(Sentence("seat-beyond", number=seat.shown, seats=self._seats))

    def _keep(self, judgement: Judgement) -> None:
        slimmed = slim(judgement)
        at = self._wall() if self._wall is not None else None
        with self._lock:
            kept = self._memory.amend(slimmed) or self._memory.add(slimmed, at)
            self._write(kept)
        if self._observer is not None:
            self._observer.heard(kept)

    def _write(self, blow: LoggedEvent) -> None:
        if self._writer is not None:
            self._writer.put(blow, self._memory.numbers)

    def _forget(self, path: Path) -> None:
        try:
            forget(path)
        except EventLogError as error:
            logger.warning("%s", error)
            self._trouble = error.sentence


HELD_S = 1.0  # a peak is shown for so long, or a page that looks now and then would miss it
_REPORTS = 32  # of one part, however fast they come


class Meter:
    """Takes the reports of all parts; for one thread at a time."""

    def __init__(self) -> None:
        self._reports: dict[str, deque[Report]] = {}

    def take(self, part: str, peaks: tuple[float, ...], at_s: float) -> None:
        """Note the *peaks* of *part* at *at_s*."""
        reports = self._reports.setdefault(part, deque(maxlen=_REPORTS))
        if reports and len(reports[-1].peaks) != len(peaks):
            reports.clear()  # it was opened anew, with other channels
        reports.append(Report(at_s, peaks))

    def read(self, now_s: float) -> tuple[Loudness, ...]:
        """Return what each part measured in the last moment, or last of all."""
        return tuple(_held(part, reports, now_s) for part, reports in sorted(self._reports.items()))


def _held(part: str, reports: "deque[Report]", now_s: float) -> Loudness:
    last = reports[-1]
    recent = [one.peaks for one in reports if one.at_s > last.at_s - HELD_S]
    loudest = tuple(max(channel) for channel in zip(*recent, strict=True))
    return Loudness(part, loudest, max(0.0, now_s - last.at_s))


class EventMemory:
    """Keeps the last *most* blows, and as many older ones that were marked: they teach most.

    Args:
        most: 0 keeps nothing at all.
        kept: What an earlier start of the box kept, oldest first.
    """

    def __init__(self, most: int, kept: Iterable[LoggedEvent] = ()) -> None:
        self.most = most
        self._blows = {one.number: one for one in kept}
        self._last = max(self._blows, default=0)
        self._drop()

    @property
    def blows(self) -> tuple[LoggedEvent, ...]:
        """All that is kept, oldest first."""
        return tuple(self._blows.values())

    @property
    def numbers(self) -> frozenset[int]:
        """The numbers of all that is kept."""
        return frozenset(self._blows)

    def add(self, judgement: Judgement, at: float | None) -> LoggedEvent:
        """Keep *judgement* under the next number, and return it so."""
        self._last += 1
        added = self._blows[self._last] = LoggedEvent(self._last, at, judgement)
        self._drop()
        return added

    def amend(self, judgement: Judgement) -> LoggedEvent | None:
        """Keep *judgement* in place of the one that it amends; None if that is not kept."""
        if not judgement.amends:
            return None
        for number, one in reversed(self._blows.items()):
            told = one.judgement
            if (told.at_s, told.part) == (judgement.at_s, judgement.part):
                amended = self._blows[number] = replace(one, judgement=judgement)
                return amended
        return None

    def mark(self, number: int, was: Verdict | None, seat: Seat | None) -> LoggedEvent:
        """Note what blow *number* was in truth, and return it so.

        Raises:
            KeyError: It is not kept (any more).
        """
        marked = self._blows[number] = replace(self._blows[number], was=was, was_seat=seat)
        self._drop()  # an old one whose mark was taken back goes
        return marked

    def _drop(self) -> None:
        older = [*self._blows][: -self.most] if self.most else [*self._blows]
        marked = [number for number in older if self._blows[number].is_marked]
        for number in {*older} - {*marked[len(marked) - self.most :]}:
            del self._blows[number]
