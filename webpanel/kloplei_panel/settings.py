"""What the panel must be told before it can serve: language, lock, address."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field

from kloplei.network.addresses import JoinAddress

ASKS_EACH = 20  # a clumsy thumb, a wrong PIN or two, and asking at the door
CLIENTS = 40  # phones at once: a full pub room, and 3 MB of threads on a Pi


@dataclass(frozen=True, slots=True)
class PanelSettings:
    """Settings of the panel; the demo takes the defaults.

    *locked* makes every phone a viewer until it enters *pin*, which the slate shows.
    *secret_key* signs the phones' cookies: give one that survives a restart, or every
    phone pairs anew. *join_url* stands in the QR code of ``/tv``; empty means the address
    the reader came by. *hosts* are host names beyond the local ones that posts may come to.
    *read_key* returns the key as it is now, where it can be changed while the panel runs.
    *way_in* returns how phones get here now, where that can change; it goes before *join_url*.
    *asks_each* is how much a phone that may only look may ask for at once.
    *keepalive_s* is how soon a phone that has left without a word is noticed.
    """

    language: str = "nl"
    locked: bool = False
    pin: str | None = field(default=None, repr=False)
    secret_key: str = field(default_factory=lambda: secrets.token_hex(32), repr=False)
    join_url: str = ""
    clients: int = CLIENTS
    keepalive_s: float = 10.0
    hosts: tuple[str, ...] = ()
    asks_each: int = ASKS_EACH
    read_key: Callable[[], str] | None = field(default=None, repr=False)
    way_in: Callable[[], JoinAddress] | None = None

    def where(self) -> str:
        """Return the address that phones are told now; empty where nobody knows."""
        return (self.way_in().url if self.way_in else None) or self.join_url
