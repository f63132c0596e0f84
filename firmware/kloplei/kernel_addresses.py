"""Which addresses this machine has, asked of the kernel without netlink, which the units lack.

IPv4 comes from the old interface calls, the rest from ``/proc/self/net``, which even a process
that sees nothing but itself in ``/proc`` may read.
"""

import fcntl
import socket
import struct
from array import array
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv6Address
from pathlib import Path

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
    """One address of this machine; *passing* ones are replaced every so often, or on their way."""

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
