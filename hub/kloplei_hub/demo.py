"""``kloplei-hub demo``: a whole house on this machine, with tables at which bots play.

It starts Mosquitto and PostgreSQL in a folder of its own, on free ports, then the hub's programs as
they run in a house, and pairs virtual tables with it as a keeper would. Nothing of Debian's own
services is touched, and nothing stays but the folder, where one was named.
"""

import argparse
import fcntl
import json
import logging
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from kloplei import __version__
from kloplei.files import KlopleiError, reason_of
from kloplei.frozen import replace
from kloplei.games.catalogue import GAMES
from kloplei.systemd import ended_in_good_order
from kloplei.uplink.links import HouseUnreached, KnownHouse, fetch, opener_for
from kloplei.uplink.wire import PAIR_PATH, Paired, PairingRequest, decode, encode
from kloplei_hub.boxes import new_code, tell_broker
from kloplei_hub.cli import HUB
from kloplei_hub.database import connect, migrate
from kloplei_hub.servers import (
    Broker,
    Database,
    ServerMissing,
    begin,
    end,
    end_stale,
    free_port,
    last_line,
)
from kloplei_hub.settings import HubConfig, parse_config
from kloplei_hub.users import put_user
from kloplei_hub.virtual import BotTable, Players, VirtualHouse, names_at
from kloplei_panel.server import CannotListen

if TYPE_CHECKING:
    from kloplei.replay.commands import Subparsers

TABLES: Final = 4
_PORT = 8090
_MOST_TABLES = 40
_NAME = "kloplei_hub"
_PROGRAMS = ("ingest", "fold", "web")
_THOUGHT_S = 1.0  # of a bot, at speed 1
_PATIENCE_S = 60.0
_LOOK_S = 0.1
_WATCH_S = 1.0
_PREFIX = "kloplei-hub-"
_LANDLORD = "waard"
_SECRET_BYTES = 6  # another at each start: the pages are open to this machine alone
logger = logging.getLogger(__name__)


class DemoRuns(KlopleiError, OSError):
    """Somebody else has a house in the folder; the message says what to do."""


