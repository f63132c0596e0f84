"""Where phones find the box: its addresses, the one in the slate's code, and its own Wi-Fi."""

import fcntl
import ipaddress
import re
import socket
import struct
from collections.abc import Iterator, Mapping
from urllib.parse import urlsplit

from kloplei.checks.findings import good, poor
from kloplei.checks.machine import Machine
from kloplei.table.doctor import Finding

_GET_ADDRESS = 0x8915  # SIOCGIFADDR, linux/sockios.h
_NAME_BYTES = 15
_UNESCAPED = re.compile(r"(?<!\\):")


def interfaces() -> Mapping[str, str]:
    """Return the IPv4 address of each network interface that has one, but for the loopback."""
    found = {}
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        for _, name in socket.if_nameindex():
            asked = struct.pack("256s", name.encode()[:_NAME_BYTES])
            try:
                told = fcntl.ioctl(probe.fileno(), _GET_ADDRESS, asked)
            except OSError:
                continue  # it has none
            address = socket.inet_ntoa(told[20:24])
            if not ipaddress.ip_address(address).is_loopback:
                found[name] = address
    return found


def check_network(url: str, addresses: Mapping[str, str]) -> Iterator[Finding]:
    """Yield whether phones can reach the panel.

    Args:
        url: Where the slate's code leads; "" where it shows none.
        addresses: By interface, as `interfaces` finds them.
    """
    listed = tuple(f"{name} {address}" for name, address in sorted(addresses.items()))
    if not addresses:
        yield poor("network", "network.none", "do.network")
        return
    if not url:
        yield good("network", "network.here", addresses=listed)
        return
    host = urlsplit(url).hostname or ""
    if _is_number(host) and host not in addresses.values():
        yield poor("network", "network.elsewhere", "do.restart-table", url=url, addresses=listed)
    else:
        yield good("network", "network.good", url=url, addresses=listed)


def check_hotspot(machine: Machine) -> Iterator[Finding]:
    """Yield whether the box makes a Wi-Fi of its own; nothing where NetworkManager is not there."""
    told = machine.ask(
        "nmcli", "--terse", "--fields", "NAME,TYPE,DEVICE", "connection", "show", "--active"
    )
    if told is None:
        return
    for line in told.splitlines():
        name, kind, device = [*_UNESCAPED.split(line), "", "", ""][:3]
        if kind == "802-11-wireless" and _is_hotspot(machine, name):
            yield good("hotspot", "hotspot.on", device=device)
            return
    yield good("hotspot", "hotspot.off")


def _is_hotspot(machine: Machine, name: str) -> bool:
    plain = name.replace("\\:", ":").replace("\\\\", "\\")
    mode = machine.ask(
        "nmcli", "--get-values", "802-11-wireless.mode", "connection", "show", "id", plain
    )
    return (mode or "").strip() == "ap"


def _is_number(host: str) -> bool:
    try:
        return not ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
