"""Phones without people: so many connections that follow one server, watched by one thread.

Each hears the event of a change; who shows the page follows with `?page=slate`, as phones do, and
is done when the drawn page has come. What is measured is the last of them.
"""

import itertools
import json
import resource
import selectors
import socket
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

from benchmarks.race.row import Missing

HERE = "127.0.0.1"
PATIENCE_S = 30.0
_QUIET_S = 0.15  # nothing comes any more: the change before has been told to all
_AT_ONCE = 20  # come in at the door
_MOST_BYTES = 1 << 17
_SEATED = 4  # of those who show the page; all others look on
_A_BREATH = 200  # bytes of a chunk that says nothing but that somebody is there


@dataclass
class _Phone:
    stream: socket.socket
    shows_page: bool
    told: bytearray = field(default_factory=bytearray)

    @property
    def is_done(self) -> bool:
        """Whether it has heard what changed, as far as it asked for that."""
        if self.shows_page:
            return _has_whole_chunk(self.told)
        at = self.told.find(b"\ndata: ")
        return at >= 0 and self.told.find(b"\n\n", at) >= 0


class Crowd:
    """So many *phones* at the server on *port*; a context.

    Args:
        port: Where it listens.
        phones: How many follow.
        stream: The address of its events.
        asks: Requests that change something, one after the other and round again.
        with_pages: Whether each is sent the page as it is drawn, at each change.
    """

    def __init__(
        self,
        port: int,
        phones: int,
        stream: str,
        asks: Sequence[bytes],
        *,
        with_pages: bool = False,
    ) -> None:
        allow_files(phones)
        self._port = port
        self._asks = itertools.cycle(asks)
        self._selector = selectors.DefaultSelector()
        self._answer = bytearray()
        self._asker = self._new_asker()
        self._phones: list[_Phone] = []
        for number in range(phones):
            address = f"{stream}?page=slate{_seat(number)}" if with_pages else stream
            self._phones.append(self._came(address, with_pages=with_pages))
            if (number + 1) % _AT_ONCE == 0:
                self._wait_for_heads()
        self._wait_for_heads()
        if any(not phone.told.startswith(b"HTTP/1.1 200") for phone in self._phones):
            raise Missing(f"fewer than {phones} phones may follow")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.hang_up()
        self._asker.close()
        self._selector.close()

    def change(self) -> float:
        """Ask for a change; return after how many milliseconds the last phone had it."""
        self._wait_for_quiet()
        begun_s = time.perf_counter()
        self._asker.sendall(next(self._asks))
        waiting = {id(phone): phone for phone in self._phones}
        while waiting:
            for phone in self._read():
                if phone.is_done:
                    waiting.pop(id(phone), None)
        return 1e3 * (time.perf_counter() - begun_s)

    def ask(self) -> float:
        """Ask for a change; return after how many milliseconds it was answered."""
        self._wait_for_quiet()
        begun_s = time.perf_counter()
        self._asker.sendall(next(self._asks))
        while not _is_whole(self._answer):
            self._read()
        return 1e3 * (time.perf_counter() - begun_s)

    def hang_up(self) -> None:
        """Let all phones go, without a word."""
        for phone in self._phones:
            self._selector.unregister(phone.stream)
            phone.stream.close()
        self._phones.clear()

    def _came(self, stream: str, *, with_pages: bool) -> _Phone:
        phone = _Phone(self._connected(), with_pages)
        phone.stream.sendall(_get(stream, is_packed=with_pages))
        self._selector.register(phone.stream, selectors.EVENT_READ, (phone, phone.told))
        return phone

    def _wait_for_heads(self) -> None:
        while not all(phone.told for phone in self._phones):
            self._read()

    def _new_asker(self) -> socket.socket:
        """Return a new connection to ask on: a server may hang up on one that waited for long."""
        asker = self._connected()
        self._selector.register(asker, selectors.EVENT_READ, (None, self._answer))
        return asker

    def _wait_for_quiet(self) -> None:
        self._selector.unregister(self._asker)
        self._asker.close()
        while self._selector.select(_QUIET_S):
            self._read()
        self._asker = self._new_asker()
        if self._answer and not self._answer.startswith(b"HTTP/1.1 202"):
            raise Missing(f"the server refuses: {bytes(self._answer[-200:])!r}")
        self._answer.clear()
        for phone in self._phones:
            phone.told.clear()

    def _read(self) -> list[_Phone]:
        """Read what has come; return the phones to which it came."""
        ready = self._selector.select(PATIENCE_S)
        if not ready:
            raise Missing(f"nothing came within {PATIENCE_S:g} seconds")
        phones: list[_Phone] = []
        for key, _ in ready:
            phone, heard = key.data
            came = key.fileobj.recv(_MOST_BYTES)  # type: ignore[union-attr]
            if not came:
                raise Missing("the server hung up")
            heard += came
            if phone is not None:
                phones.append(phone)
        return phones

    def _connected(self) -> socket.socket:
        one = socket.create_connection((HERE, self._port), PATIENCE_S)
        one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return one


def post(path: str, body: Mapping[str, object]) -> bytes:
    """Return the request that posts *body* as JSON."""
    text = json.dumps(body).encode()
    head = f"POST {path} HTTP/1.1\r\nHost: {HERE}\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(text)}\r\n\r\n".encode() + text


def _get(path: str, *, is_packed: bool) -> bytes:
    head = f"GET {path} HTTP/1.1\r\nHost: {HERE}\r\nAccept-Language: nl\r\n"
    return f"{head}{'Accept-Encoding: gzip' if is_packed else 'Accept: */*'}\r\n\r\n".encode()


def _seat(number: int) -> str:
    return f"&seat={number + 1}" if number < _SEATED else ""


def _has_whole_chunk(told: bytearray) -> bool:
    """Return whether a chunk has come that says more than that somebody is there."""
    at = 0
    while (end := told.find(b"\r\n", at)) >= 0:
        size = int(told[at:end], 16)
        at = end + 2 + size + 2
        if size > _A_BREATH:
            return len(told) >= at
    return False


def _is_whole(answer: bytearray) -> bool:
    head, blank, body = answer.partition(b"\r\n\r\n")
    if not blank:
        return False
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            return len(body) >= int(value)
    return body.endswith(b"0\r\n\r\n") or head.split()[1:2] == [b"304"]


def allow_files(more: int) -> None:
    """Let this process hold so many connections, and those it starts as many."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 4 * more + 256
    if hard != resource.RLIM_INFINITY and wanted > hard:
        raise Missing(f"no more than {hard} files may be open here")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))
