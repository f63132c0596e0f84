"""Board, disk, memory, voltage, warmth, clock, network, units and versions of a machine."""

import os
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from ipaddress import IPv4Address, IPv6Address
from pathlib import Path

import pytest

from kloplei import __version__
from kloplei.config.settings import BAD_GPIOZERO, AdcConfig, Config, SlateConfig
from kloplei.diagnostics.buses import check_spi
from kloplei.diagnostics.network import check_hotspot, check_network
from kloplei.diagnostics.system import (
    MADE_IN,
    Machine,
    ask_program,
    check_board,
    check_clock,
    check_disk,
    check_memory,
    check_pin_library,
    check_power,
    check_sound_right,
    check_temperature,
    check_units,
    check_versions,
    is_pi_five,
    own_pip,
)
from kloplei.network.addresses import Local
from tests.diagnostics.machines import FIVE, ZERO, english, keys, machine_with

THROTTLED = "sys/devices/platform/soc/soc:firmware/get_throttled"


def test_a_board_is_known_by_its_device_tree_and_so_is_its_hat(tmp_path: Path) -> None:
    plain = machine_with(tmp_path / "a", {"proc/device-tree/model": f"{ZERO}\0"})
    hatted = machine_with(
        tmp_path / "b", {"proc/device-tree/model": FIVE, "proc/device-tree/hat/product": "Amp\0"}
    )

    assert [english(one) for one in check_board(plain)] == [f"{ZERO}."]
    assert [english(one) for one in check_board(hatted)] == [f"{FIVE}, with Amp on top."]
    assert keys(check_board(Machine(tmp_path / "c"))) == [("poor", "board.other")]
    assert [is_pi_five(model) for model in (FIVE, ZERO, None)] == [True, False, False]


def room(free_mb: int, flags: int = 0) -> Callable[[Path], os.statvfs_result]:
    told = (4096, 1_000_000, 0, 0, free_mb, 0, 0, 0, flags, 255)
    return lambda _: os.statvfs_result(told)


@pytest.mark.parametrize(
    ("free_mb", "flags", "found"),
    [
        (5000, 0, ("good", "disk.good")),
        (150, 0, ("poor", "disk.low")),
        (3, 0, ("bad", "disk.full")),
        (5000, os.ST_RDONLY, ("bad", "disk.read-only")),
    ],
)
def test_a_disk_is_told_by_what_is_left_on_it(
    tmp_path: Path, free_mb: int, flags: int, found: tuple[str, str]
) -> None:
    assert keys(check_disk(Machine(tmp_path), tmp_path, room(free_mb, flags))) == [found]


def test_a_folder_that_is_yet_to_be_made_lies_on_the_disk_above_it(tmp_path: Path) -> None:
    asked = []

    def statvfs(folder: Path) -> os.statvfs_result:
        asked.append(folder)
        return room(5000)(folder)

    list(check_disk(Machine(tmp_path), tmp_path / "not/yet", statvfs))

    assert asked == [tmp_path]


def test_a_card_that_wears_out_is_told_before_it_dies(tmp_path: Path) -> None:
    files = {"sys/fs/ext4/mmcblk0p2/errors_count": "7\n", "sys/fs/ext4/sda1/errors_count": "0\n"}

    _, found = check_disk(machine_with(tmp_path, files), tmp_path, room(5000))

    assert english(found).startswith("On mmcblk0p2 7 errors were met. Keep everything now")


def test_memory_is_told_by_what_is_available(tmp_path: Path) -> None:
    low = machine_with(tmp_path / "a", {"proc/meminfo": "MemTotal: 1\nMemAvailable:   30000 kB\n"})
    fine = machine_with(tmp_path / "b", {"proc/meminfo": "MemAvailable:   300000 kB\n"})

    assert keys(check_memory(low)) == [("poor", "memory.low")]
    assert keys(check_memory(fine)) == [("good", "memory.good")]
    assert list(check_memory(Machine(tmp_path / "c"))) == []


@pytest.mark.parametrize(
    ("bits", "found"),
    [
        ("0", ("good", "power.good")),
        ("50005", ("bad", "power.low")),
        ("50000", ("poor", "power.was-low")),
        ("20000", ("good", "power.good")),
    ],
)
def test_low_voltage_is_told_now_and_afterwards(
    tmp_path: Path, bits: str, found: tuple[str, str]
) -> None:
    by_kernel = machine_with(tmp_path / "a", {THROTTLED: f"{bits}\n"})
    by_program = machine_with(tmp_path / "b", vcgencmd=f"throttled=0x{bits}\n")

    assert keys(check_power(by_kernel)) == [found]
    assert keys(check_power(by_program)) == [found]


