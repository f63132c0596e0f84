from kloplei.config.wiring import I2C_PINS, claims
from kloplei.devices.pins import HEADER, LARGEST_BOX, LARGEST_SPI_BOX, PINS, SPI_PINS, pin_map

SPI0, UART, EEPROM = {7, 8, 9, 10, 11}, {14, 15}, {0, 1}


def test_every_part_of_the_largest_box_has_a_row_of_its_own() -> None:
    assert len(PINS) == 8 + 8 + 2 + 3 + 1  # buttons, pads, I2C, lamp, buzzer
    assert len({row.gpio for row in PINS}) == len({row.part for row in PINS}) == len(PINS)


def test_no_default_pin_is_the_consoles_or_a_hats() -> None:
    assert not {row.gpio for row in (*PINS, *SPI_PINS)} & (UART | EEPROM)


def test_the_default_pins_of_seats_1_to_5_lamp_and_buzzer_keep_off_every_bus() -> None:
    busless = {row.gpio for row in SPI_PINS if not row.part.startswith("slate")}

    assert not busless & (SPI0 | set(I2C_PINS[1]))


def test_seats_6_to_8_use_the_pins_of_a_bus_only_when_the_slate_leaves_it_free() -> None:
    on_bus = {row.part for row in PINS if row.gpio in SPI0}

    assert on_bus == {"pad 6", "pad 7", "pad 8", "button 7", "button 8"}


def test_the_map_leaves_out_no_wire() -> None:
    for box in (LARGEST_BOX, LARGEST_SPI_BOX):
        assert {row.gpio for row in pin_map(box)} == {claim.pin for claim in claims(box)}


def test_the_header_positions_are_those_of_gpiozeros_board() -> None:
    from gpiozero.pins.mock import MockFactory

    board = MockFactory(revision="a02082").board_info.headers["J8"]
    positions = {
        int(pin.name[4:]): number for number, pin in board.pins.items() if pin.name[:4] == "GPIO"
    }

    assert {gpio: positions[gpio] for gpio in HEADER} == HEADER
