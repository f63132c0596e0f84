"""The table seen through its Unix socket: the same `TableClient`, in another process.

`kloplei.table.rpc` tells what goes over the line. A client connects when it is first asked
something, and again by itself after the table was away.
"""

import contextlib
import itertools
import json
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Protocol, cast

from kloplei.table.client import TableClient, TableUnavailable
from kloplei.table.people_client import LONG_S, TAKE_LONG
from kloplei.table.rpc import (
    PARTS,
    JsonLineConnection,
    MalformedMessage,
    RpcMethod,
    message_on,
    raise_failure,
    rpc_methods,
)
from kloplei.table.schema import Json, load
from kloplei.words import Sentence

_AGAIN_S = 0.01
# Who waits for the line looks so often whether the table has been found silent.
_LOOK_AGAIN_S = 0.1
# What changes nothing, and is asked for every page.
_LOOKS = frozenset({"table.scoreboard", "table.log", "table.frame", "door.look"})
# Parts that take their time for nothing; ears and doctor may.
_TAKE_LONG = frozenset(f"people.{name}" for name in TAKE_LONG)
_AT_ONCE = frozenset({"table", "door"})
# Everybody's numbers over years: asked again and again, and the same until a hand has ended.
_LONG, _MOST_LONG = 100_000, 2
# Nothing was said in time, or so many wait already that nobody may come.
_SILENCE = (TimeoutError, BlockingIOError)


class RemoteTable(TableClient, Protocol):
    """A `TableClient` in another process."""

    def close(self) -> None:
        """Hang up, on followers too; asking again connects again."""
        ...


def remote_table(
    path: Path, *, patience_s: float = 10.0, look_s: float | None = None
) -> RemoteTable:
    """Return the table that listens at the socket *path*; safe from any thread.

    Args:
        path: Where `kloplei.table.rpc_server.RpcServer` listens.
        patience_s: How long an answer may take before the table counts as silent.
        look_s: How long an answer may take to what changes nothing and every page asks; then all
            are told at once for a while that the table is silent. None waits as for the rest.
    """
    breaker = Breaker()
    # A line for each part: what the ears or the doctor take their time for holds up nobody.
    clients = {part: RpcClient(path, patience_s, breaker=breaker) for part in PARTS}
    # And one to look at the table, while a slow disk takes what it was told.
    looking = RpcClient(path, look_s or patience_s, breaker=breaker)

    def close() -> None:
        for client in (*clients.values(), looking):
            client.close()

    whole = {part: remote(part, client, looking) for part, client in clients.items()}
    # The table itself is one of `PARTS`, and holds the others by their names.
    table = whole.pop("table")
    vars(table).update(whole, close=close)
    return cast("RemoteTable", table)


def remote(part: str, client: "RpcClient", looking: "RpcClient | None" = None) -> object:
    """Return *part* of the table that *client* reaches: what `kloplei.table.rpc.PARTS` says.

    *looking* reaches it as well, for what changes nothing and every page asks.
    """
    lines = dict.fromkeys(_LOOKS, looking or client)
    return SimpleNamespace(
        **{
            method.attribute: _asking(method, lines.get(method.name, client))
            for method in rpc_methods(part)
        }
    )


class Breaker:
    """Tells who asks that the table is silent, for some seconds after it was; safe from any thread.

    Else each page of each phone would wait for a table that hangs, until no thread is left. Then
    one may try again, and the others hear of it.

    Args:
        rest_s: Nobody tries for so long.
        now: Monotonic clock, in seconds.
    """

    def __init__(self, rest_s: float = 2.0, now: Callable[[], float] = time.monotonic) -> None:
        self._rest_s = rest_s
        self._now = now
        self._changing = threading.Lock()
        self._silent_s: float | None = None

    def demand(self) -> None:
        """Let pass who may ask now.

        Raises:
            TableUnavailable: The table was silent a moment ago.
        """
        with self._changing:
            if self._silent_s is None:
                return
            if self._now() < self._silent_s + self._rest_s:
                raise TableUnavailable(Sentence("table-silent"))
            # This one tries; the others wait for what comes of it.
            self._silent_s = self._now()

    @property
    def is_resting(self) -> bool:
        """Whether the table was silent a moment ago."""
        with self._changing:
            return self._silent_s is not None and self._now() < self._silent_s + self._rest_s

    def was_silent(self) -> None:
        """Take note that the table did not answer in time."""
        with self._changing:
            self._silent_s = self._now()

    def has_answered(self) -> None:
        """Take note that it did."""
        with self._changing:
            self._silent_s = None


def _asking(method: RpcMethod, client: "RpcClient") -> Callable[..., Any]:
    ask = client.stream if method.is_stream else client.ask
    return lambda *args, **kwargs: ask(method, method.params(*args, **kwargs))


