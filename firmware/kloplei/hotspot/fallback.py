"""Switch the hotspot on by itself where the box finds no network after its start.

Not left to NetworkManager's own priorities: it would choose the hotspot within seconds, while
the house's router, cut off with the box, takes minutes to come back.
"""

import time
from collections.abc import Callable

from kloplei.addresses import reachable
from kloplei.kernel_addresses import Network, look_at_network

_LOOK_EVERY_S = 5.0


def no_network_comes(
    within_s: float,
    *,
    look: Callable[[], Network] = look_at_network,
    now: Callable[[], float] = time.monotonic,
    wait: Callable[[float], None] = time.sleep,
) -> bool:
    """Return whether this machine is in no network for *within_s* seconds from now."""
    until_s = now() + within_s
    while reachable(look()) is None:
        if now() >= until_s:
            return True
        wait(_LOOK_EVERY_S)
    return False
