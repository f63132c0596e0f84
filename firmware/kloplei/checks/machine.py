"""Where checks look: files below a root, and programs that are given a time to answer in."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

PATIENCE_S = 2.0
"""A program that takes longer to answer counts as one that is not there."""

_SAFE = {"LC_ALL": "C", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}


def ask_program(*command: str) -> str | None:
    """Return what *command* prints, or None if it is not there, fails, or takes too long."""
    import subprocess  # here, for the first picture stands without it

    try:
        done = subprocess.run(  # noqa: S603 - no word of it comes from outside
            command,
            capture_output=True,
            check=True,
            text=True,
            errors="replace",
            timeout=PATIENCE_S,
            env={**os.environ, **_SAFE},
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout


@dataclass(frozen=True, slots=True)
class Machine:
    """The machine under *root*; *ask* runs a program and returns what it prints."""

    root: Path = Path("/")
    ask: Callable[..., str | None] = ask_program

    def path(self, place: str) -> Path:
        """Return where *place*, such as ``proc/meminfo``, lies."""
        return self.root / place.lstrip("/")

    def there(self, place: str) -> bool:
        """Return whether *place* is there."""
        return self.path(place).exists()

    def read(self, place: str) -> str | None:
        """Return what stands at *place* without its end, or None if nobody can tell.

        The device tree ends its texts with a zero.
        """
        try:
            return self.path(place).read_text(encoding="utf-8", errors="replace").strip("\0\n ")
        except OSError:
            return None

    def number(self, place: str, base: int = 10) -> int | None:
        """Return the number at *place*, or None if there is none."""
        try:
            return int(self.read(place) or "", base)
        except ValueError:
            return None
