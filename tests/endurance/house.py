"""The house that box and panel stand in; run as a script by `tests.endurance.pub`.

It has its own mounts and its own network, so that disks fill up and addresses vanish for real,
and forks box and panel, so that they are killed for real and come back at once.
"""

import contextlib
import fcntl
import http.client
import json
import os
import shutil
import signal
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack, closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

from flask import Flask

from kloplei.table.client import TableClient
from kloplei.table.journal import Journal
from kloplei.table.rpc_client import remote_table
from kloplei.table.schema import WORLD, dump
from kloplei.table.session import Session
from kloplei_panel import PanelSettings, create_app
from kloplei_panel.server import Server
from tests.endurance.box import Stand, serve
from tests.panel.conftest import TEMPLATES
from tests.table.small_disk import SmallDisk

HOST, PORT = "127.0.0.1", 8080
PATIENCE_S = 20.0
CUT_OFF_S = 0.1  # where nothing can answer
STREAMS = 40
SLOW_PHONES = 30
_SIOCSIFFLAGS, _IFF_UP = 0x8914, 0x1
_ENDS_S = 30.0  # a thread that has nothing left to do


class House:
    """Box, panel, disk, network and phones, in one place."""

    def __init__(self, folder: Path) -> None:
        self.disk = SmallDisk(folder / "disk", size="3M")  # for all that the tests play
        self.disk.mount()
        self._folder = folder
        self._box: tuple[int, IO[str], IO[str]] | None = None
        self._panel: int | None = None
        self._phones: list[socket.socket] = []
        self._patience_s = PATIENCE_S
        self._let_network(up=True)
        self._open_for_a_moment()
        self.start_box()
        self.start_panel()

    def do(self, ask: Mapping[str, Any]) -> object:
        """Do what the line says; what is not for the house is for the box."""
        own: Mapping[str, Callable[..., object]] = {
            "get": self.get,
            "post": self.post,
            "fill": self.disk.fill,
            "free": self.disk.free,
            "remount": self.disk.remount,
            "network": lambda up: self._let_network(up=up),
            "kill-box": self.kill_box,
            "start-box": self.start_box,
            "kill-panel": self.kill_panel,
            "start-panel": self.start_panel,
            "crowd": self.crowd,
            "sleepers": self.sleepers,
            "send-home": self.send_home,
            "kept": self.kept,
        }
        if ask["do"] in own:
            return own[ask["do"]](*ask.get("with", ()))
        return self.tell_box(ask)

    # Box and panel

    def _open_for_a_moment(self) -> None:
        """Import and compile once what every box and every panel forked from here has need of."""
        with ExitStack() as opening:
            folder = Path(opening.enter_context(TemporaryDirectory())) / "data"
            folder.mkdir()
            stand = Stand(folder, opening)
            phone = _panel(stand.session).test_client()
            for path in ("/?lang=en", "/api/v1/scoreboard"):
                phone.get(path)
        # A fork has no threads but its own. Those without a name are luma's, which we never use;
        # those that follow a table end when they hear that it has.
        ours = [one for one in threading.enumerate() if not one.name.startswith("Thread-")]
        for one in ours:
            if one is not threading.current_thread():
                one.join(_ENDS_S)
                assert not one.is_alive(), one.name

    def start_box(self) -> None:
        """Fork a box, and return when it is ready."""
        to_box, from_test = os.pipe()
        from_box, to_test = os.pipe()
        pid = os.fork()
        if not pid:
            for other_end in (from_test, from_box):
                os.close(other_end)
            os.dup2(to_box, 0)
            os.dup2(to_test, 1)
            sys.stdin, sys.stdout = os.fdopen(0), os.fdopen(1, "w")
            _ended_by(lambda: serve(self.disk.folder))
        for other_end in (to_box, to_test):
            os.close(other_end)
        self._box = (pid, os.fdopen(from_test, "w"), os.fdopen(from_box))
        assert self._box[2].readline() == "ready\n", "the box did not start; stderr tells why"

    def tell_box(self, ask: Mapping[str, Any]) -> object:
        """Let the box do it, and return its answer."""
        assert self._box is not None, "no box runs"
        _, to_box, from_box = self._box
        print(json.dumps(ask), file=to_box, flush=True)
        return json.loads(from_box.readline())

    def kill_box(self) -> None:
        """End it as a pulled plug does."""
        assert self._box is not None
        pid, *pipes = self._box
        _kill(pid)
        for pipe in pipes:
            with contextlib.suppress(OSError):
                pipe.close()
        self._box = None

    def start_panel(self) -> None:
        """Fork a panel, and return when it answers, if only to say what is wrong."""
        pid = os.fork()
        if not pid:
            os.dup2(os.open(os.devnull, os.O_RDWR), 1)
            _ended_by(lambda: _serve_panel(self._folder / "table.sock"))
        self._panel = pid

    def kill_panel(self) -> None:
        """End it in the middle of whatever it does."""
        assert self._panel is not None
        _kill(self._panel)
        self._panel = None

    # Phones

    def get(self, path: str) -> list[object]:
        """Return status and text of a page; 0 where nobody answers."""
        return self._call("GET", path)

    def post(self, path: str, body: object) -> list[object]:
        """Return status and text of an answer."""
        return self._call("POST", path, json.dumps(body))

    def crowd(self, phones: int) -> list[int]:
        """Let *phones* come at once; return how many follow, and how many were told no."""
        self.get("/api/v1/scoreboard")  # a panel that starts turns nobody away, it is not there yet
        statuses = [_status(self._open_stream()) for _ in range(self._most(phones))]
        return [statuses.count(b"HTTP/1.1 200"), statuses.count(b"HTTP/1.1 503")]

    def sleepers(self) -> int:
        """Let phones come that never read what they are sent."""
        for _ in range(self._most(SLOW_PHONES)):
            self._open_stream(buffer_bytes=1024)
        return len(self._phones)

    def send_home(self) -> None:
        """Let all those phones go."""
        for phone in self._phones:
            phone.close()
        self._phones.clear()

    def _most(self, phones: int) -> int:
        """Return how many of *phones* to send; where nobody answers one knows as much as all."""
        return phones if self._panel and self._patience_s == PATIENCE_S else 1

    def _open_stream(self, buffer_bytes: int | None = None) -> socket.socket:
        phone = socket.socket()
        if buffer_bytes:
            phone.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer_bytes)
        phone.settimeout(self._patience_s)
        self._phones.append(phone)
        with contextlib.suppress(OSError):  # nobody there is an answer, too
            phone.connect((HOST, PORT))
            phone.sendall(b"GET /api/v1/stream HTTP/1.1\r\nHost: localhost\r\n\r\n")
        return phone

    def _call(self, method: str, path: str, body: str | None = None) -> list[object]:
        deadline_s = time.monotonic() + PATIENCE_S
        headers = {"Accept-Language": "en", "Content-Type": "application/json"}
        while True:
            with closing(http.client.HTTPConnection(HOST, PORT, timeout=self._patience_s)) as line:
                try:
                    line.request(method, path, body, headers)
                    answer = line.getresponse()
                    return [answer.status, answer.read().decode()]
                except OSError as error:
                    if self._panel is None or time.monotonic() > deadline_s or _is_cut(error):
                        return [0, str(error)]
            time.sleep(0.02)  # it is starting

    # Disk and network

    def kept(self, use_snapshot: bool) -> list[object]:
        """Return what another table reads from a copy of the journal, and how many entries."""
        copy = self._folder / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        copy.mkdir()
        for file in self.disk.folder.glob("kloplei.db*"):
            if not file.name.endswith((".lock", "-shm")):
                shutil.copy(file, copy)
        path = copy / "kloplei.db"
        with closing(Journal(path, reach=500 if use_snapshot else None)) as journal:
            board = dump(Session(journal).scoreboard(), form=WORLD)
            return [board, [entry.seq for entry in journal.entries()], journal.salvaged]

    def _let_network(self, *, up: bool) -> None:
        self._patience_s = PATIENCE_S if up else CUT_OFF_S
        with socket.socket() as any_socket:
            flags = struct.pack("16sH14x", b"lo", _IFF_UP if up else 0)
            fcntl.ioctl(any_socket, _SIOCSIFFLAGS, flags)


