"""A file is there whole or not at all, and what cannot be read says why."""

import os
import stat
from pathlib import Path

import pytest

from kloplei.files import (
    FlagFile,
    KlopleiError,
    UnreadableFile,
    atomic_write,
    create_below,
    hand_over,
    opened_folder,
    read_below,
    read_limited,
    reason_of,
)


def test_what_is_written_takes_the_place_of_what_stood_there(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_bytes(b"old")

    atomic_write(path, b"new")

    assert path.read_bytes() == b"new"
    assert [*tmp_path.iterdir()] == [path]


def test_a_power_cut_after_it_leaves_what_was_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file reaches the disk before it has its name, and its name before anybody is told."""
    path = tmp_path / "lessons.json"
    path.write_bytes(b"old")
    synced: list[tuple[bool, bytes]] = []
    sync = os.fsync

    def fsync(descriptor: int) -> None:
        synced.append((stat.S_ISDIR(os.fstat(descriptor).st_mode), path.read_bytes()))
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)

    atomic_write(path, b"new")

    assert synced == [(False, b"old"), (True, b"new")]


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


def test_links_and_names_planted_beside_it_are_not_written_through(tmp_path: Path) -> None:
    """Whoever owned the folder could have root write any file, and then own it."""
    other = tmp_path / "shadow"
    other.write_bytes(b"root")
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / ".table.toml.new").symlink_to(other)
    (folder / "table.toml").symlink_to(other)

    atomic_write(folder / "table.toml", b"mine", 0o600)

    assert other.read_bytes() == b"root"
    assert [*folder.iterdir()] == [folder / "table.toml"]
    assert (folder / "table.toml").read_bytes() == b"mine"
    assert stat.S_IMODE((folder / "table.toml").lstat().st_mode) == 0o600


def test_a_link_planted_while_it_is_written_wins_nothing(tmp_path: Path) -> None:
    (tmp_path / "shadow").write_bytes(b"root")
    with opened_folder(tmp_path) as folder:
        for plant in (Path.symlink_to, Path.hardlink_to):
            plant(tmp_path / "planted", tmp_path / "shadow")

            with pytest.raises(FileExistsError):
                create_below(folder, "planted")
            (tmp_path / "planted").unlink()

    assert (tmp_path / "shadow").read_bytes() == b"root"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_what_root_writes_and_hands_over_is_the_folders_owners_and_no_more(tmp_path: Path) -> None:
    other = tmp_path / "shadow"
    other.touch()
    folder = tmp_path / "data"
    folder.mkdir()
    os.chown(folder, 12345, 23456)
    (folder / "link").symlink_to(other)
    (folder / "second name").hardlink_to(other)
    (folder / "left").touch()

    atomic_write(folder / "table.toml", b"mine")
    for name in ("link", "second name", "left"):
        hand_over(folder / name)

    assert {(folder / name).stat().st_uid for name in ("table.toml", "left")} == {12345}
    assert other.stat().st_uid == 0


def test_a_pipe_or_a_link_is_no_file_to_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("/etc/hostname")
    with opened_folder(tmp_path) as folder:
        for name in ("pipe", "link"):
            with pytest.raises(OSError, match=r"plain file|symbolic links"):
                read_below(folder, name, 9)


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


@pytest.mark.parametrize("said", [True, False])
def test_a_yes_or_no_is_read_as_it_was_written(said: bool, tmp_path: Path) -> None:
    FlagFile(tmp_path / "voice.json", "quiet").write(said)

    assert FlagFile(tmp_path / "voice.json", "quiet").read() is said
    with pytest.raises(UnreadableFile, match="says something else"):
        FlagFile(tmp_path / "voice.json", "told").read()


def test_a_yes_or_no_that_nobody_said_is_missing(tmp_path: Path) -> None:
    for path in (tmp_path / "voice.json", tmp_path / "none" / "voice.json"):
        with pytest.raises(FileNotFoundError):
            FlagFile(path, "quiet").read()


@pytest.mark.parametrize("deep", [900, 200_000])
def test_what_nests_without_end_is_neither_yes_nor_no(deep: int, tmp_path: Path) -> None:
    """It ended the start of the table, where it lay in its folder."""
    (tmp_path / "guide.json").write_text("[" * deep)

    with pytest.raises(UnreadableFile):
        FlagFile(tmp_path / "guide.json", "told").read()


def test_a_pipe_in_place_of_a_yes_or_no_is_not_waited_at(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "guide.json")

    with pytest.raises(UnreadableFile, match="Not a plain file"):
        FlagFile(tmp_path / "guide.json", "told").read()
