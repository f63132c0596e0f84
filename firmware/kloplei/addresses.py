"""Which address phones can reach the panel by: a number, since ``.local`` fails on Android."""

import logging
import re
import threading
from collections.abc import Callable
from ipaddress import IPv4Address, IPv6Address, IPv6Network
from typing import Self

from kloplei.joining import HOTSPOT, NAMES_LEAD_TO, WayIn, page_at
from kloplei.kernel_addresses import Address, Local, Network, look_at_network

_log = logging.getLogger(__name__)

LOOPBACK = "127.0.0.1"
LOOK_EVERY_S = 3.0  # a new address stands on the slate within so long
_EVERY_4 = "0.0.0.0"  # noqa: S104 - compared with, not bound to
_EVERYWHERE = frozenset({"", _EVERY_4, "::"})
# Made by programs, not by a plug or a radio: no phone is on the other side of them.
_MADE_UP = re.compile(
    r"docker|br-[0-9a-f]{12}|veth|virbr|vnet|lxc|lxd|podman|cni|flannel|cali|kube"
    r"|tun|tap|wg|tailscale|zt|ppp|ipsec|nordlynx|proton|dummy|ifb|kloplei"
)
# Of several IPv6 addresses: the network's own, which the panel's unit lets in, lasts longest.
_OF_THE_HOUSE = IPv6Network("fc00::/7")
_KINDS = ("wl", "en", "et", "br", "bond", "usb")  # where several will do: Wi-Fi, then cables


def reachable(network: Network, *, with_ipv6: bool = True) -> Address | None:
    """Return the address of *network* that phones can reach, or None if there is none.

    On the box's own hotspot it is the address there: who is on that reads no other slate. Else
    the address the default route leaves from, IPv4 before IPv6; else any that a phone may share.
    """
    able = [one for one in network.local if _a_phone_may_reach(one)]
    if not with_ipv6:
        able = [one for one in able if isinstance(one.address, IPv4Address)]
    best = min(able, key=lambda one: _order(one, network), default=None)
    return None if best is None else best.address


def is_on_hotspot(network: Network) -> bool:
    """Return whether the box's own hotspot is on in *network*."""
    return any(one.address == HOTSPOT.ip for one in network.local)


def join_url(host: str, port: int) -> str:
    """Return where phones find the panel now; without a network, where this machine does."""
    return url_now(host, port, look_at_network()) or page_at(LOOPBACK, port)


def url_now(host: str, port: int, network: Network) -> str | None:
    """Return where phones find the panel that listens on *host* and *port*; None: nowhere."""
    if host not in _EVERYWHERE:
        return page_at(host, port)
    found = reachable(network, with_ipv6=host != _EVERY_4)
    return None if found is None else page_at(str(found), port)


class Lookout:
    """Tells when the way in has changed: cable pulled, lease renewed, hotspot on; a context.

    Args:
        look: Returns the way in as it is now.
        tell: Called with each one that differs from the one before, the first included.
        every_s: How often to look.
    """

    def __init__(
        self,
        look: Callable[[], WayIn],
        tell: Callable[[WayIn], None],
        *,
        every_s: float = LOOK_EVERY_S,
    ) -> None:
        self._look = look
        self._tell = tell
        self._every_s = every_s
        self._told: WayIn | None = None
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="kloplei-lookout", daemon=True)

    def look(self) -> None:
        """Look once, and tell if something has changed."""
        now = self._look()
        if now != self._told:
            self._tell(now)
            self._told = now

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        self._thread.join(self._every_s)

    def _run(self) -> None:
        while not self._closing.is_set():
            try:
                self.look()
            except (OSError, ValueError):
                # The evening needs no phones: what the slate says of the way in stays.
                _log.exception("The network cannot be looked at; the next look may do better.")
            self._closing.wait(self._every_s)


def _a_phone_may_reach(one: Local) -> bool:
    address = one.address
    if address == NAMES_LEAD_TO or address.is_loopback or address.is_link_local:
        return False
    if address.is_unspecified or address.is_multicast:
        return False
    return _MADE_UP.match(one.interface) is None


def _order(one: Local, network: Network) -> tuple[object, ...]:
    routes = network.routes_6 if isinstance(one.address, IPv6Address) else network.routes_4
    return (
        one.address != HOTSPOT.ip,
        one.address.version,
        routes.index(one.interface) if one.interface in routes else len(routes),
        one.passing,
        one.address.version == 6 and one.address not in _OF_THE_HOUSE,
        _kind(one.interface),
        one.interface,
        int(one.address),
    )


def _kind(interface: str) -> int:
    kinds = (at for at, start in enumerate(_KINDS) if interface.startswith(start))
    return next(kinds, len(_KINDS))
