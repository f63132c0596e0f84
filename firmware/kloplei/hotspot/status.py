"""The hotspot as phones see it: its name, its address, and how many are on it."""

import subprocess
from dataclasses import dataclass

from kloplei.config import Config
from kloplei.hotspot.nmcli import Nmcli
from kloplei.hotspot.profile import PROFILE
from kloplei.hotspot.radio import radios
from kloplei.joining import HOTSPOT, page_at

PI_HOLDS = (7, 10)
"""How many phones the radio of a Raspberry Pi holds at once, with the usual firmware."""

_IW_S = 5.0


@dataclass(frozen=True, slots=True)
class Status:
    """What is known of the hotspot; None is what could not be found out.

    *is_on*: phones can join it now. *name* and *address* are what they see, *phones* how many
    are on it. *stays*: it comes back after a power cut.
    """

    is_on: bool
    name: str | None = None
    address: str | None = None
    device: str | None = None
    channel: int | None = None
    phones: int | None = None
    stays: bool = False


def hotspot_status(config: Config, nmcli: Nmcli | None = None, *, iw: str = "iw") -> Status:
    """Return how the hotspot of *config* does.

    Raises:
        HotspotError: There is no NetworkManager, or it does not run.
    """
    nmcli = nmcli or Nmcli()
    names = ("802-11-wireless.ssid", "802-11-wireless.channel", "connection.autoconnect")
    found = nmcli.settings(PROFILE, names)
    on = next((radio for radio in radios(nmcli) if radio.is_hotspot), None)
    if found is None:
        return Status(is_on=False)
    ssid, channel, autoconnect = (found[name] for name in names)
    return Status(
        is_on=on is not None,
        name=ssid,
        address=page_at(str(HOTSPOT.ip), config.panel.port),
        device=None if on is None else on.device,
        channel=int(channel) if channel.isdigit() and channel != "0" else None,
        phones=None if on is None else _phones_on(on.device, iw),
        stays=autoconnect == "yes",
    )


def _phones_on(device: str, iw: str) -> int | None:
    try:
        done = subprocess.run(  # noqa: S603
            [iw, "dev", device, "station", "dump"],
            capture_output=True,
            text=True,
            timeout=_IW_S,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return sum(line.startswith("Station ") for line in done.stdout.splitlines())
