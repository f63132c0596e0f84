"""What the box is being taught about its table: where the lesson stands, and what it has so far."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from kloplei.games.game import Seat
from kloplei.games.scoreboard import Line, Tuning
from kloplei.knock.result import Result
from kloplei.knock.silence import QUIET_S, Silence
from kloplei.knock.strokes import Gathered, Setup, decibels
from kloplei.knock.verdict import Judgement

KNOCKS = 5  # a seat
FEWEST_KNOCKS = 3  # that a seat can be learned from
GLASSES = 3
BUZZ_REPORTS = 12  # loud moments of a phone: a second or so
IDLE_S = 300.0  # nobody touches it for so long: the game comes back
PAUSE_S = 1.0  # between two steps; what was under way belongs to neither
_UNKNOWN_FLOOR = 0.01  # of full scale, where nobody measured it
_METER_DB = 60.0
_METER_STEP = 5


class Step(StrEnum):
    """Where a lesson stands."""

    QUIET = "quiet"
    GLASS = "glass"
    PHONE = "phone"
    KNOCKS = "knocks"
    WEIGHING = "weighing"
    RESULT = "result"


@dataclass(frozen=True, slots=True)
class Lesson:
    """One lesson at one moment; `kloplei.knock.tuning` turns it into the next.

    *begun_s* is when the step begins to listen, *touched_s* when somebody last did something.
    *quiet* is the silence as it was accepted; *buzz* are the loud moments of a phone;
    *declined* are blows at this seat that the judge took for noise, in a row; *meter* is how
    loud it was of late. *result* is there at `Step.RESULT` only.
    """

    setup: Setup
    step: Step
    begun_s: float
    touched_s: float
    seat: Seat | None = None
    silence: Silence = field(default_factory=Silence)
    quiet: Silence = field(default_factory=Silence)
    glasses: tuple[Judgement, ...] = ()
    buzz: tuple[float, ...] = ()
    buzzed: tuple[Judgement, ...] = ()
    knocks: Mapping[Seat, tuple[Judgement, ...]] = field(default_factory=dict)
    skipped: frozenset[Seat] = frozenset()
    declined: tuple[Judgement, ...] = ()
    meter: tuple[float, ...] = ()
    hint: Line | None = None
    result: Result | None = None

    @property
    def knocks_here(self) -> tuple[Judgement, ...]:
        """The knocks of the seat whose turn it is."""
        return () if self.seat is None else self.knocks.get(self.seat, ())

    @property
    def progress(self) -> tuple[int, int]:
        """How much of the step is done, and of how much."""
        match self.step:
            case Step.QUIET:
                return min(int(self.silence.calm_s), int(QUIET_S)), int(QUIET_S)
            case Step.GLASS:
                return len(self.glasses), GLASSES
            case Step.PHONE:
                return len(self.buzz), BUZZ_REPORTS
            case Step.KNOCKS:
                return len(self.knocks_here), KNOCKS
        return 0, 0

    @property
    def level(self) -> int:
        """How loud the wood is now, 0 to 100 over 60 dB, in steps that the eye can tell."""
        db = decibels(max(self.meter, default=0.0))
        percent = 100.0 * max(0.0, 1.0 + db / _METER_DB)
        return _METER_STEP * round(percent / _METER_STEP)

    @property
    def floor_db(self) -> float:
        """How loud the wood is by itself, in decibels below full scale."""
        return decibels(max(self.quiet.floor, default=_UNKNOWN_FLOOR))

    @property
    def shown(self) -> Tuning:
        """What slate and phones show of it."""
        count, of = self.progress
        return Tuning(self.step, self._prompt, self.seat, count, of, self.level, self.hint)

    @property
    def gathered(self) -> Gathered:
        """What the result is to be worked out from."""
        return Gathered(
            setup=self.setup,
            floor=self.quiet.floor,
            humming=self.quiet.humming,
            glasses=self.glasses,
            buzz=max(self.buzz, default=0.0),
            buzzed=self.buzzed,
            knocks={seat: self.knocks[seat] for seat in self.setup.seats if seat in self.knocks},
        )

    def is_forgotten(self, now_s: float) -> bool:
        """Whether nobody has touched it for so long that the game should come back."""
        return now_s - self.touched_s >= IDLE_S

    def entering(self, step: Step, now_s: float, seat: Seat | None = None) -> "Lesson":
        """Return it at the beginning of *step*."""
        return replace(
            self,
            step=step,
            seat=seat,
            begun_s=now_s + PAUSE_S,
            touched_s=now_s,
            declined=(),
            hint=None,
            result=None,
        )

    def onward(self, now_s: float) -> "Lesson":
        """Return it at the step after this one, or at the next seat that has yet to knock."""
        match self.step:
            case Step.QUIET:
                return replace(self, quiet=self.silence).entering(Step.GLASS, now_s)
            case Step.GLASS:
                return self.entering(Step.PHONE, now_s)
            case Step.PHONE | Step.KNOCKS:
                return self.to_next_seat(now_s)
        return replace(self, touched_s=now_s)

    def to_next_seat(self, now_s: float) -> "Lesson":
        """Return it at the first seat that has yet to knock, or where the result is worked out."""
        for seat in self.setup.seats:
            if seat not in self.skipped and len(self.knocks.get(seat, ())) < FEWEST_KNOCKS:
                return self.entering(Step.KNOCKS, now_s, seat)
        return self.entering(Step.WEIGHING, now_s)

    def without_knocks(self, seat: Seat) -> "Lesson":
        """Return it as if *seat* had not knocked yet."""
        others = {other: strokes for other, strokes in self.knocks.items() if other != seat}
        return replace(self, knocks=others, skipped=self.skipped - {seat})

    @property
    def _prompt(self) -> Line:
        match self.step:
            case Step.QUIET:
                return Line("tuning.quiet")
            case Step.GLASS:
                return Line("tuning.glass")
            case Step.PHONE:
                return Line("tuning.phone")
            case Step.KNOCKS:
                return Line("tuning.knocks", {"seat": self.seat, "n": KNOCKS})
            case Step.WEIGHING:
                return Line("tuning.weighing")
        return Line("tuning.result")
