"""What a converter reads of a blow at once is what it would read of the whole wave."""

import pytest

from benchmarks.measured_table import MeasuredTable
from kloplei.simulation.blows import Blow
from kloplei.simulation.table_top import TRIM

RATE_HZ = 4000.0
# Both work in steps of some 50 us, but not in the same ones.
NEAR = 0.03 * TRIM


@pytest.fixture(scope="module")
def table() -> MeasuredTable:
    return MeasuredTable.of_seed(3, seats=6)


@pytest.mark.parametrize("kind", [Blow.KNUCKLE, Blow.GLASS, Blow.DICE, Blow.BUMP, Blow.DRUM])
def test_every_channel_is_read_at_its_own_time(table: MeasuredTable, kind: Blow) -> None:
    wave = table.strike(kind, table.seats[1], force_n=12.0, seed=5)

    read = table.sampled(kind, table.seats[1], RATE_HZ, force_n=12.0, seed=5)

    for channel, samples in enumerate(read):
        skew_s = channel / len(read) / RATE_HZ
        there = [wave.at(channel, at / RATE_HZ + skew_s) for at in range(len(samples))]
        loudest = max(1.0, *map(abs, there))
        assert max(abs(a - b) for a, b in zip(samples, there, strict=True)) < NEAR * loudest


def test_all_channels_are_equally_long_and_end_in_silence(table: MeasuredTable) -> None:
    read = table.sampled(Blow.KNUCKLE, table.seats[0], RATE_HZ, seed=1)

    assert len({len(samples) for samples in read}) == 1
    assert max(abs(samples[-1]) for samples in read) < 0.005
