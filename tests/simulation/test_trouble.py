"""What is on the wires of a virtual table beside its blows."""

import pytest

from benchmarks.measured_table import MCP3008, MeasuredTable, SimulatedConverter, loose_plug, spike
from kloplei.simulation.blows import Blow
from kloplei.simulation.table_top import Trouble, airborne

QUIET_CODES = 12 / 512  # noise and hum of the converter itself stay below it


def read(*troubles: Trouble, seconds: float = 0.5) -> list[float]:
    """Return the loudest sample of each of two channels on which there is nothing else."""
    count = round(seconds * MCP3008.rate_hz)
    block = SimulatedConverter(2, seed=1).block((), 0.0, count, troubles)
    return [max(map(abs, channel)) for channel in block.channels]


def test_a_loose_plug_hums_on_its_own_channel() -> None:
    here, there = read(loose_plug(0))

    assert here > 0.7
    assert there < QUIET_CODES


def test_a_spark_is_over_within_two_samples() -> None:
    block = SimulatedConverter(1, seed=1).block((), 0.0, 400, [spike(0, at_s=0.05)])
    loud = [at for at, sample in enumerate(block.channels[0]) if abs(sample) > QUIET_CODES]

    assert 1 <= len(loud) <= 2
    assert loud[0] / MCP3008.rate_hz == pytest.approx(0.05, abs=0.0005)


def test_a_loud_voice_drowns_in_the_noise_and_applause_does_not() -> None:
    voice, applause = read(airborne(3)), read(airborne(3, above_voice_db=30))

    assert max(voice) < QUIET_CODES < max(applause)


def test_a_blow_and_what_else_is_on_the_wire_add_up() -> None:
    table = MeasuredTable.of_seed(1)

    quiet, humming = (
        table.record(Blow.KNUCKLE, table.seats[0], troubles=troubles)
        for troubles in ((), (loose_plug(3),))
    )

    assert quiet.channels[:3] == humming.channels[:3]
    assert max(humming.channels[3]) > 0.7
