"""What commands share: options, single keys, lines drawn over and over, a table to record."""

import argparse
import contextlib
import os
import select
import sys
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO

from kloplei.files import KlopleiError

if TYPE_CHECKING:
    from argparse import _ActionsContainer
    from pathlib import Path

    from kloplei.config.settings import Config
    from kloplei.recordings.capture.protocol import ProtocolStep
    from kloplei.recordings.capture.sensors import Sensors
    from kloplei.simulation.coupling import Coupling

MOST_CHANNELS = 8  # of a converter, and of a sound card that is listened to
_CLEAR_BELOW = "\x1b[J"
_COLUMNS = 80  # where nobody knows
_SEATS, _MOST_SEATS = 4, 8  # of a table that is not there


def say(sentence: str) -> None:
    """Print *sentence* at once, whoever reads along."""
    print(sentence, flush=True)


def is_live(out: TextIO) -> bool:
    """Return whether somebody sits at *out* who can press keys."""
    return out.isatty() and sys.stdin.isatty()


@contextlib.contextmanager
def single_keys() -> Iterator[None]:
    """Let the keyboard give each key at once; put all back at the end."""
    import termios
    import tty

    wire = sys.stdin.fileno()
    before = termios.tcgetattr(wire)
    tty.setcbreak(wire)  # Ctrl-C still interrupts
    try:
        yield
    finally:
        with contextlib.suppress(termios.error):  # the terminal has been closed
            termios.tcsetattr(wire, termios.TCSADRAIN, before)


class Keys:
    """What comes in at the keyboard, or from whatever stands in for it."""

    def __init__(self) -> None:
        self._is_over = False

    def key(self, within_s: float) -> str | None:
        """Return what was pressed within that time, "" when nobody can press any more."""
        wire = sys.stdin.fileno()
        watched = [] if self._is_over else [wire]
        readable, _, _ = select.select(watched, [], [], within_s)
        if not readable:
            return "" if self._is_over else None
        pressed = os.read(wire, 1)
        self._is_over = not pressed
        return "" if self._is_over else chr(pressed[0]).lower()


class Redrawn:
    """Some lines at the foot of a terminal, drawn over what was drawn before."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._lines = 0

    def draw(self, lines: Sequence[str]) -> None:
        """Draw *lines* in place of those drawn last."""
        up = f"\x1b[{self._lines}F" if self._lines else ""
        width = _width(self._out)
        # Cut, for a line that wraps would not be drawn over.
        cut = (f"{_cut(one, width)}\n" for one in lines)
        self._out.write(f"{up}{_CLEAR_BELOW}" + "".join(cut))
        self._out.flush()
        self._lines = len(lines)

    def leave(self, sentence: str) -> None:
        """Leave *sentence* below what was drawn last."""
        self._out.write(f"{sentence}\n")
        self._out.flush()
        self._lines = 0


def padded(labels: Sequence[str]) -> list[str]:
    """Return *labels* filled up with blanks, so that what follows them stands in one column."""
    widest = max(map(_columns, labels))
    return [label + " " * (widest - _columns(label)) for label in labels]


def _columns(text: str) -> int:
    """Return how many columns *text* takes; a Japanese letter takes two."""
    return len(text) + sum(unicodedata.east_asian_width(one) in "WF" for one in text)


def _cut(line: str, width: int) -> str:
    while _columns(line) > width:
        line = line[:-1]
    return line


def _width(out: TextIO | None) -> int:
    try:
        # What was closed has no number, or is none at all.
        return (os.get_terminal_size(out.fileno()).columns if out else 0) or _COLUMNS
    except (OSError, ValueError):
        return _COLUMNS


class _Help(argparse.HelpFormatter):
    """Help as wide as the terminal; argparse loads all that packs archives to ask for that."""

    def __init__(self, prog: str, **more: Any) -> None:
        told = os.environ.get("COLUMNS", "")
        columns = int(told) if told.isdecimal() and int(told) else _width(sys.__stdout__)
        super().__init__(prog, **{"width": columns - 2, **more})


class Parser(argparse.ArgumentParser):
    """Reads a command line, and asks whether another word was meant by one that it does not know.

    Those of its commands are of the same kind.
    """

    def __init__(self, **more: Any) -> None:
        super().__init__(**{"formatter_class": _Help, **more})

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Read *args*; an option that nobody knows ends the command."""
        found, rest = super().parse_known_args(args, namespace)
        for word in rest:
            option = word.partition("=")[0]
            if option[:2] == "--" and (near := self._nearest(option)) is not None:
                self.error(f"there is no option {option}; did you mean {near}?")
        return found, rest

    def _nearest(self, option: str) -> str | None:
        from kloplei.validation import nearest

        return nearest(option, self._option_string_actions)

    def _get_value(self, action: argparse.Action, arg_string: str) -> Any:
        try:
            return super()._get_value(action, arg_string)
        except argparse.ArgumentError:
            numbers: dict[object, str] = {int: "whole number", float: "number"}
            if (number := numbers.get(action.type)) is None:
                raise  # it has said what may stand there
            raise argparse.ArgumentError(action, f"{arg_string!r} is no {number}") from None

    def _check_value(self, action: argparse.Action, value: object) -> None:
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError:
            from kloplei.validation import meant

            known = [str(one) for one in action.choices or ()]
            what = "command" if isinstance(action, argparse._SubParsersAction) else "choice"  # noqa: SLF001
            there = meant(str(value), known, f"there is {', '.join(known)}")
            raise argparse.ArgumentError(action, f"no {what} {value!r}; {there}") from None


