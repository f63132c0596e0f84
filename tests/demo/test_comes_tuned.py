"""The demo's own table knows what a glass sounds like before anybody has tuned it."""

from collections import Counter
from pathlib import Path

from kloplei.config.settings import TUNING_IN_FORCE
from kloplei.demo.table import Demo
from kloplei.devices.schedule import ManualSchedule
from kloplei.knock.calibration import Calibration
from kloplei.knock.calibration_file import as_toml
from kloplei.knock.judgement import Verdict

A_BLOW_S = 2.0
SPOTS = ((0.3, 0.4), (0.5, 0.7), (0.62, 0.3), (0.4, 0.5), (0.7, 0.62), (0.55, 0.45))


def test_glasses_are_seldom_knocks_and_knuckles_always(tmp_path: Path) -> None:
    clock = ManualSchedule()
    with Demo(tmp_path, schedule=clock) as demo:
        heard: Counter[tuple[str, str | None]] = Counter()
        for kind, spots in (("glass", SPOTS), ("knuckle", demo.places[:4])):
            for spot in spots:
                demo.strike(kind, spot)
                clock.advance(A_BLOW_S)
                heard[kind, demo.heard()[-1].verdict] += 1

    assert heard["glass", Verdict.KNOCK] <= 2, heard
    assert heard["knuckle", Verdict.KNOCK] == 4, heard


def test_what_somebody_taught_the_table_stays(tmp_path: Path) -> None:
    own = as_toml(Calibration(gain_db=3.0))
    (tmp_path / TUNING_IN_FORCE).write_text(own)

    with Demo(tmp_path, schedule=ManualSchedule()):
        pass

    assert (tmp_path / TUNING_IN_FORCE).read_text() == own
