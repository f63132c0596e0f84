"""Switch the hotspot on and off; twice does no harm, and what fails leaves nothing behind."""

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from ipaddress import IPv4Address
from pathlib import Path

from kloplei.config import Config
from kloplei.hotspot import names
from kloplei.hotspot.nmcli import NO_SUCH, HotspotError, Nmcli, NmcliFailed
from kloplei.hotspot.password import hotspot_wifi
from kloplei.hotspot.profile import NAMES_PROFILE, PROFILE, Profile, names_to_add
from kloplei.hotspot.radio import Radio, quiet_channel, radio_for_hotspot
from kloplei.joining import HOTSPOT, NAMES_LEAD_TO

_UP_S = 45  # a Pi Zero's radio takes some seconds
_NAMES_UP_S = 10

Say = Callable[[str], None]


class Switch:
    """The switch of the hotspot of *config*; *say* tells people what happens to their phones."""

    def __init__(
        self,
        config: Config,
        nmcli: Nmcli | None = None,
        *,
        say: Say = print,
        drop_in: Path = names.DROP_IN,
    ) -> None:
        self._config = config
        self._nmcli = nmcli or Nmcli()
        self._say = say
        self._drop_in = drop_in

    def on(self, *, stays: bool = True) -> bool:
        """Switch it on, and return whether it was off, or another one.

        Args:
            stays: It comes back after a power cut, until somebody switches it off.

        Raises:
            HotspotError: It cannot be; the Wi-Fi of the house is back then, if there was one.
        """
        radio = radio_for_hotspot(self._nmcli)
        wifi = hotspot_wifi(self._config)
        wanted = Profile(wifi, radio.device, self._config.hotspot.channel, stays)
        is_news = names.install(self._every_name(), self._drop_in)
        if radio.is_hotspot and not is_news and self._stands(wanted):
            return False
        self._warn(radio)
        if not wanted.channel:
            wanted = replace(wanted, channel=quiet_channel(self._nmcli, radio.device))
        try:
            self._bring_up(wanted)
        except HotspotError:
            with suppress(HotspotError):
                self.off()
            raise
        return True

    def off(self) -> bool:
        """Switch it off, and return whether it was there; the house's Wi-Fi comes by itself.

        Raises:
            HotspotError: NetworkManager refuses.
        """
        names.remove(self._drop_in)
        was_there = self._forget(PROFILE)
        return self._forget(NAMES_PROFILE) or was_there

    def _bring_up(self, wanted: Profile) -> None:
        self._forget(PROFILE)
        try:
            self._nmcli.run(*wanted.to_add())
            self._nmcli.run("connection", "up", PROFILE, wait_s=_UP_S)
        except NmcliFailed as failed:
            raise HotspotError(
                f"NetworkManager could not switch the hotspot on: {failed.said} "
                "Look at: journalctl -u NetworkManager -n 30"
            ) from failed

    def _every_name(self) -> IPv4Address:
        """Return the address that names lead to, once it is the box's: else the hotspot's own."""
        if self._nmcli.settings(NAMES_PROFILE, ("ipv4.addresses",)) is None:
            try:
                self._nmcli.run(*names_to_add())
                self._nmcli.run("connection", "up", NAMES_PROFILE, wait_s=_NAMES_UP_S)
            except NmcliFailed:
                # A kernel without such interfaces: some Android phones will not be led here.
                self._forget(NAMES_PROFILE)
                return HOTSPOT.ip
        return NAMES_LEAD_TO

    def _stands(self, wanted: Profile) -> bool:
        return self._nmcli.settings(PROFILE, tuple(wanted.compared)) == wanted.compared

    def _forget(self, profile: str) -> bool:
        try:
            self._nmcli.run("connection", "delete", "id", profile)
        except NmcliFailed as failed:
            if failed.status == NO_SUCH:
                return False
            raise
        return True

    def _warn(self, radio: Radio) -> None:
        if radio.is_taken:
            self._say(
                f"{radio.device} leaves the Wi-Fi {radio.connection}: the box can no longer be "
                "reached there, and phones on the hotspot have no internet."
            )


def insist_on_root(command: str) -> None:
    """Refuse to go on for anybody but root.

    Raises:
        HotspotError: It is somebody else; the message is what to type instead.
    """
    if os.geteuid() != 0:
        raise HotspotError(f"Only root may switch the hotspot: sudo kloplei hotspot {command}")
