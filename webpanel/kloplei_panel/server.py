"""The panel's own web server: waitress, a thread for each live stream, and an orderly end."""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Self

import waitress.server
import waitress.wasyncore
from flask import Flask, json
from waitress.task import ErrorTask

from kloplei.systemd import wait_for_signal
from kloplei_panel.connections import Connections, CountingChannel
from kloplei_panel.listening import listen_on
from kloplei_panel.panel import Panel
from kloplei_panel.settings import CLIENTS

_log = logging.getLogger(__name__)
_SPARE_THREADS = 8  # for requests, while every stream holds a thread
_SPARE_CONNECTIONS = 100  # browsers keep idle ones open
_UNREAD_BYTES = 1 << 16  # for a phone that does not read; then its stream waits, and skips
_IDLE_S = 20  # a connection that asks nothing; longer than the streams' sign of life
_BREATH_S = 1.0
_PATIENCE_S = 2.5


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


class _Channel(CountingChannel):
    error_task_class = _OwnWordsTask


class Server:
    """Serves *app* from a thread of its own until it is closed.

    Args:
        app: What `create_app` built.
        host: Address to listen on; ``::`` for every phone of every network.
        port: 0 takes a free one, see `port`.
        clients: Phones that may follow at once.
        also: Addresses of the hotspot, to listen on at port 80 besides.

    Raises:
        CannotListen: Port taken, not allowed, or no such address.
    """

    def __init__(
        self, app: Flask, host: str, port: int, *, clients: int = CLIENTS, also: Sequence[str] = ()
    ) -> None:
        panel: Panel = app.extensions["kloplei"]
        self._feed = panel.feed
        self._feed.most = clients
        self._sockets: dict[int, object] = {}
        self._listener = _listen(app, host, port, clients, also, self._sockets)
        self._connections = Connections(self._sockets, _most_connections(clients), _IDLE_S)
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
            self._connections.look(time.monotonic())
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
    also: Sequence[str] = (),
    on_ready: Callable[[], None] | None = None,
) -> None:
    """Serve *app* until SIGTERM or Ctrl-C; call from the main thread.

    Args:
        app: What `create_app` built.
        host: Address to listen on.
        port: And the port.
        clients: Phones that may follow at once.
        also: Addresses of the hotspot, to listen on at port 80 besides.
        on_ready: Called once phones can come.

    Raises:
        CannotListen: Port taken, not allowed, or no such address.
    """
    with wait_for_signal() as wait, Server(app, host, port, clients=clients, also=also):
        if on_ready is not None:
            on_ready()
        wait()


def _most_connections(clients: int) -> int:
    """Return how many connections may be open before the idlest has to go."""
    return 3 * clients + _SPARE_CONNECTIONS


def _listen(
    app: Flask,
    host: str,
    port: int,
    clients: int,
    also: Sequence[str],
    sockets: dict[int, object],
) -> "waitress.server.BaseWSGIServer":
    # It warns of each request that waits for a thread, even of the first one, which comes before
    # the threads have begun: no news to a pub, and a way for anybody to fill its log.
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)
    waitress.server.create_server(
        app,
        map=sockets,
        sockets=listen_on(host, port, also),
        threads=clients + _SPARE_THREADS,
        connection_limit=_most_connections(clients) + _SPARE_CONNECTIONS,
        channel_timeout=_IDLE_S,
        cleanup_interval=_IDLE_S // 4,
        outbuf_high_watermark=_UNREAD_BYTES,
        channel_request_lookahead=1,  # listens while it streams, so it hears a phone hang up
        max_request_body_size=1 << 17,  # Flask takes 16 KiB, and says so in the reader's words
        max_request_header_size=1 << 14,
        ident="",
        clear_untrusted_proxy_headers=True,  # there is no proxy; waitress 2 asks to be told
        asyncore_use_poll=True,
    )
    listeners = [one for one in sockets.values() if isinstance(one, waitress.server.TcpWSGIServer)]
    for listener in listeners:
        listener.channel_class = _Channel
    # All share the threads, and one way to be woken is enough.
    return listeners[0]
