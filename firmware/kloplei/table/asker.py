"""One question after the other over the table's socket, each with its answer or its refusal."""

import contextlib
import itertools
import socket
import threading
import time
from pathlib import Path

from kloplei.rules.game import IllegalAction
from kloplei.table.client import NotKept, TableSilent, Unreadable
from kloplei.table.talk import Garbled, Json, Talk
from kloplei.table.wire import facts_from_socket

_AGAIN_S = 0.01


class Asker:
    """Asks whoever listens at the socket *path*; safe from any thread, one question at a time.

    It connects when it is first asked something, and again by itself after the table was away.

    Args:
        path: Where `kloplei.table.port.Port` listens.
        patience_s: How long an answer may take before the table counts as silent.
    """

    def __init__(self, path: Path, patience_s: float) -> None:
        self._path = path
        self._patience_s = patience_s
        self._numbers = itertools.count(1)
        self._asking = threading.Lock()
        self._talk: Talk | None = None

    def ask(self, call: str, **more: object) -> Json:
        """Return the answer to *call* with the words *more*.

        Raises:
            IllegalAction: Refused.
            Unreadable: Nobody understood it.
            NotKept: The table could not write it down.
            TableSilent: No answer, or the table could not do it.
        """
        request = {"id": next(self._numbers), "call": call, **more}
        if not self._asking.acquire(timeout=self._patience_s):
            raise TableSilent("The table does not answer. Look again in a moment.")
        try:
            answer = self._exchange(request)
        finally:
            self._asking.release()
        _raise_refusal(answer)
        return answer

    def connect(self) -> Talk:
        """Return a new line to the table, for whoever wants one of its own.

        Raises:
            TableSilent: Nobody listens, or not to this user.
        """
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(self._patience_s)
        try:
            _knock_at(connection, self._path, self._patience_s)
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

    def close(self) -> None:
        """Hang up; asking again connects again."""
        with self._asking:
            self._forget_talk()

    def _exchange(self, request: Json) -> Json:
        if self._talk is not None and not self._talk.is_quiet:
            self._forget_talk()  # the table hung up, and is perhaps back by now
        talk = self._talk = self._talk or self.connect()
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

    def _forget_talk(self) -> None:
        if self._talk is not None:
            self._talk.close()
            self._talk = None


def _knock_at(connection: socket.socket, path: Path, patience_s: float) -> None:
    """Connect, and wait for it where a crowd stands at the door: the kernel says no at once."""
    until_s = time.monotonic() + patience_s
    while True:
        try:
            connection.connect(str(path))
        except BlockingIOError:
            if time.monotonic() >= until_s:
                raise
            time.sleep(_AGAIN_S)
        else:
            return


def _raise_refusal(answer: Json) -> None:
    match answer:
        case {"refused": str(reason), "facts": dict(facts)}:
            raise IllegalAction(reason, **facts_from_socket(facts))
        case {"unreadable": str(sentence)}:
            raise Unreadable(sentence)
        case {"unkept": str(sentence)}:
            raise NotKept(sentence)
        case {"silent": str(sentence)}:
            raise TableSilent(sentence)
