"""The two profiles that NetworkManager keeps for the hotspot, as nmcli's arguments."""

from collections.abc import Mapping
from dataclasses import dataclass

from kloplei.joining import HOTSPOT, NAMES_LEAD_TO, Wifi

PROFILE = "kloplei"
"""The hotspot itself, by this name whatever phones call it."""

NAMES_PROFILE = "kloplei-names"
"""An interface of no hardware, which holds the address that every name leads to."""

_BEFORE_THE_HOUSE = "100"  # connection.autoconnect-priority; Wi-Fi of the house has 0
CHANNELS = (1, 6, 11)  # of the 2.4 GHz band, the three that do not overlap


@dataclass(frozen=True, slots=True)
class Profile:
    """What the hotspot is to be.

    *channel* 0 is not chosen yet. *stays* lets it come back after a power cut; else it lasts
    until the box stops.
    """

    wifi: Wifi
    device: str
    channel: int
    stays: bool = True

    @property
    def compared(self) -> Mapping[str, str]:
        """The settings by which a profile that is there already is told from another one."""
        channel = {"802-11-wireless.channel": str(self.channel)} if self.channel else {}
        return {
            **channel,
            "802-11-wireless.ssid": self.wifi.name,
            "802-11-wireless-security.psk": self.wifi.password or "",
            "connection.interface-name": self.device,
            "connection.autoconnect": "yes" if self.stays else "no",
            "ipv4.addresses": str(HOTSPOT),
        }

    def to_add(self) -> tuple[str, ...]:
        """Return the arguments that add it, see nmcli(1) and nm-settings-nmcli(5)."""
        settings = {
            **self.compared,
            "connection.autoconnect-priority": _BEFORE_THE_HOUSE,
            "802-11-wireless.mode": "ap",
            "802-11-wireless.band": "bg",  # every phone has it, and it goes through people
            "802-11-wireless.powersave": "2",  # off: a knock must not wait for a sleeping radio
            "802-11-wireless-security.key-mgmt": "wpa-psk",
            "802-11-wireless-security.proto": "rsn",  # WPA2, not the older WPA
            "802-11-wireless-security.pairwise": "ccmp",
            "802-11-wireless-security.group": "ccmp",
            # Off: the radio of a Pi offers protected frames and then loses the phones that ask.
            "802-11-wireless-security.pmf": "1",
            "ipv4.method": "shared",  # lets NetworkManager run DHCP and DNS
            "ipv6.method": "disabled",
        }
        ifname = settings.pop("connection.interface-name")
        ssid = settings.pop("802-11-wireless.ssid")
        head = ("connection", "add", "type", "wifi", "con-name", PROFILE)
        return (*head, "ifname", ifname, "ssid", ssid, *_flat(settings))


def names_to_add() -> tuple[str, ...]:
    """Return the arguments that add the interface which every name leads to."""
    settings = {
        "connection.autoconnect": "yes",
        "ipv4.method": "manual",
        "ipv4.addresses": f"{NAMES_LEAD_TO}/32",
        "ipv6.method": "disabled",
    }
    head = ("connection", "add", "type", "dummy", "con-name", NAMES_PROFILE)
    return (*head, "ifname", NAMES_PROFILE, *_flat(settings))


def emptiest_channel(heard: list[tuple[int, int]]) -> int:
    """Return the channel of `CHANNELS` that is disturbed least.

    Args:
        heard: Channel and strength (0 to 100) of each other Wi-Fi.
    """
    return min(CHANNELS, key=lambda channel: (_disturbed(channel, heard), channel != 6))


def _disturbed(channel: int, heard: list[tuple[int, int]]) -> int:
    # A channel is 20 MHz wide and they lie 5 MHz apart: four apart still touch.
    return sum(strength * max(5 - abs(channel - other), 0) for other, strength in heard)


def _flat(settings: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(word for setting in settings.items() for word in setting)
