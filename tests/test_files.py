"""A file is there whole or not at all, and what cannot be read says why."""

from pathlib import Path

import pytest

from kloplei.files import KlopleiError, UnreadableFile, atomic_write, read_limited, reason_of


def test_what_is_written_takes_the_place_of_what_stood_there(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_bytes(b"old")

    atomic_write(path, b"new")

    assert path.read_bytes() == b"new"
    assert [*tmp_path.iterdir()] == [path]


def test_what_cannot_be_put_there_leaves_no_trace(tmp_path: Path) -> None:
    """A folder stands where the file should: it fails at the very last step."""
    path = tmp_path / "table.toml"
    (path / "kept").mkdir(parents=True)

    with pytest.raises(OSError, match="directory"):
        atomic_write(path, b"new")

    assert [*tmp_path.rglob("*")] == [path, path / "kept"]


def test_one_that_a_power_cut_left_half_is_written_over(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    (tmp_path / ".table.toml.new").write_bytes(b"hal")

    atomic_write(path, b"whole")

    assert path.read_bytes() == b"whole"
    assert [*tmp_path.iterdir()] == [path]


def test_a_file_within_the_limit_is_read(tmp_path: Path) -> None:
    path = tmp_path / "seats.json"
    path.write_bytes(b"12345")

    assert read_limited(path, 5, "for five") == b"12345"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("long", "is too large for five"),
        ("gone", "cannot be read (No such file or directory)"),
        ("folder", "cannot be read (Is a directory)"),
        ("a\0b", "cannot be read (embedded null byte)"),
        ("n" * 300, "cannot be read (File name too long)"),
    ],
)
def test_what_cannot_be_read_says_why(name: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "long").write_bytes(b"123456")

    with pytest.raises(UnreadableFile) as refused:
        read_limited(tmp_path / name, 5, "for five")

    assert str(refused.value) == said
    assert isinstance(refused.value, KlopleiError)


def test_the_reason_is_the_systems_own_words_without_its_number() -> None:
    assert reason_of(FileNotFoundError(2, "No such file or directory")) == (
        "No such file or directory"
    )
    assert reason_of(OSError("the bus hangs")) == "the bus hangs"
