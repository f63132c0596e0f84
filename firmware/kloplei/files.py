"""Files: the root of our errors, reading within limits, writing whole or not at all."""

import os
import sys
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, TypeVar

Number = TypeVar("Number", int, float)


class KlopleiError(Exception):
    """Root of Kloplei's own errors.

    The message is one sentence that says what is wrong, where, and what to do next;
    it is fit to be printed without a traceback.
    """


class UnreadableFile(KlopleiError, ValueError):
    """A file cannot be read; the words go on from its name: ``cannot be read (Is a directory)``."""


def reason_of(error: Exception) -> str:
    """Return what the system says of *error*, such as ``No such file or directory``."""
    return getattr(error, "strerror", None) or str(error)


def read_limited(path: Path, largest: int, purpose: str) -> bytes:
    """Return what stands in *path*, at most *largest* bytes; more would be too large *purpose*.

    Raises:
        UnreadableFile: It is not there, may not be read, or is too large.
    """
    try:
        with path.open("rb") as file:
            raw = file.read(largest + 1)
    except (OSError, ValueError) as error:
        # ValueError: a NUL in the name.
        raise UnreadableFile(f"cannot be read ({reason_of(error)})") from error
    if len(raw) > largest:
        raise UnreadableFile(f"is too large {purpose}")
    return raw


def atomic_write(path: Path, raw: bytes) -> None:
    """Let *raw* stand at *path*; a power cut leaves what stood there, or all of it.

    Raises:
        OSError: It could not be written; what stood there still does.
    """
    with atomic_file(path) as file:
        file.write(raw)


@contextmanager
def atomic_file(path: Path) -> Iterator[BinaryIO]:
    """Give a file to write; it stands at *path* once all that is written within is on the disk.

    One that was written half, and left beside it by such a cut, is written over by the next.

    Raises:
        OSError: It could not be written; what stood there still does.
    """
    aside = path.with_name(f".{path.name}.new")
    try:
        with aside.open("wb") as file:
            yield file
            file.flush()
            # Before it gets its name: a cut between the two would leave an empty file there.
            os.fsync(file.fileno())
        aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Make the names in *folder* last through a power cut."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def hand_over(path: Path) -> None:
    """Give *path* to the owner of its folder, where root made it.

    What somebody repairs with sudo the table's own user has to open afterwards.

    Raises:
        OSError: It is not there.
    """
    if os.geteuid() == 0:
        folder = path.parent.stat()
        os.chown(path, folder.st_uid, folder.st_gid)


def little_endian(numbers: "array[Number]") -> "array[Number]":
    """Return *numbers*, read from a file or on their way to one, in the order that files keep."""
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers
