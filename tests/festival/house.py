"""What the tests of whole houses ask of one."""

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import psycopg

from kloplei.table.journal_chain import last_seq
from kloplei.table.journal_file import find_origin, open_to_read
from kloplei.table.uplink_client import HouseEntry
from kloplei_hub.database import HouseUnavailable, connect
from kloplei_hub.demo import DemoHouse
from kloplei_hub.folding import rebuild
from kloplei_hub.virtual import BotTable

PATIENCE_S = 400.0


def kept(house: DemoHouse) -> dict[str, list[int]]:
    """Return the numbers of all entries that *house* keeps, by box, in order."""
    found: dict[str, list[int]] = {}
    with house.owner() as connection:
        ask = "SELECT box, seq FROM entries ORDER BY box, era, seq"
        for box, seq in connection.execute(ask):
            found.setdefault(box, []).append(seq)
    return found


def demand_all_is_there(house: DemoHouse, journals: Iterable[Path]) -> None:
    """Let *house* have each of *journals* whole, which may go on: no gap, nothing twice."""
    written = dict(map(_written, journals))
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


def demand_rows_are_journals(house: DemoHouse, tables: Sequence[BotTable]) -> None:
    """Let *house* have just what the journals of *tables* hold, which play no longer.

    Links chain all that stands before them: where they are equal, every entry is.
    """
    told = {
        (table.box, entry.seq, entry.step, entry.event, entry.link)
        for table in tables
        for entry in _entries(table)
    }
    with house.owner() as connection:
        rows = connection.execute("SELECT box, seq, step, event, link FROM entries").fetchall()
    assert len(rows) == len(told), f"{len(rows)} rows, {len(told)} entries in the journals"
    assert set(rows) == told
    print(f"{len(rows)} rows are the union of {len(tables)} journals")


def demand_evenings_are_steps(house: DemoHouse) -> None:
    """Let the evenings that *house* tells be those of its steps, once all of them are told."""
    behind = (
        "SELECT 1 FROM eras LEFT JOIN folded USING (box, era) "
        "WHERE superseded IS NULL AND folded.seq IS DISTINCT FROM eras.seq"
    )
    until_s = time.monotonic() + PATIENCE_S
    with connect(house.config.database.fold, autocommit=True) as connection:
        while connection.execute(behind).fetchall() and time.monotonic() < until_s:
            time.sleep(0.5)
        assert rebuild(connection, house.config.house.language) == []


def _written(journal: Path) -> tuple[str, int]:
    """Return whose journal it is, and how many entries it has now."""
    with closing(open_to_read(journal)) as connection:
        box, _ = find_origin(connection) or ("", "")
        return box, last_seq(connection)


def _entries(table: BotTable) -> Iterator[HouseEntry]:
    after = 0
    while entries := table.session.uplink.steps(after).entries:
        yield from entries
        after = entries[-1].seq
