"""A whole virtual table: its wood, who sits at it, and the discs under it as they are read.

What goes into a converter is needed at its samples alone: finely only while the wood is pushed,
and from sample to sample while it rings on by itself, which is most of the time. So a blow is
there quickly enough to be played at once. Places are in metres, levels in parts of full scale.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, repeat
from math import ceil, hypot, inf, isinf, pi, sin, sqrt
from operator import mul
from random import Random
from typing import Self

from kloplei.files import KlopleiError
from kloplei.frozen import dataclass
from kloplei.knock.geometry import PAD_M, Spot
from kloplei.simulation.blows import Blow, Stretch, pushes, stretches, through_cloth
from kloplei.simulation.coupling import Coupling, coupled, unevenly
from kloplei.simulation.plate import SAMPLES_A_SWING, Disc, Mode, Plate, RoundPlate, evened

Trouble = Callable[[int, float], float]
"""What else is on a channel's wire at a time, in full scale; see `kloplei.simulation.table_top`."""


SHORT_S = 0.01  # a pause between pushes that is not worth being rung through


def strains_in_turn(
    plate: Plate,
    pushed: Sequence[Stretch],
    at: Spot,
    discs: Sequence[Disc],
    rate_hz: float,
    finer: int,
    least: float,
) -> tuple[list[float], ...]:
    """Return the strain under each of *discs* from the first push until all is still.

    Sample n of disc c of C is that at (n + c / C) / *rate_hz* seconds.

    Args:
        plate: What is pushed.
        pushed: The force at *at*, at *finer* times *rate_hz*.
        at: Where it is pushed.
        discs: In the order of reading.
        rate_hz: Samples a second and disc.
        finer: How much finer the force is.
        least: A mode that stays below this at every disc is still.
    """
    fine_hz = rate_hz * finer
    felt: tuple[list[float], ...] = tuple([] for _ in discs)
    stretches = tuple(_whole(_joined(pushed, round(SHORT_S * fine_hz)), finer))
    for mode in plate.modes:
        if mode.omega > 2 * pi * fine_hz / SAMPLES_A_SWING:
            continue
        gains = plate.gains(mode, at, discs, fine_hz)
        if loudest := max(map(abs, gains)):
            _ring(felt, mode, gains, stretches, fine_hz, finer, least / loudest)
    return evened(felt)


