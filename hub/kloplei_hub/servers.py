"""Mosquitto and PostgreSQL of our own, in a folder and on ports of their own, for demo and tests.

Debian's programs, none of Debian's services: `Broker` and `Database` start one process each, and
stop it again. PostgreSQL never runs as root; there it becomes the user that Debian made for it.
"""

import errno
import os
import pwd
import random
import shutil
import signal
import socket
import subprocess
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Self

from kloplei.files import KlopleiError

_LIMITS = Path(__file__).with_name("broker-limits.conf")
_UNPRIVILEGED = ("postgres", "nobody")
_PATIENCE_S = 60.0  # an idle disk takes one second; a slow one many
_STALE_S = 10.0
_LOOK_S = 0.02
_FIXED_PORTS = range(20_000, 32_768)
"""Lent to nobody who only connects: Linux does so from 32768 on, others from 49152 on."""
_DRAWS = 100


class ServerMissing(KlopleiError, OSError):
    """A program that is needed is not installed, or does not start; the message says what to do."""


def free_port() -> int:
    """Return a port of this machine that nobody listens on, and that nobody gets by chance.

    What the kernel hands out itself (port 0) goes to whoever connects to somebody next, so that a
    server which starts a moment later, or again, finds it taken. Of two who ask at once each draws
    another, but for one time in twelve thousand.

    Raises:
        OSError: Each that was drawn is taken.
    """
    for port in random.sample(_FIXED_PORTS, _DRAWS):
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
    raise OSError(errno.EADDRINUSE, os.strerror(errno.EADDRINUSE))


def begin(command: Sequence[str], log: Path, kept: Path) -> "subprocess.Popen[bytes]":
    """Start *command* in a session of its own, so that a terminal's Ctrl-C does not reach it.

    Args:
        command: No word of it comes from outside.
        log: What it says goes there.
        kept: Its number stands there, for `end_stale`.
    """
    with log.open("ab") as said:
        process = subprocess.Popen(  # noqa: S603 - see above
            command,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
            cwd="/",
            start_new_session=True,
        )
    kept.write_text(str(process.pid), encoding="ascii")
    return process


