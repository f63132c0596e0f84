"""The drawings of hw/wiring/, wire by wire: against the board, and against their settings file."""

import re
from collections import Counter
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest
from gpiozero.pins.mock import MockFactory

from hw.drawings import BUILDS, FOLDER, Wire, read
from hw.front_end import ADC, PAD
from hw.layouts import FIRST_FOUR, NEXT_FOUR, TWO_PADS
from hw.sheet import PUCK as PUCK_PARTS
from kloplei.config.reader import load_config, parse_config
from kloplei.config.settings import AdcConfig, Config
from kloplei.config.wiring import ADC_BUS, SPI_PINS, claims
from kloplei.games.game import Seat
from tests.pin_map import HEADER

CONFIG_PAGE = Path(__file__).parents[2] / "docs/config.md"
PI = "PI"
BOARDS = ("902120", "a020d3", "c03114", "c04170")  # Zero 2 W, 3B+, 4B, 5
CHIP_WIRES = {"CLK": "adc SCLK", "DIN": "adc MOSI", "DOUT": "adc MISO", "CS": "adc CE0"}
BLACK, RED = "BK", "RD"


@cache
def settings(build: str) -> Config:
    return load_config(FOLDER / f"{build}.toml")


def label(build: str, pin: int | str) -> str:
    """Return what stands beside *pin* of the header in the drawing."""
    return str(read(build).parts[PI]["pinlabels"][int(pin) - 1])


def from_pi(build: str) -> list[Wire]:
    return [wire for wire in read(build).wires if wire.near == PI]


def colour(build: str, wire: Wire) -> str:
    return str(read(build).cables[wire.cable]["colors"][int(wire.wire) - 1])


def meant(wire: Wire) -> str:
    """Return what the settings call the part that *wire* leads to."""
    part, pin = wire.far, str(wire.far_pin)
    if part == "FRONT-END":
        return CHIP_WIRES[pin]
    if part == "PADS":
        return pin.replace("OUT", "pad")
    if part == "OLED":
        return f"slate {pin}"
    if part == "LAMP":
        return f"lamp {pin}"
    if part.startswith("BUTTON"):
        return part.replace("BUTTON", "button ")
    return {"BUZZER": "buzzer", "OFF": "off button"}[part]


def drawn(build: str) -> Mapping[str, int]:
    """Return the GPIO of each part that the drawing connects, by the settings' name of it."""
    wires = [one for one in from_pi(build) if label(build, one.near_pin).startswith("GPIO")]
    found = {meant(one): int(label(build, one.near_pin).split()[1]) for one in wires}
    assert len(found) == len(wires)
    return found


def test_each_source_has_its_settings_and_the_other_way_round() -> None:
    sources = {one.stem for one in FOLDER.glob("*.yml")} - {"header"}

    assert sources == {one.stem for one in FOLDER.glob("*.toml")} == set(BUILDS)


