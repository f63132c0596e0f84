"""No two parts share a pin, and a part that is not fitted claims none."""

import pytest

from kloplei.config.settings import Config
from kloplei.config.wiring import check_wiring, claims
from tests.config.reading import FILE, parsed, refusal_of


@pytest.mark.parametrize(
    ("written", "first", "second", "pin"),
    [
        ("[seat.1]\npad = 27", "seat.1.pad (pad 1)", "seat.2.pad (pad 2)", 27),
        ("[seat.1]\npad = 4", "seat.1.button (button 1)", "seat.1.pad (pad 1)", 4),
        ("[seat.5]\npad = 2", "seat.5.pad (pad 5)", "slate.bus (slate SDA)", 2),
        ("[lamp]\nenabled = true\nred = 13", "lamp.red (lamp red)", "lamp.green (lamp green)", 13),
        ("[buzzer]\nenabled = true\npin = 17", "seat.1.pad (pad 1)", "buzzer.pin (buzzer)", 17),
        ("[pins]\nshared_pad = 4", "seat.1.button (button 1)", "pins.shared_pad (shared pad)", 4),
        ('[slate]\ninterface = "spi"', "seat.8.button (button 8)", "slate.bus (slate CE1)", 7),
    ],
)
def test_two_parts_on_one_pin_are_both_named(
    written: str, first: str, second: str, pin: int
) -> None:
    assert refusal_of(written) == (
        f"{FILE}: {first} and {second} both claim GPIO {pin}; "
        "give one of them another pin (docs/config.md, pins)"
    )


def test_slate_and_converter_may_share_a_bus_but_no_chip_select() -> None:
    shared = '[adc]\nenabled = true\n[slate]\ninterface = "spi"\nchip_select = '

    assert parsed(f"{shared}1").slate.chip_select == 1
    assert refusal_of(f"{shared}0") == (
        f"{FILE}: slate.chip_select and adc.chip_select are both 0; "
        "two chips may share SPI bus 0, but each needs a chip select of its own: 0 or 1"
    )


def test_a_part_that_is_not_fitted_claims_no_pin() -> None:
    config = parsed(
        '[slate]\ndriver = "none"\n[lamp]\nred = 17\n[buzzer]\npin = 17\n[seat.2]\npad = 2\n'
    )

    assert {claim.part for claim in claims(config)} == {
        *(f"pad {seat}" for seat in range(1, 9)),
        *(f"button {seat}" for seat in range(1, 9)),
    }


def test_five_seats_lamp_and_buzzer_fit_beside_an_spi_slate() -> None:
    config = parsed(
        '[table]\nseats = 5\n[slate]\ninterface = "spi"\n'
        "[lamp]\nenabled = true\n[buzzer]\nenabled = true\n"
    )

    assert (len(config.wired), config.slate.interface) == (5, "spi")


def test_the_default_box_with_everything_fitted_shares_no_pin() -> None:
    config = parsed("[lamp]\nenabled = true\n[buzzer]\nenabled = true\n")

    check_wiring(config, FILE)
    pins = [claim.pin for claim in claims(config)]
    assert len(pins) == len(set(pins)) > len(config.wired)


def test_the_off_button_moves_out_of_the_way_of_an_spi_slate() -> None:
    spi = parsed('[table]\nseats = 5\n[slate]\ninterface = "spi"\n[off]\nenabled = true\n')
    without = parsed('[slate]\ninterface = "spi"\ndriver = "none"\n[off]\nenabled = true\n')

    assert parsed("[off]\nenabled = true\n").off_pin == 25
    assert (spi.off_pin, without.off_pin, Config().off_pin) == (3, 25, None)


def test_the_line_of_the_off_button_holds_as_long_as_the_settings_say() -> None:
    off = parsed("[off]\nenabled = true\nhold_s = 0.5\n").off

    assert off.line(3) == "dtoverlay=gpio-shutdown,gpio_pin=3,debounce=500"


def test_no_part_may_take_the_pin_of_the_off_button() -> None:
    assert refusal_of("[off]\nenabled = true\n[seat.1]\npad = 25\n") == (
        f"{FILE}: seat.1.pad (pad 1) and off.pin (off button) both claim GPIO 25; "
        "give one of them another pin (docs/config.md, pins)"
    )


OF_BEFORE = {
    "": {"pad 6": 8, "pad 7": 9, "pad 8": 11, "button 5": 20, "button 8": 7},
    "[table]\nseats = 8\n\n[seat.6]\nbutton = false\n\n[seat.7]\nbutton = false\n\n[seat.8]\n"
    "button = false\n": {"pad 6": 8, "pad 7": 9, "pad 8": 11},
    '[adc]\nenabled = true\n\n[lamp]\nenabled = true\ncommon = "cathode"\n\n[buzzer]\n'
    "enabled = true\n\n[off]\nenabled = true\n": {
        "lamp blue": 19, "buzzer": 18, "off button": 25, "button 6": 21,
    },
}  # fmt: skip
"""Settings as people have them: none, and those of hw/wiring before pins were named there."""


@pytest.mark.parametrize("text", OF_BEFORE)
def test_a_box_whose_settings_name_no_pins_keeps_its_wires(text: str) -> None:
    pins = {one.part: one.pin for one in claims(parsed(text))}

    assert OF_BEFORE[text].items() <= pins.items()


def test_a_table_has_one_set_of_piezos() -> None:
    assert refusal_of("[adc]\nenabled = true\n[audio]\nenabled = true\n") == (
        f"{FILE}: [adc] and [audio] are both enabled, but a table has one set of piezos: "
        "set enabled = false in one of them"
    )


def test_a_sound_card_claims_no_pin_and_pads_beside_it_are_named() -> None:
    alone = parsed("[audio]\nenabled = true\n")
    beside = parsed('[audio]\nenabled = true\ndevice = "table"\n[seat.2]\npad = 17\n')

    assert [pad.part for pad in alone.pads] == []
    assert not [one for one in claims(alone) if "adc" in one.part or "piezo" in one.part]
    assert [pad.part for pad in beside.pads] == ["pad 2"]


def test_a_channel_of_the_card_is_one_disc() -> None:
    doubled = "[audio]\nenabled = true\ncorners = [1]\n[seat.1]\npiezo = 1\n"

    assert "are both channel 1 of the sound card" in refusal_of(doubled)
