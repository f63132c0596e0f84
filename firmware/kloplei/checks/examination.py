"""Do many checks at once, each with an end: one that hangs is named and left behind."""

import logging
import threading
import time
from collections.abc import Callable, Iterable, Mapping

from kloplei.checks.findings import MAY_NOT, bad, poor
from kloplei.table.doctor import Finding

LIMIT_S = 5.0
"""So long all checks together may take; a panel that asked waits no longer than that."""

logger = logging.getLogger(__name__)

Check = Callable[[], Iterable[Finding]]


class Examination:
    """Does *checks* whenever it is asked, but none twice at a time; safe from any thread.

    Args:
        checks: By the part they look at, in the order of their findings.
        limit_s: So long they may take together.
        fresh_s: What was found so long ago is told again.
        clock: Monotonic seconds.
    """

    def __init__(
        self,
        checks: Mapping[str, Check],
        *,
        limit_s: float = LIMIT_S,
        fresh_s: float = 0.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._checks = checks
        self._limit_s = limit_s
        self._fresh_s = fresh_s
        self._clock = clock
        self._asking = threading.Lock()
        self._hanging: dict[str, threading.Thread] = {}
        self._found: tuple[Finding, ...] = ()
        self._found_s = float("-inf")

    def findings(self) -> tuple[Finding, ...]:
        """Return what the checks find, or found a moment ago."""
        with self._asking:
            if self._clock() - self._found_s >= self._fresh_s:
                self._found = self._examine()
                self._found_s = self._clock()
            return self._found

    def _examine(self) -> tuple[Finding, ...]:
        found: dict[str, tuple[Finding, ...]] = {}
        for part, check in self._checks.items():
            if not self._is_hanging(part):
                name = f"kloplei-check-{part}"
                thread = threading.Thread(
                    target=_do, args=(part, check, found), name=name, daemon=True
                )
                self._hanging[part] = thread
                thread.start()
        ends_s = time.monotonic() + self._limit_s
        for part, thread in tuple(self._hanging.items()):
            thread.join(max(ends_s - time.monotonic(), 0.0))
            if not thread.is_alive():
                del self._hanging[part]
        return tuple(one for part in self._checks for one in self._of(part, found))

    def _is_hanging(self, part: str) -> bool:
        return part in self._hanging and self._hanging[part].is_alive()

    def _of(self, part: str, found: Mapping[str, tuple[Finding, ...]]) -> tuple[Finding, ...]:
        if part in found:
            return found[part]
        return (poor(part, "check.hangs", "do.once-more", seconds=f"{self._limit_s:g}"),)


def _do(part: str, check: Check, found: dict[str, tuple[Finding, ...]]) -> None:
    try:
        found[part] = tuple(check())
    except Exception:
        logger.exception("The check of %s stumbled.", part)
        found[part] = (bad(part, "check.stumbled", "do.report"),)


def merged(own: Iterable[Finding], told: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return what this process found, and what it may not see or did not look at as it was *told*.

    The order is that of *own*, then that of *told*.
    """
    told = tuple(told)
    of_others = {one.part for one in told if one.says.key != MAY_NOT}
    kept = [one for one in own if one.says.key != MAY_NOT or one.part not in of_others]
    parts = {one.part for one in kept}
    return (*kept, *(one for one in told if one.part not in parts))
