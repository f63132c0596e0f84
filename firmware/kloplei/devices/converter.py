"""The analog converter on SPI0: the kernel reads all its piezos in rounds, message by message."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from kloplei.devices.adc import ANSWER_BYTES, Chip
from kloplei.devices.spi_message import CLOCKS_A_BYTE, SpiMessages

SLOWEST_CLOCK_HZ = 100_000  # the chips forget a sample that is clocked out in over a millisecond
GUESSED_PAUSE_S = 10e-6  # what the kernel does between two transfers, until it was measured

LESS_TO_READ = "fewer channels or a lower [adc] rate_hz help"


@dataclass(frozen=True, slots=True)
class Burst:
    """Samples read in one go, -1 to 1 and by channel; begun at *start_s*, read at *end_s*."""

    start_s: float
    end_s: float
    channels: tuple[list[float], ...]


class Converter(Protocol):
    """Reads its channels in rounds, burst after burst."""

    @property
    def skew_s(self) -> float:
        """How much later than its neighbour a channel is read."""
        ...

    @property
    def remedy(self) -> str:
        """What makes it faster, should it be too slow: one clause for people."""
        ...

    def burst(self) -> Burst:
        """Read the next burst, sleeping while there is time.

        Raises:
            OSError: The bus refuses, or nobody answers.
        """
        ...

    def tune(self, reached_hz: float) -> None:
        """Come nearer to the wanted rate, now that *reached_hz* was measured."""
        ...

    def close(self) -> None:
        """Let go of the bus and its pins; may be called twice."""
        ...


class MessageConverter:
    """Reads through messages to the kernel; the clock of the bus keeps the time.

    A slow clock spreads the conversions evenly over the time between two, and the thread
    sleeps in the kernel meanwhile.

    Args:
        spi: gpiozero's device, which holds the pins; closed with this.
        messages: The kernel's device; closed with this.
        chip: Of which kind.
        channels: How many are read in one round.
        rate_hz: Wanted rounds a second.
        clock: The time in seconds (tests).
    """

    def __init__(
        self,
        spi: Any,
        messages: SpiMessages,
        chip: Chip,
        channels: int,
        rate_hz: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._spi = spi
        self._messages = messages
        self._chip = chip
        self._channels = channels
        self._rate_hz = rate_hz
        self._clock = clock
        self.clock_hz = clock_for(rate_hz * channels, GUESSED_PAUSE_S, chip.fastest_hz)

    @property
    def skew_s(self) -> float:
        """How much later than its neighbour a channel is read."""
        return 1 / (self._rate_hz * self._channels)

    @property
    def remedy(self) -> str:
        """What makes it faster."""
        return LESS_TO_READ

    def burst(self) -> Burst:
        """Read one message full."""
        start_s = self._clock()
        answers = self._messages.send(self.clock_hz)
        end_s = self._clock()
        codes = self._chip.codes(answers, self._channels)
        return Burst(start_s, end_s, tuple(map(self._chip.samples, codes)))

    def tune(self, reached_hz: float) -> None:
        """Choose the clock anew, now that *reached_hz* tells the time between transfers."""
        per_conversion_s = 1 / (reached_hz * self._channels)
        pause_s = per_conversion_s - CLOCKS_A_BYTE * ANSWER_BYTES / self.clock_hz
        wanted = self._rate_hz * self._channels
        self.clock_hz = clock_for(wanted, max(0.0, pause_s), self._chip.fastest_hz)

    def close(self) -> None:
        """Close the kernel's device and let go of the pins."""
        self._messages.close()
        self._spi.close()


def clock_for(conversions_hz: float, pause_s: float, fastest_hz: int) -> int:
    """Return the clock at which so many conversions a second leave *pause_s* between them."""
    spare_s = 1 / conversions_hz - pause_s
    if spare_s <= 0:
        return fastest_hz
    clock_hz = round(CLOCKS_A_BYTE * ANSWER_BYTES / spare_s)
    return max(SLOWEST_CLOCK_HZ, min(fastest_hz, clock_hz))
