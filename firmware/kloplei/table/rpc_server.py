"""The table's end of the Unix socket: the panel asks here, and owns neither pins nor journal.

`kloplei.table.rpc` tells what may be asked. Garbage is answered once, then the connection is
closed, and so is what a panel of another version asks: nothing of it is done.
"""

import contextlib
import itertools
import logging
import os
import socket
import threading
from collections import deque
from pathlib import Path
from typing import Any, Self

from kloplei.files import KlopleiError
from kloplei.table.client import TableClient
from kloplei.table.rpc import (
    PARTS,
    JsonLineConnection,
    MalformedMessage,
    RpcMethod,
    failure,
    rpc_methods,
    spelled,
)
from kloplei.table.schema import Json, dump

MOST_BYTES = 65_536  # of a request
_MODE = 0o660  # the panel's user shares the group
_LONG, _MOST_LONG = 100_000, 2
_LEAVING = 8  # may be on their way out at once, however few places there are
logger = logging.getLogger(__name__)


class SocketTaken(KlopleiError, OSError):
    """The socket cannot be opened where it should be."""


class RpcServer:
    """Serves *table* on the socket *path*, a thread a connection; a context manager.

    Args:
        table: What is served, with its parts; it outlives the server.
        path: Where the socket stands; its folder is made if it is missing.
        clients: Connections that may be open at once; one more takes the idlest one's place.
        patience_s: A client that does not read its answers for so long is dropped.

    Raises:
        SocketTaken: Another table listens there, or nobody may.
    """

    def __init__(
        self, table: TableClient, path: Path, *, clients: int = 64, patience_s: float = 5.0
    ) -> None:
        self._table = table
        self._path = path
        self._methods = {method.name: method for part in PARTS for method in rpc_methods(part)}
        self._limit = ConnectionLimit(clients)
        self._long = _LongAnswers()
        self._patience_s = patience_s
        self._closing = threading.Event()
        self._listener = _listen(path)
        self._inode = path.stat().st_ino
        self._accepting = threading.Thread(target=self._accept, name="kloplei-rpc", daemon=True)
        self._accepting.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let nobody in any more, hang up on everybody, take the socket away."""
        self._closing.set()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)  # wakes the thread that accepts
        self._accepting.join()
        self._listener.close()
        self._limit.close()
        with contextlib.suppress(FileNotFoundError):
            if self._path.stat().st_ino == self._inode:
                self._path.unlink()

    def _accept(self) -> None:
        # No `socketserver`: it wakes twice a second to see whether it is to stop, and turns in
        # circles at full speed when file descriptors run out.
        while not self._closing.is_set():
            try:
                accepted, _ = self._listener.accept()
            except OSError as error:
                if not self._closing.is_set():
                    logger.warning("The table's socket lets nobody in for a moment: %s", error)
                    self._closing.wait(1.0)  # out of file descriptors, most likely
                continue
            connection = JsonLineConnection(
                accepted, patience_s=self._patience_s, most_bytes=MOST_BYTES
            )
            threading.Thread(
                target=self._serve, args=(connection,), name="kloplei-client", daemon=True
            ).start()

    def _serve(self, connection: JsonLineConnection) -> None:
        with contextlib.closing(connection):
            try:
                if self._limit.admit(connection):
                    self._answer_all(connection)
                else:
                    most = self._limit.places
                    connection.send({"error": f"The table talks to {most} clients at most."})
            except MalformedMessage as error:
                with contextlib.suppress(OSError):
                    connection.send({"error": f"This is not what the table understands: {error}."})
            except OSError as error:
                logger.info("A client of the table has gone: %s", error)
            finally:
                self._limit.release(connection)

    def _answer_all(self, connection: JsonLineConnection) -> None:
        while (request := connection.receive()) is not None:
            self._limit.touch(connection)
            number, method, arguments = self._read(request)
            answer = self._do(method, arguments)
            if isinstance(answer, str):
                connection.send_line(f'{{"id":{number},"result":{answer}}}')
                continue
            if method.is_stream and "result" in answer:
                self._limit.stream(connection)
                for one in answer["result"]:
                    connection.send({"id": number, "result": dump(one, method.result)})
                connection.send({"id": number, "end": True})
                return
            connection.send({"id": number, **answer})

    def _read(self, request: Json) -> tuple[int, RpcMethod, dict[str, Any]]:
        match request:
            case {"id": int(number), "method": str(name), "params": params, **more} if (
                not isinstance(number, bool) and not more
            ):
                if name not in self._methods:
                    raise MalformedMessage("no such method")
                return number, self._methods[name], self._methods[name].arguments(params)
        raise MalformedMessage("a request has an id, a method and params")

    def _do(self, method: RpcMethod, arguments: dict[str, Any]) -> Json | str:
        """Return what came of it, in a stream still to come; a text is a result spelled already."""
        try:
            part = self._table if method.part == "table" else getattr(self._table, method.part)
            result = getattr(part, method.attribute)(**arguments)
            if method.part == "history":
                return self._long.spell(method, result)
            return {"result": result if method.is_stream else dump(result, method.result)}
        except KlopleiError as error:
            return failure(error)
        except Exception:
            logger.exception("The table's socket stumbled over a call, and carries on.")
            return {"silent": "Something went wrong at the table; see its log."}


class _LongAnswers:
    """Answers that are long, as they were sent last: who asks for the very same gets it at once.

    Everybody's numbers over years are megabytes, which the table's own process would spell again
    for each phone. Two of them are kept; any thread may ask.
    """

    def __init__(self) -> None:
        self._last: deque[tuple[object, str]] = deque(maxlen=_MOST_LONG)

    def spell(self, method: RpcMethod, result: object) -> str:
        """Return what *method* brought, as it goes over the line."""
        for kept, told in tuple(self._last):
            if kept is result:
                return told
        told = spelled(dump(result, method.result))
        if len(told) > _LONG:
            self._last.append((result, told))
        return told


class ConnectionLimit:
    """The open connections of a server; safe from any thread.

    Whoever comes when all places are taken gets the place of the one that has asked nothing for
    longest. A stream asks nothing by nature and is spared, but streams may take half of the
    places at most: one more takes the place of the oldest.

    Args:
        places: Connections that may be open at once.
    """

    def __init__(self, places: int) -> None:
        self.places = places
        self._changing = threading.Lock()
        self._order = itertools.count()
        self._asking: dict[JsonLineConnection, int] = {}  # when each asked last, in order
        self._streaming: dict[JsonLineConnection, None] = {}  # the oldest first
        self._leaving: set[JsonLineConnection] = set()  # hung up on, but not yet gone
        self._closed = False

    def admit(self, connection: JsonLineConnection) -> bool:
        """Give *connection* a place, another one's if need be; return False if there is none."""
        with self._changing:
            if self._closed or len(self._leaving) >= max(self.places, _LEAVING):
                return False
            if len(self._asking) + len(self._streaming) >= self.places:
                if not self._asking:
                    return False
                self._drop(min(self._asking, key=self._asking.__getitem__))
            self._asking[connection] = next(self._order)
        return True

    def touch(self, connection: JsonLineConnection) -> None:
        """Note that *connection* has just asked something."""
        with self._changing:
            if connection in self._asking:
                self._asking[connection] = next(self._order)

    def stream(self, connection: JsonLineConnection) -> None:
        """Note that *connection* asks nothing from now on, and only listens."""
        with self._changing:
            if self._asking.pop(connection, None) is None:
                return  # somebody else has its place by now
            if len(self._streaming) >= max(1, self.places // 2):
                self._drop(next(iter(self._streaming)))
            self._streaming[connection] = None

    def release(self, connection: JsonLineConnection) -> None:
        """Take note that *connection* has gone."""
        with self._changing:
            self._asking.pop(connection, None)
            self._streaming.pop(connection, None)
            self._leaving.discard(connection)

    def close(self) -> None:
        """Admit nobody any more, and hang up on everybody."""
        with self._changing:
            self._closed = True
            for connection in (*self._asking, *self._streaming):
                connection.hang_up()

    def _drop(self, connection: JsonLineConnection) -> None:
        self._asking.pop(connection, None)
        self._streaming.pop(connection, None)
        self._leaving.add(connection)
        connection.hang_up()


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
        if isinstance(error, SocketTaken):
            raise
        raise SocketTaken(
            f"No socket can stand at {path} ({error}). Give it another path in the settings."
        ) from error
    return listener


def _clear(path: Path) -> None:
    """Remove a socket that a killed table has left; leave a live one and anything else alone."""
    if not path.exists():
        return
    if not path.is_socket():
        raise SocketTaken(f"{path} is no socket. Move it away, or give the table another path.")
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            path.unlink()
            return
    raise SocketTaken(f"Another table already listens at {path}. Stop that one first.")
