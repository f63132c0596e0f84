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
from kloplei.table.remote_ears import RemoteEars
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
        self._following = threading.Lock()
        self._followed: set[Talk] = set()
        self._ears = RemoteEars(self._ask, self._understood)

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

        A table that closes ends it; one that dies or falls silent ends it with `TableSilent`.
        Following again connects again.
        """
        del after  # whatever it has seen, a reader gets the whole state
        with self._connect() as talk, self._known(talk):
            with contextlib.suppress(OSError):  # what is wrong is heard below
                talk.say({"id": next(self._numbers), "call": "follow"})
            over = False
            while not over:
                with self._understood():
                    board, over = self._newest(talk)
                if board is not None or not over:
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

    @property
    def ears(self) -> RemoteEars:
        """What the box heard and how it is tuned; see `kloplei.table.ears`."""
        return self._ears

    def close(self) -> None:
        """Hang up, on followers too; asking again connects again."""
        with self._asking:
            self._forget_talk()
        with self._following:
            for talk in self._followed:
                talk.hang_up()

    @contextlib.contextmanager
    def _known(self, talk: Talk) -> Iterator[None]:
        """Let `close` hang up on *talk* as long as somebody follows on it."""
        with self._following:
            self._followed.add(talk)
        try:
            yield
        finally:
            with self._following:
                self._followed.discard(talk)

    def _newest(self, talk: Talk) -> tuple[Scoreboard | None, bool]:
        """Wait for news on *talk*; return the newest board that came, and whether it was the last.

        None in its place is a sign of life.
        """
        newest = None
        while True:
            message = self._hear(talk)
            if message.get("end"):
                break
            newest = message["board"] or newest
            if not talk.has_more:
                break
        board = None if newest is None else from_socket(Scoreboard, newest)
        return board, "end" in message

    def _hear(self, talk: Talk) -> Json:
        try:
            message = talk.hear(self._breath_s)
        except (OSError, Garbled) as error:
            raise TableSilent(f"The table fell silent ({error}).") from error
        if message is None:
            raise TableSilent("The table went away. Look again in a moment.")
        if "error" in message:
            raise TableSilent(message["error"])
        return message

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
