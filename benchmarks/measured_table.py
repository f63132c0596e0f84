"""A virtual table read as slowly and as truly as can be: what tests and benchmarks measure by.

The box itself plays `TableTop.sampled`, which is several times as quick. `MeasuredTable.strike`
gives a wave to be read at any time, `MeasuredTable.record` what an MCP3008 makes of it, with hum,
noise and steps; `spike` and `loose_plug` are what is on a wire and never was a blow.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, repeat
from math import ceil, pi, sin
from operator import mul
from random import Random

import numpy as np
from numpy.typing import NDArray

from kloplei.knock.geometry import Spot
from kloplei.knock.signal import Block
from kloplei.simulation.blows import Blow, Stretch
from kloplei.simulation.plate import SAMPLES_A_SWING, Disc, Mode, Plate, Wave
from kloplei.simulation.table_top import (
    FINE_HZ,
    SOFT,
    SOFT_HZ,
    STILL,
    TableTop,
    Trouble,
    under_glasses,
)

MAINS_HZ = 50.0
LONGEST_S = 60.0  # no table rings on for so long
READ_LATE_S = 0.005  # no sample is read so much after its time, whatever turn and jitter do
THIRD = 0.4  # of the hum: its third harmonic, from lamps and chargers


@dataclass(frozen=True, slots=True)
class Electronics:
    """How good the converter and the wires to it are."""

    rate_hz: float = 4000.0
    bits: int = 10
    noise_codes: float = 1.0
    hum_codes: float = 1.0
    jitter_s: float = 20e-6


MCP3008 = Electronics()


class MeasuredTable(TableTop):
    """A table whose blows can be read at any time, or as a real converter reads them."""

    def strike(
        self,
        kind: Blow,
        at: Spot,
        *,
        force_n: float | None = None,
        seed: int = 0,
        until_s: float = LONGEST_S,
    ) -> Wave:
        """Return what the piezos give for one blow of *kind* at *at*, from its first touch on.

        Args:
            kind: What strikes.
            at: Where, in metres.
            force_n: How hard in newtons; None for a usual blow of its kind.
            seed: No two blows are alike, but for their seed.
            until_s: Nobody reads it any later; the table may ring on.

        Raises:
            NotOnTheTable: *at* is beside the table.
        """
        self._check(at)
        rate_hz = SOFT_HZ if kind in SOFT else FINE_HZ
        force = self.force(kind, rate_hz, force_n, seed)
        until = ceil(until_s * rate_hz)
        felt = strains(self.plate, force, at, self.discs, rate_hz, STILL, until)
        return Wave(0.0, rate_hz, under_glasses(felt, self.discs, rate_hz))

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
        until_s = lasting_s + READ_LATE_S
        wave = self.strike(kind, at, force_n=force_n, seed=seed, until_s=until_s)
        converter = SimulatedConverter(len(self.sensors), electronics, seed)
        count = round((before_s + lasting_s) * electronics.rate_hz)
        return converter.block((wave,), -before_s, count, troubles)


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
            tuple(self._read(channel, start_s, count, on, also))
            for channel in range(self._channels)
        )
        return Block(start_s, rate_hz, channels, self.skew_s)

    def _read(
        self,
        channel: int,
        start_s: float,
        count: int,
        waves: list[Wave],
        troubles: tuple[Trouble, ...],
    ) -> Iterator[float]:
        """Yield each sample as the nearest of the codes, the outermost if it is beyond them."""
        with_it, gauss, late_s = self.electronics, self._luck.gauss, channel * self.skew_s
        rate_hz, jitter_s, noise_codes = with_it.rate_hz, with_it.jitter_s, with_it.noise_codes
        hum_codes, half = with_it.hum_codes, 1 << (with_it.bits - 1)
        for at in range(count):
            at_s = start_s + at / rate_hz + late_s + gauss(0, jitter_s)
            turn = 2 * pi * MAINS_HZ * at_s + self._phase
            codes = hum_codes * (sin(turn) + THIRD * sin(3 * turn)) + gauss(0, noise_codes)
            level = self._code * codes
            for wave in waves:
                level += wave.at(channel, at_s)
            for trouble in troubles:
                level += trouble(channel, at_s)
            yield max(-half, min(half - 1, round(level * half))) / half


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


def strains(
    plate: Plate,
    pushed: Sequence[Stretch],
    at: Spot,
    discs: Sequence[Disc],
    rate_hz: float,
    least: float,
    until: int,
) -> tuple[list[float], ...]:
    """Return the strain under each of *discs* from the first push until all is still.

    Args:
        plate: What is pushed.
        pushed: The force at *at*, at *rate_hz*.
        at: Where it is pushed.
        discs: In the order of their channels.
        rate_hz: Samples a second, of the forces and of what is returned.
        least: A mode that stays below this at every disc is still.
        until: The sample from which on it may be left out.
    """
    felt = np.zeros((len(discs), 0))
    pushed = tuple(_cut(pushed, until))
    for mode in plate.modes:
        if mode.omega > 2 * pi * rate_hz / SAMPLES_A_SWING:
            continue
        gains = plate.gains(mode, at, discs, rate_hz)
        loudest = max(map(abs, gains))
        if loudest == 0:
            continue
        each = np.array(gains)[:, np.newaxis]
        for start, swings in _parts(mode, pushed, rate_hz, least / loudest, until):
            end = start + len(swings)
            if (longer := end - felt.shape[1]) > 0:
                felt = np.pad(felt, ((0, 0), (0, longer)))
            felt[:, start:end] += each * swings
    return tuple(channel.tolist() for channel in felt)


def _cut(pushed: Sequence[Stretch], until: int) -> Iterator[Stretch]:
    """Yield what is *pushed* before the sample *until*."""
    for one in pushed:
        if one.start < until:
            yield Stretch(one.start, one.forces[: until - one.start])


def _parts(
    mode: Mode, pushed: Sequence[Stretch], rate_hz: float, least: float, until: int
) -> Iterator[tuple[int, NDArray[np.float64]]]:
    """Yield where *mode* swings more than *least*: the first sample, and the swings from there."""
    turn = mode.turn(rate_hz)
    for swing in mode.swings(pushed, rate_hz, least):
        yield swing.start, np.array(swing.driven).imag
        # Python's own product from sample to sample: numpy's may be rounded otherwise elsewhere.
        if (ringing := min(swing.ringing, until - swing.end)) > 0:
            free = accumulate(repeat(turn, ringing - 1), mul, initial=swing.free)
            yield swing.end, np.fromiter(free, complex, ringing).imag
