"""Small file systems that really fill up or fail, for tests."""

import contextlib
import functools
import inspect
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import ParamSpec

P = ParamSpec("P")

_BYTES = "200k"


class CannotMountError(AssertionError):
    """This machine does not let us make a file system of our own."""


class SmallDisk:
    """A file system of 200 kB in memory, or of another *size*, at *folder*."""

    def __init__(self, folder: Path, size: str = _BYTES) -> None:
        self.folder = folder
        self._size = size
        self._ballast = folder / "photos-of-the-last-evening"

    def mount(self) -> None:
        """Mount it; only root may, or root in a namespace of its own."""
        self.folder.mkdir()
        _run("mount", "-t", "tmpfs", "-o", f"size={self._size}", "kloplei-test", self.folder)

    def fill(self) -> None:
        """Leave not one byte free."""
        with self._ballast.open("ab", buffering=0) as file:
            for chunk in (bytes(1 << 16), bytes(512)):
                with contextlib.suppress(OSError):
                    while True:
                        file.write(chunk)

    def free(self) -> None:
        """Make room again."""
        self._ballast.unlink()

    def remount(self, how: str) -> None:
        """Mount it anew: ``ro`` or ``rw``."""
        # This mount alone, not the file system behind it: a user namespace may not do that.
        _run("mount", "-o", f"remount,bind,{how}", self.folder)

    def unmount(self) -> None:
        """Take it away, even from under open files."""
        _run("umount", "--lazy", self.folder)


class Card:
    """An ext4 file system in the file *image*, mounted at *folder* as on a Pi."""

    def __init__(self, image: Path, folder: Path) -> None:
        self.folder = folder
        self._image = image

    def mount(self) -> None:
        """Make it and mount it."""
        self.folder.mkdir()
        _run("truncate", "-s", "4M", self._image)
        _run("mkfs.ext4", "-q", self._image)
        self._mount()

    def give_up(self) -> None:
        """Let the kernel meet an error on it, which makes it read-only under open files."""
        loop = Path(_run("findmnt", "-no", "SOURCE", self.folder).strip()).name
        Path(f"/sys/fs/ext4/{loop}/trigger_fs_error").write_text("worn out")

    def repair(self) -> None:
        """Do what a restart of the box does."""
        _run("umount", self.folder)
        subprocess.run(["fsck.ext4", "-fy", self._image], capture_output=True)
        self._mount()

    def unmount(self) -> None:
        """Take it away, even from under open files."""
        _run("umount", "--lazy", self.folder)

    def _mount(self) -> None:
        _run("mount", "-o", "loop,errors=remount-ro", self._image, self.folder)


def where_mounts_are_allowed(test: Callable[P, None]) -> Callable[P, None]:
    """Run *test* here if we are root, else once more as root of a namespace of its own.

    Where neither may mount anything the test fails: a full disk is not to go untested.
    """

    @functools.wraps(test)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        if os.geteuid() == 0:
            test(*args, **kwargs)
            return
        one = f"{inspect.getfile(test)}::{test.__name__}"
        _run("unshare", "-rm", sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", one)

    return run


def _run(*command: str | Path) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except FileNotFoundError as error:
        raise CannotMountError(str(error)) from error
    if done.returncode:
        raise CannotMountError(
            f"{' '.join(map(str, command))} failed. Run the tests as root, or allow user "
            f"namespaces (sysctl kernel.unprivileged_userns_clone=1):\n{done.stdout}{done.stderr}"
        )
    return done.stdout
