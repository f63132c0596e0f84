"""Broker, database and programs die at random under load, alone and in pairs: nothing is lost.

``KLOPLEI_KILLS`` says how many times; the dice are told, so that a run can be had again.
"""

import os
import random
import signal
import statistics
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import pytest

from kloplei_hub.demo import DemoHouse
from kloplei_hub.virtual import NAMES, BotTable, Players
from tests.festival.house import (
    demand_all_is_there,
    demand_evenings_are_steps,
    demand_rows_are_journals,
)

KILLS = int(os.environ.get("KLOPLEI_KILLS", "300"))
TABLES = 20
PARTS = ("broker", "database", "ingest", "fold", "web")
WAYS = ("killed", "ended", "hung")
_LONGEST_S = 2.0  # of a death; no part is missed for longer than it takes to start it
_PAUSE_S = 0.05  # between two things that bots do at all tables together


@dataclass(slots=True)
class Load:
    """Tables at which bots play on, and how long each thing that they did took; a `Thinker`."""

    tables: list[BotTable]
    took_s: list[float] = field(default_factory=list)

    def think(self) -> bool:
        """Let each table do something."""
        for table in self.tables:
            began_s = time.perf_counter()
            if table.think():
                self.took_s.append(time.perf_counter() - began_s)
        return True


@pytest.fixture
def house(folder: Path) -> Iterator[DemoHouse]:
    with DemoHouse(folder / "house", programs=("ingest", "fold", "web")) as running:
        yield running


@pytest.fixture
def load(house: DemoHouse, folder: Path) -> Iterator[Load]:
    tables = [
        BotTable(folder / f"table-{at}", "toepen" if at % 2 else "watten", at, NAMES[:4])
        for at in range(TABLES)
    ]
    with house.on_line(tables):
        yield Load(tables)


@dataclass(frozen=True, slots=True)
class Death:
    """What befalls a part of the house: how, and for how long it is away."""

    who: str
    how: str
    away_s: float


def _drawn(dice: random.Random) -> list[Death]:
    """Return what happens next: one part dies, or two at once."""
    who = dice.sample(PARTS, dice.choice([1, 1, 2]))
    return [Death(one, dice.choice(WAYS), dice.uniform(0, _LONGEST_S)) for one in who]


def _befall(house: DemoHouse, death: Death) -> None:
    if death.how == "hung":
        _hang(house, death)
        return
    is_killed = death.how == "killed"
    match death.who:
        case "broker":
            house.broker.stop(signal.SIGKILL if is_killed else signal.SIGTERM)
            time.sleep(death.away_s)
            house.broker.start()
        case "database":  # its processes share memory: who kills one of them ends all
            house.database.stop(signal.SIGQUIT if is_killed else signal.SIGINT)
            time.sleep(death.away_s)
            house.database.start()
        case name:
            house.stop(name, kill=is_killed)
            time.sleep(death.away_s)
            house.start(name)


def _hang(house: DemoHouse, death: Death) -> None:
    """Let a part stand still for a while, with all its processes."""
    servers = {"broker": house.broker, "database": house.database}
    pid = servers[death.who].pid if death.who in servers else house.running[death.who].pid
    pids = [pid, *_children(pid)]
    for one in pids:
        _tell(one, signal.SIGSTOP)
    time.sleep(death.away_s)
    for one in pids:
        _tell(one, signal.SIGCONT)


def _children(pid: int) -> list[int]:
    return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def _tell(pid: int, by: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, by)


@pytest.mark.timeout(90 * 60)
def test_whatever_dies_the_house_has_every_step_once(house: DemoHouse, load: Load) -> None:
    seed = int(os.environ.get("KLOPLEI_SEED", time.time_ns() % 1_000_000))
    print(f"KLOPLEI_SEED={seed} KLOPLEI_KILLS={KILLS}")
    dice, told = random.Random(seed), Counter[str]()
    with Players([load], _PAUSE_S):
        for _ in range(KILLS):
            deaths = _drawn(dice)
            told.update(["alone" if len(deaths) == 1 else "in pairs"])
            told.update(f"{one.who} {one.how}" for one in deaths)
            with ThreadPoolExecutor() as pool:
                list(pool.map(partial(_befall, house), deaths))
            house.look()  # nobody gave up because of somebody else
            time.sleep(dice.uniform(0, 1))
    print(", ".join(f"{what} {times}" for what, times in sorted(told.items())))
    assert len(load.took_s) > KILLS, "too little was played for this to mean anything"

    demand_all_is_there(house, [table.journal.path for table in load.tables])
    demand_rows_are_journals(house, load.tables)
    demand_evenings_are_steps(house)


@pytest.mark.timeout(600)
def test_a_table_knows_nothing_of_a_broker_that_hangs(house: DemoHouse, load: Load) -> None:
    """Whoever plays waits as long as ever: medians of both, of the same tables, by turns."""
    told: dict[bool, list[float]] = {True: [], False: []}
    with Players([load], _PAUSE_S):
        for _ in range(4):
            for hangs in (False, True):
                if hangs:
                    os.kill(house.broker.pid, signal.SIGSTOP)
                del load.took_s[:]
                time.sleep(4)
                told[hangs] += load.took_s
                if hangs:
                    os.kill(house.broker.pid, signal.SIGCONT)
                    time.sleep(1)
    usual, hanging = (statistics.median(told[hangs]) for hangs in (False, True))
    print(f"median {usual * 1000:.2f} ms, with a broker that hangs {hanging * 1000:.2f} ms")
    assert hanging < 2 * usual
