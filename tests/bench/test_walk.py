"""The way through the bench: what is asked, pressed, interrupted and kept."""

import errno
import json
import os
from pathlib import Path

import pytest

from kloplei.bench.alone import FolderInUse, alone_in
from kloplei.bench.keeping import CannotKeep
from kloplei.bench.label_file import LABELS, NotOurFolder
from kloplei.bench.protocol import LEAD_S
from kloplei.bench.sensors import CannotRecord
from kloplei.bench.shelf import Shelf
from kloplei.bench.showing import Phase
from kloplei.bench.take import UNFINISHED, Take
from kloplei.knock.signal import Block
from kloplei.knock.verdict import PIEZOS
from kloplei.recordings.reading import open_recording
from kloplei.table.inbox import PartFailed, Trouble
from tests.bench.table import SETUP, Bench

ALL = ["silence", "seat-1-soft", "seat-2-soft", "glass"]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path / "table")


def interrupted() -> None:
    raise KeyboardInterrupt


class PowerCut(BaseException):
    """Nothing of the program is there any more."""


def power_cut() -> None:
    raise PowerCut


def names(folder: Path) -> set[str]:
    return {one.name for one in folder.iterdir()}


def test_without_keys_it_goes_from_one_end_to_the_other(bench: Bench) -> None:
    finished, desk = bench.walk()

    assert finished
    assert desk.begun == ALL
    assert names(bench.folder) == {LABELS, *(f"{name}.wav" for name in ALL)}
    assert [len(bench.entry(name)["onsets"]) for name in ALL] == [0, 3, 3, 0]


def test_what_was_struck_is_found_near_where_it_was_asked_for(bench: Bench) -> None:
    bench.walk()

    for prompt in bench.entry("seat-1-soft")["prompts"]:
        assert abs(prompt["found_at_s"] - prompt["prompted_at_s"]) < 0.3


def test_the_countdown_ends_when_the_blow_is_asked_for(bench: Bench) -> None:
    _, desk = bench.walk()

    runs = [one for one in desk.shown if one.step.name == "seat-1-soft" and one.phase is Phase.RUNS]
    before = [one.count for one in runs if one.since_s < LEAD_S - 0.01]
    assert list(dict.fromkeys(before)) == [3, 2, 1]
    assert runs[[one.is_now for one in runs].index(True)].since_s == pytest.approx(LEAD_S, abs=0.05)
    assert [one.beats_done for one in runs][-1] == 3


def test_a_step_that_is_skipped_leaves_nothing_also_halfway(bench: Bench) -> None:
    _, desk = bench.walk({("silence", -1.0): "s", ("seat-1-soft", 3.0): "s"})

    assert desk.begun == ["seat-1-soft", "seat-2-soft", "glass"]
    assert names(bench.folder) == {LABELS, "seat-2-soft.wav", "glass.wav"}


def test_a_seat_that_is_empty_is_passed_by_at_once(tmp_path: Path) -> None:
    bench = Bench(tmp_path / "table", ("soft", "hard"))

    _, desk = bench.walk({("seat-1-soft", -1.0): "n"})

    assert desk.begun == ["seat-2-soft", "seat-2-hard"]


def test_a_step_can_be_done_again_while_it_runs_and_after(bench: Bench) -> None:
    _, desk = bench.walk({("seat-1-soft", 2.0): "r", ("glass", -1.0): "r"})

    assert desk.begun == ["silence", "seat-1-soft", "seat-1-soft", "seat-2-soft", *ALL[2:]]
    assert len(bench.shelf.written()["files"]) == 4


@pytest.mark.parametrize("stop", ["q", interrupted])
def test_whoever_stops_keeps_what_there_is_and_can_go_on(bench: Bench, stop: str) -> None:
    finished, _ = bench.walk({("seat-2-soft", 4.2): stop})

    assert not finished
    cut = bench.entry("seat-2-soft")
    assert cut["cut_short"]
    assert len(cut["prompts"]) == len(cut["onsets"]) == 2

    again = bench.again()
    finished, desk = again.walk()
    assert finished
    assert desk.begun == ["seat-2-soft", "glass"]
    assert "cut_short" not in again.entry("seat-2-soft")


def test_ctrl_c_between_two_steps_ends_it_as_quietly(bench: Bench) -> None:
    finished, desk = bench.walk({("seat-1-soft", -1.0): interrupted})

    assert not finished
    assert desk.begun == ["silence"]


