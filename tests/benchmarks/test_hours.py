"""The long evening in a loud pub: what it plays, and that a knock in it would be counted."""

import json
from pathlib import Path

import pytest

from benchmarks import hours
from tests.recordings.sounds import knock, sound
from tests.recordings.wavs import wav


def folder_with(folder: Path, samples: list[float], domain: str = "airborne") -> Path:
    (folder / "noise.wav").write_bytes(wav(samples))
    noise = {
        "file": "noise.wav",
        "category": "negative",
        "klass": "applause",
        "domain": domain,
        "duration": 3.0,
        "onsets": [],
    }
    (folder / "labels.json").write_text(json.dumps({"files": [noise]}))
    return folder


def run(folder: Path, evening_h: float, capsys: pytest.CaptureFixture[str]) -> str:
    assert hours.main(["--data", str(folder), "--hours", str(evening_h)]) == hours.FINE
    return capsys.readouterr().out


def test_what_sounds_like_a_knock_is_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = run(folder_with(tmp_path, sound(3.0, [knock(1.0)])), 0.002, capsys)

    assert "taken for a knock: 3 {'applause': 3}" in said


def test_silence_is_not_worth_judging(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = run(folder_with(tmp_path, sound(3.0)), 0.002, capsys)

    assert "0.002 hours of 1 noises: 0 blows were judged" in said


def test_a_folder_without_such_noise_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder_with(tmp_path, sound(3.0), domain="on_table")

    assert hours.main(["--data", str(tmp_path)]) == hours.UNREADABLE
    assert "no noise of airborne or electronics" in capsys.readouterr().err
