"""The command ``kloplei listen``: the knocks in recordings.

Exit codes: 0 all were listened to, 2 one of them could not be.
"""

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from kloplei.errors import KlopleiError

if TYPE_CHECKING:
    from kloplei.knock.calibration import Calibration
    from kloplei.recordings.progress import Progress

    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001

FINE, UNREADABLE = 0, 2

_DESCRIPTION = """\
Say where somebody knocked in a recording: a WAV file of one or several channels, 2 to 48 kHz
(up to 192 kHz is thinned out), 8 to 32 bits or floats; - is the standard input. Each channel
is a sensor. Exit code: 0 all were listened to, 2 one of them could not be."""
_EPILOG = """\
  kloplei listen table.wav                                    a line a knock
  kloplei listen --json *.wav                                 a line of JSON a file
  arecord -f S16_LE -r 8000 | kloplei listen -                while it is being recorded
  kloplei listen --learn seats.json knocks.wav --table my.toml
  kloplei listen --table my.toml evening.wav                  and who it was

seats.json says who knocked when: [{"at_s": 1.23, "seat": 0}, ...]; more in docs/listen.md."""


def register(subparsers: "Subparsers") -> None:
    """Add ``kloplei listen``; it sets ``run(arguments) -> exit code``."""
    parser = subparsers.add_parser(
        "listen",
        help="find the knocks in recordings",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("recordings", nargs="+", metavar="RECORDING.wav")
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
    parser.set_defaults(run=listen_to)


def listen_to(arguments: argparse.Namespace) -> int:
    """Listen to every recording named and return the exit code."""
    from kloplei.recordings.progress import Progress

    calibration: Calibration | None = None
    progress = Progress()
    exit_code = FINE
    for name in arguments.recordings:
        try:
            _listen_to_one(name, calibration, arguments, progress)
        except KlopleiError as error:
            # The others are still answered.
            _complain(str(error))
            exit_code = UNREADABLE
        finally:
            progress.clear()
    return exit_code


def _listen_to_one(
    name: str,
    calibration: "Calibration | None",
    arguments: argparse.Namespace,
    progress: "Progress",
) -> None:
    from kloplei.knock.verdict import Verdict
    from kloplei.recordings import report
    from kloplei.recordings.listening import Found, listen
    from kloplei.recordings.reading import open_recording

    found = Found()
    with open_recording(name) as recording:
        if not arguments.json:
            _say(report.heading(name, recording))

        def tell() -> None:
            progress.tell(name, recording, len(found.those(Verdict.KNOCK)))

        for judgement in listen(recording, calibration, tell):
            pattern = found.add(replace(judgement, window=None))
            if not arguments.json and (arguments.all or judgement.verdict is not Verdict.NOISE):
                progress.clear()
                _say(report.row(judgement, pattern, plain=not _can_draw()))
        progress.clear()
        if arguments.json:
            _say(report.as_json(name, recording, found, with_noise=arguments.all))
        else:
            _say(report.summary(found))
        for complaint in recording.complaints():
            _complain(f"{name}: {complaint}")


def _can_draw() -> bool:
    try:
        "█▏".encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return False
    return True


def _complain(sentence: str) -> None:
    print(f"kloplei: {sentence}", file=sys.stderr)


def _say(text: str) -> None:
    # A name that the terminal cannot spell must not stop the answer; and whoever reads gets
    # each line when it is known.
    encoding = sys.stdout.encoding or "utf-8"
    print(text.encode(encoding, "backslashreplace").decode(encoding), flush=True)
