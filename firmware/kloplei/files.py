"""Files: the root of our errors, reading within limits, writing whole or not at all."""

import errno
import os
import stat
import sys
from array import array
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, BinaryIO, TypeVar

if TYPE_CHECKING:
    from pathlib import Path  # here: who only asks for help waits for none

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
    told = error.strerror if isinstance(error, OSError) else None
    return told or str(error)


def reason_or_kind(error: BaseException | None) -> str:
    """Return what the system says of *error*, else its class: what else it says may be anything."""
    told = error.strerror if isinstance(error, OSError) else None
    return told or type(error).__name__


def read_limited(path: "Path", largest: int, purpose: str) -> bytes:
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


def atomic_write(path: "Path", raw: bytes, mode: int | None = None) -> None:
    """Let *raw* stand at *path*; a power cut leaves what stood there, or all of it.

    One that comes after this has returned leaves all of it. *mode* is who may read it; None
    leaves that to the umask.

    Raises:
        OSError: It could not be written; what stood there still does.
    """
    with atomic_file(path, mode) as file:
        file.write(raw)


@contextmanager
def atomic_file(path: "Path", mode: int | None = None) -> Iterator[BinaryIO]:
    """Give a file to write; it stands at *path* once all that is written within is on the disk.

    One that was written half, and left beside it by such a cut, is written over by the next.
    What root writes belongs to the owner of the folder, and no link there leads it elsewhere.

    Raises:
        OSError: It could not be written; what stood there still does. Or its name could not be:
            then either is there after a power cut.
    """
    aside = f".{path.name}.new"
    with opened_folder(path.parent) as folder:
        _remove(aside, folder)
        try:
            with create_below(folder, aside, mode) as file:
                yield file
                file.flush()
                # Before it gets its name: a cut between the two would leave an empty file there.
                os.fsync(file.fileno())
            os.replace(aside, path.name, src_dir_fd=folder, dst_dir_fd=folder)
            os.fsync(folder)  # else a cut brings back what stood there, though it was told as kept
        finally:
            _remove(aside, folder)


@contextmanager
def opened_folder(path: "Path") -> Iterator[int]:
    """Give the descriptor of the folder *path*: what is named below it stays in it.

    Raises:
        OSError: It is not there, or no folder.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def create_below(folder: int, name: str, mode: int | None = None) -> BinaryIO:
    """Open a new file *name* in the open *folder*, whose owner gets it where root makes it.

    Whoever may write in the folder may have put a link there, to have another file written
    with our rights: what stands there already, link or not, is never opened.

    Raises:
        OSError: Something stands there, or it cannot be made.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    file = os.fdopen(os.open(name, flags, 0o666 if mode is None else mode, dir_fd=folder), "wb")
    try:
        _give(file.fileno(), folder)
        if mode is not None:
            os.fchmod(file.fileno(), mode)  # whatever the umask took away
    except OSError:
        file.close()
        raise
    return file


def read_below(folder: int, name: str, largest: int) -> bytes:
    """Return at most *largest* bytes of the plain file *name* in the open *folder*.

    Raises:
        OSError: It is not there, may not be read, or is something else, such as a link.
    """
    # A pipe that somebody has put there would be waited for.
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
    with os.fdopen(os.open(name, flags, dir_fd=folder), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "Not a plain file")
        return file.read(largest)


class FlagFile:
    """A yes or no that a box keeps in a folder, in a file such as ``{"quiet": true}``.

    Args:
        path: Where it lies.
        name: What it says yes or no to.
    """

    def __init__(self, path: "Path", name: str) -> None:
        self.path = path
        self._name = name

    def read(self) -> bool:
        """Return what stands there.

        Raises:
            FileNotFoundError: Nothing does.
            UnreadableFile: It cannot be read, or says something else: whoever may write in the
                folder wrote it.
        """
        import json  # here: who only asks for help waits for none

        try:
            with opened_folder(self.path.parent) as folder:
                told = json.loads(read_below(folder, self.path.name, _MOST_OF_A_FLAG))
        except FileNotFoundError:
            raise
        except (OSError, ValueError, RecursionError) as error:
            raise UnreadableFile(f"cannot be read ({reason_of(error)})") from error
        if told not in ({self._name: True}, {self._name: False}):
            raise UnreadableFile("says something else")
        return bool(told[self._name])

    def write(self, said: bool) -> None:
        """Let *said* stand there, through a power cut as well.

        Raises:
            OSError: It could not be written; what stood there still does.
        """
        import json

        atomic_write(self.path, json.dumps({self._name: said}).encode())


_MOST_OF_A_FLAG = 1000  # bytes


def _remove(name: str, folder: int) -> None:
    with suppress(FileNotFoundError):
        os.unlink(name, dir_fd=folder)


def _give(descriptor: int, folder: int) -> None:
    """Let the owner of the open *folder* own what is open at *descriptor*, where root opened it."""
    if os.geteuid() == 0:
        owner = os.fstat(folder)
        os.fchown(descriptor, owner.st_uid, owner.st_gid)


def sync_folder(folder: "Path") -> None:
    """Make the names in *folder* last through a power cut."""
    with opened_folder(folder) as descriptor:
        os.fsync(descriptor)


def hand_over(path: "Path") -> None:
    """Give *path* to the owner of its folder, where root made it.

    What somebody repairs with sudo the table's own user has to open afterwards. A link is left
    alone, and so is a file with a second name: either may be another's.

    Raises:
        OSError: It is not there.
    """
    if os.geteuid() != 0:
        return
    with opened_folder(path.parent) as folder:
        if stat.S_ISLNK(os.stat(path.name, dir_fd=folder, follow_symlinks=False).st_mode):
            return
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
        descriptor = os.open(path.name, flags, dir_fd=folder)
        try:
            found = os.fstat(descriptor)
            if stat.S_ISDIR(found.st_mode) or found.st_nlink == 1:
                _give(descriptor, folder)
        finally:
            os.close(descriptor)


@contextmanager
def as_owner_of(folder: "Path") -> Iterator[None]:
    """Do what stands within with the rights of the owner of *folder*, where root was to do it.

    Whatever lies in a folder of the table's user, that user may have made: a link, a folder that
    is none. What is done there can then do no more than that user could.
    """
    owner = folder.stat()
    if os.geteuid() != 0 or owner.st_uid == 0:
        yield
        return
    group, groups = os.getegid(), os.getgroups()
    os.setgroups([owner.st_gid])
    os.setegid(owner.st_gid)
    os.seteuid(owner.st_uid)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(group)
        os.setgroups(groups)


def little_endian(numbers: "array[Number]") -> "array[Number]":
    """Return *numbers*, read from a file or on their way to one, in the order that files keep."""
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers
