"""The panel's own web server: waitress for requests, a broadcaster for streams, an orderly end.

A request for a stream is answered like any other; then its socket leaves waitress for the
`Broadcaster`.

It listens in every network the box is in, or on one address alone, and looks itself who may keep
a connection: not who asks nothing, nor who never ends a question. waitress asks the wall clock, and
takes each byte for a sign of life; but a Pi's clock may jump by years, and some hundred phones that
ask byte by byte would leave no place for anybody else.
"""

import errno
import logging
import re
import socket
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import field
from typing import Any, Self

import waitress.server
import waitress.wasyncore
from flask import Flask, json
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser
from waitress.task import ErrorTask, ThreadedTaskDispatcher, WSGITask
from werkzeug.datastructures import LanguageAccept
from werkzeug.http import parse_accept_header

from kloplei.files import KlopleiError, reason_of
from kloplei.frozen import dataclass
from kloplei.words.catalogue import LANGUAGES
from kloplei_panel.broadcast import (
    UNREAD_BYTES,
    VANISHED_S,
    Broadcaster,
    LiveStream,
    StreamConnection,
    UnreadTimer,
    unread_in,
)
from kloplei_panel.context import CLIENTS, CONNECTION, Panel
from kloplei_panel.reader import own_words

LOOK_S = 0.25
"""Least time between two looks while there is room."""
logger = logging.getLogger(__name__)
_ALL_4, _ALL_6 = "0.0.0.0", "::"  # noqa: S104 - the phones of every network
# linux/in.h; Python does not name it.
_IP_FREEBIND = 15
# Where phones ask whether there is an internet.
WEB = 80
# For requests; some of them may wait for the table, or for a phone that reads slowly.
_THREADS = 16
# So many more for what pages of the game must not wait for, or wait with: files, pictures that
# take a second each on the smallest Pi, sounds, and what is read out of years of evenings.
_APART = (
    (re.compile("/static/"), 2),
    (re.compile("/api/v1/calls/.*[.]wav"), 2),
    (re.compile("/evenings/.*/recap.png"), 1),
    (re.compile("(/api/v1)?/(evenings|people|statistics)"), 2),
)
# Browsers keep idle ones open.
_SPARE_CONNECTIONS = 100
# A connection that asks nothing; longer than the streams' sign of life.
_IDLE_S = 20
_LOOP_S = 1.0
# Who reads at an answer for so long may have to go for others.
_SLOW_S = 1.0
_PATIENCE_S = 2.5


class CannotListen(KlopleiError, OSError):
    """The address or the port cannot be had; the message says what to do."""


class Server:
    """Serves *app* from a thread of its own until it is closed.

    Args:
        app: What `create_app` built.
        host: Address to listen on; ``::`` for every phone of every network.
        port: 0 takes a free one, see `port`.
        clients: Phones that may follow at once.
        also: Addresses of the hotspot, to listen on at port 80 besides.
        on_loop: Called whenever the server has come round, for a watchdog.

    Raises:
        CannotListen: Port taken, not allowed, or no such address.
    """

    def __init__(
        self,
        app: Flask,
        host: str,
        port: int,
        *,
        clients: int = CLIENTS,
        also: Sequence[str] = (),
        on_loop: Callable[[], None] = lambda: None,
    ) -> None:
        self._on_loop = on_loop
        panel: Panel = app.extensions["kloplei"]
        self._feed = panel.feed
        self._feed.most = clients
        self._sockets: dict[int, object] = {}
        bound = _listen_on(host, port, also)
        self._broadcaster = Broadcaster(self._feed, panel.settings.keepalive_s)
        self._listener = _listen(
            _leaving_streams_out(app), bound, clients, self._sockets, self._broadcaster
        )
        self._connections = Connections(self._sockets, _most_connections(clients), _IDLE_S)
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="panel", daemon=True)

    @property
    def port(self) -> int:
        """The port it really listens on."""
        return int(self._listener.effective_port)

    def start(self) -> None:
        """Begin to serve, and return."""
        self._broadcaster.start()
        self._thread.start()

    def close(self) -> None:
        """Stop serving; streams end, and running answers get some seconds to finish."""
        self._feed.close()
        self._stopping.set()
        if self._thread.is_alive():
            # It may have come round by itself just now.
            with suppress(OSError):
                self._listener.pull_trigger()
            self._thread.join(2 * _PATIENCE_S)
        else:
            self._let_go()
        self._broadcaster.close()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run(self) -> None:
        while not self._stopping.is_set():
            waitress.wasyncore.loop(timeout=_LOOP_S, use_poll=True, map=self._sockets, count=1)
            self._connections.look(time.monotonic())
            if self._broadcaster.is_alive:
                self._on_loop()
        self._let_go()

    def _let_go(self) -> None:
        # Threads first: one that has just ended a stream still wants to wake the sockets.
        self._listener.task_dispatcher.shutdown(timeout=_PATIENCE_S)
        waitress.wasyncore.close_all(self._sockets)


