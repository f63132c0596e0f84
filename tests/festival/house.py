"""What the tests of whole houses ask of one."""

import os
import time
from collections.abc import Sequence
from pathlib import Path

import psycopg

from kloplei_hub.database import HouseUnavailable
from kloplei_hub.demo import DemoHouse
from kloplei_hub.virtual import BotTable

PATIENCE_S = 400.0


def open_to_postgres(folder: Path) -> None:
    """Let PostgreSQL's own user enter *folder*, which pytest keeps to root."""
    if os.geteuid() == 0:
        for above in (folder, *folder.parents[:3]):
            above.chmod(above.stat().st_mode | 0o055)


def kept(house: DemoHouse) -> dict[str, list[int]]:
    """Return the numbers of all entries that *house* keeps, by box, in order."""
    found: dict[str, list[int]] = {}
    with house.owner() as connection:
        ask = "SELECT box, seq FROM entries ORDER BY box, era, seq"
        for box, seq in connection.execute(ask):
            found.setdefault(box, []).append(seq)
    return found


def demand_all_is_there(house: DemoHouse, tables: Sequence[BotTable]) -> None:
    """Let *house* have each journal whole, which may go on meanwhile: no gap, nothing twice."""
    written = {table.box: table.journal.last_seq for table in tables}
    until_s = time.monotonic() + PATIENCE_S
    found: dict[str, list[int]] = {}
    while time.monotonic() < until_s:
        try:
            found = kept(house)
        except (HouseUnavailable, psycopg.OperationalError):
            continue
        if all(len(found.get(box, ())) >= last for box, last in written.items()):
            break
        time.sleep(0.5)
    for box, last in written.items():
        there = found.get(box, [])
        assert there == list(range(1, len(there) + 1)), f"{box} has a gap, or something twice"
        assert len(there) >= last, f"{box}: {len(there)} of {last} entries came"
