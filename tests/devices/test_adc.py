"""The converters' protocol, against their data sheets and gpiozero's own reading of it."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest
from gpiozero import MCP3008, MCP3208
from gpiozero.pins.mock import MockFactory

from kloplei.devices.adc import CHIPS, Chip, NobodyAnswers
from tests.devices.chips import WiredChip

MCP3008_CHIP, MCP3208_CHIP = CHIPS["mcp3008"], CHIPS["mcp3208"]


@pytest.mark.parametrize(
    ("chip", "channel", "sent"),
    [
        pytest.param(MCP3008_CHIP, 0, 0b00000001_10000000_00000000, id="DS21295 figure 6-1"),
        pytest.param(MCP3008_CHIP, 5, 0b00000001_11010000_00000000, id="DS21295, channel 5"),
        pytest.param(MCP3208_CHIP, 0, 0b00000110_00000000_00000000, id="DS21298 figure 6-1"),
        pytest.param(MCP3208_CHIP, 7, 0b00000111_11000000_00000000, id="DS21298, channel 7"),
    ],
)
def test_a_request_is_that_of_the_data_sheet(chip: Chip, channel: int, sent: int) -> None:
    assert int.from_bytes(chip.request(channel)) == sent


@pytest.mark.parametrize(
    ("chip", "device", "step"),
    [(MCP3008_CHIP, MCP3008, 17), (MCP3208_CHIP, MCP3208, 127)],
    ids=["3008", "3208"],
)
def test_every_code_of_every_channel_is_read_as_gpiozero_reads_it(
    wired_pins: MockFactory, chip: Chip, device: type[MCP3008], step: int
) -> None:
    """On the wires, bit by bit; in steps that meet every bit of every code."""
    factory, code = wired_pins, 0
    WiredChip(factory, lambda channel: (code + channel) % 2**chip.bits, chip)
    theirs = [device(channel, port=0, device=0, pin_factory=factory) for channel in range(8)]
    spi = theirs[0]._spi

    for code in range(0, 2**chip.bits, step):
        answers = b"".join(bytes(spi.transfer(list(chip.request(at)))) for at in range(8))
        ours = chip.codes(answers, 8)

        assert [codes for (codes,) in ours] == [one.raw_value for one in theirs]
        assert [codes for (codes,) in ours] == [(code + at) % 2**chip.bits for at in range(8)]
    for one in theirs:
        one.close()


def test_codes_come_by_channel_in_the_order_they_were_read() -> None:
    answers = bytes([255, 0, 1, 255, 1, 2, 255, 3, 255, 255, 0b11111000, 7])

    assert MCP3008_CHIP.codes(answers, 2) == ([1, 1023], [258, 7])


@pytest.mark.parametrize("chip", [MCP3008_CHIP, MCP3208_CHIP])
def test_a_wire_that_nobody_drives_is_no_code_of_1023(chip: Chip) -> None:
    """MISO floats high where no chip is: the bit that must be 0 is 1."""
    with pytest.raises(NobodyAnswers):
        chip.codes(b"\xff\xff\xff", 1)


@pytest.mark.parametrize("chip", [MCP3008_CHIP, MCP3208_CHIP])
def test_samples_run_from_minus_one_to_one_around_the_middle(chip: Chip) -> None:
    middle = 2 ** (chip.bits - 1)

    assert chip.samples([0, middle, 2 * middle - 1]) == [-1.0, 0.0, 1 - 1 / middle]


def steps(work: Callable[[], object]) -> int:
    """Return how many steps of Python *work* takes; what is done in C is none."""
    count = 0

    def trace(frame: FrameType, event: str, arg: Any) -> Callable[..., Any]:
        nonlocal count
        frame.f_trace_opcodes = True
        count += event == "opcode" and arg is None
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("chip", [MCP3008_CHIP, MCP3208_CHIP])
def test_many_rounds_take_no_more_steps_of_python_than_one(chip: Chip) -> None:
    """It goes on day and night: 16,000 conversions a second."""
    one_round = bytes([0xFF, 1, 2] * 4)
    many_rounds = one_round * 64

    def read(answers: bytes) -> list[list[float]]:
        return [chip.samples(codes) for codes in chip.codes(answers, 4)]

    read(one_round)
    assert steps(lambda: read(many_rounds)) == steps(lambda: read(one_round))
