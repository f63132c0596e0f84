"""Recorded blows, as codes on the wires of a mock SPI bus, on their way to a judgement."""

from contextlib import closing
from pathlib import Path

import pytest
from gpiozero.pins.mock import MockFactory

from benchmarks.recordings import first_channel
from kloplei.devices.adc import BLOCK_S, CHIPS, CallConverter
from kloplei.devices.sampling import Stream
from kloplei.knock.detector import Listener
from kloplei.knock.judgement import Judgement, Verdict
from kloplei.knock.signal import DcOffset
from tests.devices.chips import WiredChip

KNUCKLE = Path(__file__).parent.parent / "recordings/real/ts_old_data_knuckle.wav"
FROM_S, FOR_S = 0.7, 0.6
KNOCKS_S = (0.8206, 1.1595)  # of labels.json, within that time
RATE_HZ = 4000.0
CONVERSION_S = 20e-6


class Disc:
    """The recorded disc on a converter, and the time that its conversions take."""

    def __init__(self, samples: list[float], rate_hz: int, bits: int) -> None:
        self._samples = samples
        self._rate_hz = rate_hz
        self._steps = 1 << bits - 1
        self.now_s = FROM_S

    def code(self, channel: int) -> int:
        """What the converter reads now, and it takes its time."""
        self.now_s += CONVERSION_S
        at = self.now_s * self._rate_hz
        before, after = self._samples[int(at) : int(at) + 2]
        level = before + (after - before) * (at % 1)
        return max(0, min(2 * self._steps - 1, self._steps + round(level * self._steps)))

    def sleep(self, for_s: float) -> None:
        self.now_s += for_s


@pytest.mark.parametrize("chip", ["mcp3008", "mcp3208"])
def test_recorded_knocks_are_heard_when_they_were(wired_pins: MockFactory, chip: str) -> None:
    bits = CHIPS[chip].bits
    disc = Disc(*first_channel(KNUCKLE), bits)
    WiredChip(wired_pins, disc.code, CHIPS[chip])
    bus = wired_pins.spi(port=0, device=0)
    reader = CallConverter(
        bus, CHIPS[chip], [CHIPS[chip].request(0)], RATE_HZ, lambda: disc.now_s, disc.sleep
    )
    stream, bias, listener = Stream(1, RATE_HZ), DcOffset(), Listener()

    with closing(reader):
        found = [
            finding
            for _ in range(round(FOR_S / BLOCK_S))
            for block in stream.add(reader.burst(), reader.skew_s)
            for finding in listener.feed(bias.taken_off(block))
            if isinstance(finding, Judgement)
        ]

    assert [one.verdict for one in found] == [Verdict.KNOCK, Verdict.KNOCK]
    assert [one.at_s for one in found] == pytest.approx(KNOCKS_S, abs=0.003)
