"""What an action costs on its way to disk and over the socket.

The journal is timed beside SQLite alone, which writes the same entry with one sync.
"""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from benchmarks.race.row import Measure, Row, Side, stopwatch
from benchmarks.start import A_NIGHT, write_year
from kloplei.games.game import Seat
from kloplei.games.scoreboard import Scoreboard
from kloplei.table.core import Table
from kloplei.table.journal import Journal
from kloplei.table.schema import dump, load
from kloplei.table.seating import TableSetup
from kloplei.table.session import Session
from tests.table.memory_journal import MemoryJournal

_EVENT, _FACTS, _AT = "Knocked", {"seat": 1, "stake": 3}, 1.78e9


@contextmanager
def _journal() -> Iterator[Measure]:
    with TemporaryDirectory() as folder, Journal(Path(folder) / "kloplei.db") as journal:
        yield stopwatch(
            lambda: journal.append([(_EVENT, _FACTS)], seat=1, via="phone", at=_AT), times=50
        )


@contextmanager
def _sqlite_alone() -> Iterator[Measure]:
    with TemporaryDirectory() as folder:
        base = sqlite3.connect(Path(folder) / "alone.db", isolation_level=None)
        base.execute("PRAGMA journal_mode = wal")
        base.execute("PRAGMA synchronous = full")
        base.execute("CREATE TABLE entries (seq INTEGER PRIMARY KEY, at, seat, via, event, facts)")

        def append() -> None:
            row = (_AT, 1, "phone", _EVENT, json.dumps(_FACTS))
            base.execute(
                "INSERT INTO entries (at, seat, via, event, facts) VALUES (?,?,?,?,?)", row
            )

        yield stopwatch(append, times=50)
        base.close()


def _opened(name: str, evenings: int) -> Side:
    @contextmanager
    def opened() -> Iterator[Measure]:
        with TemporaryDirectory() as folder:
            path = Path(folder) / "kloplei.db"
            write_year(path, evenings * A_NIGHT)
            _ready_ms(path)  # it leaves a snapshot, as evenings do that are played
            yield lambda: _ready_ms(path)

    return Side(name, opened)


def _ready_ms(path: Path) -> float:
    begun_s = perf_counter()
    with Journal(path) as journal:
        Session(journal).scoreboard()
        return 1e3 * (perf_counter() - begun_s)


@contextmanager
def _decided() -> Iterator[Measure]:
    table = running_table()

    def there_and_back() -> None:
        for action in ("undo", "redo"):
            table.submit(None, action, now_s=0.0)
            table.scoreboard()

    once = stopwatch(there_and_back, times=10)
    yield lambda: once() / 2


@contextmanager
def _over_the_socket() -> Iterator[Measure]:
    board = running_table().scoreboard()
    yield stopwatch(lambda: load(Scoreboard, json.loads(json.dumps(dump(board)))), times=20)


@contextmanager
def _json_alone() -> Iterator[Measure]:
    plain = dump(running_table().scoreboard())
    yield stopwatch(lambda: json.loads(json.dumps(plain)), times=20)


def running_table() -> Table:
    """Return a table of four at which one has knocked."""
    table = Table(MemoryJournal(), TableSetup())
    for seat in range(4):
        table.submit(Seat(seat), "sit_down", now_s=0.0, facts={"name": f"Speler {seat + 1}"})
    for action in ("start", "deal"):
        table.submit(Seat(0), action, now_s=0.0)
    table.submit(Seat(1), "knock", now_s=0.0)
    return table


ROWS = (
    Row(
        "disk-action",
        "journal, one action",
        "ms",
        (Side("Kloplei", _journal), Side("SQLite alone", _sqlite_alone)),
    ),
    Row(
        "disk-year",
        "a year of 150 evenings opened, checked, until its board stands",
        "ms",
        (_opened("Kloplei", 150), _opened("one evening", 1)),
        under=150,
    ),
    Row("disk-table", "an action decided and shown, no disk", "ms", (Side("Kloplei", _decided),)),
    Row(
        "socket-board",
        "a scoreboard on to the socket and back",
        "ms",
        (Side("Kloplei", _over_the_socket), Side("JSON alone", _json_alone)),
    ),
)