def _serve_panel(path: Path) -> None:
    app = _panel(remote_table(path, patience_s=5.0))
    with Server(app, HOST, PORT, clients=STREAMS):
        signal.pause()


def _panel(table: TableClient) -> Flask:
    app = create_app(table, settings=PanelSettings(keepalive_s=0.5))
    app.jinja_env.bytecode_cache = TEMPLATES
    return app


def _ended_by(do: Callable[[], None]) -> None:
    """Do it in a fork, and end without what the house has open."""
    try:
        do()
    except BaseException as error:  # noqa: BLE001 - it goes nowhere else
        print(f"ended by {error!r}", file=sys.stderr, flush=True)
    finally:
        os._exit(0)


def _status(phone: socket.socket) -> bytes:
    try:
        return phone.recv(12)
    except OSError:
        return b""


def _kill(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def _is_cut(error: OSError) -> bool:
    return not isinstance(error, ConnectionRefusedError | ConnectionResetError)


def main() -> None:
    """Do what comes in on stdin; answer each line with one."""
    house = House(Path(sys.argv[1]))
    print("ready", flush=True)
    try:
        for line in sys.stdin:
            print(json.dumps(house.do(json.loads(line))), flush=True)
    finally:
        for end in (house.kill_box, house.kill_panel):
            with contextlib.suppress(AssertionError):
                end()


if __name__ == "__main__":
    main()
