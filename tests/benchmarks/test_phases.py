"""The benchmark of phases: an evening of toepen by ear."""

import json
from pathlib import Path
from random import Random

import pytest

from benchmarks import phases
from kloplei.knock.classifier import likelihood

REAL = Path(__file__).parent.parent / "recordings/real"


def test_what_players_knock_is_played() -> None:
    files = json.loads((REAL / "labels.json").read_text())["files"]
    entries = [one for one in files if one["category"] in ("knock", "negative")]
    luck = Random(3)
    wood = phases.Wood(phases.Sounds(REAL, entries), 0.7, hard=False, luck=luck)

    course = phases.Evening(wood, 4000, likelihood, luck, heeds_game=True).play()

    assert course.patterns >= 3
    assert course.understood > course.patterns / 2
    assert course.heard > 0.8 * course.knocks
    assert course.wrong <= 1  # where one of two knocks is not heard


def test_a_folder_that_says_no_more_than_it_has_to_is_played(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What docs/bench.md lets be left out of labels.json once ended it with a KeyError."""
    files = json.loads((REAL / "labels.json").read_text())["files"]
    kept = [one for one in files if one["category"] in ("knock", "negative")]
    for one in kept:
        (tmp_path / one["file"]).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / one["file"]).symlink_to(REAL / one["file"])
    named = [{name: one[name] for name in ("file", "category", "onsets")} for one in kept]
    (tmp_path / "labels.json").write_text(json.dumps({"files": named}))

    assert phases.main(["--data", str(tmp_path), "--minutes", "0.2", "--rate", "4000"]) == 0

    assert capsys.readouterr().out.count("4 kHz") == 4


def test_several_evenings_are_told_as_one() -> None:
    blows = [phases.Course(0.7, 10, 9, 1, 2, 4, 3, 0), phases.Course(0.7, 10, 10, 0, 1, 4, 4, 1)]

    total = phases.Course()
    for one in blows:
        total.add(one)

    assert total.row[0] == "19 of 20 (0.950)"
    assert total.row[-1] == "42.9"


def test_a_folder_without_labels_is_refused_in_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert phases.main(["--data", str(tmp_path)]) == phases.UNREADABLE

    assert "labels.json cannot be read" in capsys.readouterr().err
