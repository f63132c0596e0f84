"""The table seen through its Unix socket: the same `TableClient`, in another process.

It connects when it is first asked something, and again by itself after the table was away.
"""

import base64
import contextlib
import itertools
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

from kloplei.rules.game import Facts, IllegalAction, Seat
from kloplei.rules.scoreboard import Scoreboard
from kloplei.table.client import Frame, LogEntry, TableSilent, Unreadable
from kloplei.table.feed import Feed
from kloplei.table.talk import Garbled, Json, Talk
from kloplei.table.wire import facts_from_socket, facts_to_socket, from_socket

_NO_FACTS: Facts = {}


class RemoteTable:
    """The table that listens at the socket *path*; safe from any thread.

    Args:
        path: Where `kloplei.table.port.Port` listens.
        patience_s: How long an answer may take before the table counts as silent.
        breath_s: How long a stream may say nothing, not even a sign of life.
    """

    def __init__(self, path: Path, *, patience_s: float = 10.0, breath_s: float = 30.0) -> None:
        self._path = path
        self._patience_s = patience_s
        self._breath_s = breath_s
        self._numbers = itertools.count(1)
        self._asking = threading.Lock()
        self._talk: Talk | None = None
        self._feeding = threading.Lock()
        self._feed: Feed | None = None

    def submit(
        self,
        seat: Seat | None,
        action: str,
        *,
        seen: int | None = None,
        facts: Facts = _NO_FACTS,
        via: str = "phone",
    ) -> int:
        """Ask for *action*; see `kloplei.table.client.TableClient.submit`."""
        answer = self._ask(
            "submit",
            seat=None if seat is None else seat.shown,
            action=action,
            seen=seen,
            facts=facts_to_socket(facts),
            via=via,
        )
        return int(answer["seq"])

    def scoreboard(self) -> Scoreboard:
        """Return the table as it stands."""
        with self._understood():
            return from_socket(Scoreboard, self._ask("scoreboard")["board"])

    def follow(self, after: int | None = None) -> Iterator[Scoreboard | None]:
        """Yield the scoreboard at once and at every change; see `TableClient.follow`.

        All followers share one connection. A table that closes ends them; one that dies
        ends them with `TableSilent`, and following again connects again.
        """
        del after  # whatever it has seen, a reader gets the whole state
        feed = self._live_feed()
        since = feed.version
        board = self.scoreboard()  # fresher than the feed: it knows what we just submitted
        yield board
        for news in feed.boards(since):
            if news is None:
                yield None
            elif news.seq >= board.seq and news != board:
                board = news
                yield board

    def log(self, limit: int = 50) -> tuple[LogEntry, ...]:
        """Return the last *limit* steps of the evening, newest first."""
        with self._understood():
            entries = self._ask("log", limit=limit)["entries"]
            return tuple(from_socket(LogEntry, entry) for entry in entries)

    def frame(self) -> Frame | None:
        """Return what stands on the slate, or None if there is no slate."""
        with self._understood():
            frame = self._ask("frame")["frame"]
            return None if frame is None else _frame_from_socket(frame)

    def close(self) -> None:
        """Hang up; asking again connects again."""
        with self._asking:
            self._forget_talk()
        with self._feeding:
            if self._feed is not None:
                self._feed.close()
                self._feed = None

    def _live_feed(self) -> Feed:
        with self._feeding:
            if self._feed is None or self._feed.is_over:
                self._feed = Feed(self._connect(), next(self._numbers), self._breath_s)
            return self._feed

    def _ask(self, call: str, **more: object) -> Json:
        request = {"id": next(self._numbers), "call": call, **more}
        if not self._asking.acquire(timeout=self._patience_s):
            raise TableSilent("The table does not answer. Look again in a moment.")
        try:
            answer = self._exchange(request)
        finally:
            self._asking.release()
        _raise_refusal(answer)
        return answer

    def _exchange(self, request: Json) -> Json:
        if self._talk is not None and not self._talk.is_quiet:
            self._forget_talk()  # the table hung up, and is perhaps back by now
        talk = self._talk = self._talk or self._connect()
        try:
            with contextlib.suppress(BrokenPipeError):  # perhaps it said why before it hung up
                talk.say(request)
            answer = talk.hear(self._patience_s)
        except (OSError, Garbled) as error:
            self._forget_talk()
            raise TableSilent(f"The table does not answer ({error}).") from error
        if answer is None or answer.get("id") != request["id"]:
            self._forget_talk()
            why = (answer or {}).get("error", "It went away.")
            raise TableSilent(f"No answer from the table. {why} Look at the slate, then ask again.")
        return answer

    def _connect(self) -> Talk:
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(self._patience_s)
        try:
            connection.connect(str(self._path))
        except PermissionError as error:
            connection.close()
            raise TableSilent(
                f"This user may not talk to the table at {self._path}. "
                f"Add it to the socket's group: ls -l {self._path}"
            ) from error
        except OSError as error:
            connection.close()
            raise TableSilent(
                f"No table listens at {self._path}. Start it with: kloplei run"
            ) from error
        return Talk(connection, patience_s=self._patience_s)

    def _forget_talk(self) -> None:
        if self._talk is not None:
            self._talk.close()
            self._talk = None

    @contextlib.contextmanager
    def _understood(self) -> Iterator[None]:
        try:
            yield
        except (KeyError, TypeError, ValueError) as error:
            if isinstance(error, IllegalAction | Unreadable):
                raise
            raise TableSilent(
                f"The table at {self._path} speaks another version. "
                "Restart both units after an update."
            ) from error


def _raise_refusal(answer: Json) -> None:
    match answer:
        case {"refused": str(reason), "facts": dict(facts)}:
            raise IllegalAction(reason, **facts_from_socket(facts))
        case {"unreadable": str(sentence)}:
            raise Unreadable(sentence)
        case {"silent": str(sentence)}:
            raise TableSilent(sentence)


def _frame_from_socket(frame: Json) -> Frame:
    return Frame(int(frame["width"]), int(frame["height"]), base64.b64decode(frame["bits"]))
