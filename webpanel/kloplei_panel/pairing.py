"""Who may act: with a lock, a phone that has entered the PIN the slate shows.

Four digits are enough for a pub as long as nobody can try them all: wrong tries are counted
by address and all together, and a full count has to empty before the next try.
"""

import hashlib
import hmac
import threading
import time
from collections import deque
from collections.abc import Callable

from flask import session

TRIES_EACH = 5  # wrong PINs of one address before it has to wait
TRIES_ALL = 50  # wrong PINs of everybody together: changing one's address does not help
WAIT_S = 300.0
_PAIRED = "paired_with"


class TooManyTries(Exception):
    """Too many wrong PINs; *wait_s* seconds are left until the next try."""

    def __init__(self, wait_s: float) -> None:
        self.wait_s = wait_s
        super().__init__(f"wait {wait_s:.0f} s")


class Pairing:
    """Judges PINs and remembers in the signed cookie who gave the right one.

    Args:
        pin: The PIN that the slate shows; None pairs nobody.
        key: The secret that signs the cookies.
        locked: Whether a PIN is asked for at all.
        now: Monotonic clock, in seconds.
    """

    def __init__(
        self, pin: str | None, *, key: str, locked: bool, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._pin = pin
        self._locked = locked
        self._now = now
        # The cookie can be read by its owner, so it carries a mark of the PIN, not the PIN.
        # A new PIN ends all older pairings.
        self._mark = hmac.new(key.encode(), (pin or "").encode(), hashlib.sha256).hexdigest()[:32]
        self._wrong: deque[tuple[float, str]] = deque()
        self._lock = threading.Lock()

    @property
    def may_act(self) -> bool:
        """Whether the phone of this request may do more than look."""
        if not self._locked:
            return True
        mark = session.get(_PAIRED)
        return isinstance(mark, str) and hmac.compare_digest(mark, self._mark)

    def pair(self, pin: str, address: str) -> bool:
        """Try *pin* from *address* and return whether it was right; if so the phone is paired.

        Raises:
            TooManyTries: This address, or all together, were wrong too often of late.
        """
        with self._lock:
            self._hold_off(address)
            if self._pin is None or not hmac.compare_digest(pin.encode(), self._pin.encode()):
                self._wrong.append((self._now(), address))
                return False
        session[_PAIRED] = self._mark
        session.permanent = True
        return True

    def forget(self) -> None:
        """Make the phone of this request a viewer again."""
        session.pop(_PAIRED, None)

    def _hold_off(self, address: str) -> None:
        since = self._now() - WAIT_S
        while self._wrong and self._wrong[0][0] <= since:
            self._wrong.popleft()
        of_this = [at_s for at_s, whose in self._wrong if whose == address]
        if len(of_this) >= TRIES_EACH:
            raise TooManyTries(of_this[-TRIES_EACH] - since)
        if len(self._wrong) >= TRIES_ALL:
            raise TooManyTries(self._wrong[-TRIES_ALL][0] - since)