@pytest.mark.parametrize("build", BUILDS)
class TestABuild:
    def test_the_header_is_that_of_every_board(self, build: str) -> None:
        for revision in BOARDS:
            pins = MockFactory(revision=revision).board_info.headers["J8"].pins
            named = [pins[number].name for number in sorted(pins)]
            assert [label(build, at).replace(" ", "") for at in range(1, 41)] == named

    def test_every_pin_that_the_settings_use_is_wired_and_no_other(self, build: str) -> None:
        wanted = {claim.part: claim.pin for claim in claims(settings(build))}
        wanted.pop("adc CE1", None)  # the kernel takes it along; nothing hangs on it

        assert drawn(build) == wanted

    def test_a_gpio_in_the_drawing_is_where_the_pin_map_has_it(self, build: str) -> None:
        for wire in from_pi(build):
            name = label(build, wire.near_pin)
            if name.startswith("GPIO"):
                assert HEADER[int(name.split()[1])] == wire.near_pin

    def test_no_wire_is_on_5_volt(self, build: str) -> None:
        used = {label(build, wire.near_pin) for wire in from_pi(build)}

        assert "5V" not in used
        assert {one for one in used if not one.startswith("GPIO")} <= {"3V3", "GND"}

    def test_each_pin_of_the_header_has_one_wire(self, build: str) -> None:
        used = Counter(wire.near_pin for wire in from_pi(build))

        assert used
        assert set(used.values()) == {1}

    def test_each_wire_of_a_cable_and_each_pin_of_a_part_is_used_once(self, build: str) -> None:
        one = read(build)
        wires = Counter((wire.cable, wire.wire) for wire in one.wires)
        pins = Counter((wire.far, wire.far_pin) for wire in one.wires)

        there = {
            (name, number)
            for name, cable in one.cables.items()
            for number in range(1, len(cable["colors"]) + 1)
        }
        shields = {(name, "s") for name, cable in one.cables.items() if cable.get("shield")}
        ends = {
            (name, pin)
            for name, part in one.parts.items()
            if name != PI and not re.fullmatch(r"(CLAMP|PLUG)\d", name)
            for pin in part["pins"]
        }
        assert dict(wires) == dict.fromkeys(there | shields, 1)
        assert dict(pins) == dict.fromkeys(ends, 1)

    def test_supplies_keep_their_colours_and_meet_their_like(self, build: str) -> None:
        """Red is 3V3 and black is GND; only the lamp's red leg has a red wire of its own."""
        for wire in from_pi(build):
            name = label(build, wire.near_pin)
            assert (colour(build, wire) == BLACK) == (name == "GND")
            assert (colour(build, wire) == RED) == (name == "3V3" or wire.far_pin == "red")
            if name == "3V3":
                assert wire.far_pin in {"VCC", "3V3"}
            if name == "GND":
                assert wire.far_pin in {"GND", "-", "cathode", "a", "b"}

    def test_a_button_lies_between_a_gpio_and_ground(self, build: str) -> None:
        buttons = [name for name in read(build).parts if re.match(r"BUTTON|OFF", name)]

        for button in buttons:
            ends = {label(build, w.near_pin)[:4] for w in from_pi(build) if w.far == button}
            assert ends == {"GPIO", "GND"}

    def test_leg_b_is_ground_at_every_button(self, build: str) -> None:
        """Two of the easy build's had ground at leg a, and two at leg b."""
        for wire in from_pi(build):
            if re.match(r"BUTTON|OFF", wire.far):
                assert (label(build, wire.near_pin) == "GND") == (wire.far_pin == "b")

    def test_each_clamp_leads_to_its_socket_and_each_puck_to_its_plug_in_a_shield(
        self, build: str
    ) -> None:
        """1 is the core and 2 the braid, on both sides: a plug with a key cannot swap them."""
        one = read(build)
        pucks = [wire for wire in one.wires if wire.near != PI]
        number = {name: re.sub(r"\D", "", name) for name in [*one.parts, *one.cables]}

        clamps = [name for name in one.parts if re.fullmatch(r"CLAMP\d", name)]
        assert len(pucks) == 4 * len(clamps)
        for wire in pucks:
            assert number[wire.near] == number[wire.cable] == number[wire.far]
            assert one.cables[wire.cable]["shield"]
            ends = re.sub(r"\d", "", wire.near), re.sub(r"\d", "", wire.far)
            assert (*ends, wire.near_pin, wire.wire, wire.far_pin) in {
                ("CLAMP", "SOCKET", "core", 1, 1),
                ("CLAMP", "SOCKET", "braid", "s", 2),
                ("PLUG", "PUCK", 1, 1, "ceramic"),
                ("PLUG", "PUCK", 2, "s", "brass"),
            }


def test_each_puck_is_a_pad_or_a_piezo_of_the_settings() -> None:
    def pucks(build: str) -> int:
        return sum(name.startswith("PUCK") for name in read(build).parts)

    assert settings("full").piezos == tuple((at, Seat(at)) for at in range(pucks("full")))
    assert [pad.seat for pad in settings("pads").pads] == [Seat(at) for at in range(pucks("pads"))]
    assert (pucks("easy"), settings("easy").pads, settings("easy").piezos) == (0, (), ())


def test_the_converter_of_a_new_box_is_the_one_that_its_settings_name() -> None:
    """And a file that names none means the one of before: nobody's box is set up anew."""
    types = {one["type"] for one in read("full").parts["FRONT-END"]["additional_components"]}

    assert "MCP3208-CI/P" in types
    assert settings("full").adc.chip == "mcp3208"
    assert AdcConfig(enabled=True).chip == "mcp3008"


def test_the_easy_build_is_played_by_its_four_buttons() -> None:
    assert [pins.button for _, pins in settings("easy").wired] == [4, 23, 16, 26]


PCM = {18, 19, 20, 21}
"""Where digital sound comes out."""


@pytest.mark.parametrize("build", BUILDS)
def test_no_pad_meets_spi_and_sound_keeps_its_pins(build: str) -> None:
    """SPI drives its wires as soon as it is on, and a comparator would pull against them."""
    used = list(claims(settings(build)))

    assert {one.pin for one in used} & PCM == set()
    assert [one for one in used if one.setting.endswith(("pad", "button"))
            and one.pin in SPI_PINS[ADC_BUS]] == []  # fmt: skip


