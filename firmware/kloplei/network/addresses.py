"""Which address phones can reach the panel by, and which Wi-Fi they join for it.

A number, since ``.local`` fails on Android. The kernel is asked without netlink, which the units
lack: IPv4 comes from the old interface calls, the rest from ``/proc/self/net``, which even a
process that sees nothing but itself in ``/proc`` may read.
"""

import fcntl
import logging
import re
import socket
import struct
import threading
from array import array
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import field
from ipaddress import IPv4Address, IPv4Interface, IPv6Address, IPv6Network, ip_address
from pathlib import Path
from typing import Self

from kloplei.frozen import dataclass

logger = logging.getLogger(__name__)

Address = IPv4Address | IPv6Address

_PROC_NET = Path("/proc/self/net")
# linux/sockios.h, net/if.h and linux/if_addr.h
_SIOCGIFCONF, _SIOCGIFFLAGS = 0x8912, 0x8913
_UP, _LOOPBACK, _POINT_TO_POINT, _RUNNING = 0x1, 0x8, 0x10, 0x40
_TEMPORARY, _DAD_FAILED, _DEPRECATED, _TENTATIVE = 0x01, 0x08, 0x20, 0x40
_ROUTE_UP, _ROUTE_REJECTS = 0x1, 0x200

# struct ifreq: a name of 16 bytes and a union whose largest part holds two pointers' worth.
_IFREQ_BYTES = 40 if struct.calcsize("P") == 8 else 32
_MOST_ADDRESSES = 64


@dataclass(frozen=True, slots=True)
class Local:
    """One address of this machine; *passing*: temporary, or deprecated and soon gone."""

    interface: str
    address: Address
    passing: bool = False


@dataclass(frozen=True, slots=True)
class Network:
    """What the kernel knows of the networks this machine is in.

    *local* are the addresses of interfaces that are up and lead to others; *routes_4* and
    *routes_6* the interfaces of the default routes, the preferred one first.
    """

    local: tuple[Local, ...] = ()
    routes_4: tuple[str, ...] = field(default=())
    routes_6: tuple[str, ...] = field(default=())


