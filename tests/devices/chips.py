"""Converters to test on: at the wires of gpiozero's mock pins, and behind the kernel's message."""

import ctypes
import errno
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gpiozero.pins.mock import MockFactory, MockSPIDevice

from kloplei.devices.adc import CHIPS, LOWEST, Burst, Chip, Transfer

Codes = Callable[[int], int]
"""The code that a channel gives now."""


class WiredChip(MockSPIDevice):
    """A converter as its data sheet draws it, bit by bit on the wires of SPI0.

    It looks for the start bit, samples the channel that follows, pulls the wire low for one
    clock and then shifts the code out. *silent* leaves the wire MISO as high as it floats.
    """

    def __init__(
        self,
        factory: MockFactory,
        codes: Codes,
        chip: Chip = CHIPS["mcp3008"],
        select_pin: int = 8,
    ) -> None:
        super().__init__(11, 10, 9, select_pin, pin_factory=factory)
        self._codes = codes
        self._chip = chip
        self.conversions = 0
        self.silent = False

    def on_start(self) -> None:
        super().on_start()
        self._asked: list[int] | None = None

    def on_bit(self) -> None:
        bit = self.rx_buf[-1]
        if self.silent:
            self.tx_buf = [1]
        elif self._asked is None:
            self._asked = [] if bit else None
        elif len(self._asked) < 4:  # single-ended, three bits of channel
            self._asked.append(int(bit))
            if len(self._asked) == 4:
                self._convert(self._asked)

    def _convert(self, asked: Sequence[int]) -> None:
        assert asked[0] == 1, "measured against ground, not against a neighbour"
        code = self._codes(asked[1] << 2 | asked[2] << 1 | asked[3])
        self.conversions += 1
        self.tx_buf = [1, 0]  # one clock to sample in, then the bit that is always 0
        self.tx_word(code, self._chip.bits)


class KernelChip:
    """What Linux does with a message of transfers to a converter, with the memory they point to.

    Args:
        codes: The code that a channel gives.
        chip: Of which kind.
        buffer_bytes: The kernel's bounce buffer (``spidev.bufsiz``).
        aligned_to: To how many bytes it rounds each transfer up: 128 on a 64-bit Pi.
    """

    def __init__(
        self,
        codes: Codes,
        chip: Chip = CHIPS["mcp3008"],
        buffer_bytes: int = 4096,
        aligned_to: int = 128,
    ) -> None:
        self._codes = codes
        self._chip = chip
        self._buffer_bytes = buffer_bytes
        self._aligned_to = aligned_to
        self._selected = False
        self.messages: list[int] = []  # how many transfers each one had
        self.clocks_hz: list[int] = []
        self.fails_with: int | None = None

    def __call__(self, file: int, request: int, message: "ctypes.Array[Transfer]") -> None:
        assert request == 0x40006B00 | (32 * len(message)) << 16  # SPI_IOC_MESSAGE(n)
        if len(message) * self._aligned_to > self._buffer_bytes:
            raise OSError(errno.EMSGSIZE, "Message too long")
        if self.fails_with is not None:
            raise OSError(self.fails_with, "Input/output error")
        self.messages.append(len(message))
        for at, transfer in enumerate(message):
            self._transfer(transfer)
            last = at == len(message) - 1
            # Linux: between transfers cs_change deselects; after the last it keeps selected.
            self._selected = bool(transfer.cs_change) == last
        assert not self._selected, "the bus is left to others"

    def _transfer(self, transfer: Transfer) -> None:
        self.clocks_hz.append(transfer.speed_hz)
        sent = ctypes.string_at(transfer.tx_buf, transfer.len)
        answer = b"\0" * transfer.len if self._selected else self._answer(sent)
        ctypes.memmove(transfer.rx_buf, answer, transfer.len)

    def _answer(self, sent: bytes) -> bytes:
        bits = int.from_bytes(sent)
        start = bits.bit_length() - 1
        assert bits >> (start - 1) & 1, "measured against ground"
        channel = bits >> (start - 4) & 0b111
        # Start, single-ended, three of channel, one to sample in, then 0 and the code.
        shift = start - 6 - self._chip.bits
        floats = -1 << (start - 5) & (1 << 24) - 1  # what is on the wire before: anything
        return (floats | self._codes(channel) << shift).to_bytes(3)


class PlayedConverter:
    """A converter that gives what it is told to, on a clock of its own, then silence for ever.

    *told* are loudnesses of a burst of 16 ms, a `Pause` before the next one, or an error;
    `LOWEST` is a burst in which nothing moves off code 0. It reads at *reads_hz*, and once it
    was tuned at *tuned_hz*. While it `is_ahead` of who listens it waits: its clock runs faster
    than ours, and a busy machine would miss blocks for no other reason.
    """

    skew_s = 1e-5
    remedy = "only a friend can help"
    drift_ppm = None

    def __init__(
        self,
        *told: "float | Pause | Exception",
        channels: int = 2,
        reads_hz: float = 4000.0,
        tuned_hz: float = 4000.0,
    ) -> None:
        self._told = list(told)
        self._channels = channels
        self._reads_hz = reads_hz
        self._tuned_hz = tuned_hz
        self._nap = threading.Event()
        self.now_s = 1000.0
        self.tuned_to_hz: list[float] = []
        self.closed = 0
        self.is_ahead: Callable[[], bool] = lambda: False

    def burst(self) -> Burst:
        self._nap.wait(0.0005)  # a bus takes its time, too
        while self.is_ahead():
            self._nap.wait(0.0005)
        coming = self._told.pop(0) if self._told else None
        match coming:
            case Exception():
                raise coming
            case Pause(for_s):
                self.now_s += for_s
        start_s, self.now_s = self.now_s, self.now_s + 64 / self._reads_hz
        loudness = coming if isinstance(coming, float) else 0.0
        samples = [loudness + (at % 5) / 500 for at in range(64)]
        if loudness == LOWEST:
            samples = [LOWEST] * 64
        return Burst(start_s, self.now_s, tuple(list(samples) for _ in range(self._channels)))

    def own_hz(self) -> float | None:
        return None

    def tune(self, reached_hz: float) -> None:
        self.tuned_to_hz.append(reached_hz)
        self._reads_hz = self._tuned_hz

    def close(self) -> None:
        self.closed += 1


@dataclass(frozen=True)
class Pause:
    """Time in which a `PlayedConverter` is not read."""

    for_s: float


def eventually(holds: Callable[[], object], within_s: float = 30.0) -> bool:
    """Wait until *holds*, for something that another thread does; whether it did in time."""
    until_s = time.monotonic() + within_s
    while not holds() and time.monotonic() < until_s:
        time.sleep(0.002)
    return bool(holds())
