"""Who has a name at the house's pages: ``kloplei-hub admin user``.

Passwords are kept as werkzeug writes scrypt's, which that of Debian 12 does not know yet. A new one
ends all that was signed in by the old one.
"""

import argparse
import hashlib
import hmac
import secrets
import sys
from collections.abc import Callable
from getpass import getpass
from typing import TYPE_CHECKING, Any, Final

from kloplei.cli.terminal import say
from kloplei.files import KlopleiError
from kloplei_hub.database import Connection

if TYPE_CHECKING:
    from kloplei_hub.settings import HubConfig

ROLES: Final = ("guest", "player", "referee", "landlord")
"""Each may do what those before it may; a guest is whoever did not sign in."""
_SHORTEST: Final = 8
_LONGEST_NAME: Final = 60
_SCRYPT: Final = (2**15, 8, 1)
_NOBODY: Final = "scrypt:32768:8:1$nobody$"
Add = Callable[..., argparse.ArgumentParser]


class UserRefused(KlopleiError, ValueError):
    """A name, role or password that cannot be; the message says what can."""


def put_user(connection: Connection, name: str, password: str, role: str) -> None:
    """Let *name* sign in with *password* and do what *role* may, from now on.

    Raises:
        UserRefused: The name or the password cannot be used.
    """
    name = " ".join(name.split())
    if not (name.isprintable() and 0 < len(name) <= _LONGEST_NAME):
        raise UserRefused(f"A name has 1 to {_LONGEST_NAME} letters that can be written.")
    if role not in ROLES[1:]:
        raise UserRefused(f"A role is one of {', '.join(ROLES[1:])}.")
    if len(password) < _SHORTEST:
        raise UserRefused(f"A password has at least {_SHORTEST} letters.")
    kept = _hashed(password, secrets.token_hex(8))
    connection.execute(
        "INSERT INTO users (name, password, role, seal) VALUES (%s, %s, %s, %s) "
        "ON CONFLICT (name) DO UPDATE SET (password, role, seal) = "
        "(excluded.password, excluded.role, excluded.seal)",
        (name, kept, role, secrets.token_hex(8)),
    )


def seal_of(rows: list[tuple[Any, ...]], password: str) -> str | None:
    """Return the seal of the user in *rows* (password, seal) if that is their *password*.

    To try a name that nobody has takes as long.
    """
    kept, seal = rows[0] if rows else (_NOBODY, None)
    return seal if _is_password(kept, password) and rows else None


def _hashed(password: str, salt: str, cost: tuple[int, int, int] = _SCRYPT) -> str:
    n, r, p = cost
    told = hashlib.scrypt(
        password.encode(), salt=salt.encode(), n=n, r=r, p=p, maxmem=132 * n * r * p
    )
    return f"scrypt:{n}:{r}:{p}${salt}${told.hex()}"


def _is_password(kept: str, password: str) -> bool:
    method, salt, _ = kept.split("$", 2)
    n, r, p = map(int, method.split(":")[1:])
    return hmac.compare_digest(_hashed(password, salt, (n, r, p)), kept)


def add_tasks(add: Add, tasks: Any) -> None:
    """Let ``admin`` do what concerns users; *add* adds one task."""
    parser = tasks.add_parser("user", help="who may sign in at the pages", description=__doc__)
    doings = parser.add_subparsers(title="tasks", required=True, metavar="TASK")
    put = add(doings, "add", _put, "let somebody sign in, or give them another password or role")
    put.add_argument("name", help="by which they sign in")
    put.add_argument("--role", choices=ROLES[1:], default="player", help="what they may do")
    add(doings, "list", _list, "list who may sign in")
    gone = add(doings, "remove", _remove, "let somebody sign in no longer")
    gone.add_argument("name", help="by which they sign in")


def _put(connection: Connection, arguments: argparse.Namespace, config: "HubConfig") -> None:
    if sys.stdin.isatty():
        password = getpass(f"Password for {arguments.name}: ")
        if getpass("The same again: ") != password:
            raise UserRefused("These were two passwords; nothing has changed.")
    else:
        password = sys.stdin.readline().rstrip("\n")
    put_user(connection, arguments.name, password, arguments.role)
    say(f"{arguments.name} may sign in, as {arguments.role}.")


def _list(connection: Connection, arguments: argparse.Namespace, config: "HubConfig") -> None:
    users = connection.execute("SELECT name, role FROM users ORDER BY name").fetchall()
    for name, role in users:
        say(f"{role:10} {name}")
    if not users:
        say("Nobody yet. Let somebody with: kloplei-hub admin user add NAME --role landlord")


def _remove(connection: Connection, arguments: argparse.Namespace, config: "HubConfig") -> None:
    ask = "DELETE FROM users WHERE name = %s RETURNING name"
    if connection.execute(ask, (arguments.name,)).fetchone() is None:
        raise UserRefused(f"Nobody signs in as {arguments.name}; see: kloplei-hub admin user list")
    say(f"{arguments.name} may sign in no longer.")
