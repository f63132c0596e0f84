"""Read the command line and hand over; nothing heavy is imported before it is known what for."""

import argparse
import io
import logging
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import TextIO

from kloplei import __version__
from kloplei.cli._log_limit import LogLimit
from kloplei.cli.terminal import Parser
from kloplei.files import KlopleiError

logger = logging.getLogger(__name__)

FINE, DID_NOT_HOLD, WRONG_USE = 0, 1, 2
_INTERRUPTED = 130
_COMMANDS = {
    "demo": "kloplei.cli.demo",
    "run": "kloplei.cli.box",
    "panel": "kloplei.cli.box",
    "keys": "kloplei.cli.box",
    "doctor": "kloplei.cli.doctor",
    "backup": "kloplei.cli.care",
    "restore": "kloplei.cli.care",
    "export": "kloplei.cli.care",
    "journal": "kloplei.cli.care",
    "hotspot": "kloplei.cli.care",
    "halt": "kloplei.cli.box",
    "tune": "kloplei.cli.tune",
    "replay": "kloplei.replay.commands",
    "judge": "kloplei.replay.commands",
    "listen": "kloplei.cli.record",
}
"""By command, in the order of the help: the module whose ``register`` adds it."""


def build_parser(command: str | None = None) -> argparse.ArgumentParser:
    """Return the parser that knows *command*, or that of all commands where it is none.

    Each command sets ``run``, called with its arguments.
    """
    parser = Parser(
        prog="kloplei",
        description="Kloplei hears a knock on the pub table and keeps the slate.",
        epilog="Start with: kloplei demo. Exit codes: 0 fine, 1 did not hold, 2 wrong use.",
    )
    parser.add_argument("--version", action="version", version=f"kloplei {__version__}")
    parser.set_defaults(log_level="WARNING")
    parser.add_argument("--verbose", action="store_true", help="say more of what goes on")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    # One module for one command: to import all would load every game for `kloplei halt`.
    wanted = [_COMMANDS[command]] if command in _COMMANDS else dict.fromkeys(_COMMANDS.values())
    for module in wanted:
        import_module(module).register(commands)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; bad input gives one sentence on stderr."""
    _open_closed_streams()
    _bear_odd_letters()
    asked = sys.argv[1:] if argv is None else argv
    command = next((word for word in asked if not word.startswith("-")), None)
    arguments = build_parser(command).parse_args(asked)
    to_log = logging.StreamHandler()
    if not arguments.verbose:
        to_log.addFilter(LogLimit())
    logging.basicConfig(
        level="DEBUG" if arguments.verbose else arguments.log_level,
        format="%(levelname)s %(name)s: %(message)s",
        handlers=[to_log],
    )
    try:
        return int(arguments.run(arguments))
    except KlopleiError as error:
        _complain(str(error))
        # What was asked was wrong (2), or it was right and could not be done (1).
        return WRONG_USE if isinstance(error, ValueError) else DID_NOT_HOLD
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has gone (kloplei ... | head); keep Python's exit quiet too.
        _say_no_more(sys.stdout)
        return DID_NOT_HOLD
    except OSError as error:
        # What each command can mend it names itself; left are things like a full disk under
        # `kloplei ... > answer`.
        logger.debug("what stopped it", exc_info=True)
        _say_no_more(sys.stdout)
        _complain(f"cannot go on: {error}. Look at the disk and the rights there: df -h")
        return DID_NOT_HOLD


def _open_closed_streams() -> None:
    """Let what was closed (``<&-``, ``>&-``) lead to nowhere, so that no file takes its place."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: PTH123, SIM115 - open to the end


def _bear_odd_letters() -> None:
    """Let no name of a file and no key end a command, only because nobody can spell it."""
    for stream, errors in ((sys.stdin, "replace"), (sys.stdout, "backslashreplace")):
        if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors=errors)


def _complain(sentence: str) -> None:
    try:
        print(f"kloplei: {sentence}", file=sys.stderr, flush=True)
    except OSError:
        _say_no_more(sys.stderr)  # nobody can be told; the exit code still tells


def _say_no_more(stream: TextIO) -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
