"""A recording that a phone asks for, on a virtual table in its own time."""

import contextlib
import errno
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kloplei.config.settings import Config
from kloplei.demo.wood import virtual_config
from kloplei.games.game import IllegalAction, Seat
from kloplei.games.scoreboard import Tuning
from kloplei.recordings.capture import recorder
from kloplei.recordings.capture.folder import PAGE
from kloplei.recordings.capture.protocol import WALKS
from kloplei.recordings.capture.writer import Take
from kloplei.recordings.labels import read_labelled
from kloplei.table.client import BadRequest, TableUnavailable
from kloplei.table.recordings_client import RecordingStand
from kloplei.table.schema import MOST_WHOLE
from tests.capture.recorded import SEATS, Recorded

NAMES = ("Thijs", "Tame")


@pytest.fixture
def at(tmp_path: Path) -> Iterator[Recorded]:
    recorded = Recorded(tmp_path / "recordings")
    yield recorded
    recorded.recorder.close()


def names(at: Recorded) -> list[str]:
    return [one.name for one in at.recorder.look().files]


def test_two_minutes_become_one_file_with_labels_that_the_bench_reads(
    at: Recorded, tmp_path: Path
) -> None:
    stand = at.record()

    (kept,) = stand.files
    assert (kept.walk, kept.recordings, kept.knocks, kept.unseen) == ("short", 5, 10, 0)
    assert stand.said is not None
    assert stand.said.cause == "recording-kept"
    at.file(kept.name).extractall(tmp_path / "bench")
    labels = json.loads((tmp_path / "bench/labels.json").read_text())
    assert [one["step"] for one in labels["files"]] == [
        *("coin", "glass", "seat-1-usual", "seat-2-usual", "silence")
    ]
    coins = next(one for one in labels["files"] if one["klass"] == "coin")
    assert len([one for one in coins["prompts"] if one["found_at_s"] is not None]) == 3
    assert coins["onsets"] == []
    assert len(read_labelled(tmp_path / "bench/labels.json")) == 10


def test_the_slate_and_the_table_are_told_and_the_sensors_given_back(at: Recorded) -> None:
    at.record()

    shown = [one for one in at.shown if one is not None]
    assert [one.step.name for one in shown if one.is_now][:1] == ["silence"]
    assert at.shown[-1] is None
    told = [one for one in at.table.told if one is not None]
    assert {one.step for one in told} == {"record"}
    assert [one.seat for one in told if one.count == 3][:1] == [Seat(1)]
    assert at.table.told[-1] is None
    assert at.is_taken is False


