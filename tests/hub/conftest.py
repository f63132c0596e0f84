"""One PostgreSQL and one Mosquitto for all tests of a process, a fresh database for each."""

import itertools
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from kloplei_hub.database import Connection, connect, migrate
from kloplei_hub.servers import Broker, Database
from tests.memory import memory

_numbers = itertools.count()


@pytest.fixture(scope="session")
def open_folder() -> Iterator[Path]:
    """A folder that PostgreSQL's own user may enter.

    pytest keeps its folders to their owner, again whenever another run of it begins. It lies in
    memory where there is room: to copy a database of some three hundred files takes a hundredth of
    a second there, and a quarter on a disk that others write to.
    """
    with TemporaryDirectory(prefix="kloplei-", dir=memory(), ignore_cleanup_errors=True) as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.fixture(scope="session")
def postgres(open_folder: Path) -> Iterator[Database]:
    with Database(open_folder / "postgres", careful=False) as database:
        with connect(database.dsn(), autocommit=True) as owner:
            owner.execute("CREATE DATABASE house")
        migrate(database.dsn("house"))
        yield database


@pytest.fixture
def dsn(postgres: Database) -> Iterator[str]:
    """A database of its own, as its owner sees it.

    Its files are copied as they are, not written to the log row by row, and go when the test ends:
    hundreds of databases would have to be looked after meanwhile, and taken away at last.
    """
    name = f"house{next(_numbers)}"
    with connect(postgres.dsn(), autocommit=True) as owner:
        owner.execute(f"CREATE DATABASE {name} TEMPLATE house STRATEGY FILE_COPY")
        yield postgres.dsn(name)
        owner.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def house(dsn: str) -> Iterator[Connection]:
    with connect(dsn, autocommit=True) as connection:
        yield connection


@pytest.fixture
def owner(postgres: Database) -> Iterator[Connection]:
    """Of the cluster: who may stop what others do in theirs."""
    with connect(postgres.dsn(), autocommit=True) as connection:
        yield connection


@pytest.fixture(scope="session")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """One that lets everybody do everything."""
    with Broker(Path(tmp_path_factory.mktemp("broker"))) as running:
        yield running
