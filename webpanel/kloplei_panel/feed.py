"""One follower of the table for all the phones: however many look on, the table tells it once.

That the wood moved is for the slate alone: a phone hears a knock a moment later, and drumming
fingers would have every phone draw the table again some times a second.

Every live stream holds a thread of the server, so their number has an end. They wait here and
not at the table, so that all of them can be sent home at once when the server stops.
"""

import logging
import threading
from collections.abc import Generator
from dataclasses import dataclass, replace

from kloplei.games.scoreboard import Scoreboard
from kloplei.table.client import TableClient, TableUnavailable

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Following:
    """What one run of the follower has heard; the table may go and come back between two."""

    board: Scoreboard | None = None
    heard: int = 0
    is_over: bool = False


class Feed:
    """Hands every scoreboard to all who watch.

    Args:
        table: Followed as long as anybody has ever watched.
        most: How many may watch at once.
        keepalive_s: Who watches gets None after so long without a change.
    """

    def __init__(self, table: TableClient, most: int, keepalive_s: float) -> None:
        self.most = most
        self.watching = 0
        self._table = table
        self._keepalive_s = keepalive_s
        self._changed = threading.Condition()
        self._following = _Following(is_over=True)
        self._closed = False

    def take_place(self) -> bool:
        """Take a place to watch from and return True, or return False when none is free."""
        with self._changed:
            if self.watching >= self.most or self._closed:
                return False
            self.watching += 1
            return True

    def give_back_place(self) -> None:
        """Give a place back."""
        with self._changed:
            self.watching -= 1

    def close(self) -> None:
        """End every `watch` at once."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def watch(self) -> Generator[Scoreboard | None, None, None]:
        """Yield the scoreboard at once and at every change, the newest only if one is slow.

        None is yielded when nothing changes, so that a watcher who has gone is noticed. Ends
        when the table or the feed closes.

        Raises:
            TableUnavailable: The table does not answer.
        """
        following, heard = self._follow(), 0
        last = replace(self._table.scoreboard(), struck=False)
        yield last
        while self._wait(following, heard):
            board, is_news, heard = following.board, following.heard != heard, following.heard
            if not is_news:
                yield None
            elif board is not None and board != last and board.seq >= last.seq:
                last = board
                yield board

    def _wait(self, following: _Following, heard: int) -> bool:
        """Wait for news or for the time of a breath; return whether there is more to come."""
        with self._changed:
            self._changed.wait_for(
                lambda: self._closed or following.is_over or following.heard != heard,
                self._keepalive_s,
            )
            return not (self._closed or following.is_over)

    def _follow(self) -> _Following:
        with self._changed:
            if self._following.is_over and not self._closed:
                self._following = _Following()
                threading.Thread(
                    target=self._hear, args=(self._following,), name="panel-feed", daemon=True
                ).start()
            return self._following

    def _hear(self, following: _Following) -> None:
        try:
            for newest in self._table.follow():
                with self._changed:
                    if self._closed:
                        return
                    board = newest and replace(newest, struck=False)
                    if board is not None and board != following.board:
                        following.board = board
                        following.heard += 1
                        self._changed.notify_all()
        except TableUnavailable as error:
            _log.warning("The table has fallen silent: %s", error)
        finally:
            with self._changed:
                following.is_over = True
                self._changed.notify_all()
