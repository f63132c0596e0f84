"""The analog converter on SPI0: an MCP3008 or MCP3208, and how its channels are read in rounds.

Wiring: `open_converter`. A chip is asked and answers bit by bit as `Chip` says, its data sheet in
code. Out come bursts: codes as samples from -1 to 1, by channel, with the time of their first and
last. The kernel reads many conversions in one system call (`MessageConverter`); where it cannot be
asked, gpiozero reads each in a call of its own, slower (`CallConverter`). What either costs a Pi,
and why no other message costs less, is in docs/sensors.md; tests/devices/spi_driver.py reckons it.

A converter begins anew only when its chip select goes up and down again. The `transfer` of
gpiozero keeps it down to the end of the list (spidev's `xfer2`, lgpio's `spi_xfer`), and no
method of either library lets it go in between, so there one call is one conversion. The kernel
itself can: in a message of several transfers `cs_change` asks for a new select after each.
Linux: include/uapi/linux/spi/spidev.h.
"""

import ctypes
import errno
import os
import time
import warnings
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from struct import unpack
from typing import Any, ClassVar, Protocol

from gpiozero import Factory, SPISoftwareFallback
from gpiozero.pins.local import LocalPiFactory
from gpiozero.pins.spi import SPISoftware

from kloplei.config.settings import SLOW_HZ, AdcConfig
from kloplei.files import KlopleiError
from kloplei.frozen import dataclass
from kloplei.knock.signal import Block

ANSWER_BYTES = 3  # one conversion: 17 or 19 clocks, sent as whole bytes
LOWEST = -1.0  # the sample of code 0


@dataclass(frozen=True, slots=True)
class Chip:
    """A converter of eight channels; one conversion is one turn of its chip select.

    Sources: Microchip DS21295 (MCP3008) and DS21298 (MCP3208), both § 5 and 6.1. The answer
    is aligned to the last bit, as they show for a microcontroller that sends whole bytes.
    """

    bits: int
    fastest_hz: int  # clock at the 3.2 V of 3V3A; both stand more at 5 V, and less at 2.7

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
        with_null_bit, upper_bits = _high_bytes(null_bit)
        if len(high.translate(None, with_null_bit)) < len(high):
            raise NobodyAnswers
        answered = bytearray(2 * len(high))
        answered[::2], answered[1::2] = high.translate(upper_bits), low
        codes = unpack(f">{len(high)}H", answered)
        return tuple(list(codes[at::channels]) for at in range(channels))

    def samples(self, codes: list[int]) -> list[float]:
        """Return *codes* with the middle as 0 and full scale -1 to 1."""
        return list(map(_levels(self.bits).__getitem__, codes))


@cache
def _high_bytes(null_bit: int) -> tuple[bytes, bytes]:
    """Return the bytes in which *null_bit* is 1, and what of every byte belongs to a code."""
    every = range(256)
    return bytes(one for one in every if one & null_bit), bytes(one % null_bit for one in every)


@cache
def _levels(bits: int) -> tuple[float, ...]:
    """Return the sample of each code."""
    middle = 1 << (bits - 1)
    return tuple((code - middle) / middle for code in range(2 * middle))


class PulledOut(KlopleiError, OSError):
    """What is plugged in and out by people is not there; the message says what to do."""


class NobodyAnswers(OSError):
    """The bit that is always 0 came as 1: no converter drives the wire MISO."""


CHIPS = {
    "mcp3008": Chip(bits=10, fastest_hz=1_350_000),
    # 1 MHz at 2.7 V, 2 MHz at 5 V, and in proportion between: with 1 MHz eight channels would be
    # read so slowly, after the 10 us that the kernel leaves between transfers, that the ears
    # would have to judge by half their rate. Asked for 1.2 MHz a Pi sends a little slower, and
    # then every transfer waits for an interrupt (`SLEEPS_UP_TO_HZ`).
    "mcp3208": Chip(bits=12, fastest_hz=1_217_000),
}
"""By their names in the settings. Either may stand where the other is named: asked as an MCP3008,
an MCP3208 gives its upper ten bits, and an MCP3008 asked as an MCP3208 its ten and two of chance.
"""


