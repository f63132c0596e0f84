"""The pin map, held against gpiozero's own data of four boards and every page that names a pin."""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from gpiozero.pins.mock import MockFactory

from kloplei.config.reader import parse_config
from kloplei.config.settings import Config, PinsConfig
from kloplei.config.wiring import ADC_BUS, I2C_PINS, SPI_PINS, claims
from tests.pin_map import HEADER, LARGEST_BOX, LARGEST_SPI_BOX, PINS, pin_map
from tests.pin_map import SPI_PINS as MAP_ON_SPI

HERE = Path(__file__).parents[2]
SPI0, UART, EEPROM = {7, 8, 9, 10, 11}, {14, 15}, {0, 1}
BOARDS = {"Zero2W": "902120", "3B+": "a020d3", "4B": "c03114", "5B": "c04170"}
PAGES = sorted(
    page
    for folder in (".", "docs", "docs/rules", "hw", "hw/case", "systemd")
    for page in (HERE / folder).glob("*.md")
)


@cache
def header_of(model: str) -> Mapping[int, Any]:
    """Return gpiozero's pins of J8 by their position."""
    board = MockFactory(revision=BOARDS[model]).board_info
    assert board.model == model
    return dict(board.headers["J8"].pins)


def pins_of(model: str) -> Mapping[int, Any]:
    """Return gpiozero's pins of J8 by their BCM number."""
    named = [pin for pin in header_of(model).values() if pin.name.startswith("GPIO")]
    return {int(pin.name[4:]): pin for pin in named}


def at(model: str, what: str) -> set[int]:
    """Return where *what*, such as GND, comes out."""
    return {number for number, pin in header_of(model).items() if pin.name == what}


def test_every_part_of_the_largest_box_has_a_row_of_its_own() -> None:
    assert len(PINS) == 8 + 8 + 2 + 3 + 1 + 1  # buttons, pads, I2C, lamp, buzzer, off button
    assert len({row.gpio for row in PINS}) == len({row.part for row in PINS}) == len(PINS)


def test_no_default_pin_is_the_consoles_or_a_hats() -> None:
    assert not {row.gpio for row in (*PINS, *MAP_ON_SPI)} & (UART | EEPROM)


def test_the_default_pins_of_seats_1_to_5_lamp_and_buzzer_keep_off_every_bus() -> None:
    busless = {row.gpio for row in MAP_ON_SPI if row.part.split()[0] not in ("slate", "off")}

    assert not busless & (SPI0 | set(I2C_PINS[1]))


def test_seats_6_to_8_use_the_pins_of_a_bus_only_when_the_slate_leaves_it_free() -> None:
    on_bus = {row.part for row in PINS if row.gpio in SPI0}

    assert on_bus == {"pad 6", "pad 7", "pad 8", "button 7", "button 8"}


def test_a_converter_has_its_bus_to_itself() -> None:
    box = parse_config("[adc]\nenabled = true\n", "full")

    on_bus = {claim.part for claim in claims(box) if claim.pin in SPI0}

    assert on_bus == {f"adc {wire}" for wire in SPI_PINS[ADC_BUS].values()}


def test_the_off_button_leaves_i2c_alone_where_a_slate_needs_it() -> None:
    (on_i2c,) = (row.gpio for row in PINS if row.part == "off button")
    (on_spi,) = (row.gpio for row in MAP_ON_SPI if row.part == "off button")

    assert on_i2c not in I2C_PINS[1]
    assert on_spi in I2C_PINS[1]  # there it also starts the box


def test_the_map_leaves_out_no_wire() -> None:
    for box in (LARGEST_BOX, LARGEST_SPI_BOX):
        assert {row.gpio for row in pin_map(box)} == {claim.pin for claim in claims(box)}


@pytest.mark.parametrize("model", BOARDS)
class TestOnTheBoard:
    """What gpiozero knows of each board (gpiozero.pins.data)."""

    def test_each_gpio_comes_out_where_we_say(self, model: str) -> None:
        known = {gpio: pin.number for gpio, pin in pins_of(model).items()}

        assert {gpio: known[gpio] for gpio in HEADER} == HEADER
        assert set(known) - set(HEADER) == EEPROM

    def test_the_buses_sit_where_the_board_has_them(self, model: str) -> None:
        pins = pins_of(model)

        for gpio in (*I2C_PINS[0], *I2C_PINS[1]):
            assert "i2c" in pins[gpio].interfaces, gpio
        for gpio in (*SPI_PINS[0], *SPI_PINS[1]):
            assert "spi" in pins[gpio].interfaces, gpio
        for gpio in UART:
            assert "uart" in pins[gpio].interfaces, gpio

    def test_only_the_wires_of_i2c_have_a_pull_up_that_cannot_be_switched_off(
        self, model: str
    ) -> None:
        fixed = {gpio for gpio, pin in pins_of(model).items() if pin.pull}

        assert fixed == set(I2C_PINS[1])
        on_fixed = {row.part for row in (*PINS, *MAP_ON_SPI) if row.gpio in fixed}
        assert on_fixed == {"slate SDA", "slate SCL", "off button"}

    def test_every_wire_of_the_map_is_on_a_gpio(self, model: str) -> None:
        header = header_of(model)

        for row in (*PINS, *MAP_ON_SPI):
            assert header[row.header].name == f"GPIO{row.gpio}"
            assert "gpio" in header[row.header].interfaces

    @pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(HERE)))
    def test_positions_in_prose_are_the_boards(self, page: Path, model: str) -> None:
        """Such as: from GPIO 25 (header 22) to GND (header 20)."""
        text, header = page.read_text(encoding="utf-8"), header_of(model)
        said = re.findall(r"(GPIO \d+|GND|3V3) \(header (\d+)", text)

        for what, number in said:
            assert header[int(number)].name == what.replace(" ", ""), f"{what} ({number})"


