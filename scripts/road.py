"""Follow one knock on the virtual table, from the pin to the slate and to a phone that watches.

It starts the demo as ``kloplei demo`` does, lets somebody knock at a free seat, and prints the
frames between the table's thread and the journal, and the files of ours that ran on the way.
``--root`` measures another checkout. A table that idles in the meantime counts as well, so that
a file more or less is no news.
"""

import argparse
import http.client
import json
import os
import signal
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).parents[1]
_FOLDERS = ("firmware", "webpanel")
_SEAT = 5  # the demo seats four
_PATIENCE_S = 30.0
_PAINTED_S = 1.0  # after the phone has seen it: the slate's last frame stands by then


class Road:
    """What ran since the knock began; one is set up before any thread is.

    Args:
        root: The checkout whose files are counted.
    """

    def __init__(self, root: Path) -> None:
        self.files: set[str] = set()
        self.frames: tuple[str, ...] = ()
        self._sources = tuple(f"{root / folder}{os.sep}" for folder in _FOLDERS)
        self._is_open = False
        self._knocker: int | None = None  # the thread that only asks for the knock

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Look at every call of threads that start from now on."""
        threading.setprofile(self._called)
        try:
            yield
        finally:
            self._is_open = False
            threading.setprofile(None)

    def close(self) -> None:
        """Count no more."""
        self._is_open = False

    def _called(self, frame: FrameType, event: str, _told: Any) -> None:
        if event != "call":
            return
        code = frame.f_code
        if not code.co_filename.startswith(self._sources) or code.co_name == "<module>":
            return
        if code.co_name == "knock" and code.co_filename.endswith("devices/virtual.py"):
            self._is_open, self._knocker = True, threading.get_ident()
        if self._is_open and threading.get_ident() != self._knocker:
            self.files.add(code.co_filename)
            if code.co_name == "append" and code.co_filename.endswith("table/journal.py"):
                self.frames = self.frames or tuple(_up_to_the_thread(frame))


def _up_to_the_thread(frame: FrameType | None) -> Iterator[str]:
    """Yield what stands between *frame* and `Session._run`, the innermost first."""
    while frame is not None and (frame := frame.f_back) is not None:
        if frame.f_code.co_name == "_run":
            return
        yield f"{Path(frame.f_code.co_filename).stem}.{frame.f_code.co_qualname}"


def _knock(port: int, road: Road) -> None:
    """Watch as a phone does, knock, and end the demo once everybody has seen it."""
    try:
        watching = _connect(port)
        watching.request("GET", "/api/v1/stream")
        boards = _boards(watching.getresponse())
        seq = next(boards)["seq"]
        knocking = _connect(port)
        knocking.request("POST", f"/demo/seats/{_SEAT}/knock", "{}", _JSON)
        knocking.getresponse().read()
        next(board for board in boards if board["seq"] > seq)
        time.sleep(_PAINTED_S)
        road.close()
    finally:
        os.kill(os.getpid(), signal.SIGTERM)


_JSON = {"Content-Type": "application/json"}


def _connect(port: int) -> http.client.HTTPConnection:
    """Wait until the panel listens at *port*."""
    until_s = time.monotonic() + _PATIENCE_S
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1.0).close()
            return http.client.HTTPConnection("127.0.0.1", port, timeout=_PATIENCE_S)
        except OSError:
            if time.monotonic() > until_s:
                raise
            time.sleep(0.1)


def _boards(stream: http.client.HTTPResponse) -> Iterator[Any]:
    while line := stream.readline():
        if line.startswith(b"data:"):
            yield json.loads(line.removeprefix(b"data:"))


# Not `kloplei_hub.servers.free_port`: it would load modules of this checkout, which then were there
# before those of --root, and what ran of them would count for neither.
def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def follow(root: Path) -> Road:
    """Return the road of one knock in the checkout *root*."""
    sys.path[:0] = [str(root / folder) for folder in _FOLDERS]
    from kloplei.cli.main import main

    road, port = Road(root), _free_port()
    with tempfile.TemporaryDirectory() as data, road.watched():
        # The demo waits for signals, which only the main thread gets.
        threading.Thread(target=_knock, args=(port, road), daemon=True).start()
        main(["demo", "--port", str(port), "--data", data])
    return road


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the road; 1 if the knock never reached the journal."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, default=ROOT, help="the checkout to look at")
    parser.add_argument("--files", action="store_true", help="name the files as well")
    asked = parser.parse_args(arguments)
    root = asked.root.resolve()
    road = follow(root)
    print(f"{'frames to the journal':26} {len(road.frames)}")
    for frame in reversed(road.frames):
        print(f"  {frame}")
    print(f"{'files of a knock':26} {len(road.files)}")
    for file in sorted(road.files) if asked.files else ():
        print(f"  {Path(file).relative_to(root)}")
    return 0 if road.frames else 1


if __name__ == "__main__":
    sys.exit(main())
