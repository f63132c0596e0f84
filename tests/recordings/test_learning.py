"""``kloplei listen --learn`` and ``--table``: who knocked, as people and tools ask for it."""

import json
import os
import stat
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

from kloplei.cli import main
from kloplei.recordings.wav import MAX_CHANNELS
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


@pytest.fixture(scope="module")
def taught(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table that was learned."""
    seats, recording, table = write_lessons(tmp_path_factory.mktemp("taught"))
    assert main(["listen", "--learn", str(seats), str(recording), "--table", str(table)]) == 0
    return table


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


# A table learned


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

    assert "Bram (100%)  tok\n" in capsys.readouterr().out


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


# What learning says


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
    monkeypatch.setattr("kloplei.recordings.learning.Example.log_odds", lambda *_: -1.0)

    assert main(["listen", "--learn", str(seats), str(recording), "--table", str(table)]) == 0

    assert "strictness = -2.0 " in table.read_text()


# What cannot be learned


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
        ('[{"at_s": 1.0, "seat": null}]', "knock 1 has no seat"),
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

    assert "has 1 channel, and seats are told by what differs between channels" in said


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


# The file


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "cannot be read (No such file or directory)"),
        (b"", "holds no table that can be used: It has no version"),
        (b"version = 2", "It has version 2, and this Kloplei reads version 1"),
        (b"RIFF\xff\xfe", "holds no table, for it is no text"),
        (b"version = [", "It is not TOML"),
        (b"version = 1\nseats = 4", "a calibration has no 'seats'"),
    ],
)
def test_a_table_that_cannot_be_used_is_refused_in_one_sentence(
    content: bytes | None, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "my.toml"
    if content is not None:
        table.write_bytes(content)
    (tmp_path / "evening.wav").write_bytes(evening(TRIED))

    assert said in complaint_of(capsys, "--table", table, tmp_path / "evening.wav")


@pytest.mark.parametrize("name", ["/dev/null", "."])
def test_what_is_no_file_is_no_table(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert "is no file" in complaint_of(capsys, "--table", name, "evening.wav")


def test_learning_writes_over_nothing_but_a_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """``--learn seats.json --table knocks.wav``: a slip that must not cost a recording."""
    seats, recording, _ = write_lessons(tmp_path)
    before = recording.read_bytes()

    said = complaint_of(capsys, "--learn", seats, recording, "--table", recording)

    assert said.endswith("Nothing was learned, so as not to write over it")
    assert recording.read_bytes() == before


def test_the_table_before_is_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    seats, recording, table = write_lessons(tmp_path)
    table.write_text("version = 1  # mine\n")

    assert main(["listen", "--learn", str(seats), str(recording), "--table", str(table)]) == 0

    assert (tmp_path / "my-before.toml").read_text() == "version = 1  # mine\n"
    assert sorted(one.name for one in tmp_path.iterdir()) == [
        "knocks.wav",
        "my-before.toml",
        "my.toml",
        "seats.json",
    ]


def test_a_full_disk_leaves_the_old_table_whole(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    seats, recording, table = write_lessons(tmp_path)
    table.write_text("version = 1  # mine\n")

    def no_space(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("kloplei.recordings.table_file.os.fsync", no_space)

    said = complaint_of(capsys, "--learn", seats, recording, "--table", table, code=1)

    assert said.startswith(f"{table}: cannot be written (No space left on device)")
    assert table.read_text() == "version = 1  # mine\n"
    assert not list(tmp_path.glob("*.toml.*"))


def test_a_folder_that_is_not_there_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seats, recording, _ = write_lessons(tmp_path)
    table = tmp_path / "nowhere" / "my.toml"

    said = complaint_of(capsys, "--learn", seats, recording, "--table", table, code=1)

    assert "cannot be written (No such file or directory)" in said


def test_a_link_to_a_table_stays_a_link(tmp_path: Path) -> None:
    seats, recording, table = write_lessons(tmp_path)
    real = tmp_path / "tables" / "pub.toml"
    real.parent.mkdir()
    real.write_text("version = 1\n")
    table.symlink_to(real)

    assert main(["listen", "--learn", str(seats), str(recording), "--table", str(table)]) == 0

    assert stat.S_ISLNK(os.lstat(table).st_mode)
    assert "[[knock]]" in real.read_text()
