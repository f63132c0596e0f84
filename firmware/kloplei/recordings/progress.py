"""How far listening has come, on a terminal; on anything else, not a word."""

import sys
import time
from typing import TextIO

from kloplei.recordings.reading import Recording
from kloplei.recordings.report import clock

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
