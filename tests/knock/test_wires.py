"""What comes down the wires or through the air, and never was a blow."""

import pytest

from benchmarks.measured_table import Electronics, SimulatedConverter, loose_plug, spike
from kloplei.knock.detector import Listener
from kloplei.knock.health import Fault, SensorHealth
from kloplei.knock.judgement import Judgement, Verdict
from kloplei.knock.signal import Block
from kloplei.simulation.table_top import Trouble, airborne

RATES_HZ = (4000.0, 8000.0)


def read(rate_hz: float, trouble: Trouble, seconds: float = 1.0, seed: int = 0) -> Block:
    """Two discs on which nothing falls, and *trouble* on their wires."""
    converter = SimulatedConverter(2, Electronics(rate_hz=rate_hz), seed)
    return converter.block((), 0.0, round(seconds * rate_hz), [trouble])


def judged(block: Block) -> list[Judgement]:
    listener = Listener()
    return [one for one in (*listener.feed(block), *listener.flush()) if isinstance(one, Judgement)]


@pytest.mark.parametrize("rate_hz", RATES_HZ)
@pytest.mark.parametrize("level", [0.9, 0.3, -0.9])
def test_a_spark_is_never_a_knock(rate_hz: float, level: float) -> None:
    found = [
        one
        for seed in range(8)
        for one in judged(read(rate_hz, spike(0, 0.2 + seed * 3e-5, level), 0.5, seed))
    ]

    assert found
    assert all(one.verdict is not Verdict.KNOCK for one in found)


@pytest.mark.parametrize("rate_hz", RATES_HZ)
@pytest.mark.parametrize("above_voice_db", [0.0, 20.0])
def test_voices_and_applause_wake_nobody(rate_hz: float, above_voice_db: float) -> None:
    assert judged(read(rate_hz, airborne(1, above_voice_db))) == []


@pytest.mark.parametrize("rate_hz", RATES_HZ)
def test_a_loose_plug_hums_on_and_begins_no_more_than_one_blow(rate_hz: float) -> None:
    block = read(rate_hz, loose_plug(1))

    knocks = [one for one in judged(block) if one.verdict is Verdict.KNOCK]

    assert len(knocks) <= 1
    assert all(one.at_s < 0.05 for one in knocks)


def test_a_loose_plug_is_named_and_its_neighbour_is_not() -> None:
    block = read(4000.0, loose_plug(1), 1.5)
    watched = [SensorHealth(), SensorHealth()]

    for at in range(0, len(block.channels[0]), 64):
        piece = Block(at / 4000, 4000.0, tuple(one[at : at + 64] for one in block.channels))
        ails = [one.fault(piece, channel, 0.0) for channel, one in enumerate(watched)]

    assert ails == [None, Fault.HUM]
