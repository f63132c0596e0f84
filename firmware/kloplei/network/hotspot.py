"""The box's own Wi-Fi: switched on and off through NetworkManager, and how phones see it.

`Nmcli` asks NetworkManager and reads what it says in terse mode. `HotspotSwitch` brings up two
profiles and a drop-in for the dnsmasq that NetworkManager runs, on the radio that may carry them;
twice does no harm, and what fails leaves nothing behind. Name and password are the settings' own,
or a password that is made once and kept.

Where the box finds no network after its start the hotspot comes by itself (`no_network_comes`).
That is not left to NetworkManager's own priorities: it would choose the hotspot within seconds,
while the house's router, cut off with the box, takes minutes to come back.
"""

import json
import os
import secrets
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import KW_ONLY, field, replace
from ipaddress import IPv4Address
from pathlib import Path

from kloplei.config.settings import Config
from kloplei.files import KlopleiError, atomic_write, opened_folder, read_below, reason_of
from kloplei.frozen import dataclass
from kloplei.network.addresses import (
    HOTSPOT,
    NAMES_LEAD_TO,
    JoinAddress,
    Network,
    Wifi,
    is_on_hotspot,
    look_at_network,
    page_at,
    reachable,
    url_now,
)

NOT_RUNNING, NO_SUCH = 8, 10  # exit status, nmcli(1)
_NO_BUS = "Could not create NMClient"  # with status 1: there is not even a bus to ask on
_QUESTION_S = 20.0  # longer than nmcli itself waits for anything but an activation


class HotspotError(KlopleiError, OSError):
    """What was asked of the hotspot cannot be done; the message says what to do next."""


class NmcliFailed(HotspotError):
    """nmcli refused; *status* is its exit status, *said* its own words."""

    def __init__(self, status: int, said: str) -> None:
        self.status = status
        self.said = said
        super().__init__(f"NetworkManager refuses: {said}")


class Nmcli:
    """Runs ``nmcli``, and reads what it says."""

    def run(self, *arguments: str, wait_s: int | None = None) -> str:
        """Return what nmcli prints for *arguments*.

        Args:
            arguments: Its command line.
            wait_s: How long NetworkManager may take; None for its own usual time.

        Raises:
            NmcliFailed: It refused.
            HotspotError: There is no NetworkManager, or it hangs.
        """
        wait = [] if wait_s is None else ["--wait", str(wait_s)]
        try:
            # A password may stand in the arguments: it also stands on the slate, for everybody.
            done = subprocess.run(  # noqa: S603
                ["nmcli", *wait, *arguments],  # noqa: S607
                stdin=subprocess.DEVNULL,
                capture_output=True,
                encoding="utf-8",
                errors="replace",
                env={**os.environ, "LC_ALL": "C.UTF-8"},
                timeout=_QUESTION_S + (wait_s or 0),
                check=False,
            )
        except FileNotFoundError:
            raise HotspotError(
                "There is no NetworkManager on this box, which Raspberry Pi OS has since Bookworm. "
                "Install it: sudo apt install network-manager"
            ) from None
        except subprocess.TimeoutExpired:
            raise HotspotError(
                "NetworkManager does not answer. Start it again: "
                "sudo systemctl restart NetworkManager"
            ) from None
        if done.returncode == NOT_RUNNING or _NO_BUS in done.stderr:
            raise HotspotError(
                "NetworkManager does not run. Start it: sudo systemctl enable --now NetworkManager"
            )
        if done.returncode:
            raise NmcliFailed(done.returncode, _in_one_line(done.stderr))
        return done.stdout

    def rows(self, fields: Sequence[str], *command: str) -> list[dict[str, str]]:
        """Return the table that *command* prints, a row by the names of *fields*."""
        printed = self.run("--terse", "--fields", ",".join(fields), *command)
        return [_named(fields, split_terse(line)) for line in printed.split("\n") if line]

    def settings(self, profile: str, names: Sequence[str]) -> dict[str, str] | None:
        """Return the settings *names* of *profile*, secrets as well; None if there is none."""
        command = ("--show-secrets", "--get-values", ",".join(names), "connection", "show", profile)
        try:
            printed = self.run(*command)
        except NmcliFailed as failed:
            if failed.status == NO_SUCH:
                return None
            raise
        values = ["".join(split_terse(line)) for line in printed.removesuffix("\n").split("\n")]
        return _named(names, values)


def split_terse(line: str) -> list[str]:
    r"""Return the fields of a terse *line*, in which ``\`` stands before ``:`` and ``\``."""
    fields, literal = [""], False
    for letter in line:
        if letter == "\\" and not literal:
            literal = True
        elif letter == ":" and not literal:
            fields.append("")
        else:
            fields[-1] += letter
            literal = False
    return fields


def _named(names: Sequence[str], values: list[str]) -> dict[str, str]:
    if len(names) != len(values):
        raise HotspotError(
            "nmcli does not answer as NetworkManager's own does. Which one is it? "
            "command -v nmcli; nmcli --version"
        )
    return dict(zip(names, values, strict=True))