_MOST_DIGITS = 2


class WrongOption(KlopleiError, ValueError):
    """Options that do not go together."""


def add_config(command: "_ActionsContainer", *, said_before: bool = False) -> None:
    """Let *command* be told where its settings are; *said_before*: the one above it may be too."""
    from pathlib import Path

    command.add_argument(
        "--config",
        type=Path,
        default=argparse.SUPPRESS if said_before else None,
        metavar="FILE",
        help="settings (docs/config.md)",
    )


def add_coupling(command: "_ActionsContainer", of: str) -> None:
    """Let *command* be told how the discs of a table that is not there are stuck on.

    Args:
        command: The command, or a group of its options.
        of: The option that it goes with, for its help.
    """
    command.add_argument(
        "--coupling",
        type=_couplings,
        default=(),
        metavar="HOW",
        help=f"{of}how its discs are stuck to the wood: glued, wax, tape, foam, off, or decibels "
        "lost; one for all, or by seat as in glued,foam",
    )


def _couplings(text: str) -> "tuple[Coupling, ...]":
    from kloplei.simulation.coupling import UnknownCoupling, read_couplings

    try:
        return read_couplings(text)
    except UnknownCoupling as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def load_config(path: "Path | None") -> "Config":
    """Return the settings of *path*, or the usual ones; what reads them loads no earlier."""
    from kloplei.config import reader

    return reader.load_config(path)


def seat_count(text: str) -> int:
    """Return how many seats *text* means, for argparse.

    Raises:
        argparse.ArgumentTypeError: It is no number from 1 on.
    """
    is_number = text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS
    if not (is_number and int(text) > 0):
        raise argparse.ArgumentTypeError("the seats are counted from 1 on")
    return int(text)


_LONGEST_DEVICE = 200  # as in the settings


def sound_device(text: str) -> str:
    """Return the name of ALSA's that *text* is, for argparse.

    Raises:
        argparse.ArgumentTypeError: None can be called so.
    """
    from kloplei.validation import is_line

    if not is_line(text, 1, _LONGEST_DEVICE):
        raise argparse.ArgumentTypeError(
            f"{text[:40]!a} names no sound device; arecord -L lists them, such as default"
        )
    return text


class RecordingBench(NamedTuple):
    """A table to be recorded: what there is of it, and the time it lives in.

    *wait* lets that time pass where it is not the real one.
    """

    config: "Config"
    sensors: "Sensors"
    clock: Callable[[], float]
    wait: Callable[[float], None] | None = None
    on_begin: "Callable[[ProtocolStep, float], None]" = lambda _step, _at_s: None


@contextlib.contextmanager
def open_bench(arguments: argparse.Namespace) -> Iterator[RecordingBench]:
    """Give the table that *arguments* name; let go of it at the end.

    Raises:
        ConfigError: The settings cannot be used.
        CannotRecord: The box has no sensors for it, or they cannot be reached.
        TableHasThem: A table runs.
    """
    import time

    from kloplei.recordings.capture.sensors import open_sensors

    if arguments.virtual:
        with _virtual_bench(arguments) as bench:
            yield bench
        return
    config = load_config(arguments.config)
    with open_sensors(config) as sensors:
        yield RecordingBench(config, sensors, time.monotonic)


@contextlib.contextmanager
def _virtual_bench(arguments: argparse.Namespace) -> Iterator[RecordingBench]:
    from kloplei.config.settings import Config
    from kloplei.demo.wood import VirtualTable, virtual_config
    from kloplei.devices.schedule import ManualSchedule, ThreadSchedule

    settings = Config() if arguments.config is None else load_config(arguments.config)
    config = virtual_config(settings, min(arguments.seats or _SEATS, _MOST_SEATS))
    with contextlib.ExitStack() as opened:
        wait = None
        schedule: ManualSchedule | ThreadSchedule
        if arguments.hurry:
            schedule = ManualSchedule()
            wait = schedule.advance
        else:
            schedule = ThreadSchedule()
            opened.callback(schedule.close)
        table = VirtualTable(schedule, config.table.seats, arguments.coupling)
        opened.callback(table.close)
        yield RecordingBench(config, table.sensors(), schedule.now_s, wait, table.oblige)
