"""Stands in for smbus2 in a box under test: what goes to the OLED is written down instead.

It answers as a glass at 0x3C does; every transfer is a line of `PAPER`: register and bytes in hex.
"""

from collections.abc import Iterable
from pathlib import Path

PAPER = Path("/var/lib/kloplei/glass")


class i2c_msg(list[int]):  # noqa: N801 - smbus2's own name
    """Bytes on their way to the glass."""

    @classmethod
    def write(cls, _address: int, sent: Iterable[int]) -> "i2c_msg":
        """Return *sent* as a message."""
        return cls(sent)


class SMBus:
    """A bus with nothing but the glass on it."""

    def __init__(self, *_bus: int) -> None:
        """Open it."""

    def write_i2c_block_data(self, _address: int, register: int, sent: Iterable[int]) -> None:
        """Write a block down."""
        with PAPER.open("a") as paper:
            paper.write(f"{register:02x} {bytes(sent).hex()}\n")

    def i2c_rdwr(self, *messages: i2c_msg) -> None:
        """Write messages down; the first byte of each is the register."""
        for register, *sent in messages:
            self.write_i2c_block_data(0, register, sent)

    def close(self) -> None:
        """Close it."""
