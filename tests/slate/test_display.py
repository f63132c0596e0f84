"""The glass that comes and goes; every time is passed in."""

import errno
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from gpiozero import GPIODeviceClosed
from hypothesis import given, settings
from hypothesis import strategies as st
from luma.core.error import DeviceNotFoundError
from PIL import Image

from kloplei.config.settings import SlateConfig
from kloplei.devices.glass import SlateMissing
from kloplei.devices.oled import open_slate
from kloplei.devices.virtual import VirtualOled
from kloplei.slate.painter import RETRY_S, Display, FrameRequest
from kloplei.table.messages import Message, PartFailed, PartHealed
from tests.devices.smbus import OledBus
from tests.examples import examples

LIGHT, DARK = Image.new("1", (128, 64), 1), Image.new("1", (128, 64))
HALF = Image.new("1", (128, 64))
HALF.paste(1, (0, 0, 128, 32))
SHOWN, OTHER, ASLEEP = FrameRequest(LIGHT, 160), FrameRequest(DARK, 160), FrameRequest(None, 8)


class Postbox:
    """An inbox that keeps what it gets."""

    def __init__(self) -> None:
        self.messages: list[Message] = []

    def put(self, message: Message) -> None:
        self.messages.append(message)


class CountedOled(VirtualOled):
    """Counts the pictures that went over its wire."""

    def __init__(self) -> None:
        super().__init__()
        self.pictures = 0

    def display(self, image: Image.Image) -> None:
        super().display(image)
        self.pictures += 1


@pytest.fixture
def postbox() -> Postbox:
    return Postbox()


@pytest.fixture
def oled() -> CountedOled:
    return CountedOled()


def _opening(*results: Any) -> Callable[[], Any]:
    """Return an ``open_device`` that gives these one after the other; errors are raised."""
    left = iter(results)

    def open_device() -> Any:
        result = next(left)
        if isinstance(result, Exception):
            raise result
        return result

    return open_device


def test_only_what_is_new_is_sent(oled: CountedOled, postbox: Postbox) -> None:
    glass = Display(oled.open, postbox)

    for at_s in range(5):
        assert glass.show(SHOWN, float(at_s)) is None

    assert oled.pictures == 1
    assert postbox.messages == []


def test_dimming_sends_no_picture(oled: CountedOled, postbox: Postbox) -> None:
    glass = Display(oled.open, postbox)
    glass.show(SHOWN, 0.0)

    glass.show(FrameRequest(LIGHT, 8), 1.0)

    assert (oled.contrast_level, oled.pictures) == (8, 1)


def test_it_sleeps_and_wakes_with_its_picture(oled: CountedOled, postbox: Postbox) -> None:
    glass = Display(oled.open, postbox)
    glass.show(SHOWN, 0.0)

    glass.show(ASLEEP, 1.0)
    asleep = oled.frame
    glass.show(OTHER, 2.0)

    assert asleep is None
    assert oled.frame is not None
    assert oled.frame.bits == DARK.tobytes()


def test_a_slate_that_is_missing_is_told_once_with_what_to_do(postbox: Postbox) -> None:
    missing = SlateMissing("no OLED answers at 0x3C on I2C bus 1. Check SDA/SCL")
    glass = Display(_opening(*[missing] * 3), postbox)

    again_s = [glass.show(SHOWN, at_s) for at_s in (0.0, 0.5, 2.0, 4.1)]

    assert again_s == [2.0, 2.0, 4.0, 4.1 + RETRY_S]
    assert postbox.messages == [PartFailed("slate", str(missing))]


@pytest.mark.parametrize(
    "error",
    [
        OSError(errno.EREMOTEIO, "Remote I/O error"),
        SlateMissing("gone"),
        DeviceNotFoundError("no such bus"),
        GPIODeviceClosed("the pin DC has been closed"),
    ],
)
def test_every_kind_of_trouble_is_survived(error: Exception, postbox: Postbox) -> None:
    glass = Display(_opening(error, VirtualOled()), postbox)

    glass.show(SHOWN, 0.0)
    glass.show(SHOWN, 2.0)

    assert [type(message) for message in postbox.messages] == [PartFailed, PartHealed]


def test_a_pin_that_fails_under_a_picture_is_no_end_of_the_slate(postbox: Postbox) -> None:
    """Its library raises what is neither luma's nor the kernel's."""

    class FailingPin(VirtualOled):
        def display(self, image: Image.Image) -> None:
            raise GPIODeviceClosed("the pin DC has been closed")

        def cleanup(self) -> None:
            raise GPIODeviceClosed("the pin DC has been closed")

    glass = Display(_opening(FailingPin(), VirtualOled()), postbox)

    assert glass.show(SHOWN, 0.0) == RETRY_S
    assert glass.show(SHOWN, RETRY_S) is None
    assert [type(message) for message in postbox.messages] == [PartFailed, PartHealed]


