"""What answers by http: waitress, between entering and leaving, with an orderly end.

waitress by itself closes its sockets under the loop that waits for them, and the loop dies with an
error. Here the loop stops first, then the threads that answer, and the sockets last.
"""

import threading
from contextlib import suppress
from typing import Any, Self

import waitress.server
import waitress.wasyncore
from flask import Flask

from kloplei_hub.settings import ListenConfig
from kloplei_panel.server import CannotListen

_LOOK_S = 0.25
_PATIENCE_S = 2.5  # for answers under way, at the end


class WebServer:
    """Serves *app* from a thread of its own while its context lasts.

    Args:
        name: Of the thread.
        app: That answers.
        listen: Where, and which proxy is believed who asks.
        section: Of the settings, that says where.
        adjustments: More of what waitress calls so: ``threads`` and their like.

    Raises:
        CannotListen: The port is taken, or there is no such address.
    """

    def __init__(
        self, name: str, app: Flask, listen: ListenConfig, section: str, **adjustments: object
    ) -> None:
        self._sockets: dict[int, object] = {}
        try:
            self._listener: Any = waitress.server.create_server(
                app,
                map=self._sockets,
                host=listen.host,
                port=listen.port,
                ident="",
                **listen.believed(),
                **adjustments,
            )
        except (OSError, ValueError) as error:  # ValueError: what is no address at all
            # It leaves what it had opened by then.
            waitress.wasyncore.close_all(self._sockets)
            raise CannotListen(
                f"Nobody can listen at {listen.host}:{listen.port} ({error}); name another in "
                f"[{section}]."
            ) from error
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    @property
    def port(self) -> int:
        """The port it really listens on."""
        return int(self._listener.effective_port)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        with suppress(OSError):
            self._listener.pull_trigger()
        self._thread.join()
        self._listener.task_dispatcher.shutdown(timeout=_PATIENCE_S)
        waitress.wasyncore.close_all(self._sockets)

    def _run(self) -> None:
        while not self._closing.is_set():
            waitress.wasyncore.loop(_LOOK_S, use_poll=True, map=self._sockets, count=1)
