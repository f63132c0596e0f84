"""`kloplei doctor`: what works in this box, as lines, as JSON, as a report, or tried by hand."""

import argparse
import json
import os
import queue
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from kloplei.cli.terminal import (
    RecordingBench,
    WrongOption,
    add_config,
    add_coupling,
    load_config,
    open_bench,
    say,
)
from kloplei.files import KlopleiError
from kloplei.knock.judgement import PIEZOS, piezo_name
from kloplei.table.doctor_client import Finding, FindingState

if TYPE_CHECKING:
    from kloplei.knock.signal import Block
    from kloplei.replay.commands import Subparsers

_COLOURS = {FindingState.GOOD: "32", FindingState.POOR: "33", FindingState.BAD: "31"}


def register(commands: "Subparsers") -> None:
    """Add ``doctor`` to the command line."""
    doctor = commands.add_parser(
        "doctor",
        description="Looks at each part of the box and says the next step where one is needed.",
        epilog="Exit codes: 0 nothing is broken, 1 something is. Each line: docs/doctor.md",
    )
    how = doctor.add_mutually_exclusive_group()
    how.add_argument("--json", action="store_true", help="print JSON")
    how.add_argument(
        "--report", action="store_true", help="print a report to copy; it holds no secrets"
    )
    how.add_argument(
        "--slate", action="store_true", help="show a test picture, ask what you see, and advise"
    )
    how.add_argument(
        "--try",
        action="store_true",
        dest="by_hand",
        help="show lamp and buzzer, speak, then name each button and knock until Ctrl-C",
    )
    how.add_argument(
        "--levels",
        action="store_true",
        help="ask for five knocks beside each disc, and say which is glued, loose or dead",
    )
    how.add_argument(
        "--pads",
        action="store_true",
        help="ask for knocks and glasses at each pad, and say which way to turn its trimmer",
    )
    doctor.add_argument(
        "--virtual", action="store_true", help="with --levels: on a table that is not there"
    )
    doctor.add_argument(
        "--hurry", action="store_true", help="with --virtual: without waiting for time to pass"
    )
    add_coupling(doctor, "with --virtual: ")
    add_config(doctor)
    # What parts complain of is told by the doctor, once.
    doctor.set_defaults(run=run_doctor, log_level="ERROR", seats=None)


def run_doctor(arguments: argparse.Namespace) -> int:
    """Say how each part of the box does; return 1 if one is broken."""
    if arguments.virtual and not arguments.levels:
        raise WrongOption("--virtual goes with --levels; the other parts are looked at as they are")
    if (arguments.hurry or arguments.coupling) and not arguments.virtual:
        raise WrongOption("--hurry and --coupling go with --levels --virtual")
    if arguments.levels:
        return _level_card(arguments)
    if arguments.pads:
        return _trim_pads(arguments.config)
    if arguments.slate:
        return _try_the_slate(arguments.config)
    if arguments.by_hand:
        return _try_by_hand(arguments.config)
    if arguments.report:
        return _report(arguments.config)
    found = []
    for finding in _examine(arguments.config, quietly=arguments.json):
        found.append(finding)
        if not arguments.json:
            print(_line(finding, sys.stdout), flush=True)
    if arguments.json:
        print(json.dumps([_as_json(one) for one in found], indent=2))
    return _exit_code(found)


def _report(path: Path | None) -> int:
    from kloplei.config.schema import ConfigError
    from kloplei.diagnostics.findings import write_report

    found = list(_examine(path, quietly=True))
    config = None
    with suppress(ConfigError):
        config = load_config(path)
    print(write_report(found, config), end="")
    return _exit_code(found)


def _examine(path: Path | None, *, quietly: bool) -> Iterator[Finding]:
    from kloplei.config.reader import DEFAULT_PATH
    from kloplei.config.schema import ConfigError
    from kloplei.diagnostics.doctor import examine, examine_without_settings

    try:
        config = load_config(path)
    except ConfigError as error:
        yield from examine_without_settings(str(error))
        return
    yield _where_from(path or DEFAULT_PATH)
    yield from examine(config, time.sleep if quietly else _wait)


def _where_from(path: Path) -> Finding:
    from kloplei.diagnostics.findings import good

    if path.exists():
        return good("settings", "settings.good", file=str(path))
    return good("settings", "settings.default")


def _try_by_hand(path: Path | None) -> int:
    from kloplei.diagnostics.doctor import try_parts
    from kloplei.systemd import ended_in_good_order

    config = load_config(path)
    with suppress(KeyboardInterrupt), ended_in_good_order():
        try_parts(config, say, _until_ctrl_c)
    return 0


def _until_ctrl_c() -> None:
    threading.Event().wait()


_SILENT_S = 5.0  # a converter gives a block sixty times a second
_TURNING_S = 10.0  # where no key can be pressed: a screwdriver takes so long
_STEP_S = 0.01  # of time that is made to pass: whoever is asked to knock shall not be late


class NoLevels(KlopleiError):
    """This box has nothing whose level could be told; the sentence says what it has instead."""


def _level_card(arguments: argparse.Namespace) -> int:
    from kloplei.devices.adc import CHIPS
    from kloplei.diagnostics.levels import card, findings_of, measure
    from kloplei.systemd import ended_in_good_order

    with ended_in_good_order(), _level_bench(arguments) as bench:
        names = [piezo_name(channel, seat) for channel, seat in bench.config.piezos]
        measured = measure(_blocks(bench), names, lambda line: say(f"     {line}"), _asking(bench))
    config = bench.config
    by_card = config.audio.enabled
    half_codes = 1 << (config.audio.bits if by_card else CHIPS[config.adc.chip].bits) - 1
    levels = zip(names, card(measured), strict=True)
    found = [
        one
        for name, level in levels
        for one in findings_of(name, level, half_codes, on_sound_card=by_card)
    ]
    for finding in found:
        print(_line(finding, sys.stdout))
    return _exit_code(found)


