"""The benchmark as it is run: every method it can have, on a folder of its own."""

import json
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from benchmarks import knocks
from benchmarks.cost import TABLES, cost_of, cost_of_a_card, cost_of_the_box, heard, steps_of
from benchmarks.methods import Aubio, Kloplei, Librosa, Threshold, methods
from tests.recordings.sounds import knock, sound
from tests.recordings.wavs import wav

ROOT = Path(__file__).parents[2]
KNOCKS_S = (0.5, 0.75, 2.0)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three knocks in one recording, and nothing at all in another."""
    (tmp_path / "knocks.wav").write_bytes(wav(sound(3.0, map(knock, KNOCKS_S))))
    (tmp_path / "quiet.wav").write_bytes(wav(sound(3.0)))
    of_both = {"duration": 3.0, "klass": "knuckle", "ignore": []}
    files = [
        {"file": "knocks.wav", "category": "knock", "onsets": KNOCKS_S, **of_both},
        {
            "file": "quiet.wav",
            "category": "negative",
            "domain": "airborne",
            "onsets": [],
            **of_both,
        },
    ]
    (tmp_path / "labels.json").write_text(json.dumps({"files": files}))
    return tmp_path


def test_run_as_a_file_it_compares_hearing_and_cost_and_writes_both(folder: Path) -> None:
    figures = folder / "figures.json"

    options = ["--data", str(folder), "--only", "hearing,cost", "--json", str(figures)]
    done = subprocess.run(
        [sys.executable, "benchmarks/knocks.py", *options],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )

    report = json.loads(figures.read_text())
    assert report["hearing"]["Kloplei"]["knock_macro_f1"] == 1.0
    assert report["hearing"]["fixed threshold"]["noise"]["airborne"]["false"] == 0
    assert report["cost"]["Kloplei"]["real_time_factor"] < 1.0
    assert "| Kloplei         | 1.000" in done.stdout
    assert set(report["settings"]) | set(report["absent"]) == {
        "Kloplei",
        "linear model",
        "large network",
        "fixed threshold",
        "aubio",
        "librosa",
    }


def test_a_method_that_is_not_installed_is_named_and_not_passed_over(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "aubio", None)
    monkeypatch.setitem(sys.modules, "librosa", None)

    there, absent = methods()

    assert [one.name for one in there] == [Kloplei.name, Threshold.name]
    assert [one.name for one in absent] == [Aubio.name, Librosa.name]
    assert all("pip install '.[bench]'" in one.why for one in absent)


def test_a_folder_that_cannot_be_scored_ends_it_with_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert knocks.main(["--data", str(tmp_path)]) == 2

    told = capsys.readouterr().err
    assert told.startswith("benchmarks/knocks.py: ")
    assert told.count("\n") == 1


def test_the_fixed_threshold_is_deaf_after_each_knock() -> None:
    samples = sound(1.0, [knock(0.2), knock(0.25), knock(0.5)])

    found = Threshold(level=0.1, dead_s=0.12).detect(samples, 8000)

    assert [one.at_s for one in found] == pytest.approx([0.2, 0.5], abs=0.002)


def test_steps_are_the_same_each_time_and_grow_by_one_for_each_more() -> None:
    def count(most: int) -> int:
        return sum(at % 3 for at in range(most))

    few, again, many = (steps_of(partial(count, most)) for most in (10, 10, 30))

    assert few == again
    assert many > 2 * few


def test_a_quiet_table_takes_no_step_of_python_for_each_sample() -> None:
    slow, fast = (TABLES[0].blocks(rate_hz, 1.0) for rate_hz in (4000, 8000))
    for blocks in (slow, fast):
        heard(blocks)  # what is worked out once is no part of it

    assert steps_of(lambda: heard(fast)) < 1.1 * steps_of(lambda: heard(slow))


def test_what_a_card_brings_down_is_counted_by_its_seconds_and_channels() -> None:
    cost = cost_of_a_card(2)

    assert cost.channels == 2
    assert cost.sound_s == pytest.approx(1.0, abs=0.02)
    assert cost.spent_s > 0


def test_costs_count_a_second_of_one_channel() -> None:
    samples = sound(2.0, [knock(0.5)])

    one = cost_of(Kloplei(), samples, 8000)
    four = cost_of_the_box(samples, 8000)

    assert one.sound_s == 2.0
    assert four.sound_s == pytest.approx(2.0, abs=0.01)
    assert four.channels == 4
    assert four.microseconds == pytest.approx(1e6 * four.spent_s / four.sound_s / 4)
