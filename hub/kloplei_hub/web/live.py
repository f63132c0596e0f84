"""The house as it stands now, followed once a process: `LiveHouse`.

PostgreSQL says which box has changed (LISTEN); many boards in one breath become one new wall, at
most two a second. Pages wait here for the next one. Few may: who finds no room, or asks for a state
that is over, is answered at once. What they get is the same for all, so that a proxy can ask once
for ten thousand of them.
"""

import logging
import selectors
import socket
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Final

import psycopg

from kloplei.frozen import dataclass
from kloplei_hub.database import Connection, HouseUnavailable, connect
from kloplei_hub.web.boards import TableNow, Tile, read_tables, version_of

PAUSE_S: Final = 0.5
"""Between two walls."""
HELD_S: Final = 20.0
"""So long at most an answer waits for a change."""
_LOOK_S: Final = 60.0  # everything is read again, for what was not announced
_NEWS_S: Final = 1.0
_END_S: Final = 5.0
_AGAIN_S: Final = (0.5, 1.0, 2.0, 5.0)
_CHANNELS: Final = ("boards", "evenings", "calls")
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Wall:
    """All tables at a glance, by number; *lost* where the database is silent."""

    tiles: tuple[Tile, ...] = ()
    version: str = "0"
    lost: bool = False


class LiveHouse:
    """Follows the house that *dsn* names, from `start` to `close`.

    Args:
        dsn: How the pages reach the database.
        waiters: So many may wait for a change at once.
        pause_s: Between two walls.
    """

    def __init__(self, dsn: str, *, waiters: int = 8, pause_s: float = PAUSE_S) -> None:
        self._dsn = dsn
        self._pause_s = pause_s
        self._room = threading.BoundedSemaphore(waiters)
        self._changed = threading.Condition()
        self._tables: Mapping[str, TableNow] = {}
        self._by_which: Mapping[str, TableNow] = {}
        self._wall = Wall(lost=True)
        self._evenings = 0
        self._closed = threading.Event()
        self._end, self._ended = socket.socketpair()  # wakes who waits for the database
        self._has_looked = threading.Event()
        self._thread = threading.Thread(target=self._run, name="house-live", daemon=True)

    def start(self, patience_s: float = 10.0) -> None:
        """Begin to follow, and wait until the house was read once, or for so long."""
        self._thread.start()
        self._has_looked.wait(patience_s)

    def close(self) -> None:
        """Follow no longer, and answer all who wait."""
        self._closed.set()
        self._end.close()
        with self._changed:
            self._changed.notify_all()
        if self._thread.ident is None:
            self._ended.close()
        else:
            # A database that hangs is not waited for: the thread has that socket until it ends.
            self._thread.join(_END_S)

    @property
    def wall(self) -> Wall:
        """The wall as it stands."""
        return self._wall

    @property
    def evenings(self) -> int:
        """How often evenings were told anew; what hangs on them is right as long as it stays."""
        return self._evenings

    def table(self, which: str) -> TableNow | None:
        """Return the table that addresses name *which*, None where there is none."""
        return self._by_which.get(which) or self._tables.get(which)

    def tables(self) -> Iterable[TableNow]:
        """Return all tables."""
        return self._tables.values()

    def wall_after(self, version: str, held_s: float = HELD_S) -> Wall:
        """Return the wall once it is another one than *version*, or as it stands after so long."""
        self._wait(lambda: self._wall.version != version, held_s)
        return self._wall

    def table_after(self, which: str, version: str, held_s: float = HELD_S) -> TableNow | None:
        """Return a table once it is another than *version*, or as it stands after so long."""

        def is_other() -> bool:
            found = self.table(which)
            return found is None or found.version != version

        self._wait(is_other, held_s)
        return self.table(which)

    def _wait(self, is_other: Callable[[], bool], held_s: float) -> None:
        if is_other() or not self._room.acquire(blocking=False):
            return
        try:
            with self._changed:
                self._changed.wait_for(lambda: self._closed.is_set() or is_other(), held_s)
        finally:
            self._room.release()

    def _run(self) -> None:
        with self._ended:
            self._follow()

    def _follow(self) -> None:
        tries = 0
        while not self._closed.is_set():
            try:
                with connect(self._dsn, autocommit=True) as connection:
                    tries = 0
                    self._listen(connection)
            except (HouseUnavailable, psycopg.Error) as error:
                logger.warning("The house cannot be followed: %s", error)
                self._publish(self._tables, lost=True)
            except Exception:
                logger.exception("Following the house stumbled, and goes on.")
                self._publish(self._tables, lost=True)
            self._closed.wait(_AGAIN_S[min(tries, len(_AGAIN_S) - 1)])
            tries += 1

    def _listen(self, connection: Connection) -> None:
        for channel in _CHANNELS:
            connection.execute(f"LISTEN {channel}")
        self._note_evenings()  # whatever was told while nobody listened
        while not self._closed.is_set():
            self._publish(read_tables(connection))
            self._has_looked.set()
            until_s = time.monotonic() + _LOOK_S
            while not self._closed.is_set() and time.monotonic() < until_s:
                self._take(connection, self._changed_boxes(connection))

    def _changed_boxes(self, connection: Connection) -> set[str]:
        """Wait a second for news, and return the boxes whose boards changed."""
        news = list(connection.notifies(timeout=0))
        if not news:
            self._wait_for_news(connection)
            news += connection.notifies(timeout=0)
        if news:
            self._closed.wait(self._pause_s)  # what else comes in this breath comes along
            news += connection.notifies(timeout=0)
        if any(one.channel == "evenings" for one in news):
            self._note_evenings()
        # Who is told of in evenings stands on boards as well, and may be called otherwise now.
        return {one.payload for one in news if one.channel in {"boards", "evenings"}}

    def _note_evenings(self) -> None:
        with self._changed:
            self._evenings += 1

    def _wait_for_news(self, connection: Connection) -> None:
        """Wait until the database says something, or we end: psycopg would wait out its time."""
        with selectors.DefaultSelector() as waiting:
            waiting.register(connection.fileno(), selectors.EVENT_READ)
            waiting.register(self._ended, selectors.EVENT_READ)
            waiting.select(_NEWS_S)

    def _take(self, connection: Connection, boxes: set[str]) -> None:
        if boxes:
            fresh = read_tables(connection, boxes)
            stay = {box: one for box, one in self._tables.items() if box not in boxes}
            self._publish({**stay, **fresh})

    def _publish(self, tables: Mapping[str, TableNow], *, lost: bool = False) -> None:
        found = sorted(tables.values(), key=lambda one: (one.number is None, one.number, one.name))
        tiles = tuple(one.tile for one in found)
        with self._changed:
            self._tables = tables
            self._by_which = {one.which: one for one in found}
            self._wall = Wall(tiles, version_of((tiles, lost)), lost)
            self._changed.notify_all()
