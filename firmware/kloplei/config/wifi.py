"""Settings of the network: the house's Wi-Fi, the box's own hotspot, the address to tell."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from kloplei.config.checks import Check, NotAllowed, number, secret, setting, text, whole

_LONGEST_NAME = 32  # bytes, by IEEE 802.11: letters with accents take two
_HOST = re.compile(
    r"[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9-]+)*|[0-9A-Fa-f]*:[0-9A-Fa-f:.]+"
)


def wifi_name() -> Check:
    """Let a name pass that a Wi-Fi can have."""
    return _narrowed(
        text(1, _LONGEST_NAME, "a Wi-Fi name"),
        ", letters with accents counted twice",
        lambda name: len(name.encode()) <= _LONGEST_NAME,
    )


def wifi_password() -> Check:
    """Let a password pass that WPA takes: printable ASCII, which every phone can type."""
    return _narrowed(text(8, 63, "a WPA password"), ", without accents", str.isascii)


def phones_host() -> Check:
    """Let a name or an address pass that every phone finds."""
    return _narrowed(
        text(1, 253, "an address, or a name that your network's own DNS knows,"),
        " and that does not end in .local: Android cannot find that",
        lambda host: bool(_HOST.fullmatch(host)) and not host.lower().endswith(".local"),
    )


def _narrowed(texts: Check, besides: str, is_allowed: Callable[[str], bool]) -> Check:
    """Return *texts* of which only those pass that *besides*, in words, describes."""

    def read(value: object) -> str:
        found: str = texts.read(value)
        if not is_allowed(found):
            raise NotAllowed
        return found

    return Check(f"{texts.allowed}{besides}", read)


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
