"""Bursts with gaps between them become blocks that join."""

import math
import random
from dataclasses import replace

import pytest

from kloplei.devices.adc import Burst
from kloplei.devices.sampling import Stream
from kloplei.knock.signal import Block

RATE_HZ = 4000.0


def tone(at_s: float) -> float:
    """What the wood does at any time: 300 Hz."""
    return math.sin(2 * math.pi * 300 * at_s)


def read(start_s: float, rounds: int, rate_hz: float = RATE_HZ, late_s: float = 0.0) -> Burst:
    """Return *rounds* of a tone, read from *start_s* on at *rate_hz*, given back *late_s* late."""
    samples = [tone(start_s + at / rate_hz) for at in range(rounds)]
    return Burst(start_s, start_s + rounds / rate_hz + late_s, (samples, samples))


def fed(stream: Stream, bursts: list[Burst]) -> list[Block]:
    return [block for burst in bursts for block in stream.add(burst, 0.0)]


def worst_error(blocks: list[Block]) -> float:
    """How far any sample is from what the wood did when the block says it was taken."""
    return max(
        abs(sample - tone(block.start_s + at / block.rate_hz))
        for block in blocks
        for at, sample in enumerate(block.channels[0])
    )


def test_bursts_of_two_milliseconds_make_blocks_of_sixteen() -> None:
    blocks = fed(Stream(2, RATE_HZ), [read(5 + n * 0.002, 8) for n in range(100)])

    assert [len(block.channels[1]) for block in blocks] == [64] * 12
    assert [block.start_s for block in blocks] == pytest.approx(
        [5 + n * 0.016 for n in range(12)], abs=1e-9
    )
    assert worst_error(blocks) < 1e-6


def test_the_rate_is_the_measured_one_and_not_the_wanted_one() -> None:
    really_hz = 3871.0
    bursts = [read(5 + n * 64 / really_hz, 64, really_hz) for n in range(120)]

    blocks = fed(Stream(2, 3900.0), bursts)

    assert blocks[-1].rate_hz == pytest.approx(really_hz, rel=1e-6)
    assert worst_error(blocks[-5:]) < 0.01


def test_what_python_does_between_two_bursts_is_part_of_the_pace() -> None:
    """Each burst is read at 4.1 kHz, and 50 us pass before the next."""
    bursts = [read(5 + n * (8 / 4100 + 50e-6), 8, 4100) for n in range(1000)]

    blocks = fed(Stream(2, 4000.0), bursts)

    assert blocks[-1].rate_hz == pytest.approx(8 / (8 / 4100 + 50e-6), rel=1e-6)
    assert worst_error(blocks[20:]) < 0.15  # a 300 Hz tone moves so far in 80 us


def test_a_gap_of_some_samples_is_drawn_straight_so_that_blocks_join() -> None:
    """Another thread kept Python for 5 ms once."""
    bursts = [read(5 + n * 0.016, 64) for n in range(10)]
    bursts += [read(5.165 + n * 0.016, 64) for n in range(10)]

    stream = Stream(2, RATE_HZ)
    blocks = fed(stream, bursts)

    ends = [block.end_s for block in blocks]
    assert [block.start_s for block in blocks[1:]] == pytest.approx(ends[:-1], abs=2e-4)
    assert blocks[-1].end_s == pytest.approx(5.165 + 0.16, abs=0.017)
    assert stream.missed() == 0


def test_what_was_drawn_straight_is_counted() -> None:
    bursts = [read(5 + n * 0.016, 64) for n in range(10)]
    bursts += [read(5.165 + n * 0.016, 64) for n in range(10)]
    stream = Stream(2, RATE_HZ)

    fed(stream, bursts)

    assert stream.drawn() == pytest.approx(0.005 * RATE_HZ, abs=1)
    assert stream.drawn() == 0


def test_a_long_gap_is_a_gap_and_counted() -> None:
    before = [read(5 + n * 0.002, 8) for n in range(10)]
    after = [read(5.5 + n * 0.002, 8) for n in range(10)]

    stream = Stream(2, RATE_HZ)
    blocks = fed(stream, before + after)

    assert [len(block.channels[0]) for block in blocks] == [64, 16, 64]
    assert blocks[2].start_s == pytest.approx(5.5)
    assert stream.missed() == round(0.48 * RATE_HZ)
    assert stream.missed() == 0
    assert worst_error(blocks) < 1e-6


def test_a_burst_that_came_back_late_was_read_at_the_pace_of_the_others() -> None:
    bursts = [read(5 + n * 0.016, 64, late_s=0.004 * (n % 7 == 3)) for n in range(50)]

    blocks = fed(Stream(2, RATE_HZ), bursts)

    assert {round(block.rate_hz) for block in blocks} == {4000}
    assert worst_error(blocks) < 1e-6


def test_hours_of_jitter_do_not_carry_the_blocks_away() -> None:
    jitter = random.Random(3)
    stream = Stream(2, RATE_HZ)
    burst = read(0, 64)
    starts_s = [5 + n * 0.016 + jitter.uniform(0, 1e-4) for n in range(5000)]

    blocks = fed(stream, [replace(burst, start_s=start_s) for start_s in starts_s])

    assert len(blocks) == 5000
    assert blocks[-1].start_s == pytest.approx(starts_s[-1], abs=2.5e-4)


def test_a_bus_that_becomes_slower_is_followed() -> None:
    bursts = [read(5 + n * 0.016, 64) for n in range(20)]
    bursts += [read(5.32 + n * 0.032, 64, 2000) for n in range(200)]

    stream = Stream(2, RATE_HZ)
    blocks = fed(stream, bursts)

    assert blocks[-1].rate_hz == pytest.approx(2000, rel=0.01)
    assert stream.missed() > 0
