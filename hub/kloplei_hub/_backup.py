"""The house's database in one file, and back: PostgreSQL's own programs, with what they need.

Only the owner may. What boxes have played since a backup they send again by themselves, once
`ingest` has said what is here.
"""

import os
import shutil
import subprocess
from collections.abc import Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import IO, cast

from psycopg.conninfo import conninfo_to_dict, make_conninfo

from kloplei.files import KlopleiError, reason_of
from kloplei_hub.database import ROLES, connect, migrate
from kloplei_hub.servers import postgres_program

_EMPTY = b"""BEGIN;
DROP SCHEMA public CASCADE;
CREATE SCHEMA public;
GRANT USAGE ON SCHEMA public TO PUBLIC;
"""


class HouseNotKept(KlopleiError, OSError):
    """A backup could not be written or put back; the message says why, and what to do."""


def back_up(dsn: str, file: Path) -> None:
    """Write the database to *file*, while all goes on; nobody else may read it.

    Raises:
        HouseNotKept: It could not be; what stood at *file* still does.
    """
    aside = file.with_name(f".{file.name}.new")
    try:
        os.close(os.open(aside, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600))
        where, known = _apart(dsn)
        _run("pg_dump", where, "--format=custom", f"--file={aside}", known=known)
        aside.replace(file)
    except OSError as error:
        raise _failed(file, error) from error
    finally:
        aside.unlink(missing_ok=True)


def put_back(dsn: str, file: Path) -> None:
    """Let the database hold what *file* does, and nothing else; all of it, or nothing happens.

    Raises:
        HouseNotKept: It is no backup, or the hub's programs still run.
    """
    if not file.is_file():
        raise HouseNotKept(f"There is no file {file}.")
    _run("pg_restore", "--list", str(file))
    _demand_stopped(dsn)
    migrate(dsn)  # the programs' users have to be there
    _replace_all(dsn, file)
    migrate(dsn)  # it may be of an older Kloplei


def _replace_all(dsn: str, file: Path) -> None:
    """Do all of it in one transaction, which ends well only once the file was read to its end."""
    read = [postgres_program("pg_restore"), "--no-owner", "--file=-", str(file)]
    where, known = _apart(dsn)
    write = [postgres_program("psql"), where, "-X", "-q", "-v", "ON_ERROR_STOP=1"]
    write.append("--output=/dev/null")
    pipe = subprocess.PIPE
    with (
        subprocess.Popen(read, stdout=pipe, stderr=pipe) as reading,  # noqa: S603 - ours
        subprocess.Popen(write, stdin=pipe, stderr=pipe, env=known) as writing,  # noqa: S603
    ):
        script, database = cast("IO[bytes]", reading.stdout), cast("IO[bytes]", writing.stdin)
        with suppress(BrokenPipeError):
            database.write(_EMPTY)
            shutil.copyfileobj(script, database)
            if reading.wait() == 0:
                database.write(b"COMMIT;\n")
            database.close()
        script.close()
        said = cast("IO[bytes]", writing.stderr).read() or cast("IO[bytes]", reading.stderr).read()
    if reading.returncode or writing.returncode:
        why = said.decode(errors="replace").strip().partition("\n")[0]
        raise HouseNotKept(f"{file} could not be put back, and nothing was changed: {why}")


def _demand_stopped(dsn: str) -> None:
    ask = (
        "SELECT usename FROM pg_stat_activity "
        "WHERE datname = current_database() AND usename = ANY(%s) LIMIT 1"
    )
    with closing(connect(dsn)) as connection:
        found = connection.execute(ask, (list(ROLES),)).fetchone()
    if found is not None:
        raise HouseNotKept(
            f"The hub still runs ({found[0]}). First: systemctl stop 'kloplei-hub-*'"
        )


def _run(program: str, *arguments: str, known: Mapping[str, str] = os.environ) -> None:
    done = subprocess.run(  # noqa: S603 - PostgreSQL's own program
        [postgres_program(program), *arguments],
        env=known,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        said = done.stderr.strip().splitlines()
        raise HouseNotKept(f"{program} could not do it: {said[0] if said else done.returncode}")


def _apart(dsn: str) -> tuple[str, dict[str, str]]:
    """Return how to reach the database, and the environment that has the password.

    It is not among the arguments, which everybody on the machine may read.
    """
    told = conninfo_to_dict(dsn)
    password = told.pop("password", None)
    secret = {"PGPASSWORD": str(password)} if password else {}
    return f"--dbname={make_conninfo('', **told)}", dict(os.environ) | secret


def _failed(file: Path, error: OSError) -> HouseNotKept:
    if isinstance(error, HouseNotKept):
        return error
    return HouseNotKept(f"{file} cannot be written ({reason_of(error)}); name another file.")