def _in_one_line(said: str) -> str:
    words = " ".join(line.removeprefix("Error: ") for line in said.split("\n")).split()
    return " ".join(words) or "it does not say why"


PROFILE = "kloplei"
"""The hotspot itself, by this name whatever phones call it."""

NAMES_PROFILE = "kloplei-names"
"""An interface of no hardware, which holds the address that every name leads to."""

_BEFORE_THE_HOUSE = "100"  # connection.autoconnect-priority; Wi-Fi of the house has 0
CHANNELS = (1, 6, 11)  # of the 2.4 GHz band, the three that do not overlap


@dataclass(frozen=True, slots=True)
class HotspotProfile:
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


DROP_IN = Path("/etc/NetworkManager/dnsmasq-shared.d/kloplei.conf")
_BOX_NAMES = ("kloplei", "slate", "lei")  # short, for who would rather type a name


def drop_in_text(every_name: IPv4Address) -> str:
    """Return the drop-in that lets every name lead to *every_name*, which is the box."""
    lines = [
        "# Made by: kloplei hotspot on. Removed by: kloplei hotspot off.",
        "# Every name is this box; what is asked besides an IPv4 address does not exist.",
        "no-resolv",
        "local=/#/",
        f"address=/#/{every_name}",
        *(f"address=/{name}/{HOTSPOT.ip}" for name in _BOX_NAMES),
        "# Windows takes a network for the internet by this answer.",
        "address=/dns.msftncsi.com/131.107.255.255",
        "# Not there, by their makers' wish: Firefox then asks us, and so does an iPhone.",
        "address=/use-application-dns.net/",
        "address=/mask.icloud.com/",
        "address=/mask-h2.icloud.com/",
    ]
    return "\n".join(lines) + "\n"


def install_drop_in(every_name: IPv4Address, path: Path = DROP_IN) -> bool:
    """Write the drop-in, and return whether it differs from what stood there.

    Raises:
        HotspotError: It cannot be written.
    """
    wanted = drop_in_text(every_name).encode()
    try:
        if path.is_file() and path.read_bytes() == wanted:
            return False
        path.parent.mkdir(parents=True, exist_ok=True)
        atomic_write(path, wanted)
    except OSError as error:
        raise HotspotError(
            f"{path} cannot be written ({reason_of(error)}). Look at the disk: df -h"
        ) from error
    return True


def remove_drop_in(path: Path = DROP_IN) -> None:
    """Take the drop-in away; one that is not there is no mistake.

    Raises:
        HotspotError: It cannot be removed.
    """
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise HotspotError(
            f"{path} cannot be removed ({reason_of(error)}). Look at the disk: df -h"
        ) from error


_FILE = "hotspot.json"
_MOST_BYTES = 1024
# Without letters that look like others, in speakable pairs: to be read off a slate and typed.
_FIRST, _SECOND, _DIGITS = "bdfghkmnprstvz", "aeiou", "23456789"


class PasswordUnkept(KlopleiError, OSError):
    """The hotspot's password can be neither read nor kept; the message names the file."""


def hotspot_wifi(config: Config) -> Wifi:
    """Return the hotspot of *config*; a password that nobody has set is made here, and kept.

    Raises:
        PasswordUnkept: It cannot be read, made or kept.
    """
    known = known_wifi(config)
    if known.password is not None:
        return known
    path = config.table.data / _FILE
    password = new_password()
    try:
        _keep(path, password)
    except OSError as error:
        raise PasswordUnkept(
            f"{path} cannot be written ({reason_of(error)}); look at the disk and the rights there"
        ) from error
    return Wifi(config.hotspot.name, password)


def known_wifi(config: Config) -> Wifi:
    """Return the hotspot of *config*, with its password if there is one already."""
    if config.hotspot.password is not None:
        return Wifi(config.hotspot.name, config.hotspot.password)
    try:
        # As root too, in a folder of the table's user: a link there may lead to another's secret.
        with opened_folder(config.table.data) as folder:
            kept = json.loads(read_below(folder, _FILE, _MOST_BYTES))
        return Wifi(config.hotspot.name, str(kept["password"]))
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return Wifi(config.hotspot.name)  # not made yet, or not ours to read


def new_password() -> str:
    """Return a password such as ``bamokido-4729``, which stands in one line of the slate.

    Its 36 bits keep the neighbours out; who sits at the table reads it anyway.
    """
    word = "".join(secrets.choice(_FIRST) + secrets.choice(_SECOND) for _ in range(4))
    return f"{word}-{''.join(secrets.choice(_DIGITS) for _ in range(4))}"


def _keep(path: Path, password: str) -> None:
    """Write *password* for the table's own user alone: phones read it off the slate."""
    path.parent.mkdir(mode=0o750, parents=True, exist_ok=True)
    atomic_write(path, json.dumps({"password": password}).encode(), 0o600)


_LOOK_EVERY_S = 5.0


def no_network_comes(
    within_s: float,
    *,
    look: Callable[[], Network] = look_at_network,
    now: Callable[[], float] = time.monotonic,
    wait: Callable[[float], None] = time.sleep,
) -> bool:
    """Return whether this machine is in no network for *within_s* seconds from now."""
    until_s = now() + within_s
    while reachable(look()) is None:
        if now() >= until_s:
            return True
        wait(_LOOK_EVERY_S)
    return False


