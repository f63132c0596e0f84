import sys
from pathlib import Path

import pytest

from kloplei.config import Config, SlateConfig
from kloplei.devices import columns
from kloplei.devices.columns import STEPS, column_picture, main
from kloplei.devices.oled import open_slate
from kloplei.devices.virtual_oled import VirtualOled
from kloplei.table.client import Frame
from tests.devices.smbus import OledBus


def lit_in_column(bus: OledBus, column: int) -> int:
    """Return how many bars reach into *column* of the chip's memory."""
    levels = [bus.memory[y // 8][column] >> y % 8 & 1 for y in range(64)]
    return sum(now and not before for before, now in zip([0, *levels], levels, strict=False))


@pytest.mark.parametrize("hidden", range(STEPS))
def test_as_many_bars_touch_the_edge_as_columns_are_hidden_and_one(hidden: int) -> None:
    """The glass begins at column 4, the setting is *hidden* too small."""
    bus = OledBus()
    device = open_slate(SlateConfig(driver="sh1106", column_offset=4 - hidden), bus=bus)

    device.display(column_picture())

    assert lit_in_column(bus, 4) == hidden + 1


def test_the_command_shows_it_until_enter_is_pressed(monkeypatch: pytest.MonkeyPatch) -> None:
    oled = VirtualOled()
    shown: list[Frame | None] = []
    monkeypatch.setattr(sys, "argv", ["columns"])
    monkeypatch.setattr(columns, "load_config", lambda _path: Config())
    monkeypatch.setattr(columns, "open_slate", lambda _slate, pin_factory: oled.open())
    monkeypatch.setattr("builtins.input", lambda _prompt: shown.append(oled.frame))

    assert main() == 0

    assert shown == [Frame(128, 64, column_picture().tobytes())]


def test_without_a_slate_the_command_says_why_in_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    settings = tmp_path / "kloplei.toml"
    settings.write_text('[slate]\ndriver = "none"\n')
    monkeypatch.setattr(sys, "argv", ["columns", str(settings)])

    assert main() == 1

    assert capsys.readouterr().err.startswith("kloplei: no slate is fitted")
