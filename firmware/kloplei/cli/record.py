"""`kloplei listen`: find knocks in recordings; `--record` records some to send (hw/bench.md).

The sensors are those of the box, or of a table that is not there (`--virtual`); the screen says
what to do and when, on a terminal live, in the slate's language. What `--pack` alone says is
English, as is all that ends the command early: makers read it.
"""

import argparse
import contextlib
import queue
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from kloplei.cli.terminal import (
    MOST_CHANNELS,
    RecordingBench,
    WrongOption,
    add_config,
    add_coupling,
    load_config,
    open_bench,
    seat_count,
    sound_device,
)
from kloplei.files import KlopleiError
from kloplei.knock.geometry import NotAGeometry, Spot, TableSize, read_size, read_spots
from kloplei.knock.judgement import PIEZOS

if TYPE_CHECKING:
    from kloplei.config.settings import Config
    from kloplei.knock.signal import Block
    from kloplei.recordings.capture.folder import RecordingFolder
    from kloplei.recordings.capture.protocol import ProtocolStep
    from kloplei.recordings.capture.sensors import Sensors
    from kloplei.recordings.capture.session import SlatePrompts
    from kloplei.replay.commands import Subparsers
    from kloplei.words import Words

T = TypeVar("T")

SPARE_BYTES = 20_000_000  # a card that is filled to the last byte is a trouble of its own
_SAMPLE_BYTES = 2
_OF_RECORDING = ("config", "seats", "without", "virtual", "coupling", "hurry")


class NoRoom(KlopleiError, OSError):
    """The disk has less room than the recordings take."""


_DESCRIPTION = """\
Say where somebody knocked in a recording: a WAV file of one or several
channels, 2 to 48 kHz (up to 192 kHz is thinned out), 8 to 32 bits or floats;
- is the standard input. Each channel is a sensor, and a seat, unless a table
was learned. Exit code: 0 all were listened to, 1 what was learned could not be
kept, 2 something could not be read or teaches nothing."""
_EPILOG = """\
  kloplei listen table.wav                            a line a knock
  kloplei listen --json *.wav                         a line of JSON a file
  arecord -f S16_LE -r 8000 | kloplei listen -        while it is being recorded
  kloplei listen --live plughw:CARD=Device            on a sound card
  kloplei listen --learn seats.json knocks.wav --table my.toml
  kloplei listen --table my.toml evening.wav          and who it was
  kloplei listen --table-size 1.4x0.8 --discs corners --seats 4 evening.wav
  sudo kloplei listen --record mytable                ten minutes of your table

seats.json says who knocked when: [{"at_s": 1.23, "seat": 0}, ...]; more in
docs/listen.md."""


