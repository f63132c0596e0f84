"""Waiting in tests: for what comes to hold, on a machine of whatever speed."""

import time
from collections.abc import Callable
from typing import Final

PATIENCE_S: Final = 30.0
"""So long a test waits for what comes within a moment on a machine that has nothing else to do."""
_LOOK_S: Final = 0.01


def until(holds: Callable[[], object], patience_s: float = PATIENCE_S) -> None:
    """Wait until something *holds*."""
    ends_s = time.monotonic() + patience_s
    while not holds():
        assert time.monotonic() < ends_s, "It never comes to that."
        time.sleep(_LOOK_S)
