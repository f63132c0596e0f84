"""The file of a learned table: read with care, written whole or not at all."""

import os
import stat
from pathlib import Path

import pytest

from kloplei.cli import main
from tests.recordings.lessons import TRIED, complaint_of, evening, write_lessons


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

    monkeypatch.setattr("kloplei.recordings.labels.os.fsync", no_space)

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
