"""Start a table on an empty journal and on one of a year, and count what it takes.

    python benchmarks/start.py [--entries 300000]

The year is evenings of toepen, one after the other, each of them begun anew. Each start is a
process of its own; *ready* is when the scoreboard stands, *first* the start that finds no
snapshot in the journal, as after an update.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from random import Random

if not __package__:  # run as a file: what lies beside it is found from the folder above
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from kloplei.demo.bots import next_knocks
from kloplei.games.game import Seat
from kloplei.knock import KnockHeard
from kloplei.table.core import Table
from kloplei.table.journal import Journal
from kloplei.table.journal_file import Entry, remove_snapshot
from kloplei.table.seating import TableSetup
from kloplei.table.timeline import steps_of
from tests.table.memory_journal import MemoryJournal

ENTRIES = 300_000  # five hours a night at thirty hands of six entries, for a year
A_NIGHT = 900
TRIES = 3
THOUGHT_S, A_BLOW_S = 1.5, 0.22
START = """
import json, resource, sys, time
from pathlib import Path
begun_s = time.perf_counter()
from kloplei.table.journal import Journal
from kloplei.table.journal_file import remove_snapshot
from kloplei.table.session import Session
imported_s = time.perf_counter()
with Journal(Path(sys.argv[1])) as journal:
    Session(journal).scoreboard()
    ready_s = time.perf_counter()
print(json.dumps({
    "import_s": imported_s - begun_s,
    "ready_s": ready_s - imported_s,
    "memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
}))
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Start tables, print how long each took, and return the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--entries", type=int, default=ENTRIES, metavar="N")
    asked = parser.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="kloplei-") as folder:
        empty, year = Path(folder) / "empty.db", Path(folder) / "year.db"
        written = write_year(year, asked.entries)
        size_mb = year.stat().st_size / 1e6
        print(f"{written} entries, {size_mb:.1f} MB")
        print("journal            import    ready   memory")
        _tell("empty", [start(empty) for _ in range(TRIES)])
        remove_snapshot(year)
        _tell("a year, first", [start(year)])
        _tell("a year", [start(year) for _ in range(TRIES)])
    return 0


def start(journal: Path) -> dict[str, float]:
    """Start a table on *journal* in a process of its own; return what it took."""
    done = subprocess.run([sys.executable, "-c", START, journal], capture_output=True, check=True)
    return dict(json.loads(done.stdout))


def write_year(path: Path, entries: int) -> int:
    """Write evenings to *path* until it has so many *entries*; return how many it has."""
    night = list(steps_of(evening()))
    with closing(Journal(path)) as journal:
        # To wait for the disk a hundred thousand times is no part of it.
        connection = journal._connection  # noqa: SLF001
        if connection is not None:
            connection.execute("PRAGMA synchronous = OFF")
        while journal.last_seq < entries:
            for step in night:
                written = [(one.event, one.facts) for one in step]
                journal.append(written, seat=step[0].seat, via=step[0].via, at=step[0].at)
        return journal.last_seq


def evening() -> Iterator[Entry]:
    """Yield the entries of one evening of toepen, from the one that begins it."""
    luck, now_s, journal = Random(1), 0.0, MemoryJournal()  # noqa: S311 - the same each time
    table = Table(journal, TableSetup(presets=lambda _: (), wall=lambda: 1.78e9 + now_s))
    for seat in range(4):
        table.submit(Seat(seat), "sit_down", now_s=now_s, facts={"name": f"Player {seat + 1}"})
    table.submit(Seat(0), "start", now_s=now_s)
    table.submit(None, "new_evening", now_s=now_s)
    begun = journal.last_seq
    table.submit(Seat(0), "start", now_s=now_s)
    while journal.last_seq < begun + A_NIGHT:
        now_s += THOUGHT_S
        table.tick(now_s)
        knocks = next_knocks(table.scoreboard(), luck)
        for seat in [knocks.seat] * knocks.times if knocks else ():
            table.handle(KnockHeard(seat, 0.5, now_s), now_s)
            now_s += A_BLOW_S
    return journal.entries(after=begun - 1)


def _tell(name: str, starts: Sequence[dict[str, float]]) -> None:
    best = min(starts, key=lambda one: one["ready_s"])
    print(
        f"{name:16} {best['import_s']:6.2f} s {best['ready_s']:6.2f} s {best['memory_mb']:5.0f} MB"
    )


if __name__ == "__main__":
    sys.exit(main())
