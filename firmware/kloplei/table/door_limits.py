"""How often a phone may ask at the door: nobody outside the pub keeps the slate busy all night.

A question that nobody knocked for makes its address wait, longer each time, and counts against
all together as well, since an address is easily changed. Who is let in starts afresh.
"""

import ipaddress
from collections import deque
from dataclasses import dataclass

PAUSES_S = (5.0, 30.0, 120.0, 600.0)  # after the first, second, ... question without a knock
REFUSED_S = 900.0  # after a no of the keeper
FORGOTTEN_S = 3600.0  # an address that has been quiet for so long starts afresh
OF_ALL = ((4, 600.0), (10, 3600.0))  # so many of all addresses together in so many seconds
_MOST_ADDRESSES = 256
_HOUSE_BITS = 64  # of an IPv6 address: one phone has as many of the others as it likes


@dataclass(slots=True)
class _Asker:
    unanswered: int = 0
    last_s: float = 0.0
    waits_until_s: float = 0.0


class AskLimits:
    """Remembers who asked in vain, and says how long they have to wait."""

    def __init__(self) -> None:
        self._askers: dict[str, _Asker] = {}
        self._unanswered: deque[float] = deque()

    def wait_s(self, address: str, now_s: float) -> float:
        """Return how long *address* has to wait until it may ask; 0 if it may now."""
        asker = self._askers.get(household(address))
        own_s = 0.0 if asker is None else asker.waits_until_s - now_s
        return max(own_s, self._of_all_s(now_s), 0.0)

    def in_vain(self, address: str, now_s: float, *, refused: bool = False) -> None:
        """Nobody knocked for the question of *address*, or the keeper said no (*refused*)."""
        asker = self._of(household(address), now_s)
        pause_s = PAUSES_S[min(asker.unanswered, len(PAUSES_S) - 1)]
        asker.unanswered += 1
        asker.last_s = now_s
        asker.waits_until_s = now_s + (REFUSED_S if refused else pause_s)
        self._unanswered.append(now_s)

    def let_in(self, address: str) -> None:
        """Somebody at the table knew the phone at *address*."""
        self._askers.pop(household(address), None)

    def _of(self, household: str, now_s: float) -> _Asker:
        known = self._askers.pop(household, None)
        if known is None or now_s - known.last_s >= FORGOTTEN_S:
            known = _Asker()
        if len(self._askers) >= _MOST_ADDRESSES:
            del self._askers[next(iter(self._askers))]  # who asked longest ago
        self._askers[household] = known
        return known

    def _of_all_s(self, now_s: float) -> float:
        longest_s = max(within_s for _, within_s in OF_ALL)
        while self._unanswered and self._unanswered[0] <= now_s - longest_s:
            self._unanswered.popleft()
        full = [(most, s) for most, s in OF_ALL if len(self._unanswered) >= most]
        return max((self._unanswered[-most] + s - now_s for most, s in full), default=0.0)


def household(address: str) -> str:
    """Return what *address* has in common with all that its owner could ask from as well."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv4Address):
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ipaddress.ip_network((found, _HOUSE_BITS), strict=False))