class RpcClient:
    """Asks whoever listens at the socket *path*; safe from any thread, one question at a time.

    Args:
        path: Where `kloplei.table.rpc_server.RpcServer` listens.
        patience_s: How long an answer may take before the table counts as silent.
        silence_s: Most seconds between two messages of a stream, keep-alives among them; after
            more it counts as dead.
        breaker: Shared by all who ask the same table.
    """

    def __init__(
        self,
        path: Path,
        patience_s: float,
        silence_s: float = 30.0,
        breaker: Breaker | None = None,
    ) -> None:
        self._breaker = breaker or Breaker(rest_s=0.0)
        self._path = path
        self._patience_s = patience_s
        self._silence_s = silence_s
        self._numbers = itertools.count(1)
        self._asking = threading.Lock()
        self._connection: JsonLineConnection | None = None
        self._changing = threading.Lock()
        self._streaming: set[JsonLineConnection] = set()
        self._long: deque[tuple[str, bytes, object]] = deque(maxlen=_MOST_LONG)

    def ask(self, method: RpcMethod, params: Json) -> object:
        """Return the answer to *method* with *params*.

        Raises:
            IllegalAction: Refused.
            BadRequest: Nobody understood it.
            JournalWriteError: The table could not write it down.
            TableUnavailable: No answer, or the table could not do it.
        """
        request = {"id": next(self._numbers), "method": method.name, "params": params}
        self._take_line()
        try:
            # Asked here: while one waited for the line, another may have heard nothing.
            self._breaker.demand()
            answer = self._exchange(request)
        except TableUnavailable as error:
            if method.part in _AT_ONCE and isinstance(error.__cause__, _SILENCE):
                self._breaker.was_silent()
            raise
        finally:
            self._asking.release()
        self._breaker.has_answered()
        return self._result(method, answer)

    def stream(self, method: RpcMethod, params: Json) -> Iterator[object]:
        """Yield what comes of *method* with *params*, the newest only if the reader is slow.

        A table that closes ends it; one that dies or falls silent ends it with `TableUnavailable`.
        """
        with contextlib.closing(self._connect()) as connection, self._known(connection):
            with contextlib.suppress(OSError):  # what is wrong is received below
                connection.send({"id": 1, "method": method.name, "params": params})
            over = False
            while not over:
                newest, over = self._newest(connection)
                if newest is not None:
                    yield self._result(method, newest)

    def close(self) -> None:
        """Hang up, on streams too; asking again connects again."""
        with self._asking:
            self._forget_connection()
        with self._changing:
            for connection in self._streaming:
                connection.hang_up()

    def _take_line(self) -> None:
        """Wait until nobody else asks on it, or the table is found silent."""
        until_s = time.monotonic() + self._patience_s
        while not self._asking.acquire(timeout=_LOOK_AGAIN_S):
            if self._breaker.is_resting or time.monotonic() >= until_s:
                raise TableUnavailable(Sentence("table-silent"))

    def _exchange(self, request: Json) -> Json | bytes:
        """Return the answer to *request*; of a long one what it brings, as it came."""
        if self._connection is not None and not self._connection.is_quiet:
            self._forget_connection()  # the table hung up, and is perhaps back by now
        connection = self._connection = self._connection or self._connect()
        try:
            with contextlib.suppress(BrokenPipeError):  # perhaps it said why before it hung up
                connection.send(request)
            takes_long = request["method"] in _TAKE_LONG
            line = connection.receive_line(LONG_S if takes_long else self._patience_s)
            begins = b'{"id":%d,"result":' % request["id"]
            if line is not None and len(line) > _LONG and line.startswith(begins):
                return line[len(begins) : -1]
            answer = None if line is None else message_on(line)
        except (OSError, MalformedMessage) as error:
            self._forget_connection()
            raise TableUnavailable(Sentence("table-unreached", error=str(error))) from error
        if answer is None or answer.get("id") != request["id"]:
            self._forget_connection()
            if answer is None or "error" not in answer:
                raise TableUnavailable(Sentence("no-answer"))
            why = answer["error"]
            raise TableUnavailable(
                f"No answer from the table. {why} Look at the slate, then ask again."
            )
        return answer

    def _forget_connection(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _result(self, method: RpcMethod, answer: Json | bytes) -> object:
        if not isinstance(answer, bytes):
            raise_failure(answer)
        try:
            if isinstance(answer, bytes):
                return self._long_result(method, answer)
            return load(method.result, answer["result"])
        except (KeyError, ValueError) as error:
            raise TableUnavailable(Sentence("table-other-version", path=str(self._path))) from error

    def _long_result(self, method: RpcMethod, told: bytes) -> object:
        """Return what is *told*: the very same object for the very same answer."""
        for name, line, result in tuple(self._long):
            if name == method.name and line == told:
                return result
        result = load(method.result, json.loads(told))
        self._long.append((method.name, told, result))
        return result

    @contextlib.contextmanager
    def _known(self, connection: JsonLineConnection) -> Iterator[None]:
        """Let `close` hang up on *connection* as long as somebody follows on it."""
        with self._changing:
            self._streaming.add(connection)
        try:
            yield
        finally:
            with self._changing:
                self._streaming.discard(connection)

    def _newest(self, connection: JsonLineConnection) -> tuple[Json | None, bool]:
        """Wait for news; return the newest that came, if any, and whether it was the last.

        A sign of life is no news beside something that is.
        """
        newest = None
        while True:
            message = self._receive(connection)
            if message.get("end"):
                return newest, True
            if newest is None or message.get("result") is not None:
                newest = message
            if not connection.has_more:
                return newest, False

    def _receive(self, connection: JsonLineConnection) -> Json:
        try:
            message = connection.receive(self._silence_s)
        except (OSError, MalformedMessage) as error:
            raise TableUnavailable(Sentence("table-fell-silent", error=str(error))) from error
        if message is None:
            raise TableUnavailable(Sentence("table-gone"))
        if "error" in message:
            raise TableUnavailable(message["error"])
        return message

    def _connect(self) -> JsonLineConnection:
        """Return a new line to the table.

        Raises:
            TableUnavailable: Nobody listens, or not to this user.
        """
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(self._patience_s)
        try:
            _connect_to(connection, self._path, self._patience_s)
        except PermissionError as error:
            connection.close()
            raise TableUnavailable(Sentence("table-forbidden", path=str(self._path))) from error
        except OSError as error:
            connection.close()
            raise TableUnavailable(Sentence("no-table", path=str(self._path))) from error
        return JsonLineConnection(connection, patience_s=self._patience_s)


def _connect_to(connection: socket.socket, path: Path, patience_s: float) -> None:
    """Connect, and wait for it where many want to at once: the kernel says no at once."""
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