class _Parser(HTTPRequestParser):  # type: ignore[misc]  # waitress publishes no types
    """A request of which waitress may speak in the log, also where it could not read it."""

    path = "?"


class CountingChannel(HTTPChannel):  # type: ignore[misc]  # waitress publishes no types
    """A connection that knows how many of its requests were taken up.

    A phone that has asked, and says that it will ask no more (``shutdown``), gets its answer; one
    that *follows* says so when it goes. Once the answer has begun the broadcaster carries it on.
    """

    parser_class = _Parser
    broadcaster: Broadcaster
    served = 0
    has_asked_all = False
    follows = False
    on_gone: Callable[[], None] | None = None
    stream: LiveStream | None = None
    is_chunked = False
    # Only the broadcaster knows.
    is_stuck = False
    _is_answered = False
    _has_left = False

    @property
    def close_when_flushed(self) -> bool:
        """Whether to close it once all is written; waitress says so when nothing may follow."""
        return self._is_answered and self.stream is None

    @close_when_flushed.setter
    def close_when_flushed(self, is_answered: bool) -> None:
        # A worker thread says so at any time, and the loop must not close a stream for it.
        self._is_answered = is_answered

    @property
    def leaves(self) -> bool:
        """Whether its stream has begun, which the broadcaster carries on."""
        return self._is_answered and self.stream is not None

    def readable(self) -> bool:
        """Whether more may come from the phone."""
        return not self.has_asked_all and self.stream is None and bool(super().readable())

    def writable(self) -> bool:
        """Whether there is something to write, or it is to go."""
        return self.leaves or bool(super().writable())

    def handle_write(self) -> None:
        """Write, or hand a stream over whose request is answered."""
        if self.stream is None or not self.leaves or self.will_close:
            super().handle_write()
        elif self.requests:
            # Who asks on behind a stream would be answered in the middle of it.
            self.handle_close()
        else:
            self._leave(self.stream)

    def handle_read(self) -> None:
        """Read, or take note that nothing comes any more while an answer is on its way."""
        if self.requests and not self.follows and self._is_at_end():
            self.has_asked_all = True
        else:
            super().handle_read()

    def received(self, data: bytes) -> bool:
        """Take up *data*; hang up without a word on an address that waitress cannot take apart.

        Such as ``GET http://[``: it lets the error out, and would write it down each time.
        """
        try:
            return bool(super().received(data))
        except ValueError:
            self.handle_close()
            return False

    def service(self) -> None:
        """Answer what was asked."""
        self.served += 1
        super().service()
        if self.has_asked_all and not self.requests:
            self.close_when_flushed = True
            self.server.pull_trigger()

    def _flush_outbufs_below_high_watermark(self) -> None:
        """Wait until the phone has read, unless it asks on and on: no browser does, unread.

        Two that did held both threads of the files for as long as they liked.
        """
        is_full = self.total_outbufs_len > self.adj.outbuf_high_watermark
        if is_full and len(self.requests) > 1:
            self.hang_up()
        else:
            super()._flush_outbufs_below_high_watermark()

    def follow(self, on_gone: Callable[[], None]) -> None:
        """Take note that the phone only listens from now on; call *on_gone* when it has gone."""
        self.follows, self.on_gone = True, on_gone
        if not self.connected:
            on_gone()

    def hang_up(self) -> None:
        """End it, from any thread."""
        self.will_close = True
        # waitress closes what can be written to, which a phone that reads nothing never is.
        with suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)
        self.server.pull_trigger()

    def handle_close(self) -> None:
        """Let go of the phone; nobody waits for it any more."""
        if self._has_left:
            # One look of the loop told that there is room to write and that the phone hung up:
            # its socket is the broadcaster's by now, which hears of it as well.
            return
        super().handle_close()
        if self.on_gone is not None:
            self.on_gone()

    @property
    def unread_bytes(self) -> int:
        """How much of its answers has not reached the phone, as far as the kernel knows."""
        return int(self.total_outbufs_len) + unread_in(self.socket)

    @property
    def asks_for(self) -> str:
        """The path of what it waits for."""
        return str(self.requests[0].path) if self.requests else ""

    def _leave(self, stream: LiveStream) -> None:
        with self.outbuf_lock:
            unsent = b"".join(one.get(len(one)) for one in self.outbufs)
        self.del_channel()
        self._has_left = True
        connection = self.socket
        with suppress(OSError):
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, UNREAD_BYTES)
        self.broadcaster.add(
            StreamConnection(
                connection,
                stream,
                unsent,
                is_chunked=self.is_chunked,
                has_asked_all=self.has_asked_all,
            )
        )

    def _is_at_end(self) -> bool:
        with suppress(OSError):  # what is wrong is met when it is read
            return not self.socket.recv(1, socket.MSG_PEEK)
        return False

    @property
    def is_busy(self) -> bool:
        """Whether it waits for an answer, reads one, or follows the table, and may ask again."""
        return not self.has_asked_all and bool(self.requests or self.total_outbufs_len)


