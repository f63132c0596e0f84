"""A thousand phones follow a table of bots for hours: does it hold, and does memory stay flat?

    python -m benchmarks.load [--phones 1000] [--hours 2] [--pace 1]

Both units run as on a box, but for wires; the phones come over the loopback. Two of three are
sent pages, every other one packed. Each second one hangs up without a word and comes back a second
later, and one never reads. A line a minute tells what both units hold. It ends with 1 and says why
if memory, threads or open files grew, a phone was refused or dropped, or a change did not come to
all of them.
"""

import argparse
import itertools
import random
import selectors
import socket
import sys
import time
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from benchmarks.race.crowd import HERE, PATIENCE_S, allow_files
from benchmarks.race.phones import Box, box
from benchmarks.race.processes import cpu_ms, own_memory_mb, threads
from benchmarks.race.row import Missing
from kloplei.demo.bots import next_press
from kloplei.games.game import IllegalAction
from kloplei.table.client import TableClient
from kloplei.table.rpc_client import remote_table

HELD, FAILED = 0, 1
WARM = 5  # minutes until every page was drawn and every place taken once
MOST_MB, MOST_THREADS, MOST_FILES = 10.0, 3, 12  # on top of what stood when it was warm
SEED = 31
_MOST_BYTES = 1 << 17
_EVENT = b"\ndata: "
_STREAMS = ("/api/v1/stream?page=slate", "/api/v1/stream?page=slate&seat=1", "/api/v1/stream")
_HEADS = ("1.1\r\nAccept-Encoding: identity", "1.0\r\nAccept-Encoding: gzip")


@dataclass(eq=False)
class Phone:
    """One that follows: what it was *told*, unpacked, and how many events that were."""

    line: socket.socket
    events: int = 0
    _head: bytes | None = b""
    _tail: bytes = b""
    _unpack: "zlib._Decompress | None" = None

    def take(self, told: bytes) -> bool:
        """Take what came; return whether it may follow."""
        if self._head is not None:
            self._head += told
            head, blank, told = self._head.partition(b"\r\n\r\n")
            if not blank:
                return True
            if b" 200 " not in head[:20]:
                return False
            self._head = None
            self._unpack = zlib.decompressobj(31) if b"gzip" in head else None
        self._count(told if self._unpack is None else self._unpacked(told))
        return True

    def _unpacked(self, told: bytes) -> bytes:
        """Unpack *told*, which is one whole file of gzip after the other."""
        text = b""
        while told and self._unpack is not None:
            text += self._unpack.decompress(told)
            told = self._unpack.unused_data
            if self._unpack.eof:
                self._unpack = zlib.decompressobj(31)
        return text

    def _count(self, text: bytes) -> None:
        text = self._tail + text
        self.events += text.count(_EVENT)
        self._tail = text[-len(_EVENT) + 1 :]


@dataclass(frozen=True, slots=True)
class Minute:
    """What both units held so long after the begin, and how soon changes came to all phones."""

    at_s: float
    changes: int
    panel_mb: float
    table_mb: float
    threads: int
    files: int
    cpu_ms: float  # since the units began
    median_ms: float
    slowest_ms: float

    def __str__(self) -> str:
        return (
            f"{self.at_s / 60:4.0f} min {self.changes:6} changes, to the last phone "
            f"{self.median_ms:5.1f} ms, at most {self.slowest_ms:6.1f}; "
            f"panel {self.panel_mb:.1f} MB, table {self.table_mb:.1f} MB, {self.threads} threads, "
            f"{self.files} files, {self.cpu_ms / 1e3:.0f} s of CPU"
        )


@dataclass
class Phones:
    """Those that follow the panel at *port*; they hear while `read` is called."""

    port: int
    dropped: int = 0
    here: set[Phone] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._selector = selectors.DefaultSelector()
        self._asks = itertools.cycle(itertools.product(_HEADS, _STREAMS))
        self._deaf = self._asking()  # it never reads

    def come(self) -> None:
        """Let one more follow."""
        phone = Phone(self._asking())
        self._selector.register(phone.line, selectors.EVENT_READ, phone)
        self.here.add(phone)

    def go(self, phone: Phone) -> None:
        """Let *phone* hang up without a word."""
        self._selector.unregister(phone.line)
        phone.line.close()
        self.here.remove(phone)

    def read(self, for_s: float) -> None:
        """Take what has come, or comes within *for_s*."""
        for key, _ in self._selector.select(for_s):
            phone: Phone = key.data
            told = b""
            with suppress(ConnectionError):  # hung up without a word, as well
                told = phone.line.recv(_MOST_BYTES)
            if not told or not phone.take(told):
                self.dropped += 1
                self.go(phone)

    def rest(self, for_s: float) -> None:
        """Read all that comes in so many seconds."""
        until_s = time.monotonic() + for_s
        while (left_s := until_s - time.monotonic()) > 0:
            self.read(left_s)

    def wait_for_all(self, heard: dict[Phone, int], begun_s: float) -> float:
        """Read until each of *heard* was told more; return the milliseconds since *begun_s*."""
        while any(one in self.here and one.events <= before for one, before in heard.items()):
            self.read(0.1)
            if time.perf_counter() > begun_s + PATIENCE_S:
                raise Missing(f"a change did not come to all within {PATIENCE_S:g} s")
        return 1e3 * (time.perf_counter() - begun_s)

    def close(self) -> None:
        """Let all go."""
        for phone in list(self.here):
            self.go(phone)
        self._selector.close()
        self._deaf.close()

    def _asking(self) -> socket.socket:
        head, stream = next(self._asks)
        line = socket.create_connection((HERE, self.port), PATIENCE_S)
        line.sendall(f"GET {stream} HTTP/{head}\r\nHost: {HERE}\r\n\r\n".encode())
        return line


