"""A panel may flood, stall, talk nonsense or die: the table goes on, and others are served."""

import contextlib
import json
import os
import random
import signal
import socket
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from kloplei.games.game import Seat
from kloplei.table.client import TableUnavailable
from kloplei.table.rpc_client import RemoteTable, remote_table
from kloplei.table.rpc_server import MOST_BYTES, RpcServer
from kloplei.table.session import Session
from kloplei_hub.servers import free_port
from tests.cli.processes import PATIENCE_S, get, patiently, post, running
from tests.cli.test_units import settings
from tests.table.memory_journal import MemoryJournal
from tests.table.test_rpc_server import Wire, asking
from tests.until import until

FLOODERS, REQUESTS = 8, 400
MOST_BEFORE = FLOODERS * REQUESTS // 10
"""Of the flood's answers, how many may come while one ask waits; some twenty do."""
MOST_BLOCKS = 40_000  # of Python, for all that flooders may have in flight
NONSENSE = 300


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "table.sock"


@pytest.fixture
def session() -> Iterator[Session]:
    with Session(MemoryJournal(reach=100), keepalive_s=0.05) as session:
        session.submit(Seat(0), "sit_down", facts={"name": "Ann"})
        session.submit(Seat(1), "sit_down", facts={"name": "Bo"})
        yield session


@pytest.fixture
def panel(session: Session, path: Path) -> Iterator[RemoteTable]:
    """A panel that behaves, among others that do not."""
    with RpcServer(session, path, clients=16, patience_s=0.3), closing(remote_table(path)) as panel:
        yield panel


def renaming(number: int) -> bytes:
    return asking(
        number,
        "table.submit",
        seat=2,
        action="rename",
        seen=None,
        facts={"name": f"Bo {number}"},
        via="phone",
        waits=False,
    )


def submit_while(panel: RemoteTable, so: Callable[[], bool]) -> Iterator[None]:
    """Ask as long as it is *so*, and some times more; yield before and after each answer."""
    number = 0
    while so() or number < 20:
        number += 1
        yield
        panel.submit(Seat(0), "rename", facts={"name": f"Ann {number}"})
        yield


def test_thousands_of_asks_hold_nobody_up(panel: RemoteTable, path: Path) -> None:
    """While one ask waits, others are answered in turn: so few that it waits for no flood."""
    answered = [0] * FLOODERS

    def flood(one: int) -> None:
        with Wire(path) as wire:
            wire.socket.settimeout(PATIENCE_S)
            for number in range(REQUESTS):
                wire.say(renaming(number))
                wire.hear()
                answered[one] += 1

    flooders = [threading.Thread(target=flood, args=(one,)) for one in range(FLOODERS)]
    for one in flooders:
        one.start()
    marks = [
        sum(answered) for _ in submit_while(panel, lambda: any(one.is_alive() for one in flooders))
    ]
    waits = [after - before for before, after in zip(marks[::2], marks[1::2], strict=True)]

    assert answered == [REQUESTS] * FLOODERS
    assert max(waits) < MOST_BEFORE


def stalling(opening: ExitStack, path: Path) -> list[threading.Thread]:
    """Start clients that ask and never read, until nobody listens to them or *opening* ends."""

    def stall(wire: Wire) -> None:
        with contextlib.suppress(OSError):
            for number in range(20_000):
                wire.say(asking(number, "table.scoreboard"))

    def hang_up(wire: Wire, thread: threading.Thread) -> None:
        with contextlib.suppress(OSError):
            # What is closed under a thread that waits for it would not wake it.
            wire.socket.shutdown(socket.SHUT_RDWR)
        thread.join(PATIENCE_S)

    threads = []
    for _ in range(FLOODERS):
        wire = opening.enter_context(Wire(path))
        wire.socket.settimeout(None)
        thread = threading.Thread(target=stall, args=(wire,))
        thread.start()
        opening.callback(hang_up, wire, thread)
        threads.append(thread)
    return threads


def test_who_asks_and_never_reads_holds_nobody_up_and_fills_no_memory(
    session: Session, path: Path
) -> None:
    """Not even while it is not dropped: the patience of this server outlasts the test."""
    with ExitStack() as opening:
        opening.enter_context(RpcServer(session, path, clients=16, patience_s=PATIENCE_S))
        panel = opening.enter_context(closing(remote_table(path)))
        panel.scoreboard()
        before = sys.getallocatedblocks()
        threads = stalling(opening, path)

        for _ in submit_while(panel, lambda: False):
            assert all(one.is_alive() for one in threads)

        assert sys.getallocatedblocks() - before < MOST_BLOCKS


def test_who_asks_and_never_reads_is_dropped(panel: RemoteTable, path: Path) -> None:
    with ExitStack() as opening:
        for one in stalling(opening, path):
            one.join(PATIENCE_S)
            assert not one.is_alive()
        assert panel.scoreboard() is not None


