"""Ten thousand viewers of a house's wall, over nginx as it stands in hub/nginx.conf.

    python -m benchmarks.wall [--viewers 10000] [--tables 20] [--seconds 60] [--every 3]

A house on one machine, virtual tables of which one does something every so many seconds, and
viewers that ask for the next wall as their browsers do, each over a connection that stays open. It
tells how long it takes from the first viewer who sees a change until the others do, how many
questions came through to the pages, and what each part took. It ends with 1 where a viewer was
turned away or got no wall.
"""

import argparse
import gzip
import resource
import selectors
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import cycle
from pathlib import Path
from statistics import median, quantiles

from benchmarks.race.processes import cpu_ms, most_memory_mb, own_memory_mb
from kloplei_hub.demo import DemoHouse
from kloplei_hub.servers import ServerMissing, free_port
from kloplei_hub.virtual import BotTable, Players, names_at

HELD, FAILED = 0, 1
ROOT = Path(__file__).parents[1]
CONF = ROOT / "hub/nginx.conf"
_MAIN = """
daemon off;
user root;
worker_processes 1;
pid {folder}/pid;
error_log stderr warn;
events {{ worker_connections 30000; }}
http {{
    access_log off;
    keepalive_timeout 120s;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    {house}
}}
"""
_BYTES = 1 << 16
_WARM_S = 5.0
_AT_ONCE = 200  # connections a look, so that no queue of the kernel overflows


@contextmanager
def nginx(folder: Path, pages: str) -> Iterator[tuple[int, int]]:
    """Run nginx before *pages*; give its port, and its worker's process."""
    program = shutil.which("nginx") or "/usr/sbin/nginx"
    if not Path(program).exists():
        raise ServerMissing("There is no nginx. Run:  sudo apt-get install nginx-light")
    port = free_port()
    house = CONF.read_text(encoding="utf-8")
    for was, now in (
        ("127.0.0.1:8090", pages.removeprefix("http://")),
        ("/var/cache/kloplei-hub", f"{folder}/cache"),
        ("    listen 80;", f"    listen 127.0.0.1:{port} backlog=16384;"),
        ("    listen [::]:80;\n", ""),
    ):
        house = house.replace(was, now)
    conf = folder / "nginx.conf"
    conf.write_text(_MAIN.format(folder=folder, house=house), encoding="utf-8")
    running = subprocess.Popen([program, "-p", str(folder), "-c", str(conf)])
    try:
        _wait_for(f"http://127.0.0.1:{port}/offline")
        children = Path(f"/proc/{running.pid}/task/{running.pid}/children").read_text().split()
        yield port, int(children[0])
    finally:
        running.terminate()
        running.wait(30)


def _wait_for(address: str) -> bytes:
    for _ in range(600):
        try:
            with urllib.request.urlopen(address, timeout=5) as answer:  # noqa: S310 - our own
                body: bytes = answer.read()
                return body
        except OSError:
            time.sleep(0.1)
    raise ServerMissing(f"Nobody answers at {address}.")


class Viewer:
    """One browser that looks at the wall: it asks what comes after what it has seen."""

    __slots__ = ("answers", "connection", "got", "version")

    def __init__(self, version: str) -> None:
        self.version = version
        self.got = b""
        self.answers = 0
        self.connection = socket.socket()

    def ask(self) -> None:
        """Ask for the next wall."""
        self.connection.send(
            b"GET /wall/after/%b?lang=nl HTTP/1.1\r\nHost: house\r\nAccept-Encoding: gzip\r\n\r\n"
            % self.version.encode()
        )


class Crowd:
    """All viewers, told by one loop; *seen_s* is when each version was seen by whom."""

    def __init__(self, port: int, viewers: int, version: str) -> None:
        self._selector = selectors.DefaultSelector()
        self._port = port
        self.viewers = [Viewer(version) for _ in range(viewers)]
        self.seen_s: defaultdict[str, list[float]] = defaultdict(list)
        self.turned_away = 0
        self._versions: dict[bytes, str] = {}

    def come(self) -> None:
        """Let all of them connect, and ask."""
        for at, viewer in enumerate(self.viewers):
            viewer.connection.connect(("127.0.0.1", self._port))
            viewer.connection.setblocking(False)
            self._selector.register(viewer.connection, selectors.EVENT_READ, viewer)
            viewer.ask()
            if at % _AT_ONCE == 0:
                self.look(0.0)

    def look(self, wait_s: float) -> None:
        """Take what came, and ask on."""
        for key, _ in self._selector.select(wait_s):
            self._hear(key.data)

    def _hear(self, viewer: Viewer) -> None:
        try:
            came = viewer.connection.recv(_BYTES)
        except BlockingIOError:
            return
        if not came:
            self.turned_away += 1
            self._selector.unregister(viewer.connection)
            return
        viewer.got += came
        head, found, body = viewer.got.partition(b"\r\n\r\n")
        if not found or not _is_whole(head, body):
            return
        viewer.got = b""
        if b" 200 " in head[:20]:
            viewer.version = self._version_of(head, body)
            viewer.answers += 1
            self.seen_s[viewer.version].append(time.monotonic())
        elif b" 204 " not in head[:20]:
            self.turned_away += 1
        viewer.ask()

    def _version_of(self, head: bytes, body: bytes) -> str:
        """Return which wall *body* shows; each is unpacked once."""
        if body not in self._versions:
            plain = _unchunked(body) if b"chunked" in head.lower() else body
            text = gzip.decompress(plain) if b"gzip" in head.lower() else plain
            self._versions[body] = text.partition(b'data-version="')[2].split(b'"')[0].decode()
        return self._versions[body]