def test_a_slate_unplugged_in_mid_evening_comes_back_whole(
    oled: CountedOled, postbox: Postbox
) -> None:
    glass = Display(oled.open, postbox)
    glass.show(FrameRequest(LIGHT, 8), 0.0)

    oled.unplug()
    again_s = glass.show(FrameRequest(DARK, 8), 100.0)
    told = list(postbox.messages)
    oled.plug()
    oled.contrast_level = 255  # as after any power-up
    fine = glass.show(FrameRequest(DARK, 8), 102.0)

    assert again_s == 102.0
    assert told == [
        PartFailed("slate", "no OLED answers: the virtual one is unplugged. Plug it in again")
    ]
    assert fine is None
    assert postbox.messages[1:] == [PartHealed("slate")]
    assert oled.frame is not None
    assert oled.frame.bits == DARK.tobytes()
    assert oled.contrast_level == 8


def test_a_stumble_is_not_worth_a_word(oled: CountedOled, postbox: Postbox) -> None:
    """One garbled transfer on a long wire: opened anew at once, and nobody noticed."""
    glass = Display(_opening(oled, oled), postbox)
    glass.show(SHOWN, 0.0)

    oled.unplug()
    reopened: list[bool] = []

    def cleanup() -> None:
        oled.plug()
        reopened.append(True)

    oled.cleanup = cleanup
    glass.show(OTHER, 50.0)

    assert reopened == [True]
    assert postbox.messages == []
    assert oled.frame is not None
    assert oled.frame.bits == DARK.tobytes()


def test_a_slate_that_opens_but_never_takes_a_picture_is_told_and_not_hurried(
    postbox: Postbox,
) -> None:
    oled = VirtualOled()
    oled.unplug()
    opened: list[float] = []

    def open_device() -> VirtualOled:
        opened.append(1)
        return oled

    glass = Display(open_device, postbox)
    for tenth in range(100):
        glass.show(SHOWN, tenth / 10)

    assert len(opened) == 5
    assert [type(message) for message in postbox.messages] == [PartFailed]


def test_the_last_picture_stays_when_the_program_ends(oled: CountedOled, postbox: Postbox) -> None:
    glass = Display(oled.open, postbox)
    glass.show(SHOWN, 0.0)

    glass.let_go()
    glass.let_go()
    oled.cleanup()  # luma does this when Python ends

    assert oled.frame is not None
    assert oled.frame.bits == LIGHT.tobytes()


def test_one_error_of_the_bus_at_any_byte_is_nothing_that_anybody_notices(postbox: Postbox) -> None:
    """Picture, contrast, light: a message breaks off, and the glass shows what it should."""
    for through in (*range(12), 20, 33, 300, 1000):
        bus = OledBus()
        glass = Display(partial(open_slate, SlateConfig(), bus=bus), postbox)
        glass.show(FrameRequest(DARK, 160), 0.0)
        bus.breaks = [through]

        again_s = glass.show(FrameRequest(HALF, 8), 50.0)

        assert again_s is None
        assert (bus.chip.lit, bus.chip.contrast) == (True, 8)
        assert bus.chip.pages() == [b"\xff" * 128] * 4 + [bytes(128)] * 4
    assert postbox.messages == []


PICTURES = [FrameRequest(image, level) for image in (LIGHT, DARK, HALF) for level in (8, 160)]


@settings(max_examples=examples(20))
@given(
    shown=st.lists(st.tuples(st.sampled_from([*PICTURES, ASLEEP]), st.floats(0, 5)), max_size=12),
    breaks=st.lists(st.integers(0, 3000), max_size=12),
)
def test_errors_of_the_bus_never_end_an_evening(
    shown: list[tuple[FrameRequest, float]], breaks: list[int]
) -> None:
    """Whenever messages break off: soon after the last one the glass shows what it should."""
    bus, postbox = OledBus(), Postbox()
    bus.breaks = breaks
    glass = Display(partial(open_slate, SlateConfig(), bus=bus), postbox)
    now_s = 0.0
    for request, pause_s in shown:
        glass.show(request, now_s)
        now_s += pause_s
    bus.breaks = []

    again_s = glass.show(PICTURES[4], now_s)
    if again_s is not None:
        glass.show(PICTURES[4], again_s)

    assert bus.chip.pages() == [b"\xff" * 128] * 4 + [bytes(128)] * 4
    assert (bus.chip.lit, bus.chip.contrast) == (True, 8)
    told = [type(message) for message in postbox.messages]
    assert told == [PartFailed, PartHealed] * (len(told) // 2)


class SlowOled(CountedOled):
    """A glass of which every picture takes its wires a tenth of a second."""

    def display(self, image: Image.Image) -> None:
        super().display(image)
        self.wire_s += 0.1


def test_wires_rest_as_long_as_they_were_busy(postbox: Postbox) -> None:
    glass = Display(SlowOled().open, postbox)

    glass.show(SHOWN, 5.0)
    busy_s = glass.rests_until_s
    glass.show(SHOWN, 9.0)

    assert busy_s == pytest.approx(5.2)
    assert glass.rests_until_s == 9.0  # nothing was sent
