"""One JSON object a line over a socket, in either direction; nobody waits for ever."""

import contextlib
import json
import select
import socket
from typing import Any, Self

Json = dict[str, Any]
_CHUNK_BYTES = 65_536


class Garbled(ValueError):
    """What came in is not one JSON object on a line of bearable length."""


class Talk:
    """One end of a conversation; for one reader and one writer at a time.

    Args:
        connection: A connected stream socket; it belongs to the talk from now on.
        patience_s: How long the other end may let a line of ours wait before it is given up.
        most_bytes: Length of the longest line that is taken in.
    """

    def __init__(
        self, connection: socket.socket, *, patience_s: float, most_bytes: int | None = None
    ) -> None:
        connection.settimeout(patience_s)
        self._connection = connection
        self._most_bytes = most_bytes
        self._read = bytearray()
        self._readable = select.poll()
        self._readable.register(connection, select.POLLIN)

    def say(self, message: Json) -> None:
        """Send *message*.

        Raises:
            OSError: The other end has gone, or does not read (`TimeoutError`).
        """
        self._connection.sendall(json.dumps(message, separators=(",", ":")).encode() + b"\n")

    def hear(self, within_s: float | None = None) -> Json | None:
        """Return the next message, or None when the other end has hung up.

        Args:
            within_s: How long to wait for it; None waits as long as it takes.

        Raises:
            Garbled: Something else than a message came in.
            OSError: The line is broken, or nothing came in time (`TimeoutError`).
        """
        while b"\n" not in self._read:
            if self._most_bytes is not None and len(self._read) > self._most_bytes:
                raise Garbled(f"a line of more than {self._most_bytes} bytes")
            if not self._readable.poll(None if within_s is None else within_s * 1000):
                raise TimeoutError("nothing was said in time")
            if not self._take_in():
                return None
        line, _, self._read = self._read.partition(b"\n")
        return _message(line)

    @property
    def has_more(self) -> bool:
        """Whether another message has come in already."""
        if self._readable.poll(0):
            with contextlib.suppress(OSError):  # `hear` will meet it as well
                self._take_in()
        return b"\n" in self._read

    @property
    def is_quiet(self) -> bool:
        """Whether nothing has come in unasked, which a hang-up is as well."""
        return not self._read and not self._readable.poll(0)

    def hang_up(self) -> None:
        """End the talk for both, from any thread; who hears or says then stops."""
        with contextlib.suppress(OSError):  # the other end was quicker
            self._connection.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Give the socket back."""
        self._connection.close()

    def _take_in(self) -> bool:
        """Read what is there; return False when the other end has hung up."""
        chunk = self._connection.recv(_CHUNK_BYTES)
        self._read += chunk
        return bool(chunk)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _message(line: bytearray) -> Json:
    try:
        message = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise Garbled("no JSON") from error
    if not isinstance(message, dict):
        raise Garbled("no JSON object")
    return message
