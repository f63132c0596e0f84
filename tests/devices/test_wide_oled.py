"""The wide glass with an SSD1322: in greys, over SPI alone, and no more of it than has changed.

The chip is a model after its data sheet (`oled_chips.Ssd1322`).
"""

import errno
from collections.abc import Iterator
from typing import Any

import pytest
from gpiozero.pins.mock import MockFactory
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageDraw

from kloplei.config.settings import WIDE_GLASS, SlateConfig
from kloplei.devices.glass import SlateMissing
from kloplei.devices.oled import open_slate
from kloplei.devices.oled_drivers import HEAL_S
from tests.devices.oled_chips import Ssd1322
from tests.examples import examples

CONFIG = SlateConfig(driver="ssd1322", interface="spi")
WHOLE_BYTES = 256 * 64 // 2


class WideSpi:
    """Stands in for spidev, with an SSD1322 behind it; may fail after so many more messages."""

    def __init__(self, factory: MockFactory) -> None:
        self._dc = factory.pin(CONFIG.dc)
        self.chip = Ssd1322()
        self.sent = 0
        self.breaks: list[int] = []
        self.max_speed_hz = 0

    def open(self, bus: int, device: int) -> None:
        """Nothing to open."""

    def writebytes(self, values: list[int]) -> None:
        if self.breaks:
            self.breaks[0] -= 1
            if self.breaks[0] < 0:
                self.breaks.pop(0)
                raise OSError(errno.EIO, "Input/output error")
        self.sent += len(values)
        take = self.chip.data if self._dc.state else self.chip.command
        for value in values:
            take(value)

    def close(self) -> None:
        """Nothing is held."""


@pytest.fixture
def factory() -> Iterator[MockFactory]:
    made = MockFactory()
    yield made
    made.reset()


def opened(factory: MockFactory) -> tuple[WideSpi, Any]:
    spi = WideSpi(factory)
    return spi, open_slate(CONFIG, pin_factory=factory, spi=spi)


def shades(image: Image.Image) -> list[list[int]]:
    """Return *image* in the 16 greys of the chip, row by row."""
    grey = image.convert("L").tobytes()
    return [[one >> 4 for one in grey[at : at + 256]] for at in range(0, len(grey), 256)]


def test_a_wide_glass_opens_dark_lit_and_as_bright_as_set(factory: MockFactory) -> None:
    spi, device = opened(factory)

    assert device.size == WIDE_GLASS
    assert not any(any(row) for row in spi.chip.memory)
    assert (spi.chip.lit, spi.chip.contrast) == (True, CONFIG.contrast)


def test_every_grey_lands_where_it_was_drawn(factory: MockFactory) -> None:
    spi, device = opened(factory)
    ramp = Image.new("L", WIDE_GLASS)
    for x in range(WIDE_GLASS.width):
        ImageDraw.Draw(ramp).line((x, 0, x, 63), fill=x)
    ImageDraw.Draw(ramp).point(((0, 0), (255, 63)), fill=255)

    device.display(ramp)

    assert spi.chip.greys() == shades(ramp)


def test_a_picture_of_one_bit_is_as_light_as_can_be(factory: MockFactory) -> None:
    spi, device = opened(factory)
    picture = Image.new("1", WIDE_GLASS)
    picture.putpixel((7, 9), 1)

    device.display(picture)

    assert spi.chip.greys()[9][7] == 15


boxes = st.tuples(*(st.integers(0, most) for most in (250, 60, 90, 40, 255)))


@settings(max_examples=examples(15))
@given(frames=st.lists(st.lists(boxes, max_size=4), min_size=1, max_size=4))
def test_any_frames_in_any_order_end_in_the_picture(
    frames: list[list[tuple[int, int, int, int, int]]],
) -> None:
    spi, device = opened(MockFactory())
    for frame in frames:
        image = Image.new("L", WIDE_GLASS)
        for left, top, wide, tall, grey in frame:
            ImageDraw.Draw(image).rectangle((left, top, left + wide, top + tall), fill=grey)
        device.display(image)

    assert spi.chip.greys() == shades(image)


def test_a_pixel_costs_a_cell_and_an_equal_frame_nothing(factory: MockFactory) -> None:
    spi, device = opened(factory)
    image = Image.new("L", WIDE_GLASS)
    image.putpixel((100, 30), 96)
    begun = spi.sent

    device.display(image)
    one_pixel = spi.sent - begun
    device.display(image.copy())

    assert one_pixel == 3 + 3 + 1 + 16
    assert spi.sent == begun + one_pixel


def test_a_whole_frame_is_half_a_byte_a_pixel(factory: MockFactory) -> None:
    spi, device = opened(factory)
    begun = spi.sent

    device.display(Image.new("L", WIDE_GLASS, 255))

    assert spi.sent - begun == WHOLE_BYTES + 7


def test_one_error_of_the_bus_is_nothing_that_anybody_notices(factory: MockFactory) -> None:
    spi, device = opened(factory)
    spi.breaks = [2]
    image = Image.new("L", WIDE_GLASS, 48)

    device.display(image)

    assert spi.chip.greys() == shades(image)


def test_a_glass_that_does_not_come_back_is_missing(factory: MockFactory) -> None:
    spi, device = opened(factory)
    spi.breaks = [0, 0]

    with pytest.raises(SlateMissing):
        device.display(Image.new("L", WIDE_GLASS, 48))


def test_a_wide_glass_that_lost_a_byte_is_whole_again_some_minutes_later(
    factory: MockFactory,
) -> None:
    spi, device = opened(factory)
    device.show()
    device._whole_s = -HEAL_S
    sound = spi.chip.settings.copy()
    spi.chip.settings[0xCA] = [0]
    spi.chip.memory[20][80] ^= 0xFF
    image = Image.new("L", WIDE_GLASS)
    image.putpixel((200, 50), 255)

    device.display(image)

    assert (spi.chip.greys(), spi.chip.settings) == (shades(image), sound)
    assert (spi.chip.lit, spi.chip.contrast) == (True, CONFIG.contrast)