def tables(page: Path) -> Iterator[list[dict[str, str]]]:
    """Yield the tables of *page*: their rows by the head of each column."""
    rows: list[list[str]] = []
    for line in [*page.read_text(encoding="utf-8").splitlines(), ""]:
        if line.startswith("|"):
            rows.append([cell.strip() for cell in line.strip("|").split("|")])
        elif rows:
            yield [dict(zip(rows[0], row, strict=False)) for row in rows[2:]]
            rows = []


WIRING = [(page, table) for page in PAGES for table in tables(page) if "GPIO" in (table or [{}])[0]]
"""Tables in which a column is headed GPIO."""


def test_the_pages_have_wiring_tables() -> None:
    assert HERE / "docs/config.md" in {page for page, _ in WIRING}


@pytest.mark.parametrize(("page", "rows"), WIRING, ids=lambda one: getattr(one, "stem", ""))
def test_a_wiring_table_says_what_the_map_says(page: Path, rows: list[dict[str, str]]) -> None:
    parts = {(row.part, row.gpio) for row in (*PINS, *MAP_ON_SPI)}
    named = {part for part, _ in parts}
    pairs = [(row, int(row["GPIO"])) for row in rows if row["GPIO"].isdigit()]

    for row, gpio in pairs:
        assert int(row.get("Header", HEADER[gpio])) == HEADER[gpio]
        assert {(cell, gpio) for cell in row.values() if cell in named} <= parts


def test_the_table_of_the_converter_is_the_bus() -> None:
    (table,) = (one for one in tables(HERE / "docs/sensors.md") if one and "goes to" in one[0])
    said = {row["MCP3208, MCP3008"]: re.findall(r"GPIO (\d+)", row["goes to"]) for row in table}
    pins = {wire: str(gpio) for gpio, wire in SPI_PINS[ADC_BUS].items()}

    assert {wire: numbers for wire, numbers in said.items() if numbers} == {
        "CLK": [pins["SCLK"]],
        "DOUT": [pins["MISO"]],
        "DIN": [pins["MOSI"]],
        "CS": [pins["CE0"], pins["CE1"]],
    }


SAMPLES = [
    (f"{page.name} {number}", sample)
    for page in PAGES
    if page.name != "hub.md"  # of hub.toml; tests/hub reads those
    for number, sample in enumerate(
        re.findall(r"^```toml\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S), 1
    )
]


@pytest.mark.parametrize(("name", "sample"), SAMPLES, ids=[name for name, _ in SAMPLES])
def test_every_settings_file_of_the_pages_can_be_wired(name: str, sample: str) -> None:
    box = parse_config(sample, name)

    assert all(claim.pin in HEADER for claim in claims(box))


def test_what_the_packaged_settings_say_of_pins_is_so() -> None:
    text = (HERE / "packaging/kloplei.toml").read_text(encoding="utf-8")
    sections = {one.partition("]")[0]: one for one in text.split("\n[")[1:]}
    said = {
        name: {int(one) for one in re.findall(r"\d+", found[1])}
        for name, section in sections.items()
        if (found := re.search(r"GPIO ([\d, and]+)", section))
    }

    assert set(said) == {"lamp", "buzzer", "off"}
    for part, pins in said.items():
        box = parse_config(f"[{part}]\nenabled = true\n", "kloplei.toml")
        assert pins == {one.pin for one in claims(box) if one.setting.startswith(f"{part}.")}


def test_the_unit_of_the_table_reaches_the_header_as_the_settings_do() -> None:
    unit = (HERE / "systemd/kloplei-table.service").read_text(encoding="utf-8")

    assert f"GPIOZERO_PIN_FACTORY={PinsConfig().factory} " in unit


def test_the_line_for_config_txt_is_the_one_of_the_settings() -> None:
    off = parse_config("[off]\nenabled = true\n", "off").off
    text = (HERE / "docs/install.md").read_text(encoding="utf-8")

    assert re.findall(r"^    (dtoverlay=gpio-shutdown\S*)$", text, re.M) == [off.line(25)]
    assert Config().off_pin is None
