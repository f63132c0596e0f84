"""Who holds which pin: read from the kernel and from processes, and held against the settings."""

import socket
import struct
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from kloplei.config.settings import (
    AdcConfig,
    Config,
    OffConfig,
    PinsConfig,
    SeatPins,
    SlateConfig,
    TableConfig,
)
from kloplei.config.wiring import claims
from kloplei.diagnostics import pins
from kloplei.diagnostics.pins import (
    HeldLine,
    Holder,
    NoHeader,
    TableHasThem,
    bus_clashes,
    buses_on,
    check_off,
    check_pins,
    demand_stopped,
    foreign_holders,
    held_lines,
    holders,
    listener_at,
    waiting_clashes,
)
from kloplei.diagnostics.system import Machine
from kloplei.table.doctor_client import FindingState
from tests.diagnostics.machines import english, keys, machine_with

CHIP = "gpiochip0"
TABLE, OTHER = 100, 200


@pytest.fixture
def config() -> Config:
    """Three pads and a button; the slate is on I2C."""
    return Config(
        table=TableConfig(seats=3),
        seats=(SeatPins(pad=17, button=4), SeatPins(pad=27), SeatPins(pad=22)),
    )


class Kernel:
    """Answers the two questions of the GPIO device as linux/gpio.h lays them out."""

    def __init__(self, label: str = "pinctrl-bcm2835", **used: str) -> None:
        self.label = label
        self.used = {int(pin.removeprefix("gpio")): name for pin, name in used.items()}
        self.asked: list[int] = []

    def __call__(self, number: int, request: int, told: bytearray) -> int:
        if request == 0x8044B401:
            told[:] = struct.pack("32s32sI", CHIP.encode(), self.label.encode(), 54)
            return 0
        assert request == 0xC100B405
        assert len(told) == 256
        pin = struct.unpack_from("I", told, 64)[0]
        self.asked.append(pin)
        struct.pack_into("32s", told, 32, self.used.get(pin, "").encode())
        struct.pack_into("Q", told, 72, 1 if pin in self.used else 4)
        return 0


def test_the_kernel_tells_which_lines_of_the_header_are_held(tmp_path: Path) -> None:
    kernel = Kernel(gpio17="lg", gpio8="spi0 CS0")

    held = held_lines(machine_with(tmp_path, {f"dev/{CHIP}": ""}), kernel)

    assert held == {17: HeldLine(CHIP, 17, "lg"), 8: HeldLine(CHIP, 8, "spi0 CS0")}
    assert kernel.asked == list(range(28))


def test_a_chip_that_is_no_header_is_passed_over(tmp_path: Path) -> None:
    machine = machine_with(tmp_path, {f"dev/{CHIP}": ""})

    with pytest.raises(NoHeader):
        held_lines(machine, Kernel(label="raspberrypi-exp-gpio", gpio2="ACT"))


def test_a_header_that_nobody_lets_us_ask_is_not_taken_for_none(tmp_path: Path) -> None:
    def refuse(number: int, request: int, told: bytearray) -> int:
        raise PermissionError

    with pytest.raises(PermissionError):
        held_lines(machine_with(tmp_path, {f"dev/{CHIP}": ""}), refuse)


def process(root: Path, pid: int, name: str, *lines: int) -> None:
    """Let a process hold *lines*, as Linux 6.1 shows it."""
    home = root / f"proc/{pid}"
    (home / "fd").mkdir(parents=True)
    (home / "fdinfo").mkdir()
    (home / "comm").write_text(f"{name}\n")
    (home / "fd/0").symlink_to("/dev/null")
    for number, line in enumerate(lines, 5):
        (home / f"fd/{number}").symlink_to("anon_inode:[gpio-line]")
        (home / f"fdinfo/{number}").write_text(
            f"pos:\t0\nflags:\t02\ngpio-chip:\t{CHIP}\ngpio-line:\t{line}\n"
        )


