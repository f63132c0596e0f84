"""Read the command line and hand over; nothing heavy is imported before it is known what for."""

import argparse
import io
import os
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO, cast

from kloplei import __version__
from kloplei.cli.terminal import Parser
from kloplei.files import KlopleiError

if TYPE_CHECKING:
    from logging import Logger


class Command(NamedTuple):
    """One command: *help* is its line in the list of all, its *module*'s ``register`` adds it."""

    module: str
    help: str


class Program(NamedTuple):
    """One program: what its help says, and its commands by name, in the order of the help."""

    name: str
    description: str
    epilog: str
    commands: Mapping[str, Command]


FINE, DID_NOT_HOLD, WRONG_USE = 0, 1, 2
_INTERRUPTED = 130
_COMMANDS = {
    "demo": Command(
        "kloplei.cli.demo",
        "play on a virtual table in the browser",
    ),
    "run": Command(
        "kloplei.cli.box",
        "the table unit: pins, slate and journal",
    ),
    "panel": Command(
        "kloplei.cli.box",
        "the panel unit: the slate on every phone",
    ),
    "keys": Command(
        "kloplei.cli.box",
        "make the PIN and the key that both units share",
    ),
    "halt": Command(
        "kloplei.cli.box",
        "let the slate say that the plug may be pulled; the box does it by itself",
    ),
    "uplink": Command(
        "kloplei.cli.uplink",
        "the uplink unit: carries what was played to the hub of a house",
    ),
    "doctor": Command(
        "kloplei.cli.doctor",
        "what works in this box, and what does not",
    ),
    "backup": Command(
        "kloplei.cli.care",
        "keep the journal and the tuning in one file",
    ),
    "restore": Command(
        "kloplei.cli.care",
        "let the box remember what a backup holds",
    ),
    "journal": Command(
        "kloplei.cli.care",
        "whether all that was written is there, and by what to compare it",
    ),
    "hotspot": Command(
        "kloplei.cli.care",
        "the box's own Wi-Fi for phones",
    ),
    "export": Command(
        "kloplei.cli.evenings",
        "print an evening, or all: text to share, CSV or JSON",
    ),
    "evenings": Command(
        "kloplei.cli.evenings",
        "list the evenings that were played",
    ),
    "people": Command(
        "kloplei.cli.evenings",
        "list the people whom the box knows",
    ),
    "import": Command(
        "kloplei.cli.evenings",
        "take in evenings from paper: a club's old notebook, written as records",
    ),
    "seatcards": Command(
        "kloplei.cli.evenings",
        "cards for the seats and a table tent, to print: scan one and sit down",
    ),
    "guide": Command(
        "kloplei.cli.evenings",
        "lead the table through its next hand, as a new box does through the first",
    ),
    "hush": Command("kloplei.cli.voice", "let the caller be quiet at once, or speak again"),
    "voice": Command(
        "kloplei.cli.voice",
        "let the house be its own caller: record what it says",
    ),
    "tune": Command(
        "kloplei.cli.tune",
        "teach the box its table: be quiet, a glass, a phone, five knocks a seat",
    ),
    "replay": Command(
        "kloplei.replay.commands",
        "play written records through the rules",
    ),
    "judge": Command(
        "kloplei.replay.commands",
        "say who takes a trick",
    ),
    "listen": Command(
        "kloplei.cli.record",
        "find the knocks in recordings",
    ),
}
"""By name, in the order of the help."""
_KLOPLEI = Program(
    "kloplei",
    "Kloplei hears a knock on the pub table and keeps the slate.",
    "Start with: kloplei demo. Exit codes: 0 fine, 1 did not hold, 2 wrong use.",
    _COMMANDS,
)


class _Commands(argparse._SubParsersAction):  # type: ignore[type-arg]  # noqa: SLF001 - it has no other name
    """Gives each command its line in the list of all."""

    listed: Mapping[str, Command]

    def add_parser(self, name: str, **more: Any) -> Any:
        return super().add_parser(name, help=self.listed[name].help, **more)


def build_parser(
    command: str | None = None, program: Program = _KLOPLEI
) -> argparse.ArgumentParser:
    """Return the parser that knows *command*, or that of all commands where it is none.

    Each command sets ``run``, called with its arguments.
    """
    parser, commands = _bare_parser(program)
    # One module for one command: to import all would load every game for `kloplei halt`.
    one = program.commands.get(command or "")
    wanted = program.commands.values() if one is None else [one]
    for module in dict.fromkeys(one.module for one in wanted):
        import_module(module).register(commands)
    return parser


def build_list(program: Program = _KLOPLEI) -> argparse.ArgumentParser:
    """Return the parser that lists all commands, and loads none of them."""
    parser, commands = _bare_parser(program)
    for name in program.commands:
        commands.add_parser(name)
    return parser


def _bare_parser(program: Program) -> "tuple[Parser, argparse._SubParsersAction[Parser]]":
    parser = Parser(prog=program.name, description=program.description, epilog=program.epilog)
    parser.add_argument("--version", action="version", version=f"{program.name} {__version__}")
    parser.set_defaults(log_level="WARNING")
    parser.add_argument("--verbose", action="store_true", help="say more of what goes on")
    commands = parser.add_subparsers(
        title="commands", required=True, metavar="COMMAND", action=_Commands
    )
    cast("_Commands", commands).listed = program.commands
    return parser, commands


def main(argv: Sequence[str] | None = None, program: Program = _KLOPLEI) -> int:
    """Run one command and return its exit code; bad input gives one sentence on stderr."""
    _open_closed_streams()
    _bear_odd_letters()
    asked = sys.argv[1:] if argv is None else argv
    command = next((word for word in asked if not word.startswith("-")), None)
    is_known = command in program.commands
    parser = build_parser(command, program) if is_known else build_list(program)
    arguments = parser.parse_args(asked)
    logger = _begin_log(None if arguments.verbose else arguments.log_level)
    try:
        return int(arguments.run(arguments))
    except KlopleiError as error:
        _complain(program, str(error))
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
        _complain(program, f"cannot go on: {error}. Look at the disk and the rights there: df -h")
        return DID_NOT_HOLD


def _begin_log(level: str | None) -> "Logger":
    """Log what is worth *level*, within limits; None logs all there is. Return our own logger."""
    import logging  # here: who only asks for help waits for neither

    from kloplei.cli._log_limit import LogLimit

    to_log = logging.StreamHandler()
    if level is not None:
        to_log.addFilter(LogLimit())
    logging.basicConfig(
        level=level or "DEBUG",
        format="%(levelname)s %(name)s: %(message)s",
        handlers=[to_log],
    )
    return logging.getLogger(__name__)


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


def _complain(program: Program, sentence: str) -> None:
    try:
        print(f"{program.name}: {sentence}", file=sys.stderr, flush=True)
    except OSError:
        _say_no_more(sys.stderr)  # nobody can be told; the exit code still tells


def _say_no_more(stream: TextIO) -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
