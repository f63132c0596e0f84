"""Make firmware/kloplei/demo/tuning.toml again: what the demo's table was taught before it came.

``make train`` does it at its end: the same tuning that people go through, on the
demo's own wood. Only what its glasses sound like is kept; whose knock it was needs no lesson
where every seat has its disc.
"""

import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from random import Random

from kloplei.config.settings import TUNING_IN_FORCE
from kloplei.demo import table as demo_table
from kloplei.demo.table import Demo
from kloplei.devices.schedule import ManualSchedule
from kloplei.files import atomic_write
from kloplei.knock.calibration_file import as_toml, from_toml

TUNING = Path(demo_table.__file__).with_name(TUNING_IN_FORCE)
KNOCKS = 5
A_BLOW_S = 1.5
BESIDE = 0.02  # of the wood: nobody hits the same spot twice


def main() -> int:
    """Tune the demo's table and write what it learned."""
    clock, luck = ManualSchedule(), Random(1)  # noqa: S311 - where things land is no secret
    with tempfile.TemporaryDirectory() as folder, Demo(Path(folder), schedule=clock) as demo:
        _teach(demo, clock, luck)
        learned = from_toml((Path(folder) / TUNING_IN_FORCE).read_text())
    atomic_write(TUNING, as_toml(replace(learned, places=None)).encode())
    return 0


def _teach(demo: Demo, clock: ManualSchedule, luck: Random) -> None:
    ears = demo.client.ears

    def strike(kind: str, x: float, y: float) -> None:
        demo.strike(kind, (x, y))
        clock.advance(A_BLOW_S)

    ears.tune("begin")
    clock.advance(8.0)
    while ears.tune("look").step == "glass":
        strike("glass", luck.uniform(0.25, 0.75), luck.uniform(0.25, 0.75))
    while ears.tune("look").step == "phone":
        strike("phone", 0.5, 0.5)
    clock.advance(A_BLOW_S)
    for x, y in demo.places:
        for _ in range(KNOCKS):
            strike("knuckle", x + luck.gauss(0, BESIDE), y + luck.gauss(0, BESIDE))
        clock.advance(A_BLOW_S)
    while ears.tune("look").step != "result":
        time.sleep(0.1)  # it is worked out on a thread of its own
    ears.tune("save")


if __name__ == "__main__":
    sys.exit(main())
