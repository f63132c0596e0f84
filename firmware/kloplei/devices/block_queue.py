"""Blocks on their way from the thread that reads to the one that listens; memory bounded."""

import threading
from collections import deque

from kloplei.knock.signal import Block


class BlockQueue:
    """Blocks on their way from one thread to another, the oldest given up when it is full."""

    def __init__(self, most: int) -> None:
        self._blocks: deque[Block] = deque()
        self._most = most
        self._dropped = 0
        self._closed = False
        self._changed = threading.Condition()

    def put(self, block: Block) -> None:
        """Add *block*; never waits."""
        with self._changed:
            if len(self._blocks) == self._most:
                self._dropped += len(self._blocks.popleft().channels[0])
            self._blocks.append(block)
            self._changed.notify()

    def get(self, within_s: float | None = None) -> Block | None:
        """Return the oldest block, waiting for it; None once this is closed, or if none comes."""
        with self._changed:
            self._changed.wait_for(lambda: self._blocks or self._closed, within_s)
            return None if self._closed or not self._blocks else self._blocks.popleft()

    @property
    def is_closed(self) -> bool:
        """Whether nothing comes any more."""
        return self._closed

    def dropped(self) -> int:
        """Return how many rounds were given up since this was last asked."""
        with self._changed:
            dropped, self._dropped = self._dropped, 0
            return dropped

    def close(self) -> None:
        """Let nobody wait any more."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
