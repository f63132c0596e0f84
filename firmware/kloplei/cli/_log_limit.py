"""The log's limit: whoever makes one line of code complain all night does not fill the card."""

import logging
import threading
import time
from collections.abc import Callable

from kloplei.frozen import dataclass

MOST = 20
# So many of one kind are told in this time.
WITHIN_S = 600.0


@dataclass(slots=True)
class _Kind:
    since_s: float
    told: int = 0
    left_out: int = 0


class LogLimit(logging.Filter):
    """Lets *most* complaints of each line of code through within *within_s* seconds.

    The first one after that tells how many were left out. A filter for handlers.
    """

    def __init__(
        self,
        most: int = MOST,
        within_s: float = WITHIN_S,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__()
        self._most = most
        self._within_s = within_s
        self._now = now
        self._kinds: dict[tuple[str, int], _Kind] = {}
        self._counting = threading.Lock()

    def filter(self, record: logging.LogRecord) -> bool:
        """Tell whether *record* is to be written down."""
        with self._counting:
            left_out = self._count((record.pathname, record.lineno))
        if left_out:
            record.msg = f"{record.getMessage()} ({left_out} more like this were left out)"
            record.args = None
        return left_out is not None

    def _count(self, origin: tuple[str, int]) -> int | None:
        """Return how many were left out before this one; None where it is left out itself."""
        now_s = self._now()
        kind = self._kinds.get(origin)
        if kind is None or now_s - kind.since_s >= self._within_s:
            self._kinds[origin] = _Kind(now_s, told=1)
            return 0 if kind is None else kind.left_out
        if kind.told >= self._most:
            kind.left_out += 1
            return None
        kind.told += 1
        return 0
