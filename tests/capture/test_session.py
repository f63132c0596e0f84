"""The way through the bench: what is asked, pressed, interrupted and kept."""

import errno
from pathlib import Path

import pytest

from kloplei.knock.judgement import PIEZOS
from kloplei.recordings.capture._labels import LABELS
from kloplei.recordings.capture.protocol import LEAD_S, ProtocolStep
from kloplei.recordings.capture.sensors import CannotRecord
from kloplei.recordings.capture.writer import CannotKeep, Take
from kloplei.table.messages import PartFailed, Trouble
from tests.capture.table import Bench, names

ALL = ["silence", "seat-1-soft", "seat-2-soft", "glass"]


def interrupted() -> None:
    raise KeyboardInterrupt


def test_without_keys_it_goes_from_one_end_to_the_other(bench: Bench) -> None:
    finished, console = bench.walk()

    assert finished
    assert console.begun == ALL
    assert names(bench.folder) == {LABELS, *(f"{name}.wav" for name in ALL)}
    assert [len(bench.entry(name)["onsets"]) for name in ALL] == [0, 3, 3, 0]


def test_what_was_struck_is_found_near_where_it_was_asked_for(bench: Bench) -> None:
    bench.walk()

    for prompt in bench.entry("seat-1-soft")["prompts"]:
        assert abs(prompt["found_at_s"] - prompt["prompted_at_s"]) < 0.3


def test_the_countdown_ends_when_the_blow_is_asked_for(bench: Bench) -> None:
    _, console = bench.walk()

    runs = [one for one in console.shown if one.step.name == "seat-1-soft" and one.runs]
    before = [one.count for one in runs if one.since_s < LEAD_S - 0.01]
    assert list(dict.fromkeys(before)) == [3, 2, 1]
    assert runs[[one.is_now for one in runs].index(True)].since_s == pytest.approx(LEAD_S, abs=0.05)
    assert [one.beats_done for one in runs][-1] == 3


def test_a_step_that_is_skipped_leaves_nothing_also_halfway(bench: Bench) -> None:
    _, console = bench.walk({("silence", -1.0): "s", ("seat-1-soft", 3.0): "s"})

    assert console.begun == ["seat-1-soft", "seat-2-soft", "glass"]
    assert names(bench.folder) == {LABELS, "seat-2-soft.wav", "glass.wav"}


def test_a_seat_that_is_empty_is_passed_by_at_once(tmp_path: Path) -> None:
    bench = Bench(tmp_path / "table", ("soft", "hard"))

    _, console = bench.walk({("seat-1-soft", -1.0): "n"})

    assert console.begun == ["seat-2-soft", "seat-2-hard"]


def test_a_step_can_be_done_again_while_it_runs_and_after(bench: Bench) -> None:
    _, console = bench.walk({("seat-1-soft", 2.0): "r", ("glass", -1.0): "r"})

    assert console.begun == ["silence", "seat-1-soft", "seat-1-soft", "seat-2-soft", *ALL[2:]]
    assert len(bench.shelf.written()["files"]) == 4


@pytest.mark.parametrize("stop", ["q", interrupted])
def test_whoever_stops_keeps_what_there_is_and_can_go_on(bench: Bench, stop: str) -> None:
    finished, _ = bench.walk({("seat-2-soft", 4.2): stop})

    assert not finished
    cut = bench.entry("seat-2-soft")
    assert cut["cut_short"]
    assert len(cut["prompts"]) == len(cut["onsets"]) == 2

    again = bench.again()
    finished, console = again.walk()
    assert finished
    assert console.begun == ["seat-2-soft", "glass"]
    assert "cut_short" not in again.entry("seat-2-soft")


def test_what_is_stopped_at_once_is_not_worth_being_kept(bench: Bench) -> None:
    bench.walk({("seat-1-soft", 0.5): "q"})

    assert names(bench.folder) == {LABELS, "silence.wav"}


def test_ctrl_c_between_two_steps_ends_it_as_quietly(bench: Bench) -> None:
    finished, console = bench.walk({("seat-1-soft", -1.0): interrupted})

    assert not finished
    assert console.begun == ["silence"]


def test_what_came_is_brought_to_the_disk_every_few_seconds_but_not_when_a_blow_is_due(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: dict[str, float] = {}
    synced: dict[str, list[float]] = {}
    oblige, sync = bench.table.oblige, Take.sync

    def noted(step: ProtocolStep, begun_s: float) -> None:
        begun[step.name] = begun_s
        oblige(step, begun_s)

    def noting(take: Take) -> None:
        step = take.path.stem
        synced.setdefault(step, []).append(bench.schedule.now_s() - begun[step])
        sync(take)

    monkeypatch.setattr(bench.table, "oblige", noted)
    monkeypatch.setattr(Take, "sync", noting)

    bench.walk()

    assert synced["silence"] == pytest.approx([5.0, 10.0, 12.4], abs=0.1)
    assert synced["glass"] == pytest.approx([5.0, 10.4, 11.3], abs=0.1)  # a blow is due at 10.4


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
