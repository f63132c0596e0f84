"""What goes through the hub, in numbers for Prometheus: `Metrics`, as ``/metrics`` shows them.

How many tables there are and how far behind is counted in the database, by the thread that has it
already and only where somebody asked; a database that hangs leaves these numbers out, and no more.
"""

import logging
import threading
import time
from collections import Counter as Counted
from collections.abc import Callable, Iterable, Iterator
from typing import Final

import psycopg
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest

from kloplei.frozen import dataclass
from kloplei_hub._judging import MALFORMED, TWIN, UNKNOWN
from kloplei_hub._keeping import Receipt
from kloplei_hub.database import Connection

CONTENT_TYPE: Final = CONTENT_TYPE_LATEST
COUNT_S: Final = 5.0
"""Tables are counted no more often."""
PATIENCE_S: Final = 1.0
"""So long one waits for them to be counted."""
_TOO_OLD_S = 60.0
_LAGS_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 15.0, 60.0)
_BATCHES = (1, 2, 5, 10, 20, 50, 100, 200, 500)
_REASONS = (TWIN, UNKNOWN, MALFORMED)
_OTHER = "other"
_COUNT = """
WITH newest AS (
    SELECT DISTINCT ON (box) box, seq, quarantined FROM eras
    WHERE superseded IS NULL ORDER BY box, ordinal DESC
)
SELECT count(*), count(*) FILTER (WHERE online), count(quarantined),
    count(*) FILTER (WHERE behind > 0), coalesce(sum(behind), 0)::bigint
FROM (
    SELECT online, quarantined,
        greatest(coalesce(boards.seq, 0) - coalesce(newest.seq, 0), 0) AS behind
    FROM boxes LEFT JOIN newest USING (box) LEFT JOIN boards USING (box) WHERE NOT retired
) AS tables
"""
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Tables:
    """The tables of the house at one moment; retired ones are not counted."""

    known: int
    online: int
    quarantined: int
    behind: int
    entries: int

    def told(self) -> Iterator[GaugeMetricFamily]:
        """Yield them as they are shown."""
        yield _gauge("kloplei_tables", "Tables that go with the house", self.known)
        yield _gauge("kloplei_tables_online", "Tables that are switched on", self.online)
        what = "Tables of which nothing more is taken: two boxes tell different histories"
        yield _gauge("kloplei_tables_quarantined", what, self.quarantined)
        what = "Tables that know more than the house has; also while a trump is sealed"
        yield _gauge("kloplei_tables_behind", what, self.behind)
        yield _gauge("kloplei_entries_behind", "Entries of theirs still to come", self.entries)


class Counters:
    """What went through, for who measures: `kloplei_hub.ingest.Ingest` tells it."""

    def kept(self, kept: Iterable[Receipt], took_s: float) -> None:
        """A transaction with these is on the disk."""

    def dropped(self, messages: int) -> None:
        """So many messages were not taken: the inflow was full, or the database away."""

    def database(self, *, answers: bool) -> None:
        """Whether the database answers now."""

    def look(self, connection: Connection) -> None:
        """A moment in which the database may be asked something, if it is short.

        Raises:
            psycopg.OperationalError: The database went away.
        """


