"""What the converters MCP3008 and MCP3208 want to hear and what they answer, bit by bit."""

from dataclasses import dataclass

ANSWER_BYTES = 3  # one conversion: 17 or 19 clocks, sent as whole bytes
LOWEST = -1.0  # the sample of code 0


@dataclass(frozen=True, slots=True)
class Chip:
    """A converter of eight channels; one conversion is one turn of its chip select.

    Sources: Microchip DS21295 (MCP3008) and DS21298 (MCP3208), both § 5 and 6.1. The answer
    is aligned to the last bit, as they show for a microcontroller that sends whole bytes.
    """

    bits: int
    fastest_hz: int  # clock at 2.7 V; at 3.3 V both stand a little more

    def request(self, channel: int) -> bytes:
        """Return what to send for one conversion of *channel*, measured against ground."""
        # Start bit, single-ended bit, three bits of channel; then clocks for the answer.
        return ((0b11000 | channel) << (self.bits + 2)).to_bytes(ANSWER_BYTES)

    def codes(self, answers: bytes, channels: int) -> tuple[list[int], ...]:
        """Return the codes in *answers*, conversions in rounds of so many *channels*, by channel.

        Raises:
            NobodyAnswers: The chip did not pull the wire to 0 before its answer.
        """
        high, low = answers[1::ANSWER_BYTES], answers[2::ANSWER_BYTES]  # the first byte is void
        null_bit = 1 << (self.bits - 8)
        if any(byte & null_bit for byte in high):
            raise NobodyAnswers
        mask = null_bit - 1
        return tuple(
            [
                (top & mask) << 8 | rest
                for top, rest in zip(high[at::channels], low[at::channels], strict=True)
            ]
            for at in range(channels)
        )

    def samples(self, codes: list[int]) -> list[float]:
        """Return *codes* with the middle as 0 and full scale -1 to 1."""
        middle = 1 << (self.bits - 1)
        scale = 1 / middle
        return [(code - middle) * scale for code in codes]


class NobodyAnswers(OSError):
    """The bit that is always 0 came as 1: no converter drives the wire MISO."""


CHIPS = {
    "mcp3008": Chip(bits=10, fastest_hz=1_350_000),
    "mcp3208": Chip(bits=12, fastest_hz=1_000_000),
}
