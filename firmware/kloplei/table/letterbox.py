"""What waits for the table's thread: messages, which may be lost, and calls, which may not."""

import contextlib
import queue
import threading
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from concurrent.futures import TimeoutError as NoReply
from dataclasses import dataclass
from typing import Any, TypeVar

from kloplei.table.client import TableSilent
from kloplei.table.inbox import Message

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Call:
    """Something that the table's thread does for another one, which waits for *reply*."""

    do: Callable[[], Any]
    reply: "Future[Any]"


@dataclass(frozen=True, slots=True)
class Close:
    """The last thing in the queue."""


class MessageQueue:
    """One order for all that comes in; only the table's thread takes out.

    Args:
        size: So much may wait; messages that come on top are dropped and counted.
    """

    def __init__(self, size: int) -> None:
        self._waiting: queue.Queue[Message | Call | Close] = queue.Queue(size)
        self._dropped = 0
        self._dropping = threading.Lock()

    def put(self, message: Message) -> None:
        """Queue *message*, or count it as dropped."""
        try:
            self._waiting.put_nowait(message)
        except queue.Full:
            with self._dropping:
                self._dropped += 1

    def ask(self, do: Callable[[], T], reply_s: float) -> T:
        """Let the table's thread *do* it, and wait *reply_s* for the answer.

        Raises:
            TableSilent: Nobody answered in time.
        """
        reply: Future[T] = Future()
        try:
            self._waiting.put(Call(do, reply), timeout=reply_s)
            return reply.result(timeout=reply_s)
        except (queue.Full, NoReply, CancelledError):
            # A call that has not begun is never made later, when nobody waits for it any more.
            reply.cancel()
            raise TableSilent("The table does not answer. Look again in a moment.") from None

    def close(self) -> None:
        """Put the last thing in; waits for room."""
        self._waiting.put(Close())

    def take(self, patience_s: float | None) -> Message | Call | Close | None:
        """Return what came in first, or None if nothing does for *patience_s*."""
        try:
            return self._waiting.get(timeout=patience_s)
        except queue.Empty:
            return None

    def take_dropped(self) -> int:
        """Return how many messages were dropped since this was asked last."""
        with self._dropping:
            dropped, self._dropped = self._dropped, 0
        return dropped

    def turn_away(self) -> None:
        """Leave nobody waiting who asked while the table closed."""
        with contextlib.suppress(queue.Empty):
            while True:
                left = self._waiting.get_nowait()
                if isinstance(left, Call):
                    left.reply.cancel()