def nonsense(dice: random.Random) -> bytes:
    """Return what no table understands: bytes, half lines, numbers that are none, depths."""
    half = renaming(1)[: dice.randrange(1, 60)]
    odd = dice.choice([b"1e999", b"NaN", b"-Infinity", b"9" * 5000, b"{" * 900, b'"\\ud800"'])
    return dice.choice(
        [
            dice.randbytes(dice.randrange(1, 4000)),
            dice.randbytes(200) + b"\n",
            half,
            half + b"\n",
            b"\xff\xfe" + half + b"\n",
            b"[" * dice.randrange(1, 30_000) + b"\n",
            b'{"a":' * dice.randrange(1, 900) + b"1\n",
            b'{"id": ' + odd + b', "method": "table.frame", "params": {}}\n',
            b'{"id": 1, "method": "table.log", "params": {"limit": ' + odd + b"}}\n",
            renaming(1).replace(b'"Bo 1"', odd),
            renaming(1).replace(b'"seat": 2', b'"seat": ' + odd),
            b"x" * (MOST_BYTES + dice.randrange(1, 90_000)),
        ]
    )


@pytest.mark.parametrize("seed", range(4))
def test_nonsense_changes_nothing_and_holds_nobody_up(
    panel: RemoteTable,
    session: Session,
    path: Path,
    seed: int,
    caplog: pytest.LogCaptureFixture,
) -> None:
    dice = random.Random(seed)
    before = session.scoreboard()
    for _ in range(NONSENSE // 4):
        with Wire(path) as wire, contextlib.suppress(OSError):
            wire.say(nonsense(dice))
            if dice.random() < 0.5:  # and hang up in the middle of it
                wire.socket.shutdown(socket.SHUT_WR)
                wire.hear()

    assert panel.scoreboard() == before  # or the panel loses its patience
    assert "stumbled" not in caplog.text


def test_a_crowd_that_says_nothing_leaves_no_thread_behind(panel: RemoteTable, path: Path) -> None:
    with ExitStack() as wires:
        for _ in range(200):
            wires.enter_context(silent(path))
        assert panel.submit(Seat(0), "rename", facts={"name": "Cor"}) > 0
        until(lambda: len(clients()) <= 17)  # the places, and one at the door
    until(lambda: len(clients()) <= 1)


def silent(path: Path) -> socket.socket:
    """Return a connection on which nothing is ever said."""
    one = socket.socket(socket.AF_UNIX)
    one.connect(str(path))  # without a time-out it waits at the door
    return one


def test_followers_that_come_and_go_leave_no_thread_behind(panel: RemoteTable, path: Path) -> None:
    for _ in range(100):
        with Wire(path) as wire:
            wire.say(asking(1, "table.follow", after=None))
    assert panel.scoreboard() is not None

    until(lambda: len(clients()) <= 1)


def clients() -> list[threading.Thread]:
    return [one for one in threading.enumerate() if one.name == "kloplei-client"]


# Real processes


def status(url: str) -> tuple[int, dict[str, object]]:
    """Return what the panel says of the table."""
    try:
        return 200, get(f"{url}/api/v1/scoreboard")
    except urllib.error.HTTPError as error:
        with error:
            return error.code, dict(json.load(error))


def kept(board: dict[str, object]) -> dict[str, object]:
    """Return what a power cut may not change: all but the sentence that stands for a while."""
    return {name: one for name, one in board.items() if name != "shown"}


def test_a_panel_that_starts_first_says_so_and_shows_the_table_as_soon_as_there_is_one(
    tmp_path: Path,
) -> None:
    port = free_port()
    config, url = str(settings(tmp_path, port)), f"http://127.0.0.1:{port}"
    with running("panel", "--config", config):
        code, said = patiently(lambda: status(url))
        assert (code, said["error"]) == (503, "table_silent")
        assert page(url)[0] == 503

        with running("run", "--config", config) as table:
            assert comes(url, 200)
            post(f"{url}/api/v1/seats/1/actions", {"action": "sit_down", "name": "Anna"})
            board = kept(status(url)[1])
            os.kill(table.pid, signal.SIGKILL)
            table.wait(PATIENCE_S)

            assert comes(url, 503)
            assert "does not answer" in page(url)[1]
        with running("run", "--config", config):
            assert comes(url, 200)
            assert kept(status(url)[1]) == board


def test_a_panel_that_is_killed_comes_back_to_the_table_it_left(tmp_path: Path) -> None:
    port = free_port()
    config, url = str(settings(tmp_path, port)), f"http://127.0.0.1:{port}"
    with running("run", "--config", config):
        with running("panel", "--config", config) as panel:
            assert comes(url, 200)
            post(f"{url}/api/v1/seats/1/actions", {"action": "sit_down", "name": "Anna"})
            board = status(url)[1]
            os.kill(panel.pid, signal.SIGKILL)
            panel.wait(PATIENCE_S)
        with closing(remote_table(tmp_path / "table.sock")) as remote:
            assert remote.submit(Seat(1), "sit_down") > int(str(board["seq"]))

        with running("panel", "--config", config):
            assert comes(url, 200)
            assert len(list(status(url)[1]["rows"])) == 2  # type: ignore[call-overload]


def page(url: str) -> tuple[int, str]:
    """Return what somebody sees who opens the slate."""
    ask = urllib.request.Request(f"{url}/?lang=en", headers={"Accept": "text/html"})
    try:
        with urllib.request.urlopen(ask, timeout=PATIENCE_S) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


def comes(url: str, code: int) -> bool:
    """Wait until the panel answers with *code*; return whether it does in time."""
    until_s = time.monotonic() + PATIENCE_S
    while time.monotonic() < until_s:
        with contextlib.suppress(urllib.error.URLError, TableUnavailable):
            if status(url)[0] == code:
                return True
        time.sleep(0.05)  # other processes' time cannot be passed in
    return False
