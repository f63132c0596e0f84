"""Do things at set times on one thread: melodies, flashes, settling contacts, virtual knocks."""

import heapq
import itertools
import logging
import threading
import time
from collections.abc import Callable
from typing import Protocol

logger = logging.getLogger(__name__)

Task = Callable[[], None]
CATCHES_UP_S = 0.05


class Schedule(Protocol):
    """When it is, and what is to be done then; monotonic seconds."""

    def now_s(self) -> float:
        """Return the time."""
        ...

    def at(self, at_s: float, do: Task) -> None:
        """Call *do* at *at_s*, or soon if that has passed; in order of time, then of asking."""
        ...


class _Due:
    """Tasks by time; those of the same time in the order they came."""

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, Task]] = []
        self._counter = itertools.count()

    def add(self, at_s: float, do: Task) -> None:
        heapq.heappush(self._heap, (at_s, next(self._counter), do))

    def next_s(self) -> float | None:
        return self._heap[0][0] if self._heap else None

    def pop(self) -> Task:
        return heapq.heappop(self._heap)[2]


class ThreadSchedule:
    """The real thing: a daemon thread that sleeps until the next task is due."""

    def __init__(self, name: str = "devices") -> None:
        self._due = _Due()
        self._changed = threading.Condition()
        self._closing = False
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def now_s(self) -> float:
        """Return the kernel's monotonic time, which gpiozero's ticks use as well."""
        return time.monotonic()

    def at(self, at_s: float, do: Task) -> None:
        """Call *do* on the schedule's own thread at *at_s*; after `close` it is forgotten."""
        with self._changed:
            self._due.add(at_s, do)
            self._changed.notify()

    def close(self) -> None:
        """Forget what is not yet due and end the thread."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        # A task may close the schedule it runs on, and no thread can wait for itself.
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def _run(self) -> None:
        while (do := self._wait_for_next()) is not None:
            try:
                do()
            except Exception:
                logger.exception("a scheduled task failed; the schedule goes on")

    def _wait_for_next(self) -> Task | None:
        with self._changed:
            while not self._closing:
                next_s = self._due.next_s()
                wait_s = None if next_s is None else next_s - self.now_s()
                if wait_s is not None and wait_s <= 0:
                    return self._due.pop()
                self._changed.wait(wait_s)
        return None


class PatientSchedule(ThreadSchedule):
    """A schedule whose time waits for what is due: on a slow machine it runs slower.

    While a task is done it is the time at which it was due, for every thread. So what is played
    into a virtual box is heard with the gaps it was played with, however late a machine does it.
    """

    def __init__(self, name: str = "devices") -> None:
        self._behind_s = 0.0
        self._last_s = time.monotonic()
        self._is_doing = False
        super().__init__(name)

    def now_s(self) -> float:
        """Return the time, which passes no task that is due and never runs back."""
        with self._changed:
            real_s = time.monotonic() - self._behind_s
            next_s = self._due.next_s()
            now_s = self._last_s if self._is_doing else max(self._last_s, real_s)
            if next_s is not None and not self._closing:
                now_s = min(now_s, next_s)
            # What is a little late catches up; after more than that time has stood still.
            self._behind_s += max(0.0, real_s - now_s - CATCHES_UP_S)
            self._last_s = now_s
            return now_s

    def at(self, at_s: float, do: Task) -> None:
        """Call *do* at *at_s*, or at once if somebody was told a later time already."""
        with self._changed:
            super().at(max(at_s, self._last_s), do)

    def _wait_for_next(self) -> Task | None:
        with self._changed:
            self.now_s()  # the time stood still for the last task
            self._is_doing = False
            do = super()._wait_for_next()
            self._is_doing = do is not None
            return do


class ManualSchedule:
    """A schedule whose time stands still until somebody moves it on: for tests and replays."""

    def __init__(self, now_s: float = 1000.0) -> None:
        self._now_s = now_s
        self._due = _Due()

    def now_s(self) -> float:
        """Return the time as far as it was moved on."""
        return self._now_s

    def at(self, at_s: float, do: Task) -> None:
        """Call *do* when `advance` gets to *at_s*."""
        self._due.add(max(at_s, self._now_s), do)

    def advance(self, by_s: float) -> None:
        """Move time on, doing what falls due on the way at its own time."""
        until_s = self._now_s + by_s
        while (next_s := self._due.next_s()) is not None and next_s <= until_s:
            self._now_s = next_s
            self._due.pop()()
        self._now_s = until_s
