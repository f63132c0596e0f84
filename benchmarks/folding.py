"""What it costs to tell an evening anew with each step, as it grows.

    python -m benchmarks.folding [--game toepen] [--tables 20]

At so many tables dice play one evening each, and take turns. After each step of one of them it is
told, by a program that has the evening in memory, and now and then by one that begins with what is
kept. Figures are the processor's milliseconds for one step, median and the 95th of a hundred, by
how many entries the evening has; PostgreSQL's are a mean.
"""

import argparse
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from statistics import median, quantiles

from benchmarks.race.processes import cpu_ms
from kloplei.table.timeline import steps_of
from kloplei.table.uplink_client import HouseEntry
from kloplei.uplink.wire import STEPS, Steps, encode, spelled
from kloplei_hub._keeping import Keeper, Mail
from kloplei_hub._telling import Folder
from kloplei_hub.database import Connection, connect, migrate
from kloplei_hub.servers import Database
from tests.history.journals import Scribe
from tests.hub.journals import link_of

_LOOKED_AT = (100, 400, 700)
_STEPS = 10  # that are measured there, at each table


def evening(game: str, seed: int) -> list[tuple[HouseEntry, ...]]:
    """Return the steps of an evening as a house gets them."""
    scribe = Scribe(seed)
    scribe.begin(game, 4)
    while len(scribe.entries) < _LOOKED_AT[-1] + 10 * _STEPS:
        scribe.step()
    return [
        tuple(
            HouseEntry(
                *(one.seq, one.step, one.at, one.seat, one.via, one.event),
                *(spelled(dict(one.facts)), link_of(one.seq) if one.seq == one.step else None),
            )
            for one in step
        )
        for step in steps_of(scribe.entries)
    ]


class _Table:
    """A box whose evening comes step by step."""

    def __init__(self, box: str, steps: list[tuple[HouseEntry, ...]]) -> None:
        self.box = box
        self._left: Iterator[tuple[HouseEntry, ...]] = iter(steps)
        self.sent = 0

    def send(self, keeper: Keeper, upto: int) -> None:
        """Send steps until there are so many entries, one at least."""
        entries = list(next(self._left))
        while entries[-1].seq < upto:
            entries += next(self._left)
        link = link_of(self.sent) if self.sent else ""
        body = encode(Steps("era", self.sent, link, tuple(entries)))
        keeper.keep([Mail(self.box, STEPS, body)])
        self.sent = entries[-1].seq


def _measure(house: Connection, dsn: str, tables: Sequence[_Table]) -> None:
    with house.cursor() as cursor:
        named = [(table.box,) for table in tables]
        cursor.executemany("INSERT INTO boxes (box) VALUES (%s)", named)
    keeper = Keeper(house)
    with (
        closing(connect(dsn, autocommit=True)) as mine,
        closing(connect(dsn, autocommit=True)) as others,
    ):
        folder, server = Folder(mine, "nl"), mine.info.backend_pid
        for entries in _LOOKED_AT:
            took: dict[str, list[float]] = defaultdict(list)
            for table in tables:
                table.send(keeper, entries)
                folder.fold(table.box)
            for table in [table for _ in range(_STEPS) for table in tables]:
                table.send(keeper, 0)
                began_ms = cpu_ms(server)
                took["in memory"].append(_fold_ms(folder, table.box))
                took["PostgreSQL"].append(cpu_ms(server) - began_ms)
            for table in tables:
                table.send(keeper, 0)
                took["as it is kept"].append(_fold_ms(Folder(others, "nl"), table.box))
            told = ", ".join(map(_in_words, took, took.values()))
            print(f"{entries} entries: {told}", flush=True)


def _fold_ms(folder: Folder, box: str) -> float:
    began_s = time.process_time()
    folder.fold(box)
    return 1000 * (time.process_time() - began_s)


def _in_words(name: str, took_ms: Sequence[float]) -> str:
    if name == "PostgreSQL":
        return f"{name} {sum(took_ms) / len(took_ms):.1f} ms"
    return f"{name} {median(took_ms):.1f} ms ({quantiles(took_ms, n=20)[-1]:.1f})"


def main(words: Sequence[str] | None = None) -> int:
    """Measure, and tell."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--game", default="toepen")
    parser.add_argument("--tables", type=int, default=20)
    asked = parser.parse_args(words)
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        with Database(Path(folder) / "postgres", careful=False) as database:
            with connect(database.dsn(), autocommit=True) as owner:
                owner.execute("CREATE DATABASE house")
            migrate(database.dsn("house"))
            tables = [_Table(f"box-{n}", evening(asked.game, n)) for n in range(asked.tables)]
            with connect(database.dsn("house"), autocommit=True) as house:
                _measure(house, database.dsn("house", "kloplei_fold"), tables)
    return 0


if __name__ == "__main__":
    sys.exit(main())
