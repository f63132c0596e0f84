"""What a settings file says is what the box has; what it leaves out is a default."""

import pytest

from kloplei.config.settings import Config, SeatPins, SlateConfig
from kloplei.games.game import Seat
from kloplei.knock.edges import Pulses
from kloplei.table.gestures import Timings
from tests.config.reading import parsed


def test_an_empty_file_is_every_default() -> None:
    assert parsed("") == Config()


def test_settings_are_read_and_the_rest_stays() -> None:
    config = parsed(
        '[table]\nseats = 4\nlanguage = "da"\noptions = { max_lives = 15 }\n'
        '[slate]\ndriver = "sh1106"\naddress = 0x3D\n'
        '[panel]\npin = "0420"\nhosts = ["klop.local"]\n'
    )

    assert config.table.seats == 4
    assert config.table.options == {"max_lives": 15}
    assert config.slate.address == 0x3D
    assert config.panel.pin == "0420"
    assert config.panel.hosts == ("klop.local",)
    assert config.timing == Config().timing
    assert (config.slate_language, config.panel_language) == ("da", "da")


def test_slate_and_phones_may_speak_other_languages_than_the_table() -> None:
    config = parsed('[slate]\nlanguage = "en"\n[panel]\nlanguage = "ja"\n')

    assert (config.table.language, config.slate_language, config.panel_language) == (
        "nl",
        "en",
        "ja",
    )


def test_a_seat_names_only_what_differs_from_the_default_wiring() -> None:
    config = parsed("[table]\nseats = 3\n[seat.2]\nbutton = false\npad = 12\n")

    assert config.seats == (
        SeatPins(button=4, pad=17),
        SeatPins(button=None, pad=12),
        SeatPins(button=16, pad=22),
    )
    assert config.wired[1] == (Seat(1), SeatPins(button=None, pad=12))
    assert isinstance(config.wired[1][0], Seat)


def test_with_one_pad_for_all_no_seat_has_its_own_unless_it_says_so() -> None:
    config = parsed("[pins]\nshared_pad = 17\n[seat.3]\npad = 22\n")

    assert [seat.pad for seat in config.seats] == [None, None, 22, None, None, None, None, None]


@pytest.mark.parametrize(("driver", "first"), [("ssd1306", 0), ("ssd1309", 0), ("sh1106", 2)])
def test_the_first_column_follows_the_chip_unless_set(driver: str, first: int) -> None:
    assert SlateConfig(driver=driver).first_column == first
    assert SlateConfig(driver=driver, column_offset=1).first_column == 1


def test_the_bus_follows_the_interface_unless_set() -> None:
    assert SlateConfig().bus_number == 1
    assert SlateConfig(interface="spi").bus_number == 0
    assert SlateConfig(bus=3).bus_number == 3


def test_secrets_stay_out_of_what_is_printed() -> None:
    config = parsed('[network]\npassword = "tienlevens"\n[panel]\npin = "0420"\n')

    assert "tienlevens" not in repr(config)
    assert "0420" not in repr(config)


def test_the_timings_of_the_table_are_those_of_the_settings() -> None:
    assert Config().timing.of_table == Timings()
    assert parsed("[timing]\ngap_s = 0.6\n").timing.of_table.gap_s == 0.6


def test_pads_hear_by_their_own_defaults_unless_told() -> None:
    timing, pulses = Config().timing, Pulses({})

    assert (timing.deaf_s, timing.crosstalk_s) == (pulses._deaf_s, pulses._crosstalk_s)
