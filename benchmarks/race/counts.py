"""What is done once and not again for each phone, counted: writing, drawing, threads, syncs.

The panel runs in this process, its phones on real sockets; syncs are counted by the kernel's own
word, as a debugger hears it, of a process that plays with a journal on disk.
"""

import ctypes
import os
import platform
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from jinja2 import Template

from benchmarks.race.crowd import Crowd, post
from benchmarks.race.processes import ROOT, environment, folder
from benchmarks.race.row import Missing, Row, given
from kloplei.games.game import Seat
from kloplei.table.session import Session
from kloplei_panel import PanelSettings, create_app
from kloplei_panel.api import table as table_api
from kloplei_panel.server import Server
from tests.table.memory_journal import MemoryJournal

PHONES = 30
_ASKS = [post("/api/v1/actions", {"action": one}) for one in ("undo", "redo")]
_ACTIONS = 10
_SLATE = "slate/table.html"
_PLAY = """
import ctypes, os, signal, sys
from pathlib import Path
from kloplei.games.game import Seat
from kloplei.table.core import Table
from kloplei.table.journal import Journal
from kloplei.table.seating import TableSetup
with Journal(Path(sys.argv[1])) as journal:
    table = Table(journal, TableSetup())
    for seat in range(4):
        table.submit(Seat(seat), "sit_down", now_s=0.0, facts={"name": f"Speler {seat + 1}"})
    for action in ("start", "deal"):
        table.submit(Seat(0), action, now_s=0.0)
    ctypes.CDLL(None).ptrace(0, 0, None, None)
    os.kill(os.getpid(), signal.SIGSTOP)
    for turn in range(int(sys.argv[2])):
        table.submit(None, ("undo", "redo")[turn % 2], now_s=0.0)
    os.kill(os.getpid(), signal.SIGSTOP)
"""
_SYNCS = {"x86_64": {74, 75}, "aarch64": {82, 83}}
_GO_ON_TO_NEXT_CALL, _SET_OPTIONS, _WHICH_CALL = 24, 0x4200, 0x420E
_MARK_CALLS, _A_CALL = 1, signal.SIGTRAP | 0x80
_BEGINS = 1


@contextmanager
def followed(phones: int = PHONES, *, with_pages: bool) -> Iterator[Crowd]:
    """Give so many *phones* that follow a table at which a hand is played."""
    with Session(MemoryJournal()) as table:
        for seat in range(4):
            table.submit(Seat(seat), "sit_down", facts={"name": f"Speler {seat + 1}"})
        for action in ("start", "deal"):
            table.submit(Seat(0), action)
        app = create_app(table, settings=PanelSettings(clients=2 * PHONES, keepalive_s=60))
        with (
            Server(app, "127.0.0.1", 0, clients=2 * PHONES) as server,
            Crowd(server.port, phones, "/api/v1/stream", _ASKS, with_pages=with_pages) as crowd,
        ):
            yield crowd


def _writings() -> float:
    """Return how often one change is written for all who are told of it."""
    with followed(with_pages=False) as crowd:
        crowd.change()
        with patch.object(table_api, "as_event", wraps=table_api.as_event) as written:
            crowd.change()
        return _at_all(written.call_count)


def _drawings() -> float:
    """Return how often the slate is drawn of one change, for all whose pages show it."""
    drawn: list[str | None] = []
    render = Template.render

    def note(template: Template, *told: Any, **more: Any) -> str:
        drawn.append(template.name)
        return render(template, *told, **more)

    with followed(with_pages=True) as crowd:
        crowd.change()
        with patch.object(Template, "render", note):
            crowd.change()
    return _at_all(drawn.count(_SLATE))


def _at_all(times: int) -> float:
    if not times:
        raise Missing("it is done elsewhere now, and nobody counts it")
    return float(times)


def _more_threads() -> float:
    """Return how many threads more there are with all phones than with one."""
    found: list[int] = []
    for phones in (1, PHONES):
        with followed(phones, with_pages=True):
            found.append(threading.active_count())
    return float(found[1] - found[0])


def syncs_of_an_action() -> float:
    """Return how often one action waits for the disk."""
    wanted = _SYNCS.get(platform.machine())
    if wanted is None:
        raise Missing(f"nobody said how {platform.machine()} numbers its calls")
    with folder() as here:
        command = [sys.executable, "-c", _PLAY, str(here / "kloplei.db"), str(_ACTIONS)]
        process = subprocess.Popen(command, cwd=ROOT, env=environment())
        try:
            return sum(one in wanted for one in _calls_of(process.pid)) / _ACTIONS
        finally:
            process.kill()
            process.wait()


def _calls_of(process: int) -> Iterator[int]:
    """Yield the number of each call of the kernel by *process*, from its stop to its next."""
    trace = ctypes.CDLL(None, use_errno=True).ptrace
    trace.argtypes = (ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p)
    told = ctypes.create_string_buffer(88)
    _stopped_by(process)
    if trace(_SET_OPTIONS, process, None, _MARK_CALLS):
        raise Missing(f"a debugger may not look here: {os.strerror(ctypes.get_errno())}")
    while True:
        trace(_GO_ON_TO_NEXT_CALL, process, None, None)
        if _stopped_by(process) != _A_CALL:
            return
        trace(_WHICH_CALL, process, len(told), ctypes.addressof(told))
        if told.raw[0] == _BEGINS:
            yield int.from_bytes(told.raw[24:32], sys.byteorder)


def _stopped_by(process: int) -> int:
    _, status = os.waitpid(process, 0)
    if not os.WIFSTOPPED(status):
        raise Missing("the process that is looked at has ended")
    return os.WSTOPSIG(status)


def _row(name: str, what: str, count: Callable[[], float], most: float, unit: str) -> Row:
    # Under one more: of what is counted, as many are allowed.
    return Row(name, what, unit, (given("Kloplei", count),), under=most + 1, counts=True)


ROWS = (
    _row(
        "once-event", f"times that a change is written for {PHONES} phones", _writings, 1, "times"
    ),
    _row(
        "once-page",
        f"times that it is drawn for {PHONES} phones, four of them at seats",
        _drawings,
        5,
        "times",
    ),
    _row(
        "once-threads",
        f"threads that a panel has more with {PHONES} phones than with one",
        _more_threads,
        0,
        "threads",
    ),
    _row("once-sync", "times that an action waits for the disk", syncs_of_an_action, 1, "syncs"),
)