def test_a_process_tells_by_its_open_files_which_lines_it_holds(tmp_path: Path) -> None:
    process(tmp_path, OTHER, "blink.py", 17, 22)
    process(tmp_path, 300, "bash")

    assert set(holders(Machine(tmp_path))) == {
        Holder(OTHER, "blink.py", CHIP, 17),
        Holder(OTHER, "blink.py", CHIP, 22),
    }


def held(*pins: int, by: str = "lg") -> dict[int, HeldLine]:
    return {pin: HeldLine(CHIP, pin, by) for pin in pins}


def test_a_pin_of_another_program_is_named_with_the_program(config: Config) -> None:
    known = [Holder(TABLE, "kloplei", CHIP, 27), Holder(OTHER, "blink.py", CHIP, 17)]

    found = list(foreign_holders(tuple(claims(config)), held(17, 27), known, {TABLE}))

    assert len(found) == 1
    assert english(found[0]) == (
        "GPIO 17 (pad 1) is held by the program blink.py (200). Stop that program, or give pad 1 "
        "another pin (seat.1.pad in the settings)."
    )


def test_a_pin_that_the_kernel_itself_holds_is_named_as_the_kernel_does(config: Config) -> None:
    found = list(foreign_holders(tuple(claims(config)), held(4, by="onewire@0"), [], {TABLE}))

    assert keys(found) == [("bad", "pins.held")]
    assert "GPIO 4 (button 1) is held by “onewire@0”" in english(found[0])


def test_what_nobody_needs_may_be_held_by_anybody(config: Config) -> None:
    assert list(foreign_holders(tuple(claims(config)), held(5, 16), [], set())) == []


def test_before_linux_6_1_the_table_is_trusted_with_what_its_library_holds(config: Config) -> None:
    """Without fdinfo every pin of a running table was said to be somebody else's."""
    claimed = tuple(claims(config))

    assert list(foreign_holders(claimed, held(17, 27), [], {TABLE})) == []
    assert len(list(foreign_holders(claimed, held(17, 27), [], set()))) == 2
    assert len(list(foreign_holders(claimed, held(17, by="sysfs"), [], {TABLE}))) == 1


def test_the_wires_of_a_bus_may_be_held_by_their_bus() -> None:
    config = Config(
        seats=(SeatPins(piezo=0),), table=TableConfig(seats=3), adc=AdcConfig(enabled=True)
    )
    claimed = [one for one in claims(config) if one.part == "adc CE0"]

    assert claimed
    assert list(foreign_holders(claimed, held(8, by="spi0 CS0"), [], set())) == []
    assert keys(foreign_holders(claimed, held(8, by="lg"), [], set())) == [("bad", "pins.held")]


def test_buses_that_are_on_are_found_with_their_pins(tmp_path: Path) -> None:
    files = dict.fromkeys(("dev/i2c-1", "dev/spidev0.0", "dev/serial0"), "")
    machine = machine_with(tmp_path, {**files, "sys/bus/w1/devices/w1_bus_master1/x": ""})

    assert buses_on(machine) == {
        "I2C 1": (2, 3),
        "SPI 0": (8, 9, 10, 11),
        "UART": (14, 15),
        "1-Wire": (4,),
    }


def test_a_button_on_a_bus_that_is_on_is_told_how_to_get_away(config: Config) -> None:
    found = list(bus_clashes(tuple(claims(config)), {"1-Wire": (4,), "I2C 1": (2, 3)}))

    assert len(found) == 1
    assert english(found[0]) == (
        "GPIO 4 (button 1) belongs to 1-Wire, which is on. Switch 1-Wire off (sudo raspi-config, "
        "Interface Options), or give button 1 another pin (seat.1.button)."
    )


