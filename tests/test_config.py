import errno
import os
import re
from collections.abc import Iterator
from dataclasses import Field, fields
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kloplei.config import (
    DEFAULT_PATH,
    Config,
    ConfigError,
    SeatPins,
    SlateConfig,
    load_config,
    places,
    reader,
)
from kloplei.config.checks import Check, shown
from kloplei.config.reader import parse_config
from kloplei.config.wiring import check_wiring, claims
from kloplei.devices.pins import HEADER, PINS, SPI_PINS
from kloplei.knock.pulses import Pulses
from kloplei.rules.game import Seat
from kloplei.table.timings import Timings

DOCS = Path(__file__).parent.parent / "docs/config.md"
FILE = "kloplei.toml"


def parsed(written: str) -> Config:
    return parse_config(written, FILE)


def refusal_of(written: str) -> str:
    with pytest.raises(ConfigError) as refused:
        parsed(written)
    return str(refused.value)


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


@pytest.mark.parametrize(
    ("written", "sentence"),
    [
        ("[table]\nseats = 9", "[table] seats is 9, but must be a whole number from 3 to 8"),
        ("[table]\nseats = true", "[table] seats is true, but must be a whole number from 3 to 8"),
        (
            '[table]\ngame = "skat"',
            '[table] game is "skat", but must be one of "toepen", "watten", "tarok"',
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
            ('[table] preset is "vijftig", but toepen has seed, kroeg, vijftien, laatste man'),
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


def test_no_part_may_take_the_pin_of_the_off_button() -> None:
    assert refusal_of("[off]\nenabled = true\n[seat.1]\npad = 25\n") == (
        f"{FILE}: seat.1.pad (pad 1) and off.pin (off button) both claim GPIO 25; "
        "give one of them another pin (docs/config.md, pins)"
    )


def test_secrets_stay_out_of_what_is_printed() -> None:
    config = parsed('[network]\npassword = "tienlevens"\n[panel]\npin = "0420"\n')

    assert "tienlevens" not in repr(config)
    assert "0420" not in repr(config)


@given(st.text(max_size=200))
def test_no_text_whatever_brings_down_more_than_a_sentence(written: str) -> None:
    try:
        parsed(written)
    except ConfigError as error:
        assert str(error).startswith(FILE)


def settings() -> Iterator[tuple[str, str, Field[Any]]]:
    """Yield section, name and field of every setting but those of the seats."""
    for section in fields(Config):
        if section.name != "seats":
            for one in fields(getattr(Config(), section.name)):
                yield section.name, one.name, one


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


class TestTheFile:
    def test_none_asked_for_and_none_there_is_every_default(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setattr(reader, "DEFAULT_PATH", tmp_path / "absent.toml")

        assert load_config() == Config()

    def test_none_asked_for_reads_the_boxs_own(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        own = tmp_path / "kloplei.toml"
        own.write_text("[table]\nseats = 3\n")
        monkeypatch.setattr(reader, "DEFAULT_PATH", own)

        assert load_config().table.seats == 3

    def test_one_asked_for_must_be_there(self, tmp_path: Path) -> None:
        with pytest.raises(ConfigError, match=r"absent\.toml cannot be read \(No such file"):
            load_config(tmp_path / "absent.toml")

    def test_one_that_only_root_may_read_asks_for_sudo(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def refuse(*_: object, **__: object) -> str:
            raise PermissionError(errno.EACCES, "Permission denied")

        monkeypatch.setattr(Path, "read_text", refuse)

        with pytest.raises(ConfigError, match=r"\(Permission denied\); put sudo before"):
            load_config(tmp_path / "kloplei.toml")

    def test_a_folder_is_no_file(self, tmp_path: Path) -> None:
        with pytest.raises(ConfigError, match="cannot be read"):
            load_config(tmp_path)

    def test_what_is_not_utf8_is_told_where(self, tmp_path: Path) -> None:
        file = tmp_path / "kloplei.toml"
        file.write_bytes(b'[network]\nname = "Caf\xe9"\n')

        with pytest.raises(ConfigError, match=r"is not UTF-8 text \(byte 21\)"):
            load_config(file)

    def test_a_byte_order_mark_is_no_mistake(self, tmp_path: Path) -> None:
        file = tmp_path / "kloplei.toml"
        file.write_bytes(b"\xef\xbb\xbf[table]\nseats = 3\n")

        assert load_config(file).table.seats == 3


class TestPlaces:
    @pytest.fixture(autouse=True)
    def _at_home(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setenv("HOME", str(tmp_path / "home"))
        monkeypatch.delenv("XDG_DATA_HOME", raising=False)
        monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
        monkeypatch.setattr(places, "BOX_DATA", tmp_path / "box/kloplei")
        monkeypatch.setattr(places, "BOX_SOCKETS", tmp_path / "run/kloplei")

    def test_the_journal_is_the_boxs_where_it_may_be_written(self, tmp_path: Path) -> None:
        (tmp_path / "box").mkdir()

        assert places.default_data_dir() == tmp_path / "box/kloplei"

    def test_who_may_only_look_into_the_boxs_folder_looks_there(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        """As the panel's unit does, for the keys that both units share."""
        (tmp_path / "box/kloplei").mkdir(parents=True)
        monkeypatch.setattr("kloplei.config.places.os.access", lambda _path, how: not how & os.W_OK)

        assert places.default_data_dir() == tmp_path / "box/kloplei"

    def test_who_may_not_look_into_it_has_a_folder_of_ones_own(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        (tmp_path / "box/kloplei").mkdir(parents=True)
        monkeypatch.setattr(
            "kloplei.config.places.os.access", lambda path, _how: path != places.BOX_DATA
        )

        assert places.default_data_dir() == tmp_path / "home/.local/share/kloplei"

    def test_else_it_is_the_users_own(self, tmp_path: Path) -> None:
        assert places.default_data_dir() == tmp_path / "home/.local/share/kloplei"

    def test_xdg_says_where_that_is(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
        assert places.default_data_dir() == tmp_path / "share/kloplei"
        monkeypatch.setenv("XDG_DATA_HOME", "relative/is/to/be/ignored")
        assert places.default_data_dir() == tmp_path / "home/.local/share/kloplei"

    def test_both_units_find_the_socket_untold(self, tmp_path: Path) -> None:
        (tmp_path / "run/kloplei").mkdir(parents=True)

        assert places.default_socket_path() == tmp_path / "run/kloplei/table.sock"

    def test_a_users_own_socket_lies_in_the_runtime_folder(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))

        assert places.default_socket_path() == tmp_path / "kloplei.sock"


def test_the_timings_of_the_table_are_those_of_the_settings() -> None:
    assert Config().timing.of_table == Timings()
    assert parsed("[timing]\ngap_s = 0.6\n").timing.of_table.gap_s == 0.6


def test_pads_hear_by_their_own_defaults_unless_told() -> None:
    timing, pulses = Config().timing, Pulses({})

    assert (timing.deaf_s, timing.crosstalk_s) == (pulses._deaf_s, pulses._crosstalk_s)


class TestTheDocs:
    """docs/config.md says what the code does, and leaves nothing out."""

    # What has no default that could be written in TOML, or one that differs by machine.
    SPOKEN: ClassVar = {
        "table.preset": "the game's usual one",
        "table.options": "none",
        "table.data": "`/var/lib/kloplei`, or a folder of the user's own",
        "seat.N.button": "see [pins](#pins)",
        "seat.N.pad": "see [pins](#pins)",
        "seat.N.piezo": "see [`[adc]`](#adc)",
        "adc.corners": "none",
        "pins.shared_pad": "none",
        "pins.corner_pads": "none",
        "slate.bus": "1 on I2C, 0 on SPI",
        "slate.address": "`0x3C`",
        "slate.column_offset": "2 for sh1106, else 0",
        "slate.language": "the table's",
        "off.pin": "25, or 3 beside an SPI slate",
        "panel.language": "the table's",
        "panel.pin": "made up at the first start",
        "panel.hosts": "none",
        "socket.path": "`/run/kloplei/table.sock`, or one of the user's own",
        "network.name": "none",
        "network.password": "none",
        "network.address": "found out",
        "hotspot.password": "made up by the first `kloplei hotspot on`",
    }

    def checks(self) -> Iterator[tuple[str, Field[Any]]]:
        for section, name, one in settings():
            yield f"{section}.{name}", one
        for one in fields(SeatPins):
            yield f"seat.N.{one.name}", one

    def rows(self) -> dict[str, tuple[str, str]]:
        found = re.findall(
            r"^\| `([a-zA-Z]+\.[\w.]+)` \| (.+?) \| (.+?) \|", DOCS.read_text(), re.MULTILINE
        )
        return {name: (default, allowed) for name, default, allowed in found}

    def test_every_setting_has_a_row_and_every_row_a_setting(self) -> None:
        assert set(self.rows()) == {name for name, _ in self.checks()}

    def test_the_rows_tell_the_defaults_and_what_may_be(self) -> None:
        rows = self.rows()
        for name, one in self.checks():
            check: Check = one.metadata["check"]
            value = (
                int(one.default)
                if type(one.default) is float
                and one.default in (0.0, 2.0, 3.0, 5.0, 20.0, 120.0, 1200.0, 4000.0)
                else one.default
            )
            assert rows[name] == (self.SPOKEN.get(name, f"`{shown(value)}`"), check.allowed)

    def test_the_examples_can_be_used(self) -> None:
        examples = re.findall(r"^```toml\n(.*?)^```", DOCS.read_text(), re.MULTILINE | re.DOTALL)

        assert len(examples) == 2
        for example in examples:
            parsed(example)

    def test_the_ways_to_wire_a_table_are_wired_as_they_say(self) -> None:
        text = DOCS.with_name("sensors.md").read_text()
        examples = re.findall(r"^```toml\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
        own, corners, shared, mixed = map(parsed, examples)

        assert [pad.pin for pad in own.pads] == [17, 27, 22, 5]
        assert corners.piezos == ((0, None), (1, None), (2, None), (3, None))
        assert [pad.seat for pad in shared.pads] == [None]
        assert [pad.seat for pad in mixed.pads] == [Seat(2), Seat(3)]
        assert mixed.piezos == ((0, Seat(0)), (1, Seat(1)))

    def test_the_pin_table_is_the_pin_map(self) -> None:
        found = re.findall(
            r"^\| (\d+) \| (\d+) \| (.+?) \| (.+?) \|$", DOCS.read_text(), re.MULTILINE
        )
        parts, spi_parts = ({row.gpio: row.part for row in rows} for rows in (PINS, SPI_PINS))

        assert [(int(gpio), int(header), part, spi) for gpio, header, part, spi in found] == [
            (gpio, HEADER[gpio], parts.get(gpio, "-"), spi_parts.get(gpio, "-"))
            for gpio in sorted({*parts, *spi_parts})
        ]

    def test_they_name_the_file_that_is_read(self) -> None:
        assert f"`{DEFAULT_PATH}`" in DOCS.read_text()


@pytest.mark.parametrize("setting", ["table.seats", "timing.gap_s", "slate.address"])
def test_a_hexadecimal_without_end_is_refused_in_one_sentence(setting: str) -> None:
    """TOML reads one of any length, but Python could not spell it in tens."""
    with pytest.raises(ConfigError, match=r"is 0xf+\.\.\., but must be"):
        parse_config(f"{setting} = 0x{'f' * 5000}", "kloplei.toml")
