"""``kloplei-hub web``: the pages, served by waitress until it is stopped.

nginx stands before it (`hub/nginx.conf`): it brings TLS, and asks once where thousands wait. Only
the proxy of ``[web] proxy`` is believed who asks, and under which name.
"""

import argparse
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Self

from kloplei.files import atomic_write
from kloplei_hub.cli import add_config, config_of
from kloplei_hub.settings import HubConfig
from kloplei_hub.web.app import create_app
from kloplei_hub.web.live import LiveHouse
from kloplei_hub.web_server import WebServer
from kloplei_panel.server import CannotListen

if TYPE_CHECKING:
    from kloplei.replay.commands import Subparsers

_KEY_BYTES = 32
_CONNECTIONS = 1000


class HouseServer:
    """The pages of a house, served between entering and leaving.

    Args:
        config: All settings; those of ``[web]`` say where.

    Raises:
        CannotListen: The port is taken, or there is no such address.
        OSError: What signs cookies can be neither read nor made.
    """

    def __init__(self, config: HubConfig) -> None:
        web = config.web
        key = read_key(web.key)
        self.live = LiveHouse(config.database.web, waiters=max(1, web.threads // 2))
        self.app = create_app(config, self.live, dsn=config.database.web, secret_key=key)
        try:
            self._server = WebServer(
                "house-web",
                self.app,
                web,
                "web",
                threads=web.threads,
                connection_limit=_CONNECTIONS,
                clear_untrusted_proxy_headers=True,
            )
        except CannotListen:
            self.live.close()
            raise

    @property
    def port(self) -> int:
        """Where they are served."""
        return self._server.port

    def __enter__(self) -> Self:
        self.live.start()
        self._server.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        # First who waits for a change: they hold the threads that the server waits for.
        self.live.close()
        self._server.__exit__()
        self.app.extensions["kloplei_hub"].close()


def read_key(path: Path | None) -> str:
    """Return what signs cookies: what the file at *path* holds, made at first for us alone.

    Without one it is another after each start, and everybody signs in again.

    Raises:
        OSError: The file can be neither read nor made.
    """
    if path is None:
        return secrets.token_hex(_KEY_BYTES)
    kept = path.read_text(encoding="ascii").strip() if path.exists() else ""
    if not kept:  # a power cut while an older Kloplei made it left an empty file
        kept = secrets.token_hex(_KEY_BYTES)
        atomic_write(path, kept.encode("ascii"), 0o600)
    return kept


def register(commands: "Subparsers") -> None:
    """Add ``web`` to the command line."""
    parser = commands.add_parser(
        "web", description="Serve the pages of the house until it is stopped (docs/hub.md)."
    )
    add_config(parser)
    parser.set_defaults(run=run_web)


def run_web(arguments: argparse.Namespace) -> int:
    """Serve the pages until SIGTERM or Ctrl-C."""
    from kloplei.systemd import Notifier, wait_for_signal

    config = config_of(arguments)
    notifier = Notifier()
    with wait_for_signal() as wait, HouseServer(config):
        notifier.ready()
        wait()
        notifier.stopping()
    return 0
