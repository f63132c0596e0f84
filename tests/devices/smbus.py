"""A fake I2C bus with an OLED on it: counts the bytes on its wire, and breaks off where it is told.

Opened by number, as on a Pi, luma sends up to 4 kB in one message (`i2c_rdwr`); handed over as
``bus=``, blocks of 32 bytes.
"""

import errno
from collections.abc import Iterable

from tests.devices.oled_chips import CHIPS, I2cWire

_BITS_A_BYTE = 9  # with its acknowledgement


class OledBus:
    """Stands in for smbus2's `SMBus`; remembers what was sent, and can go deaf.

    ``memory`` is the chip's, page by page, in an SH1106 132 columns wide.
    """

    def __init__(self, address: int = 0x3C, driver: str = "ssd1306") -> None:
        self.address = address
        self._driver = driver
        self.plugged = True
        self.error = errno.EREMOTEIO
        self.fails_after: int | None = None  # so many more transfers get through
        self.breaks: list[int] = []  # after so many more bytes a transfer breaks off, then again
        self.transfers: list[tuple[int, bytes]] = []
        self.sent_bytes = 0
        self.pull_the_plug()

    def pull_the_plug(self) -> None:
        """Let the chip forget all it has been told."""
        self.chip = CHIPS[self._driver]()
        self._wire = I2cWire(self.chip)

    @property
    def memory(self) -> list[bytearray]:
        return self.chip.memory

    @property
    def commands(self) -> list[bytes]:
        return [values for register, values in self.transfers if register == 0x00]

    @property
    def picture_bytes(self) -> int:
        return sum(len(values) for register, values in self.transfers if register == 0x40)

    def seconds(self, hertz: int) -> float:
        """Return how long all that was sent takes on a bus of *hertz*."""
        return self.sent_bytes * _BITS_A_BYTE / hertz

    def write_i2c_block_data(self, address: int, register: int, values: list[int]) -> None:
        assert len(values) <= 32, "an SMBus block holds 32 bytes"
        self._transfer(address, [register, *values])

    def i2c_rdwr(self, *messages: Iterable[int]) -> None:
        for message in messages:
            self._transfer(getattr(message, "addr", self.address), list(message))

    def close(self) -> None:
        """Nothing is held."""

    def _transfer(self, address: int, message: list[int]) -> None:
        if self.fails_after is not None:
            self.fails_after -= 1
        if address != self.address or not self.plugged or (self.fails_after or 0) < 0:
            raise OSError(self.error, "Remote I/O error")
        if self.breaks and self.breaks[0] <= len(message):
            self._wire.take(message[: self.breaks.pop(0)], whole=False)
            raise OSError(self.error, "Remote I/O error")
        if self.breaks:
            self.breaks[0] -= len(message)
        self.sent_bytes += 1 + len(message)
        self.transfers.append((message[0], bytes(message[1:])))
        self._wire.take(message)