class Metrics(Counters):
    """Counts what goes through one `Ingest`; counted by its thread, read by any.

    Args:
        clock: Monotonic seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._tables: Tables | None = None
        self._counted_s = float("-inf")
        self._is_wanted = threading.Event()
        self._is_counted = threading.Event()
        self._registry = registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        what = "Messages of boxes, by what became of them: kept, known, gap, refused or noted"
        self._messages = Counter("kloplei_messages", what, ["kind"], registry=registry)
        what = "Messages that were refused, by why"
        self._refused = Counter("kloplei_refused", what, ["reason"], registry=registry)
        what = "Entries on the disk since this program started"
        self._entries = Counter("kloplei_entries", what, registry=registry)
        what = "Messages for which there was no room, or no database; boxes send them again"
        self._dropped = Counter("kloplei_dropped", what, registry=registry)
        what = "Seconds from the coming of steps that were kept to their commit"
        self._lag = Histogram("kloplei_lag_seconds", what, buckets=_LAGS_S, registry=registry)
        what = "Seconds that a transaction took"
        self._took = Histogram("kloplei_batch_seconds", what, buckets=_LAGS_S, registry=registry)
        what = "Messages in one transaction"
        self._size = Histogram("kloplei_batch_messages", what, buckets=_BATCHES, registry=registry)
        what = "Whether the database answers"
        self._database = Gauge("kloplei_database_up", what, registry=registry)
        for kind in ("kept", "known", "gap", "refused", "noted"):
            self._messages.labels(kind)
        for reason in (*_REASONS, _OTHER):
            self._refused.labels(reason)
        registry.register(self)

    def watch(self, *, broker: Callable[[], bool], waiting: Callable[[], int]) -> None:
        """Show as well whether the *broker* is there, and how many messages are *waiting*."""
        up = Gauge("kloplei_broker_up", "Whether the broker answers", registry=self._registry)
        up.set_function(broker)
        what = "Messages that came and are not on the disk yet"
        Gauge("kloplei_waiting", what, registry=self._registry).set_function(waiting)

    def kept(self, kept: Iterable[Receipt], took_s: float) -> None:
        """A transaction with these is on the disk."""
        kept, now_s = tuple(kept), self._clock()
        self._size.observe(len(kept))
        self._took.observe(took_s)
        self._entries.inc(sum(one.entries for one in kept))
        for kind, number in Counted(one.kind for one in kept).items():
            self._messages.labels(kind).inc(number)
        for one in kept:
            if one.kind == "kept":
                self._lag.observe(max(now_s - one.mail.came_s, 0))
            elif one.kind == "refused":
                self._refused.labels(_reason(one)).inc()

    def dropped(self, messages: int) -> None:
        """So many messages were not taken."""
        self._dropped.inc(messages)

    def database(self, *, answers: bool) -> None:
        """Whether the database answers now."""
        self._database.set(answers)
        if not answers:
            self._tables = None

    def look(self, connection: Connection) -> None:
        """Count tables through *connection*, if somebody wants to know.

        Raises:
            psycopg.OperationalError: The database went away.
        """
        if not self._is_wanted.is_set():
            return
        self._is_wanted.clear()
        try:
            (found,) = connection.execute(_COUNT).fetchall()
        except (psycopg.OperationalError, psycopg.InterfaceError):
            raise
        except psycopg.Error:
            logger.exception("Tables cannot be counted.")
            return
        self._tables, self._counted_s = Tables(*found), self._clock()
        self._is_counted.set()

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Yield how many tables there are, where that is known; for the registry."""
        tables = self._counted()
        if tables is not None:
            yield from tables.told()

    def describe(self) -> Iterator[GaugeMetricFamily]:
        """Yield what `collect` may, without asking anybody; for the registry."""
        return Tables(0, 0, 0, 0, 0).told()

    def text(self) -> bytes:
        """Return all of it as Prometheus reads it."""
        return generate_latest(self._registry)

    def _counted(self) -> Tables | None:
        if self._clock() - self._counted_s > COUNT_S:
            self._is_counted.clear()
            self._is_wanted.set()
            self._is_counted.wait(PATIENCE_S)
        return self._tables if self._clock() - self._counted_s <= _TOO_OLD_S else None


def _reason(receipt: Receipt) -> str:
    """Return why it was refused, in one of a few words: a label for each sentence would never end.

    What is no message of ours is told by a sentence, and to its box in a word.
    """
    told = receipt.have.refused if receipt.have is not None else receipt.why
    return told if told in _REASONS else _OTHER


def _gauge(name: str, what: str, value: int) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, what, value)
