"""What teaches a table nothing is refused in one sentence, and nothing is learned."""

import json
from pathlib import Path

import pytest

from tests.recordings.lessons import LESSONS, TRIED, complaint_of, evening, labels, write_lessons


def test_learning_without_a_table_says_what_to_add(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seats, recording, _ = write_lessons(tmp_path)

    said = complaint_of(capsys, "--learn", seats, recording)

    assert said == "--learn needs a file to keep what it learns: add --table my.toml"


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("tok", "is not JSON (line 1)"),
        ("{}", "holds no list of knocks"),
        ("[]", "holds no list of knocks"),
        ('"seats"', "holds no list of knocks"),
        ('[{"seat": 0}]', "knock 1 has no time"),
        ('[{"at_s": -1, "seat": 0}]', "knock 1 has no time"),
        ('[{"at_s": NaN, "seat": 0}]', "knock 1 has no time"),
        ('[{"at_s": true, "seat": 0}]', "knock 1 has no time"),
        ('[{"at_s": 1.0}]', "knock 1 has no seat"),
        ('[{"at_s": 0.5, "seat": null}]', "1 of the knocks was heard, and it takes 5"),
        ('[{"at_s": 0.5, "knock": "no"}]', 'knock 1 has a "knock" that is not true or false'),
        ('[{"at_s": 0.5, "knock": false}]', "none of the knocks was heard, and it takes 5"),
        ('[{"at_s": 1.0, "seat": -1}]', "knock 1 has no seat"),
        ('[{"at_s": 1.0, "seat": 1.5}]', "knock 1 has no seat"),
        ('[{"at_s": 1.0, "seat": "  "}]', "knock 1 has no seat"),
        ('[{"at_s": 1.0, "seat": "a\\nb"}]', "knock 1 has no seat"),
        ('[{"at_s": 1.0, "seat": 0, "file": 3}]', "knock 1 has a file that is no name"),
        ("[[1.0, 0]]", "knock 1 is no object"),
        ("[" * 100_000, "is not JSON"),
        ('[{"at_s": 99.0, "seat": 0}]', "none of the knocks of seat 0 was heard"),
        ('[{"at_s": 0.5, "seat": 0}]', "1 of the knocks of seat 0 was heard"),
        ('[{"at_s": 0.5, "seat": 0}, {"at_s": 0.86, "seat": 0}]', "telling seats apart takes two"),
        ('[{"at_s": 0.5, "seat": 0, "file": "b.wav"}]', "is in b.wav; name that recording"),
    ],
)
def test_labels_that_teach_nothing_are_refused_in_one_sentence(
    written: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seats, recording, table = write_lessons(tmp_path)
    seats.write_text(written)

    assert said in complaint_of(capsys, "--learn", seats, recording, "--table", table)
    assert not table.exists()


def test_seats_beyond_those_of_a_table_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seats, recording, table = write_lessons(tmp_path)
    many = [{"at_s": 0.5, "seat": f"seat {at // 2}"} for at in range(34)]
    seats.write_text(json.dumps(many))

    said = complaint_of(capsys, "--learn", seats, recording, "--table", table)

    assert said.startswith("17 seats are named, and a table has up to 16")


def test_of_two_recordings_it_must_be_said_which_is_meant(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seats, recording, table = write_lessons(tmp_path)

    said = complaint_of(capsys, "--learn", seats, recording, "b.wav", "--table", table)

    assert said == ('the knock at 0.5 s may be in any of 2 recordings; say in which: {"file": ...}')


def test_one_sensor_teaches_no_seats(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    seats, recording, table = write_lessons(tmp_path)
    recording.write_bytes(evening(LESSONS, sensors=1))

    said = complaint_of(capsys, "--learn", seats, recording, "--table", table)

    assert "seats are told by what differs between channels, and there is 1 channel" in said


def test_recordings_of_different_sensors_teach_no_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seats, recording, table = write_lessons(tmp_path)
    (tmp_path / "b.wav").write_bytes(evening(TRIED, sensors=3))
    entries = [{**one, "file": "knocks.wav"} for one in labels(LESSONS)]
    seats.write_text(json.dumps([*entries, {"at_s": 0.5, "seat": 2, "file": "b.wav"}]))

    arguments = ("--learn", seats, recording, tmp_path / "b.wav", "--table", table)
    said = complaint_of(capsys, *arguments)

    assert f"has 3 channels, and {recording} has 2" in said


def test_a_recording_that_cannot_be_read_leaves_nothing_learned(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seats, recording, table = write_lessons(tmp_path)
    recording.write_text("tok")

    said = complaint_of(capsys, "--learn", seats, recording, "--table", table)

    assert "is no WAV file" in said
    assert not table.exists()
