"""Settings of the network: the house's Wi-Fi, the box's own hotspot, the address to tell."""

import re
from dataclasses import dataclass

from kloplei.config.checks import Check, NotAllowed, number, secret, setting, text, whole

_LONGEST_NAME = 32  # bytes, by IEEE 802.11: letters with accents take two
_HOST = re.compile(
    r"[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9-]+)*|[0-9A-Fa-f]*:[0-9A-Fa-f:.]+"
)


def wifi_name() -> Check:
    """Let a name pass that a Wi-Fi can have."""
    texts = text(1, _LONGEST_NAME, "a Wi-Fi name")

    def read(value: object) -> str:
        name: str = texts.read(value)
        if len(name.encode()) > _LONGEST_NAME:
            raise NotAllowed
        return name

    return Check(f"{texts.allowed}, letters with accents counted twice", read)


def wifi_password() -> Check:
    """Let a password pass that WPA takes: printable ASCII, which every phone can type."""
    texts = text(8, 63, "a WPA password")

    def read(value: object) -> str:
        password: str = texts.read(value)
        if not password.isascii():
            raise NotAllowed
        return password

    return Check(f"{texts.allowed}, without accents", read)


def phones_host() -> Check:
    """Let a name or an address pass that every phone finds."""
    texts = text(1, 253, "an address, or a name that your network's own DNS knows,")

    def read(value: object) -> str:
        host: str = texts.read(value)
        if not _HOST.fullmatch(host) or host.lower().endswith(".local"):
            raise NotAllowed
        return host

    return Check(f"{texts.allowed} and that does not end in .local: Android cannot find that", read)


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
