"""Where tests keep what need not outlive them: in memory, if there is room."""

import os
from pathlib import Path
from shutil import disk_usage

MEMORY = Path("/dev/shm")
ROOM_BYTES = 2 << 30  # a whole run takes some hundred megabytes in each of its processes


def memory() -> Path | None:
    """Return a folder in memory with room for all; None where there is none, as in containers.

    Journals and databases wait for the disk at each step, and longer while others write to it.
    What may not be started there is of no use: tests put programs into their folders.
    """
    if not MEMORY.is_dir() or os.statvfs(MEMORY).f_flag & os.ST_NOEXEC:
        return None
    return MEMORY if disk_usage(MEMORY).free > ROOM_BYTES else None
