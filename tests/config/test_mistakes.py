"""A mistake in the settings is one sentence that says what may stand there."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kloplei.config.reader import parse_config
from kloplei.config.schema import ConfigError
from kloplei.games.catalogue import GAMES
from tests.config.reading import FILE, parsed, refusal_of, settings


@pytest.mark.parametrize(
    ("written", "sentence"),
    [
        ("[table]\nseats = 9", "[table] seats is 9, but must be a whole number from 3 to 8"),
        ("[table]\nseats = true", "[table] seats is true, but must be a whole number from 3 to 8"),
        (
            '[table]\ngame = "skat"',
            f'[table] game is "skat", but must be one of {", ".join(map(json.dumps, GAMES))}',
        ),
        (
            '[table]\ndata = "here"',
            (
                '[table] data is "here", but must be an absolute path in quotes, '
                "or one that starts with ~/"
            ),
        ),
        ("[timing]\ngap_s = nan", "[timing] gap_s is nan, but must be a number from 0.15 to 2"),
        ("[timing]\ngap_s = inf", "[timing] gap_s is inf, but must be a number from 0.15 to 2"),
        (
            "[timing]\nhold_s = 3\nundo_hold_s = 2",
            (
                "[timing] hold_s is 3, but must be less than "
                "undo_hold_s (2): a longer hold means undo"
            ),
        ),
        ("[slate]\nrotation = 90", "[slate] rotation is 90, but must be one of 0, 180"),
        (
            "[slate]\naddress = 0x99",
            (
                "[slate] address is 153, but must be an I2C address from 0x08 "
                "to 0x77, mostly 0x3C or 0x3D"
            ),
        ),
        (
            "[second_slate]\nenabled = true\naddress = 0x3C",
            (
                "slate.address and second_slate.address are both 0x3C; two slates on a bus need "
                "one each (docs/config.md, second_slate)"
            ),
        ),
        (
            '[slate]\ninterface = "spi"\n[second_slate]\nenabled = true\nchip_select = 0',
            (
                "slate.chip_select and second_slate.chip_select are both 0; two slates on a bus "
                "need one each (docs/config.md, second_slate)"
            ),
        ),
        (
            (
                '[table]\nseats = 3\n[slate]\ninterface = "spi"\n'
                "[second_slate]\nenabled = true\ndc = 24"
            ),
            (
                "slate.dc (slate DC) and second_slate.dc (second slate DC) both claim GPIO 24; "
                "give one of them another pin (docs/config.md, pins)"
            ),
        ),
        (
            '[slate]\ndriver = "none"\n[second_slate]\nenabled = true',
            (
                '[second_slate] enabled is true, but [slate] driver is "none"; a box with one '
                "slate has it in [slate]"
            ),
        ),
        ("[lamp]\nred = 0", "[lamp] red is 0, but must be a BCM pin number from 2 to 27"),
        (
            "[seat.1]\npad = true",
            (
                "[seat.1] pad is true, but must be a BCM pin number from 2 to 27, "
                "or false if there is none"
            ),
        ),
        (
            "[panel]\npin = 1234",
            (
                "[panel] pin is a secret not shown here, but must be 4 to 8 digits in quotes, "
                'such as "0420"'
            ),
        ),
        (
            '[panel]\nhosts = "klop"',
            (
                '[panel] hosts is "klop", but must be a list of host names, '
                'such as ["kloplei.local"]'
            ),
        ),
        (
            '[network]\naddress = "kloplei.local"',
            (
                '[network] address is "kloplei.local", but must be an address, or a name that '
                "your network's own DNS knows, of 1 to 253 characters and that does not end in "
                ".local: Android cannot find that"
            ),
        ),
        (
            '[hotspot]\nname = "Café De Klöp aan de Grôte Mårkt"',
            (
                '[hotspot] name is "Café De Klöp aan de Grôte Mårkt", but must be a Wi-Fi name '
                "of 1 to 32 characters, letters with accents counted twice"
            ),
        ),
        (
            '[network]\npassword = "short"',
            (
                "[network] password is a secret not shown here, but must be a WPA password "
                "of 8 to 63 characters, without accents"
            ),
        ),
        (
            "[table]\noptions = { max_lives = 1.5 }",
            (
                "[table] options is {'max_lives': 1.5}, but "
                "must be a table of house rules, such as { max_lives = 15 }"
            ),
        ),
        (
            '[table]\npreset = "vijftig"',
            (
                '[table] preset is "vijftig", but toepen has seed, kroeg, vijftien, laatste man, '
                "schroeoemen, siebenschraem; did you mean vijftien?"
            ),
        ),
        (
            '[lamp]\ncommon = "cathod"',
            (
                '[lamp] common is "cathod", but must be one of "cathode", "anode"; '
                'did you mean "cathode"?'
            ),
        ),
        (
            "[table.options]\nmax_live = 4",
            (
                "[table] options do not fit toepen: Toepen has no option 'max_live'; "
                "did you mean max_lives?"
            ),
        ),
        ("[table]\nseat = 4", "[table] has no setting seat; did you mean seats?"),
        ("[slat]\ndc = 4", "there is no [slat]; did you mean slate?"),
        ("seats = 4", "there is no [seats]; did you mean seat?"),
        ("table = 4", "table is 4, but must be a section: [table]"),
        ("seat = 4", "seat is 4, but must be sections: [seat.1]"),
        ("[[seat]]\npad = 4", "seat is [{'pad': 4}], but must be sections: [seat.1]"),
        (
            "[table]\nseats = 5\n[seat.6]\npad = 4",
            ("[seat.6] is no seat of this table; [table] seats = 5 gives it [seat.1] to [seat.5]"),
        ),
        (
            '[slate]\ndriver = "sh1106"\nsize = "128x32"',
            (
                "[slate] size is 128x32, but a glass with the chip sh1106 has 128x64; "
                "set size to that, or driver to the chip of yours"
            ),
        ),
        (
            '[slate]\ndriver = "ssd1322"',
            ('[slate] interface is i2c, but the chip ssd1322 has SPI alone: set interface = "spi"'),
        ),
        (
            "[slate]\ncolumn_offset = 2",
            (
                "[slate] column_offset is 2, but a chip of the kind ssd1306 starts at column 0; "
                'if the picture stands off, it is an "sh1106": set driver to that'
            ),
        ),
        (
            "[slate]\nsleep_after_s = 60",
            (
                "[slate] sleep_after_s is 60, but must not be less than "
                "dim_after_s (120): the slate dims first, then sleeps"
            ),
        ),
    ],
)
def test_a_mistake_names_file_setting_value_and_what_may_be(written: str, sentence: str) -> None:
    assert refusal_of(written) == f"{FILE}: {sentence}"


def test_a_house_rule_that_the_game_does_not_know_is_found_at_start() -> None:
    said = refusal_of("[table]\noptions = { max_live = 15 }")

    assert said.startswith(f"{FILE}: [table] options do not fit toepen: ")
    assert "max_live" in said


@pytest.mark.parametrize("written", ["a = " + "9" * 5000, "a = " + "[" * 50_000])
def test_what_python_cannot_hold_is_told_in_one_sentence(written: str) -> None:
    """A number of 5000 digits once ended in a traceback."""
    assert refusal_of(written).startswith(f"{FILE} is not TOML of ours: ")


@pytest.mark.parametrize("setting", ["[table]\nseats", "[adc]\ncorners", "[seat.1]\npad"])
def test_a_value_within_values_without_end_is_told_in_one_sentence(setting: str) -> None:
    assert " is brackets within brackets, but must be " in refusal_of(f"{setting}{'.a' * 3000} = 1")


@pytest.mark.parametrize("written", ["[table", "seats = ", "a = 1\na = 2", "\0", "x = "])
def test_what_is_not_toml_names_the_line(written: str) -> None:
    assert re.fullmatch(
        rf"{FILE} is not TOML: .*\((at line \d+, column \d+|at end of document)\)",
        refusal_of(written),
    )


@given(st.text(max_size=200))
def test_no_text_whatever_brings_down_more_than_a_sentence(written: str) -> None:
    try:
        parsed(written)
    except ConfigError as error:
        assert str(error).startswith(FILE)


ODD_VALUES = ["true", "-1", "0", "1e400", "nan", '""', '"\\u0000"', '"' + "x" * 300 + '"', "[]",
              "[1]", "{}", "1979-05-27", "07:32:00", "9" * 20, "9" * 400]  # fmt: skip


@pytest.mark.parametrize(("section", "key"), [(section, key) for section, key, _ in settings()])
def test_no_odd_value_of_any_setting_brings_down_more_than_a_sentence(
    section: str, key: str
) -> None:
    for value in ODD_VALUES:
        try:
            parsed(f"[{section}]\n{key} = {value}\n")
        except ConfigError as error:
            assert str(error).startswith(f"{FILE}: ")
            assert len(str(error)) < 300


@pytest.mark.parametrize("setting", ["table.seats", "timing.gap_s", "slate.address"])
def test_a_hexadecimal_without_end_is_refused_in_one_sentence(setting: str) -> None:
    """TOML reads one of any length, but Python could not spell it in tens."""
    with pytest.raises(ConfigError, match=r"is 0xf+\.\.\., but must be"):
        parse_config(f"{setting} = 0x{'f' * 5000}", "kloplei.toml")
