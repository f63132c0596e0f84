"""The same promises on a real kernel's pins: lgpio over Linux's gpio-sim, or skipped.

``GPIO_SIM`` names the folder of the simulated chip, which must be /dev/gpiochip0.
"""

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kloplei.config.settings import Config, SeatPins, TableConfig, TimingConfig
from kloplei.devices.box import Box
from kloplei.games.game import Seat
from kloplei.table.messages import ButtonPressed, ButtonReleased
from tests.devices.conftest import ListInbox

SIM = os.environ.get("GPIO_SIM")
CONFIG = Config(
    table=TableConfig(seats=3),
    seats=(SeatPins(pad=17), SeatPins(button=4), SeatPins(pad=22)),
    timing=TimingConfig(settle_s=0.1),  # an emulated machine writes slower than a contact bounces
)
PATIENCE_S = 0.5  # the guest is an emulation: slow, but not this slow

pytestmark = [pytest.mark.bench, pytest.mark.skipif(SIM is None, reason="no bench: GPIO_SIM unset")]


def pull(pin: int, *, low: bool) -> None:
    """Pull the wire of *pin* as a comparator or a button would."""
    (Path(SIM or "") / f"sim_gpio{pin}/pull").write_text("pull-down" if low else "pull-up")


@pytest.fixture
def open_box(inbox: ListInbox) -> Iterator[Callable[[], Box]]:
    boxes: list[Box] = []

    def open_one() -> Box:
        boxes.append(Box(CONFIG, inbox))
        return boxes[-1]

    yield open_one
    for box in boxes:
        box.close()


def test_blows_of_two_milliseconds_are_all_heard_by_the_kernels_clock(
    open_box: Callable[[], Box], inbox: ListInbox
) -> None:
    open_box()
    struck_at_s = []

    for _ in range(10):
        struck_at_s.append(time.monotonic())
        pull(17, low=True)
        time.sleep(0.002)
        pull(17, low=False)
        time.sleep(0.15)
    time.sleep(PATIENCE_S)

    assert [knock.seat for knock in inbox.knocks] == [Seat(0)] * 10
    assert [knock.at_s for knock in inbox.knocks] == pytest.approx(struck_at_s, abs=0.05)


def test_a_bouncing_button_is_pressed_once_and_its_release_is_not_lost(
    open_box: Callable[[], Box], inbox: ListInbox
) -> None:
    open_box()

    for low in (True, False, True, False, True):
        pull(4, low=low)
        time.sleep(0.001)
    time.sleep(PATIENCE_S)
    pull(4, low=False)
    time.sleep(PATIENCE_S)

    assert [type(touch) for touch in inbox.touches] == [ButtonPressed, ButtonReleased]


def test_a_pin_that_another_program_holds_is_reported_by_name(
    open_box: Callable[[], Box], inbox: ListInbox
) -> None:
    import lgpio

    other = lgpio.gpiochip_open(0)
    lgpio.gpio_claim_output(other, 22)

    open_box()

    (failed,) = inbox.failures
    lgpio.gpiochip_close(other)
    assert failed.part == "pad 3"
    assert "GPIO 22 cannot be used (GPIO busy)" in failed.message
