"""A thousand tables at one house: how long until a step is on its disk, and what saturates first?

    python -m benchmarks.house [--tables 1000] [--real 20] [--events 250] [--seconds 60]
                               [--backlog 0] [--broken]

Broker, database, ingest and fold are those of a house on one machine; *real* tables have journals
and bots, the others tell a journal that was played before, each as a box of its own with a line of
its own, all in one process. The lag of a step is from when it was made until its box heard that it
is committed. With --backlog each table has so many entries before the house is there, as after
weeks without one. With --broken the broker is killed for five seconds and ingest for four. It ends
with 1 where an entry is missing, or there twice.
"""

import argparse
import os
import random
import signal
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles
from typing import Any, cast

from benchmarks.race.processes import cpu_ms, most_memory_mb, own_memory_mb
from kloplei.table.client import BadRequest
from kloplei.table.uplink_client import (
    HouseEntry,
    HousePerson,
    StepsAfter,
    TableCall,
    UplinkClient,
)
from kloplei.uplink.boxes import Boxes, BoxUplink
from kloplei.uplink.links import KnownHouse
from kloplei.uplink.sender import Sender
from kloplei.uplink.wire import Have, Paired
from kloplei_hub.boxes import hashed, tell_broker
from kloplei_hub.demo import DemoHouse
from kloplei_hub.virtual import BotTable, Players, VirtualHouse

HELD, FAILED = 0, 1
_SEED = 16
_LONG = 3000  # entries of the journal that all of them tell
_TICK_S = 0.02
_SETTLE_S = 300.0
_THOUGHT_S = 1.0  # of the bots at real tables


class ReplayedTable:
    """A table that tells *entries* which were played before, as its own; an `UplinkClient`.

    What is told so far grows by `make`. Links are those of the played journal: the house holds each
    box to its own alone.
    """

    def __init__(self, number: int, entries: Sequence[HouseEntry]) -> None:
        self.box = f"replayed-{number}"
        self.era = f"era-{number}"
        self._entries = entries
        self._ends = [entry.seq for entry in entries if entry.link is not None]
        self._told = 0
        self.made = 0
        self._open: deque[tuple[int, float]] = deque()
        self.lags_s: list[float] = []

    def make(self) -> int:
        """Let one more step be made, and return how many entries it has; 0 at the end."""
        if self._told == len(self._ends):
            return 0
        before, self.made = self.made, self._ends[self._told]
        self._told += 1
        self._open.append((self.made, time.monotonic()))
        return self.made - before

    def has(self, seq: int) -> None:
        """Take note that the house has all up to entry *seq*."""
        now_s = time.monotonic()
        while self._open and self._open[0][0] <= seq:
            self.lags_s.append(now_s - self._open.popleft()[1])

    def steps(self, after: int, most: int = 100) -> StepsAfter:
        """Return what was made after entry *after*."""
        if after and self._entries[after - 1].link is None:
            raise BadRequest(f"No step ends with entry {after}.")
        found = list(self._entries[after : min(after + most, self.made)])
        while found and found[-1].link is None:
            found.pop()
        link = self._entries[after - 1].link if after else ""
        return StepsAfter(self.box, self.era, after, link or "", self.made, tuple(found))

    def agreed(self) -> tuple[HousePerson, ...]:
        """Return nobody."""
        return ()

    def call(self, call: TableCall) -> None:
        """Nobody comes."""


class _TimedSender(Sender):
    """A sender that tells its table what the house has."""

    def __init__(self, steps: Callable[[int], StepsAfter], has: Callable[[int], None]) -> None:
        super().__init__(steps)
        self._tell = has

    def heard(self, have: Have, now_s: float) -> None:
        super().heard(have, now_s)
        self._tell(self.has)