@dataclass(slots=True)
class _Known:
    served: int
    idle_since_s: float
    unread: UnreadTimer = field(default_factory=UnreadTimer)
    reading_since_s: float = float("inf")  # has not had all that waits for it


class Connections:
    """Hangs up on connections that are idle for too long, and on the idlest when all are taken.

    After the idlest go those that have read at an answer for longest.

    Args:
        sockets: All that the server waits for; only `CountingChannel` are looked at.
        most: So many may be open; the idlest has to go before one more comes.
        idle_s: So long one may ask nothing, or be in the middle of asking.
    """

    def __init__(self, sockets: "dict[int, object]", most: int, idle_s: float) -> None:
        self._sockets = sockets
        self._most = most
        self._idle_s = idle_s
        self._known: dict[CountingChannel, _Known] = {}
        self._looked_s = float("-inf")

    def look(self, now_s: float) -> None:
        """Look who has to go at *now_s*, in monotonic seconds."""
        is_crowded = len(self._sockets) >= self._most
        if not is_crowded and now_s < self._looked_s + LOOK_S:
            return
        self._looked_s = now_s
        open_ones = [one for one in self._sockets.values() if isinstance(one, CountingChannel)]
        self._known = {one: self._since(one, now_s) for one in open_ones}
        idle = sorted(
            (one for one in open_ones if not one.is_busy),
            key=lambda one: self._known[one].idle_since_s,
        )
        too_many = max(0, len(self._sockets) - self._most + 1)
        for at, one in enumerate([*idle, *self._slowest(open_ones, now_s)]):
            is_idle = not one.is_busy and now_s - self._known[one].idle_since_s >= self._idle_s
            if at < too_many or is_idle:
                one.hang_up()

    def _slowest(self, open_ones: list[CountingChannel], now_s: float) -> list[CountingChannel]:
        """Look how all read; return who has read at an answer for long, the slowest first."""
        for one in open_ones:
            self._look_at_reader(one, self._known[one], now_s)
        slow = (one for one in open_ones if one.is_busy)
        since = sorted((self._known[one].reading_since_s, id(one), one) for one in slow)
        return [one for since_s, _, one in since if now_s - since_s >= _SLOW_S]

    def _look_at_reader(self, one: CountingChannel, known: _Known, now_s: float) -> None:
        """Hang up on a phone that has vanished, or reads nothing of its answer."""
        unread_s = known.unread.unread_s(one.unread_bytes, now_s)
        if known.unread.is_idle:
            known.reading_since_s = float("inf")
            return
        known.reading_since_s = min(known.reading_since_s, now_s)
        if unread_s >= VANISHED_S:
            one.hang_up()

    def _since(self, channel: CountingChannel, now_s: float) -> _Known:
        known = self._known.setdefault(channel, _Known(channel.served, now_s))
        if channel.is_busy or known.served != channel.served:
            known.served, known.idle_since_s = channel.served, now_s
        return known


