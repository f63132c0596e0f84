"""Which radio may carry the hotspot, and why none may."""

from contextlib import suppress
from dataclasses import dataclass

from kloplei.hotspot.nmcli import HotspotError, Nmcli
from kloplei.hotspot.profile import PROFILE, emptiest_channel

_FIELDS = ("DEVICE", "TYPE", "STATE", "CONNECTION")
_SWITCHED_OFF = (
    "Wi-Fi is switched off, as on a new Raspberry Pi until it knows its country. Tell it, with "
    "your own in place of NL: sudo raspi-config nonint do_wifi_country NL"
)


@dataclass(frozen=True, slots=True)
class Radio:
    """A Wi-Fi device; *connection* is the profile it carries now, "" for none."""

    device: str
    state: str
    connection: str

    @property
    def is_hotspot(self) -> bool:
        """Whether it carries the hotspot."""
        return self.connection == PROFILE and self.state == "connected"

    @property
    def is_taken(self) -> bool:
        """Whether it carries something else, mostly the Wi-Fi of the house."""
        return self.connection not in ("", PROFILE)


def radios(nmcli: Nmcli) -> list[Radio]:
    """Return the Wi-Fi devices: first who carries the hotspot already, then who is free."""
    found = [
        Radio(row["DEVICE"], row["STATE"], row["CONNECTION"])
        for row in nmcli.rows(_FIELDS, "device", "status")
        if row["TYPE"] == "wifi"
    ]
    return sorted(found, key=lambda one: (not one.is_hotspot, one.is_taken, one.device))


def radio_for_hotspot(nmcli: Nmcli) -> Radio:
    """Return the Wi-Fi device to use.

    Raises:
        HotspotError: There is none, or it may not be used.
    """
    found = radios(nmcli)
    usable = [one for one in found if one.state not in ("unavailable", "unmanaged")]
    if usable:
        return usable[0]
    if not found:
        raise HotspotError(
            "This box has no Wi-Fi device. A Raspberry Pi with a W or from the 3 on has one; else "
            "plug in a Wi-Fi stick that can be an access point"
        )
    if _is_switched_off(nmcli):
        raise HotspotError(_SWITCHED_OFF)
    device, state = found[0].device, found[0].state
    if state == "unmanaged":
        raise HotspotError(
            f"NetworkManager leaves {device} alone. Let it: sudo nmcli device set {device} managed "
            "yes"
        )
    raise HotspotError(
        f"NetworkManager cannot use {device} now. Is wpa_supplicant there? "
        "sudo apt install wpasupplicant"
    )


def quiet_channel(nmcli: Nmcli, device: str) -> int:
    """Return the channel with the least going on; where none can be heard, the usual one."""
    heard: list[tuple[int, int]] = []
    with suppress(HotspotError):  # a radio that is busy does not listen
        rows = nmcli.rows(("CHAN", "SIGNAL"), "device", "wifi", "list", "ifname", device)
        told = [row for row in rows if all(one.isdecimal() for one in row.values())]
        heard = [(int(row["CHAN"]), int(row["SIGNAL"])) for row in told]
    return emptiest_channel(heard)


def _is_switched_off(nmcli: Nmcli) -> bool:
    switches = nmcli.rows(("WIFI-HW", "WIFI"), "radio")
    return any("disabled" in row.values() for row in switches)