def evening(running: Box, phones: int, hours: float, pace: float) -> Iterator[Minute]:
    """Let *phones* follow bots that think *pace* times a second; yield each minute.

    Raises:
        Missing: A change did not come to all in time, or a phone was refused or dropped.
    """
    dice = random.Random(SEED)  # noqa: S311 - the same evening each time
    crowd = Phones(running.port)
    for _ in range(phones - 1):
        crowd.come()
        crowd.read(0)
    crowd.rest(3.0)
    began_s = due_s = change_s = came_s = time.monotonic()
    changes, lags = 0, [0.0]
    with closing(crowd), closing(remote_table(running.socket)) as table:
        while (now_s := time.monotonic()) < began_s + hours * 3600:
            if now_s >= change_s:
                change_s = now_s + dice.uniform(0.5, 1.5) / pace
                if (lag_ms := _change(table, crowd, dice)) is not None:
                    changes += 1
                    lags.append(lag_ms)
            if now_s >= came_s + 1:
                came_s = now_s
                _come_or_go(crowd, phones, dice)
            if now_s >= due_s + 60:
                due_s = now_s
                yield _minute(running, now_s - began_s, changes, lags)
                lags = [0.0]
            if crowd.dropped:
                raise Missing(f"{crowd.dropped} phones were refused or dropped")
            crowd.rest(0.1)


def complaints(minutes: Sequence[Minute]) -> list[str]:
    """Return what was not flat once it was warm, a sentence each."""
    if len(minutes) <= WARM:
        return [f"only {len(minutes)} minutes: too short to tell"]
    warm, last, found = minutes[WARM - 1], minutes[-1], []
    if last.panel_mb > warm.panel_mb + MOST_MB:
        found.append(f"the panel grew from {warm.panel_mb:.1f} to {last.panel_mb:.1f} MB")
    if last.table_mb > warm.table_mb + MOST_MB:
        found.append(f"the table grew from {warm.table_mb:.1f} to {last.table_mb:.1f} MB")
    if last.threads > warm.threads + MOST_THREADS:
        found.append(f"threads grew from {warm.threads} to {last.threads}")
    if last.files > warm.files + MOST_FILES:
        found.append(f"open files grew from {warm.files} to {last.files}")
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Let them follow, print a line a minute, and return the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--phones", type=int, default=1000, metavar="N")
    parser.add_argument("--hours", type=float, default=2.0, metavar="N")
    parser.add_argument("--pace", type=float, default=1.0, metavar="N", help="thoughts a second")
    arguments = parser.parse_args(argv)
    minutes: list[Minute] = []
    allow_files(arguments.phones)
    try:
        with box(arguments.phones) as running:
            for minute in evening(running, arguments.phones, arguments.hours, arguments.pace):
                minutes.append(minute)
                print(minute, flush=True)
    except Missing as error:
        print(f"benchmarks/load.py: {error}", file=sys.stderr)
        return FAILED
    found = complaints(minutes)
    print(*found or ["it held, and stayed flat"], sep="\n")
    return FAILED if found else HELD


def _change(table: TableClient, crowd: Phones, dice: random.Random) -> float | None:
    """Do what a bot would; return after how many milliseconds all knew, None if it was refused."""
    heard = {one: one.events for one in crowd.here if one.events}
    begun_s = time.perf_counter()
    return crowd.wait_for_all(heard, begun_s) if _did_something(table, dice) else None


def _come_or_go(crowd: Phones, phones: int, dice: random.Random) -> None:
    """Let any of them go, or one come where one has gone."""
    if len(crowd.here) < phones - 1:
        crowd.come()
    else:
        crowd.go(dice.choice(list(crowd.here)))


def _did_something(table: TableClient, dice: random.Random) -> bool:
    """Do what a bot would; return whether the table took it."""
    press = next_press(table.scoreboard(), dice)
    if press is None:
        return False
    try:
        table.submit(press.seat, press.action, facts=press.facts)
    except IllegalAction:
        return False
    return True


def _minute(running: Box, at_s: float, changes: int, lags: Sequence[float]) -> Minute:
    both = (running.panel, running.table)
    return Minute(
        at_s,
        changes,
        own_memory_mb(running.panel),
        own_memory_mb(running.table),
        sum(int(threads(one)) for one in both),
        sum(len(list(Path(f"/proc/{one}/fd").iterdir())) for one in both),
        sum(cpu_ms(one) for one in both),
        median(lags),
        max(lags),
    )


if __name__ == "__main__":
    sys.exit(main())
