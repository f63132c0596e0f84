"""The resting level goes, the knock stays."""

import math

import pytest

from kloplei.knock.signal import Block, DcOffset

RATE_HZ = 4000.0


def block(at_s: float, *levels: float) -> Block:
    return Block(at_s, RATE_HZ, tuple([level] * 64 for level in levels), 1e-5)


def test_the_first_block_sets_the_level_of_each_channel() -> None:
    dc_offset = DcOffset()

    level = dc_offset.taken_off(block(5.0, 0.25, -0.5))

    assert level.channels == ([0.0] * 64, [0.0] * 64)
    assert dc_offset.levels == (0.25, -0.5)
    assert (level.start_s, level.rate_hz, level.skew_s) == (5.0, RATE_HZ, 1e-5)


def test_a_level_that_drifts_is_followed_in_seconds() -> None:
    dc_offset = DcOffset()
    dc_offset.taken_off(block(0, 0.0))

    early = [dc_offset.taken_off(block(n * 0.016, 0.1)) for n in range(6)][-1]
    late = [dc_offset.taken_off(block(n * 0.016, 0.1)) for n in range(400)][-1]

    assert early.channels[0][0] > 0.08
    assert late.channels[0][0] == pytest.approx(0, abs=1e-3)


def test_a_knock_bends_the_level_by_less_than_one_step_of_the_converter() -> None:
    dc_offset = DcOffset()
    dc_offset.taken_off(block(0, 0.0))
    blow = [
        0.8 * 10 ** (-at / RATE_HZ / 0.03) * math.sin(2 * math.pi * 300 * at / RATE_HZ)
        for at in range(64)
    ]

    dc_offset.taken_off(Block(0.016, RATE_HZ, (blow,)))

    assert abs(dc_offset.levels[0]) < 1 / 512


def test_a_blow_in_the_first_block_is_not_taken_for_the_level() -> None:
    dc_offset = DcOffset()

    level = dc_offset.taken_off(Block(0.0, RATE_HZ, ([0.1] * 40 + [0.9] * 4 + [0.1] * 20,)))

    assert level.channels[0][0] == pytest.approx(0, abs=0.001)
