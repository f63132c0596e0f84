"""What a lesson is told in the tests: blows and loudness as they might be, without wood."""

from dataclasses import replace

from kloplei.games.game import Seat
from kloplei.knock import tuning
from kloplei.knock.fitting import SensorSetup
from kloplei.knock.judgement import Judgement, Verdict
from kloplei.knock.signal import Window
from kloplei.knock.tuning import LessonStep, TuningResult

FLOOR = 0.004
THREE = tuple(map(Seat, range(3)))
FOUR_PIEZOS = SensorSetup(seats=THREE, piezos=(*THREE, Seat(3)))
PADS = SensorSetup(seats=THREE, pads=frozenset(THREE))


def stroke(
    at_s: float,
    peak: float = 0.2,
    *,
    verdict: Verdict = Verdict.KNOCK,
    seat: Seat | None = None,
    channels: int = 4,
    clipped: int = 0,
) -> Judgement:
    """Return a blow on piezos, the loudest on the first channel; *clipped* of them overdriven."""
    peaks = [1.0] * clipped + [peak / (1 + n) for n in range(channels - clipped)]
    window = Window(at_s, at_s - 0.012, 4000.0, tuple((0.0, one, -one / 2) for one in peaks))
    return Judgement(at_s, at_s + 0.05, verdict, 0.9, max(peaks), seat, 0.9, window=window)


def edge(at_s: float, seat: Seat | None, verdict: Verdict = Verdict.KNOCK) -> Judgement:
    """Return a blow on a comparator pad, of which only edges are known."""
    part = "shared pad" if seat is None else f"pad {seat.shown}"
    return Judgement(at_s, at_s + 0.05, verdict, 0.9, 1.0, seat, 1.0, part)


class Course:
    """A lesson with its clock, told one thing after the other."""

    def __init__(self, setup: SensorSetup = FOUR_PIEZOS, now_s: float = 100.0) -> None:
        self.now_s = now_s
        self.lesson = tuning.begin(setup, now_s)

    @property
    def at(self) -> tuple[LessonStep, Seat | None]:
        return self.lesson.step, self.lesson.seat

    @property
    def hint(self) -> str | None:
        return None if self.lesson.hint is None else self.lesson.hint.key

    def listen(self, seconds: float, peak: float = FLOOR) -> "Course":
        """Let the piezos tell ten times a second that it is as loud as *peak*."""
        for _ in range(round(seconds * 10)):
            self.now_s += 0.1
            peaks = (peak,) * len(self.lesson.setup.piezos)
            self.lesson = tuning.loudness(self.lesson, peaks, self.now_s)
        return self

    def hear(self, *strokes: Judgement, every_s: float = 1.0) -> "Course":
        """Let *strokes* come one after the other, whatever time they say."""
        for one in strokes:
            self.now_s += every_s
            late = self.now_s - one.at_s
            self.lesson = tuning.judged(
                self.lesson, replace(one, at_s=self.now_s, decided_at_s=one.decided_at_s + late)
            )
        return self

    def knock(self, times: int = 5, peak: float = 0.2) -> "Course":
        """Knock after a pause; the fifth brings on the next seat."""
        return self.wait(1.5).hear(*(stroke(0.0, peak),) * times)

    def wait(self, seconds: float) -> "Course":
        self.now_s += seconds
        return self

    def go_on(self) -> "Course":
        self.lesson = tuning.go_on(self.lesson, self.now_s)
        return self

    def skip(self) -> "Course":
        self.lesson = tuning.skip(self.lesson, self.now_s)
        return self

    def redo(self, seat: Seat | None = None) -> "Course":
        self.lesson = tuning.redo(self.lesson, self.now_s, seat)
        return self

    def weighed(self, result: TuningResult) -> "Course":
        self.lesson = tuning.weighed(self.lesson, result, self.now_s)
        return self

    def to_the_knocks(self) -> "Course":
        """Be quiet, and leave the rest out until the first seat is to knock."""
        return self.listen(6.0).skip().skip()

    def to_the_result(self) -> "Course":
        """Do it all as people should."""
        course = self.to_the_knocks()
        while course.lesson.step is LessonStep.KNOCKS:
            course.knock()
        return course
