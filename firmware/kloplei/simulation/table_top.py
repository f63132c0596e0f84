"""A whole virtual table: its wood, who sits at it, the discs under it and what reads them.

`TableTop.strike` gives waves to be read at any time, at a fine rate throughout. What goes into
one converter is needed at its samples alone: `TableTop.sampled` is fine only while the wood is
pushed, and goes from sample to sample while it rings on by itself, which is most of the time; so
it is quick enough to be played at once. `Trouble` is what is on a wire and never was a blow: a
loose plug, a spark, sound through the air.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, repeat
from math import ceil, pi, sin, sqrt
from operator import mul
from random import Random

from kloplei.files import KlopleiError
from kloplei.knock.signal import Block
from kloplei.simulation.blows import Blow, Stretch, pushes, stretches
from kloplei.simulation.plate import (
    SAMPLES_A_SWING,
    Mode,
    Plate,
    Spot,
    Wave,
    corner_places,
    evened,
    pad_places,
    seat_places,
)

MAINS_HZ = 50.0
THIRD = 0.4  # of the hum: its third harmonic, from lamps and chargers

Trouble = Callable[[int, float], float]
"""What else is on a channel's wire at a time, in full scale; see `kloplei.simulation.table_top`."""


@dataclass(frozen=True, slots=True)
class Electronics:
    """How good the converter and the wires to it are."""

    rate_hz: float = 4000.0
    bits: int = 10
    noise_codes: float = 1.0
    hum_codes: float = 1.0
    jitter_s: float = 20e-6


MCP3008 = Electronics()


class SimulatedConverter:
    """An MCP3008 with its bias at half: all channels in turn, *rate_hz* times a second.

    Feed it the waves that are on; it goes on from block to block, as the real one does.

    Args:
        channels: Number of channels in use; channel c of C is read c / (C rate_hz) late.
        electronics: How good it is.
        seed: Of noise, jitter and the phase of the hum.
    """

    def __init__(self, channels: int, electronics: Electronics = MCP3008, seed: int = 0) -> None:
        self.electronics = electronics
        self._channels = channels
        self._luck = Random(f"converter {seed}")
        self._phase = self._luck.uniform(0, 2 * pi)
        self._code = 2.0 / (1 << electronics.bits)  # one code, of a full scale of -1 to 1

    @property
    def skew_s(self) -> float:
        """How much later each channel is read than the one before it."""
        return 1.0 / (self._channels * self.electronics.rate_hz)

    def block(
        self,
        waves: Iterable[Wave],
        start_s: float,
        count: int,
        troubles: Iterable[Trouble] = (),
    ) -> Block:
        """Return *count* samples a channel from *start_s* on, with all *waves* in them."""
        rate_hz = self.electronics.rate_hz
        end_s = start_s + count / rate_hz
        on = [wave for wave in waves if wave.start_s < end_s and wave.end_s > start_s]
        also = tuple(troubles)
        channels = tuple(
            tuple(
                self._sample(channel, start_s + at / rate_hz + channel * self.skew_s, on, also)
                for at in range(count)
            )
            for channel in range(self._channels)
        )
        return Block(start_s, rate_hz, channels, self.skew_s)

    def _sample(
        self, channel: int, at_s: float, waves: list[Wave], troubles: tuple[Trouble, ...]
    ) -> float:
        at_s += self._luck.gauss(0, self.electronics.jitter_s)
        turn = 2 * pi * MAINS_HZ * at_s + self._phase
        codes = self.electronics.hum_codes * (sin(turn) + THIRD * sin(3 * turn))
        codes += self._luck.gauss(0, self.electronics.noise_codes)
        level = self._code * codes
        for wave in waves:
            level += wave.at(channel, at_s)
        for trouble in troubles:
            level += trouble(channel, at_s)
        return self._converted(level)

    def _converted(self, level: float) -> float:
        """Return *level* as the nearest of the codes, the outermost if it is beyond them."""
        half = 1 << (self.electronics.bits - 1)
        return max(-half, min(half - 1, round(level * half))) / half


SHORT_S = 0.01  # a pause between pushes that is not worth being rung through


def strains_in_turn(
    plate: Plate,
    pushed: Sequence[Stretch],
    at: Spot,
    sensors: Sequence[tuple[Spot, float]],
    rate_hz: float,
    finer: int,
    least: float,
) -> tuple[list[float], ...]:
    """Return the strain under each sensor from the first push until all is still.

    Sample n of sensor c of C is that at (n + c / C) / *rate_hz* seconds.

    Args:
        plate: What is pushed.
        pushed: The force at *at*, at *finer* times *rate_hz*.
        at: Where it is pushed.
        sensors: Places, and what the strain there is multiplied by, in the order of reading.
        rate_hz: Samples a second and sensor.
        finer: How much finer the force is.
        least: A mode that stays below this at every sensor is still.
    """
    fine_hz = rate_hz * finer
    felt: tuple[list[float], ...] = tuple([] for _ in sensors)
    stretches = tuple(_whole(_joined(pushed, round(SHORT_S * fine_hz)), finer))
    for mode in plate.modes:
        if mode.omega > 2 * pi * fine_hz / SAMPLES_A_SWING:
            continue
        gains = plate.gains(mode, at, sensors, fine_hz)
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
        converter = SimulatedConverter(len(self.sensors), electronics, seed)
        count = round((before_s + lasting_s) * electronics.rate_hz)
        return converter.block((wave,), -before_s, count, troubles)


def _check(plate: Plate, spot: Spot) -> None:
    if not plate.holds(spot):
        raise NotOnTheTable(
            f"({spot.x:g}, {spot.y:g}) is beside a table of {plate.length_m:g} by "
            f"{plate.width_m:g} m; name a spot on it"
        )


AIRBORNE_DB = -58.0  # a loud voice at a glued disc, beside a usual knock
VOICE_HZ = (150.0, 2500.0)
TONES = 24  # that sound at once
SWELLS_HZ = 1.9  # applause and music come and go about twice a second


def loose_plug(channel: int, level: float = 0.8) -> Trouble:
    """Return the hum of a plug that hangs in the air on *channel*: loud and not round."""

    def hum(at_channel: int, at_s: float) -> float:
        if at_channel != channel:
            return 0.0
        turn = 2 * pi * MAINS_HZ * at_s
        return level * (sin(turn) + 0.3 * sin(3 * turn + 1) + 0.1 * sin(5 * turn + 2))

    return hum


def spike(channel: int, at_s: float, level: float = 0.9, lasting_s: float = 0.0002) -> Trouble:
    """Return an electric spark on the wire of *channel*, shorter than a sample or about one."""

    def spark(at_channel: int, now_s: float) -> float:
        return level if at_channel == channel and 0 <= now_s - at_s < lasting_s else 0.0

    return spark


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
