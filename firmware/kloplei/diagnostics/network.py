"""Where phones find the box: its addresses, the one in the slate's code, and its own Wi-Fi."""

import ipaddress
from collections.abc import Iterator, Sequence
from urllib.parse import urlsplit

from kloplei.diagnostics.findings import good, poor
from kloplei.diagnostics.system import Machine
from kloplei.network.addresses import Address, Local
from kloplei.network.hotspot import split_terse
from kloplei.table.doctor_client import Finding


def check_network(url: str, addresses: Sequence[Local]) -> Iterator[Finding]:
    """Yield whether phones can reach the panel.

    Args:
        url: Where the slate's code leads; "" where it shows none.
        addresses: Those of this machine, as `look_at_network` finds them.
    """
    lasting = [one for one in addresses if not one.passing]
    listed = tuple(f"{one.interface} {one.address}" for one in lasting)
    if not listed:
        yield poor("network", "network.none", "do.network")
        return
    if not url:
        yield good("network", "network.here", addresses=listed)
        return
    host = _number(urlsplit(url).hostname or "")
    if host is not None and host.is_loopback:
        yield good("network", "network.only-here", url=url)
    elif host is not None and host not in {one.address for one in addresses}:
        # What the box finds out by itself is never wrong for long: somebody has set this one.
        yield poor("network", "network.elsewhere", "do.own-address", url=url, addresses=listed)
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
        name, kind, device = [*split_terse(line), "", "", ""][:3]
        if kind == "802-11-wireless" and _is_hotspot(machine, name):
            yield good("hotspot", "hotspot.on", device=device)
            return
    yield good("hotspot", "hotspot.off")


def _is_hotspot(machine: Machine, name: str) -> bool:
    mode = machine.ask(
        "nmcli", "--get-values", "802-11-wireless.mode", "connection", "show", "id", name
    )
    return (mode or "").strip() == "ap"


def _number(host: str) -> Address | None:
    """Return the address that *host* is, None if it is a name."""
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None