def _ring(
    felt: Sequence[list[float]],
    mode: Mode,
    gains: Sequence[float],
    stretches: Sequence[Stretch],
    fine_hz: float,
    finer: int,
    least: float,
) -> None:
    """Add to *felt* how *mode* swings, as long as that is more than *least*."""
    turn = mode.turn(fine_hz)
    lags = [finer * channel / len(gains) for channel in range(len(gains))]
    for swing in mode.swings(stretches, fine_hz, least):
        turns = accumulate(repeat(turn**finer, swing.ringing // finer), mul, initial=swing.free)
        ringing = list(turns)[:-1]
        for into, gain, lag in zip(felt, gains, lags, strict=True):
            whole, rest = int(lag), gain * turn ** (lag - int(lag))
            _add(into, swing.start // finer, swing.driven[whole::finer], rest)
            _add(into, swing.end // finer, ringing, gain * turn**lag)


def _joined(pushed: Sequence[Stretch], short: int) -> Iterator[Stretch]:
    """Yield *pushed* with pauses of up to *short* samples filled with no force."""
    held: Stretch | None = None
    for stretch in pushed:
        if held is None:
            held = stretch
        elif stretch.start - held.end <= short:
            pause = (0.0,) * (stretch.start - held.end)
            held = Stretch(held.start, (*held.forces, *pause, *stretch.forces))
        else:
            yield held
            held = stretch
    if held is not None:
        yield held


def _whole(pushed: Iterator[Stretch], finer: int) -> Iterator[Stretch]:
    """Yield *pushed* with no force before and after it, to begin and end with a round."""
    for stretch in pushed:
        before, after = stretch.start % finer, -stretch.end % finer
        forces = ((0.0,) * before, stretch.forces, (0.0,) * after)
        yield Stretch(stretch.start - before, tuple(force for part in forces for force in part))


def _add(into: list[float], start: int, states: Sequence[complex], gain: complex) -> None:
    """Add the swings of *states* to *into* from sample *start* on."""
    end = start + len(states)
    if len(into) < end:
        into.extend(repeat(0.0, end - len(into)))
    real, imag = gain.real, gain.imag
    into[start:end] = [
        was + real * state.imag + imag * state.real
        for was, state in zip(into[start:end], states, strict=True)
    ]


FINE_HZ = 24_000.0  # of the wave before it is converted
SOFT_HZ = 10_000.0  # the same for blows that have nothing above 2.5 kHz, and often last long
SOFT = frozenset({Blow.FINGER, Blow.PHONE, Blow.BUMP, Blow.ELBOW, Blow.DRUM})
TRIM = 0.5  # full scales at the nearest disc for a usual knuckle
STILL = 3e-4  # of full scale: a mode below it is forgotten; a sixth of a code


class NotOnTheTable(KlopleiError, ValueError):
    """A spot that is beside the table."""


NO_GLASSES: Mapping[int, float] = {}


@dataclass(frozen=True, slots=True)
class TopKind:
    """What kind of table top it is, and what lies and stands on it.

    Where it is *uneven*, each disc loses 0 to 20 dB of its own; under a *glass* stands one disc.
    """

    is_round: bool = False
    planks: bool = False
    cloth: bool = False
    glass: bool = False
    uneven: bool = False


PLATE = TopKind()
KINDS: Mapping[str, TopKind] = {
    "plate": PLATE,
    "round": TopKind(is_round=True),
    "planks": TopKind(planks=True),
    "cloth": TopKind(cloth=True),
    "glass": TopKind(glass=True),
    "uneven": TopKind(uneven=True),
}
"""By name, each of them otherwise than a bare plate in one way."""

ACROSS = (0.07, 0.25)  # of the stiffness along the grain: edge-glued planks, with battens below
CLOTH_LOSS = 0.02  # that a cloth adds to the wood's own
GLASS_KG = (0.3, 0.6)  # half empty, full


def wandering(usual: Spot, off_m: float, plate: Plate, luck: Random) -> Spot:
    """Return where on *plate* a hand falls this time that usually knocks at *usual*.

    It falls off by *off_m*, as a standard deviation both ways; farther than `FARTHEST` times that
    somebody else knocks.
    """
    while True:
        by = luck.gauss(0, off_m), luck.gauss(0, off_m)
        if hypot(*by) <= FARTHEST * off_m and plate.holds(usual.moved(*by)):
            return usual.moved(*by)


FARTHEST = 2.5


class TableTop:
    """A pub table with piezos under it, as sensitive as it takes for knocks to fit the converter.

    Args:
        plate: The wood.
        seats: Where people knock, clockwise from the slate.
        sensors: Where the discs are.
        seed: Of the glue under each disc.
        couplings: How the discs are stuck to the wood, as `coupled` has it; all are glued
            unless it says otherwise.
        has_cloth: Whether blows fall on a cloth.
        glasses_kg: What stands above a disc, by the disc's number.
    """

    def __init__(
        self,
        plate: Plate,
        seats: Sequence[Spot],
        sensors: Sequence[Spot],
        seed: int = 0,
        couplings: Sequence[Coupling] = (),
        *,
        has_cloth: bool = False,
        glasses_kg: Mapping[int, float] = NO_GLASSES,
    ) -> None:
        self.plate = plate
        self.has_cloth = has_cloth
        for spot in (*seats, *sensors):
            self._check(spot)
        self.seats = tuple(seats)
        self.sensors = tuple(sensors)
        luck = Random(f"glue {seed}")
        trim = TRIM * plate.trim
        each = coupled(couplings, len(self.sensors))
        apart_db = [luck.gauss(0, one.spread_db) - one.loss_db for one in each]
        self.discs = tuple(
            Disc(spot, trim * 10 ** (db / 20), one.highest_hz, self._loaded_hz(glasses_kg.get(at)))
            for at, (spot, one, db) in enumerate(zip(self.sensors, each, apart_db, strict=True))
        )
        """The sensors, and what each makes of the strain of the wood."""

    @classmethod
    def of_seed(
        cls,
        seed: int,
        seats: int = 4,
        corners: int | None = None,
        *,
        couplings: Sequence[Coupling] = (),
        kind: TopKind = PLATE,
    ) -> Self:
        """Return one of many plausible pub tables by its *seed*, a disc for each of *seats*.

        With *corners*, its discs are in so many of them instead. *couplings* are asked for before
        those of an uneven *kind*.
        """
        plate = _plate(kind, Random(f"table {seed}"))
        sensors = plate.size.corners(corners) if corners else plate.size.seats(seats, PAD_M)
        luck = Random(f"things {seed}")
        each = couplings or (unevenly(len(sensors), luck) if kind.uneven else ())
        glass = {luck.randrange(len(sensors)): luck.uniform(*GLASS_KG)} if kind.glass else {}
        return cls(
            plate,
            plate.size.seats(seats),
            sensors,
            seed,
            each,
            has_cloth=kind.cloth,
            glasses_kg=glass,
        )

    def sampled(
        self, kind: Blow, at: Spot, rate_hz: float, *, force_n: float | None = None, seed: int = 0
    ) -> tuple[list[float], ...]:
        """Return one blow just as a converter reads the discs in turn, from its first touch on.

        There is neither noise in it nor the steps of a converter.

        Args:
            kind: What strikes.
            at: Where, in metres.
            rate_hz: Samples a second and channel.
            force_n: How hard in newtons; None for a usual blow of its kind.
            seed: No two blows are alike, but for their seed.

        Raises:
            NotOnTheTable: *at* is beside the table.
        """
        self._check(at)
        finer = ceil((SOFT_HZ if kind in SOFT else FINE_HZ) / rate_hz)
        force = self.force(kind, rate_hz * finer, force_n, seed)
        felt = strains_in_turn(self.plate, force, at, self.discs, rate_hz, finer, STILL)
        return under_glasses(felt, self.discs, rate_hz)

    def force(
        self, kind: Blow, rate_hz: float, force_n: float | None, seed: int
    ) -> tuple[Stretch, ...]:
        """Return how one blow pushes the wood, in newtons at *rate_hz*."""
        made = pushes(kind, Random(f"{kind} {seed}"), force_n)
        return stretches(through_cloth(made) if self.has_cloth else made, rate_hz)

    def _loaded_hz(self, glass_kg: float | None) -> float:
        """Return from where on a glass so heavy holds the wood still: a mass on an impedance."""
        return inf if glass_kg is None else self.plate.impedance / (2 * pi * glass_kg)

    def _check(self, spot: Spot) -> None:
        if not self.plate.holds(spot):
            raise NotOnTheTable(
                f"({spot.x:g}, {spot.y:g}) is beside a table of {self.plate.length_m:g} by "
                f"{self.plate.width_m:g} m; name a spot on it"
            )


def _plate(kind: TopKind, luck: Random) -> Plate:
    length, width = luck.uniform(1.1, 1.7), luck.uniform(0.75, 0.95)
    thickness, youngs_pa = luck.uniform(0.018, 0.030), luck.uniform(4e9, 12e9)
    loss = luck.uniform(0.02, 0.06) + (CLOTH_LOSS if kind.cloth else 0.0)
    if kind.is_round:
        return RoundPlate(luck.uniform(0.9, 1.3), thickness, youngs_pa, loss, luck)
    across = luck.uniform(*ACROSS) if kind.planks else 1.0
    return Plate(length, width, thickness, youngs_pa, loss, luck, across=across)


def under_glasses(
    felt: tuple[list[float], ...], discs: Sequence[Disc], rate_hz: float
) -> tuple[list[float], ...]:
    """Return what *discs* feel of what they would have *felt* without the glasses above them.

    A mass on the wood's own impedance lets through what is slow, and that a little later.
    """
    return tuple(
        channel if isinf(disc.loaded_hz) else _held_back(channel, pi * disc.loaded_hz / rate_hz)
        for channel, disc in zip(felt, discs, strict=True)
    )


def _held_back(channel: Iterable[float], turn: float) -> list[float]:
    passed, kept = turn / (1 + turn), (1 - turn) / (1 + turn)
    level = before = 0.0
    heard = []
    for one in channel:
        level, before = kept * level + passed * (one + before), one
        heard.append(level)
    return heard


AIRBORNE_DB = -58.0  # a loud voice at a glued disc, beside a usual knock
VOICE_HZ = (150.0, 2500.0)
TONES = 24  # that sound at once
SWELLS_HZ = 1.9  # applause and music come and go about twice a second


def airborne(seed: int = 0, above_voice_db: float = 0.0) -> Trouble:
    """Return what reaches the discs through the air: applause and music, in waves of loudness.

    A loud voice lies `AIRBORNE_DB` below a knock; *above_voice_db* makes it louder.
    """
    luck = Random(f"air {seed}")
    tones = [(luck.uniform(*VOICE_HZ), luck.uniform(0, 2 * pi)) for _ in range(TONES)]
    level = TRIM * 10 ** ((AIRBORNE_DB + above_voice_db) / 20) / sqrt(TONES)

    def sound(_channel: int, at_s: float) -> float:
        swell = 1 + 0.5 * sin(2 * pi * SWELLS_HZ * at_s)
        return level * swell * sum(sin(2 * pi * hz * at_s + phase) for hz, phase in tones)

    return sound
