"""Which process holds which pin, as far as this one may look into others.

Since Linux 6.1 a process' open files tell which lines they hold (``/proc/PID/fdinfo``).
"""

import os
import re
import socket
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kloplei.checks.machine import Machine

_CHIP = re.compile(r"^gpio-chip:\s*(\S+)$", re.MULTILINE)
_LINE = re.compile(r"^gpio-line:\s*(\d+)$", re.MULTILINE)
_LINK = "gpio-line"  # anon_inode:gpio-line, with or without brackets
_CREDENTIALS = struct.Struct("3i")


@dataclass(frozen=True, slots=True)
class Holder:
    """The process *pid*, called *name*, holds the line *gpio* of *chip*."""

    pid: int
    name: str
    chip: str
    gpio: int


def holders(machine: Machine) -> Iterator[Holder]:
    """Yield who holds which line, of all processes that let us look."""
    for process in machine.path("proc").glob("[0-9]*"):
        name = machine.read(f"proc/{process.name}/comm") or "?"
        for chip, gpio in _lines_of(process):
            yield Holder(int(process.name), name, chip, gpio)


def may_look_into(machine: Machine, pid: int) -> bool:
    """Return whether the open files of *pid* can be seen."""
    return os.access(machine.path(f"proc/{pid}/fd"), os.R_OK | os.X_OK)


def listener_at(path: Path) -> int | None:
    """Return the process that listens at the Unix socket *path*, None if none does."""
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(str(path))
            told = probe.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
        except OSError:
            return None
    pid: int = _CREDENTIALS.unpack(told)[0]
    return pid


def _lines_of(process: Path) -> Iterator[tuple[str, int]]:
    try:
        opened = list((process / "fd").iterdir())
    except OSError:
        return  # it has ended, or is none of our business
    for one in opened:
        try:
            if _LINK not in str(one.readlink()):
                continue
            told = (process / "fdinfo" / one.name).read_text(encoding="ascii", errors="replace")
        except OSError:
            continue
        chip = _CHIP.search(told)
        for gpio in _LINE.findall(told):
            yield (chip[1] if chip else "?"), int(gpio)
