"""The mark: how far the journal had come, in a small file of its own beside it.

A journal that was taken away, cut short or replaced by an older copy looks whole; that it is not
only something outside of it can tell. The file ``kloplei.db.mark`` holds two slots of 512 bytes,
which are written in turn, each with a CRC: a power cut spoils one of them at the most. Nothing
waits for the disk there, so that after such a cut the mark may lag behind the journal. Only one
that is *ahead* of it tells of a loss.

Behind the slots stands what stood at the table when the last hand had ended (`Standing`); for that
the file is written whole, and atomically.
"""

import json
import logging
import os
import zlib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from kloplei.files import atomic_write, opened_folder, read_below, sync_folder
from kloplei.frozen import dataclass

_SLOT_BYTES = 512
_MOST_BYTES = 256 << 10
_CRC_DIGITS = 8
_SLOT, _STANDING = [int, int, int, str, str], [int, int, dict]
_spelled = json.JSONEncoder(separators=(",", ":")).encode
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class LastEntry:
    """The last entry that was written, with its link, and whose journal it was in which era."""

    seq: int
    link: int
    box: str
    era: str


@dataclass(frozen=True, slots=True)
class Standing:
    """What stood at the table after entry *seq* with its *link*, as facts of an event."""

    seq: int
    link: int
    facts: Mapping[str, object]


class MarkFile:
    """The mark beside the journal *path*; what goes wrong with it never stops a table.

    Nothing is written before `put` or `write`: who only looks leaves no file behind.
    """

    def __init__(self, path: Path) -> None:
        self._path = path.with_name(f"{path.name}.mark")
        self._turn = 0  # how often a slot was written: the newer one has the higher number
        self._file: int | None = None
        self._is_let_go = False
        self.mark: LastEntry | None = None
        self.standing: Standing | None = None
        with suppress(OSError):
            self._read()

    @property
    def is_there(self) -> bool:
        """Whether the file stands there, whatever it says."""
        return self._path.is_file()

    def put(self, mark: LastEntry) -> None:
        """Note *mark* in the older slot; nothing is waited for."""
        self.mark = mark
        self._turn += 1
        try:
            if self._is_let_go:
                self._is_let_go = False
                self._open()
            if self._file is not None:
                os.pwrite(self._file, self._slot(mark), self._turn % 2 * _SLOT_BYTES)
        except OSError as error:
            self._complain(error)

    def write(self, mark: LastEntry, standing: Standing | None) -> None:
        """Write the file anew, so that all of it lasts through a power cut, or none."""
        self.mark, self.standing = mark, standing
        self._turn += 1
        slots = [bytes(_SLOT_BYTES), bytes(_SLOT_BYTES)]
        slots[self._turn % 2] = self._slot(mark)
        raw = b"" if standing is None else _sealed([standing.seq, standing.link, standing.facts])
        self.close()
        try:
            atomic_write(self._path, b"".join(slots) + raw, 0o600)
            self._open()
        except OSError as error:
            self._complain(error)

    def remove(self) -> None:
        """Delete the file; the next `write` makes it anew.

        Raises:
            OSError: It cannot be.
        """
        self.close()
        self._path.unlink(missing_ok=True)
        sync_folder(self._path.parent)
        self.mark = self.standing = None

    def let_go(self) -> None:
        """Close the file until the next `put`, so that its disk can be mounted anew."""
        self._is_let_go = self._is_let_go or self._file is not None
        self.close()

    def close(self) -> None:
        """Close the file; only `write` opens it again."""
        file, self._file = self._file, None
        if file is not None:
            os.close(file)

    def _read(self) -> None:
        with opened_folder(self._path.parent) as folder:
            raw = read_below(folder, self._path.name, _MOST_BYTES)
        told = (_unsealed(raw[at : at + _SLOT_BYTES], _SLOT) for at in (0, _SLOT_BYTES))
        if slots := [one for one in told if one is not None]:
            self._turn, *of = max(slots)
            self.mark = LastEntry(*of)
            if (stood := _unsealed(raw[2 * _SLOT_BYTES :], _STANDING)) is not None:
                self.standing = Standing(*stood)
        self._open()

    def _open(self) -> None:
        flags = os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
        self._file = os.open(self._path, flags)

    def _slot(self, mark: LastEntry) -> bytes:
        return _sealed([self._turn, mark.seq, mark.link, mark.box, mark.era]).ljust(_SLOT_BYTES)

    def _complain(self, error: OSError) -> None:
        logger.warning("The mark %s is not written: %s", self._path, error)
        self.close()


def _sealed(told: list[Any]) -> bytes:
    """Return *told* as a line, with a CRC before it."""
    line = _spelled(told).encode()
    return b"%08x %s\n" % (zlib.crc32(line), line)


def _unsealed(raw: bytes, kinds: list[type]) -> list[Any] | None:
    """Return what `_sealed` made *raw* of, None where it is not whole or not of these *kinds*."""
    crc, _, line = raw.rstrip(b" \n\0").partition(b" ")
    with suppress(ValueError, RecursionError):
        if len(crc) == _CRC_DIGITS and int(crc, 16) == zlib.crc32(line):
            told = json.loads(line)
            return told if isinstance(told, list) and list(map(type, told)) == kinds else None
    return None
