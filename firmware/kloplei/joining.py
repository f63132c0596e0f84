"""How a phone gets to the table: which Wi-Fi it joins, and which address it opens."""

from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv4Interface

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
class WayIn:
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
