"""A whole virtual table: its wood, who sits at it, and the discs under it."""

from collections.abc import Iterable, Sequence
from math import ceil
from random import Random

from kloplei.files import KlopleiError
from kloplei.knock.signal import Block
from kloplei.tabletop.blows import Blow, pushes
from kloplei.tabletop.converter import MCP3008, Converter, Electronics, Trouble
from kloplei.tabletop.force import stretches
from kloplei.tabletop.in_turn import strains_in_turn
from kloplei.tabletop.places import Spot, corner_places, pad_places, seat_places
from kloplei.tabletop.plate import Plate
from kloplei.tabletop.wave import Wave

FINE_HZ = 24_000.0  # of the wave before it is converted
SOFT_HZ = 10_000.0  # the same for blows that have nothing above 2.5 kHz, and often last long
SOFT = frozenset({Blow.FINGER, Blow.PHONE, Blow.BUMP, Blow.ELBOW, Blow.DRUM})
GLUE_DB = 3.0  # spread of how well discs are glued
TRIM = 0.5  # full scales at the nearest disc for a usual knuckle
STILL = 3e-4  # of full scale: a mode below it is forgotten; a sixth of a code


class NotOnTheTable(KlopleiError, ValueError):
    """A spot that is beside the table."""


class TableTop:
    """A pub table with piezos under it, as sensitive as it takes for knocks to fit the converter.

    Args:
        plate: The wood.
        seats: Where people knock, clockwise from the slate.
        sensors: Where the discs are glued.
        seed: Of the glue under each disc.
    """

    def __init__(
        self, plate: Plate, seats: Sequence[Spot], sensors: Sequence[Spot], seed: int = 0
    ) -> None:
        for spot in (*seats, *sensors):
            _check(plate, spot)
        self.plate = plate
        self.seats = tuple(seats)
        self.sensors = tuple(sensors)
        luck = Random(f"glue {seed}")
        trim = TRIM * plate.trim
        self._gains = tuple(trim * 10 ** (luck.gauss(0, GLUE_DB) / 20) for _ in self.sensors)

    @classmethod
    def of_seed(cls, seed: int, seats: int = 4, corners: int | None = None) -> "TableTop":
        """Return one of many plausible pub tables.

        Args:
            seed: Which one.
            seats: How many sit at it.
            corners: Discs in so many corners; None for one disc a seat.
        """
        luck = Random(f"table {seed}")
        length, width = luck.uniform(1.1, 1.7), luck.uniform(0.75, 0.95)
        plate = Plate(
            length,
            width,
            luck.uniform(0.018, 0.030),
            luck.uniform(4e9, 12e9),
            loss=luck.uniform(0.02, 0.06),
            luck=luck,
        )
        sensors = (
            pad_places(length, width, seats)
            if corners is None
            else corner_places(length, width, corners)
        )
        return cls(plate, seat_places(length, width, seats), sensors, seed)

    def strike(self, kind: Blow, at: Spot, *, force_n: float | None = None, seed: int = 0) -> Wave:
        """Return what the piezos give for one blow of *kind* at *at*, from its first touch on.

        Args:
            kind: What strikes.
            at: Where, in metres.
            force_n: How hard in newtons; None for a usual blow of its kind.
            seed: No two blows are alike, but for their seed.

        Raises:
            NotOnTheTable: *at* is beside the table.
        """
        _check(self.plate, at)
        rate_hz = SOFT_HZ if kind in SOFT else FINE_HZ
        force = stretches(pushes(kind, Random(f"{kind} {seed}"), force_n), rate_hz)
        sensors = tuple(zip(self.sensors, self._gains, strict=True))
        return Wave(0.0, rate_hz, self.plate.strains(force, at, sensors, rate_hz, STILL))

    def sampled(
        self, kind: Blow, at: Spot, rate_hz: float, *, force_n: float | None = None, seed: int = 0
    ) -> tuple[list[float], ...]:
        """Return one blow just as a converter reads the discs in turn, from its first touch on.

        The same blow as that of `strike`, several times as quick, but neither noise nor steps.

        Args:
            kind: What strikes.
            at: Where, in metres.
            rate_hz: Samples a second and channel.
            force_n: How hard in newtons; None for a usual blow of its kind.
            seed: No two blows are alike, but for their seed.

        Raises:
            NotOnTheTable: *at* is beside the table.
        """
        _check(self.plate, at)
        finer = ceil((SOFT_HZ if kind in SOFT else FINE_HZ) / rate_hz)
        force = stretches(pushes(kind, Random(f"{kind} {seed}"), force_n), rate_hz * finer)
        sensors = tuple(zip(self.sensors, self._gains, strict=True))
        return strains_in_turn(self.plate, force, at, sensors, rate_hz, finer, STILL)

    def record(
        self,
        kind: Blow,
        at: Spot,
        *,
        force_n: float | None = None,
        seed: int = 0,
        electronics: Electronics = MCP3008,
        before_s: float = 0.05,
        lasting_s: float = 0.25,
        troubles: Iterable[Trouble] = (),
    ) -> Block:
        """Return one blow as the converter hands it in: quiet, then the blow at 0 s.

        Args:
            kind: What strikes.
            at: Where, in metres.
            force_n: How hard in newtons; None for a usual blow of its kind.
            seed: Of the blow and of the noise.
            electronics: How good the converter is.
            before_s: Seconds of quiet before it.
            lasting_s: Seconds from the blow on.
            troubles: What else is on the wires.
        """
        wave = self.strike(kind, at, force_n=force_n, seed=seed)
        converter = Converter(len(self.sensors), electronics, seed)
        count = round((before_s + lasting_s) * electronics.rate_hz)
        return converter.block((wave,), -before_s, count, troubles)


def _check(plate: Plate, spot: Spot) -> None:
    if not plate.holds(spot):
        raise NotOnTheTable(
            f"({spot.x:g}, {spot.y:g}) is beside a table of {plate.length_m:g} by "
            f"{plate.width_m:g} m; name a spot on it"
        )
