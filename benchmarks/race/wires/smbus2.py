"""Stands in for smbus2 where nothing is wired: an OLED that takes all, and counts what it takes.

A process that finds this folder on its PYTHONPATH draws on it. The first light on the glass is
told to the file named by KLOPLEI_FIRST_LIGHT: the monotonic seconds, which all processes share,
and the modules that stand by then, one a line.
"""

import os
import sys
import time
from pathlib import Path

_ADDRESS_BYTES = 1  # before each transfer
_DATA = 0x40
_told = os.environ.get("KLOPLEI_FIRST_LIGHT", "")


class i2c_msg(list[int]):  # noqa: N801 - smbus2's own name
    """The bytes of one transfer."""

    @classmethod
    def write(cls, _address: int, values: list[int]) -> "i2c_msg":
        """Return *values* as one transfer."""
        return cls(values)


class SMBus:
    """A bus with an OLED on it; ``bytes`` went over its wire, addresses and controls too."""

    def __init__(self, _bus: int = 1) -> None:
        self.bytes = self.transfers = 0
        self._is_dark = True

    def write_i2c_block_data(self, _address: int, register: int, values: list[int]) -> None:
        """Send *values* to *register*."""
        self._take(register, values)

    def i2c_rdwr(self, *messages: i2c_msg) -> None:
        """Send *messages*, each with its register before it."""
        for register, *values in messages:
            self._take(register, values)

    def close(self) -> None:
        """Let go of nothing."""

    def _take(self, register: int, values: list[int]) -> None:
        self.bytes += _ADDRESS_BYTES + 1 + len(values)
        self.transfers += 1
        if self._is_dark and register == _DATA and any(values):
            self._is_dark = False
            if _told:
                at_s = time.monotonic()
                written = Path(f"{_told}.new")
                written.write_text("\n".join((f"{at_s}", *sys.modules)))
                written.rename(_told)
