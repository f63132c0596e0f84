"""The disk that the journal lies on: room, whether it can be written, and a card that wears out."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

from kloplei.checks.findings import bad, good, may_not, poor
from kloplei.checks.machine import Machine
from kloplei.table.doctor import Finding

PART = "disk"
LOW_MB, FULL_MB = 200, 20


def check_disk(
    machine: Machine, folder: Path, statvfs: Callable[[Path], os.statvfs_result] = os.statvfs
) -> Iterator[Finding]:
    """Yield how the disk under *folder* does, which may have yet to be made."""
    try:
        told = statvfs(_there(folder))
    except OSError:
        yield may_not(PART, str(folder))
        return
    yield _room(told, folder)
    for device, errors in sorted(_errors(machine)):
        yield bad(PART, "disk.errors", "do.new-card", device=device, errors=errors)


def _room(told: os.statvfs_result, folder: Path) -> Finding:
    free_mb = told.f_bavail * told.f_frsize // 1_000_000
    facts = {"mb": free_mb, "folder": str(folder)}
    if told.f_flag & os.ST_RDONLY:
        return bad(PART, "disk.read-only", "do.write-again", **facts)
    if free_mb < FULL_MB:
        return bad(PART, "disk.full", "do.make-room", **facts)
    if free_mb < LOW_MB:
        return poor(PART, "disk.low", "do.make-room", **facts)
    return good(PART, "disk.good", **facts)


def _there(folder: Path) -> Path:
    """Return *folder*, or the nearest one above it that is there."""
    return next((one for one in (folder, *folder.parents) if one.exists()), Path("/"))


def _errors(machine: Machine) -> Iterator[tuple[str, int]]:
    """Yield the ext4 file systems that have met errors, since they were made or checked."""
    for told in machine.path("sys/fs/ext4").glob("*/errors_count"):
        errors = machine.number(f"sys/fs/ext4/{told.parent.name}/errors_count")
        if errors:
            yield told.parent.name, errors
