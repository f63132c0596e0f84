"""A recording of the virtual table while it runs, from a phone's word to the file."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from kloplei.demo.table import Demo, demo_config
from kloplei.devices.schedule import ManualSchedule
from kloplei.games.game import IllegalAction
from kloplei.table.recordings_client import RecordingStand
from tests.capture.paced import PacedTime

SEATS = 4
A_STEP_S, MOST_STEPS = 0.2, 5000


def until(time: PacedTime, is_so: Callable[[RecordingStand], bool]) -> RecordingStand:
    """Let time pass until the recording stands so."""
    for _ in range(MOST_STEPS):
        if is_so(stand := time.pass_by(A_STEP_S)):
            return stand
    raise AssertionError(f"The recording stands so: {stand}")


def test_the_virtual_table_is_recorded_while_its_slate_shows_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = ManualSchedule()
    config = demo_config()
    config = replace(config, table=replace(config.table, seats=SEATS))
    with Demo(tmp_path, config, schedule=clock) as demo:
        time, recordings = PacedTime(demo, clock, monkeypatch), demo.client.recordings
        before = demo.client.frame()
        recordings.step("begin", {"walk": "short", "seats": 1})
        with pytest.raises(IllegalAction, match="recording"):
            demo.client.ears.tune("begin")
        until(time, lambda now: now.asked is not None and now.asked.kind == "usual")
        shown, board = demo.client.frame(), demo.client.scoreboard()
        demo.knock(1, 3)
        until(time, lambda now: now.asked is not None and now.asked.kind == "glass")
        recordings.step("stop")
        stand = until(time, lambda now: now.state == "idle")
        (kept,) = stand.files
        heard = demo.client.ears.heard_events()
        clock.advance(0.3)
        after = demo.client.scoreboard()

        assert shown != before
        assert board.tuning is not None
        assert board.tuning.step == "record"
        assert (kept.recordings, kept.knocks, kept.unseen) == (2, 5, 0)
        assert [one for one in heard if one.part == "piezos"] == []
        assert after.seq == board.seq  # and the knocks played nothing
        assert (tmp_path / "recordings" / kept.name).stat().st_size == kept.size
