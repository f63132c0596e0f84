"""The house's database: its schema in steps, who may do what in it, and its months.

Programs connect with `connect`; the owner brings the schema up to date with `migrate`. Entries lie
in a partition for each month in which they came in, so that old months can be kept elsewhere.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from importlib.resources import as_file, files
from typing import Any, Final
from urllib.parse import quote, urlencode

import psycopg
from psycopg.conninfo import conninfo_to_dict

from kloplei.files import KlopleiError

Connection = psycopg.Connection[tuple[Any, ...]]
MONTHS_AHEAD: Final = 2
ROLES: Final = ("kloplei_ingest", "kloplei_fold", "kloplei_web")
"""The programs' own users, who may do what they need and nothing else."""


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


def _month(day: date, ahead: int) -> date:
    months = day.year * 12 + day.month - 1 + ahead
    return date(months // 12, months % 12 + 1, 1)


def _address(dsn: str) -> str:
    """Return *dsn* as yoyo wants it: an address, with all of libpq's words behind it."""
    told = {name: str(one) for name, one in conninfo_to_dict(dsn).items()}
    return f"postgresql+psycopg:///{quote(told.pop('dbname'))}?{urlencode(told)}"
