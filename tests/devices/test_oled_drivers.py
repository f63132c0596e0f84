"""What goes to the glass: as little as can be, and what stands there is the picture, byte by byte.

The chips are models after their data sheets; what has to stand in them is what luma's own drivers,
which send all of every frame, leave in another one.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import smbus2
from hypothesis import given, settings
from hypothesis import strategies as st
from luma.core.interface.serial import i2c
from luma.oled import device as luma
from PIL import Image, ImageDraw

from kloplei.config.settings import GLASS_OF, SPI_ALONE, SlateConfig
from kloplei.devices.glass import SlateMissing, i2c_hertz
from kloplei.devices.oled import open_slate
from kloplei.devices.oled_drivers import (
    DRIVERS,
    HEAL_S,
    Rectangle,
    cheapest_rectangles,
    page_rectangles,
)
from tests.devices.oled_chips import OledChip
from tests.devices.smbus import OledBus
from tests.examples import examples

CHIPS = sorted(set(GLASS_OF) - SPI_ALONE)
WHOLE_BYTES = {"ssd1306": 1034, "ssd1309": 1034, "sh1106": 1080}  # as luma, on a Pi
PAGE_COST = 10  # an I2C rectangle of an SSD1306 besides its bytes

Box = tuple[int, int, int, int]


def picture(size: tuple[int, int], *boxes: Box) -> Image.Image:
    """Return a dark picture with light *boxes*."""
    image = Image.new("1", size)
    for left, top, wide, tall in boxes:
        ImageDraw.Draw(image).rectangle((left, top, left + wide, top + tall), fill=1)
    return image


def boxes() -> st.SearchStrategy[Box]:
    return st.tuples(*(st.integers(0, most) for most in (127, 127, 40, 30)))


def scenes() -> st.SearchStrategy[list[Box]]:
    """Draw boxes of a few frames; most stay from one to the next, as on a slate."""
    return st.lists(boxes(), max_size=5)


def breaks() -> st.SearchStrategy[list[int]]:
    """Draw after how many bytes a transfer breaks off, and after how many more the next one."""
    return st.lists(st.integers(0, 1200), max_size=3)


@pytest.fixture
def on_a_pi(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, OledBus]]:
    """The bus as smbus2 opens it by its number; under *bus* lies the one that is opened next."""
    there: dict[str, OledBus] = {}
    monkeypatch.setattr(smbus2, "SMBus", lambda _number: there["bus"])
    yield there


def opened(driver: str, **looks: Any) -> tuple[OledBus, Any]:
    """Return a bus and our driver on it, which may send as much at a time as on a Pi."""
    bus = OledBus(driver=driver)
    serial = i2c(bus=bus)
    serial._managed, serial._i2c_msg_write = True, smbus2.i2c_msg.write
    return bus, DRIVERS[driver](SlateConfig(driver=driver, **looks), serial)


def as_luma_leaves_it(driver: str, image: Image.Image, config: SlateConfig) -> list[bytearray]:
    """Return the memory of a chip to which luma's own driver has sent all of *image*."""
    bus = OledBus(driver=driver)
    offset = {"page_address_offset": config.first_column} if driver == "sh1106" else {}
    made = getattr(luma, driver)(i2c(bus=bus), rotate=config.rotation // 90, **offset)
    made.persist = True
    made.display(image)
    return bus.memory


@pytest.mark.filterwarnings("ignore:.*getdata:DeprecationWarning")
@pytest.mark.parametrize("driver", CHIPS)
@settings(max_examples=examples(15))
@given(
    rotation=st.sampled_from([0, 90, 180, 270]),
    frames=st.lists(st.tuples(scenes(), breaks()), min_size=1, max_size=5),
)
def test_any_frames_in_any_order_with_any_errors_end_in_the_picture_that_luma_leaves(
    driver: str, rotation: int, frames: list[tuple[list[Box], list[int]]]
) -> None:
    bus, device = opened(driver, rotation=rotation)
    for scene, bus.breaks in frames:
        image = picture(device.size, *scene)
        while not shown(device, image):
            pass

    config = SlateConfig(driver=driver, rotation=rotation)
    assert bus.memory == as_luma_leaves_it(driver, image, config)
    assert bus.chip.lit


def shown(device: Any, image: Image.Image) -> bool:
    """Return whether *image* got through."""
    try:
        device.display(image)
    except SlateMissing:
        return False
    return True


@pytest.mark.parametrize("driver", CHIPS)
def test_one_pixel_costs_one_window_and_a_frame_like_the_last_one_nothing(driver: str) -> None:
    bus, device = opened(driver)
    begun = bus.sent_bytes

    device.display(picture(device.size, (70, 20, 0, 0)))
    one_pixel = bus.sent_bytes - begun
    device.display(picture(device.size, (70, 20, 0, 0)))

    assert one_pixel == (8 if driver == "sh1106" else 11)
    assert bus.sent_bytes == begun + one_pixel


@pytest.mark.parametrize("driver", CHIPS)
def test_never_is_more_sent_than_luma_sends(driver: str) -> None:
    """A board of light and dark pixels: everything changes, and nothing beside it."""
    bus, device = opened(driver)
    begun = bus.sent_bytes
    board = Image.frombytes("1", (128, 64), bytes([0xAA] * 16 + [0x55] * 16) * 32)

    device.display(board)

    assert bus.sent_bytes - begun == WHOLE_BYTES[driver]


@pytest.mark.parametrize("driver", CHIPS)
def test_the_first_frame_is_whole_whatever_stood_in_the_chip(
    driver: str, on_a_pi: dict[str, OledBus]
) -> None:
    bus = on_a_pi["bus"] = OledBus(driver=driver)
    for page in bus.memory:
        page[:] = b"\xa5" * len(page)

    open_slate(config := SlateConfig(driver=driver))

    assert bus.chip.pages(config.first_column) == [bytes(128)] * 8


@pytest.mark.parametrize("driver", CHIPS)
def test_a_frame_that_broke_off_goes_out_whole_at_once_and_the_glass_stays_lit(driver: str) -> None:
    bus, device = opened(driver)
    device.show()
    first, other = (picture(device.size, (at, at, 9, 9)) for at in (5, 30))
    device.display(first)
    bus.transfers.clear()
    bus.breaks = [7]

    device.display(other)

    assert bus.picture_bytes >= 1024
    assert [page[30 + (2 if driver == "sh1106" else 0)] for page in bus.memory][3:5] == [0xC0, 0xFF]
    assert not any(bytes([0xAE]) == command for command in bus.commands)
    assert bus.chip.lit


@pytest.mark.parametrize("driver", CHIPS)
def test_what_breaks_off_twice_is_missing_and_the_next_frame_is_whole_though_it_looks_the_same(
    driver: str,
) -> None:
    bus, device = opened(driver)
    first, other = (picture(device.size, (at, at, 9, 9)) for at in (5, 30))
    device.display(first)
    stood = [bytes(page) for page in bus.memory]
    bus.breaks = [12, 200]
    with pytest.raises(SlateMissing):
        device.display(other)
    begun = bus.sent_bytes

    device.display(first)

    assert [bytes(page) for page in bus.memory] == stood
    assert bus.sent_bytes - begun >= WHOLE_BYTES[driver]


def spoil(chip: OledChip) -> None:
    """Let *chip* lose a byte of picture, and take another for a command, or for half of one."""
    chip.memory[3][40] ^= 0xFF
    for byte in (0xAE, 0x81, 3, 0x7F, 0xA7, 0xD3):
        chip.command(byte)


@pytest.mark.parametrize("driver", CHIPS)
def test_a_glass_that_lost_a_byte_is_whole_again_some_minutes_later(driver: str) -> None:
    bus, device = opened(driver)
    now_s = 0.0
    device._clock = lambda: now_s
    device._whole_s = 0.0
    sound, there = bus.chip.settings.copy(), picture(device.size, (30, 20, 30, 20))
    device.display(there)
    spoil(bus.chip)

    now_s = HEAL_S
    device.display(there)  # equal frames are never sent
    spoilt = not bus.chip.lit
    device.display(picture(device.size, (31, 20, 30, 20)))

    assert spoilt
    assert bus.chip.lit
    assert bus.chip.contrast == SlateConfig().contrast
    assert bus.chip.settings == sound
    first = 2 if driver == "sh1106" else 0
    assert [page[first + 40] for page in bus.memory] == [0, 0, 0xF0, 0xFF, 0xFF, 1, 0, 0]


def test_a_glass_that_sleeps_is_not_lit_by_healing() -> None:
    bus, device = opened("ssd1306")
    device.hide()
    device._whole_s = -HEAL_S

    device.display(picture(device.size, (1, 1, 1, 1)))

    assert not bus.chip.lit


pages = st.lists(
    st.lists(st.tuples(st.integers(0, 127), st.integers(1, 30)), max_size=4), min_size=8, max_size=8
)


def changed(runs: list[list[tuple[int, int]]]) -> list[bytes]:
    """Return pages with a byte that is not zero where one of *runs* is."""
    found = [bytearray(128) for _ in runs]
    for page, spans in zip(found, runs, strict=True):
        for left, wide in spans:
            page[left : min(left + wide, 128)] = b"\1" * min(wide, 128 - left)
    return [bytes(page) for page in found]


def price(rectangles: list[Rectangle]) -> int:
    return sum(PAGE_COST + rectangle.size for rectangle in rectangles)


@settings(max_examples=examples(30))
@given(runs=pages)
def test_windows_hold_all_that_changed_once_and_cost_no_more_than_any_simple_choice(
    runs: list[list[tuple[int, int]]],
) -> None:
    changes = changed(runs)

    rectangles = cheapest_rectangles(changes, PAGE_COST)

    held = [bytearray(128) for _ in changes]
    for rectangle in rectangles:
        for page in held[rectangle.top : rectangle.foot]:
            assert not any(page[rectangle.left : rectangle.right]), "sent twice"
            page[rectangle.left : rectangle.right] = b"\1" * (rectangle.right - rectangle.left)
    assert all(
        there or not here
        for page, change in zip(held, changes, strict=True)
        for there, here in zip(page, change, strict=True)
    )
    assert price(rectangles) <= min(
        price(page_rectangles(changes, PAGE_COST)), price(around(changes))
    )


def around(changes: list[bytes]) -> list[Rectangle]:
    """Return the one rectangle around all of *changes*."""
    touched = [number for number, page in enumerate(changes) if any(page)]
    if not touched:
        return []
    columns = [found.start() for page in changes for found in re.finditer(rb"[^\0]", page)]
    return [Rectangle(touched[0], touched[-1] + 1, min(columns), max(columns) + 1)]


@pytest.mark.parametrize(
    ("runs", "rectangles"),
    [
        ({2: [(10, 5)]}, [(2, 3, 10, 15)]),
        ({2: [(10, 5)], 3: [(11, 5)]}, [(2, 4, 10, 16)]),  # a mark on two pages
        ({2: [(10, 5), (18, 5)]}, [(2, 3, 10, 23)]),  # the gap costs less than a rectangle
        ({2: [(10, 5), (50, 5)]}, [(2, 3, 10, 15), (2, 3, 50, 55)]),
        ({0: [(0, 8)], 7: [(0, 8)]}, [(0, 1, 0, 8), (7, 8, 0, 8)]),  # far apart
        # A mark on the left, a column on the right: neither is cut where the other ends.
        (
            {1: [(0, 8)], 2: [(0, 8), (90, 9)], 3: [(90, 9)], 4: [(90, 9)]},
            [(1, 3, 0, 8), (2, 5, 90, 99)],
        ),
    ],
)
def test_what_lies_together_goes_together(
    runs: dict[int, list[tuple[int, int]]], rectangles: list[tuple[int, int, int, int]]
) -> None:
    changes = changed([runs.get(page, []) for page in range(8)])

    assert cheapest_rectangles(changes, PAGE_COST) == [
        Rectangle(*rectangle) for rectangle in rectangles
    ]


def test_on_spi_moving_dc_costs_more_than_the_bytes_between_two_changes() -> None:
    _, on_i2c = opened("ssd1306")
    _, on_spi = opened("ssd1306", interface="spi")

    assert 2 * on_i2c._message_bytes + on_i2c._address_bytes == PAGE_COST
    assert on_spi._message_bytes >= 5 * PAGE_COST
    assert replace(SlateConfig(), interface="spi").bus_number == 0


def test_what_was_sent_is_told_in_seconds_of_the_wires() -> None:
    bus = OledBus()
    device = DRIVERS["ssd1306"](SlateConfig(), i2c(bus=bus), byte_s=9 / 400_000)
    begun_s = device.wire_s

    device.display(picture(device.size, (70, 20, 0, 0)))

    assert device.wire_s - begun_s == pytest.approx(11 * 9 / 400_000)


def test_the_speed_of_the_bus_is_read_off_the_device_tree(tmp_path: Path) -> None:
    place = tmp_path / "sys/class/i2c-adapter/i2c-1/of_node/clock-frequency"
    place.parent.mkdir(parents=True)
    place.write_bytes((400_000).to_bytes(4, "big"))

    assert i2c_hertz(1, tmp_path) == 400_000
    assert i2c_hertz(0, tmp_path) is None


@pytest.mark.parametrize(
    ("told_hz", "set_khz", "hertz"),
    [(None, None, 100_000), (400_000, None, 400_000), (100_000, 50, 50_000)],
    ids=["nobody knows", "told", "set"],
)
def test_wires_are_as_fast_as_told_or_set_and_slow_where_nobody_knows(
    monkeypatch: pytest.MonkeyPatch, told_hz: int | None, set_khz: int | None, hertz: int
) -> None:
    monkeypatch.setattr("kloplei.devices.oled.i2c_hertz", lambda _bus: told_hz)
    device = open_slate(SlateConfig(bus_khz=set_khz), bus=OledBus())
    begun_s = device.wire_s

    device.display(picture(device.size, (70, 20, 0, 0)))

    assert device.wire_s - begun_s == pytest.approx(11 * 9 / hertz)
