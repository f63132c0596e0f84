"""The hotspot in the air: two simulated radios of the kernel, the real NetworkManager, a phone."""

import json
import shutil
import sys
from pathlib import Path

import pytest

from tests.box.kernel.guest import FOLDER, Guest

NEEDED = {
    "nmcli": "network-manager",
    "wpa_supplicant": "wpasupplicant",
    "iw": "iw",
    "dnsmasq": "dnsmasq-base",
    "dig": "bind9-dnsutils",
    "dbus-daemon": "dbus",
    "ip": "iproute2",
}
PROGRAM = Path(__file__).with_name("kernel") / "hotspot"
KLOPLEI = f"{sys.executable} -m kloplei"


@pytest.fixture(scope="module")
def told() -> dict[str, str]:
    """What box and phone said, by heading."""
    missing = [package for program, package in NEEDED.items() if not shutil.which(program)]
    assert not missing, f"Install what is missing: apt-get install {' '.join(missing)}"
    printed = Guest(FOLDER).run("env", f"KLOPLEI={KLOPLEI}", str(PROGRAM), radio=True)
    parts = [part.partition("\n") for part in printed.split("\n== ")[1:]]
    return {heading.strip(): text for heading, _, text in parts}


def test_the_hotspot_comes_up_and_a_phone_is_on_it(told: dict[str, str]) -> None:
    assert "ended with 0" in told["on"], told["on"]
    assert "SSID: Lei" in told["phone"], told["phone"]


def test_every_name_leads_a_phone_to_the_box(told: dict[str, str]) -> None:
    assert "198.51.100.1" in told["phone"].split(), told["phone"]


def test_the_box_says_what_phones_see_and_how_many_are_there(told: dict[str, str]) -> None:
    status = json.loads(told["status"])

    assert (status["is_on"], status["name"], status["phones"]) == (True, "Lei", 1)
    assert status["address"].startswith("http://10.75.76.1")


def test_off_leaves_nothing(told: dict[str, str]) -> None:
    assert "ended with 0" in told["off"], told["off"]
    assert told["left"].split() == []
