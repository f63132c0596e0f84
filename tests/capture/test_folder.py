"""The folder of one table: what a power cut leaves in it, and what it will not be mixed with."""

import json
import os
from pathlib import Path

import pytest

from kloplei.knock.signal import Block
from kloplei.recordings.capture._labels import LABELS, NotOurFolder
from kloplei.recordings.capture.folder import RecordingFolder
from kloplei.recordings.capture.writer import UNFINISHED, CannotKeep, FolderInUse, alone_in
from kloplei.recordings.wav import open_recording
from tests.capture.table import SETUP, Bench, names


class PowerCut(BaseException):
    """Nothing of the program is there any more."""


def power_cut() -> None:
    raise PowerCut


def test_after_a_power_cut_what_reached_the_disk_is_there_and_the_step_is_asked_again(
    bench: Bench,
) -> None:
    with pytest.raises(PowerCut):
        bench.walk({("glass", 9.0): power_cut})
    assert f"glass.wav{UNFINISHED}" in names(bench.folder)

    again = bench.again()

    entry = again.entry("glass")
    assert entry["cut_short"]
    assert 4 < entry["duration"] < 9.1
    assert [one["found_at_s"] is not None for one in entry["prompts"]][:2] == [True, True]
    with open_recording(str(bench.folder / "glass.wav")) as recording:
        assert recording.duration_s == pytest.approx(entry["duration"])
    assert again.walk()[1].begun == ["glass"]


def test_a_power_cut_at_once_leaves_no_recording_of_nothing(bench: Bench) -> None:
    """Nobody can listen to one, so it would stop who measures on all of them."""
    with pytest.raises(PowerCut):
        bench.walk({("seat-1-soft", 0.0): power_cut})

    again = bench.again()

    assert names(bench.folder) == {LABELS, "silence.wav"}
    assert [one["step"] for one in again.shelf.written()["files"]] == ["silence"]


def test_a_recording_that_was_thrown_away_is_asked_for_again(bench: Bench) -> None:
    bench.walk()
    (bench.folder / "seat-2-soft.wav").unlink()

    again = bench.again()

    assert "seat-2-soft" not in again.shelf.done
    assert again.walk()[1].begun == ["seat-2-soft"]


def test_a_power_cut_while_a_step_is_done_again_leaves_the_one_before(bench: Bench) -> None:
    bench.walk({("glass", 5.0): "q"})
    before = bench.entry("glass")

    with pytest.raises(PowerCut):
        bench.again().walk({("glass", 3.0): power_cut})

    assert bench.again().entry("glass") == before
    assert not [name for name in names(bench.folder) if name.endswith(UNFINISHED)]


@pytest.mark.parametrize("changed", ["chip", "sensors"])
def test_another_table_is_not_mixed_with_this_one(bench: Bench, changed: str) -> None:
    bench.walk({("seat-1-soft", -1.0): "q"})

    with pytest.raises(NotOurFolder, match="other sensors"):
        RecordingFolder(bench.folder, {**SETUP, changed: "another"}, bench.steps)


def test_a_folder_with_other_things_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("Dear")

    with pytest.raises(NotOurFolder, match="holds other things"):
        RecordingFolder(tmp_path, SETUP, ())

    assert names(tmp_path) == {"letter.txt"}


@pytest.mark.parametrize("torn", ["", "[]", '{"files": [{}]}', '{"files": 5}', "{", "[" * 100_000])
def test_labels_that_are_not_ours_are_left_alone(tmp_path: Path, torn: str) -> None:
    (tmp_path / LABELS).write_text(torn)

    with pytest.raises(NotOurFolder, match="not written by"):
        RecordingFolder(tmp_path, SETUP, ())

    assert (tmp_path / LABELS).read_text() == torn


def test_a_pipe_in_the_place_of_labels_is_not_waited_at(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / LABELS)

    with pytest.raises(NotOurFolder, match="not written by"):
        RecordingFolder(tmp_path, SETUP, ())


def test_labels_of_a_newer_kloplei_are_not_written_over(bench: Bench) -> None:
    bench.walk({("seat-1-soft", -1.0): "q"})
    newer = (bench.folder / LABELS).read_text().replace('"version": 1', '"version": 2')
    (bench.folder / LABELS).write_text(newer)

    with pytest.raises(NotOurFolder, match="another version"):
        bench.again()

    assert (bench.folder / LABELS).read_text() == newer


def test_a_recording_of_which_a_part_is_gone_is_asked_for_again(bench: Bench) -> None:
    bench.walk()
    os.truncate(bench.folder / "glass.wav", 5000)

    again = bench.again()

    assert "glass" not in again.shelf.done
    assert again.walk()[1].begun == ["glass"]


def test_a_recording_that_a_card_gives_back_as_zeros_is_asked_for_again(bench: Bench) -> None:
    bench.walk()
    size = (bench.folder / "glass.wav").stat().st_size
    (bench.folder / "glass.wav").write_bytes(bytes(size))

    assert "glass" not in bench.again().shelf.done


def test_a_cut_before_the_labels_of_what_was_done_again_are_written_mixes_nothing(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.walk()
    before = bench.entry("glass")
    step = next(one for one in bench.steps if one.name == "glass")
    take = bench.shelf.begin(step, 2, 4000.0)
    as_long = [0.0] * round(before["duration"] * before["rate_hz"])
    take.write(Block(0.0, before["rate_hz"], (as_long, as_long)))
    monkeypatch.setattr(RecordingFolder, "_enter", lambda *_: None)
    bench.shelf.keep(take, step, 0.0)
    monkeypatch.undo()

    again = bench.again()

    assert "glass" not in again.shelf.done
    assert again.entry("glass")["prompts"] != before["prompts"]


def test_two_at_once_do_not_record_into_one_folder(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "table"

    with (
        alone_in(folder),
        pytest.raises(FolderInUse, match="Another kloplei listen"),
        alone_in(folder),
    ):
        pass

    with alone_in(folder):
        assert folder.is_dir()


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(CannotKeep, match="cannot be written"):
        RecordingFolder(tmp_path / "file" / "table", SETUP, ())


def test_what_sudo_records_is_handed_to_whoever_owns_the_folder(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    handed: set[str] = set()
    monkeypatch.setattr(
        "kloplei.recordings.capture.folder.hand_over", lambda path: handed.add(path.name)
    )

    bench.walk()

    assert handed == names(bench.folder)


def test_what_was_answered_once_is_kept(bench: Bench) -> None:
    bench.shelf.answer({"table": "oak, 22 mm"})

    assert bench.again().shelf.answers == {"table": "oak, 22 mm"}
    assert json.loads((bench.folder / LABELS).read_text())["answers"] == {"table": "oak, 22 mm"}
