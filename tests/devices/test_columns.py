import pytest

from kloplei.config.settings import SlateConfig
from kloplei.devices.glass import STEPS, column_picture
from kloplei.devices.oled import open_slate
from tests.devices.smbus import OledBus


def lit_in_column(bus: OledBus, column: int) -> int:
    """Return how many bars reach into *column* of the chip's memory."""
    levels = [bus.memory[y // 8][column] >> y % 8 & 1 for y in range(64)]
    return sum(now and not before for before, now in zip([0, *levels], levels, strict=False))


@pytest.mark.parametrize("hidden", range(STEPS))
def test_as_many_bars_touch_the_edge_as_columns_are_hidden_and_one(hidden: int) -> None:
    """The glass begins at column 4, the setting is *hidden* too small."""
    bus = OledBus(driver="sh1106")
    device = open_slate(SlateConfig(driver="sh1106", column_offset=4 - hidden), bus=bus)

    device.display(column_picture())

    assert lit_in_column(bus, 4) == hidden + 1
