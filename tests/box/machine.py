"""A box under test: a Debian system that really boots, in a container with systemd as its first."""

import contextlib
import json
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Self, TypeVar

import pytest

from tests.box.trees import inside

T = TypeVar("T")

PAUSE_S = 0.1
_PATIENCE_S = 120.0
_PATIENCE_TO_INSTALL_S = 1200.0  # a database server and all that it asks for
_KNOCK_S = 0.004  # what a comparator makes of one blow
HERE = Path(__file__).parent

# What a machine does by itself while it is up.
_RESTLESS = ("/var/log", "/var/cache", "/var/lib/apt", "/var/lib/dpkg", "/tmp", "/var/tmp", "/root")

VIRTUAL_PINS = "/opt/kloplei-test/virtual_pins.py"
_FETCH = (
    "import sys, urllib.request; "
    "print(urllib.request.urlopen(sys.argv[1], timeout=5).read().decode())"
)
_DROP_IN = f"""\
[Service]
ExecStart=
ExecStart=/usr/bin/python3 {VIRTUAL_PINS}
"""


class Machine:
    """A container booted from *tree*, which stays as it is; a context manager.

    Args:
        tree: A Debian system in a folder.
        folder: Where what the box writes is kept.
        flags: More of what systemd-nspawn is told.
        boots: Whether it is switched on at once.
    """

    def __init__(
        self, tree: Path, folder: Path, flags: Sequence[str] = (), *, boots: bool = True
    ) -> None:
        self._tree = tree
        self.flags = tuple(flags)
        self._boots = boots
        self.root = folder / "root"
        self._layers = [folder / name for name in ("upper", "work")]
        self._nspawn: subprocess.Popen[bytes] | None = None
        self._leader = 0

    def __enter__(self) -> Self:
        for one in (self.root, *self._layers):
            one.mkdir(parents=True)
        upper, work = self._layers
        layers = f"lowerdir={self._tree},upperdir={upper},workdir={work}"
        subprocess.run(["mount", "-t", "overlay", "overlay", "-o", layers, self.root], check=True)
        if self._boots:
            self.boot()
        return self

    def __exit__(self, *_: object) -> None:
        if self._nspawn is not None and self._nspawn.poll() is None:
            self._nspawn.terminate()
            try:
                self._nspawn.wait(30)
            except subprocess.TimeoutExpired:
                self._nspawn.kill()
                self._nspawn.wait()
        subprocess.run(["umount", "--lazy", self.root], check=True)

    def boot(self) -> None:
        """Switch it on, and wait until systemd is done with starting."""
        with (self.root.parent / "console").open("ab") as console:
            self._nspawn = subprocess.Popen(
                [
                    *("systemd-nspawn", "--quiet", "--register=no", "--keep-unit"),
                    *(
                        "--private-network",
                        "--kill-signal=SIGRTMIN+4",
                        "--boot",
                        f"--machine=kloplei-{id(self):x}",
                    ),
                    *self.flags,
                    *("-D", str(self.root)),
                ],
                stdin=subprocess.DEVNULL,
                stdout=console,
                stderr=console,
            )
        self._leader = eventually(self._first_process, 60)
        states = ("running", "degraded")
        eventually(lambda: self.says("systemctl", "is-system-running").strip() in states, 90)

    def power_off(self, how: str = "poweroff") -> None:
        """Let it go down in good order; its files stay, and it can be booted again."""
        assert self._nspawn is not None
        self.says("systemctl", how)
        self._nspawn.wait(60)

    def give_back(self) -> None:
        """Let go of what the host lends every container: parts of a disk that it may write to."""
        self.run("umount", "/run/host/os-release", "/run/host/incoming")

    @property
    def console(self) -> str:
        """What it has printed on its screen so far."""
        return (self.root.parent / "console").read_text()

    def visit(self, *command: str) -> None:
        """Run *command* while it is off, with this machine's network."""
        inside(self.root, *command)

    def run(self, *command: str) -> str:
        """Return what *command* prints; fail if it fails."""
        return self._run(command, _PATIENCE_S)

    def _run(self, command: Sequence[str], within_s: float) -> str:
        done = self._in(command, within_s)
        if done.returncode:
            pytest.fail(f"{' '.join(command)}:\n{done.stdout}{done.stderr}"[-6000:])
        return done.stdout

    def says(self, *command: str) -> str:
        """Return what *command* prints, whether it fails or not."""
        done = self._in(command)
        return done.stdout + done.stderr

    def install(self, package: Path, *flags: str) -> str:
        """Install *package* as people do, and return what apt says."""
        shown = self.root / "srv" / package.name  # apt takes a package from where anybody may read
        shown.write_bytes(package.read_bytes())
        said = self.install_named(f"/srv/{package.name}", *flags)
        shown.unlink()
        return said

    def install_named(self, *names: str) -> str:
        """Install what apt knows by *names*, and return what it says."""
        command = ("apt-get", "install", "-y", "--no-install-recommends", *names)
        return self._run(command, _PATIENCE_TO_INSTALL_S)

    def fit_virtual_pins(self) -> None:
        """Give the table pins that `knock` and `press` move; before it is installed, or later."""
        self.write(VIRTUAL_PINS, (HERE / "virtual_pins.py").read_text())
        self.write("/etc/systemd/system/kloplei-table.service.d/virtual.conf", _DROP_IN)
        self.run("systemctl", "daemon-reload")

    def write(self, path: str, text: str) -> None:
        """Write *text* into a file of the box."""
        file = self.root / path.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def knock(self, pin: int) -> None:
        """Let the pad on *pin* feel one blow."""
        self.press(pin, _KNOCK_S)

    def press(self, pin: int, for_s: float) -> None:
        """Pull *pin* low for so many seconds; returns at once."""
        self.run("sh", "-c", f"echo {pin} {for_s} > /run/kloplei/pins")

    def ask(self, path: str) -> Any:
        """Return the JSON that the panel answers for *path*."""
        return json.loads(self.run("python3", "-c", _FETCH, f"http://127.0.0.1:8080{path}"))

    def board(self) -> Any:
        """Return the scoreboard as a phone gets it."""
        return self.ask("/api/v1/scoreboard")

    def table_seq(self) -> int:
        """Return the scoreboard's number, -1 while nobody answers."""
        try:
            return int(self.board().get("seq", -1))
        except BaseException:  # noqa: BLE001 - pytest's own failure is one
            return -1

    def state(self, unit: str, name: str) -> str:
        """Return one property of *unit*, as systemd has it."""
        return self.run("systemctl", "show", "--value", f"--property={name}", unit).strip()

    def _in(
        self, command: Sequence[str], within_s: float = _PATIENCE_S
    ) -> "subprocess.CompletedProcess[str]":
        into = ["nsenter", "-t", str(self._leader), "-m", "-u", "-i", "-n", "-p", "-C", "-r", "-w"]
        environment = {
            "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            "DEBIAN_FRONTEND": "noninteractive",
            "HOME": "/root",
            "LANG": "C.UTF-8",
            "SYSTEMD_COLORS": "0",
        }
        return subprocess.run(
            [*into, "--", *command],
            env=environment,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=within_s,
        )

    def _first_process(self) -> int:
        assert self._nspawn is not None
        if self._nspawn.poll() is not None:
            pytest.fail(f"the box does not boot:\n{self.console}")
        pid = self._nspawn.pid
        with contextlib.suppress(OSError):  # it comes and goes while it begins anew
            for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
                if Path(f"/proc/{child}/root/run/systemd/private").exists():
                    return int(child)
        return 0


def eventually(seen: Callable[[], T], within_s: float) -> T:
    """Return what *seen* returns as soon as it is true; fail when it is not in time."""
    until_s = time.monotonic() + within_s
    while not (found := seen()):
        if time.monotonic() > until_s:
            pytest.fail(f"not within {within_s:.0f} s: {seen}")
        time.sleep(PAUSE_S)
    return found


def files_of(machine: Machine) -> set[str]:
    """Return the path of every file of *machine*, but of those that come and go by themselves."""
    pruned = [part for one in _RESTLESS for part in ("-path", one, "-prune", "-o")]
    return set(machine.run("find", "/", "-xdev", *pruned, "-print").splitlines())
