"""nmcli's terse words, with names that people give their Wi-Fi."""

from ipaddress import IPv4Address
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kloplei.config.reader import parse_config
from kloplei.network import hotspot
from kloplei.network.addresses import JoinAddress, Network, Wifi
from kloplei.network.hotspot import (
    HotspotError,
    emptiest_channel,
    join_address,
    no_network_comes,
    split_terse,
)
from tests.network.fake_nmcli import escaped
from tests.network.test_addresses import HOTSPOT, HOUSE


def test_a_name_with_colons_stays_one_field() -> None:
    """As nmcli printed it."""
    assert split_terse(r'wlan0:wifi:De\: "Klop\\ ') == ["wlan0", "wifi", 'De: "Klop\\ ']


@given(st.lists(st.text(st.characters(exclude_categories=["Cs", "Cc"])), min_size=1))
def test_whatever_is_escaped_is_read_back(fields: list[str]) -> None:
    assert split_terse(":".join(map(escaped, fields))) == fields


@pytest.mark.parametrize(
    ("heard", "channel"),
    [
        ([], 6),
        ([(6, 80)], 1),
        ([(1, 80), (6, 80)], 11),
        ([(1, 10), (6, 80), (11, 60)], 1),
        ([(3, 90), (9, 20)], 11),
        ([(36, 100), (149, 100)], 6),
    ],
)
def test_the_channel_is_the_one_disturbed_least(heard: list[tuple[int, int]], channel: int) -> None:
    assert emptiest_channel(heard) == channel


def test_a_drop_in_that_stands_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "new" / "kloplei.conf"

    assert hotspot.install_drop_in(IPv4Address("198.51.100.1"), path)
    assert not hotspot.install_drop_in(IPv4Address("198.51.100.1"), path)
    hotspot.remove_drop_in(path)
    hotspot.remove_drop_in(path)

    assert not path.exists()


def test_a_drop_in_that_cannot_be_written_says_where(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(HotspotError, match=r"kloplei\.conf cannot be written .* df -h"):
        hotspot.install_drop_in(IPv4Address("198.51.100.1"), tmp_path / "file" / "kloplei.conf")


class TestFallback:
    """No network within the time: the box makes its own."""

    def after(self, *networks: Network) -> tuple[bool, float]:
        now_s = [0.0]
        looks = iter(networks)
        last = [Network()]

        def look() -> Network:
            last[0] = next(looks, last[0])
            return last[0]

        def wait(for_s: float) -> None:
            now_s[0] += for_s

        fell = no_network_comes(120.0, look=look, now=lambda: now_s[0], wait=wait)
        return fell, now_s[0]

    def test_a_box_in_a_network_does_not_wait(self) -> None:
        assert self.after(Network((HOUSE,))) == (False, 0.0)

    def test_a_router_that_needs_its_time_is_waited_for(self) -> None:
        assert self.after(Network(), Network(), Network((HOUSE,))) == (False, 10.0)

    def test_without_any_it_is_for_the_box_to_make_one(self) -> None:
        assert self.after(Network()) == (True, 120.0)


class TestWayIn:
    """What slate and panel tell a phone."""

    CONFIG = parse_config(
        '[network]\nname = "De Klop"\npassword = "tienlevens"\n'
        '[hotspot]\nname = "Lei"\npassword = "elflevens"\n[panel]\nport = 80\n',
        "kloplei.toml",
    )

    def test_in_the_house_it_is_the_wifi_of_the_house(self) -> None:
        found = join_address(self.CONFIG, lambda: Network((HOUSE,)))

        assert found == JoinAddress("http://192.168.178.23/", Wifi("De Klop", "tienlevens"))

    def test_on_the_hotspot_it_is_the_hotspot(self) -> None:
        found = join_address(self.CONFIG, lambda: Network((HOTSPOT,)))

        assert found == JoinAddress("http://10.75.76.1/", Wifi("Lei", "elflevens"), on_hotspot=True)

    def test_without_network_the_name_of_the_wifi_stands_all_the_same(self) -> None:
        found = join_address(self.CONFIG, Network)

        assert (found.url, found.wifi) == (None, Wifi("De Klop", "tienlevens"))

    def test_an_address_that_is_set_is_told_whatever_the_network(self) -> None:
        config = parse_config('[network]\naddress = "lei.cafe.example"\n', "kloplei.toml")

        assert join_address(config, Network).url == "http://lei.cafe.example:8080/"

    def test_no_secret_shows_in_what_is_printed(self) -> None:
        assert "levens" not in repr(join_address(self.CONFIG, lambda: Network((HOTSPOT,))))
