"""The table's end of the Unix socket: the panel asks here, and owns neither pins nor journal.

One JSON object a line. Whoever connects asks, and gets each answer under the same ``id``::

    {"id": 1, "call": "submit", "seat": 2, "action": "swap", "seen": 41, "facts": {...}}
    {"id": 1, "seq": 42}
    {"id": 1, "refused": "stale", "facts": {...}}    or "unreadable" / "unkept" / "silent":
                                                a sentence
    {"id": 2, "call": "scoreboard"}    {"id": 2, "board": {...}}
    {"id": 3, "call": "log", "limit": 50}    {"id": 3, "entries": [...]}
    {"id": 4, "call": "frame"}    {"id": 4, "frame": {"width": 128, ...}} or null
    {"id": 5, "call": "follow"}    {"id": 5, "board": {...}} at once and at every change,
                                   null as a sign of life, at last {"id": 5, "end": true}
    {"id": 6, "call": "ears.heard", "limit": 50}    and so on: `kloplei.table.port_ears`
    {"id": 7, "call": "doctor.examine"}    and so on: `kloplei.table.port_doctor`
    {"id": 8, "call": "door.look", "ticket": "..."}    and so on: `kloplei.table.port_door`

Seats are 1-based; `kloplei.table.wire` tells how boards and facts are written. ``follow``
keeps its connection to itself. Garbage is answered once, then the connection is closed.
"""

import base64
import contextlib
import logging
import os
import socket
import threading
from pathlib import Path
from typing import Self

from kloplei.files import KlopleiError
from kloplei.rules.game import IllegalAction, Seat
from kloplei.table.client import Frame, NotKept, TableClient, Unreadable
from kloplei.table.crowd import Crowd
from kloplei.table.port_doctor import ask_doctor
from kloplei.table.port_door import ask_door
from kloplei.table.port_ears import ask_ears
from kloplei.table.talk import Garbled, Json, Talk
from kloplei.table.wire import facts_from_socket, facts_to_socket, to_socket

MOST_BYTES = 65_536  # of a request
_LONGEST_VIA = 20
_MODE = 0o660  # the panel's user shares the group
logger = logging.getLogger(__name__)


class PortTaken(KlopleiError, OSError):
    """The socket cannot be opened where it should be."""


