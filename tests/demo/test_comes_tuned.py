"""The demo's own table knows what a glass sounds like before anybody has tuned it."""

from collections import Counter
from pathlib import Path
from random import Random

import pytest

from kloplei.config.settings import TUNING_IN_FORCE
from kloplei.demo.table import Demo
from kloplei.devices.schedule import ManualSchedule
from kloplei.games.game import IllegalAction
from kloplei.knock.calibration import Calibration
from kloplei.knock.calibration_file import as_toml
from kloplei.knock.judgement import Verdict

A_PATTERN_S = 2.0
BESIDE = 0.015  # of the wood: nobody hits the same spot twice


def test_most_glasses_and_cards_are_no_knocks_and_every_knuckle_is_one(tmp_path: Path) -> None:
    clock, luck = ManualSchedule(), Random(3)
    heard: Counter[tuple[str, str | None]] = Counter()
    with Demo(tmp_path, schedule=clock) as demo:
        somewhere = [(luck.uniform(0.1, 0.9), luck.uniform(0.1, 0.9)) for _ in range(16)]
        at_seats = [(x + luck.gauss(0, BESIDE), y) for x, y in demo.places]
        for kind, spots in (("glass", somewhere), ("card", somewhere), ("knuckle", at_seats)):
            for spot in spots:
                demo.strike(kind, spot)
                clock.advance(A_PATTERN_S)
                # What the table makes of it, on a thread of its own, moves the next blow's line.
                with pytest.raises(IllegalAction):
                    demo.client.submit(None, "undo", seen=-1)
                heard[kind, demo.heard()[-1].verdict] += 1

    # As the judge comes 11 glasses and 9 cards are.
    assert heard["glass", Verdict.KNOCK] < len(somewhere) / 2, heard
    assert heard["card", Verdict.KNOCK] < len(somewhere) / 2, heard
    assert heard["knuckle", Verdict.KNOCK] == len(at_seats), heard


def test_what_somebody_taught_the_table_stays(tmp_path: Path) -> None:
    own = as_toml(Calibration(gain_db=3.0))
    (tmp_path / TUNING_IN_FORCE).write_text(own)

    with Demo(tmp_path, schedule=ManualSchedule()):
        pass

    assert (tmp_path / TUNING_IN_FORCE).read_text() == own
