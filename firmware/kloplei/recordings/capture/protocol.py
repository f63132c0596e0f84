"""What a table is asked for, step by step, and when each blow is expected: a plan, and no clock.

Also what is asked about the table itself: the head of labels.json, which does not tell whose box
it is.
"""

import platform
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from kloplei import __version__
from kloplei.config.settings import Config
from kloplei.diagnostics.system import Machine, model_of, version_of
from kloplei.frozen import dataclass, replace
from kloplei.games.game import Seat

LEAD_S = 2.4  # three, two, one: quiet before the first blow, and the measure of the silence
TAIL_S = 0.9  # after the last beat, for who is late and for the wood to come to rest
KNOCK, NOISE = "knock", "negative"  # categories of labels.json


@dataclass(frozen=True, slots=True)
class ProtocolKind:
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
    ProtocolKind("soft", KNOCK, 3),
    ProtocolKind("usual", KNOCK, 6),
    ProtocolKind("hard", KNOCK, 3),
    ProtocolKind("finger", KNOCK, 3),
    ProtocolKind("fist", KNOCK, 3),
    ProtocolKind("twice", KNOCK, 2, 2.6, blows=2),
    ProtocolKind("thrice", KNOCK, 2, 3.0, blows=3),
)

TOGETHER = ProtocolKind("together", KNOCK, 4, 2.2)
SILENCE = ProtocolKind("silence", NOISE, lasting_s=10.0, domain="electronics")

GLASS = ProtocolKind("glass", NOISE, 5, 2.0, domain="on_table")
# The one blow whose force is known without a scale: some 7 g that fall 10 cm, on whatever wood.
COIN = ProtocolKind("coin", NOISE, 3, 3.0, domain="on_table")

NOISES = (
    GLASS,
    COIN,
    ProtocolKind("cards", NOISE, 5, 1.8, domain="on_table"),
    ProtocolKind("dice", NOISE, 4, 2.6, domain="on_table"),
    ProtocolKind("phone", NOISE, lasting_s=8.0, domain="on_table"),
    ProtocolKind("elbow", NOISE, 4, 2.2, domain="structure"),
    ProtocolKind("talk", NOISE, lasting_s=10.0, domain="airborne"),
    ProtocolKind("mains", NOISE, lasting_s=10.0, domain="electronics"),
)

KINDS = (SILENCE, *OF_A_SEAT, TOGETHER, *NOISES)
TALK = "talk"


@dataclass(frozen=True, slots=True)
class ProtocolStep:
    """One thing that *seats* do, or whoever likes to; it makes one recording."""

    kind: ProtocolKind
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

    def goes_on_from(self, before: "ProtocolStep | None") -> bool:
        """Whether the same person may just go on after *before*, with a hand on the table."""
        return before is not None and len(self.seats) == 1 and self.seats == before.seats


TRAIN_GAP_S = 0.4  # between the knocks of a train, at the slowest


def steps_for(
    seats: Sequence[Seat], without: frozenset[str] = frozenset()
) -> tuple[ProtocolStep, ...]:
    """Return the whole walk for a table at which *seats* knock, but for kinds called *without*."""
    return tuple(step for step in _all(seats) if step.kind.name not in without)


def short_steps_for(seats: Sequence[Seat]) -> tuple[ProtocolStep, ...]:
    """Return what two minutes are enough for: each of *seats* knocks as always, little else."""
    usual = replace(next(kind for kind in OF_A_SEAT if kind.name == "usual"), beats=5)
    knocks = (ProtocolStep(usual, (seat,)) for seat in seats)
    last = (replace(GLASS, beats=3), COIN)
    return (ProtocolStep(SILENCE), *knocks, *map(ProtocolStep, last))


WALKS: Mapping[str, Callable[[Sequence[Seat]], tuple[ProtocolStep, ...]]] = {
    "short": short_steps_for,
    "long": steps_for,
}
"""The walks that a phone may ask for: of two minutes and of ten, at a table of four."""


def steps_of_any(seats: int) -> frozenset[ProtocolStep]:
    """Return every step of any walk of a table with up to so many *seats*."""
    walks = (steps_for([Seat(at) for at in range(some)]) for some in range(1, seats + 1))
    return frozenset(step for walk in walks for step in walk)


def walk_s(steps: Sequence[ProtocolStep]) -> float:
    """Return how long all of *steps* last, without the pauses between them."""
    return sum(step.lasts_s for step in steps)


def _all(seats: Sequence[Seat]) -> Iterator[ProtocolStep]:
    yield ProtocolStep(SILENCE)
    for seat in seats:
        for kind in OF_A_SEAT:
            yield ProtocolStep(kind, (seat,))
    # Neighbours feel most alike, and those across from each other least.
    for other in dict.fromkeys((1, len(seats) // 2)):
        if 0 < other < len(seats):
            yield ProtocolStep(TOGETHER, (seats[0], seats[other]))
    for kind in NOISES:
        yield ProtocolStep(kind)


_LIBRARIES = ("gpiozero", "lgpio", "spidev", "luma.oled")

QUESTIONS = ("table", "discs", "front_end")
CORNERS = "corners"
LONGEST_ANSWER = 300


def setup_of(config: Config, *, virtual: bool = False) -> dict[str, Any]:
    """Return the setup of *config*: no name, no address, no PIN and no path is in it."""
    return {
        "virtual": virtual,
        "board": "a virtual table" if virtual else model_of(Machine()) or "unknown",
        "versions": {
            "kloplei": __version__,
            "python": platform.python_version(),
            "kernel": _kernel(platform.release()),
            **{name: number for name in _LIBRARIES if (number := version_of(name))},
        },
        "chip": f"audio {config.audio.bits} bit" if config.audio.enabled else config.adc.chip,
        "wanted_rate_hz": config.sampled_hz,
        "slate": f"{config.slate.driver} on {config.slate.interface}",
        # Seats are counted from 0 in here, as in all that kloplei listen prints.
        "sensors": [
            {
                "channel": at,
                "converter_channel": channel,
                "seat": None if seat is None else int(seat),
            }
            for at, (channel, seat) in enumerate(config.piezos)
        ],
    }


def _kernel(release: str) -> str:
    """Return what of *release* is a kernel's: who builds one may have put any name behind it."""
    found = re.match(r"[0-9.]*[0-9](\+rpt-rpi-(2712|v[678]l?)\b)?", release)
    return found[0] if found else ""


def questions_for(config: Config) -> tuple[str, ...]:
    """Return what only people can tell of the table of *config*; ``ask.<name>`` asks for it."""
    has_corners = any(seat is None for _, seat in config.piezos)
    return (*QUESTIONS, *((CORNERS,) if has_corners else ()))
