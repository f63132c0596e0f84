"""A recording of the virtual table while it runs, from a phone's word to the file."""

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from kloplei.demo.table import Demo, demo_config
from kloplei.devices.schedule import ManualSchedule
from kloplei.games.game import IllegalAction
from kloplei.table.recordings_client import RecordingStand

SEATS = 4
PATIENCE_S = 60.0


class Table:
    """A demo whose clock the test moves; the recorder looks at it on a thread of its own."""

    def __init__(self, demo: Demo, clock: ManualSchedule) -> None:
        self.demo = demo
        self.clock = clock

    def until(self, is_so: Callable[[RecordingStand], bool]) -> RecordingStand:
        """Let time pass until the recording stands so."""
        end_s = time.monotonic() + PATIENCE_S
        while not is_so(stand := self.demo.client.recordings.look()):
            assert time.monotonic() < end_s
            self.clock.advance(0.2)
            time.sleep(0.01)
        return stand


def test_the_virtual_table_is_recorded_while_its_slate_shows_what_to_do(tmp_path: Path) -> None:
    clock = ManualSchedule()
    config = demo_config()
    config = replace(config, table=replace(config.table, seats=SEATS))
    with Demo(tmp_path, config, schedule=clock) as demo:
        table, recordings = Table(demo, clock), demo.client.recordings
        before = demo.client.frame()
        recordings.step("begin", {"walk": "short", "seats": 1})
        with pytest.raises(IllegalAction, match="recording"):
            demo.client.ears.tune("begin")
        table.until(lambda now: now.asked is not None and now.asked.kind == "usual")
        shown, board = demo.client.frame(), demo.client.scoreboard()
        demo.knock(1, 3)
        table.until(lambda now: now.asked is not None and now.asked.kind == "glass")
        recordings.step("stop")
        stand = table.until(lambda now: now.state == "idle")
        (kept,) = stand.files
        heard = demo.client.ears.heard_events()
        table.clock.advance(0.3)
        after = demo.client.scoreboard()

        assert shown != before
        assert board.tuning is not None
        assert board.tuning.step == "record"
        assert (kept.recordings, kept.knocks, kept.unseen) == (2, 5, 0)
        assert [one for one in heard if one.part == "piezos"] == []
        assert after.seq == board.seq  # and the knocks played nothing
        assert (tmp_path / "recordings" / kept.name).stat().st_size == kept.size