_TOO_LARGE = 413
_TAKES_AT = "/voice/keep"  # more than 16 kB may go there


class _OwnWordsTask(ErrorTask):  # type: ignore[misc]  # waitress publishes no types
    """What waitress refuses before Flask sees it, in the shape and the words of all our errors."""

    def execute(self) -> None:
        problem, headers = self.request.error, self.request.headers
        code = "too_large" if problem.code == _TOO_LARGE else "unreadable"
        spoken = parse_accept_header(headers.get("ACCEPT_LANGUAGE"), LanguageAccept)
        words = own_words(spoken.best_match(LANGUAGES) or "en")
        is_take = problem.code == _TOO_LARGE and self.request.path == _TAKES_AT
        said = words.say("voice.long" if is_take else f"error.{code}", {"detail": "HTTP"})
        is_read = "text/html" in headers.get("ACCEPT", "")  # by somebody, in a browser
        body = said.encode() if is_read else json.dumps({"error": code, "message": said}).encode()
        kind = "text/plain; charset=utf-8" if is_read else "application/json"
        self.status = f"{problem.code} {problem.reason}"
        self.response_headers.append(("Content-Type", kind))
        self.response_headers.append(("Connection", "close"))
        self.close_on_finish = True
        self.content_length = len(body)
        self.write(body)


class _Task(WSGITask):  # type: ignore[misc]  # waitress publishes no types
    """A request that knows its connection."""

    def get_environment(self) -> dict[str, object]:
        return {**super().get_environment(), CONNECTION: self.channel}

    def finish(self) -> None:
        if self.channel.stream is None:
            super().finish()
        else:
            # It goes on elsewhere; what ends in waitress is the request.
            self.channel.is_chunked = self.chunked_response


def _leaving_streams_out(app: Callable[..., Iterable[bytes]]) -> Callable[..., Iterable[bytes]]:
    """Return *app* without its streams: of each the beginning alone, its connection has the rest.

    It goes by the type of the body, as servers know `wsgi.file_wrapper` again.
    """

    def without_streams(environ: dict[str, Any], start_response: object) -> Iterable[bytes]:
        body = app(environ, start_response)
        if not isinstance(body, LiveStream):
            return body
        environ[CONNECTION].stream = body
        return iter([body.beginning])

    return without_streams


class _Dispatcher(ThreadedTaskDispatcher):  # type: ignore[misc]  # waitress publishes no types
    """Gives threads of its own to what stands `_APART`, so that neither waits for the other."""

    def __init__(self, threads: int) -> None:
        super().__init__()
        self._apart = [(which, ThreadedTaskDispatcher()) for which, _ in _APART]
        for (_, dispatcher), (_, own) in zip(self._apart, _APART, strict=True):
            dispatcher.set_thread_count(own)
        self.set_thread_count(threads)

    def add_task(self, task: CountingChannel) -> None:
        asked = task.asks_for
        for which, dispatcher in self._apart:
            if which.match(asked):
                dispatcher.add_task(task)
                return
        super().add_task(task)

    def shutdown(self, cancel_pending: bool = True, timeout: float = 5) -> bool:
        until_s = time.monotonic() + timeout
        for _, dispatcher in self._apart:
            dispatcher.shutdown(cancel_pending, max(0.0, until_s - time.monotonic()))
        return bool(super().shutdown(cancel_pending, max(0.0, until_s - time.monotonic())))


class _Channel(CountingChannel):
    task_class = _Task
    error_task_class = _OwnWordsTask


