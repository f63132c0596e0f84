"""``kloplei listen --learn`` and ``--table``: who knocked, as people and tools ask for it."""

import json
import re
from pathlib import Path

import pytest

from kloplei.cli import main
from kloplei.recordings.wav import MAX_CHANNELS
from tests.recordings.lessons import (
    LESSONS,
    SEATS,
    TRIED,
    evening,
    labels,
    seats_told,
    write_lessons,
)


@pytest.fixture(scope="module")
def taught(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table that was learned."""
    seats, recording, table = write_lessons(tmp_path_factory.mktemp("taught"))
    assert main(["listen", "--learn", str(seats), str(recording), "--table", str(table)]) == 0
    return table


def test_a_table_that_was_learned_tells_who_knocked(
    taught: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "evening.wav").write_bytes(evening(TRIED))

    assert seats_told(capsys, taught, tmp_path / "evening.wav") == [2, 0, 1, 2, 0, 1]


def test_a_knock_whose_seat_is_told_says_how_sure_that_is(
    taught: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "evening.wav").write_bytes(evening(TRIED))

    assert main(["listen", "--table", str(taught), str(tmp_path / "evening.wav"), "--json"]) == 0

    report = json.loads(capsys.readouterr().out)
    assert all(0.8 <= one["confidence"] <= 1.0 for one in report["knocks"])
    assert [one["seat"] for one in report["patterns"]] == [2, 0, 1, 2, 0, 1]


def test_seats_are_told_as_they_were_called_in_the_lessons(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seats, recording, table = write_lessons(tmp_path, ("Bram", "Ánna", 77))
    (tmp_path / "evening.wav").write_bytes(evening(TRIED))

    assert main(["listen", "--learn", str(seats), str(recording), "--table", str(table)]) == 0

    assert seats_told(capsys, table, tmp_path / "evening.wav") == [77, "Bram", "Ánna"] * 2


def test_people_see_the_name_and_how_sure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seats, recording, table = write_lessons(tmp_path, ("Bram", "Anna", "Kees"))
    assert main(["listen", "--learn", str(seats), str(recording), "--table", str(table)]) == 0
    capsys.readouterr()

    assert main(["listen", "--table", str(table), str(recording)]) == 0

    assert re.search(r"Bram \((9\d|100)%\)  tok\n", capsys.readouterr().out)


def test_it_may_be_told_by_a_recording_of_another_rate(
    taught: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "evening.wav").write_bytes(evening(TRIED, rate_hz=44_100))

    assert seats_told(capsys, taught, tmp_path / "evening.wav") == [2, 0, 1, 2, 0, 1]


def test_a_table_of_as_many_sensors_as_can_be_recorded_is_read_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seats, recording, table = write_lessons(tmp_path)
    recording.write_bytes(evening(LESSONS, sensors=MAX_CHANNELS))

    assert main(["listen", "--learn", str(seats), str(recording), "--table", str(table)]) == 0

    assert seats_told(capsys, table, recording) == [seat for seat, _ in LESSONS]


def test_a_recording_of_other_sensors_does_not_keep_the_others_from_being_answered(
    taught: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = [str(tmp_path / f"{sensors}.wav") for sensors in (3, 2, 1)]
    for sensors, name in zip((3, 2, 1), names, strict=True):
        Path(name).write_bytes(evening(TRIED, sensors))

    assert main(["listen", "--json", "--table", str(taught), *names]) == 2

    told = capsys.readouterr()
    assert [json.loads(line)["file"] for line in told.out.splitlines()] == [names[1]]
    assert told.err == "".join(
        f"kloplei: {name}: has {channels}, and {taught} was learned with 2 channels; "
        "record the same sensors, or learn the table anew\n"
        for name, channels in ((names[0], "3 channels"), (names[2], "1 channel"))
    )


def test_a_tuning_without_seats_fits_any_recording(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tuning = tmp_path / "tuning.toml"
    tuning.write_text("version = 1\ngain_db = 2.0\n")
    (tmp_path / "evening.wav").write_bytes(evening(TRIED))

    assert seats_told(capsys, tuning, tmp_path / "evening.wav")[1:3] == [0, 1]


def test_people_read_how_well_the_seats_are_told_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seats, recording, table = write_lessons(tmp_path)

    assert main(["listen", "--learn", str(seats), str(recording), "--table", str(table)]) == 0

    assert capsys.readouterr().out.splitlines() == [
        *(f"  seat {seat}: 5 knocks, 5 told by the others" for seat in SEATS),
        f"{table}: learned 3 seats from 15 knocks",
    ]


def test_tools_read_one_object_a_file_with_every_knock_that_was_learned(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seats, recording, table = write_lessons(tmp_path)
    command = ["listen", "--learn", str(seats), str(recording), "--table", str(table), "--json"]

    assert main(command) == 0

    (line,) = capsys.readouterr().out.splitlines()
    report = json.loads(line)
    assert (report["file"], report["table"], report["missed"]) == (str(recording), str(table), [])
    assert [one["seat"] for one in report["knocks"]] == [seat for seat, _ in LESSONS]
    assert [one["told"] for one in report["knocks"]] == [seat for seat, _ in LESSONS]
    for one, meant in zip(report["knocks"], labels(LESSONS), strict=True):
        assert one["at_s"] == pytest.approx(meant["at_s"], abs=0.004)
        assert set(one) >= {"decided_at_s", "strength", "confidence", "likelihood"}


def test_what_learning_answers_can_be_learned_from(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seats, recording, table = write_lessons(tmp_path)
    command = ["listen", str(recording), "--table", str(table), "--json", "--learn"]
    assert main([*command, str(seats)]) == 0
    first = table.read_text()
    seats.write_text(capsys.readouterr().out)

    assert main([*command, str(seats)]) == 0

    assert table.read_text() == first


def test_a_table_is_learned_from_several_recordings(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    entries = []
    for name, plan in (("a.wav", LESSONS[:8]), ("b.wav", LESSONS[8:])):
        (tmp_path / name).write_bytes(evening(plan))
        entries += [{**one, "file": name} for one in labels(plan)]
    (tmp_path / "seats.json").write_text(json.dumps(entries))
    names = [str(tmp_path / name) for name in ("a.wav", "b.wav")]
    table = tmp_path / "my.toml"

    command = ["listen", "--learn", str(tmp_path / "seats.json"), *names, "--table", str(table)]
    assert main([*command, "--json"]) == 0

    reports = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(one["file"], len(one["knocks"])) for one in reports] == [(names[0], 8), (names[1], 7)]
    (tmp_path / "evening.wav").write_bytes(evening(TRIED))
    assert seats_told(capsys, table, tmp_path / "evening.wav") == [2, 0, 1, 2, 0, 1]


def test_a_knock_that_was_not_heard_is_told_and_the_others_are_learned(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seats, recording, table = write_lessons(tmp_path)
    seats.write_text(json.dumps([*labels(LESSONS), {"at_s": 999.5, "seat": 1}]))
    command = ["listen", "--learn", str(seats), str(recording), "--table", str(table), "--json"]

    assert main(command) == 0

    told = capsys.readouterr()
    assert json.loads(told.out)["missed"] == [{"at_s": 999.5, "seat": 1}]
    assert told.err == (
        f"kloplei: {recording}: nothing was heard at 999.5 s, where seat 1 knocked\n"
    )


def test_wood_that_sounds_unlike_what_the_judge_knows_makes_it_milder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    seats, recording, table = write_lessons(tmp_path)
    monkeypatch.setattr("kloplei.recordings._learning.LearningExample.log_odds", lambda *_: -1.0)

    assert main(["listen", "--learn", str(seats), str(recording), "--table", str(table)]) == 0

    assert "strictness = -2.0 " in table.read_text()


def test_one_sensor_learns_what_a_knock_sounds_like_from_knocks_and_noises(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written, recording, table = write_lessons(tmp_path)
    recording.write_bytes(evening(LESSONS, sensors=1))
    knocks = [{**one, "seat": None} for one in labels(LESSONS)[:5]]
    # These sound like the knocks: it is told that they were none, and believes it no further.
    noises = [{"at_s": one["at_s"], "knock": False} for one in labels(LESSONS)[10:13]]
    written.write_text(json.dumps([*knocks, *noises]))

    assert main(["listen", "--learn", str(written), str(recording), "--table", str(table)]) == 0

    told = capsys.readouterr()
    assert "my.toml: learned what a knock sounds like from 5 knocks and 3 noises" in told.out
    assert "\n[lessons]" in table.read_text()
    assert main(["listen", "--table", str(table), "--json", str(recording)]) == 0
    assert len(json.loads(capsys.readouterr().out)["knocks"]) >= 5


def test_what_a_recording_was_heard_as_is_corrected_and_learned_from(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What was no knock after all is moved from one list to the other."""
    _, recording, table = write_lessons(tmp_path)
    recording.write_bytes(evening(LESSONS, sensors=1))
    assert main(["listen", "--json", "--all", str(recording)]) == 0
    heard = json.loads(capsys.readouterr().out)
    heard["noise"] += heard["knocks"][9:]
    del heard["knocks"][9:]
    (tmp_path / "heard.json").write_text(json.dumps(heard))

    learn = ["listen", "--learn", str(tmp_path / "heard.json"), str(recording), "--json"]
    assert main([*learn, "--table", str(table)]) == 0

    learned = json.loads(capsys.readouterr().out)
    assert (len(learned["knocks"]), len(learned["noise"])) == (9, len(heard["noise"]))
    assert learned["missed"] == []
