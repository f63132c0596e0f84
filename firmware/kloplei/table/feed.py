"""One stream of scoreboards out of the socket, shared by everybody who follows here.

Fifty phones follow the panel; the table tells it once.
"""

import contextlib
import threading
from collections.abc import Iterator

from kloplei.rules.scoreboard import Scoreboard
from kloplei.table.client import TableSilent
from kloplei.table.talk import Garbled, Json, Talk
from kloplei.table.wire import from_socket


class Feed:
    """Reads *talk* in a thread of its own until the table closes, dies or falls silent.

    Args:
        talk: A fresh connection; it belongs to the feed.
        number: The ``id`` to ask under.
        breath_s: How long the table may say nothing, not even a sign of life.
    """

    def __init__(self, talk: Talk, number: int, breath_s: float) -> None:
        self._talk = talk
        self._breath_s = breath_s
        self._changed = threading.Condition()
        self._board: Scoreboard | None = None
        self._version = 0
        self._breaths = 0
        self._over = False
        self._broken: str | None = None
        with contextlib.suppress(OSError):  # who reads will find out why
            talk.say({"id": number, "call": "follow"})
        threading.Thread(target=self._read, name="kloplei-feed", daemon=True).start()

    @property
    def version(self) -> int:
        """Number of the newest board here; for `boards`."""
        with self._changed:
            return self._version

    @property
    def is_over(self) -> bool:
        """Whether nothing more will come."""
        with self._changed:
            return self._over

    def boards(self, since: int) -> Iterator[Scoreboard | None]:
        """Yield the newest board whenever there is a newer one, None as a sign of life.

        Ends when the table closes.

        Raises:
            TableSilent: It went without a word.
        """
        seen, breaths = since, 0
        while True:
            with self._changed:
                self._changed.wait_for(
                    lambda: self._over or (self._version, self._breaths) != (seen, breaths)  # noqa: B023
                )
                if self._version == seen and self._over:
                    break
                news = self._board if self._version != seen else None
                seen, breaths = self._version, self._breaths
            yield news
        if self._broken is not None:
            raise TableSilent(self._broken)

    def close(self) -> None:
        """Hang up; followers end."""
        self._end(None)
        self._talk.hang_up()

    def _read(self) -> None:
        with self._talk:
            try:
                while (message := self._talk.hear(self._breath_s)) is not None:
                    if message.get("end"):
                        self._end(None)
                        return
                    self._take(message)
                self._end("The table went away. It is told here when it is back.")
            except (OSError, LookupError, ValueError) as error:
                self._end(f"The table fell silent ({error}).")

    def _take(self, message: Json) -> None:
        if "error" in message:
            raise Garbled(message["error"])
        board = message["board"] and from_socket(Scoreboard, message["board"])
        with self._changed:
            self._breaths += 1
            if board is not None:
                self._board, self._version = board, self._version + 1
            self._changed.notify_all()

    def _end(self, broken: str | None) -> None:
        with self._changed:
            if not self._over:
                self._over, self._broken = True, broken
            self._changed.notify_all()
