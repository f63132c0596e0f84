"""Many conversions in one system call: a message of short transfers, each with its own select.

A converter begins anew only when its chip select goes up and down again. The `transfer` of
gpiozero keeps it down to the end of the list (spidev's `xfer2`, lgpio's `spi_xfer`), and no
method of either library lets it go in between, so there one call is one conversion. The kernel
itself can: in a message of several transfers `cs_change` asks for a new select after each.
Linux: include/uapi/linux/spi/spidev.h.
"""

import ctypes
import errno
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import ClassVar

MOST_TRANSFERS = 511  # the size of a message has 14 bits, and a transfer takes 32 bytes of it
CLOCKS_A_BYTE = 9  # the SPI of a Pi rests one clock after each byte

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
        self._rounds = max(1, min(most_rounds, MOST_TRANSFERS // len(requests)))
        self._message = _Message(self._requests, self._rounds)

    @property
    def rounds(self) -> int:
        """How many rounds go into one message."""
        return self._rounds

    def close(self) -> None:
        """Close the device; may be called twice."""
        if self._file >= 0:
            os.close(self._file)
        self._file = -1

    def send(self, clock_hz: int) -> bytes:
        """Send `rounds` rounds at *clock_hz* and return all that was answered.

        `rounds` becomes less when the kernel does not take so many at once.

        Raises:
            OSError: The kernel or the bus refuses.
        """
        while True:
            try:
                return self._message.sent(self._ioctl, self._file, clock_hz)
            except OSError as error:
                if error.errno != errno.EMSGSIZE or self._rounds == 1:
                    raise
                self._rounds = (self._rounds + 1) // 2
                self._message = _Message(self._requests, self._rounds)


class _Message:
    """The transfers of so many rounds and the memory that they point to, made once."""

    def __init__(self, requests: Sequence[bytes], rounds: int) -> None:
        sent, length = b"".join(requests) * rounds, len(requests[0])
        self._sent = (ctypes.c_uint8 * len(sent)).from_buffer_copy(sent)
        self._answered = (ctypes.c_uint8 * len(sent))()
        self._transfers = (Transfer * (len(requests) * rounds))()
        self._clock_hz = 0
        for at, transfer in enumerate(self._transfers):
            transfer.tx_buf = ctypes.addressof(self._sent) + at * length
            transfer.rx_buf = ctypes.addressof(self._answered) + at * length
            transfer.len = length
            transfer.bits_per_word = 8
            transfer.cs_change = 1
        # On the last one it means the opposite: keep the chip selected.
        self._transfers[-1].cs_change = 0

    def sent(self, ioctl: Ioctl, file: int, clock_hz: int) -> bytes:
        """Send the message through *file* and return the answers."""
        if clock_hz != self._clock_hz:
            self._clock_hz = clock_hz
            for transfer in self._transfers:
                transfer.speed_hz = clock_hz
        ioctl(file, _MESSAGE_OF | ctypes.sizeof(self._transfers) << 16, self._transfers)
        return bytes(self._answered)
