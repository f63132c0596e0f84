"""Ask each address of an I2C bus whether anybody is there; a bus that hangs is given up in time."""

import errno
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

FIRST, LAST = 0x08, 0x77
_READ_INSTEAD = (*range(0x30, 0x38), *range(0x50, 0x60))
"""Memories may take an empty write for a real one: these are read, as i2cdetect does."""
_NOBODY = (errno.ENXIO, errno.EREMOTEIO, errno.EIO, errno.ENODEV)
_SCAN_S = 2.0
_HANGS_S = 0.2  # one question takes well under a millisecond


class Bus(Protocol):
    """What of smbus2 is needed."""

    def write_quick(self, address: int, /) -> object:
        """Call *address* and say nothing."""
        ...

    def read_byte(self, address: int, /) -> object:
        """Call *address* and read a byte."""
        ...


@dataclass(frozen=True, slots=True)
class Scan:
    """The addresses that answered; *hangs* tells that the bus did not come through a question."""

    found: frozenset[int] = frozenset()
    hangs: bool = False


def scan(bus: Bus, clock: Callable[[], float] = time.monotonic) -> Scan:
    """Return who answers on *bus*.

    Raises:
        PermissionError: This user may not ask.
    """
    began_s = clock()
    found = set()
    for address in range(FIRST, LAST + 1):
        asked_s = clock()
        try:
            if _answers(bus, address):
                found.add(address)
        except TimeoutError:
            return Scan(frozenset(found), hangs=True)
        if clock() - asked_s > _HANGS_S or clock() - began_s > _SCAN_S:
            return Scan(frozenset(found), hangs=True)
    return Scan(frozenset(found))


def _answers(bus: Bus, address: int) -> bool:
    try:
        if address in _READ_INSTEAD:
            bus.read_byte(address)
        else:
            bus.write_quick(address)
    except OSError as error:
        if error.errno == errno.EBUSY:
            return True  # a driver of the kernel talks to it: a clock, most likely
        if error.errno in _NOBODY:
            return False
        raise
    return True
