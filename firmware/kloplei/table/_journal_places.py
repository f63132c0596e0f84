"""Whether the files of the running journal still stand where they stood, and none is shorter.

Only names and sizes are looked at, before each step: what is in them SQLite finds out.
"""

from pathlib import Path

Place = tuple[tuple[int, int], int]  # device and inode; bytes
Places = tuple[Place | None, Place | None]  # of the file, and of its log


def places_of(path: Path) -> Places:
    """Return what stands under the names of the journal *path* and its log."""
    return _place(path), _place(Path(f"{path}-wal"))


def is_same(before: Places, now: Places) -> bool:
    """Return whether file and log are those that stood there *before*, and not cut short."""
    return all(
        was is None
        or (is_same_file(was, one) and (_size(one) >= was[1] or (is_log and not _size(one))))
        for is_log, was, one in zip((False, True), before, now, strict=True)
    )


def is_same_file(was: Place | None, now: Place | None) -> bool:
    """Return whether both are one file, or there is none."""
    return (was and was[0]) == (now and now[0])


def is_log_emptied(before: Places, now: Places) -> bool:
    """Return whether the log was emptied: who looks into the journal may fold it into the file."""
    return _size(before[1]) > 0 == _size(now[1])


def _size(place: Place | None) -> int:
    return place[1] if place else 0


def _place(path: Path) -> Place | None:
    try:
        told = path.stat()
    except OSError:
        return None
    return (told.st_dev, told.st_ino), told.st_size
