"""One folder, one program that records into it: two would throw away what the other writes."""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from kloplei.bench.keeping import keeping, make_folder
from kloplei.files import KlopleiError


class FolderInUse(KlopleiError):
    """Another program records into the folder."""


@contextlib.contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Make *folder* if it is missing, and let nobody else record into it meanwhile.

    The kernel gives it free with the process, however that ends.

    Raises:
        FolderInUse: Somebody does.
        CannotKeep: It cannot be made.
    """
    with keeping(folder):
        make_folder(folder)
        wire = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        _claim(wire, folder)
        yield
    finally:
        os.close(wire)


def _claim(wire: int, folder: Path) -> None:
    # Some file systems know no claims; there it is as it was without them.
    with contextlib.suppress(OSError):
        try:
            fcntl.flock(wire, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise FolderInUse(
                f"Another kloplei listen records into {folder}. Go on there, or end it, or name "
                "another folder"
            ) from error
