"""The off button is Linux's: told is whether Linux has taken its pin, and what to write if not."""

from dataclasses import replace
from pathlib import Path

import pytest

from kloplei.checks import off, pins
from kloplei.checks.lines import HeldLine, NoHeader
from kloplei.checks.machine import Machine
from kloplei.checks.off import check_off
from kloplei.checks.pins import bus_clashes, foreign_holders
from kloplei.config import Config, OffConfig, PinsConfig, SlateConfig, TableConfig
from kloplei.config.wiring import claims
from tests.checks.machines import english, keys

BOX = Config(off=OffConfig(enabled=True))
CHIP = "gpiochip0"


def header(monkeypatch: pytest.MonkeyPatch, held: dict[int, str] | OSError) -> None:
    """Let the kernel hold these lines, or refuse to tell."""

    def held_lines(machine: Machine) -> dict[int, HeldLine]:
        if isinstance(held, OSError):
            raise held
        return {pin: HeldLine(CHIP, pin, name) for pin, name in held.items()}

    monkeypatch.setattr(off, "held_lines", held_lines)
    monkeypatch.setattr(pins, "held_lines", held_lines)


def test_a_pin_that_the_overlay_has_taken_is_well(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    header(monkeypatch, {25: "shutdown"})

    found = [*check_off(Machine(tmp_path), BOX), *pins.check_pins(Machine(tmp_path), BOX, set())]

    assert keys(found) == [("good", "off.good"), ("good", "pins.good")]


def test_a_pin_that_nobody_watches_is_told_with_the_line_to_write(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    header(monkeypatch, {})

    found = list(check_off(Machine(tmp_path), BOX))

    assert keys(found) == [("bad", "off.missing")]
    assert english(found[0]).endswith(
        "Put dtoverlay=gpio-shutdown,gpio_pin=25,debounce=2000 into "
        "/boot/firmware/config.txt, and restart."
    )


def test_a_pin_of_somebody_else_is_told_with_the_other_pins(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    header(monkeypatch, {25: "onewire@0"})

    assert list(check_off(Machine(tmp_path), BOX)) == []
    assert keys(pins.check_pins(Machine(tmp_path), BOX, set())) == [("bad", "pins.held")]


def test_a_pad_on_the_pin_of_the_overlay_is_held_by_it() -> None:
    line = HeldLine(CHIP, 17, "shutdown")

    found = list(foreign_holders(tuple(claims(Config())), {17: line}, [], set()))

    assert keys(found) == [("bad", "pins.held")]


@pytest.mark.parametrize(
    "config", [Config(), replace(BOX, pins=PinsConfig(factory="mock"))], ids=["none", "mock"]
)
def test_nothing_is_said_where_there_is_no_such_button(
    config: Config, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    header(monkeypatch, {})

    assert list(check_off(Machine(tmp_path), config)) == []


def test_who_may_not_ask_the_kernel_is_told_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    header(monkeypatch, PermissionError())
    refused = keys(check_off(Machine(tmp_path), BOX))
    header(monkeypatch, NoHeader())

    assert refused == [("poor", "may-not")]
    assert list(check_off(Machine(tmp_path), BOX)) == []


def test_beside_an_spi_slate_it_sits_where_i2c_must_be_off() -> None:
    box = replace(BOX, slate=SlateConfig(interface="spi"), table=TableConfig(seats=5))

    found = list(bus_clashes(tuple(claims(box)), {"I2C 1": (2, 3)}))

    assert [(one.says.facts["part"], one.says.facts["pin"]) for one in found] == [("off button", 3)]
