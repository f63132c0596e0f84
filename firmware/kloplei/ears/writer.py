"""The thread that writes the ring to its file; nobody waits for it, and it never gives up."""

import logging
import threading
from pathlib import Path

from kloplei.ears.kept import Kept
from kloplei.ears.ring import Ring, RingTrouble

logger = logging.getLogger(__name__)


class Writer:
    """Writes what is kept to the file *path*, some at once.

    What waits is never more than the ring itself: what falls out of the ring while the disk
    dawdles is not written any more. Trouble is logged once, kept as `trouble`, and tried again.

    Args:
        path: The file of the ring.
        pace_s: Least time between two writes, for the card's sake.
        retry_s: Time until a disk that refused is tried again.
        patience_s: How long `close` waits for the last write.
    """

    def __init__(
        self, path: Path, *, pace_s: float = 1.0, retry_s: float = 30.0, patience_s: float = 2.0
    ) -> None:
        self._path = path
        self._pace_s = pace_s
        self._retry_s = retry_s
        self._patience_s = patience_s
        self._ring: Ring | None = None
        self._news = threading.Condition()
        self._waiting: dict[int, Kept] = {}
        self._numbers: frozenset[int] = frozenset()
        self._dirty = False
        self._closing = threading.Event()
        self._trouble: str | None = None
        self._thread = threading.Thread(target=self._run, name="kloplei-ring", daemon=True)

    @property
    def trouble(self) -> str | None:
        """One sentence on why the disk does not take what was heard, until it does."""
        return self._trouble

    def load(self) -> list[Kept]:
        """Return what the file holds, oldest first, nothing if it cannot be read. Comes first."""
        try:
            return self._opened().read()
        except RingTrouble as error:
            self._give_up(error)
            return []

    def start(self) -> None:
        """Begin to write."""
        self._thread.start()

    def put(self, blow: Kept, numbers: frozenset[int]) -> None:
        """Have *blow* written soon, and all but *numbers* dropped; never blocks for long."""
        with self._news:
            self._waiting[blow.number] = blow
            self._waiting = {n: one for n, one in self._waiting.items() if n in numbers}
            self._numbers = numbers
            self._dirty = True
            self._news.notify()

    def close(self) -> None:
        """Write what waits, and stop; a disk that hangs is left alone."""
        self._closing.set()
        with self._news:
            self._news.notify()
        if self._thread.is_alive():
            self._thread.join(self._patience_s)

    def _run(self) -> None:
        while not self._closing.is_set():
            with self._news:
                self._news.wait_for(lambda: self._dirty or self._closing.is_set())
            self._closing.wait(self._pace_s if self._write() else self._retry_s)
        self._write()
        if self._ring is not None:
            self._ring.close()

    def _write(self) -> bool:
        with self._news:
            if not self._dirty:
                return True
            waiting, self._waiting = self._waiting, {}
            numbers, self._dirty = self._numbers, False
        try:
            self._opened().write([*waiting.values()], numbers)
        except RingTrouble as error:
            self._give_up(error)
            with self._news:
                newer = {**waiting, **self._waiting}
                self._waiting = {n: one for n, one in newer.items() if n in self._numbers}
                self._dirty = True
            return False
        if self._trouble is not None:
            logger.info("What the table hears is kept on disk again.")
            self._trouble = None
        return True

    def _opened(self) -> Ring:
        self._ring = self._ring or Ring(self._path)
        return self._ring

    def _give_up(self, error: RingTrouble) -> None:
        """Close the file, so that the disk can be unmounted and mended; tell why, once."""
        if self._ring is not None:
            self._ring.close()
            self._ring = None
        if self._trouble is None:
            logger.warning("%s", error)
        self._trouble = str(error)