class Replayed:
    """So many replayed tables on the line, which make so many entries a second together."""

    def __init__(self, tables: Sequence[ReplayedTable], known: Sequence[KnownHouse]) -> None:
        self.tables = tables
        self._boxes = Boxes()
        self._dice = random.Random(_SEED)  # noqa: S311 - who plays next
        self._uplinks = []
        for table, house in zip(tables, known, strict=True):
            uplink = BoxUplink(table.box, house, cast("UplinkClient", table))
            uplink.sender = _TimedSender(table.steps, table.has)
            self._uplinks.append(uplink)
            self._boxes.add(uplink)

    def run(self, events: float, seconds: float, happens: Sequence[tuple[float, Any]]) -> None:
        """Make *events* entries a second for so long; what *happens* does so at its second."""
        began_s, made, due = time.monotonic(), 0, deque(happens)
        while (passed_s := time.monotonic() - began_s) < seconds:
            while due and due[0][0] <= passed_s:
                threading.Thread(target=due.popleft()[1], daemon=True).start()
            while made < events * passed_s:
                made += self._make()
            self._boxes.run_once(_TICK_S)

    def settle(self) -> float:
        """Go on until all is confirmed, and return how long that took; some time at most."""
        began_s = time.monotonic()
        while any(one.sender.has < table.made for one, table in self._pairs()):
            self._boxes.run_once(_TICK_S)
            if time.monotonic() - began_s > _SETTLE_S:
                break
        return time.monotonic() - began_s

    def close(self) -> None:
        """Hang up."""
        self._boxes.close()

    def _make(self) -> int:
        at = self._dice.randrange(len(self.tables))
        made = self.tables[at].make()
        self._uplinks[at].stir()
        self._boxes.wake(self._uplinks[at])
        return made or 1

    def _pairs(self) -> Iterator[tuple[BoxUplink, ReplayedTable]]:
        return zip(self._uplinks, self.tables, strict=True)


def played(folder: Path) -> tuple[HouseEntry, ...]:
    """Return the entries of a journal that bots played, as a house gets them."""
    found: list[HouseEntry] = []
    with BotTable(folder, "toepen", _SEED) as table:
        while table.journal.last_seq < _LONG:
            table.think()
        while told := table.session.uplink.steps(found[-1].seq if found else 0).entries:
            found += told
    return tuple(found)


def register_boxes(house: DemoHouse, boxes: Sequence[str]) -> list[KnownHouse]:
    """Let *boxes* go with *house* without a code each, and return how they reach it."""
    secret, kept = "replayed", hashed("replayed")
    with house.owner() as connection:
        with connection.transaction():
            for box in boxes:
                add = "INSERT INTO boxes (box, name, password) VALUES (%s, %s, %s)"
                connection.execute(add, (box, box, kept))
        tell_broker(connection, house.config.broker)
    port = house.config.broker.port
    return [
        KnownHouse(house.address, Paired(box, secret, "", "127.0.0.1", port, tls=False))
        for box in boxes
    ]


@dataclass
class Usage:
    """What each part takes, by name: processor milliseconds so far, and memory in MB.

    *most_mb* is the most that it ever had in memory, what several processes share in each of them.
    """

    cpu_ms: dict[str, float]
    memory_mb: dict[str, float]
    most_mb: dict[str, float]


def usage(house: DemoHouse) -> Usage:
    """Return what the parts of *house* take now."""
    pids = {"broker": [house.broker.pid], "tables": [os.getpid()]}
    pids |= {name: [process.pid] for name, process in house.running.items()}
    pids["database"] = [house.database.pid, *_children(house.database.pid)]
    return Usage(
        {name: sum(map(cpu_ms, of)) for name, of in pids.items()},
        {name: sum(map(own_memory_mb, of)) for name, of in pids.items()},
        {name: sum(map(most_memory_mb, of)) for name, of in pids.items()},
    )


def _children(pid: int) -> list[int]:
    path = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(one) for one in path.read_text().split()] if path.exists() else []


def _breaks(house: DemoHouse, seconds: float) -> list[tuple[float, Callable[[], None]]]:
    def broker() -> None:
        house.broker.stop(signal.SIGKILL)
        time.sleep(5)
        house.broker.start()

    def ingest() -> None:
        house.stop("ingest", kill=True)
        time.sleep(4)
        house.start("ingest")

    return [(seconds / 4, broker), (seconds / 2, ingest)]