def _is_whole(head: bytes, body: bytes) -> bool:
    if b" 204 " in head[:20]:
        return True
    lower = head.lower()
    if b"content-length:" in lower:
        return len(body) >= int(lower.split(b"content-length:")[1].split(b"\r\n")[0])
    return body.endswith(b"0\r\n\r\n")


def _unchunked(body: bytes) -> bytes:
    plain = b""
    while body:
        size, _, rest = body.partition(b"\r\n")
        if (length := int(size, 16)) == 0:
            break
        plain, body = plain + rest[:length], rest[length + 2 :]
    return plain


def main(words: Sequence[str] | None = None) -> int:
    """Run it and tell what came of it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--viewers", type=int, default=10_000)
    parser.add_argument("--tables", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--every", type=float, default=3.0)
    asked = parser.parse_args(words)
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    with tempfile.TemporaryDirectory() as named, ExitStack() as opened:
        folder = Path(named)
        folder.chmod(0o755)
        house = opened.enter_context(DemoHouse(folder / "house", programs=("ingest", "web")))
        tables = [
            BotTable(folder / f"table-{at}", "watten", at, names_at(at))
            for at in range(asked.tables)
        ]
        opened.enter_context(house.on_line(tables))
        opened.enter_context(Players([_InTurns(tables)], asked.every))
        _wait_for(house.pages)
        port, worker = opened.enter_context(nginx(folder, house.pages))
        page = _wait_for(f"http://127.0.0.1:{port}/").decode()
        crowd = Crowd(port, asked.viewers, page.partition('data-version="')[2].split('"')[0])
        crowd.come()
        return _watch(crowd, house, worker, asked.seconds)


class _InTurns:
    """Lets one of *tables* do something at each thought, by turns."""

    def __init__(self, tables: Sequence[BotTable]) -> None:
        self._count = len(tables)
        self._turns = cycle(tables)

    def think(self) -> bool:
        """Let the next one that can do something."""
        return any(next(self._turns).think() for _ in range(self._count))


def _watch(crowd: Crowd, house: DemoHouse, worker: int, seconds: float) -> int:
    began_s = time.monotonic()
    while time.monotonic() < began_s + _WARM_S:
        crowd.look(0.05)
    crowd.seen_s.clear()
    parts = {"nginx": worker, "web": house.running["web"].pid}
    before = {name: cpu_ms(pid) for name, pid in parts.items()}
    began_s = time.monotonic()
    while time.monotonic() < began_s + seconds:
        crowd.look(0.05)
    took_s = time.monotonic() - began_s
    silent = sum(not viewer.answers for viewer in crowd.viewers)
    late_ms = [
        1000 * (at_s - min(seen))
        for seen in list(crowd.seen_s.values())[:-1]
        if len(seen) > len(crowd.viewers) / 2
        for at_s in seen
    ]
    print(
        f"{len(crowd.viewers)} viewers, {len(crowd.seen_s)} walls, {crowd.turned_away} turned away"
    )
    print(
        f"after the first of them: median {median(late_ms):.0f} ms, 99 % "
        f"{quantiles(late_ms, n=100)[98]:.0f} ms, the last {max(late_ms):.0f} ms"
    )
    for name, pid in parts.items():
        share = (cpu_ms(pid) - before[name]) / took_s / 10
        memory = f"{own_memory_mb(pid):6.1f} MB, {most_memory_mb(pid):.1f} MB at most"
        print(f"{name:6} {share:5.1f} % of a core, {memory}")
    return FAILED if crowd.turned_away or silent else HELD


if __name__ == "__main__":
    sys.exit(main())