MOST_TRANSFERS = 511  # the size of a message has 14 bits, and a transfer takes 32 bytes of it
CLOCKS_A_BYTE = 9  # the SPI of a Pi rests one clock after each byte
CONVERSION_CLOCKS = CLOCKS_A_BYTE * ANSWER_BYTES
_MESSAGE_OF = 0x40006B00  # _IOW('k', 0, ...); the size goes into bits 16 to 29


class Transfer(ctypes.Structure):
    """The kernel's ``struct spi_ioc_transfer``."""

    _fields_: ClassVar = [
        ("tx_buf", ctypes.c_uint64),
        ("rx_buf", ctypes.c_uint64),
        ("len", ctypes.c_uint32),
        ("speed_hz", ctypes.c_uint32),
        ("delay_usecs", ctypes.c_uint16),
        ("bits_per_word", ctypes.c_uint8),
        ("cs_change", ctypes.c_uint8),
        ("tx_nbits", ctypes.c_uint8),
        ("rx_nbits", ctypes.c_uint8),
        ("word_delay_usecs", ctypes.c_uint8),
        ("pad", ctypes.c_uint8),
    ]


Ioctl = Callable[[int, int, "ctypes.Array[Transfer]"], None]


def kernel_ioctl() -> Ioctl:
    """Return the system call, which lets other threads run meanwhile.

    `fcntl.ioctl` does not, for a message of more than a kilobyte: a box would stand still for
    as long as a message takes.
    """
    libc = ctypes.CDLL(None, use_errno=True)

    def ioctl(file: int, request: int, message: "ctypes.Array[Transfer]") -> None:
        if libc.ioctl(file, ctypes.c_ulong(request), ctypes.byref(message)) < 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))

    return ioctl