@cache
def new_box() -> dict[str, tuple[int, ...]]:
    """Return the pins that docs/config.md tells of a new box, by part."""
    rows = re.findall(
        r"^\| ([a-z][a-z0-9, ]+) \| [\d, ]+ \| ([\d, ]+) \|$",
        CONFIG_PAGE.read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    return {part: tuple(map(int, pins.split(", "))) for part, pins in rows}


def test_the_page_of_settings_tells_the_pins_of_a_new_box() -> None:
    pads, full = ({one.part: one.pin for one in claims(settings(build))}
                  for build in ("pads", "full"))  # fmt: skip

    assert tuple(pads[f"pad {at}"] for at in (6, 7, 8)) == new_box()["pads 6, 7, 8"]
    assert (full["lamp blue"],) == new_box()["lamp blue"]
    assert (full["buzzer"],) == new_box()["buzzer"]


@pytest.mark.parametrize("build", ["pads", "full"])
def test_what_can_be_added_fits_beside_what_is_there(build: str) -> None:
    """Lamp, buzzer and off button to eight pads; eight buttons to all that full has."""
    text = (FOLDER / f"{build}.toml").read_text(encoding="utf-8")
    if build == "pads":
        (blue,), (buzzer,) = new_box()["lamp blue"], new_box()["buzzer"]
        assert f"blue = {blue}, a buzzer pin = {buzzer}" in text
        text += f"[lamp]\nenabled = true\nblue = {blue}\n[off]\nenabled = true\n"
        text += f"[buzzer]\nenabled = true\npin = {buzzer}\n"
    else:
        (said,) = re.findall(r"^# button = ([\d, ]+)\.$", text, re.MULTILINE)
        third, *others = new_box()["buttons 3, 5, 6, 7, 8 beside piezos"]
        assert [int(one) for one in said.split(", ")] == [4, 23, third, 26, *others]
        for pin in said.split(", "):
            text = text.replace("button = false", f"button = {pin}", 1)

    pins = {one.pin for one in claims(parse_config(text, build)) if not one.part.startswith("adc")}

    assert len(pins) == 2 + 13  # I2C, and every pin that belongs to no bus
    assert pins & (PCM | set(SPI_PINS[ADC_BUS])) == set()


def test_pins_that_comments_of_the_settings_name_are_used() -> None:
    for build in BUILDS:
        text = (FOLDER / f"{build}.toml").read_text(encoding="utf-8")
        used = {claim.pin for claim in claims(settings(build))}
        for said in re.findall(r"on GPIO ([\d, and]+)", text):
            assert {int(one) for one in re.findall(r"\d+", said)} <= used


def test_notes_name_the_legs_of_the_converter_as_the_chip_has_them() -> None:
    """MCP3204/3208 data sheet (DS21298), table 3-1; the MCP3008 has the same (DS21295)."""
    notes = str(read("full").parts["FRONT-END"]["notes"])

    assert dict(re.findall(r"(DIN|DOUT|CLK|CS) (\d+)", notes)) == {
        "CLK": "13",
        "DOUT": "12",
        "DIN": "11",
        "CS": "10",
    }


def test_every_source_is_named_by_its_settings_and_says_which_they_are() -> None:
    for build in BUILDS:
        assert f"{build}.toml" in Path(FOLDER / f"{build}.yml").read_text(encoding="utf-8")
        assert f"{build}.toml" in Path(FOLDER / f"{build}.toml").read_text(encoding="utf-8")


def test_a_puck_is_measured_at_its_plug_by_the_resistor_that_stays_in_it() -> None:
    """Without its plug a channel has no R1 any more, by which it is told that no puck is there."""
    page = Path("hw/bring-up.md").read_text(encoding="utf-8")
    (row,) = re.findall(r"^\| 1 and 2 of a puck's plug \| ([^|]+) \|", page, re.MULTILINE)

    assert "R1" in PUCK_PARTS
    assert {ADC.part("R1").value, PAD.part("R1").value} == {470e3}
    assert row == "470 kohm"
    board = {put.ref for put in (*FIRST_FOUR.parts, *NEXT_FOUR.parts, *TWO_PADS.parts)}
    assert not board & PUCK_PARTS


def test_a_plug_fits_the_hole_of_its_socket_and_nothing_of_the_pi() -> None:
    """Its pins carry 3.3 V through R2: a power supply must find no way in, a puck none out."""
    kinds = {
        str(part["type"])
        for build in BUILDS
        for name, part in read(build).parts.items()
        if name.startswith(("PLUG", "SOCKET"))
    }

    assert kinds == {"plug, GX12, 2 poles", "socket, GX12, 2 poles"}
