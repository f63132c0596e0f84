"""What the SPI of a Pi costs: its driver and the kernel's SPI core, reckoned transfer by transfer.

Sources: drivers/spi/spi-bcm2835.c and drivers/spi/spi.c of Linux 6.6. A transfer is polled, with
a core at full speed, if it has fewer bytes than ``polling_limit_us`` (30) lets through at its
clock, nine clocks a byte and rounded down; else the caller sleeps until an interrupt. Between two
transfers with ``cs_change`` the core waits 10 us, busily, and spidev cannot ask for less; a
``delay_usecs`` of up to 10 is waited for busily as well, a longer one asleep. DMA begins at 96
bytes, and no transfer of ours is that long: a converter begins anew with its chip select alone.
"""

import ctypes
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from kloplei.devices.adc import NEAR, Chip, MessageConverter, SpiMessages, Transfer, clock_for
from kloplei.devices.sampling import TRIALS
from tests.devices.chips import KernelChip

DEVICE = Path("/dev/null")
CORE_CLOCK_HZ = 250_000_000  # the divisor is even
POLLING_LIMIT_US = 30
DESELECTED_S = 10e-6
BUSY_UP_TO_US = 10


@dataclass(frozen=True)
class PiCosts:
    """What a Pi does about a transfer, in seconds: of which the core works, and others may not.

    *around* is the SPI core itself. With an interrupt, *handled* is the handler and the change of
    thread, *woken* all the time until the caller runs again.
    """

    around: float
    handled: float
    woken: float


# Measured by the driver's author on a Pi 2 (github.com/msperl/spi-bcm2835, issue 11): 4 to 5 us
# until the handler runs, 4 to 8 in it, 19 to 25 until the thread does. What is around it, and how
# much of the waking keeps a core, are estimates.
PI_2 = PiCosts(around=3e-6, handled=15.5e-6, woken=32.5e-6)
# Estimates: half of it on the faster cores of a Pi 3 or 4.
PI_4 = PiCosts(around=1.5e-6, handled=8e-6, woken=16e-6)


class BcmDriver(KernelChip):
    """A chip behind spi-bcm2835, whose time passes in transfers.

    *polled_s* is how long a core did nothing but look whether the bits are through, *busy_s* how
    long one could do nothing else, polling included.
    """

    def __init__(self, pi: PiCosts, chip: Chip) -> None:
        super().__init__(lambda channel: 512, chip)
        self._pi = pi
        self.now_s = 0.0
        self.polled_s = self.busy_s = 0.0

    def clock_s(self) -> float:
        return self.now_s

    def __call__(self, file: int, request: int, message: "ctypes.Array[Transfer]") -> None:
        super().__call__(file, request, message)
        for transfer in message:
            self._spend(transfer)

    def _spend(self, transfer: Transfer) -> None:
        divisor = -(-CORE_CLOCK_HZ // transfer.speed_hz)
        clock_hz = CORE_CLOCK_HZ / (divisor + divisor % 2)
        bits_s = 9 * transfer.len / clock_hz
        if transfer.len < clock_hz // (9_000_000 // POLLING_LIMIT_US):
            self.polled_s += bits_s
            self._pass(bits_s, busy_s=bits_s)
        else:
            self._pass(bits_s + self._pi.woken, busy_s=self._pi.handled)
        self._pass(self._pi.around, busy_s=self._pi.around)
        self._pass(DESELECTED_S, busy_s=DESELECTED_S)
        rest_s = transfer.delay_usecs * 1e-6
        if transfer.delay_usecs > BUSY_UP_TO_US:
            self._pass(rest_s * 1.05 + self._pi.woken / 2, busy_s=self._pi.handled)
        else:
            self._pass(rest_s, busy_s=rest_s)

    def _pass(self, for_s: float, busy_s: float) -> None:
        self.now_s += for_s
        self.busy_s += busy_s


class TunedAsBefore(MessageConverter):
    """How the clock was chosen before anybody knew of polling: by the time that is left alone."""

    def __init__(self, *args: object) -> None:
        super().__init__(*args)  # type: ignore[arg-type]
        wanted = self._rate_hz * self._channels
        self.clock_hz = clock_for(wanted, 10e-6, self._chip.fastest_hz)

    def tune(self, reached_hz: float) -> None:
        per_conversion_s = 1 / (reached_hz * self._channels)
        pause_s = max(0.0, per_conversion_s - 27 / self.clock_hz)
        wanted = self._rate_hz * self._channels
        self.clock_hz = clock_for(wanted, pause_s, self._chip.fastest_hz)


@dataclass(frozen=True)
class SpiCost:
    """What came of it: rounds a second, and the shares of one core."""

    reached_hz: float
    polled: float
    busy: float


def cost(
    pi: PiCosts,
    chip: Chip,
    channels: int,
    kind: type[MessageConverter] = MessageConverter,
    rate_hz: float = 4000.0,
) -> SpiCost:
    """Return what it costs to read so many *channels*, once it has come to its pace."""
    driver = BcmDriver(pi, chip)
    requests = [chip.request(channel) for channel in range(channels)]
    messages = SpiMessages(DEVICE, requests, 64, ioctl=driver)
    with closing(kind(_Bus(), messages, chip, channels, rate_hz, driver.clock_s)) as reader:
        reader.burst()
        for _ in range(TRIALS):
            reached_hz = _reached_hz(reader)
            if abs(reached_hz / rate_hz - 1) < 1 - NEAR:
                break
            reader.tune(reached_hz)
        driver.polled_s, driver.busy_s, began_s = 0.0, 0.0, driver.now_s
        reached_hz = _reached_hz(reader)
    took_s = driver.now_s - began_s
    return SpiCost(reached_hz, driver.polled_s / took_s, driver.busy_s / took_s)


def _reached_hz(reader: MessageConverter) -> float:
    burst = reader.burst()
    return len(burst.channels[0]) / (burst.end_s - burst.start_s)


class _Bus:
    def close(self) -> None:
        pass
