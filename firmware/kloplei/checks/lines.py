"""What the kernel says of each pin of the header: whether somebody holds it, and by what name.

Asked through the GPIO character device, which takes no pin and changes nothing.
"""

import fcntl
import os
import struct
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from kloplei.checks.machine import Machine

# linux/gpio.h: struct gpiochip_info, struct gpio_v2_line_info
_CHIP_INFO = struct.Struct("=32s32sI")
_LINE_INFO = struct.Struct("=32s32sIIQ160s16s")
_GET_CHIP_INFO = 0x8044B401
_GET_LINE_INFO = 0xC100B405
_USED = 1
_HEADER_CHIPS = ("pinctrl-bcm", "pinctrl-rp1")
_LAST_PIN = 27

Ioctl = Callable[[int, int, bytearray], object]


@dataclass(frozen=True, slots=True)
class HeldLine:
    """Somebody holds the pin *gpio* (BCM) on *chip*, and is called *consumer* by the kernel."""

    chip: str
    gpio: int
    consumer: str


class NoHeader(OSError):
    """This machine has no header."""


def held_lines(
    machine: Machine,
    ioctl: Ioctl = fcntl.ioctl,
    labels: tuple[str, ...] = _HEADER_CHIPS,
) -> Mapping[int, HeldLine]:
    """Return the pins of the header that are held, by BCM number.

    Args:
        machine: Where the devices are.
        ioctl: Asks the kernel (tests).
        labels: What the chip of a header is called.

    Raises:
        NoHeader: There is none.
        PermissionError: This user may not ask.
    """
    refused: PermissionError | None = None
    for device in sorted(machine.path("dev").glob("gpiochip*")):
        try:
            held = _held_on(device, ioctl, labels)
        except PermissionError as error:
            refused = error
        except OSError:
            continue  # some chips are virtual and answer nobody
        else:
            if held is not None:
                return held
    if refused is not None:
        raise refused
    raise NoHeader("no chip of this machine is a header's")


def _held_on(device: Path, ioctl: Ioctl, labels: tuple[str, ...]) -> Mapping[int, HeldLine] | None:
    """Return the lines of *device* that are held; None if it is no header."""
    number = os.open(device, os.O_RDONLY | os.O_CLOEXEC)
    try:
        chip = bytearray(_CHIP_INFO.size)
        ioctl(number, _GET_CHIP_INFO, chip)
        _, label, lines = _CHIP_INFO.unpack(chip)
        if not _text(label).startswith(labels):
            return None
        asked = range(min(lines, _LAST_PIN + 1))
        return {one.gpio: one for one in _lines(number, device.name, asked, ioctl)}
    finally:
        os.close(number)


def _lines(number: int, chip: str, asked: range, ioctl: Ioctl) -> Iterator[HeldLine]:
    for gpio in asked:
        line = bytearray(_LINE_INFO.pack(b"", b"", gpio, 0, 0, b"", b""))
        ioctl(number, _GET_LINE_INFO, line)
        _, consumer, offset, _, flags, _, _ = _LINE_INFO.unpack(line)
        if flags & _USED:
            yield HeldLine(chip, offset, _text(consumer) or "?")


def _text(padded: bytes) -> str:
    return padded.partition(b"\0")[0].decode("utf-8", "replace")