@pytest.mark.parametrize(
    ("alarm", "found"), [("0", ("good", "power.good")), ("1", ("bad", "power.low"))]
)
def test_where_nobody_else_tells_the_kernels_alarm_does(
    tmp_path: Path, alarm: str, found: tuple[str, str]
) -> None:
    watch = "sys/class/hwmon/hwmon1"
    files = {f"{watch}/name": "rpi_volt\n", f"{watch}/in0_lcrit_alarm": alarm}

    assert keys(check_power(machine_with(tmp_path, files))) == [found]
    assert list(check_power(Machine(tmp_path / "elsewhere", lambda *_: None))) == []


@pytest.mark.parametrize(
    ("millis", "state"), [("45123", "good"), ("74000", "poor"), ("82000", "bad")]
)
def test_a_hot_pi_wants_air(tmp_path: Path, millis: str, state: str) -> None:
    machine = machine_with(tmp_path, {"sys/class/thermal/thermal_zone0/temp": millis})

    assert [one.state.value for one in check_temperature(machine)] == [state]


@pytest.mark.parametrize(
    ("year", "synchronised", "found"),
    [
        (MADE_IN, "yes", ("good", "clock.good")),
        (MADE_IN + 1, "no", ("good", "clock.unconfirmed")),
        (1970, "no", ("poor", "clock.wrong")),
        (MADE_IN - 1, "yes", ("poor", "clock.wrong")),
    ],
)
def test_only_a_clock_that_cannot_be_right_is_noted(
    tmp_path: Path, year: int, synchronised: str, found: tuple[str, str]
) -> None:
    machine = machine_with(tmp_path, timedatectl=f"{synchronised}\n")

    assert keys(check_clock(machine, lambda: datetime(year, 5, 1, tzinfo=UTC))) == [found]


def test_phones_are_told_where_the_box_is() -> None:
    at_home = (
        Local("wlan0", IPv4Address("192.168.1.7")),
        Local("wlan0", IPv6Address("fd00::7")),
        Local("wlan0", IPv6Address("2001:db8::99"), passing=True),
        Local("eth0", IPv4Address("10.0.0.2")),
    )

    assert keys(check_network("http://192.168.1.7:8080/", at_home)) == [("good", "network.good")]
    assert keys(check_network("http://[fd00::7]:8080/", at_home)) == [("good", "network.good")]
    assert keys(check_network("http://kloplei.local/", at_home)) == [("good", "network.good")]
    assert keys(check_network("http://192.168.7.1/", at_home)) == [("poor", "network.elsewhere")]
    assert keys(check_network("http://[FD00:0::7]/", at_home)) == [("good", "network.good")]
    assert keys(check_network("http://127.0.0.1:8080/", at_home)) == [("good", "network.only-here")]
    assert keys(check_network("", at_home)) == [("good", "network.here")]
    assert keys(check_network("", ())) == [("poor", "network.none")]


def test_a_hotspot_is_told_from_a_wifi_that_was_joined(tmp_path: Path) -> None:
    def answers(mode: str) -> Machine:
        def ask(*command: str) -> str | None:
            if "802-11-wireless.mode" in command:
                return f"{mode}\n" if command[-1] == "Café: de Klop" else None
            return "lo:loopback:lo\nCafé\\: de Klop:802-11-wireless:wlan0\n"

        return Machine(tmp_path, ask)

    assert [english(one) for one in check_hotspot(answers("ap"))] == [
        "The box makes a Wi-Fi of its own, with wlan0."
    ]
    assert keys(check_hotspot(answers("infrastructure"))) == [("good", "hotspot.off")]
    assert list(check_hotspot(Machine(tmp_path, lambda *_: None))) == []


UNIT = """\
Id={name}.service
LoadState={load}
ActiveState={active}
SubState=x
Result={result}
NRestarts={n}
"""


def unit(**more: object) -> str:
    usual = {"name": "kloplei-table", "load": "loaded", "active": "active", "result": "success"}
    return UNIT.format(**{**usual, "n": 0, **more})


@pytest.mark.parametrize(
    ("told", "found"),
    [
        (unit(), [("good", "unit.good")]),
        (unit(n=4), [("poor", "unit.restarted")]),
        (unit(active="failed", result="exit-code", n=2), [("bad", "unit.failed")]),
        (unit(active="activating", result="exit-code", n=9), [("bad", "unit.failed")]),
        (unit(active="inactive"), [("poor", "unit.stopped")]),
        (unit(load="not-found", active="inactive"), []),
        ("\n".join((unit(), unit(name="kloplei-panel"))), [("good", "unit.good")] * 2),
        ("", []),
    ],
)
def test_units_are_told_as_systemd_sees_them(
    tmp_path: Path, told: str, found: list[tuple[str, str]]
) -> None:
    assert keys(check_units(machine_with(tmp_path, systemctl=told))) == found


