"""A folder that cannot be written: a sentence that says why, and that nothing is lost."""

import contextlib
import errno
from collections.abc import Iterator
from pathlib import Path

from kloplei.files import KlopleiError, hand_over


class CannotKeep(KlopleiError, OSError):
    """The folder cannot be written; what lies in it already is kept."""


@contextlib.contextmanager
def keeping(folder: Path) -> Iterator[None]:
    """Say in a sentence why *folder* cannot be written, should that happen within.

    Raises:
        CannotKeep: It happened.
    """
    try:
        yield
    except KlopleiError:
        raise
    except OSError as error:
        raise CannotKeep(_why_not(folder, error)) from error


def make_folder(folder: Path) -> None:
    """Make *folder*, and those it lies in, where they are missing, for whoever owns the place.

    Raises:
        OSError: It cannot be made.
    """
    missing = [one for one in (folder, *folder.parents) if not one.exists()]
    for one in reversed(missing):
        one.mkdir()
        hand_over(one)


def _why_not(folder: Path, error: OSError) -> str:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return (
            f"The disk of {folder} is full. What was recorded is kept; make room (df -h), "
            "then go on with the same command"
        )
    return (
        f"{folder} cannot be written ({error.strerror}). What was recorded is kept; "
        "name a folder where you may write"
    )
