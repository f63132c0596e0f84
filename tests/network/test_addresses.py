"""Which address the slate shows, whatever else the machine is connected to."""

import socket
import threading
from ipaddress import ip_address
from itertools import count

import pytest

from kloplei.network.addresses import (
    LOOPBACK,
    JoinAddress,
    JoinAddressWatcher,
    Local,
    Network,
    is_on_hotspot,
    join_url,
    look_at_network,
    page_at,
    reachable,
    read_ipv4_routes,
    read_ipv6_addresses,
    read_ipv6_routes,
    url_now,
)


def local(interface: str, address: str, *, passing: bool = False) -> Local:
    return Local(interface, ip_address(address), passing)


HOUSE = local("wlan0", "192.168.178.23")
CABLE = local("eth0", "192.168.1.9")
HOTSPOT = local("wlan0", "10.75.76.1")


def best(network: Network) -> str:
    return str(reachable(network))


def test_phones_are_where_the_default_route_leaves_from() -> None:
    assert best(Network((HOUSE, CABLE), routes_4=("eth0", "wlan0"))) == "192.168.1.9"
    assert best(Network((CABLE, HOUSE), routes_4=("wlan0",))) == "192.168.178.23"


def test_on_the_own_hotspot_phones_are_there() -> None:
    network = Network((CABLE, HOTSPOT), routes_4=("eth0",))

    assert best(network) == "10.75.76.1"
    assert is_on_hotspot(network)
    assert not is_on_hotspot(Network((CABLE, HOUSE)))


@pytest.mark.parametrize(
    "other",
    [
        local("docker0", "172.17.0.1"),
        local("br-0123456789ab", "172.18.0.1"),
        local("virbr0", "192.168.122.1"),
        local("wg0", "10.8.0.2"),
        local("tailscale0", "100.101.102.103"),
        local("kloplei-names", "198.51.100.1"),
        local("eth0", "169.254.7.9"),
        local("eth0", "fe80::1"),
        local("lo", "127.0.0.1"),
        local("eth0", "198.51.100.1"),
    ],
    ids=lambda one: f"{one.interface}-{one.address}",
)
def test_no_phone_is_on_the_other_side_of_these(other: Local) -> None:
    """Even where the default route leads through them, as a VPN may have it."""
    assert reachable(Network((other,), routes_4=(other.interface,))) is None
    assert best(Network((other, HOUSE), routes_4=(other.interface,))) == "192.168.178.23"


def test_a_bridge_that_somebody_made_on_purpose_is_a_network() -> None:
    assert best(Network((local("br0", "192.168.1.4"),), routes_4=("br0",))) == "192.168.1.4"


def test_without_any_route_wifi_is_likelier_than_a_cable() -> None:
    assert best(Network((CABLE, HOUSE, local("usb0", "192.168.7.2")))) == "192.168.178.23"


def test_ipv6_is_told_where_there_is_nothing_else() -> None:
    told = local("wlan0", "2001:db8::5")
    passing = local("wlan0", "2001:db8::abcd", passing=True)
    own = local("wlan0", "fd12::5")

    assert best(Network((passing, told), routes_6=("wlan0",))) == "2001:db8::5"
    assert best(Network((told, own), routes_6=("wlan0",))) == "fd12::5"
    assert best(Network((told, HOUSE), routes_6=("wlan0",))) == "192.168.178.23"


def test_a_panel_that_serves_ipv4_alone_is_not_told_by_ipv6() -> None:
    network = Network((local("wlan0", "fd12::5"),), routes_6=("wlan0",))

    assert url_now("0.0.0.0", 8080, network) is None  # noqa: S104
    assert url_now("::", 8080, network) == "http://[fd12::5]:8080/"


def test_without_a_network_there_is_no_way_in() -> None:
    assert reachable(Network()) is None
    assert url_now("::", 8080, Network()) is None


