"""The newest scoreboard, for whoever looks: put up by one thread, followed by any number."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypeVar

from kloplei.games.scoreboard import Door, Doubt, Grace, Scoreboard

W = TypeVar("W", Grace, Doubt, Door)


class BoardFeed:
    """A scoreboard that everybody may see; all methods are safe from any thread.

    Args:
        board: The first one.
        clock: Monotonic seconds, to count down what runs out.
    """

    def __init__(self, board: Scoreboard, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._changed = threading.Condition()
        self._board = board
        self._board_s = clock()
        self._version = 0
        self._closed = False

    def put_up(self, board: Scoreboard, now_s: float) -> None:
        """Let everybody see *board*, drawn at *now_s*, unless it only counts down."""
        # Nobody else puts up boards, so that what is compared stands still.
        if board != self._board:
            with self._changed:
                self._board, self._board_s = board, now_s
                self._version += 1
                self._changed.notify_all()

    def now(self) -> Scoreboard:
        """Return the newest board, with the seconds that are left by now."""
        with self._changed:
            return self._counted_down()

    def follow(self, keepalive_s: float) -> Iterator[Scoreboard | None]:
        """Yield the board at once and at every change, None after *keepalive_s* without one."""
        seen = -1
        while True:
            with self._changed:
                news = self._changed.wait_for(
                    lambda: self._version != seen or self._closed,  # noqa: B023
                    timeout=keepalive_s,
                )
                if self._closed:
                    return
                seen, board = self._version, self._counted_down()
            # Outside the lock: a reader that takes its time holds up nobody.
            yield board if news else None

    def close(self) -> None:
        """End all who follow."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _counted_down(self) -> Scoreboard:
        # A bar that runs down publishes nothing; who comes later must not see it run anew.
        board, by_s = self._board, self._clock() - self._board_s
        if board.grace is None and board.doubt is None and board.door is None:
            return board
        return replace(
            board,
            grace=board.grace and _later(board.grace, by_s),
            doubt=board.doubt and _later(board.doubt, by_s),
            door=board.door and _later(board.door, by_s),
        )


def _later(one: W, by_s: float) -> W:
    return replace(one, left_s=max(one.left_s - by_s, 0.0))