def join_address(config: Config, look: Callable[[], Network] = look_at_network) -> JoinAddress:
    """Return how phones get to the box of *config* at this moment.

    The hotspot's password is in it only where the process may read it, which is the table.
    """
    network = look()
    panel = config.panel
    if config.network.address is not None:
        url: str | None = page_at(config.network.address, panel.port)
    else:
        url = url_now(panel.host, panel.port, network)
    if is_on_hotspot(network):
        return JoinAddress(url, known_wifi(config), on_hotspot=True)
    house = config.network
    return JoinAddress(url, Wifi(house.name, house.password) if house.name else None)


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


_UP_S = 45  # a Pi Zero's radio takes some seconds
_NAMES_UP_S = 10

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class HotspotSwitch:
    """The switch of the hotspot of *config*; *say* tells people what happens to their phones."""

    config: Config
    nmcli: Nmcli = field(default_factory=Nmcli)
    _: KW_ONLY
    say: Say = print
    drop_in: Path = DROP_IN

    def on(self, *, stays: bool = True) -> bool:
        """Switch it on, and return whether it was off, or another one.

        Args:
            stays: It comes back after a power cut, until somebody switches it off.

        Raises:
            HotspotError: It cannot be; the Wi-Fi of the house is back then, if there was one.
        """
        radio = radio_for_hotspot(self.nmcli)
        wifi = hotspot_wifi(self.config)
        wanted = HotspotProfile(wifi, radio.device, self.config.hotspot.channel, stays)
        is_news = install_drop_in(self._every_name(), self.drop_in)
        if radio.is_hotspot and not is_news and self._stands(wanted):
            return False
        self._warn(radio)
        if not wanted.channel:
            wanted = replace(wanted, channel=quiet_channel(self.nmcli, radio.device))
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
        remove_drop_in(self.drop_in)
        was_there = self._forget(PROFILE)
        return self._forget(NAMES_PROFILE) or was_there

    def _bring_up(self, wanted: HotspotProfile) -> None:
        self._forget(PROFILE)
        try:
            self.nmcli.run(*wanted.to_add())
            self.nmcli.run("connection", "up", PROFILE, wait_s=_UP_S)
        except NmcliFailed as failed:
            raise HotspotError(
                f"NetworkManager could not switch the hotspot on: {failed.said} "
                "Look at: journalctl -u NetworkManager -n 30"
            ) from failed

    def _every_name(self) -> IPv4Address:
        """Return the address that names lead to, once it is the box's: else the hotspot's own."""
        if self.nmcli.settings(NAMES_PROFILE, ("ipv4.addresses",)) is None:
            try:
                self.nmcli.run(*names_to_add())
                self.nmcli.run("connection", "up", NAMES_PROFILE, wait_s=_NAMES_UP_S)
            except NmcliFailed:
                # A kernel without such interfaces: some Android phones will not be led here.
                self._forget(NAMES_PROFILE)
                return HOTSPOT.ip
        return NAMES_LEAD_TO

    def _stands(self, wanted: HotspotProfile) -> bool:
        return self.nmcli.settings(PROFILE, tuple(wanted.compared)) == wanted.compared

    def _forget(self, profile: str) -> bool:
        try:
            self.nmcli.run("connection", "delete", "id", profile)
        except NmcliFailed as failed:
            if failed.status == NO_SUCH:
                return False
            raise
        return True

    def _warn(self, radio: Radio) -> None:
        if radio.is_taken:
            self.say(
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


PI_HOLDS = (7, 10)
"""How many phones the radio of a Raspberry Pi holds at once, with the usual firmware."""

_IW_S = 5.0


@dataclass(frozen=True, slots=True)
class HotspotStatus:
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


def hotspot_status(config: Config) -> HotspotStatus:
    """Return how the hotspot of *config* does.

    Raises:
        HotspotError: There is no NetworkManager, or it does not run.
    """
    nmcli = Nmcli()
    names = ("802-11-wireless.ssid", "802-11-wireless.channel", "connection.autoconnect")
    found = nmcli.settings(PROFILE, names)
    on = next((radio for radio in radios(nmcli) if radio.is_hotspot), None)
    if found is None:
        return HotspotStatus(is_on=False)
    ssid, channel, autoconnect = (found[name] for name in names)
    return HotspotStatus(
        is_on=on is not None,
        name=ssid,
        address=page_at(str(HOTSPOT.ip), config.panel.port),
        device=None if on is None else on.device,
        channel=int(channel) if channel.isdigit() and channel != "0" else None,
        phones=None if on is None else _phones_on(on.device),
        stays=autoconnect == "yes",
    )


def _phones_on(device: str) -> int | None:
    try:
        done = subprocess.run(  # noqa: S603
            ["iw", "dev", device, "station", "dump"],  # noqa: S607
            capture_output=True,
            text=True,
            timeout=_IW_S,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return sum(line.startswith("Station ") for line in done.stdout.splitlines())