@contextmanager
def _level_bench(arguments: argparse.Namespace) -> "Iterator[RecordingBench]":
    if not arguments.virtual and not load_config(arguments.config).piezos:
        raise NoLevels(
            "This box has no piezos on a converter or a sound card, and a pad only tells when it "
            "was loud: turn its trimmer by kloplei doctor --pads. To see a level card without any: "
            "kloplei doctor --levels --virtual"
        )
    with open_bench(arguments) as bench:
        yield bench


def _blocks(bench: "RecordingBench") -> "Iterator[Block]":
    heard: queue.SimpleQueue[Block] = queue.SimpleQueue()
    bench.sensors.source.start(heard.put)
    while True:
        while bench.wait is not None and heard.empty():
            bench.wait(_STEP_S)
        try:
            yield heard.get(timeout=_SILENT_S)
        except queue.Empty:
            by_card = bench.config.audio.enabled
            look = "look at its plug" if by_card else "look at its supply and its wires"
            why = bench.sensors.troubles.of(PIEZOS) or look
            raise NoLevels(
                f"The {'sound card' if by_card else 'converter'} has given nothing "
                f"for {_SILENT_S:.0f} s: {why}"
            ) from None


def _trim_pads(path: Path | None) -> int:
    from kloplei.diagnostics.pads import PadBench, trim
    from kloplei.diagnostics.pins import demand_stopped
    from kloplei.systemd import ended_in_good_order

    config = load_config(path)
    if not config.pads:
        raise NoLevels(
            "This box has no pads. A disc on a converter has no trimmer: kloplei doctor --levels"
        )
    demand_stopped(config.socket.path)
    found = []
    with (
        suppress(KeyboardInterrupt),
        ended_in_good_order(),
        closing(PadBench(config, _turned)) as bench,
    ):
        for finding in trim(bench.pads, bench, bench.trouble, lambda line: say(f"     {line}")):
            print(_line(finding, sys.stdout), flush=True)
            found.append(finding)
    return _exit_code(found)


def _turned() -> bool:
    """Ask for the trimmer to be turned; False once somebody wants no more of it."""
    print("     then press Enter: ", end="", flush=True)
    if sys.stdin.readline():
        return True
    if sys.stdin.isatty():
        return False
    # Nobody can press anything: who turns it has a moment.
    print(flush=True)
    time.sleep(_TURNING_S)
    return True


def _asking(bench: "RecordingBench") -> Callable[[int, float], None]:
    """Return what lets people at a table that is not there knock; a real one has its own."""
    from kloplei.diagnostics.levels import KNOCKS
    from kloplei.games.game import Seat
    from kloplei.recordings.capture.protocol import KNOCK, ProtocolKind, ProtocolStep

    kind = ProtocolKind("usual", KNOCK, KNOCKS, beat_s=0.8)
    return lambda disc, at_s: bench.on_begin(ProtocolStep(kind, (Seat(disc),)), at_s)


def _try_the_slate(path: Path | None) -> int:
    from kloplei.diagnostics.slate import QUESTIONS, advise, picture_shown
    from kloplei.systemd import ended_in_good_order

    config = load_config(path)
    with ended_in_good_order(), picture_shown(config):
        print("The slate shows five bars on either side, marked 0 to 4. What do you see there?")
        for number, (_, question) in enumerate(QUESTIONS, 1):
            print(f"  {number:2}  {question}")
        chosen = _chosen(len(QUESTIONS))
    if chosen is None:
        return 0
    advice = advise(config.slate, QUESTIONS[chosen][0])
    print(_line(advice, sys.stdout))
    return _exit_code([advice])


def _chosen(most: int) -> int | None:
    """Return which of *most* questions was answered with yes, from 0; None if nobody answers."""
    while True:
        print(f"1 to {most}, or just Enter: ", end="", flush=True)
        answer = sys.stdin.readline().strip()
        if not answer:
            return None
        if answer.isascii() and answer.isdigit() and 1 <= int(answer[:3]) <= most:
            return int(answer[:3]) - 1


def _line(finding: Finding, out: TextIO) -> str:
    from kloplei.diagnostics.findings import MARKS, as_line

    line, mark = as_line(finding), MARKS[finding.state]
    if not out.isatty() or os.environ.get("NO_COLOR"):
        return line
    return f"\x1b[{_COLOURS[finding.state]}m{mark}\x1b[0m{line.removeprefix(mark)}"


def _as_json(finding: Finding) -> dict[str, str | None]:
    from kloplei.diagnostics.findings import doctor_words, tell

    says, step = tell(finding, doctor_words("en"))
    return {
        "part": finding.part,
        "state": finding.state.value,
        "key": finding.says.key,
        "says": says,
        "step": step or None,
    }


def _exit_code(findings: Iterable[Finding]) -> int:
    return int(any(finding.state is FindingState.BAD for finding in findings))


def _wait(for_s: float) -> None:
    if for_s:
        how_long = f"{for_s:.0f} s" if for_s >= 1 else "a moment"
        print(f"     listening for {how_long}: let nobody touch the table", flush=True)
    time.sleep(for_s)
