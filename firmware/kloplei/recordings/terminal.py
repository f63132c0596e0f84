"""What `kloplei listen` says and shows: answers on stdout, complaints and progress on stderr."""

import argparse
import sys
import time
from typing import TYPE_CHECKING, TextIO

from kloplei.recordings.listening import clock
from kloplei.recordings.wav import Recording

if TYPE_CHECKING:
    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001


EVERY_S = 0.2
_CLEAR = "\r\x1b[K"


class Progress:
    """One line at the foot of a terminal, written over and over."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._is_shown = False
        self._again_at_s = 0.0
        self._is_terminal = self._stream.isatty()

    def tell(self, name: str, recording: Recording, knocks: int | None = None) -> None:
        """Say how much of *recording* was read and found, if the last word is a while ago."""
        if not self._is_terminal or time.monotonic() < self._again_at_s:
            return
        self._again_at_s = time.monotonic() + EVERY_S
        of = "" if recording.duration_s is None else f" of {clock(recording.duration_s)}"
        found = "" if knocks is None else f", {knocks} knocks"
        self._stream.write(f"{_CLEAR}{name}: {clock(recording.read_s)}{of}{found}")
        self._stream.flush()
        self._is_shown = True

    def clear(self) -> None:
        """Take the line away, so that something else can be written there."""
        if self._is_shown:
            self._stream.write(_CLEAR)
            self._stream.flush()
            self._is_shown = False


def can_draw() -> bool:
    """Return whether whoever reads our answers knows blocks."""
    try:
        "█▏".encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return False
    return True


def complain(sentence: str) -> None:
    """Say on stderr what is wrong."""
    print(f"kloplei: {sentence}", file=sys.stderr)


def say(text: str) -> None:
    """Print *text*, however little the terminal can spell, and at once."""
    # A name that the terminal cannot spell must not stop the answer; and whoever reads gets
    # each line when it is known.
    encoding = sys.stdout.encoding or "utf-8"
    print(text.encode(encoding, "backslashreplace").decode(encoding), flush=True)
