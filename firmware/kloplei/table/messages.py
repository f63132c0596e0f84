"""What edges may put into the table's one queue. Time is monotonic and comes along."""

from enum import StrEnum
from typing import Protocol

from kloplei.frozen import dataclass
from kloplei.games.game import Seat
from kloplei.games.scoreboard import Line, Tuning
from kloplei.knock import KnockHeard
from kloplei.knock.judgement import Judgement, Struck, Verdict


@dataclass(frozen=True, slots=True)
class NoKnock:
    """The blow that began at *at_s* was judged, and was none; *seat*, *strength* as for one."""

    at_s: float
    seat: Seat | None = None
    strength: float = 0.0


@dataclass(frozen=True, slots=True)
class ButtonPressed:
    """The button of *seat* went down."""

    seat: Seat
    at_s: float


@dataclass(frozen=True, slots=True)
class ButtonReleased:
    """The button of *seat* came up again."""

    seat: Seat
    at_s: float


class Trouble(StrEnum):
    """What may be wrong with a part, the worst first; ``notice.<trouble>`` tells it to people."""

    PART = "part"  # it does not work; only the message knows why
    STORM = "storm"  # so many edges that it is let alone until it is quiet
    STUCK = "stuck-sensor"  # it stands still, or lies at the end of its range
    HUM = "hum"  # it hears the mains and little else
    OPEN = "open-input"  # nothing holds its input: no piezo is plugged in
    OVERRUN = "overrun"  # samples came faster than the box could hear them
    SLOW = "slow"  # it is read slower than is wanted
    KEYS = "keys"  # the phones' keys were damaged and made anew; told until the next step


@dataclass(frozen=True, slots=True)
class PartFailed:
    """A device of the box does not work: *part* is its name, such as ``slate`` or ``pad 3``.

    *message* is one sentence that says what to do next.
    """

    part: str
    message: str
    trouble: Trouble = Trouble.PART


@dataclass(frozen=True, slots=True)
class PartHealed:
    """The device *part* works again."""

    part: str


@dataclass(frozen=True, slots=True)
class TuningShown:
    """The table is being tuned, and *tuning* is what people see of it; None when it is over.

    As long as it goes on, no knock plays.
    """

    tuning: Tuning | None


@dataclass(frozen=True, slots=True)
class Announced:
    """Something is told to all at the table, once: *lines*, one after the other.

    Each stands for *lasts_s*, None: as long as a title does. What *gives_way* ends with the first
    knock or press, any with the next step.
    """

    lines: tuple[Line, ...]
    lasts_s: float | None = None
    gives_way: bool = False


class Fate(StrEnum):
    """What became of blows at the table, by which a box that learns tells what they were."""

    TAKEN = "taken"  # something was done as they asked
    CONFIRMED = "confirmed"  # they were in doubt, and somebody else said that they were knocks
    REPEATED = "repeated"  # they were in doubt, and the same hand knocked again
    DENIED = "denied"  # they were in doubt, and somebody said that they were none
    UNDONE = "undone"  # what they had brought about was taken back at once
    REDONE = "redone"  # and then it was not
    STEP = "step"  # none of them: somebody did something else


@dataclass(frozen=True, slots=True)
class BlowFate:
    """What became of the *blows* on the wood that began at those monotonic seconds."""

    fate: Fate
    blows: tuple[float, ...] = ()


Message = (
    Struck
    | NoKnock
    | KnockHeard
    | ButtonPressed
    | ButtonReleased
    | PartFailed
    | PartHealed
    | TuningShown
    | Announced
)


def finding(judgement: Judgement) -> KnockHeard | NoKnock:
    """Return what the table has to hear of *judgement*."""
    if judgement.verdict is Verdict.NOISE:
        return NoKnock(judgement.at_s, judgement.seat, judgement.strength)
    doubtful = judgement.verdict is Verdict.DOUBTFUL
    return KnockHeard(
        judgement.seat, judgement.strength, judgement.at_s, doubtful, judgement.amends
    )


class Inbox(Protocol):
    """Where devices drop what they noticed; never blocks, from any thread."""

    def put(self, message: Message) -> None:
        """Queue *message*; when the queue is full it is counted and dropped, never waited for."""
        ...
