"""The house's database: its schema in steps, who may do what in it, its months, and its news.

Programs connect with `connect`; the owner brings the schema up to date with `migrate`. Entries lie
in a partition for each month in which they came in, so that old months can be kept elsewhere.
What goes on whenever the database has news of something is a `ListeningWorker`.
"""

import logging
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import date
from importlib.resources import as_file, files
from typing import Any, Final, Self
from urllib.parse import quote, urlencode

import psycopg
from psycopg.conninfo import conninfo_to_dict

from kloplei.files import KlopleiError

logger = logging.getLogger(__name__)
Connection = psycopg.Connection[tuple[Any, ...]]
MONTHS_AHEAD: Final = 2
ROLES: Final = ("kloplei_ingest", "kloplei_fold", "kloplei_web")
"""The programs' own users, who may do what they need and nothing else."""
_PAUSE_S: Final = 2.0
_END_S: Final = 15.0


class HouseUnavailable(KlopleiError, ConnectionError):
    """The database does not answer, or not as it should; the message says what to do."""


def connect(dsn: str, *, autocommit: bool = False) -> Connection:
    """Return a connection to the database that *dsn* names, as libpq spells it.

    Raises:
        HouseUnavailable: Nobody answers there, or lets us in.
    """
    try:
        return psycopg.connect(dsn, autocommit=autocommit, connect_timeout=10)
    except psycopg.OperationalError as error:
        raise HouseUnavailable(f"The house's database does not answer: {error}") from error


def migrate(dsn: str) -> None:
    """Bring the schema of the database up to date, as its owner; nothing happens where it is.

    Raises:
        HouseUnavailable: It cannot be, now.
    """
    from yoyo import get_backend, read_migrations

    with as_file(files("kloplei_hub") / "migrations") as folder:
        backend = get_backend(_address(dsn))
        with backend.lock():
            backend.apply_migrations(backend.to_apply(read_migrations(str(folder))))
        backend.connection.close()
    with connect(dsn) as connection:
        make_partitions(connection, date.today())  # noqa: DTZ011 - the month is all that counts


def make_partitions(connection: Connection, today: date) -> None:
    """Make room in ``entries`` for this month and some more, as far as there is none."""
    for ahead in range(MONTHS_AHEAD + 1):
        connection.execute("SELECT make_month(%s)", (_month(today, ahead),))


@contextmanager
def locked(connection: Connection, box: str) -> Iterator[None]:
    """Let nobody else write for *box* before this transaction ends."""
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", (box,))
        yield


class ListeningWorker(ABC):
    """Goes on with its work from a thread of its own, as the database has news; a context.

    What cannot be done now, or stumbles, is told in the log, and all of it begun again after a
    pause: what a worker remembers is to be found again in the database.

    Args:
        dsn: How it reaches the database.
        channel: What it listens to, and what its thread is called.
        what_waits: What is not done until it can be, for the log.
    """

    def __init__(self, dsn: str, channel: str, what_waits: str) -> None:
        self._dsn, self._channel, self._what_waits = dsn, channel, what_waits
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._work, name=channel, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        self._thread.join(_END_S)  # a database that stands still is not waited for

    @abstractmethod
    def keep_up(self, connection: Connection, listening: Connection) -> None:
        """Do what is to be done until the worker is closed.

        Args:
            connection: Commits by itself; nobody else uses it.
            listening: Has the news of the channel, and is used for nothing else.
        """

    def is_closing(self) -> bool:
        """Whether no more is to be begun."""
        return self._closing.is_set()

    def pause(self, seconds: float) -> None:
        """Wait so long, whatever comes; not where the worker is closed."""
        self._closing.wait(seconds)

    def _work(self) -> None:
        while not self.is_closing():
            try:
                with (
                    closing(connect(self._dsn, autocommit=True)) as connection,
                    closing(connect(self._dsn, autocommit=True)) as listening,
                ):
                    listening.execute(f"LISTEN {self._channel}")
                    self.keep_up(connection, listening)
            except (HouseUnavailable, psycopg.OperationalError, psycopg.InterfaceError) as error:
                logger.warning("%s until the database answers: %s", self._what_waits, error)
            except Exception:
                # One that nobody has thought of must not end all others for the evening.
                logger.exception("%s for a moment", self._what_waits)
            self.pause(_PAUSE_S)


def is_news(listening: Connection, timeout_s: float) -> bool:
    """Wait for news at most so long; whether there is any."""
    return bool(list(listening.notifies(timeout=timeout_s, stop_after=1)))


def _month(day: date, ahead: int) -> date:
    months = day.year * 12 + day.month - 1 + ahead
    return date(months // 12, months % 12 + 1, 1)


def _address(dsn: str) -> str:
    """Return *dsn* as yoyo wants it: an address, with all of libpq's words behind it."""
    told = {name: str(one) for name, one in conninfo_to_dict(dsn).items()}
    return f"postgresql+psycopg:///{quote(told.pop('dbname'))}?{urlencode(told)}"
