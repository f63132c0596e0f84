"""What signs the cookies of a house, from one start to the next."""

from pathlib import Path

import pytest

from kloplei_hub.web.serving import read_key


def test_a_key_is_made_once_and_for_nobody_else(tmp_path: Path) -> None:
    file = tmp_path / "web.key"

    made = read_key(file)

    assert len(made) == 64
    assert read_key(file) == made
    assert file.stat().st_mode & 0o777 == 0o600
    assert [one.name for one in tmp_path.iterdir()] == [file.name]


@pytest.mark.parametrize("left", ["", "\n"])
def test_a_key_that_a_power_cut_left_empty_is_made_anew(tmp_path: Path, left: str) -> None:
    """Nobody could sign in any more: nothing is signed with an empty one."""
    file = tmp_path / "web.key"
    file.write_text(left)

    assert len(read_key(file)) == 64
    assert read_key(file) == file.read_text()


def test_without_a_file_each_start_has_another_key() -> None:
    assert read_key(None) != read_key(None)
