"""Lessons from tables that are not there: no sound was recorded for them."""

from collections.abc import Iterator, Sequence
from math import ceil, pi

import numpy as np
from numpy.typing import NDArray

from benchmarks.measured_table import MeasuredTable
from kloplei.knock.features import RATES_HZ
from kloplei.knock.geometry import Spot
from kloplei.knock.signal import Block
from kloplei.simulation.blows import Blow
from kloplei.simulation.plate import NORMAL, SAMPLES_A_SWING
from kloplei.simulation.table_top import FINE_HZ, TableTop, under_glasses
from scripts.lessons import NEAR_S, Lesson, Origin, Way, heard, lay, seen

VIRTUAL = "virtual table"
# Whether a soft finger is a knock is for people to say, and a drumming finger is as soft.
_ON_A_TABLE = {
    Blow.KNUCKLE: 10,
    Blow.GLASS: 4,
    Blow.CARD: 4,
    Blow.DEAL: 1,
    Blow.CHIPS: 2,
    Blow.DICE: 2,
    Blow.KEYS: 3,
    Blow.PHONE: 1,
    Blow.BUMP: 2,
    Blow.ELBOW: 1,
    Blow.DRUM: 1,
    Blow.FIST: 2,
    Blow.SLAP: 2,
    Blow.SLAM: 2,
    Blow.CHAIR: 2,
}
_BEFORE_S, _LASTING_S = 0.15, 0.45


class KnuckleTable:
    """Gives what `TableTop.sampled` gives for knuckles at one rate, all modes of *table* at once.

    That takes a twentieth of the time, once a table's modes are there: for whoever wants thousands
    of knocks. Nothing is forgotten while it still swings, until the end at *lasting_s*.
    """

    def __init__(self, table: TableTop, rate_hz: float, lasting_s: float) -> None:
        self._table = table
        self._rate_hz = rate_hz
        self._finer = ceil(FINE_HZ / rate_hz)
        fine_hz = rate_hz * self._finer
        count = round(lasting_s * rate_hz) * self._finer
        fast = 2 * pi * fine_hz / SAMPLES_A_SWING
        self._modes = [mode for mode in table.plate.modes if mode.omega <= fast]
        log_turns = np.array([complex(-one.decay, one.omega) for one in self._modes]) / fine_hz
        turned = np.exp(np.outer(log_turns, np.arange(count)))
        self._turned = np.concatenate((turned.imag, turned.real))
        spots = [self._shapes(disc.spot) for disc in table.discs]
        hertz = [mode.omega / (2 * pi) for mode in self._modes]
        swing = NORMAL / (table.plate.trim * table.plate.area_m2)
        at_disc = [
            swing / fine_hz * spot * [disc.gain_at(one) for one in hertz]
            for disc, spot in zip(table.discs, spots, strict=True)
        ]
        # Disc c of C is read c / C of a sample later: so much its modes have turned by then.
        lags = [self._finer * disc / len(at_disc) for disc in range(len(at_disc))]
        self._whole = [int(lag) for lag in lags]
        rest = np.exp(np.outer([lag - int(lag) for lag in lags], log_turns))
        self._gains = np.array(at_disc) * rest
        self._weights = np.array([mode.weight for mode in self._modes])

    def knock(self, at: Spot, seed: int) -> tuple[list[float], ...]:
        """Return what each disc gives for the usual knuckle of that *seed*, *at* a spot."""
        drive = self._weights * self._shapes(at)
        gains = self._gains * drive
        rung = np.concatenate((gains.real, gains.imag), axis=1) @ self._turned
        count = rung.shape[1]
        pushed = np.zeros(count)
        for part in self._table.force(Blow.KNUCKLE, self._rate_hz * self._finer, None, seed):
            room = pushed[part.start : part.end]
            room += part.forces[: len(room)]
        pushed = np.trim_zeros(pushed, "b")
        felt = tuple(
            np.convolve(pushed, one)[whole : whole + count : self._finer].tolist()
            for one, whole in zip(rung, self._whole, strict=True)
        )
        return under_glasses(felt, self._table.discs, self._rate_hz)

    def _shapes(self, at: Spot) -> NDArray[np.float64]:
        plate = self._table.plate
        return np.array([one.shape(at, plate.length_m, plate.width_m) for one in self._modes])


def of_table(seed: int, fold: int) -> Iterator[Lesson]:
    """Yield what strikes the virtual table *seed*, at each rate."""
    luck = np.random.default_rng(seed)
    table = MeasuredTable.of_seed(10_000 + seed, seats=4, corners=4 if seed % 2 else None)
    for blow, count in _ON_A_TABLE.items():
        for turn in range(count):
            spot = spot_of(table, blow is Blow.KNUCKLE and turn % 3 > 0, luck)
            knock = blow is Blow.KNUCKLE
            louder_db = luck.choice((0.0, luck.uniform(-18, 0))) if knock else luck.uniform(0, 6)
            gain = 10 ** ((luck.uniform(-6, 3) + louder_db) / 20)
            for rate_hz in RATES_HZ:
                wave = table.sampled(blow, spot, rate_hz, seed=100 * seed + turn)
                block = converted(wave, rate_hz, gain, luck)
                for one in heard(block):
                    if not knock or abs(one.at_s) <= NEAR_S:
                        yield Lesson(
                            rate_hz,
                            seen(one),
                            knock,
                            Origin(Way.VIRTUAL, f"{VIRTUAL}, {blow}", VIRTUAL, fold),
                        )


def spot_of(table: TableTop, at_a_seat: bool, luck: np.random.Generator) -> Spot:
    """Return where something lands: anywhere, or within some centimetres of a seat's place."""
    size = (table.plate.length_m, table.plate.width_m)
    if not at_a_seat:
        return Spot(*(luck.uniform(0.06, 0.94) * one for one in size))
    seat = table.seats[int(luck.integers(len(table.seats)))]
    return Spot(
        *(
            np.clip(one + luck.normal(0, 0.04), 0.02, most - 0.02)
            for one, most in zip(seat, size, strict=True)
        )
    )


def converted(
    wave: Sequence[Sequence[float]],
    rate_hz: float,
    gain: float,
    luck: np.random.Generator,
    lasting_s: float = _LASTING_S,
) -> Block:
    """Return *wave* with quiet before it, hum and noise, as 10 or 12 bits."""
    before, count = round(_BEFORE_S * rate_hz), round(lasting_s * rate_hz)
    half = int(luck.choice((512, 2048)))
    hum, turn = luck.uniform(0, 3), luck.uniform(0, 2 * np.pi)
    noise = luck.uniform(0.5, 2) * half / 512
    channels = []
    for felt in wave:
        at_s = np.arange(count) / rate_hz
        channel = luck.normal(0, noise, count) + hum * half / 512 * np.sin(
            2 * np.pi * 50 * at_s + turn
        )
        lay(channel, half * gain * np.asarray(felt), before / rate_hz, rate_hz)
        channels.append((np.clip(np.round(channel), -half, half - 1) / half).tolist())
    return Block(-_BEFORE_S, rate_hz, tuple(channels), 1 / (len(channels) * rate_hz))
