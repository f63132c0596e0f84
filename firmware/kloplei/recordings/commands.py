"""The command ``kloplei listen``: the knocks in recordings.

Exit codes: 0 all were listened to, 1 what was learned could not be kept, 2 something could not
be read or teaches nothing.

How far listening has come, on a terminal; on anything else, not a word.

What the command says: answers on stdout, complaints on stderr, on any terminal.
"""

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from kloplei.files import KlopleiError
from kloplei.recordings.terminal import Progress, can_draw, complain, say
from kloplei.recordings.wav import Recording

if TYPE_CHECKING:
    from kloplei.knock.calibration import Calibration


if TYPE_CHECKING:
    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001

FINE, UNREADABLE = 0, 2

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
  kloplei listen --learn seats.json knocks.wav --table my.toml
  kloplei listen --table my.toml evening.wav          and who it was
  sudo kloplei listen --record mytable                ten minutes of your table

seats.json says who knocked when: [{"at_s": 1.23, "seat": 0}, ...]; more in
docs/listen.md."""


class NothingNamed(KlopleiError, ValueError):
    """``kloplei listen`` without anything to listen to."""


def register(subparsers: "Subparsers") -> argparse.ArgumentParser:
    """Add ``kloplei listen`` and return it; it sets ``run(arguments) -> exit code``."""
    parser = subparsers.add_parser(
        "listen",
        help="find the knocks in recordings",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("recordings", nargs="*", metavar="RECORDING.wav")
    parser.add_argument("--json", action="store_true", help="print one JSON object a file")
    parser.add_argument("--all", action="store_true", help="show what was no knock as well")
    parser.add_argument(
        "--table", type=Path, metavar="FILE", help="what this table taught: who sits where"
    )
    parser.add_argument(
        "--learn",
        type=Path,
        metavar="SEATS.json",
        help="learn that from knocks whose seats are known, and write it to --table",
    )
    parser.set_defaults(run=run)
    return parser


def run(arguments: argparse.Namespace) -> int:
    """Learn from the recordings named, or listen to them, and return the exit code.

    Raises:
        NothingNamed: No recording is named.
        KlopleiError: Something is wrong that none of the recordings can help.
    """
    if not arguments.recordings:
        raise NothingNamed(
            "name a recording to listen to: kloplei listen table.wav; "
            "or record your table: kloplei listen --record FOLDER"
        )
    if arguments.learn is not None:
        from kloplei.recordings._learn_command import learn_from

        return learn_from(arguments)
    return listen_to(arguments)


def listen_to(arguments: argparse.Namespace) -> int:
    """Listen to every recording named and return the exit code.

    Raises:
        UnreadableTable: ``--table`` names none that can be used.
    """
    from kloplei.knock.calibration import Calibration
    from kloplei.recordings.labels import read_table

    calibration = Calibration() if arguments.table is None else read_table(arguments.table)
    progress = Progress()
    exit_code = FINE
    for name in arguments.recordings:
        try:
            _listen_to_one(name, calibration, arguments, progress)
        except KlopleiError as error:
            # The others are still answered.
            complain(str(error))
            exit_code = UNREADABLE
        finally:
            progress.clear()
    return exit_code


def _listen_to_one(
    name: str,
    calibration: "Calibration",
    arguments: argparse.Namespace,
    progress: "Progress",
) -> None:
    from kloplei.knock.judgement import Verdict
    from kloplei.recordings import listening
    from kloplei.recordings.listening import Found, listen
    from kloplei.recordings.wav import open_recording

    found = Found(calibration.labels)
    with open_recording(name) as recording:
        _check_fits(recording, calibration, arguments.table)
        if not arguments.json:
            say(listening.heading(name, recording))

        def tell() -> None:
            progress.tell(name, recording, found.knocks)

        for judgement in listen(recording, calibration, tell):
            if judgement.verdict is Verdict.NOISE and not arguments.all:
                continue  # a loud evening has hundreds of thousands of it
            pattern = found.add(replace(judgement, window=None))
            if not arguments.json:
                progress.clear()
                seat = found.label(judgement.seat)
                say(listening.row(judgement, pattern, seat, plain=not can_draw()))
        progress.clear()
        if arguments.json:
            say(listening.as_json(name, recording, found, with_noise=arguments.all))
        else:
            say(listening.summary(found))
        for complaint in recording.complaints():
            complain(f"{name}: {complaint}")


def _check_fits(recording: "Recording", calibration: "Calibration", table: Path) -> None:
    from kloplei.recordings.wav import UnreadableRecording

    places = calibration.places
    if places is not None and places.sensors != recording.channels:
        raise UnreadableRecording.of(
            recording.name,
            f"has {_channels(recording.channels)}, and {table} was learned with "
            f"{_channels(places.sensors)}; record the same sensors, or learn the table anew",
        )


def _channels(count: int) -> str:
    return "1 channel" if count == 1 else f"{count} channels"