def gaps(house: DemoHouse, tables: Sequence[ReplayedTable]) -> list[str]:
    """Return what is missing, or there twice, in words."""
    with house.owner() as connection:
        ask = "SELECT box, count(*), max(seq) FROM entries GROUP BY box"
        there = {box: (n, last) for box, n, last in connection.execute(ask)}
    return [
        f"{table.box}: made {table.made}, there {there.get(table.box)}"
        for table in tables
        if table.made and there.get(table.box) != (table.made, table.made)
    ]


def main(words: Sequence[str] | None = None) -> int:
    """Run it and tell what came of it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tables", type=int, default=1000)
    parser.add_argument("--real", type=int, default=20)
    parser.add_argument("--events", type=float, default=250.0)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--backlog", type=int, default=0)
    parser.add_argument("--broken", action="store_true")
    asked = parser.parse_args(words)
    with tempfile.TemporaryDirectory() as folder, ExitStack() as opened:
        Path(folder).chmod(0o755)
        house = opened.enter_context(DemoHouse(Path(folder) / "house", programs=("ingest", "fold")))
        entries = played(Path(folder) / "played")
        tables = [ReplayedTable(at, entries) for at in range(asked.tables - asked.real)]
        replayed = Replayed(tables, register_boxes(house, [table.box for table in tables]))
        opened.callback(replayed.close)
        _add_real(opened, house, Path(folder), asked.real)
        connected_s = _connect(replayed, asked.backlog)
        before, began_s = usage(house), time.monotonic()
        happens = _breaks(house, asked.seconds) if asked.broken else []
        replayed.run(asked.events, asked.seconds, happens)
        settled_s = replayed.settle()
        after, took_s = usage(house), time.monotonic() - began_s
        missing = gaps(house, tables)
        _tell(replayed, connected_s, settled_s, took_s, before, after, missing)
    return FAILED if missing else HELD


def _add_real(opened: ExitStack, house: DemoHouse, folder: Path, count: int) -> None:
    known = []
    for at in range(count):
        table = opened.enter_context(BotTable(folder / f"real-{at}", "watten", at))
        (paired,) = register_boxes(house, [table.box])
        known.append((table, paired))
    opened.enter_context(VirtualHouse(known))
    opened.enter_context(Players([table for table, _ in known], _THOUGHT_S))


def _connect(replayed: Replayed, backlog: int) -> float:
    """Let each table have a step, or a *backlog*; return how long until all is confirmed."""
    for table in replayed.tables:
        table.make()
        while table.made < backlog and table.make():
            pass
    seconds = replayed.settle()
    for table in replayed.tables:
        table.lags_s.clear()
    return seconds


def _tell(
    replayed: Replayed,
    connected_s: float,
    settled_s: float,
    took_s: float,
    before: Usage,
    after: Usage,
    missing: Sequence[str],
) -> None:
    lags_ms = sorted(1000 * lag for table in replayed.tables for lag in table.lags_s)
    made = sum(table.made for table in replayed.tables)
    last_ms = quantiles(lags_ms, n=100)[98]
    print(f"{len(replayed.tables)} tables on the line, all told, after {connected_s:.1f} s")
    print(f"{made} entries made and confirmed, {made / took_s:.0f} a second; {missing or 'no gap'}")
    print(
        f"lag median {median(lags_ms):.0f} ms, 99 % {last_ms:.0f} ms; settled in {settled_s:.1f} s"
    )
    for name, cpu in after.cpu_ms.items():
        share = (cpu - before.cpu_ms.get(name, 0.0)) / took_s / 10
        memory = f"{after.memory_mb[name]:6.1f} MB, {after.most_mb[name]:.1f} MB at most"
        print(f"{name:9} {share:5.1f} % of a core, {memory}")


if __name__ == "__main__":
    sys.exit(main())