class DemoHouse:
    """A house of its own on this machine: servers, programs and settings; a context manager.

    Args:
        folder: For all of it; made if it is missing, and kept.
        port: Of its pages; None for a free one.
        careful: Whether what is committed survives a pulled plug; a test need not wait for that.
        programs: Which of the hub's programs run.
    """

    def __init__(
        self,
        folder: Path,
        port: int | None = None,
        *,
        careful: bool = True,
        programs: Sequence[str] = _PROGRAMS,
    ) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.database = Database(folder / "database", careful=careful)
        self.config_file = folder / "hub.toml"
        self.config = self._settings(port or free_port(), free_port())
        self.broker = Broker(folder / "broker", self.config.broker.port, self._broker_settings())
        self._programs = [name for name in programs if name in HUB.commands]
        self.running: dict[str, subprocess.Popen[bytes]] = {}
        self._opened = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as opening:
            opening.enter_context(self.database)
            with connect(self.database.dsn(), autocommit=True) as owner:
                ask = "SELECT 1 FROM pg_database WHERE datname = %s"
                if owner.execute(ask, (_NAME,)).fetchone() is None:
                    owner.execute(f"CREATE DATABASE {_NAME}")
            migrate(self.config.database.owner)
            with self.owner() as connection:
                tell_broker(connection, replace(self.config.broker, pidfile=None))
            opening.enter_context(self.broker)
            opening.callback(self._stop_all)
            for name in self._programs:
                self.start(name)
            self._opened = opening.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()

    @property
    def address(self) -> str:
        """Where boxes are paired, and may post."""
        return f"http://{self.config.ingest.host}:{self.config.ingest.port}"

    @property
    def pages(self) -> str:
        """Where people look."""
        return f"http://{self.config.web.host}:{self.config.web.port}"

    @contextmanager
    def owner(self) -> Iterator[Any]:
        """Give a connection to the database as its owner."""
        with connect(self.config.database.owner, autocommit=True) as connection:
            yield connection

    def start(self, name: str) -> None:
        """Start one of the hub's programs, as a process of its own."""
        command = [sys.executable, "-m", "kloplei_hub", name, "--config", str(self.config_file)]
        log, kept = self.folder / f"{name}.log", self.folder / f"{name}.pid"
        self.running[name] = begin(command, log, kept)

    def stop(self, name: str, *, kill: bool = False) -> None:
        """End one of the programs, in good order or not."""
        end(self.running.pop(name), signal.SIGKILL if kill else signal.SIGTERM)

    def dead(self) -> dict[str, Path]:
        """Return the programs that ended by themselves, with the log that says why."""
        return {
            name: self.folder / f"{name}.log"
            for name, process in self.running.items()
            if process.poll() is not None
        }

    def look(self) -> None:
        """Look whether all programs run.

        Raises:
            ServerMissing: One has ended by itself.
        """
        for name, log in self.dead().items():
            said = last_line(log) or "it said nothing"
            raise ServerMissing(f"The hub's program {name} has ended: {said} (see {log})")

    def wait_for_pages(self) -> None:
        """Wait until the pages can be asked for; come back at once where none are served.

        Raises:
            ServerMissing: A program ends instead, or is too slow.
        """
        where = (self.config.web.host, self.config.web.port)
        for _ in range(int(_PATIENCE_S / _LOOK_S)):
            self.look()
            if "web" not in self.running:
                return
            with suppress(OSError), socket.create_connection(where, timeout=1):
                return
            time.sleep(_LOOK_S)
        raise ServerMissing(f"Nobody answers at {self.pages}; see {self.folder / 'web.log'}.")

    def pair(self, table: BotTable, name: str, number: int) -> KnownHouse:
        """Let *table* go with the house, by a code and as any box does.

        Raises:
            HouseUnreached: It does not answer.
        """
        with self.owner() as connection:
            code = new_code(connection, name, number)
        request = encode(PairingRequest(table.box, code, __version__))
        return KnownHouse(self.address, decode(Paired, self._answered(request)))

    @contextmanager
    def on_line(self, tables: Sequence[BotTable]) -> Iterator[None]:
        """Let *tables* be the house's tables 1, 2 and so on, and keep them on the line.

        Raises:
            HouseUnreached: It does not answer.
        """
        with ExitStack() as opened:
            known = [
                (opened.enter_context(table), self.pair(table, f"Tafel {number}", number))
                for number, table in enumerate(tables, 1)
            ]
            opened.enter_context(VirtualHouse(known))
            yield

    def _answered(self, request: bytes) -> bytes:
        """Return what pairing answers, once the program is up."""
        for _ in range(int(_PATIENCE_S / _LOOK_S)):
            with suppress(HouseUnreached):
                return fetch(self.address, PAIR_PATH, request, opener_for(""))
            self.look()
            time.sleep(_LOOK_S)
        return fetch(self.address, PAIR_PATH, request, opener_for(""))

    def _stop_all(self) -> None:
        for process in self.running.values():
            process.terminate()
        for name in list(self.running):
            self.stop(name)

    def _settings(self, port: int, broker_port: int) -> HubConfig:
        """Write hub.toml, and return what it says."""
        dsns = {
            name: self.database.dsn(_NAME, "kloplei_hub" if name == "owner" else f"kloplei_{name}")
            for name in ("owner", "ingest", "fold", "web")
        }
        here = self.folder / "broker"
        sections: dict[str, dict[str, object]] = {
            "house": {"name": "De Kroeg"},
            "database": dict(dsns),
            "broker": {
                "port": broker_port,
                "password": "demo",
                "passwords": str(here / "passwords"),
                "rights": str(here / "rights"),
                "pidfile": str(here / "pid"),
                "boxes_host": "127.0.0.1",
                "boxes_port": broker_port,
                "boxes_tls": False,
            },
            "ingest": {"port": free_port()},
            "web": {"port": port},
        }
        written = "\n".join(
            f"[{section}]\n" + "\n".join(f"{key} = {json.dumps(one)}" for key, one in told.items())
            for section, told in sections.items()
        )
        self.config_file.write_text(written + "\n", encoding="utf-8")
        return parse_config(written, str(self.config_file))

    def _broker_settings(self) -> list[str]:
        broker = self.config.broker
        return [
            "allow_anonymous false",
            f"password_file {broker.passwords}",
            f"acl_file {broker.rights}",
            f"pid_file {broker.pidfile}",
        ]


def register(commands: "Subparsers") -> None:
    """Add ``demo`` to the command line."""
    parser = commands.add_parser(
        "demo",
        description="A whole house on this machine: broker, database, hub, and tables at which "
        "bots play. Debian's packages mosquitto and postgresql have to be installed.",
    )
    parser.add_argument("--port", type=int, default=_PORT, help=f"of the pages ({_PORT})")
    parser.add_argument("--data", type=Path, metavar="DIR", help="keep all of it in DIR")
    parser.add_argument(
        "--tables", type=int, default=TABLES, help=f"virtual tables, 1 to {_MOST_TABLES} ({TABLES})"
    )
    parser.add_argument("--bots", type=float, default=1.0, help="pace of the bots (1.0)")
    parser.set_defaults(run=run_demo)


