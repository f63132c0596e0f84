"""The analog converter read call by call: what gpiozero offers everywhere, and slower."""

import time
from collections.abc import Callable
from typing import Any

from kloplei.devices.adc import Chip
from kloplei.devices.converter import LESS_TO_READ, Burst
from kloplei.devices.sources import BLOCK_S

BUSY_SHARE = 0.5  # of one core at most
TRIAL_ROUNDS = 20
CAUGHT_UP = 4  # rounds that came late are read at once; more would be squeezed together


class CallConverter:
    """Reads each conversion in a call of its own.

    It tries how long a round takes, and reads no more of them than `BUSY_SHARE` allows.

    Args:
        spi: gpiozero's device; closed with this.
        chip: Of which kind.
        requests: What to send for each channel.
        rate_hz: Wanted rounds a second.
        clock: The time in seconds (tests).
        sleep: Waits so many seconds (tests).
        remedy: What makes it faster.
    """

    def __init__(
        self,
        spi: Any,
        chip: Chip,
        requests: list[bytes],
        rate_hz: float,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        remedy: str = LESS_TO_READ,
    ) -> None:
        self._spi = spi
        self._chip = chip
        self._requests = [list(request) for request in requests]
        self._clock = clock
        self._sleep = sleep
        self._round_s = self._try()
        self.rate_hz = min(rate_hz, BUSY_SHARE / self._round_s)
        self._due_s = 0.0
        self.remedy = remedy

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
        self._due_s = max(self._due_s, now_s - CAUGHT_UP / self.rate_hz) + 1 / self.rate_hz
        return now_s

    def _try(self) -> float:
        start_s = self._clock()
        for _ in range(TRIAL_ROUNDS):
            self._round()
        return max(1e-6, (self._clock() - start_s) / TRIAL_ROUNDS)