def test_after_a_power_cut_what_reached_the_disk_is_there_and_the_step_is_asked_again(
    bench: Bench,
) -> None:
    with pytest.raises(PowerCut):
        bench.walk({("glass", 9.0): power_cut})
    assert f"glass.wav{UNFINISHED}" in names(bench.folder)

    again = bench.again()

    entry = again.entry("glass")
    assert entry["cut_short"]
    assert 4 < entry["duration"] < 9.1  # synced every five seconds
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


def test_time_in_which_nothing_was_sampled_is_told_and_not_made_up(bench: Bench) -> None:
    def deaf() -> None:
        now_s = bench.schedule.now_s()
        bench.deaf_s = (now_s, now_s + 0.5)

    bench.walk({("seat-1-soft", LEAD_S - 0.2): deaf})

    entry = bench.entry("seat-1-soft")
    (gap,) = entry["gaps"]
    assert gap["missed_s"] == pytest.approx(0.5, abs=0.02)
    whole = bench.entry("seat-2-soft")["duration"]
    assert entry["duration"] == pytest.approx(whole - gap["missed_s"], abs=0.02)
    assert [one["prompted_at_s"] is None for one in entry["prompts"]] == [True, False, False]
    assert bench.shelf.counted.missed_s == gap["missed_s"]


def test_sensors_that_stop_for_good_cut_it_short_and_then_end_it(bench: Bench) -> None:
    def dies() -> None:
        bench.deaf_s = (bench.schedule.now_s(), float("inf"))
        bench.sensors.troubles.put(PartFailed(PIEZOS, "the wire is off", Trouble.PART))

    with pytest.raises(CannotRecord, match="the wire is off"):
        bench.walk({("seat-1-soft", 4.0): dies})

    entry = bench.entry("seat-1-soft")
    assert (entry["cut_short"], entry["complaints"]) == (True, ["the wire is off"])
    assert names(bench.folder) == {LABELS, "silence.wav", "seat-1-soft.wav"}


def test_a_full_disk_is_told_with_what_to_do_and_costs_nothing_that_is_there(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fills_up() -> None:
        def refuse(*_: object) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr(Take, "write", refuse)

    with pytest.raises(CannotKeep, match=r"is full.*df -h.*same command"):
        bench.walk({("glass", 3.0): fills_up})
    monkeypatch.undo()

    again = bench.again()
    assert len(again.entry("seat-2-soft")["onsets"]) == 3
    assert again.walk()[0]


@pytest.mark.parametrize("changed", ["chip", "sensors"])
def test_another_table_is_not_mixed_with_this_one(bench: Bench, changed: str) -> None:
    bench.walk({("seat-1-soft", -1.0): "q"})

    with pytest.raises(NotOurFolder, match="other sensors"):
        Shelf(bench.folder, {**SETUP, changed: "another"}, bench.steps)


def test_a_folder_with_other_things_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("Dear")

    with pytest.raises(NotOurFolder, match="holds other things"):
        Shelf(tmp_path, SETUP, ())

    assert names(tmp_path) == {"letter.txt"}


@pytest.mark.parametrize("torn", ["", "[]", '{"files": [{}]}', '{"files": 5}', "{", "[" * 100_000])
def test_labels_that_are_not_ours_are_left_alone(tmp_path: Path, torn: str) -> None:
    (tmp_path / LABELS).write_text(torn)

    with pytest.raises(NotOurFolder, match="not written by"):
        Shelf(tmp_path, SETUP, ())

    assert (tmp_path / LABELS).read_text() == torn


def test_a_pipe_in_the_place_of_labels_is_not_waited_at(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / LABELS)

    with pytest.raises(NotOurFolder, match="not written by"):
        Shelf(tmp_path, SETUP, ())


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


def test_a_cut_before_the_labels_of_what_was_done_again_are_written_mixes_nothing(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.walk()
    before = bench.entry("glass")
    step = next(one for one in bench.steps if one.name == "glass")
    take = bench.shelf.begin(step, 2, 4000.0)
    as_long = [0.0] * round(before["duration"] * before["rate_hz"])
    take.write(Block(0.0, before["rate_hz"], (as_long, as_long)))
    monkeypatch.setattr(Shelf, "_enter", lambda *_: None)
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
        Shelf(tmp_path / "file" / "table", SETUP, ())


def test_what_was_answered_once_is_kept(bench: Bench) -> None:
    bench.shelf.answer({"table": "oak, 22 mm"})

    assert bench.again().shelf.answers == {"table": "oak, 22 mm"}
    assert json.loads((bench.folder / LABELS).read_text())["answers"] == {"table": "oak, 22 mm"}