def run_demo(arguments: argparse.Namespace) -> int:
    """Run a house until SIGTERM or Ctrl-C."""
    from kloplei.cli.terminal import WrongOption

    if not 1 <= arguments.tables <= _MOST_TABLES:
        raise WrongOption(f"--tables {arguments.tables}: from 1 to {_MOST_TABLES} fit here")
    if not 0.1 <= arguments.bots <= 100:
        raise WrongOption(f"--bots {arguments.bots}: a pace is from 0.1 to 100")
    if not 1 <= arguments.port <= 65535:
        raise WrongOption(f"--port {arguments.port}: a port is from 1 to 65535")
    with suppress(KeyboardInterrupt), ended_in_good_order(), _folder(arguments.data) as folder:
        _look_for_port(arguments.port)
        with ExitStack() as opened, _undisturbed_end():
            _play(arguments, folder, opened)
    return 0


def _play(arguments: argparse.Namespace, folder: Path, opened: ExitStack) -> None:
    from kloplei.cli.terminal import say

    say("Starting a broker, a database and the hub ...")
    house = opened.enter_context(DemoHouse(folder, arguments.port))
    games = tuple(GAMES)
    tables = [
        BotTable(folder / f"table-{at + 1}", games[at % len(games)], at, names_at(at))
        for at in range(arguments.tables)
    ]
    opened.enter_context(house.on_line(tables))
    opened.enter_context(Players(tables, _THOUGHT_S / arguments.bots))
    house.wait_for_pages()
    say(f"{len(tables)} tables play. The house: {house.pages}")
    with house.owner() as connection:
        password = secrets.token_hex(_SECRET_BYTES)
        put_user(connection, _LANDLORD, password, "landlord")
    say(f"Its landlord signs in at {house.pages}/login as {_LANDLORD}, password {password}")
    say(f"Settings for kloplei-hub admin: --config {house.config_file}")
    say(f"A box of your own on this machine is paired at {house.address}")
    say("Stop with Ctrl-C.")
    while True:
        time.sleep(_WATCH_S)
        for name, log in house.dead().items():
            say(f"The hub's program {name} has ended, and is started again: {last_line(log)}")
            house.start(name)


def _look_for_port(port: int) -> None:
    """Look whether the pages can be served there, before anything is started."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            raise CannotListen(
                f"Nobody can listen at port {port} ({reason_of(error)}); name another with --port, "
                f"or:  make hub-demo PORT={port + 1 if port < 65535 else 8090}"
            ) from error


@contextmanager
def _undisturbed_end() -> Iterator[None]:
    """Let no second Ctrl-C stop us from stopping what we have started."""
    try:
        yield
    finally:
        for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(one, signal.SIG_IGN)


@contextmanager
def _folder(named: Path | None) -> Iterator[Path]:
    """Give the folder that was named, or one that is gone afterwards; PostgreSQL may enter it.

    What a demo that was killed has left running is ended first.
    """
    for left in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with suppress(DemoRuns), _ours_alone(left):
            shutil.rmtree(left, ignore_errors=True)
    with _passing_folder() if named is None else _ours_alone(_made(named)) as folder:
        yield folder


def _made(named: Path) -> Path:
    try:
        named.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise KlopleiError(
            f"--data {named} is no folder to write to ({reason_of(error)}); name another"
        ) from error
    return named.resolve()


@contextmanager
def _passing_folder() -> Iterator[Path]:
    made = Path(tempfile.mkdtemp(prefix=_PREFIX))
    made.chmod(0o755)
    try:
        with _ours_alone(made):
            yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


@contextmanager
def _ours_alone(folder: Path) -> Iterator[Path]:
    """Let nobody else run a house in *folder*, and end what was left running of one.

    Raises:
        DemoRuns: Somebody else runs one there, or it is not ours.
    """
    try:
        lock = (folder / "lock").open("a")
    except OSError as error:
        raise DemoRuns(f"{folder} is not ours ({reason_of(error)}); name another folder") from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise DemoRuns(
                f"Another demo runs in {folder}: stop that one, or name another folder."
            ) from error
        for kept in (*folder.glob("*.pid"), *folder.glob("*/server.pid")):
            if end_stale(kept, str(folder)):
                logger.warning("What was left running of an earlier demo has ended: %s", kept.stem)
            kept.unlink(missing_ok=True)
        yield folder