def register(commands: "Subparsers") -> None:
    """Add ``listen`` to the command line, which records as well."""
    listen = commands.add_parser(
        "listen",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    listen.add_argument("recordings", nargs="*", metavar="RECORDING.wav")
    listen.add_argument("--json", action="store_true", help="print one JSON object a file")
    listen.add_argument("--all", action="store_true", help="show what was no knock as well")
    listen.add_argument(
        "--table", type=Path, metavar="FILE", help="what this table taught: who sits where"
    )
    listen.add_argument(
        "--learn",
        type=Path,
        metavar="SEATS.json",
        help="learn that from knocks whose seats are known, and write it to --table",
    )
    listen.add_argument(
        "--live",
        nargs="?",
        const=False,  # what the settings wire
        type=sound_device,
        metavar="DEVICE",
        help="listen as it happens until Ctrl-C: to ALSA's DEVICE, such as default, or to what "
        "the settings wire",
    )
    listen.add_argument(
        "--channels",
        type=int,
        choices=range(1, MOST_CHANNELS + 1),
        metavar="N",
        help="with --live DEVICE: so many sensors hang on it, each a seat (1)",
    )
    wood = listen.add_argument_group("tell seats of a table that was not learned by where all are")
    wood.add_argument(
        "--table-size", type=_size, metavar="1.4x0.8", help="in metres; 1.1 is a round one"
    )
    wood.add_argument(
        "--top", choices=("plate", "planks"), help="planks lie along the table (plate)"
    )
    wood.add_argument(
        "--discs",
        type=_discs,
        metavar="WHERE",
        help="corners, clockwise from the slate (where nothing is said); seats; or spots by "
        "channel: 0.07x0.73,1.33x0.07",
    )
    wood.add_argument(
        "--seats-at",
        type=_spots,
        default=(),
        metavar="SPOTS",
        help="where hands knock; without it --seats N sit evenly around the table",
    )
    bench = listen.add_argument_group("record a table of your own, to measure by (hw/bench.md)")
    what = bench.add_mutually_exclusive_group()
    what.add_argument(
        "--record",
        type=Path,
        metavar="FOLDER",
        help="lead through ten minutes of knocks and noises, and keep them there; "
        "the same command goes on where it was stopped",
    )
    what.add_argument(
        "--pack", type=Path, metavar="FOLDER", help="make FOLDER.zip of it, one file to send"
    )
    add_config(bench)
    bench.add_argument("--seats", type=seat_count, metavar="N", help="only seats 1 to N knock")
    bench.add_argument(
        "--without",
        action="append",
        default=[],
        metavar="STEP",
        help="leave out a step, such as talk; may be given again",
    )
    bench.add_argument(
        "--virtual", action="store_true", help="record a table that is not there, to try it"
    )
    add_coupling(bench, "with --virtual: ")
    bench.add_argument(
        "--hurry", action="store_true", help="with --virtual: without waiting for time to pass"
    )
    listen.set_defaults(run=_run, log_level="ERROR")


def _run(arguments: argparse.Namespace) -> int:
    if arguments.channels is not None and not arguments.live:
        raise WrongOption("--channels goes with --live DEVICE")
    # Said alone they would tell nobody's seat, and nobody would know why.
    for option in ("seats_at", "discs", "top"):
        if getattr(arguments, option) and not arguments.table_size:
            raise WrongOption(f"--{option.replace('_', '-')} goes with --table-size 1.4x0.8")
    if arguments.live is not None:
        return _live(arguments)
    if arguments.record is None and arguments.pack is None:
        counts_seats = ("seats",) if arguments.table_size else ()
        if any(getattr(arguments, one) for one in _OF_RECORDING if one not in counts_seats):
            raise WrongOption(f"--{', --'.join(_OF_RECORDING)} go with --record FOLDER")
        from kloplei.recordings.commands import run

        return run(arguments)
    _check(arguments)
    if arguments.pack is not None:
        return _pack(arguments.pack, frozenset(arguments.without), _bench_words("en"))
    return _record(arguments)


_LOOKS_S = 0.5  # how often it is seen whether the sensors complain


def _live(arguments: argparse.Namespace) -> int:
    from kloplei.recordings.capture.sensors import open_sensors
    from kloplei.recordings.commands import listen_live
    from kloplei.systemd import ended_in_good_order

    if arguments.recordings or arguments.learn or arguments.record or arguments.pack:
        raise WrongOption("--live listens to sensors; leave files and folders out")
    if not arguments.live and (arguments.table_size or arguments.seats_at):
        raise WrongOption(
            "--table-size goes with --live DEVICE; of a box the settings tell it: [wood] size"
        )
    if arguments.seats and not arguments.table_size:
        raise WrongOption("--seats goes with --table-size 1.4x0.8, or with --record FOLDER")
    config = _live_config(arguments)
    seats = [seat for _, seat in config.piezos]
    with ended_in_good_order(), open_sensors(config) as sensors:
        listen_live(_live_blocks(sensors), seats, arguments, config.geometry)
    return 0


def _live_config(arguments: argparse.Namespace) -> "Config":
    from kloplei.config.settings import AudioConfig, Config, SeatPins

    if not arguments.live:
        return load_config(arguments.config)
    audio, count = AudioConfig(enabled=True, device=arguments.live), arguments.channels or 1
    if count == 1:
        return Config(audio=audio)
    return Config(audio=audio, seats=tuple(SeatPins(piezo=at) for at in range(count)))


def _live_blocks(sensors: "Sensors") -> "Iterator[Block]":
    """Yield what *sensors* give, and say on stderr what they complain of, once."""
    from kloplei.recordings.commands import complain

    heard: queue.SimpleQueue[Block] = queue.SimpleQueue()
    sensors.source.start(heard.put)
    told: str | None = None
    while True:
        block = None
        with contextlib.suppress(queue.Empty):
            block = heard.get(timeout=_LOOKS_S)
        if block is not None:
            yield block
        trouble = sensors.troubles.of(PIEZOS)
        if trouble and trouble != told:
            complain(trouble)
        told = trouble


def _size(text: str) -> TableSize:
    return _geometrical(read_size, text)


def _spots(text: str) -> tuple[Spot, ...]:
    return _geometrical(read_spots, text)


def _discs(text: str) -> str | tuple[Spot, ...]:
    return text if text in ("corners", "seats") else _spots(text)


def _geometrical(read: Callable[[str], T], text: str) -> T:
    try:
        return read(text)
    except NotAGeometry as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _check(arguments: argparse.Namespace) -> None:
    from kloplei.recordings.capture.protocol import KINDS

    if arguments.recordings or arguments.learn or arguments.table or arguments.all:
        raise WrongOption("--record and --pack take a folder and listen to no file; leave it out")
    if arguments.json:
        raise WrongOption("--record guides people and prints no JSON; labels.json holds it all")
    if arguments.hurry and not arguments.virtual:
        raise WrongOption("--hurry goes with --virtual; a real table takes its time")
    if arguments.coupling and not arguments.virtual:
        raise WrongOption("--coupling goes with --virtual; how a real disc is glued, it feels")
    known = [kind.name for kind in KINDS]
    for name in arguments.without:
        if name not in known:
            raise WrongOption(
                f'there is no step "{name}" to leave out; there are {", ".join(known)}'
            )


def _record(arguments: argparse.Namespace) -> int:
    """Record a table, pack it once all of it is there, and return 1 if something is missing."""
    from kloplei.games.game import Seat
    from kloplei.recordings.capture.folder import RecordingFolder
    from kloplei.recordings.capture.protocol import setup_of, steps_for, steps_of_any
    from kloplei.recordings.capture.writer import alone_in
    from kloplei.systemd import ended_in_good_order

    with ended_in_good_order(), open_bench(arguments) as bench, alone_in(arguments.record):
        seats = min(arguments.seats or bench.config.table.seats, bench.config.table.seats)
        steps = steps_for([Seat(at) for at in range(seats)], frozenset(arguments.without))
        setup = setup_of(bench.config, virtual=arguments.virtual)
        folder = RecordingFolder(arguments.record, setup, steps_of_any(bench.config.table.seats))
        _check_room(folder, bench, steps)
        finished = _walk(bench, folder, steps)
    words = _bench_words(bench.config.slate_language)
    _tell(folder, words)
    if not finished:
        print(words.say("incomplete"))
        return 1
    return _pack(arguments.record, frozenset(arguments.without), words)


def _bench_words(language: str) -> "Words":
    from kloplei.recordings.capture.session import DOMAIN
    from kloplei.words import Words

    return Words(language, domain=DOMAIN)


def _walk(
    bench: RecordingBench, folder: "RecordingFolder", steps: "Sequence[ProtocolStep]"
) -> bool:
    from kloplei.cli._record_screen import WithSlate, open_screen
    from kloplei.recordings.capture.sensors import CannotRecord
    from kloplei.recordings.capture.session import Walk

    if folder.is_new and bench.sensors.pins is not None and sys.stdin.isatty():
        folder.answer(_asked(bench.config))
    with contextlib.ExitStack() as opened:
        slate = _opened_slate(bench, opened)
        screen = opened.enter_context(open_screen(bench.config.slate_language))
        console = WithSlate(screen, slate, bench.wait)
        walk = Walk(steps, bench.sensors, folder, console, bench.clock, bench.on_begin)
        if trouble := walk.wait_for_sensors():
            raise CannotRecord(trouble)
        return walk.go()


def _opened_slate(bench: RecordingBench, opened: contextlib.ExitStack) -> "SlatePrompts | None":
    from kloplei.devices.oled import open_slate
    from kloplei.recordings.capture.session import SlatePrompts

    config = bench.config
    if config.slate.driver == "none":
        return None

    def open_device() -> Any:
        return open_slate(config.slate, pin_factory=bench.sensors.pins)

    slate = SlatePrompts(
        open_device,
        config.slate_language,
        bench.sensors.troubles,
        bench.clock,
        config.slate.contrast,
        config.slate.glass,
    )
    opened.callback(slate.close)
    return slate


def _asked(config: "Config") -> dict[str, str]:
    """Ask what only people know of their table; an empty answer leaves it open."""
    from kloplei.recordings.capture.protocol import LONGEST_ANSWER, questions_for

    words = _bench_words(config.slate_language)
    print(f"{words.say('ask.first')}\n{words.say('ask.open')}\n")
    answers = {}
    for name in questions_for(config):
        print(words.say(f"ask.{name}"))
        answer = sys.stdin.readline().strip()
        if answer:
            answers[name] = answer[:LONGEST_ANSWER]
    print()
    return answers


def _check_room(
    folder: "RecordingFolder", bench: RecordingBench, steps: "Sequence[ProtocolStep]"
) -> None:
    """See to it that the disk takes the whole walk.

    Raises:
        NoRoom: It does not.
    """
    from kloplei.recordings.capture.protocol import walk_s

    left = [step for step in steps if step.name not in folder.done]
    frame = _SAMPLE_BYTES * bench.sensors.source.channels
    needed = round(walk_s(left) * bench.config.sampled_hz * frame) + SPARE_BYTES
    free = shutil.disk_usage(folder.folder).free
    if free < needed:
        raise NoRoom(
            f"{folder.folder} needs {needed / 1e6:.0f} MB, and its disk has {free / 1e6:.0f} left. "
            "Make room (df -h), or name a folder on another disk"
        )


def _tell(folder: "RecordingFolder", words: "Words") -> None:
    counted = folder.counted
    facts = {
        "folder": str(folder.folder),
        "recordings": counted.recordings,
        "minutes": round(counted.seconds / 60, 1),
        "knocks": counted.knocks,
        "unseen": counted.unseen,
    }
    print(words.say("counted", facts))
    if counted.missed_s:
        print(words.say("missed", {"ms": f"{1000 * counted.missed_s:.0f}"}))


def _pack(folder: Path, without: frozenset[str], words: "Words") -> int:
    from kloplei.recordings.capture.folder import pack

    packed = pack(folder, without)
    facts = {
        "path": str(packed.path),
        "recordings": packed.recordings,
        "megabytes": round(packed.megabytes, 1),
    }
    print(words.say("packed", facts))
    if packed.talk_db is not None:
        print(words.say("counting", {"db": round(packed.talk_db, 1)}))
    print(words.say("audible"))
    print(words.say("leave-out", {"folder": str(folder)}))
    return 0
