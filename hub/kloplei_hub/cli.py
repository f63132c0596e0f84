"""The command ``kloplei-hub``: the house's three programs, and who keeps it.

Exit codes and manners are those of ``kloplei`` (`kloplei.cli`): a command's module is imported when
the command is asked for, its ``register`` adds the options.
"""

import argparse
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kloplei.cli.main import Command, Program
from kloplei.cli.main import main as run

if TYPE_CHECKING:
    from kloplei_hub.database import Connection
    from kloplei_hub.settings import HubConfig

Task = Callable[["Connection", argparse.Namespace, "HubConfig"], None]
"""Does one thing over a connection of the database's owner, which commits by itself."""

HUB = Program(
    "kloplei-hub",
    "All tables of a house: a pub, a league or a festival (docs/hub.md).",
    "Exit codes: 0 fine, 1 did not hold, 2 wrong use.",
    {
        "ingest": Command(
            "kloplei_hub.ingest",
            "take what boxes send, keep it, and say what is kept",
        ),
        "fold": Command(
            "kloplei_hub.folding",
            "tell the evenings out of what boxes sent",
        ),
        "rebuild": Command(
            "kloplei_hub.folding",
            "make the evenings anew, and say whether they are the same",
        ),
        "admin": Command(
            "kloplei_hub.admin",
            "boxes, people and the database, for who keeps the house",
        ),
        "tournament": Command(
            "kloplei_hub.desk",
            "draw rounds, call tables, take results: for a referee",
        ),
        "people": Command(
            "kloplei_hub.admin",
            "who is known in the house, and what they are called",
        ),
        "web": Command(
            "kloplei_hub.web.serving",
            "show the wall, tables, evenings and people in browsers",
        ),
        "demo": Command(
            "kloplei_hub.demo",
            "a house on this machine, with tables at which bots play",
        ),
    },
)
"""By name, in the order of the help."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; bad input gives one sentence on stderr."""
    return run(argv, HUB)


def add_config(parser: argparse.ArgumentParser) -> None:
    """Add ``--config``, which every command has."""
    parser.add_argument(
        "--config",
        type=Path,
        metavar="FILE",
        help="settings (/etc/kloplei-hub/hub.toml, if it is there)",
    )


def config_of(arguments: argparse.Namespace) -> "HubConfig":
    """Return the settings that *arguments* ask for.

    Raises:
        ConfigError: They cannot be read or used.
    """
    from kloplei_hub.settings import load_config

    return load_config(arguments.config)


def counted(number: int, one: str, more: str) -> str:
    """Return *number* with what is counted: 1 box, 2 boxes."""
    return f"{number} {one if number == 1 else more}"


def add_task(tasks: Any, name: str, do: Task, told: str) -> argparse.ArgumentParser:
    """Add the task *name* to a command's, done as the owner of the database; return its parser."""
    parser: argparse.ArgumentParser = tasks.add_parser(name, help=told, description=told)
    add_config(parser)
    parser.set_defaults(run=lambda arguments: _do_as_owner(do, arguments))
    return parser


def _do_as_owner(do: Task, arguments: argparse.Namespace) -> int:
    from kloplei_hub.database import connect

    config = config_of(arguments)
    with closing(connect(config.database.owner, autocommit=True)) as connection:
        do(connection, arguments, config)
    return 0
