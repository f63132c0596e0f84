"""The table seen through its Unix socket: the same `TableClient`, in another process.

It connects when it is first asked something, and again by itself after the table was away.
"""

import base64
import contextlib
import threading
from collections.abc import Iterator
from pathlib import Path

from kloplei.rules.game import Facts, IllegalAction, Seat
from kloplei.rules.scoreboard import Scoreboard
from kloplei.table.asker import Asker
from kloplei.table.client import Frame, LogEntry, TableSilent, Unreadable
from kloplei.table.remote_doctor import RemoteDoctor
from kloplei.table.remote_door import RemoteDoor
from kloplei.table.remote_ears import RemoteEars
from kloplei.table.talk import Garbled, Json, Talk
from kloplei.table.wire import facts_to_socket, from_socket

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
        self._breath_s = breath_s
        self._asker = Asker(path, patience_s)
        self._ears_asker = Asker(path, patience_s)  # what they take their time for holds up nobody
        self._following = threading.Lock()
        self._followed: set[Talk] = set()
        self._ears = RemoteEars(self._ears_asker.ask, self._understood)
        self._doctor_asker = Asker(path, patience_s)  # examining takes longer still
        self._doctor = RemoteDoctor(self._doctor_asker.ask, self._understood)
        self._door = RemoteDoor(self._asker.ask, self._understood)

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
        answer = self._asker.ask(
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
            return from_socket(Scoreboard, self._asker.ask("scoreboard")["board"])

    def follow(self, after: int | None = None) -> Iterator[Scoreboard | None]:
        """Yield the scoreboard at once and at every change; see `TableClient.follow`.

        A table that closes ends it; one that dies or falls silent ends it with `TableSilent`.
        Following again connects again.
        """
        del after  # whatever it has seen, a reader gets the whole state
        with self._asker.connect() as talk, self._known(talk):
            with contextlib.suppress(OSError):  # what is wrong is heard below
                talk.say({"id": 1, "call": "follow"})
            over = False
            while not over:
                with self._understood():
                    board, over = self._newest(talk)
                if board is not None or not over:
                    yield board

    def log(self, limit: int = 50) -> tuple[LogEntry, ...]:
        """Return the last *limit* steps of the evening, newest first."""
        with self._understood():
            entries = self._asker.ask("log", limit=limit)["entries"]
            return tuple(from_socket(LogEntry, entry) for entry in entries)

    def frame(self) -> Frame | None:
        """Return what stands on the slate, or None if there is no slate."""
        with self._understood():
            frame = self._asker.ask("frame")["frame"]
            return None if frame is None else _frame_from_socket(frame)

    @property
    def ears(self) -> RemoteEars:
        """What the box heard and how it is tuned; see `kloplei.table.ears`."""
        return self._ears

    @property
    def doctor(self) -> RemoteDoctor:
        """What works in the box, and what can be tried; see `kloplei.table.doctor`."""
        return self._doctor

    @property
    def door(self) -> RemoteDoor:
        """Who asks to be let in by a knock; see `kloplei.table.door`."""
        return self._door

    def close(self) -> None:
        """Hang up, on followers too; asking again connects again."""
        self._asker.close()
        self._ears_asker.close()
        self._doctor_asker.close()
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


def _frame_from_socket(frame: Json) -> Frame:
    return Frame(int(frame["width"]), int(frame["height"]), base64.b64decode(frame["bits"]))