def test_a_panel_on_one_address_is_told_by_that_one() -> None:
    assert url_now("192.168.1.9", 80, Network()) == "http://192.168.1.9/"
    assert join_url("127.0.0.1", 8081) == "http://127.0.0.1:8081/"


def test_the_usual_port_need_not_be_typed() -> None:
    assert page_at("10.75.76.1", 80) == "http://10.75.76.1/"
    assert page_at("fd12::5", 8080) == "http://[fd12::5]:8080/"


def test_this_machine_knows_itself() -> None:
    """The kernel's own answer, of which the loopback and its family must not come out."""
    network = look_at_network()
    found = reachable(network)

    assert all(not one.address.is_loopback for one in network.local)
    assert join_url("::", 80) == page_at(LOOPBACK if found is None else str(found), 80)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        try:
            asking.connect(("192.0.2.77", 9))  # looks a route up; sends nothing
        except OSError:
            return
        leaves_from = asking.getsockname()[0]
    assert ip_address(leaves_from) in {one.address for one in network.local}


ROUTES_4 = """\
Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
wlan0\t00000000\t0101A8C0\t0003\t0\t0\t600\t00000000\t0\t0\t0
eth0\t00000000\t0101A8C0\t0003\t0\t0\t100\t00000000\t0\t0\t0
tun0\t00000000\t01000A0A\t0003\t0\t0\t50\t00000080\t0\t0\t0
usb0\t00000000\t00000000\t0201\t0\t0\t0\t00000000\t0\t0\t0
eth0\t0001A8C0\t00000000\t0001\t0\t0\t100\t00FFFFFF\t0\t0\t0
"""


def test_default_routes_are_read_by_their_metric() -> None:
    """A VPN's half of the internet (0.0.0.0/1) is no default route; a rejecting one is none."""
    assert read_ipv4_routes(ROUTES_4.splitlines()) == ("eth0", "wlan0")


def test_ipv6_routes_are_read_alike() -> None:
    none = "0" * 32
    lines = [
        f"{none} 00 {none} 00 {'fe80'.ljust(32, '1')} 00000258 00000001 00000000 00000003    wlan0",
        f"{none} 00 {none} 00 {'fe80'.ljust(32, '1')} 00000064 00000001 00000000 00000003     eth0",
        f"{none} 00 {none} 00 {none} ffffffff 00000001 00000000 00200200       lo",
        f"{'fe80'.ljust(32, '0')} 40 {none} 00 {none} 00000100 00000001 00000000 00000001   wlan0",
    ]

    assert read_ipv6_routes(lines) == ("eth0", "wlan0")


def test_ipv6_addresses_are_read_with_how_long_they_last() -> None:
    lines = [
        "20010db8000000000000000000000005 03 40 00 00    wlan0",
        "20010db800000000000000000000abcd 03 40 00 01    wlan0",
        "20010db8000000000000000000000bad 03 40 00 40    wlan0",
    ]

    assert read_ipv6_addresses(lines) == [
        local("wlan0", "2001:db8::5"),
        local("wlan0", "2001:db8::abcd", passing=True),
    ]


def test_the_lookout_tells_what_has_changed_and_nothing_else() -> None:
    now = [JoinAddress("http://192.168.1.9/")]
    told: list[JoinAddress] = []
    watcher = JoinAddressWatcher(lambda: now[0], told.append)

    watcher.look()
    watcher.look()
    now[0] = JoinAddress(None)
    watcher.look()

    assert told == [JoinAddress("http://192.168.1.9/"), JoinAddress(None)]


@pytest.mark.parametrize("error", [OSError("no such device"), ZeroDivisionError()])
def test_the_lookout_outlives_a_look_that_fails(
    error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    looks = count()
    found = threading.Event()

    def look() -> JoinAddress:
        if next(looks) == 0:
            raise error
        return JoinAddress("http://10.0.0.1/")

    with JoinAddressWatcher(look, lambda _: found.set(), every_s=0.001):
        assert found.wait(60)

    assert "cannot be looked at" in caplog.text
