"""Let every method hear the recordings of a folder."""

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from benchmarks.labels import Labelled
from benchmarks.methods import Method
from benchmarks.scoring import Detection, Detections
from kloplei.recordings.wav import open_recording

_FILES_A_RUN = 200  # a command line has an end


def heard_by_kloplei(folder: Path, labels: Sequence[Labelled]) -> Detections:
    """Return what ``kloplei listen --json`` says, in a process of its own as people run it.

    Raises:
        subprocess.CalledProcessError: A recording could not be listened to.
    """
    names = {str(folder / one.file): one.file for one in labels}
    return {
        names[report["file"]]: [
            Detection(one["at_s"], one["decided_at_s"], one["seat"]) for one in report["knocks"]
        ]
        for report in _reports(list(names))
    }


def heard_by(method: Method, folder: Path, labels: Sequence[Labelled]) -> Detections:
    """Return what *method* finds in the first channel of each recording."""
    detections: dict[str, list[Detection]] = {}
    for labelled in labels:
        samples, rate_hz = first_channel(folder / labelled.file)
        detections[labelled.file] = method.detect(method.prepare(samples, rate_hz), rate_hz)
    return detections


def first_channel(path: Path) -> tuple[list[float], int]:
    """Return all samples of the first channel, and how many a second."""
    with open_recording(str(path)) as recording:
        samples = list(chain.from_iterable(block.channels[0] for block in recording.blocks()))
        return samples, recording.rate_hz


def _reports(paths: Sequence[str]) -> Iterator[dict[str, Any]]:
    for at in range(0, len(paths), _FILES_A_RUN):
        command = [sys.executable, "-m", "kloplei", "listen", "--json"]
        done = subprocess.run(
            [*command, *paths[at : at + _FILES_A_RUN]],
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        yield from map(json.loads, done.stdout.splitlines())
