"""Where reading begins: a small file beside the journal, which may be lost at any time.

A journal grows for years; a box is to be ready in seconds. So now and then the table lays down
what stood after an entry that nobody takes back any more. The journal stays the truth: a bookmark
that is damaged, or of another journal or another Kloplei, is passed over and all is read.
"""

import contextlib
import zlib
from dataclasses import dataclass
from pathlib import Path

from kloplei.files import atomic_write

_MAGIC = b"kloplei bookmark 1\n"
_NUMBER_BYTES = 8


@dataclass(frozen=True, slots=True)
class Bookmark:
    """Entry *seq*, whose link is *link*, and what stood after it, as the table wrote it down."""

    seq: int
    link: int
    standing: bytes


def lay(journal: Path, mark: Bookmark) -> None:
    """Put *mark* beside *journal*, in place of the one that was.

    Raises:
        OSError: The disk does not take it; the old one still lies there.
    """
    inside = _bytes(mark.seq) + _bytes(mark.link) + mark.standing
    atomic_write(path_of(journal), _MAGIC + _bytes(zlib.crc32(inside)) + inside)
    path_of(journal).chmod(0o600)


def find(journal: Path) -> Bookmark | None:
    """Return the bookmark beside *journal*, or None if there is none that can be read."""
    if path_of(journal).is_fifo():
        return None  # to open it is to wait at it
    try:
        written = path_of(journal).read_bytes()
    except OSError:
        return None
    head, inside = written[: len(_MAGIC)], written[len(_MAGIC) + _NUMBER_BYTES :]
    crc = written[len(_MAGIC) : len(_MAGIC) + _NUMBER_BYTES]
    if head != _MAGIC or crc != _bytes(zlib.crc32(inside)):
        return None
    seq, link = inside[:_NUMBER_BYTES], inside[_NUMBER_BYTES : 2 * _NUMBER_BYTES]
    return Bookmark(_number(seq), _number(link), inside[2 * _NUMBER_BYTES :])


def remove(journal: Path) -> None:
    """Take the bookmark away, so that the next start reads and checks all of *journal*."""
    with contextlib.suppress(OSError):
        path_of(journal).unlink()


def path_of(journal: Path) -> Path:
    """Return where the bookmark of *journal* lies."""
    return journal.with_name(journal.name + ".bookmark")


def _bytes(number: int) -> bytes:
    return number.to_bytes(_NUMBER_BYTES, "big", signed=True)  # as SQLite has them


def _number(written: bytes) -> int:
    return int.from_bytes(written, "big", signed=True)