def end(process: "subprocess.Popen[bytes]", by: int = signal.SIGTERM) -> None:
    """End *process* by a signal and wait until it has gone; kill it where it takes too long."""
    process.send_signal(by)
    try:
        process.wait(_PATIENCE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def end_stale(kept: Path, mark: str) -> bool:
    """End who was begun with *kept* and outlived us; return whether there was anybody.

    Args:
        kept: The file with its number.
        mark: Stands in its command: the number may be another's by now.
    """
    try:
        number = int(kept.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return False
    if mark.encode() not in _command_of(number):
        return False
    for by, patience_s in ((signal.SIGINT, _STALE_S), (signal.SIGKILL, _PATIENCE_S)):
        with suppress(OSError):
            os.kill(number, by)
        until_s = time.monotonic() + patience_s
        while time.monotonic() < until_s:
            if not _command_of(number):
                return True
            time.sleep(_LOOK_S)
    return True


def _command_of(process: int) -> bytes:
    """Return how *process* was called; empty where there is none, or it is as good as gone."""
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return b""


def last_line(log: Path) -> str:
    """Return what a program said last; empty where it said nothing."""
    lines = log.read_text(encoding="utf-8", errors="replace").split("\n") if log.exists() else []
    return next((line.strip() for line in reversed(lines) if line.strip()), "")


class _Server(ABC):
    """One program that listens on *port* of this machine once it is up; a context manager."""

    def __init__(self, folder: Path, port: int | None) -> None:
        self.folder = folder
        self.port = port or free_port()
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def pid(self) -> int:
        """The process that runs.

        Raises:
            ServerMissing: None does.
        """
        if self._process is None:
            raise ServerMissing(f"{type(self).__name__} is not running.")
        return self._process.pid

    def start(self) -> None:
        """Start it, and wait until it takes connections.

        Raises:
            ServerMissing: It is not installed, or ends at once; its log says why.
        """
        log = self.folder / "log"
        self._process = begin(self._command(), log, self.folder / "server.pid")
        until_s = time.monotonic() + _PATIENCE_S
        while not self.is_up():
            if self._process.poll() is not None or time.monotonic() > until_s:
                self.stop()
                said = last_line(log) or "it said nothing"
                raise ServerMissing(f"{type(self).__name__} did not start: {said} (see {log})")
            time.sleep(_LOOK_S)

    def stop(self, by: int = signal.SIGTERM) -> None:
        """End it by a signal and wait until it has gone; nothing happens where none runs."""
        process, self._process = self._process, None
        if process is not None:
            end(process, by)

    def is_up(self) -> bool:
        """Whether it takes connections."""
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=1):
                return True
        except OSError:
            return False

    @abstractmethod
    def _command(self) -> Sequence[str]:
        """Return the program and its words; it may write the settings that they name."""


class Broker(_Server):
    """Mosquitto on *port* of this machine.

    Args:
        folder: For its settings, passwords and log; made if it is missing.
        port: None for a free one.
        settings: Lines of mosquitto.conf beside the listener and the limits that every house has;
            without any everybody may do everything, for tests of the wire alone.
    """

    def __init__(
        self, folder: Path, port: int | None = None, settings: Sequence[str] | None = None
    ) -> None:
        super().__init__(folder, port)
        folder.mkdir(parents=True, exist_ok=True)
        self._settings = (
            ["allow_anonymous true", "set_tcp_nodelay true"]
            if settings is None
            else [_LIMITS.read_text(encoding="utf-8"), *settings]
        )

    def _command(self) -> Sequence[str]:
        conf = self.folder / "mosquitto.conf"
        lines = [f"listener {self.port} 127.0.0.1", "persistence false", *self._settings]
        if os.geteuid() == 0:
            lines.append("user root")  # its files are ours
        conf.write_text("\n".join([*lines, ""]), encoding="utf-8")
        return [_program("mosquitto", "mosquitto"), "-c", str(conf)]


class Database(_Server):
    """PostgreSQL on *port* of this machine, without a password for whoever may read its folder.

    Args:
        folder: For the cluster, its socket and log; made if it is missing, kept if it is not.
        port: None for a free one.
        careful: Whether what is committed survives a pulled plug; a test need not wait for that.
    """

    def __init__(self, folder: Path, port: int | None = None, *, careful: bool = True) -> None:
        super().__init__(folder, port)
        self._careful = careful
        self._user = _unprivileged()
        folder.mkdir(parents=True, exist_ok=True)

    def dsn(self, name: str = "postgres", user: str = "kloplei_hub") -> str:
        """Return how to reach the database *name* as *user*."""
        return f"host=127.0.0.1 port={self.port} dbname={name} user={user}"

    def start(self) -> None:
        """Make the cluster if there is none, then start it."""
        self._look_who_may()
        if not (self.folder / "cluster/PG_VERSION").exists():
            self._make()
        super().start()

    def stop(self, by: int = signal.SIGINT) -> None:
        """End it: SIGINT hangs up on everybody and writes all down, SIGKILL is a pulled plug.

        One that need not be careful writes nothing down: with the databases of a hundred tests
        that takes a minute, and the next start finds all of it in the log.
        """
        is_hasty = by == signal.SIGINT and not self._careful
        super().stop(signal.SIGQUIT if is_hasty else by)

    def is_up(self) -> bool:
        """Whether it answers."""
        ready = [postgres_program("pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        return subprocess.run(ready, check=False).returncode == 0  # noqa: S603 - ours

    def _make(self) -> None:
        cluster = self.folder / "cluster"
        make = [postgres_program("initdb"), "-D", str(cluster), "-U", "kloplei_hub", "-A", "trust"]
        made = subprocess.run(  # noqa: S603 - ours
            self._as_user([*make, "-E", "UTF8", "--locale=C.UTF-8", "--no-sync"]),
            check=False,
            capture_output=True,
            text=True,
            cwd="/",
        )
        if made.returncode:
            raise ServerMissing(f"PostgreSQL cannot keep anything in {cluster}: {made.stderr}")

    def _look_who_may(self) -> None:
        """Look whether the cluster's user may come to it, and who that is."""
        cluster = self.folder / "cluster"
        owner = cluster.stat().st_uid if cluster.exists() else None
        if self._user is None:
            if owner not in (None, os.geteuid()):
                raise ServerMissing(
                    f"The database in {cluster} is another user's. Run this as that user, or name "
                    "another folder."
                )
            return
        if owner:
            self._user = pwd.getpwuid(owner)
        shutil.chown(self.folder, self._user.pw_uid)
        for above in reversed([self.folder, *self.folder.parents]):
            may = self._as_user([_program("test", "coreutils"), "-x", str(above)])
            if subprocess.run(may, check=False).returncode:  # noqa: S603 - ours
                raise ServerMissing(
                    f"PostgreSQL does not run as root, and its user {self._user.pw_name} may "
                    f"not enter {above}. Name another folder, or run this as another user."
                )

    def _command(self) -> Sequence[str]:
        settings = {
            "listen_addresses": "127.0.0.1",
            "port": self.port,
            "unix_socket_directories": "",
            "fsync": "on" if self._careful else "off",
            "max_connections": 60,
            "shared_buffers": "64MB",
        }
        chosen = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        command = [postgres_program("postgres"), "-D", str(self.folder / "cluster"), *chosen]
        return self._as_user(command)

    def _as_user(self, command: Sequence[str]) -> Sequence[str]:
        if self._user is None:
            return command
        who = [f"--reuid={self._user.pw_uid}", f"--regid={self._user.pw_gid}", "--clear-groups"]
        return [_program("setpriv", "util-linux"), *who, *command]


def _unprivileged() -> pwd.struct_passwd | None:
    """Return whom PostgreSQL runs as where we are root."""
    if os.geteuid():
        return None
    for name in _UNPRIVILEGED:
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    raise ServerMissing("PostgreSQL does not run as root, and there is no other user for it here.")


def _program(name: str, package: str) -> str:
    found = shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
    if found is None:
        raise ServerMissing(f"There is no {name}. Run:  sudo apt-get install {package}")
    return found


def postgres_program(name: str) -> str:
    """Return the newest of PostgreSQL's programs of that name, which Debian keeps off the path."""
    found = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), key=_version)
    return str(found[-1]) if found else _program(name, "postgresql")


def _version(program: Path) -> int:
    name = program.parts[-3]
    return int(name) if name.isdigit() else 0
