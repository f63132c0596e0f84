"""Make firmware/kloplei/demo/tuning.toml again: what the demo's table was taught before it came.

``make geometry`` does it at its end: the same tuning that people go through, on the demo's own
wood, and then an evening of which every blow was marked: knocks, glasses, cards laid down and
slammed, fists. What they sound like is kept; whose knock it was needs no lesson where every seat
has its disc.
"""

import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from random import Random

from kloplei.config.settings import TUNING_IN_FORCE
from kloplei.demo import table as demo_table
from kloplei.demo.table import Demo
from kloplei.devices.schedule import ManualSchedule
from kloplei.files import atomic_write
from kloplei.games.game import IllegalAction
from kloplei.knock.calibration import Calibration, Correction
from kloplei.knock.calibration_file import as_toml, from_toml
from kloplei.knock.judgement import Verdict
from kloplei.knock.lessons import fitted
from kloplei.review.lessons import LessonArchive

TUNING = Path(demo_table.__file__).with_name(TUNING_IN_FORCE)
KNOCKS = 5
A_BLOW_S = 1.5
BESIDE = 0.02  # of the wood: nobody hits the same spot twice
EVENING = {"knuckle": 20, "glass": 6, "card": 4, "fist": 4, "slam": 2}
"""What is marked: as much as a table keeps, for a glass that is put down lands twice."""
_APART_S = 2.0  # one pattern of knocks is over


def main() -> int:
    """Tune the demo's table and write what it learned."""
    clock, luck = ManualSchedule(), Random(1)  # noqa: S311 - where things land is no secret
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with Demo(folder, schedule=clock) as demo:
            _tune(demo, clock, luck)
            tuned = from_toml((folder / TUNING_IN_FORCE).read_text())
            _mark_an_evening(demo, clock, luck)
        taught = _taught(tuned, LessonArchive(folder))
    atomic_write(TUNING, as_toml(replace(taught, places=None)).encode())
    return 0


def _tune(demo: Demo, clock: ManualSchedule, luck: Random) -> None:
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


def _mark_an_evening(demo: Demo, clock: ManualSchedule, luck: Random) -> None:
    ears = demo.client.ears
    for kind, (x, y) in _evening(demo, luck):
        last = max((one.number for one in ears.heard_events()), default=0)
        demo.strike(kind, (x, y))
        clock.advance(_APART_S)
        with suppress(IllegalAction):  # it does what was due before it refuses so old a question
            demo.client.submit(None, "undo", seen=-1)
        for event in ears.heard_events():
            if event.number > last:
                ears.mark(event.number, Verdict.KNOCK if kind == "knuckle" else Verdict.NOISE)


def _evening(demo: Demo, luck: Random) -> Iterator[tuple[str, tuple[float, float]]]:
    kinds = [kind for kind, times in EVENING.items() for _ in range(times)]
    luck.shuffle(kinds)
    for turn, kind in enumerate(kinds):
        if kind == "knuckle":
            x, y = demo.places[turn % len(demo.places)]
            yield kind, (x + luck.gauss(0, BESIDE), y + luck.gauss(0, BESIDE))
        else:
            yield kind, (luck.uniform(0.1, 0.9), luck.uniform(0.1, 0.9))


def _taught(tuned: Calibration, archive: LessonArchive) -> Calibration:
    """Return *tuned* with all that the lessons in *archive* say beyond it.

    An evening of play may move a blow by one log-odds at most, since it was nobody's lesson. Here
    somebody sat down to teach, as by ``kloplei listen --learn``.
    """
    lessons, known = archive.load().lessons, tuned.correction
    if known is None or not lessons:
        raise ValueError("the demo's wood taught nothing: look at the tuning of its table")
    more = fitted(lessons, tuned)
    weights = {name: round(by + more.weights[name], 3) for name, by in known.weights.items()}
    both = Correction(known.rate_hz, round(known.bias + more.bias, 3), weights)
    return replace(tuned, correction=both)


if __name__ == "__main__":
    sys.exit(main())
