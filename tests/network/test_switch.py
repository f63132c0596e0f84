"""The hotspot comes on, stays on, goes off, and says why not, by NetworkManager's own words."""

import os
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from kloplei.network.hotspot import (
    HotspotError,
    HotspotStatus,
    Nmcli,
    PasswordUnkept,
    hotspot_status,
    hotspot_wifi,
    known_wifi,
    quiet_channel,
)
from tests.network.conftest import IN_THE_HOUSE, Box

NAMED = 'name = "De Lei"\npassword = "tienlevens"'


def test_on_makes_a_wpa2_access_point_that_comes_back_after_a_power_cut(box: Box) -> None:
    assert box.switch(NAMED).on()

    assert box.profile == {
        "type": "wifi",
        "connection.interface-name": "wlan0",
        "802-11-wireless.ssid": "De Lei",
        "802-11-wireless.mode": "ap",
        "802-11-wireless.band": "bg",
        "802-11-wireless.channel": "6",
        "802-11-wireless.powersave": "2",
        "802-11-wireless-security.key-mgmt": "wpa-psk",
        "802-11-wireless-security.psk": "tienlevens",
        "802-11-wireless-security.proto": "rsn",
        "802-11-wireless-security.pairwise": "ccmp",
        "802-11-wireless-security.group": "ccmp",
        "802-11-wireless-security.pmf": "1",
        "connection.autoconnect": "yes",
        "connection.autoconnect-priority": "100",
        "ipv4.method": "shared",
        "ipv4.addresses": "10.75.76.1/24",
        "ipv6.method": "disabled",
    }
    assert box.state["devices"][0] == ["wlan0", "wifi", "connected", "kloplei"]


def test_names_are_ready_before_the_first_phone_can_ask(box: Box) -> None:
    """NetworkManager's dnsmasq reads the drop-in once, when the hotspot comes up."""
    box.become(up_fails="for the sake of the order")
    order = []

    with pytest.raises(HotspotError):
        box.switch(NAMED).on()
    order = [asked for asked in box.state["asked"] if "up" in asked]

    assert [asked[-1] for asked in order] == ["kloplei-names", "kloplei"]


def test_every_name_leads_to_the_box(box: Box) -> None:
    box.switch().on()

    lines = box.drop_in.read_text().splitlines()
    assert "address=/#/198.51.100.1" in lines
    assert "local=/#/" in lines
    names = box.state["profiles"]["kloplei-names"]
    assert (names["type"], names["ipv4.addresses"]) == ("dummy", "198.51.100.1/32")


def test_a_kernel_without_dummies_lets_names_lead_to_the_hotspot_itself(box: Box) -> None:
    box.become(no_dummy=True)

    box.switch().on()

    assert "address=/#/10.75.76.1" in box.drop_in.read_text().splitlines()
    assert "kloplei-names" not in box.state["profiles"]


def test_on_twice_throws_no_phone_off(box: Box) -> None:
    box.switch(NAMED).on()
    asked = len(box.state["asked"])

    assert not box.switch(NAMED).on()

    assert not {"add", "up", "delete", "list"} & {
        word for words in box.state["asked"][asked:] for word in words
    }


@pytest.mark.parametrize(
    "settings", ['name = "Anders"\npassword = "tienlevens"', NAMED + "\nchannel = 11"]
)
def test_on_with_other_settings_begins_anew(box: Box, settings: str) -> None:
    box.switch(NAMED).on()

    assert box.switch(settings).on()

    assert box.profile["802-11-wireless.ssid"] in settings


def test_a_password_is_made_once_and_kept_to_the_table(box: Box) -> None:
    made = hotspot_wifi(box.config())

    assert re.fullmatch(r"([bdfghkmnprstvz][aeiou]){4}-[2-9]{4}", made.password or "")
    assert hotspot_wifi(box.config()) == known_wifi(box.config()) == made
    assert (box.data / "hotspot.json").stat().st_mode & 0o777 == 0o600
    assert (made.password or "?") not in repr(made)


@pytest.mark.parametrize(
    "plant",
    [
        lambda kept, other: kept.symlink_to(other),
        lambda kept, _: kept.symlink_to("/dev/zero"),
        lambda kept, _: os.mkfifo(kept),
        lambda kept, _: kept.mkdir(),
        lambda kept, _: kept.write_text("[" * 1024),
    ],
    ids=["another's secret", "without end", "a pipe", "a folder", "nested without end"],
)
def test_what_is_planted_for_the_password_gives_root_away_to_nobody(
    box: Box, plant: Callable[[Path, Path], None]
) -> None:
    """The unit runs as root in a folder of the table's user: a link was read, and broadcast."""
    other = box.data.parent / "of root.json"
    other.write_text('{"password": "geheim van root"}')
    plant(box.data / "hotspot.json", other)
    (box.data / ".hotspot.json.new").symlink_to(other)

    with suppress(PasswordUnkept):  # a folder cannot be replaced
        box.switch().on()

    assert "geheim" not in str(box.state["asked"])
    assert other.read_text() == '{"password": "geheim van root"}'
    assert other.lstat().st_uid == os.geteuid()


