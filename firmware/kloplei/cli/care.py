"""Care of what the box remembers: `kloplei backup`, `kloplei restore` and `kloplei export`."""

import argparse
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from kloplei.cli.options import add_config

if TYPE_CHECKING:
    from kloplei.replay.commands import Subparsers


def register(commands: "Subparsers") -> None:
    """Add ``backup``, ``restore`` and ``export`` to the command line."""
    backup = commands.add_parser(
        "backup",
        help="keep the journal and the tuning in one file",
        description="Keep the journal and the tuning in one file, while the table runs, and read "
        "it back (docs/care.md).",
    )
    backup.add_argument(
        "file", nargs="?", type=Path, metavar="FILE", help="to write (kloplei-DATE.zip here)"
    )
    backup.set_defaults(run=make_backup)
    restore = commands.add_parser(
        "restore",
        help="let the box remember what a backup holds",
        description="Let the box remember what a backup holds. The table has to be stopped; what "
        "it remembered is kept beside (docs/care.md).",
    )
    restore.add_argument("file", type=Path, metavar="FILE", help="that kloplei backup made")
    restore.add_argument(
        "--check", action="store_true", help="only look whether it is sound; change nothing"
    )
    restore.set_defaults(run=put_back)
    export = commands.add_parser(
        "export",
        help="print the evening: text to share, CSV or JSON",
        description="Print the evening that runs, or the last one; the table may go on "
        "(docs/care.md).",
    )
    export.add_argument(
        "--as",
        dest="form",
        choices=("text", "csv", "json"),
        default="text",
        help="in which form (text)",
    )
    export.set_defaults(run=print_evening)
    for command in (backup, restore, export):
        add_config(command)


def make_backup(arguments: argparse.Namespace) -> int:
    """Write a backup, and look whether it can be read again."""
    from kloplei import backup
    from kloplei.config import load_config

    now = datetime.now(UTC)
    file = arguments.file or Path(f"kloplei-{now:%Y-%m-%d}.zip")
    backup.make_backup(load_config(arguments.config).table.data, file, now)
    manifest = backup.read_backup(file)
    print(f"{file} holds {', '.join(manifest.files)}, and reads back well.")
    return 0


def put_back(arguments: argparse.Namespace) -> int:
    """Put a backup back, or only look at it."""
    from kloplei import backup
    from kloplei.config import load_config

    if arguments.check:
        manifest = backup.read_backup(arguments.file)
        print(f"{arguments.file} is sound: Kloplei {manifest.kloplei}, {_when(manifest.made_at)}.")
        return 0
    data = load_config(arguments.config).table.data
    manifest = backup.restore(arguments.file, data)
    print(
        f"{data} remembers what it did at {_when(manifest.made_at)}. "
        f"What it held before lies in {data / backup.ASIDE}."
    )
    return 0


def print_evening(arguments: argparse.Namespace) -> int:
    """Print the evening as it stands, in the language of the slate."""
    from kloplei.config import load_config
    from kloplei.export import FORMATS, read_evening
    from kloplei.words import Words

    config = load_config(arguments.config)
    evening = read_evening(config.table.data)
    print(FORMATS[arguments.form](evening, Words(config.slate_language)), end="")
    return 0


def _when(made_at: str) -> str:
    """Return the moment *made_at* as the clock on the wall said it."""
    try:
        return f"{datetime.fromisoformat(made_at).astimezone():%Y-%m-%d %H:%M}"
    except ValueError:
        return made_at