def test_nothing_private_is_in_the_file(
    at: Recorded, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("platform.node", lambda: "thijs-pi")
    monkeypatch.setattr("platform.release", lambda: "6.12.25+rpt-rpi-thijs@cellar")
    config = virtual_config(Config(), SEATS)
    panel = replace(config.panel, pin="4711", hosts=("cafe-tame.local",))
    at.recorder._config = replace(config, panel=panel)

    (kept,) = at.record().files

    with at.file(kept.name) as packed:
        told = b"".join(packed.read(one) for one in packed.namelist() if ".wav" not in one)
        heads = [packed.read(one)[:44] for one in packed.namelist() if ".wav" in one]
        assert PAGE in packed.namelist()
        assert {one.date_time for one in packed.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    for private in (*NAMES, "cafe", "thijs", "cellar", "4711", str(tmp_path)):
        assert private.lower().encode() not in told.lower()
    # A WAV of ours is a head of numbers and samples: no chunk that could hold a text.
    assert all(head[:4] == b"RIFF" and head[36:40] == b"data" for head in heads)


def test_somebody_who_begins_to_play_ends_it_and_what_there_was_is_kept(at: Recorded) -> None:
    at.once(lambda it: it.step.name == "seat-2-usual", lambda: setattr(at.table, "plays", True))

    (kept,) = at.record().files

    assert kept.recordings == 2


def test_it_goes_on_by_itself_unless_it_is_held(at: Recorded) -> None:
    held_s: list[float] = []

    def hold() -> None:
        at.recorder.step("hold")
        held_s.append(at.schedule.now_s())
        at.once(
            lambda _: at.schedule.now_s() > held_s[0] + 60,
            go,
        )

    def go() -> None:
        held_s.append(float(at.recorder.look().held))
        at.recorder.step("go")

    at.once(lambda it: it.step.name == "glass" and not it.runs, hold)

    (kept,) = at.record().files

    assert held_s[1] == 1.0
    assert kept.recordings == 5


def test_who_holds_it_and_leaves_gets_the_table_back(at: Recorded) -> None:
    at.once(lambda it: it.step.name == "glass", lambda: at.recorder.step("hold"))

    (kept,) = at.record().files

    assert kept.recordings == 3
    assert at.is_taken is False


def test_stopped_before_anything_was_recorded_it_keeps_nothing(at: Recorded) -> None:
    at.once(lambda it: not it.runs, lambda: at.recorder.step("stop"))

    stand = at.record()

    assert stand.files == ()
    assert stand.said is not None
    assert stand.said.cause == "recording-empty"
    assert stand.left_over is None


def test_a_power_cut_leaves_no_file_and_the_same_walk_goes_on(at: Recorded) -> None:
    at.once(lambda it: it.step.name == "glass" and it.runs, at.recorder.close)
    cut = at.record()
    (at.folder / ".under-way.zip").write_bytes(b"half")
    again = Recorded(at.folder)

    before = again.recorder.look()
    (kept,) = again.record().files

    assert cut.files == ()
    assert (before.left_over, before.files) == ("short", ())
    assert kept.recordings == 5
    asked = {one.step.name for one in again.shown if one is not None}
    assert asked == {"glass", "coin"}
    assert sorted(one.name for one in at.folder.iterdir()) == ["table-1.zip"]


def test_another_walk_throws_away_what_was_cut_off(at: Recorded) -> None:
    at.once(lambda it: it.step.name == "glass" and it.runs, at.recorder.close)
    at.record()
    again = Recorded(at.folder)

    (kept,) = again.record("short", seats=1).files

    assert kept.recordings == 4


def answers(at: Recorded, name: str = "table-1.zip") -> object:
    with at.file(name) as packed:
        return json.loads(packed.read("labels.json"))["answers"]


def test_labels_say_what_holds_the_discs(at: Recorded) -> None:
    at.once(lambda it: it.step.name != "silence", lambda: at.recorder.step("stop"))
    at.recorder.step("begin", {"walk": "short", "seats": 1, "held_by": "foam"})
    at.ended()

    assert answers(at) == {"held_by": "foam"}


def test_who_says_nothing_of_the_discs_is_asked_for_no_more(at: Recorded) -> None:
    at.once(lambda it: it.step.name != "silence", lambda: at.recorder.step("stop"))
    at.record(seats=1)

    assert answers(at) == {"held_by": "unknown"}


def test_what_was_said_of_the_discs_outlives_a_power_cut(at: Recorded) -> None:
    at.once(lambda it: it.step.name == "glass" and it.runs, at.recorder.close)
    at.recorder.step("begin", {"walk": "short", "seats": 1, "held_by": "wax"})
    at.ended()
    again = Recorded(at.folder)

    again.record("short", seats=1)

    assert answers(again) == {"held_by": "wax"}


def begin(at: Recorded) -> RecordingStand:
    return at.recorder.step("begin", {"walk": "short"})


def test_it_waits_for_whoever_plays_or_tunes(at: Recorded) -> None:
    at.table.plays = True
    with pytest.raises(IllegalAction, match="evening_runs"):
        begin(at)
    at.table.plays, at.table.tuning = False, Tuning("quiet", None)  # type: ignore[arg-type]
    with pytest.raises(IllegalAction, match="tuning"):
        begin(at)

    assert not at.folder.exists()


def test_room_is_asked_for_before_anybody_knocks(
    at: Recorded, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs = at.recorder.look().needs
    monkeypatch.setattr(recorder, "ROOM_LEFT_BYTES", 10**18)

    with pytest.raises(IllegalAction, match="no_room"):
        begin(at)

    assert needs["short"] < needs["long"] < 300_000_000


def test_so_many_are_kept_and_one_can_be_deleted(at: Recorded) -> None:
    at.record(seats=1)
    whole = (at.folder / "table-1.zip").read_bytes()
    for number in range(2, recorder.MOST_FILES + 1):
        (at.folder / f"table-{number}.zip").write_bytes(whole)
    with pytest.raises(IllegalAction, match="recordings_full"):
        begin(at)

    at.recorder.delete("table-2.zip")
    assert names(at) == ["table-5.zip", "table-4.zip", "table-3.zip", "table-1.zip"]
    begin(at)
    with pytest.raises(IllegalAction, match="recording"):
        begin(at)


@pytest.mark.parametrize("name", ["", "table-9.zip", "../ears.db", ".plan.json", "table-0.zip"])
def test_no_other_file_is_read_or_deleted(at: Recorded, name: str) -> None:
    at.folder.mkdir()
    (at.folder.parent / "ears.db").write_bytes(b"ours")
    (at.folder / ".plan.json").write_bytes(b"{}")

    for do in (lambda: at.recorder.read(name, 0), lambda: at.recorder.delete(name)):
        with pytest.raises(BadRequest):
            do()

    assert (at.folder.parent / "ears.db").exists()


def test_behind_its_end_there_is_nothing_to_read(at: Recorded) -> None:
    at.folder.mkdir()
    (at.folder / "table-1.zip").write_bytes(b"ours")

    for start in (4, MOST_WHOLE):
        with contextlib.suppress(TableUnavailable):  # more than the file system can count
            assert at.recorder.read("table-1.zip", start) == b""


@pytest.mark.parametrize(
    ("step", "facts"),
    [
        ("jump", {}),
        ("begin", {"walk": "endless"}),
        ("begin", {"seats": 3}),
        ("begin", {"seats": True}),
        ("begin", {"held_by": "nails"}),
        ("begin", {"held_by": []}),
    ],
)
def test_what_cannot_be_understood_begins_nothing(
    at: Recorded, step: str, facts: dict[str, Any]
) -> None:
    with pytest.raises(BadRequest):
        at.recorder.step(step, facts)
    with pytest.raises(IllegalAction, match="not_recording"):
        at.recorder.step("stop")

    assert at.recorder.look().state == "idle"


def test_two_minutes_are_two_minutes_and_ten_are_ten() -> None:
    seats = [Seat(n) for n in range(4)]
    lasts_s = {
        walk: sum(step.lasts_s + 6.0 * (not step.goes_on_from(before)) for before, step in paired)
        for walk, steps in WALKS.items()
        for paired in [list(zip((None, *steps(seats)), steps(seats), strict=False))]
    }

    assert 90 < lasts_s["short"] < 150
    assert 400 < lasts_s["long"] < 720


def test_a_full_disk_is_told_and_the_walk_can_go_on(
    at: Recorded, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    def fill() -> None:
        monkeypatch.setattr(Take, "write", full)

    at.once(lambda it: it.step.name == "seat-1-usual" and it.runs, fill)
    stand = at.record(seats=1)
    monkeypatch.undo()
    again = at.record(seats=1)

    assert stand.said is not None
    assert stand.said.cause == "recording-unkept"
    assert "No space left" in stand.said
    assert (stand.files, stand.left_over) == ((), "short")
    assert at.table.told[-1] is None
    assert [one.recordings for one in again.files] == [4]


def test_sensors_that_give_nothing_are_told(at: Recorded, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(at, "start", lambda _: None)

    stand = at.record(seats=1)

    assert stand.said is not None
    assert stand.said.cause == "recording-deaf"
    assert (stand.files, stand.left_over) == ((), None)


@pytest.mark.parametrize("told", ["[" * 50_000, '{"files": [{"duration": 1e999}]}', "[]", "{}"])
@pytest.mark.parametrize("spoilt", [False, True])
def test_a_file_that_is_spoilt_keeps_nobody_from_the_others(
    at: Recorded, told: str, *, spoilt: bool
) -> None:
    """One bad sector closed the page; then it was nowhere told, nor could a phone delete it."""
    at.folder.mkdir()
    path = at.folder / "table-1.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("labels.json", told.ljust(9000) + os.urandom(900).hex() * spoilt)
    if spoilt:
        raw = path.read_bytes()
        path.write_bytes(raw[:60] + bytes(500) + raw[560:])

    (kept,) = at.recorder.look().files
    assert (kept.name, kept.size, kept.walk, kept.spoilt) == (
        *("table-1.zip", path.stat().st_size, None, True),
    )
    for number in range(2, recorder.MOST_FILES + 1):
        (at.folder / f"table-{number}.zip").write_bytes(b"no zip")
    with pytest.raises(IllegalAction, match="recordings_full"):
        begin(at)
    at.recorder.delete("table-1.zip")
    assert begin(at).state == "recording"


def pipe_for_a_plan(under_way: Path) -> None:
    os.mkfifo(under_way / ".plan.json")


def pipe_for_labels(under_way: Path) -> None:
    (under_way / ".plan.json").write_text('{"walk": "short", "seats": 1}')
    os.mkfifo(under_way / "labels.json")


def plan_of_no_walk(under_way: Path) -> None:
    (under_way / ".plan.json").write_text('{"walk": {}}')


def folder_for_its_file(under_way: Path) -> None:
    under_way.with_name(".under-way.zip").mkdir()


def link_elsewhere(under_way: Path) -> None:
    under_way.rmdir()
    under_way.symlink_to(under_way.parent.parent)


@pytest.mark.parametrize(
    "plant",
    [pipe_for_a_plan, pipe_for_labels, plan_of_no_walk, folder_for_its_file, link_elsewhere],
)
def test_nothing_planted_where_it_records_is_waited_at_or_followed(
    at: Recorded, plant: Callable[[Path], None]
) -> None:
    under_way = at.folder / ".under-way"
    under_way.mkdir(parents=True)
    plant(under_way)

    at.recorder.look()
    at.recorder.step("begin", {"walk": "short", "seats": 1})
    at.recorder.step("stop")

    assert at.ended().said is not None
    assert [one.name for one in at.folder.parent.iterdir()] == ["recordings"]


def test_a_box_that_may_record_loads_no_table_that_is_not_there() -> None:
    """It loaded the whole simulation, and gpiozero's mock pins, at each start."""
    load = "import sys, kloplei.recordings.capture.recorder; print(*sys.modules)"

    done = subprocess.run([sys.executable, "-c", load], capture_output=True, text=True, check=True)

    virtual = (
        "kloplei.simulation",
        "kloplei.demo",
        "kloplei.devices.virtual",
        "gpiozero.pins.mock",
    )
    assert "kloplei.recordings.capture.sensors" in done.stdout.split()
    assert [one for one in done.stdout.split() if one.startswith(virtual)] == []
