"""`kloplei halt`: the slate's last word, for the units of the box."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from kloplei.cli.terminal import add_config

if TYPE_CHECKING:
    from kloplei.replay.commands import Subparsers

_KEPT = Path("/run/kloplei-halt/last-word")


def register(commands: "Subparsers") -> None:
    """Add ``halt`` to the command line."""
    halt = commands.add_parser(
        "halt",
        help="let the slate say that the plug may be pulled; the box does it by itself",
        description="The slate's last word at power-off. kloplei-halt.service prepares it, and the "
        "last step of the shutdown says it; nobody else need.",
    )
    halt.set_defaults(run=run_halt)
    add_config(halt)
    halt.add_argument(
        "--file", type=Path, metavar="FILE", default=_KEPT, help=f"where it is kept ({_KEPT})"
    )
    step = halt.add_mutually_exclusive_group(required=True)
    step.add_argument("--prepare", action="store_true", help="draw it and keep it")
    step.add_argument(
        "--say", action="store_true", help="say it, unless a disk may still be written to"
    )


def run_halt(arguments: argparse.Namespace) -> int:
    """Prepare the last word, or say it."""
    from kloplei import power_off

    if arguments.prepare:
        from kloplei.config import load_config

        power_off.prepare(load_config(arguments.config), arguments.file)
        return 0
    power_off.demand_rest(power_off.MOUNTS.read_text(encoding="utf-8"))
    power_off.say(arguments.file)
    return 0
