"""How much phones that may only look may ask for: enough for people, too little for a flood.

Each address, and all of them together, have so many requests at once, and then one more every
few seconds. Who was let in is not counted, so that a flood slows down nobody who plays.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from flask import request

from kloplei.table.pairing import household
from kloplei_panel.panel import panel
from kloplei_panel.problems import Problem

_READING = frozenset({"GET", "HEAD", "OPTIONS"})
_MOST_ADDRESSES = 512
_ALL = ""  # no address is called so
_WOOD = "/demo"  # the virtual table: hands knock there, not phones


def hold_back_strangers() -> None:
    """Refuse a request to change something of a phone without a right that sends too many.

    Raises:
        Problem: 429, with the seconds to wait.
    """
    if request.method in _READING or request.path.startswith(_WOOD) or panel().pairing.may_act:
        return
    wait_s = panel().flood.wait_s(request.remote_addr or "?")
    if wait_s:
        raise Problem(429, "too_many_asks", wait=wait_s)


@dataclass(slots=True)
class _Bucket:
    left: float
    at_s: float


class RateLimiter:
    """Counts requests; safe from any thread.

    Args:
        each: So many one address may send at once.
        each_per_s: So many more come to it every second.
        times_all: All together have so many times what one has.
        now: Monotonic clock, in seconds.
    """

    def __init__(
        self,
        each: int,
        *,
        each_per_s: float = 0.5,
        times_all: int = 10,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._each = each
        self._each_per_s = each_per_s
        self._times_all = times_all
        self._now = now
        self._buckets: dict[str, _Bucket] = {}
        self._lock = threading.Lock()

    def wait_s(self, address: str) -> int:
        """Count a request of *address*; return 0, or how many seconds it comes too early."""
        with self._lock:
            own, all_of_them = (
                self._refilled(household(address), 1),
                self._refilled(_ALL, self._times_all),
            )
            short_of = max(
                (1 - own.left) / self._each_per_s,
                (1 - all_of_them.left) / (self._each_per_s * self._times_all),
            )
            if short_of > 0:
                return int(short_of) + 1
            own.left -= 1
            all_of_them.left -= 1
            return 0

    def _refilled(self, address: str, times: int) -> _Bucket:
        now_s, most = self._now(), float(self._each * times)
        bucket = self._buckets.pop(address, None) or _Bucket(most, now_s)
        bucket.left = min(bucket.left + (now_s - bucket.at_s) * self._each_per_s * times, most)
        bucket.at_s = now_s
        if len(self._buckets) >= _MOST_ADDRESSES:
            del self._buckets[next(one for one in self._buckets if one != _ALL)]
        self._buckets[address] = bucket
        return bucket
