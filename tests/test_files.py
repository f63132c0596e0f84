"""A file is there whole or not at all."""

from pathlib import Path

import pytest

from kloplei.files import atomic_write


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
