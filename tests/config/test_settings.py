"""What a settings file says is what the box has; what it leaves out is a default."""

import re

import pytest

from kloplei.config.schema import ConfigError
from kloplei.config.settings import Config, SeatPins, SlateConfig
from kloplei.games.game import Seat
from kloplei.knock.edges import Pulses
from kloplei.knock.geometry import PAD_M, Spot, TableSize
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


class TestTheWood:
    CORNERS = "[adc]\nenabled = true\ncorners = [0, 1, 2, 3]\n"

    def test_without_a_size_nobody_knows_where_anything_is(self) -> None:
        assert parsed(self.CORNERS).geometry is None

    def test_with_a_size_all_are_where_one_would_look_for_them(self) -> None:
        geometry = parsed(f'[table]\nseats = 4\n{self.CORNERS}[wood]\nsize = "1.4x0.8"').geometry

        assert geometry is not None
        assert geometry.seats == TableSize(1.4, 0.8).seats(4)
        assert geometry.discs == TableSize(1.4, 0.8).corners(4)

    def test_piezos_of_seats_are_before_them(self) -> None:
        wood = '[table]\nseats = 3\n[adc]\nenabled = true\n[wood]\nsize = "1.1"'

        geometry = parsed(wood).geometry

        assert geometry is not None
        assert geometry.discs == TableSize(1.1, 1.1, is_round=True).seats(3, PAD_M)

    def test_places_that_are_named_stand(self) -> None:
        named = 'size = "1.4x0.8"\ndiscs = ["0x0", "1.4x0", "1.4x0.8", "0x0.8"]'

        geometry = parsed(f"{self.CORNERS}[wood]\n{named}").geometry

        assert geometry is not None
        assert geometry.discs[2] == Spot(1.4, 0.8)

    @pytest.mark.parametrize(
        ("wood", "sentence"),
        [
            ('size = "big"', "[wood] size"),
            ('seats = ["1x1"]', "no size"),
            ('size = "1.4x0.8"\nseats = ["1x0.1"]', "seats has 1 places, and the table 8 seats"),
            ('size = "1.4x0.8"\ndiscs = ["1x0.1"]', "discs has 1 places for 4 piezos"),
            ('size = "1.4x0.8"\ndiscs = ["9x0.1"]', "[wood] discs"),
        ],
    )
    def test_what_cannot_be_is_refused(self, wood: str, sentence: str) -> None:
        with pytest.raises(ConfigError, match=re.escape(sentence)):
            parsed(f"{self.CORNERS}[wood]\n{wood}")