def test_a_password_of_the_settings_is_written_nowhere_else(box: Box) -> None:
    box.switch(NAMED).on()

    assert list(box.data.iterdir()) == []


def test_the_emptiest_channel_is_taken(box: Box) -> None:
    box.become(heard=[[6, 90], [4, 40], [11, 10], [36, 99]])
    box.switch().on()
    assert box.profile["802-11-wireless.channel"] == "11"


def test_the_house_is_warned_of_losing_the_box(box: Box) -> None:
    box.become(devices=IN_THE_HOUSE)

    box.switch().on()

    (said,) = box.said
    assert said.startswith("wlan0 leaves the Wi-Fi De: Klop: the box can no longer be reached")
    assert said.endswith("phones on the hotspot have no internet.")


def test_a_second_radio_spares_the_house(box: Box) -> None:
    box.become(devices=[*IN_THE_HOUSE, ["wlan1", "wifi", "disconnected", ""]])

    box.switch().on()

    assert box.profile["connection.interface-name"] == "wlan1"
    assert box.said == []


def test_what_fails_leaves_nothing_behind_and_the_house_is_back(box: Box) -> None:
    box.become(devices=IN_THE_HOUSE, house="De: Klop", up_fails="802.1X supplicant took too long")

    with pytest.raises(HotspotError, match="supplicant took too long"):
        box.switch().on()

    assert box.state["profiles"] == {}
    assert not box.drop_in.exists()
    assert box.state["devices"][0][3] == "De: Klop"


def test_off_goes_back_to_the_house_and_leaves_no_trace(box: Box) -> None:
    box.become(devices=IN_THE_HOUSE, house="De: Klop")
    switch = box.switch()
    switch.on()

    assert switch.off()

    assert box.state["profiles"] == {}
    assert not box.drop_in.exists()
    assert box.state["devices"][0] == ["wlan0", "wifi", "connected", "De: Klop"]


def test_off_twice_is_no_mistake(box: Box) -> None:
    assert not box.switch().off()


def test_for_this_evening_it_is_gone_after_the_power_cut(box: Box) -> None:
    box.switch().on(stays=False)

    assert box.profile["connection.autoconnect"] == "no"


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        ({"running": False}, "NetworkManager does not run. Start it: sudo systemctl enable"),
        ({"devices": [["eth0", "ethernet", "connected", "Wired"]]}, "has no Wi-Fi device"),
        (
            {"devices": [["wlan0", "wifi", "unavailable", ""]], "radio": ["enabled", "disabled"]},
            "sudo raspi-config nonint do_wifi_country NL",
        ),
        ({"devices": [["wlan0", "wifi", "unavailable", ""]]}, "sudo apt install wpasupplicant"),
        (
            {"devices": [["wlan0", "wifi", "unmanaged", ""]]},
            "sudo nmcli device set wlan0 managed yes",
        ),
    ],
)
def test_what_stands_in_the_way_is_said_with_the_next_step(
    box: Box, found: dict[str, object], sentence: str
) -> None:
    box.become(**found)

    with pytest.raises(HotspotError, match=sentence):
        box.switch().on()

    assert not box.drop_in.exists()


def test_another_program_called_nmcli_is_told(
    box: Box, install: Callable[[str, str], None]
) -> None:
    install("nmcli", "print('a:b\\n::\\n')")

    with pytest.raises(HotspotError, match="nmcli --version"):
        box.switch().on()


def test_a_list_of_networks_that_says_no_channel_takes_none_for_it() -> None:
    class Vague(Nmcli):
        def run(self, *arguments: str, wait_s: int | None = None) -> str:
            return "1:80\n:\n--:70\n" if "list" in arguments else ""

    assert quiet_channel(Vague(), "wlan0") in {6, 11}


def test_a_box_without_networkmanager_is_told_what_to_install(
    box: Box, install: Callable[[str, str], None]
) -> None:
    install("nmcli", "")
    (box.data.parent / "bin" / "nmcli").unlink()

    with pytest.raises(HotspotError, match="sudo apt install network-manager"):
        box.switch().on()


class TestStatus:
    """What phones see."""

    IW = 'print("Station 02:00 (on wlan0)\\n\\tsignal: -40 dBm\\nStation 02:01 (on wlan0)")'

    def test_off_is_off(self, box: Box) -> None:
        assert hotspot_status(box.config()) == HotspotStatus(is_on=False)

    def test_on_tells_name_address_and_phones(
        self, box: Box, install: Callable[[str, str], None]
    ) -> None:
        install("iw", self.IW)
        box.switch('name = "Lei: \\"2\\""').on()

        assert hotspot_status(box.config(panel="port = 80")) == HotspotStatus(
            is_on=True,
            name='Lei: "2"',
            address="http://10.75.76.1/",
            device="wlan0",
            channel=6,
            phones=2,
            stays=True,
        )

    def test_without_iw_nobody_is_counted(self, box: Box) -> None:
        box.switch().on()

        assert hotspot_status(box.config()).phones is None
