"""Lessons for a table: recordings of three seats by two sensors, and who knocked when."""

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

from kloplei.cli import main
from tests.recordings.sounds import knock, sound
from tests.recordings.wavs import wav

# Of each seat: how late, in ms, and how loud two sensors feel it.
SEATS = {0: ((0.0, 0.6), (1.5, 0.3)), 1: ((1.5, 0.3), (0.0, 0.6)), 2: ((0.0, 0.5), (0.0, 0.5))}


APART_S = 0.36


Plan = tuple[tuple[int, float], ...]
"""Which seat, and how far from its usual place its hand falls, in ms on the way."""


@cache
def evening(plan: Plan, sensors: int = 2, rate_hz: int = 8000) -> bytes:
    """A recording of knocks by *plan*, one every `APART_S`; making one takes its time."""
    channels = []
    for sensor in range(sensors):
        blows = []
        for at, (seat, off_ms) in enumerate(plan):
            late_ms, loudness = SEATS[seat][sensor % 2]
            late_ms += off_ms * (1 if sensor else -1)
            blows.append(knock(0.5 + at * APART_S + (late_ms + 1) / 1000, loudness))
        channels.append(sound(len(plan) * APART_S + 0.5, blows, rate_hz))
    return wav(*channels, rate_hz=rate_hz)


LESSONS: Plan = tuple((seat, 0.05 * (at - 2)) for seat in SEATS for at in range(5))


TRIED: Plan = tuple((seat, off_ms) for off_ms in (0.08, -0.03) for seat in (2, 0, 1))


def labels(plan: Plan, names: Sequence[object] = (0, 1, 2)) -> list[dict[str, object]]:
    return [
        {"at_s": round(0.5 + at * APART_S, 3), "seat": names[seat]}
        for at, (seat, _) in enumerate(plan)
    ]


def write_lessons(folder: Path, names: Sequence[object] = (0, 1, 2)) -> tuple[Path, Path, Path]:
    """Write who knocked, the recording, and say where the table is to be kept."""
    seats, recording = folder / "seats.json", folder / "knocks.wav"
    seats.write_text(json.dumps(labels(LESSONS, names)))
    recording.write_bytes(evening(LESSONS))
    return seats, recording, folder / "my.toml"


def complaint_of(capsys: pytest.CaptureFixture[str], *arguments: object, code: int = 2) -> str:
    """The one sentence that is all the command says."""
    assert main(["listen", *map(str, arguments)]) == code
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.count("\n") == 1
    assert told.err.startswith("kloplei: ")
    return told.err.removeprefix("kloplei: ").strip()


def seats_told(capsys: pytest.CaptureFixture[str], table: Path, recording: Path) -> list[object]:
    capsys.readouterr()
    assert main(["listen", "--table", str(table), str(recording), "--json"]) == 0
    return [one["seat"] for one in json.loads(capsys.readouterr().out)["knocks"]]
