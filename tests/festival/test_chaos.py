"""Broker, database and programs die at random under load, alone and in pairs: nothing is lost.

``KLOPLEI_KILLS`` says how many times; the dice are told, so that a run can be had again.
"""

import os
import random
import signal
import statistics
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from kloplei_hub.demo import DemoHouse
from kloplei_hub.virtual import NAMES, BotTable, Players
from tests.festival.house import demand_all_is_there, open_to_postgres

KILLS = int(os.environ.get("KLOPLEI_KILLS", "300"))
TABLES = 20
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
def house(tmp_path: Path) -> Iterator[DemoHouse]:
    open_to_postgres(tmp_path)
    with DemoHouse(tmp_path / "house", programs=("ingest", "fold")) as running:
        yield running


@pytest.fixture
def load(house: DemoHouse, tmp_path: Path) -> Iterator[Load]:
    tables = [
        BotTable(tmp_path / f"table-{at}", "toepen" if at % 2 else "watten", at, NAMES[:4])
        for at in range(TABLES)
    ]
    load = Load(tables)
    with house.on_line(tables), Players([load], _PAUSE_S):
        yield load


def _stopped(pid: int, for_s: float) -> None:
    """Let a process stand still for a while, as one that hangs does."""
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGSTOP)
        time.sleep(for_s)
        os.kill(pid, signal.SIGCONT)


def _deaths(house: DemoHouse, dice: random.Random) -> dict[str, Callable[[], None]]:
    def away() -> None:
        time.sleep(dice.uniform(0, 1.5))

    def broker() -> None:
        house.broker.stop(signal.SIGKILL)
        away()
        house.broker.start()

    def database() -> None:
        house.database.stop(signal.SIGQUIT)
        away()
        house.database.start()

    def program(name: str) -> Callable[[], None]:
        def die() -> None:
            house.stop(name, kill=dice.random() < 0.7)
            away()
            house.start(name)

        return die

    return {
        "broker": broker,
        "database": database,
        "ingest": program("ingest"),
        "fold": program("fold"),
        "broker hangs": lambda: _stopped(house.broker.pid, dice.uniform(0, 2)),
        "ingest hangs": lambda: _stopped(house.running["ingest"].pid, dice.uniform(0, 2)),
    }


_ALIKE = ({"broker", "broker hangs"}, {"ingest", "ingest hangs"})


@pytest.mark.timeout(60 * 60)
def test_whatever_dies_the_house_has_every_step_once(house: DemoHouse, load: Load) -> None:
    seed = int(os.environ.get("KLOPLEI_SEED", time.time_ns() % 1_000_000))
    print(f"KLOPLEI_SEED={seed} KLOPLEI_KILLS={KILLS}")
    dice = random.Random(seed)
    deaths = _deaths(house, dice)
    for _ in range(KILLS):
        chosen = dice.sample(sorted(deaths), dice.choice([1, 1, 2]))
        if any(alike.issuperset(chosen) for alike in _ALIKE):
            chosen = chosen[:1]
        threads = [threading.Thread(target=deaths[name]) for name in chosen]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        time.sleep(dice.uniform(0, 1))
    assert load.took_s

    demand_all_is_there(house, load.tables)


@pytest.mark.timeout(600)
def test_a_table_knows_nothing_of_a_broker_that_hangs(house: DemoHouse, load: Load) -> None:
    """Whoever plays waits as long as ever: medians of both, of the same tables, by turns."""
    told: dict[bool, list[float]] = {True: [], False: []}
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