class SpiMessages:
    """Sends a list of requests over and over through one SPI device of the kernel.

    The kernel takes as many transfers at once as its buffer holds (4096 bytes unless
    ``spidev.bufsiz`` says more), each rounded up to what memory wants: 32 of three bytes on a
    64-bit Pi. How many that is only trying tells.

    Args:
        path: The device, such as ``/dev/spidev0.0``.
        requests: What to send in one round, of equal length.
        most_rounds: How many rounds are wanted in one message.
        ioctl: The system call (tests).

    Raises:
        OSError: There is no such device, or it may not be opened.
    """

    def __init__(
        self,
        path: Path,
        requests: Sequence[bytes],
        most_rounds: int,
        ioctl: Ioctl | None = None,
    ) -> None:
        self._ioctl = ioctl or kernel_ioctl()
        self._file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        self._requests = tuple(requests)
        self.rounds = max(1, min(most_rounds, MOST_TRANSFERS // len(requests)))
        """How many rounds go into one message."""
        self._message = _Message(self._requests, self.rounds)

    def close(self) -> None:
        """Close the device; may be called twice."""
        if self._file >= 0:
            os.close(self._file)
        self._file = -1

    def send(self, clock_hz: int, rest_us: int = 0) -> bytes:
        """Send `rounds` rounds at *clock_hz*, resting after each, and return all that was answered.

        `rounds` becomes less when the kernel does not take so many at once.

        Raises:
            OSError: The kernel or the bus refuses.
        """
        # No call tells the size of the kernel's buffer: what is too long is refused as a whole, and
        # half of it is tried.
        while True:
            try:
                return self._message.sent(self._ioctl, self._file, clock_hz, rest_us)
            except OSError as error:
                if error.errno != errno.EMSGSIZE or self.rounds == 1:
                    raise
                self.rounds = (self.rounds + 1) // 2
                self._message = _Message(self._requests, self.rounds)


class _Message:
    """The transfers of so many rounds and the memory that they point to, made once."""

    def __init__(self, requests: Sequence[bytes], rounds: int) -> None:
        sent, length = b"".join(requests) * rounds, len(requests[0])
        self._sent = (ctypes.c_uint8 * len(sent)).from_buffer_copy(sent)
        self._answered = (ctypes.c_uint8 * len(sent))()
        self._transfers = (Transfer * (len(requests) * rounds))()
        self._ends = self._transfers[len(requests) - 1 :: len(requests)]
        self._pace = (0, 0)
        for at, transfer in enumerate(self._transfers):
            transfer.tx_buf = ctypes.addressof(self._sent) + at * length
            transfer.rx_buf = ctypes.addressof(self._answered) + at * length
            transfer.len = length
            transfer.bits_per_word = 8
            transfer.cs_change = 1
        # On the last one it means the opposite: keep the chip selected.
        self._transfers[-1].cs_change = 0

    def sent(self, ioctl: Ioctl, file: int, clock_hz: int, rest_us: int) -> bytes:
        """Send the message through *file* and return the answers."""
        if (clock_hz, rest_us) != self._pace:
            self._pace = (clock_hz, rest_us)
            for transfer in self._transfers:
                transfer.speed_hz = clock_hz
            for transfer in self._ends:
                transfer.delay_usecs = rest_us
        ioctl(file, _MESSAGE_OF | ctypes.sizeof(self._transfers) << 16, self._transfers)
        return bytes(self._answered)


SLEEPS_UP_TO_HZ = 1_199_999
"""Up to here who reads sleeps while a Pi sends the three bytes of a conversion.

Faster ones would be through in 30 us, and spi-bcm2835 polls them instead: quicker from one to the
next, for no thread has to be woken, but with a core at full speed all the time.
"""
POLLS_FROM_HZ = 1_215_000  # rounded down to an even divisor of any Pi's core clock
SLEEPS_FOR = 0.9  # of the wanted rate: the ears judge it alike, and no core is kept for it
SHORTEST_REST_US = 11  # up to 10 the kernel waits busily
NEAR = 0.97  # of the wanted rate is as good as it
SLOWEST_CLOCK_HZ = 100_000  # the chips forget a sample that is clocked out in over a millisecond
GUESSED_PAUSE_S = 10e-6  # what the kernel does between two transfers, until it was measured

LESS_TO_READ = "less-to-read"
"""What makes a converter faster; ``words/`` holds ``remedy.<remedy>``."""


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

    @property
    def drift_ppm(self) -> float | None:
        """By how many millionths its own clock runs fast, None where it has none or nobody knows.

        Measured against the monotonic clock, by which all else is told.
        """
        ...

    def own_hz(self) -> float | None:
        """Return at what rate its own clock reads rounds; None where whoever asks sets the pace.

        Raises:
            PulledOut: It is not there; the message says what to do.
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
    sleeps in the kernel meanwhile. Where that is too slow for the wanted rate, they follow each
    other polled and as fast as the chip may, and the thread sleeps after each round.

    Args:
        spi: gpiozero's device, which holds the pins; closed with this.
        messages: The kernel's device; closed with this.
        chip: Of which kind.
        channels: How many are read in one round.
        rate_hz: Wanted rounds a second.
        clock: The time in seconds (tests).
    """

    remedy = LESS_TO_READ
    drift_ppm = None  # we ask for each message, and there is no clock but ours

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
        self._polls = False
        self._sleeps_hz = min(chip.fastest_hz, SLEEPS_UP_TO_HZ)
        self.rest_us = 0
        """How long the bus rests after each round."""
        self.clock_hz = clock_for(rate_hz * channels, GUESSED_PAUSE_S, self._sleeps_hz)

    @property
    def skew_s(self) -> float:
        """How much later than its neighbour a channel is read."""
        return (1 / self._rate_hz - self.rest_us * 1e-6) / self._channels

    def burst(self) -> Burst:
        """Read one message full."""
        start_s = self._clock()
        answers = self._messages.send(self.clock_hz, self.rest_us)
        end_s = self._clock()
        codes = self._chip.codes(answers, self._channels)
        return Burst(start_s, end_s, tuple(map(self._chip.samples, codes)))

    def own_hz(self) -> float | None:
        """Return None: it is read as fast as it is asked."""
        return None

    def tune(self, reached_hz: float) -> None:
        """Choose the clock anew, now that *reached_hz* tells the time between transfers."""
        read_s = 1 / reached_hz - self.rest_us * 1e-6
        pause_s = max(0.0, read_s / self._channels - CONVERSION_CLOCKS / self.clock_hz)
        wanted = self._rate_hz * self._channels
        if self._polls:
            self._tune_polled(pause_s)
        elif CONVERSION_CLOCKS / self._sleeps_hz + pause_s <= 1 / (SLEEPS_FOR * wanted):
            self.clock_hz = clock_for(wanted, pause_s, self._sleeps_hz)
        else:
            # And never back: what a transfer takes asleep is known, and that it is too long.
            self._polls = True
            self.clock_hz = self._chip.fastest_hz

    def _tune_polled(self, pause_s: float) -> None:
        """Rest after each round as long as there is time, or let the bits take it."""
        fastest_hz, wanted = self._chip.fastest_hz, self._rate_hz * self._channels
        round_s = self._channels * (CONVERSION_CLOCKS / fastest_hz + pause_s)
        rest_us = round(1e6 * (1 / self._rate_hz - round_s))
        self.rest_us = rest_us if rest_us >= SHORTEST_REST_US else 0
        slowest_hz = min(fastest_hz, POLLS_FROM_HZ)
        spread_hz = max(slowest_hz, clock_for(wanted, pause_s, fastest_hz))
        self.clock_hz = fastest_hz if self.rest_us else spread_hz

    def close(self) -> None:
        """Close the kernel's device and let go of the pins."""
        self._messages.close()
        self._spi.close()


def clock_for(conversions_hz: float, pause_s: float, fastest_hz: int) -> int:
    """Return the clock at which so many conversions a second leave *pause_s* between them."""
    spare_s = 1 / conversions_hz - pause_s
    if spare_s <= 0:
        return fastest_hz
    clock_hz = round(CONVERSION_CLOCKS / spare_s)
    return max(SLOWEST_CLOCK_HZ, min(fastest_hz, clock_hz))


TakeBlock = Callable[[Block], None]

BLOCK_S = 0.016  # long enough to be cheap, short against the 50 ms that a judgement takes


class BlockSource(Protocol):
    """Something that has piezos: it hands in what they give, block after block.

    Samples run from -1 to 1 and may rest anywhere between; blocks come in the order of their
    time, from one thread, and mostly end where the next one starts. Time that nobody sampled
    is a gap between two blocks, never made up.
    """

    @property
    def channels(self) -> int:
        """How many channels each block has."""
        ...

    def start(self, take: TakeBlock) -> None:
        """Begin to hand blocks to *take*, which lasts no longer than a block does."""
        ...

    def close(self) -> None:
        """Hand in nothing more, and let go of what is held; may be called twice."""
        ...


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

    drift_ppm = None

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

    def own_hz(self) -> float | None:
        """Return None: it is read as fast as it is asked."""
        return None

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


_OTHER_FACTORY = "other-factory"


def open_converter(config: AdcConfig, channels: tuple[int, ...], pin_factory: Factory) -> Converter:
    """Return the converter of *config*, whose pins `pin_factory` reserves.

    Wiring: VDD and VREF to 3V3, AGND and DGND to GND, CLK to GPIO 11, DOUT to GPIO 9, DIN to
    GPIO 10, CS to GPIO 8 (CE0) or 7 (CE1).

    Raises:
        gpiozero.GPIOPinInUse: Another device holds one of the pins; the message names it.
        OSError: The kernel's SPI device is not to be had.
    """
    chip, rate_hz = CHIPS[config.chip], config.rate_hz or SLOW_HZ
    device = Path(f"/dev/spidev0.{config.chip_select}")
    with warnings.catch_warnings():
        # Software SPI is no accident to warn of: it is slow, and that is measured and told.
        warnings.simplefilter("ignore", SPISoftwareFallback)
        spi = pin_factory.spi(port=0, device=config.chip_select)
    requests = [chip.request(channel) for channel in channels]
    if isinstance(spi, SPISoftware):
        return CallConverter(spi, chip, requests, rate_hz, remedy=_why_no_spi(device))
    if not isinstance(pin_factory, LocalPiFactory):
        return CallConverter(spi, chip, requests, rate_hz, remedy=_OTHER_FACTORY)
    try:
        messages = SpiMessages(device, requests, round(rate_hz * BLOCK_S))
    except OSError:
        spi.close()
        raise
    return MessageConverter(spi, messages, chip, len(channels), rate_hz)


def _why_no_spi(device: Path) -> str:
    """Return what to do where gpiozero had to play SPI in software."""
    if not device.exists():
        return "switch-spi-on"
    if not os.access(device, os.R_OK | os.W_OK):
        return "group-spi"
    return _OTHER_FACTORY
