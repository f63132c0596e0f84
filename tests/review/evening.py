"""An evening at which somebody tunes the table, without wood and without waiting."""

from dataclasses import replace
from pathlib import Path

from kloplei.knock import KnockHeard
from kloplei.knock.calibration import Calibration
from kloplei.knock.fitting import SensorSetup
from kloplei.knock.judgement import Judgement
from kloplei.review.calibrations import CalibrationArchive, CalibrationStore
from kloplei.review.service import ReviewService
from kloplei.review.suggest import SuggestionWorker
from kloplei.review.tuning import TableTuning, WoodSetup
from kloplei.table.client import TuneStand
from kloplei.table.messages import Inbox, Message, TuningShown
from tests.knock.lessons import FLOOR, FOUR_PIEZOS, THREE, stroke


def same(judged: Judgement, calibration: Calibration) -> Judgement:
    return judged


class Evening:
    """Ears that are being tuned, their clock, and all that reached the table.

    Args:
        folder: Where a tuning is kept.
        setup: The sensors.
        table: Gets all of it as well.
        wood: Who is asked about the table top.
    """

    def __init__(
        self,
        folder: Path,
        setup: SensorSetup = FOUR_PIEZOS,
        table: Inbox | None = None,
        wood: WoodSetup | None = None,
    ) -> None:
        self.now_s = 100.0
        self.inbox: list[Message] = []
        self.table = table
        self.archive = CalibrationArchive(folder)
        self.shelf = CalibrationStore(self.archive.load(), self.archive.save)
        self.ears = ReviewService(
            self,
            seats=4,
            store=self.shelf,
            worker=SuggestionWorker(same),
            clock=lambda: self.now_s,
            wall=None,
        )
        self.tuning = TableTuning(
            setup, self, self.shelf, self.archive, same, wood=wood, clock=lambda: self.now_s
        )
        self.ears.fit_tuner(self.tuning)

    def put(self, message: Message) -> None:
        self.inbox.append(message)
        if self.table is not None:
            self.table.put(message)

    @property
    def shown(self) -> list[str | None]:
        """The steps that the slate was told of, in order."""
        told = [one.tuning for one in self.inbox if isinstance(one, TuningShown)]
        steps = [None if one is None else one.step for one in told]
        return [one for n, one in enumerate(steps) if n == 0 or one != steps[n - 1]]

    @property
    def knocks(self) -> int:
        return sum(isinstance(one, KnockHeard) for one in self.inbox)

    def do(self, step: str, **facts: object) -> TuneStand:
        return self.ears.tune(step, facts)

    def wait(self, seconds: float, peak: float = FLOOR) -> "Evening":
        for _ in range(round(seconds * 10)):
            self.now_s += 0.1
            self.ears.loudness("piezos", (peak,) * 4, self.now_s)
        return self

    def hear(self, *strokes: Judgement) -> "Evening":
        for one in strokes:
            self.now_s += 1.0
            self.ears.judged(replace(one, at_s=self.now_s))
        return self

    def to_the_last_knock(self) -> None:
        """Do all of it as people should."""
        self.do("begin")
        self.wait(6.0).do("skip")
        self.do("skip")
        for _ in THREE:
            self.wait(1.5).hear(*(stroke(0.0, 0.1),) * 5)

    def to_the_result(self) -> TuneStand:
        """Do all of it, and let it be worked out."""
        self.to_the_last_knock()
        self.tuning.work_out()
        return self.do("look")