def look_at_network() -> Network:
    """Return the addresses and default routes as they are now; sends no packet."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        local = [one for one in _ipv4(asking) if _leads_to_others(asking, one.interface)]
        local += [
            one
            for one in read_ipv6_addresses(_lines("if_inet6"))
            if _leads_to_others(asking, one.interface)
        ]
    return Network(
        tuple(local), read_ipv4_routes(_lines("route")), read_ipv6_routes(_lines("ipv6_route"))
    )


def read_ipv6_addresses(lines: list[str]) -> list[Local]:
    """Return the addresses in *lines* of ``/proc/net/if_inet6`` that may be used."""
    found = []
    for line in lines:
        digits, _, _, _, flags, interface = line.split()
        marks = int(flags, 16)
        if not marks & (_TENTATIVE | _DAD_FAILED):
            passing = bool(marks & (_TEMPORARY | _DEPRECATED))
            found.append(Local(interface, IPv6Address(bytes.fromhex(digits)), passing))
    return found


def read_ipv4_routes(lines: list[str]) -> tuple[str, ...]:
    """Return the interfaces of the default routes in *lines* of ``/proc/net/route``, best first."""
    found = []
    for line in lines[1:]:
        interface, target, _, flags, _, _, metric, mask = line.split()[:8]
        if int(target, 16) == int(mask, 16) == 0 and _is_open(flags):
            found.append((int(metric), interface))
    return _by_metric(found)


def read_ipv6_routes(lines: list[str]) -> tuple[str, ...]:
    """Return the interfaces of the default routes in *lines* of ``/proc/net/ipv6_route``."""
    found = []
    for line in lines:
        target, prefix, _, _, _, metric, _, _, flags, interface = line.split()
        if int(target, 16) == int(prefix, 16) == 0 and _is_open(flags):
            found.append((int(metric, 16), interface))
    return _by_metric(found)


def _is_open(flags: str) -> bool:
    return int(flags, 16) & (_ROUTE_UP | _ROUTE_REJECTS) == _ROUTE_UP


def _by_metric(found: list[tuple[int, str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(interface for _, interface in sorted(found)))


def _lines(name: str) -> list[str]:
    try:
        return (_PROC_NET / name).read_text().splitlines()
    except OSError:
        return []  # a kernel without IPv6 has no such file


def _ipv4(asking: socket.socket) -> Iterator[Local]:
    # Not ctypes: importing it wants memory that may be written and run, which the units forbid.
    room = array("B", bytes(_MOST_ADDRESSES * _IFREQ_BYTES))
    request = struct.pack("iP", len(room), room.buffer_info()[0])
    filled, _ = struct.unpack("iP", fcntl.ioctl(asking, _SIOCGIFCONF, request))
    for at in range(0, filled, _IFREQ_BYTES):
        name, address = struct.unpack_from("16s4x4s", room, at)
        # An address may carry a label of its own, such as eth0:1.
        yield Local(name.split(b"\0")[0].decode().partition(":")[0], IPv4Address(address))


def _leads_to_others(asking: socket.socket, interface: str) -> bool:
    """Whether *interface* is up and plugged in, and neither the loopback nor a tunnel."""
    request = struct.pack(f"16sh{_IFREQ_BYTES - 18}x", interface.encode(), 0)
    flags = 0
    with suppress(OSError):  # gone since
        flags = struct.unpack_from("16sH", fcntl.ioctl(asking, _SIOCGIFFLAGS, request))[1]
    wanted = _UP | _RUNNING
    return flags & (wanted | _LOOPBACK | _POINT_TO_POINT) == wanted


HOTSPOT = IPv4Interface("10.75.76.1/24")
"""The box on its own hotspot: fixed, so that it is known again without asking anybody."""

NAMES_LEAD_TO = IPv4Address("198.51.100.1")
"""What every name means on the hotspot: the box as well, by an address of the range kept for
documentation. Some Android phones take a name that leads to a private address for "no internet",
and never ask further (docs/wifi.md)."""


@dataclass(frozen=True, slots=True)
class Wifi:
    """A Wi-Fi by its *name*; *password* None is an open one, or one that is not ours to tell."""

    name: str
    password: str | None = field(default=None, repr=False)

    @property
    def code(self) -> str:
        """What a QR code says to let a phone join (``WIFI:T:WPA;S:...;P:...;;``)."""
        from segno import helpers  # here, since the first picture does without

        security = "WPA" if self.password else None
        return str(
            helpers.make_wifi_data(ssid=self.name, password=self.password, security=security)
        )


@dataclass(frozen=True, slots=True)
class JoinAddress:
    """*url* opens the panel, None where phones cannot reach the box; *wifi* is the one to join.

    *on_hotspot* tells whether that is the box's own.
    """

    url: str | None = None
    wifi: Wifi | None = None
    on_hotspot: bool = False


def page_at(host: str, port: int) -> str:
    """Return the address of the panel on *host*, a name or a number, and *port*."""
    if ":" in host:
        host = f"[{host}]"
    return f"http://{host}/" if port == 80 else f"http://{host}:{port}/"


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


_HOME_NAMES = (".local", ".lan", ".internal", ".home.arpa", "localhost")


def is_at_home(host: str) -> bool:
    """Whether what goes to *host* stays in the house: no password goes farther in the clear."""
    try:
        return ip_address(host).is_private
    except ValueError:
        return "." not in host or host.endswith(_HOME_NAMES)


def join_url(host: str, port: int) -> str:
    """Return where phones find the panel now; without a network, where this machine does."""
    return url_now(host, port, look_at_network()) or page_at(LOOPBACK, port)


def url_now(host: str, port: int, network: Network) -> str | None:
    """Return where phones find the panel that listens on *host* and *port*; None: nowhere."""
    if host not in _EVERYWHERE:
        return page_at(host, port)
    found = reachable(network, with_ipv6=host != _EVERY_4)
    return None if found is None else page_at(str(found), port)


class JoinAddressWatcher:
    """Tells when phones get here by another address: cable pulled, lease renewed, hotspot on.

    A context; it looks on a thread of its own.

    Args:
        look: Returns how phones get here now.
        tell: Called with each one that differs from the one before, the first included.
        every_s: How often to look.
    """

    def __init__(
        self,
        look: Callable[[], JoinAddress],
        tell: Callable[[JoinAddress], None],
        *,
        every_s: float = LOOK_EVERY_S,
    ) -> None:
        self._look = look
        self._tell = tell
        self._every_s = every_s
        self._told: JoinAddress | None = None
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="kloplei-address", daemon=True)

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
            except Exception:
                # The evening needs no phones: the address that the slate says stays.
                logger.exception("The network cannot be looked at; the next look may do better.")
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


_HOUSE_BITS = 64  # of an IPv6 address: one phone has as many of the others as it likes


def household(address: str) -> str:
    """Return what a limit for each household counts *address* by.

    That is an IPv4 address itself, and the /64 of an IPv6 one; what is no address stays as it is.
    """
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(found, IPv4Address):
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(IPv6Network((found, _HOUSE_BITS), strict=False))
