"""What a table is asked for, step by step, and when each blow is expected: a plan, and no clock."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kloplei.games.game import Seat

LEAD_S = 2.4  # three, two, one: quiet before the first blow, and the measure of the silence
TAIL_S = 0.9  # after the last beat, for who is late and for the wood to come to rest

KNOCK, NOISE = "knock", "negative"  # categories of labels.json


@dataclass(frozen=True, slots=True)
class Kind:
    """One sort of thing to do, as often as *beats* say, *beat_s* apart.

    *blows* is how many belong to one beat: a train of two is one beat. Without a beat it goes
    on for *lasting_s*. *domain* says where a noise comes from, as labels.json has it.
    """

    name: str
    category: str
    beats: int = 0
    beat_s: float = 1.6
    blows: int = 1
    lasting_s: float = 0.0
    domain: str = ""


OF_A_SEAT = (
    Kind("soft", KNOCK, 3),
    Kind("usual", KNOCK, 6),
    Kind("hard", KNOCK, 3),
    Kind("finger", KNOCK, 3),
    Kind("fist", KNOCK, 3),
    Kind("twice", KNOCK, 2, 2.6, blows=2),
    Kind("thrice", KNOCK, 2, 3.0, blows=3),
)
TOGETHER = Kind("together", KNOCK, 4, 2.2)
SILENCE = Kind("silence", NOISE, lasting_s=10.0, domain="electronics")
NOISES = (
    Kind("glass", NOISE, 5, 2.0, domain="on_table"),
    Kind("cards", NOISE, 5, 1.8, domain="on_table"),
    Kind("dice", NOISE, 4, 2.6, domain="on_table"),
    Kind("phone", NOISE, lasting_s=8.0, domain="on_table"),
    Kind("elbow", NOISE, 4, 2.2, domain="structure"),
    Kind("talk", NOISE, lasting_s=10.0, domain="airborne"),
    Kind("mains", NOISE, lasting_s=10.0, domain="electronics"),
)
KINDS = (SILENCE, *OF_A_SEAT, TOGETHER, *NOISES)
TALK = "talk"


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that *seats* do, or whoever likes to; it makes one recording."""

    kind: Kind
    seats: tuple[Seat, ...] = ()

    @property
    def name(self) -> str:
        """What it is called in the folder: ``seat-3-soft``; seats from 1, as people count."""
        whose = "-".join(str(seat.shown) for seat in self.seats)
        if len(self.seats) == 1:
            return f"seat-{whose}-{self.kind.name}"
        return f"{self.kind.name}-{whose}".rstrip("-")

    @property
    def beats_s(self) -> tuple[float, ...]:
        """When each blow is expected, in seconds from the beginning."""
        return tuple(LEAD_S + at * self.kind.beat_s for at in range(self.kind.beats))

    @property
    def lasts_s(self) -> float:
        """How long the recording is to be."""
        if not self.kind.beats:
            return LEAD_S + self.kind.lasting_s
        last_s = self.beats_s[-1] + (self.kind.blows - 1) * TRAIN_GAP_S
        return last_s + TAIL_S

    def goes_on_from(self, before: "Step | None") -> bool:
        """Whether the same person may just go on after *before*, with a hand on the table."""
        return before is not None and len(self.seats) == 1 and self.seats == before.seats


TRAIN_GAP_S = 0.4  # between the knocks of a train, at the slowest


def steps_for(seats: Sequence[Seat], without: frozenset[str] = frozenset()) -> tuple[Step, ...]:
    """Return the whole walk for a table at which *seats* knock, but for kinds called *without*."""
    return tuple(step for step in _all(seats) if step.kind.name not in without)


def steps_of_any(seats: int) -> frozenset[Step]:
    """Return every step of any walk of a table with up to so many *seats*."""
    walks = (steps_for([Seat(at) for at in range(some)]) for some in range(1, seats + 1))
    return frozenset(step for walk in walks for step in walk)


def walk_s(steps: Sequence[Step]) -> float:
    """Return how long all of *steps* last, without the pauses between them."""
    return sum(step.lasts_s for step in steps)


def _all(seats: Sequence[Seat]) -> Iterator[Step]:
    yield Step(SILENCE)
    for seat in seats:
        for kind in OF_A_SEAT:
            yield Step(kind, (seat,))
    # Neighbours feel most alike, and those across from each other least.
    for other in dict.fromkeys((1, len(seats) // 2)):
        if 0 < other < len(seats):
            yield Step(TOGETHER, (seats[0], seats[other]))
    for kind in NOISES:
        yield Step(kind)