def _listen(
    app: Callable[..., Iterable[bytes]],
    bound: Sequence[socket.socket],
    clients: int,
    sockets: dict[int, object],
    broadcaster: Broadcaster,
) -> "waitress.server.BaseWSGIServer":
    # It warns of each request that waits for a thread, even of the first one, which comes before
    # the threads have begun: no news to a pub, and a way for anybody to fill its log.
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)
    waitress.server.create_server(
        app,
        map=sockets,
        sockets=bound,
        _dispatcher=_Dispatcher(_THREADS),
        connection_limit=_most_connections(clients) + _SPARE_CONNECTIONS,
        channel_timeout=_IDLE_S,
        cleanup_interval=_IDLE_S // 4,
        outbuf_high_watermark=UNREAD_BYTES,
        # Listens while it streams, so it hears a phone hang up.
        channel_request_lookahead=1,
        # Flask takes 16 KiB, or a few words that are said, and tells so in the reader's language.
        max_request_body_size=1 << 19,
        inbuf_overflow=1 << 17,  # of each phone in memory; the rest of what is said goes to a file
        max_request_header_size=1 << 14,
        ident="",
        # A phone that walks away is no news either.
        log_socket_errors=False,
        # There is no proxy; waitress 2 asks to be told.
        clear_untrusted_proxy_headers=True,
        asyncore_use_poll=True,
    )
    listeners = [one for one in sockets.values() if isinstance(one, waitress.server.TcpWSGIServer)]
    channel_class = type("Channel", (_Channel,), {"broadcaster": broadcaster})
    for listener in listeners:
        listener.channel_class = channel_class
    # All share the threads, and one way to be woken is enough.
    return listeners[0]


def _most_connections(clients: int) -> int:
    """Return how many connections may be open beside the streams before the idlest has to go."""
    return 2 * clients + _SPARE_CONNECTIONS


def _listen_on(host: str, port: int, also: Sequence[str] = ()) -> list[socket.socket]:
    """Return bound sockets for *host* and *port*, the first one for IPv4 where both are meant.

    Args:
        host: ``::`` is every network by IPv4 and by IPv6, as far as the kernel has it.
        port: 0 takes a free one.
        also: Addresses to listen on at `WEB` besides, which may not be there yet; where that
            is not allowed, the panel does without.

    Raises:
        CannotListen: Port taken, not allowed, or no such address.
    """
    bound: list[socket.socket] = []
    try:
        if host == _ALL_6:
            bound.append(_bound(_ALL_4, port))
            port = bound[0].getsockname()[1]
            bound += _by_ipv6(port)
        else:
            bound.append(_bound(host, port))
    except OSError as error:
        for one in bound:
            one.close()
        raise CannotListen(_why_not(error, host, port)) from error
    if port != WEB:
        bound += filter(None, map(_bound_ahead, also))
    return bound


def _by_ipv6(port: int) -> list[socket.socket]:
    try:
        return [_bound(_ALL_6, port)]
    except OSError as error:
        if error.errno in {errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL}:
            # A kernel without it, or one in which it is switched off.
            return []
        raise


def _bound(host: str, port: int) -> socket.socket:
    family, kind, proto, _, address = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    bound = socket.socket(family, kind, proto)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            # A phone's IPv4 address stays one, and is counted as one.
            bound.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        bound.bind(address)
    except OSError:
        bound.close()
        raise
    return bound


def _bound_ahead(address: str) -> socket.socket | None:
    """Return a socket on *address* before the box has it, as the hotspot comes and goes."""
    bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.setsockopt(socket.IPPROTO_IP, _IP_FREEBIND, 1)
        bound.bind((address, WEB))
    except OSError as error:
        bound.close()
        logger.info("Phones on the hotspot are not led to the slate: port 80: %s", error.strerror)
        return None
    return bound


def _why_not(error: OSError, host: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        another = port + 1 if port < 65535 else 8080
        return (
            f"Port {port} on {host} is taken, perhaps by another Kloplei. "
            f"Stop that one, or choose another port: --port {another}"
        )
    if error.errno in {errno.EACCES, errno.EPERM}:
        return f"Port {port} needs root, as all below 1024 do. Choose a higher one: --port 8080"
    return f"Cannot listen on {host} port {port}: {reason_of(error)}. Check the address."
