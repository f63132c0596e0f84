"""Processes that are measured: Kloplei's own units and the peers, each with a glass of no wires."""

import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from benchmarks.race.row import Missing

ROOT = Path(__file__).parents[2]
KLOPLEI = ("-m", "kloplei")
PATIENCE_S = 30.0


@contextmanager
def folder() -> Iterator[Path]:
    """Give a folder with room for a table."""
    with tempfile.TemporaryDirectory(prefix="kloplei-race-") as name:
        (Path(name) / "data").mkdir()
        yield Path(name)


def write_config(where: Path, port: int, clients: int = 40) -> Path:
    """Write the settings of a table without wires into the folder *where*; return the file."""
    config = where / "kloplei.toml"
    config.write_text(
        f'[table]\nseats = 4\ndata = "{where / "data"}"\n'
        f'[socket]\npath = "{where / "table.sock"}"\n'
        f'[panel]\nhost = "127.0.0.1"\nport = {port}\nlocked = false\nclients = {clients}\n'
        '[pins]\nfactory = "mock"\n',
        encoding="utf-8",
    )
    return config


def environment(**more: str) -> dict[str, str]:
    """Return ours with the glass of no wires, where Python keeps what it has compiled."""
    kept = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPATH": str(ROOT / "benchmarks/race/wires"), **more}


@contextmanager
def started(
    arguments: tuple[str, ...], *, said: BinaryIO | None = None, **more: str
) -> Iterator[int]:
    """Start Python with *arguments*, give its process, and end it; *said* takes its complaints."""
    process = subprocess.Popen(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=environment(**more),
        stdout=subprocess.DEVNULL,
        stderr=said or subprocess.DEVNULL,
    )
    try:
        yield process.pid
    finally:
        process.kill()
        process.wait()


def patiently(look: Callable[[], str]) -> str:
    """Return what *look* finds as soon as it finds something."""
    deadline_s = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline_s:
        if found := look():
            return found
        time.sleep(0.001)
    raise Missing(f"nothing came within {PATIENCE_S:g} seconds")


def page_at(port: int, path: str = "/") -> str:
    """Return the head and what came with it of the page at *port*, or nothing if it is not 200."""
    with suppress(OSError), socket.create_connection(("127.0.0.1", port)) as asking:
        asking.settimeout(PATIENCE_S)
        asking.sendall(f"GET {path} HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n".encode())
        return asking.recv(1 << 16).decode(errors="replace").partition(" 200 ")[2]
    return ""


def listens(port: int) -> bool:
    """Return whether somebody answers there."""
    with suppress(OSError), socket.create_connection(("127.0.0.1", port)):
        return True
    return False


def memory_mb(process: int) -> float:
    """Return what *process* holds for itself, with its share of what it holds with others."""
    return _memory_mb(process, "Pss:")


def own_memory_mb(process: int) -> float:
    """Return what *process* has written for itself: the same whoever comes and goes beside it."""
    return _memory_mb(process, "Anonymous:")


def most_memory_mb(process: int) -> float:
    """Return the most that *process* ever held, with all that it held with others."""
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    raise Missing("the kernel tells nobody's memory")


def _memory_mb(process: int, what: str) -> float:
    for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
        if line.startswith(what):
            return int(line.split()[1]) / 1024
    raise Missing("the kernel tells nobody's memory")


def threads(process: int) -> float:
    """Return how many threads *process* has."""
    return float(len(list(Path(f"/proc/{process}/task").iterdir())))


def cpu_ms(process: int) -> float:
    """Return the processor time that *process* has taken, all its threads together."""
    # Linux numbers the clocks of others' processes so; /proc would count in steps of 10 ms.
    return 1e3 * time.clock_gettime(~process << 3 | 2)
