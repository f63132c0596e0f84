"""Who answers on the I2C bus, and what it means that nobody does, or everybody."""

import errno
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from kloplei.config.reader import parse_config
from kloplei.config.settings import Config, SlateConfig
from kloplei.diagnostics.buses import FIRST, LAST, Scan, check_i2c, judge, judge_all, scan
from tests.diagnostics.machines import english, keys, machine_with

EVERYBODY = frozenset(range(FIRST, LAST + 1))
SLATE = SlateConfig()


class Chips:
    """An I2C bus on which some addresses answer."""

    def __init__(self, *there: int, nobody: int = errno.EREMOTEIO, **odd: int) -> None:
        self.there = there
        self.nobody = nobody
        self.odd = {int(address, 16): number for address, number in odd.items()}
        self.written: list[int] = []
        self.read: list[int] = []
        self.closed = False

    def write_quick(self, address: int, /) -> None:
        self.written.append(address)
        self._answer(address)

    def read_byte(self, address: int, /) -> None:
        self.read.append(address)
        self._answer(address)

    def close(self) -> None:
        self.closed = True

    def _answer(self, address: int) -> None:
        if address in self.odd:
            raise OSError(self.odd[address], "odd")
        if address not in self.there:
            raise OSError(self.nobody, "nobody")


def test_those_that_answer_are_found_and_memories_are_only_read() -> None:
    chips = Chips(0x3C, 0x57)

    assert scan(chips) == Scan(frozenset({0x3C, 0x57}))
    assert {0x30, 0x50, 0x57} <= set(chips.read)
    assert 0x57 not in chips.written


def test_a_chip_that_a_driver_of_the_kernel_talks_to_is_there() -> None:
    chips = Chips()
    chips.odd[0x68] = errno.EBUSY

    assert scan(chips).found == {0x68}


def test_a_bus_that_hangs_is_given_up_at_its_first_question() -> None:
    """An adapter waits a second for each of 112 addresses."""
    chips = Chips(nobody=errno.ETIMEDOUT)

    assert scan(chips) == Scan(hangs=True)
    assert len(chips.written) == 1


def test_a_bus_that_only_takes_its_time_is_given_up_as_well() -> None:
    now = iter(range(1000))

    assert scan(Chips(0x3C), clock=lambda: next(now) / 10).hangs


@pytest.mark.parametrize(
    ("scanned", "key", "says"),
    [
        (Scan(frozenset({0x3C})), "i2c.good", "0x3C (an OLED)"),
        (Scan(frozenset({0x3C, 0x68})), "i2c.good", "0x3C (an OLED), 0x68 (a clock)"),
        (Scan(frozenset({0x3D})), "i2c.other", "Set [slate] address = 0x3D"),
        (Scan(frozenset({0x27})), "i2c.no-slate", "0x27 (an LCD with a backpack)"),
        (Scan(frozenset({0x48, 0x11})), "i2c.no-slate", "0x11, 0x48 (an analog converter)"),
        (Scan(), "i2c.nobody", "SDA and SCL are swapped"),
        (Scan(EVERYBODY), "i2c.all", "SDA is stuck low"),
        (Scan(hangs=True), "i2c.hangs", "look for a bridge of solder"),
    ],
)
def test_what_answers_is_said_in_words(scanned: Scan, key: str, says: str) -> None:
    finding = judge(scanned, SLATE)

    assert finding.says.key == key
    assert says in english(finding)


def test_a_slate_at_the_other_address_is_well() -> None:
    assert judge(Scan(frozenset({0x3D})), replace(SLATE, address=0x3D)).says.key == "i2c.good"


def opened(chips: Chips) -> Callable[[int], Chips]:
    return lambda number: chips


def test_a_bus_that_is_off_is_said_to_be_switched_on(tmp_path: Path) -> None:
    found = list(check_i2c(machine_with(tmp_path), Config(), opened(Chips())))

    assert keys(found) == [("bad", "i2c.missing")]
    assert "raspi-config" in english(found[0])


def test_a_slow_bus_is_noted_with_what_a_picture_takes(tmp_path: Path) -> None:
    speed = "sys/class/i2c-adapter/i2c-1/of_node/clock-frequency"
    files = {"dev/i2c-1": b"", speed: (100_000).to_bytes(4, "big")}
    chips = Chips(0x3C)

    found = list(check_i2c(machine_with(tmp_path, files), Config(), opened(chips)))

    assert keys(found) == [("good", "i2c.good"), ("poor", "i2c.slow")]
    assert "runs at 100 kHz: a whole picture takes 93 ms" in english(found[1])
    assert chips.closed


@pytest.mark.parametrize(
    ("number", "key"), [(errno.EACCES, "may-not"), (errno.ENOTSUP, "i2c.failed")]
)
def test_a_bus_that_cannot_be_asked_is_no_crash(tmp_path: Path, number: int, key: str) -> None:
    machine = machine_with(tmp_path, {"dev/i2c-1": ""})

    found = list(check_i2c(machine, Config(), opened(Chips(nobody=number))))

    assert [one.says.key for one in found] == [key]


def test_a_box_without_a_slate_on_i2c_asks_nobody(tmp_path: Path) -> None:
    for slate in (SlateConfig(driver="none"), SlateConfig(interface="spi")):
        assert list(check_i2c(machine_with(tmp_path), Config(slate=slate))) == []


@pytest.mark.parametrize(
    ("found", "keys"),
    [
        ({0x3C, 0x3D}, ["i2c.good"]),
        ({0x3C}, ["i2c.good", "i2c.no-slate"]),
        ({0x3D}, ["i2c.no-slate", "i2c.good"]),
        ({0x3C, 0x48}, ["i2c.good", "i2c.no-slate"]),
    ],
)
def test_of_two_slates_it_names_the_one_that_is_silent(found: set[int], keys: list[str]) -> None:
    config = parse_config("[second_slate]\nenabled = true\n", "k")

    said = judge_all(Scan(frozenset(found)), config.slates)

    assert [finding.says.key for finding in said] == keys