def test_a_unit_that_began_again_says_where_to_read_why(tmp_path: Path) -> None:
    (found,) = check_units(machine_with(tmp_path, systemctl=unit(n=4)))

    assert found.part == "kloplei-table"
    assert english(found) == (
        "It runs, but had to begin again 4 times. Read why: journalctl -u kloplei-table -n 50"
    )


def test_the_bus_of_the_piezos_is_looked_for_where_they_are(tmp_path: Path) -> None:
    with_piezos = Config(adc=AdcConfig(enabled=True, chip_select=1))
    machine = machine_with(tmp_path, {"dev/spidev0.0": ""})

    found = list(check_spi(machine, with_piezos))

    assert ("bad", "spi.missing") in keys(found)
    assert "SPI bus 0 with CE1 is not there" in english(found[0])
    assert list(check_spi(machine, Config())) == []
    on_spi = Config(slate=SlateConfig(interface="spi"))
    assert ("bad", "spi.missing") not in keys(check_spi(machine, on_spi))


def test_versions_are_told_in_one_line(tmp_path: Path) -> None:
    machine = machine_with(tmp_path, {"etc/os-release": 'ID=x\nPRETTY_NAME="Raspbian 12"\n'})

    (found,) = check_versions(machine, {"gpiozero": "2.0.1"}.get)

    assert found.says.facts["kloplei"] == __version__
    assert "Raspbian 12" in english(found)
    assert "gpiozero 2.0.1; journal of schema" in english(found)


def test_a_program_that_is_not_there_or_fails_or_hangs_says_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("kloplei.diagnostics.system.PATIENCE_S", 60.0)
    assert ask_program("kloplei-no-such-program") is None
    assert ask_program("sh", "-c", "exit 3") is None
    assert ask_program("sh", "-c", "echo $LC_ALL") == "C\n"

    monkeypatch.setattr("kloplei.diagnostics.system.PATIENCE_S", 0.2)
    assert ask_program("sh", "-c", "sleep 600") is None


SOUND = {"gpiozero": "2.0.1.post3", "lgpio": "0.2.2.0"}
RPI = {"gpiozero": "2.0.1.post3", "RPi.GPIO": "0.7.1"}


@pytest.mark.parametrize(
    ("factory", "model", "packages", "found"),
    [
        ("lgpio", ZERO, SOUND, ("good", "library.good")),
        ("lgpio", FIVE, SOUND, ("good", "library.good")),
        ("lgpio", ZERO, {"gpiozero": "2.0.1.post3"}, ("bad", "library.missing")),
        ("lgpio", ZERO, {**SOUND, "gpiozero": "1.6.2"}, ("bad", "library.too-old")),
        ("lgpio", FIVE, {**SOUND, "gpiozero": "2.0.1.post1"}, ("bad", "library.knows-no-five")),
        ("lgpio", FIVE, {**SOUND, "gpiozero": "2.0.1.post2"}, ("bad", "library.knows-no-five")),
        ("rpigpio", ZERO, RPI, ("good", "library.good")),
        ("rpigpio", FIVE, RPI, ("bad", "library.not-on-five")),
        ("rpigpio", FIVE, {**SOUND, "rpi-lgpio": "0.6"}, ("good", "library.good")),
        ("rpigpio", ZERO, {**RPI, "rpi-lgpio": "0.6"}, ("bad", "library.two")),
        ("pigpio", ZERO, {**SOUND, "pigpio": "1.78"}, ("good", "library.good")),
        ("pigpio", FIVE, {**SOUND, "pigpio": "1.78"}, ("bad", "library.not-on-five")),
        ("native", ZERO, SOUND, ("good", "library.good")),
        ("mock", ZERO, SOUND, ("poor", "library.mock")),
    ],
)
def test_a_combination_is_known(
    factory: str, model: str, packages: Mapping[str, str], found: tuple[str, str]
) -> None:
    findings = list(check_pin_library(factory, model, packages.get, (3, 11)))

    assert keys(findings) == [found]


def test_two_troubles_are_both_told() -> None:
    old = {"gpiozero": "1.6.2", "RPi.GPIO": "0.7.1"}

    findings = list(check_pin_library("rpigpio", FIVE, old.get, (3, 11)))

    assert [key for _, key in keys(findings)] == ["library.too-old", "library.not-on-five"]


AT_APT = (
    "python3-lgpio | 0.2.2-1~rpt1 | http://archive.raspberrypi.org trixie/main arm64 Packages\n"
)


