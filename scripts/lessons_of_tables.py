"""Lessons from tables that are not there: no sound was recorded for them."""

from collections.abc import Iterator, Sequence

import numpy as np

from benchmarks.measured_table import MeasuredTable
from kloplei.knock.features import RATES_HZ
from kloplei.knock.geometry import Spot
from kloplei.knock.signal import Block
from kloplei.simulation.blows import Blow
from kloplei.simulation.table_top import TableTop
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
    wave: Sequence[Sequence[float]], rate_hz: float, gain: float, luck: np.random.Generator
) -> Block:
    """Return *wave* with quiet before it, hum and noise, as 10 or 12 bits."""
    before, count = round(_BEFORE_S * rate_hz), round(_LASTING_S * rate_hz)
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