class Port:
    """Serves *table* on the socket *path*, a thread a connection; a context manager.

    Args:
        table: What is served; it outlives the port.
        path: Where the socket stands; its folder is made if it is missing.
        clients: Connections that may be open at once; one more takes the idlest one's place.
        patience_s: A client that does not read its answers for so long is dropped.

    Raises:
        PortTaken: Another table listens there, or nobody may.
    """

    def __init__(
        self, table: TableClient, path: Path, *, clients: int = 64, patience_s: float = 5.0
    ) -> None:
        self._table = table
        self._path = path
        self._crowd = Crowd(clients)
        self._patience_s = patience_s
        self._closing = threading.Event()
        self._listener = _listen(path)
        self._inode = path.stat().st_ino
        self._door = threading.Thread(target=self._let_in, name="kloplei-port", daemon=True)
        self._door.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let nobody in any more, hang up on everybody, take the socket away."""
        self._closing.set()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)  # wakes the thread that waits at the door
        self._door.join()
        self._listener.close()
        self._crowd.close()
        with contextlib.suppress(FileNotFoundError):
            if self._path.stat().st_ino == self._inode:
                self._path.unlink()

    def _let_in(self) -> None:
        while not self._closing.is_set():
            try:
                connection, _ = self._listener.accept()
            except OSError as error:
                if not self._closing.is_set():
                    logger.warning("The table's socket lets nobody in for a moment: %s", error)
                    self._closing.wait(1.0)  # out of file descriptors, most likely
                continue
            talk = Talk(connection, patience_s=self._patience_s, most_bytes=MOST_BYTES)
            threading.Thread(
                target=self._converse, args=(talk,), name="kloplei-client", daemon=True
            ).start()

    def _converse(self, talk: Talk) -> None:
        with talk:
            try:
                if self._crowd.enter(talk):
                    self._answer_all(talk)
                else:
                    talk.say({"error": f"The table talks to {self._crowd.places} clients at most."})
            except Garbled as error:
                with contextlib.suppress(OSError):
                    talk.say({"error": f"This is not what the table understands: {error}."})
            except OSError as error:
                logger.info("A client of the table has gone: %s", error)
            finally:
                self._crowd.leave(talk)

    def _answer_all(self, talk: Talk) -> None:
        while (request := talk.hear()) is not None:
            self._crowd.heard(talk)
            number = request.get("id")
            if not isinstance(number, int):
                raise Garbled("a request without a number for its id")
            if request.get("call") == "follow":
                self._crowd.follows(talk)
                self._stream(talk, number)
                return
            talk.say({"id": number, **self._answer(request)})

    def _stream(self, talk: Talk, number: int) -> None:
        for board in self._table.follow():
            talk.say({"id": number, "board": None if board is None else to_socket(board)})
        talk.say({"id": number, "end": True})

    def _answer(self, request: Json) -> Json:
        try:
            return self._call(request)
        except IllegalAction as refusal:
            return {"refused": refusal.reason, "facts": facts_to_socket(refusal.facts)}
        except Unreadable as error:
            return {"unreadable": str(error)}
        except NotKept as error:
            return {"unkept": str(error)}
        except KlopleiError as error:
            return {"silent": str(error)}
        except Garbled:
            raise
        except Exception:
            logger.exception("The table's socket stumbled over a call, and carries on.")
            return {"silent": "Something went wrong at the table; see its log."}

    def _call(self, request: Json) -> Json:
        match request:
            case {"call": "submit"}:
                return {"seq": self._submit(request)}
            case {"call": "scoreboard"}:
                return {"board": to_socket(self._table.scoreboard())}
            case {"call": "log", "limit": int(limit)}:
                return {"entries": [to_socket(one) for one in self._table.log(limit)]}
            case {"call": "frame"}:
                frame = self._table.frame()
                return {"frame": None if frame is None else _frame_to_socket(frame)}
            case {"call": str(call)} if call.startswith("door."):
                return ask_door(self._table.door, request)
            case {"call": str(call)} if call.startswith("ears."):
                return ask_ears(self._table.ears, request)
            case {"call": str(call)} if call.startswith("doctor."):
                return ask_doctor(self._table.doctor, request)
        raise Garbled("no such call")

    def _submit(self, request: Json) -> int:
        match request:
            case {
                "action": str(action),
                "seat": int() | None as seat,
                "seen": int() | None as seen,
                "facts": dict(facts),
                "via": str(via),
            } if via.isprintable() and len(via) <= _LONGEST_VIA:
                return self._table.submit(
                    None if seat is None else Seat(seat - 1),
                    action,
                    seen=seen,
                    facts=facts_from_socket(facts),
                    via=via,
                )
        raise Garbled("submit needs action, seat, seen, facts and via")


def _frame_to_socket(frame: Frame) -> Json:
    bits = base64.b64encode(frame.bits).decode()
    return {"width": frame.width, "height": frame.height, "bits": bits}


def _listen(path: Path) -> socket.socket:
    listener = socket.socket(socket.AF_UNIX)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _clear(path)
        os.fchmod(listener.fileno(), _MODE)  # or it would be wider for a moment
        listener.bind(str(path))
        path.chmod(_MODE)
        listener.listen()
    except OSError as error:
        listener.close()
        if isinstance(error, PortTaken):
            raise
        raise PortTaken(
            f"No socket can stand at {path} ({error}). Give it another path in the settings."
        ) from error
    return listener


def _clear(path: Path) -> None:
    """Remove a socket that a killed table has left; leave a live one and anything else alone."""
    if not path.exists():
        return
    if not path.is_socket():
        raise PortTaken(f"{path} is no socket. Move it away, or give the table another path.")
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            path.unlink()
            return
    raise PortTaken(f"Another table already listens at {path}. Stop that one first.")
