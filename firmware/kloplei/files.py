"""Files and their failures: the root of our errors, and a file written whole or not at all."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


class KlopleiError(Exception):
    """Root of Kloplei's own errors.

    The message is one sentence that says what is wrong, where, and what to do next;
    it is fit to be printed without a traceback.
    """


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
            os.fsync(file.fileno())
        aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)


def hand_over(path: Path) -> None:
    """Give *path* to the owner of its folder, where root made it.

    What somebody repairs with sudo the table's own user has to open afterwards.

    Raises:
        OSError: It is not there.
    """
    if os.geteuid() == 0:
        folder = path.parent.stat()
        os.chown(path, folder.st_uid, folder.st_gid)
