"""The analog converter on SPI0: reads all its piezos in rounds, as fast as is wanted."""

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from gpiozero import Factory, SPISoftwareFallback
from gpiozero.pins.local import LocalPiFactory
from gpiozero.pins.spi import SPISoftware

from kloplei.config import AdcConfig
from kloplei.devices.adc import ANSWER_BYTES, CHIPS, Chip
from kloplei.devices.sources import BLOCK_S
from kloplei.devices.spi_message import CLOCKS_A_BYTE, SpiMessages

SLOWEST_CLOCK_HZ = 100_000  # the chips forget a sample that is clocked out in over a millisecond
GUESSED_PAUSE_S = 10e-6  # what the kernel does between two transfers, until it was measured
BUSY_SHARE = 0.5  # of one core at most, where each conversion is a call of its own
TRIAL_ROUNDS = 20


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


def open_converter(
    config: AdcConfig, channels: tuple[int, ...], pin_factory: Factory
) -> "Converter":
    """Return the converter of *config*, whose pins `pin_factory` reserves.

    Wiring: VDD and VREF to 3V3, AGND and DGND to GND, CLK to GPIO 11, DOUT to GPIO 9, DIN to
    GPIO 10, CS to GPIO 8 (CE0) or 7 (CE1).

    Raises:
        gpiozero.GPIOPinInUse: Another device holds one of the pins; the message names it.
        OSError: The kernel's SPI device is not to be had.
    """
    chip = CHIPS[config.chip]
    with warnings.catch_warnings():
        # Software SPI is no accident to warn of: it is slow, and that is measured and told.
        warnings.simplefilter("ignore", SPISoftwareFallback)
        spi = pin_factory.spi(port=0, device=config.chip_select)
    requests = [chip.request(channel) for channel in channels]
    if not isinstance(pin_factory, LocalPiFactory) or isinstance(spi, SPISoftware):
        return CallConverter(spi, chip, requests, config.rate_hz)
    try:
        messages = SpiMessages(
            Path(f"/dev/spidev0.{config.chip_select}"), requests, round(config.rate_hz * BLOCK_S)
        )
    except OSError:
        spi.close()
        raise
    return MessageConverter(spi, messages, chip, len(channels), config.rate_hz)


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


class CallConverter:
    """Reads each conversion in a call of its own: what gpiozero offers everywhere.

    It tries how long a round takes, and reads no more of them than `BUSY_SHARE` allows.

    Args:
        spi: gpiozero's device; closed with this.
        chip: Of which kind.
        requests: What to send for each channel.
        rate_hz: Wanted rounds a second.
        clock: The time in seconds (tests).
        sleep: Waits so many seconds (tests).
    """

    def __init__(
        self,
        spi: Any,
        chip: Chip,
        requests: list[bytes],
        rate_hz: float,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._spi = spi
        self._chip = chip
        self._requests = [list(request) for request in requests]
        self._clock = clock
        self._sleep = sleep
        self._round_s = self._try()
        self.rate_hz = min(rate_hz, BUSY_SHARE / self._round_s)
        self._due_s = 0.0

    @property
    def skew_s(self) -> float:
        """How much later than its neighbour a channel is read."""
        return self._round_s / len(self._requests)

    def burst(self) -> Burst:
        """Read a block full, a round each time that one is due."""
        answers = bytearray()
        start_s = self._wait()
        for at in range(max(1, round(self.rate_hz * BLOCK_S))):
            if at:
                self._wait()
            answers += self._round()
        codes = self._chip.codes(bytes(answers), len(self._requests))
        return Burst(start_s, self._clock(), tuple(map(self._chip.samples, codes)))

    def tune(self, reached_hz: float) -> None:
        """Do nothing: the pace was set at the start."""

    def close(self) -> None:
        """Let go of the pins."""
        self._spi.close()

    def _round(self) -> bytes:
        return b"".join(bytes(self._spi.transfer(request)) for request in self._requests)

    def _wait(self) -> float:
        """Sleep until the next round is due, and return when it is; what is late is let be."""
        now_s = self._clock()
        if now_s < self._due_s:
            self._sleep(self._due_s - now_s)
            now_s = self._clock()
        self._due_s = max(self._due_s, now_s - BLOCK_S) + 1 / self.rate_hz
        return now_s

    def _try(self) -> float:
        start_s = self._clock()
        for _ in range(TRIAL_ROUNDS):
            self._round()
        return max(1e-6, (self._clock() - start_s) / TRIAL_ROUNDS)
