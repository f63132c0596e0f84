"""The panel's own web server: waitress, a thread for each live stream, and an orderly end."""

import errno
import logging
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Self

import waitress.server
import waitress.wasyncore
from flask import Flask, json
from waitress.channel import HTTPChannel
from waitress.task import ErrorTask

from kloplei.errors import KlopleiError
from kloplei.stop import until_told
from kloplei_panel.panel import Panel
from kloplei_panel.settings import CLIENTS

_log = logging.getLogger(__name__)
_SPARE_THREADS = 8  # for requests, while every stream holds a thread
_SPARE_CONNECTIONS = 100  # browsers keep idle ones open
_UNREAD_BYTES = 1 << 16  # for a phone that does not read; then its stream waits, and skips
_IDLE_S = 20  # a connection that asks nothing; longer than the streams' sign of life
_BREATH_S = 1.0
_PATIENCE_S = 2.5


class CannotListen(KlopleiError, OSError):
    """The address or the port cannot be had; the message says what to do."""


class _OwnWordsTask(ErrorTask):  # type: ignore[misc]  # waitress publishes no types
    """What waitress refuses before Flask sees it, in the shape of all our errors."""

    def execute(self) -> None:
        problem = self.request.error
        code = "too_large" if problem.code == 413 else "unreadable"
        body = json.dumps({"error": code, "message": f"{problem.reason}."}).encode()
        self.status = f"{problem.code} {problem.reason}"
        self.response_headers.append(("Content-Type", "application/json"))
        self.response_headers.append(("Connection", "close"))
        self.close_on_finish = True
        self.content_length = len(body)
        self.write(body)


class _Channel(HTTPChannel):  # type: ignore[misc]
    error_task_class = _OwnWordsTask


class Server:
    """Serves *app* from a thread of its own until it is closed.

    Args:
        app: What `create_app` built.
        host: Address to listen on; ``0.0.0.0`` for every phone of the network.
        port: 0 takes a free one, see `port`.
        clients: Phones that may follow at once.

    Raises:
        CannotListen: Port taken, not allowed, or no such address.
    """

    def __init__(self, app: Flask, host: str, port: int, *, clients: int = CLIENTS) -> None:
        panel: Panel = app.extensions["kloplei"]
        self._feed = panel.feed
        self._feed.most = clients
        self._sockets: dict[int, object] = {}
        self._listener = _listen(app, host, port, clients, self._sockets)
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="panel", daemon=True)

    @property
    def port(self) -> int:
        """The port it really listens on."""
        return int(self._listener.effective_port)

    def start(self) -> None:
        """Begin to serve, and return."""
        self._thread.start()

    def close(self) -> None:
        """Stop serving; streams end, and running answers get some seconds to finish."""
        self._feed.close()
        self._stopping.set()
        if self._thread.is_alive():
            with suppress(OSError):  # it may have come round by itself just now
                self._listener.pull_trigger()
            self._thread.join(2 * _PATIENCE_S)
        else:
            self._let_go()

    def wait(self) -> None:
        """Return when the server has been closed."""
        while self._thread.is_alive():
            self._thread.join(_BREATH_S)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run(self) -> None:
        while not self._stopping.is_set():
            waitress.wasyncore.loop(timeout=_BREATH_S, use_poll=True, map=self._sockets, count=1)
        self._let_go()

    def _let_go(self) -> None:
        # Threads first: one that has just ended a stream still wants to wake the sockets.
        self._listener.task_dispatcher.shutdown(timeout=_PATIENCE_S)
        waitress.wasyncore.close_all(self._sockets)


def serve(
    app: Flask,
    host: str,
    port: int,
    *,
    clients: int = CLIENTS,
    on_ready: Callable[[], None] | None = None,
) -> None:
    """Serve *app* until SIGTERM or Ctrl-C; call from the main thread.

    Args:
        app: What `create_app` built.
        host: Address to listen on.
        port: And the port.
        clients: Phones that may follow at once.
        on_ready: Called once phones can come.

    Raises:
        CannotListen: Port taken, not allowed, or no such address.
    """
    with until_told() as wait, Server(app, host, port, clients=clients):
        if on_ready is not None:
            on_ready()
        wait()


def _listen(
    app: Flask, host: str, port: int, clients: int, sockets: dict[int, object]
) -> "waitress.server.BaseWSGIServer":
    try:
        listener = waitress.server.create_server(
            app,
            map=sockets,
            sockets=[_bound(host, port)],
            threads=clients + _SPARE_THREADS,
            connection_limit=3 * clients + _SPARE_CONNECTIONS,
            channel_timeout=_IDLE_S,
            cleanup_interval=_IDLE_S // 4,
            outbuf_high_watermark=_UNREAD_BYTES,
            channel_request_lookahead=1,  # listens while it streams, so it hears a phone hang up
            max_request_body_size=1 << 20,
            ident="",
            clear_untrusted_proxy_headers=True,  # there is no proxy; waitress 2 asks to be told
            asyncore_use_poll=True,
        )
    except OSError as error:
        raise CannotListen(_why_not(error, host, port)) from error
    listener.channel_class = _Channel
    return listener


def _bound(host: str, port: int) -> socket.socket:
    family, kind, proto, _, address = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    bound = socket.socket(family, kind, proto)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)
    except OSError:
        bound.close()
        raise
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
    return f"Cannot listen on {host} port {port}: {error.strerror or error}. Check the address."
