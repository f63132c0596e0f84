"""Let every method hear the recordings of a folder, and Kloplei learn from some of them."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Any

import kloplei
from benchmarks.labels import Labelled
from benchmarks.methods import Method
from benchmarks.scoring import Detection, Detections
from kloplei.knock.detector import USUAL_LINES, CompanyLines
from kloplei.recordings.wav import open_recording

_FILES_A_RUN = 200  # a command line has an end
_JUDGE = "knock/judge.json"
_LISTEN = ("-m", "kloplei", "listen")
_BY_LINES = str(Path(__file__).with_name("heard_by_lines.py"))

Report = dict[str, Any]
"""What ``kloplei listen --json --all`` says of one recording (docs/listen.md)."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """Something that a table is taught: when it was in which recording, and whether a knock."""

    file: str
    at_s: float
    is_knock: bool


@dataclass(frozen=True, slots=True)
class Ear:
    """``kloplei listen`` in a process of its own, as people run it.

    *package* is a folder with a Kloplei that has another judge (`with_judge`); None is the one
    that is installed. By other *lines* than the usual ones it hears knocks alone (`knocks`).
    """

    package: Path | None = None
    lines: CompanyLines = USUAL_LINES

    def listen(
        self, folder: Path, labels: Sequence[Labelled], table: Path | None = None
    ) -> dict[str, Report]:
        """Return what it says of each recording, by the *table* that was taught, if any.

        Raises:
            subprocess.CalledProcessError: A recording could not be listened to.
        """
        names = {str(folder / one.file): one.file for one in labels}
        begun = [*_LISTEN, "--json", "--all"] + ([] if table is None else ["--table", str(table)])
        return {names[one["file"]]: one for one in self._reports(begun, list(names))}

    def knocks(self, folder: Path, labels: Sequence[Labelled]) -> Detections:
        """Return the knocks that it hears; what is doubtful is none."""
        if self.lines == USUAL_LINES:
            return detections(self.listen(folder, labels))
        names = {str(folder / one.file): one.file for one in labels}
        begun = ["-P", _BY_LINES, json.dumps(asdict(self.lines))]
        reports = self._reports(begun, list(names))
        return detections({names[one["file"]]: one for one in reports})

    def learn(self, folder: Path, lessons: Sequence[Lesson], table: Path) -> bool:
        """Write what *lessons* teach as *table*; False if they are too few, or none was heard."""
        written = [
            {
                "at_s": one.at_s,
                "file": str(folder / one.file),
                **({"seat": None} if one.is_knock else {"knock": False}),
            }
            for one in lessons
        ]
        path = table.with_suffix(".lessons.json")
        path.write_text(json.dumps(written))
        recordings = sorted({str(folder / one.file) for one in lessons})
        done = self._run([*_LISTEN, "--learn", str(path), "--table", str(table), *recordings])
        return done.returncode == 0

    def _reports(self, begun: Sequence[str], paths: Sequence[str]) -> Iterator[Report]:
        for at in range(0, len(paths), _FILES_A_RUN):
            done = self._run([*begun, *paths[at : at + _FILES_A_RUN]])
            done.check_returncode()
            yield from map(json.loads, done.stdout.splitlines())

    def _run(self, arguments: Sequence[str]) -> "subprocess.CompletedProcess[str]":
        path = [] if self.package is None else [str(self.package)]
        path += [one for one in [os.environ.get("PYTHONPATH")] if one]
        return subprocess.run(
            [sys.executable, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            check=False,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(path)},
        )


def with_judge(judge: object, into: Path) -> Ear:
    """Return an ear whose *judge*, as in `judge.json`, is another one; all else is as installed.

    Args:
        judge: Plain values.
        into: A folder that is made for it.
    """
    installed = Path(kloplei.__file__).parent
    shutil.copytree(
        installed,
        into / "kloplei",
        ignore=shutil.ignore_patterns("__pycache__", "*.pyc"),
        copy_function=os.symlink,
    )
    (into / "kloplei" / _JUDGE).unlink()
    (into / "kloplei" / _JUDGE).write_text(json.dumps(judge))
    return Ear(into)


def judge_in_use() -> str:
    """Return which judge is installed: the first digits of the SHA-256 of its `judge.json`."""
    path = Path(kloplei.__file__).parent / _JUDGE
    return sha256(path.read_bytes()).hexdigest()[:12]


def detections(reports: dict[str, Report]) -> Detections:
    """Return the knocks in *reports*; what is doubtful is none."""
    return {
        file: [Detection(one["at_s"], one["decided_at_s"], one["seat"]) for one in report["knocks"]]
        for file, report in reports.items()
    }


def heard_by(method: Method, folder: Path, labels: Sequence[Labelled]) -> Detections:
    """Return what *method* finds in the first channel of each recording."""
    found: dict[str, list[Detection]] = {}
    for labelled in labels:
        samples, rate_hz = first_channel(folder / labelled.file)
        found[labelled.file] = method.detect(method.prepare(samples, rate_hz), rate_hz)
    return found


def first_channel(path: Path) -> tuple[list[float], int]:
    """Return all samples of the first channel, and how many a second."""
    with open_recording(str(path)) as recording:
        samples = list(chain.from_iterable(block.channels[0] for block in recording.blocks()))
        return samples, recording.rate_hz
