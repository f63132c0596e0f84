"""Settings of the network: the house's Wi-Fi, the box's own hotspot, the address to tell."""

import re
from dataclasses import dataclass

from kloplei.config.schema import secret, setting, text
from kloplei.validation import Check, narrowed, number, whole

_LONGEST_NAME = 32  # bytes, by IEEE 802.11: letters with accents take two
_HOST = re.compile(
    r"[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9-]+)*|[0-9A-Fa-f]*:[0-9A-Fa-f:.]+"
)


def wifi_name() -> Check:
    """Let a name pass that a Wi-Fi can have."""
    names = text(1, _LONGEST_NAME, "a Wi-Fi name")
    allowed = f"{names.allowed}, letters with accents counted twice"
    return narrowed(names, allowed, lambda name: len(name.encode()) <= _LONGEST_NAME)


def wifi_password() -> Check:
    """Let a password pass that WPA takes: printable ASCII, which every phone can type."""
    passwords = text(8, 63, "a WPA password")
    return narrowed(passwords, f"{passwords.allowed}, without accents", str.isascii)


def phones_host() -> Check:
    """Let a name or an address pass that every phone finds."""
    hosts = text(1, 253, "an address, or a name that your network's own DNS knows,")
    return narrowed(
        hosts,
        f"{hosts.allowed} and that does not end in .local: Android cannot find that",
        lambda host: bool(_HOST.fullmatch(host)) and not host.lower().endswith(".local"),
    )


@dataclass(frozen=True, slots=True)
class NetworkConfig:
    """``[network]``: the Wi-Fi phones are asked to join, and the address they are told.

    *name* None shows no code to join; *address* None is found out, and follows every change.
    """

    name: str | None = setting(None, wifi_name())
    password: str | None = secret(wifi_password())
    address: str | None = setting(None, phones_host())


@dataclass(frozen=True, slots=True)
class HotspotConfig:
    """``[hotspot]``: the box's own Wi-Fi.

    *password* None is made up once; *channel* 0 is chosen by listening; *fallback_s* 0 never
    switches it on by itself.
    """

    name: str = setting("Kloplei", wifi_name())
    password: str | None = secret(wifi_password())
    channel: int = setting(0, whole(0, 11))
    fallback_s: float = setting(0.0, number(0, 3600))
