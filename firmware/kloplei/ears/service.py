"""The ears of the table: sensors hand in here, the inbox gets the knocks, and people look back.

No sound is ever recorded. What is kept are the last blows on the wood, each with the fifth of a
second around it and what was made of it; see docs/review.md.
"""

import logging
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Self

from kloplei.ears.kept import Kept, slim
from kloplei.ears.memory import Memory
from kloplei.ears.meter import Meter
from kloplei.ears.review import Review
from kloplei.ears.ring import RingTrouble, forget
from kloplei.ears.tuner import Tuner
from kloplei.ears.writer import Writer
from kloplei.games.game import Facts, Seat
from kloplei.knock.judgement import Judgement, Struck, Verdict
from kloplei.table.client import Unreadable
from kloplei.table.ears import (
    HeardEvent,
    Keeping,
    Loudness,
    Suggestion,
    TuneState,
    check_limit,
    not_kept,
)
from kloplei.table.inbox import Inbox, finding

logger = logging.getLogger(__name__)

_NO_FACTS: Facts = {}


class Ears:
    """A `Hearer` for the sensors, an `EarsClient` for whoever looks; a context manager.

    Enter it before sensors hand in: that brings back what an earlier start of the box kept.
    Sensors never wait: not for the disk, and not for a suggestion that is being worked out.

    Args:
        inbox: Where knocks go.
        seats: Places at the table.
        review: What marks come to.
        keep: So many blows are kept; 0 keeps none, and takes away what was kept before.
        path: The file that outlives a power cut; None keeps in memory only.
        clock: Monotonic seconds, the same clock that sensors stamp with.
        wall: Seconds since the epoch, only to show; None where nobody knows the time.
    """

    def __init__(
        self,
        inbox: Inbox,
        *,
        seats: int,
        review: Review,
        keep: int = 50,
        path: Path | None = None,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] | None = time.time,
    ) -> None:
        self._inbox = inbox
        self._seats = seats
        self._review = review
        self._clock = clock
        self._wall = wall
        self._lock = threading.Lock()  # of memory and meter; never held for long
        self._meter = Meter()
        self._tuner: Tuner | None = None
        self._tuning = threading.Lock()
        self._trouble: str | None = None
        self._path = path
        self._writer = Writer(path) if path is not None and keep else None
        self._memory = Memory(keep)

    def __enter__(self) -> Self:
        if self._writer is not None:
            self._memory = Memory(self._memory.most, self._writer.load())
            self._writer.start()
        elif self._path is not None:
            self._forget(self._path)
        return self

    def __exit__(self, *_: object) -> None:
        self._review.close()
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
        self._inbox.put(finding(judgement))
        if self._memory.most:
            self._keep(judgement)

    def loudness(self, part: str, peaks: tuple[float, ...], at_s: float) -> None:
        """Take how loud each channel of *part* was of late."""
        with self._lock:
            self._meter.take(part, peaks, at_s)
        if self._tuner is not None:
            with self._tuning:
                self._tuner.loudness(part, peaks, at_s)

    # What people ask

    def heard_events(self, limit: int = 50) -> tuple[HeardEvent, ...]:
        """Return the last *limit* events that are kept, newest first."""
        check_limit(limit)
        newest_first = self._kept()[::-1][:limit]
        return tuple(one.told() for one in newest_first)

    def mark(self, number: int, was: Verdict | None, seat: Seat | None = None) -> HeardEvent:
        """Say what event *number* was in truth; see `kloplei.table.ears.EarsClient.mark`."""
        self._check_mark(was, seat)
        with self._lock:
            try:
                marked = self._memory.mark(number, was, seat)
            except KeyError:
                raise not_kept(number) from None
            self._write(marked)
        return marked.told()

    def keeping(self) -> Keeping:
        """Return what is kept, and what was taken of late."""
        trouble = self._writer.trouble if self._writer is not None else self._trouble
        return Keeping(
            self._memory.most,
            len(self._kept()),
            trouble,
            self._review.taken,
            self._review.is_weighing,
        )

    def suggestion(self) -> Suggestion | None:
        """Return what the marks suggest, with its effect; None where they suggest nothing."""
        return self._review.suggestion(self._kept())

    def take(self, suggestion: str) -> None:
        """Do what the suggestion with that id says."""
        self._review.take(suggestion, self._kept())

    def decline(self, suggestion: str) -> None:
        """Hear no more of that suggestion until the marks suggest another."""
        self._review.decline(suggestion, self._kept())

    def take_back(self) -> None:
        """Undo the `take` before."""
        self._review.take_back()

    def meter(self) -> tuple[Loudness, ...]:
        """Return the live meter: each part that measures how loud it is."""
        with self._lock:
            return self._meter.read(self._clock())

    def tune(self, step: str, facts: Facts = _NO_FACTS) -> TuneState:
        """Do one step of a tuning; see `kloplei.table.ears.EarsClient.tune`."""
        if self._tuner is None:
            raise Unreadable("This table cannot be tuned: no sensor of it listens.")
        with self._tuning:
            return self._tuner.step(step, facts, self._clock())

    def _kept(self) -> tuple[Kept, ...]:
        with self._lock:
            return self._memory.blows

    def _check_mark(self, was: Verdict | None, seat: Seat | None) -> None:
        if was is Verdict.DOUBTFUL:
            raise Unreadable("A mark says a knock or noise; doubtful is what it takes away.")
        if seat is None:
            return
        if was is not Verdict.KNOCK:
            raise Unreadable("Only a knock has a seat that knocked.")
        if not 0 <= seat < self._seats:
            raise Unreadable(f"Seat {seat.shown} is none of this table, which has {self._seats}.")

    def _keep(self, judgement: Judgement) -> None:
        slimmed = slim(judgement)
        at = self._wall() if self._wall is not None else None
        with self._lock:
            self._write(self._memory.add(slimmed, at))

    def _write(self, blow: Kept) -> None:
        if self._writer is not None:
            self._writer.put(blow, self._memory.numbers)

    def _forget(self, path: Path) -> None:
        try:
            forget(path)
        except RingTrouble as error:
            logger.warning("%s", error)
            self._trouble = str(error)
