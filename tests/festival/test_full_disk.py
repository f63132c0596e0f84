"""A house whose disk is full keeps nothing, says so, and has everything once there is room."""

import os
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from kloplei_hub.demo import DemoHouse
from kloplei_hub.servers import ServerMissing
from kloplei_hub.virtual import BotTable, VirtualHouse
from tests.festival.house import demand_all_is_there

SIZE = "160m"  # a fresh cluster is some 40, with 16 for each piece of its log
_FULL_S = 8.0


@pytest.fixture
def small_disk(folder: Path) -> Iterator[Path]:
    disk = folder / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={SIZE},mode=0755", "none", str(disk)]
    if os.geteuid() or subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("nobody may mount a small disk here")
    yield disk
    subprocess.run(["umount", "--lazy", str(disk)], check=True)


def fill(disk: Path) -> Path:
    filler = disk / "filler"
    with filler.open("wb") as file, suppress(OSError):
        while True:
            file.write(b"\0" * 65_536)
            file.flush()
    return filler


@pytest.mark.timeout(600)
def test_a_full_disk_costs_time_and_no_step(small_disk: Path, tmp_path: Path) -> None:
    with (
        DemoHouse(small_disk / "house", programs=("ingest",)) as house,
        BotTable(tmp_path / "table", "watten", 5) as table,
        VirtualHouse([(table, house.pair(table, "Tafel 1", 1))]),
    ):
        _play(table, 20)
        demand_all_is_there(house, [table.journal.path])
        filler = fill(small_disk)

        _play(table, 200)
        time.sleep(_FULL_S)
        assert not house.dead(), "ingest gave up"
        filler.unlink()
        _start_again(house)
        _play(table, 20)

        demand_all_is_there(house, [table.journal.path])


def _play(table: BotTable, steps: int) -> None:
    waiting = threading.Event()
    last = table.session.scoreboard().seq + steps
    while table.session.scoreboard().seq < last:
        if not table.think():
            waiting.wait(0.01)


def _start_again(house: DemoHouse) -> None:
    """Let the database run again, as systemd does where it has given up."""
    with suppress(ServerMissing):
        if house.database.is_up():
            return
        house.database.stop()
    house.database.start()