def test_a_pad_on_a_wire_that_spi_drives_is_told_what_happens_there() -> None:
    """MISO is no such wire: the converter's chip drives that, and only when it is asked."""
    spi = {"SPI 0": (7, 8, 9, 10, 11)}
    old = Config(seats=(SeatPins(pad=8), SeatPins(pad=9), SeatPins(button=10)),
                 table=TableConfig(seats=3))  # fmt: skip

    found = list(bus_clashes(tuple(claims(old)), spi))

    assert [one.says.key for one in found] == ["pins.driven", "pins.bus", "pins.driven"]
    assert english(found[0]) == (
        "GPIO 8 (pad 1) is CE0 of SPI 0, which is on: the Pi drives it, and pad 1 pulls against "
        "it. Switch SPI 0 off (sudo raspi-config, Interface Options), or give pad 1 another pin "
        "(seat.1.pad). 1 kohm in its wire keeps both whole."
    )


def test_a_pad_that_shares_its_pin_with_a_chip_select_is_told_while_spi_is_off() -> None:
    """In green: such boxes were built so, and run well."""
    claimed = tuple(claims(Config()))

    found = list(waiting_clashes(claimed, {"I2C 1": (2, 3)}))

    assert {one.state for one in found} == {FindingState.GOOD}
    assert [english(one).partition(",")[0] for one in found] == [
        "pad 6 shares GPIO 8 with CE0 of SPI 0",
        "pad 8 shares GPIO 11 with SCLK of SPI 0",
    ]
    assert list(waiting_clashes(claimed, {"SPI 0": (7, 8, 9, 10, 11)})) == []


def test_the_doctor_says_it_after_all_else(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    header(monkeypatch, {})
    (tmp_path / "dev").mkdir()

    found = pins.check_pins(Machine(tmp_path), Config(), set())

    assert keys(found) == [("good", "pins.good"), *[("good", "pins.shares")] * 2]


def test_the_slate_may_sit_on_its_own_bus_but_not_with_its_other_wires() -> None:
    spi = Config(table=TableConfig(seats=5), slate=SlateConfig(interface="spi", dc=14))

    assert list(bus_clashes(tuple(claims(Config())), {"I2C 1": (2, 3)})) == []
    assert [one.says.facts["part"] for one in bus_clashes(tuple(claims(spi)), {"UART": (14, 15)})]


def test_imitated_pins_are_nobody_elses(config: Config, tmp_path: Path) -> None:
    mock = replace(config, pins=PinsConfig(factory="mock"))

    assert list(check_pins(Machine(tmp_path), mock, set())) == []
    assert keys(check_pins(Machine(tmp_path), config, set())) == [("poor", "pins.none")]


def test_nobody_listens_where_no_socket_is(tmp_path: Path) -> None:
    assert listener_at(tmp_path / "table.sock") is None


BOX = Config(table=TableConfig(seats=5), off=OffConfig(enabled=True))


def header(monkeypatch: pytest.MonkeyPatch, held: dict[int, str] | OSError) -> None:
    """Let the kernel hold these lines, or refuse to tell."""

    def held_lines(machine: Machine) -> dict[int, HeldLine]:
        if isinstance(held, OSError):
            raise held
        return {pin: HeldLine(CHIP, pin, name) for pin, name in held.items()}

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


@pytest.fixture
def address() -> Iterator[Path]:
    """A short path for a socket; the kernel takes no long one."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder) / "s"


def test_a_table_that_listens_is_to_be_stopped(address: Path) -> None:
    with socket.socket(socket.AF_UNIX) as table:
        table.bind(str(address))
        table.listen()

        with pytest.raises(TableHasThem, match=r"Stop it first: .* start it again: "):
            demand_stopped(address)


def test_where_it_may_not_be_asked_nobody_takes_its_pins(
    address: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without sudo, on a box whose table runs: the pins would be found held, one by one."""

    class Locked(socket.socket):
        def connect(self, address: object) -> None:
            raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(socket, "socket", Locked)

    with pytest.raises(TableHasThem, match=f"may not be asked at {address}. Use sudo"):
        demand_stopped(address)


def test_a_socket_that_a_killed_table_left_holds_nobody_up(address: Path) -> None:
    with socket.socket(socket.AF_UNIX) as table:
        table.bind(str(address))

    demand_stopped(address)

    assert address.exists()