@pytest.mark.parametrize(
    ("python", "pip", "at_apt", "step"),
    [
        ((3, 13), None, AT_APT, "Install it: sudo apt install python3-lgpio"),
        ((3, 11), None, AT_APT, "Install it: sudo apt install python3-lgpio"),
        ((3, 13), None, None, "Install it: sudo apt install python3-lgpio"),
        ((3, 13), "/opt/k/bin/pip", AT_APT, "make the environment with --system-site-packages."),
        ((3, 11), "/opt/k/bin/pip", AT_APT, "and take python3-lgpio."),
        ((3, 11), "/opt/k/bin/pip", "", "and take python3-lgpio."),
    ],
)
def test_a_missing_lgpio_is_told_the_way_that_leads_to_it(
    python: tuple[int, int], pip: str | None, at_apt: str | None, step: str
) -> None:
    """Whoever had the package, on Python 3.13, was told to make a virtual environment anew."""
    packages = {"gpiozero": "2.0.1.post3"}

    (found,) = check_pin_library(
        "lgpio", ZERO, packages.get, python, lambda: pip, lambda *_: at_apt
    )

    assert english(found).endswith(step)


@pytest.mark.parametrize(("python", "pip"), [((3, 13), "/opt/k/bin/pip"), ((3, 11), None)])
def test_plain_debian_is_not_told_to_install_what_it_lacks(
    python: tuple[int, int], pip: str | None
) -> None:
    packages = {"gpiozero": "2.0.1.post3"}

    (found,) = check_pin_library("lgpio", ZERO, packages.get, python, lambda: pip, lambda *_: "")

    assert "apt knows no python3-lgpio here. Raspberry Pi OS has it" in english(found)


def test_the_factory_refuses_the_same_versions() -> None:
    for version in BAD_GPIOZERO:
        packages = {**SOUND, "gpiozero": version}
        (found,) = check_pin_library("lgpio", FIVE, packages.get, (3, 11))
        assert version in english(found)


def test_where_apt_does_not_reach_it_is_told_what_does() -> None:
    """Whoever did as told, in an environment of his own, heard the same again."""
    packages = {"gpiozero": "2.0.1.post3"}

    (lacks,) = check_pin_library("rpigpio", ZERO, packages.get, (3, 11), lambda: "/opt/k/bin/pip")

    assert "/opt/k/bin/pip install rpi-lgpio, or make it anew with --system-site" in english(lacks)
    assert english(lacks).endswith("and take python3-rpi-lgpio.")


@pytest.mark.parametrize(
    ("written", "pip"),
    [
        ("include-system-site-packages = false\n", True),
        ("include-system-site-packages = true\n", False),
        (None, False),
    ],
)
def test_apt_reaches_what_sees_the_systems_packages(
    tmp_path: Path, written: str | None, pip: bool
) -> None:
    if written is not None:
        (tmp_path / "pyvenv.cfg").write_text(f"home = /usr/bin\n{written}")

    assert own_pip(str(tmp_path), "/usr") == (f"{tmp_path}/bin/pip" if pip else None)
    assert own_pip("/usr", "/usr") is None


TABLE_UNIT = "usr/lib/systemd/system/kloplei-table.service"
ADDED = "etc/systemd/system/kloplei-table.service.d"
CLOSED = "[Service]\nDeviceAllow=char-spi rw\n"


@pytest.mark.parametrize(
    ("there", "command"),
    [("usr/libexec/kloplei/sound-card", "/usr/libexec/kloplei/sound-card"), ("", "packaging/")],
)
def test_a_table_that_may_open_no_sound_card_is_told_with_what_to_type(
    tmp_path: Path, there: str, command: str
) -> None:
    files = {TABLE_UNIT: CLOSED, f"{ADDED}/mine.conf": "[Service]\n# DeviceAllow=char-alsa rw\n"}
    machine = machine_with(tmp_path, {**files, **({there: ""} if there else {})})

    (found,) = check_sound_right(machine, ("[audio]", "[voice]"))

    assert keys([found]) == [("bad", "sound-card.shut")]
    assert "[audio]" in english(found)
    assert "[voice]" in english(found)
    assert f"sudo {command}" in english(found)


@pytest.mark.parametrize(
    "files",
    [
        {},
        {TABLE_UNIT: CLOSED, f"{ADDED}/sound-card.conf": "[Service]\nDeviceAllow=char-alsa rw\n"},
        {TABLE_UNIT: CLOSED, f"{ADDED}/mine.conf": "[Service]\nDeviceAllow=/dev/snd/pcmC0D0c r\n"},
    ],
)
def test_a_table_that_may_open_one_or_has_no_unit_needs_no_word(
    tmp_path: Path, files: Mapping[str, str]
) -> None:
    assert list(check_sound_right(machine_with(tmp_path, files), ("[audio]",))) == []


def test_who_asks_for_no_sound_is_told_nothing_of_cards(tmp_path: Path) -> None:
    assert list(check_sound_right(machine_with(tmp_path, {TABLE_UNIT: CLOSED}), ())) == []
