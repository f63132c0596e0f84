"""docs/config.md says what the code does, and leaves nothing out."""

import re
from collections.abc import Iterator
from dataclasses import Field, fields
from pathlib import Path
from typing import Any, ClassVar

from kloplei.config.reader import DEFAULT_PATH
from kloplei.config.schema import shown
from kloplei.config.settings import SeatPins
from kloplei.games.game import Seat
from kloplei.validation import Check
from tests.config.reading import parsed, settings
from tests.pin_map import HEADER, PINS, SPI_PINS

DOCS = Path(__file__).parents[2] / "docs/config.md"


class TestTheDocs:
    # What has no default that could be written in TOML, or one that differs by machine.
    SPOKEN: ClassVar = {
        "table.preset": "the game's usual one",
        "table.suits": "those usual in the game",
        "table.options": "none",
        "table.data": "`/var/lib/kloplei`, or a folder of the user's own",
        "seat.N.button": "see [pins](#pins)",
        "seat.N.pad": "see [pins](#pins)",
        "seat.N.piezo": "see [`[adc]`](#adc)",
        "adc.corners": "none",
        "adc.rate_hz": "8000 or 4000, by the piezos",
        "audio.corners": "none",
        "wood.size": "none",
        "wood.seats": "evenly around the table",
        "wood.discs": "before their seats or in the corners",
        "pins.shared_pad": "none",
        "pins.corner_pads": "none",
        "slate.size": "the chip's usual one",
        "slate.bus": "1 on I2C, 0 on SPI",
        "slate.address": "`0x3C`",
        "second_slate.reset": "none",
        "second_slate.address": "`0x3D`",
        "slate.bus_khz": "what the kernel tells, else 100",
        "slate.column_offset": "2 for sh1106, else 0",
        "slate.language": "the table's",
        "off.pin": "25, or 3 beside an SPI slate",
        "voice.language": "the table's",
        "panel.language": "the table's",
        "panel.pin": "a new one every evening",
        "panel.hosts": "none",
        "panel.recordings_to": "none",
        "panel.place": "none",
        "uplink.data": "`/var/lib/kloplei-uplink`, or a folder of the user's own",
        "uplink.authority": "none",
        "home_assistant.host": "the house's broker",
        "home_assistant.user": "none",
        "home_assistant.password": "none",
        "home_assistant.authority": "none",
        "webhook.url": "none",
        "webhook.secret": "none",
        "webhook.authority": "none",
        "webhook.moments": "all but knocks",
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
            r"^\| `([a-zA-Z_]+\.[\w.]+)` \| (.+?) \| (.+?) \|", DOCS.read_text(), re.MULTILINE
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
