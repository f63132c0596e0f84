"""hw/slates.md wires slates as the settings have them."""

import re
from pathlib import Path

import pytest

from kloplei.config.reader import parse_config
from kloplei.config.settings import SlateConfig
from kloplei.config.wiring import I2C_PINS, SPI_PINS
from tests.pin_map import HEADER

PAGE = Path(__file__).parents[2] / "hw/slates.md"
SLATE = SlateConfig()
BUS = {wire: pin for pin, wire in SPI_PINS[0].items()}
WIRES = {
    **{wire: pin for pin, wire in I2C_PINS[1].items()},
    "D0, SCLK, CLK": BUS["SCLK"],
    "D1, SDIN, MOSI": BUS["MOSI"],
    "CS": BUS["CE0"],
    "DC": SLATE.dc,
    "RES, RST": SLATE.reset,
}


@pytest.mark.parametrize("wire", WIRES)
def test_a_wire_goes_where_the_settings_look_for_it(wire: str) -> None:
    (line,) = re.findall(rf"^\| {wire} \| (.+?) \|", PAGE.read_text(), re.MULTILINE)

    at, pin = map(int, re.findall(r"pin (\d+) \(GPIO (\d+)", line)[0])

    assert pin == WIRES[wire]
    assert HEADER[pin] == at


@pytest.mark.parametrize(("number", "slates"), [(0, 1), (1, 1), (2, 2)])
def test_its_settings_are_settings(number: int, slates: int) -> None:
    written = re.findall(r"```toml\n(.*?)```", PAGE.read_text(), re.DOTALL)[number]

    assert len(parse_config(written, "k").slates) == slates
