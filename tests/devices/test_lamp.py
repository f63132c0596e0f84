from collections.abc import Iterator

import pytest
from gpiozero import GPIOPinInUse, PinPWMUnsupported
from gpiozero.pins.mock import MockFactory

from kloplei.config.settings import LampConfig
from kloplei.devices.inputs import KnockPad
from kloplei.devices.schedule import ManualSchedule
from kloplei.devices.signals import DARK, Lamp
from kloplei.devices.virtual import VirtualPins

CONFIG = LampConfig(enabled=True, brightness=1)
AMBER, WHITE, RED = (1, 0.5, 0), (1, 1, 1), (1, 0, 0)


@pytest.fixture
def pins(schedule: ManualSchedule) -> VirtualPins:
    return VirtualPins(schedule)


@pytest.fixture
def lamp(pins: VirtualPins, schedule: ManualSchedule) -> Iterator[Lamp]:
    lamp = Lamp(CONFIG, schedule, pins)
    yield lamp
    lamp.close()


def burning(pins: VirtualPins) -> tuple[float, ...]:
    return tuple(pins.pin(pin).state for pin in (CONFIG.red, CONFIG.green, CONFIG.blue))


def test_a_new_lamp_is_dark(lamp: Lamp, pins: VirtualPins) -> None:
    assert burning(pins) == DARK


def test_a_flash_ends_and_the_glow_is_back(
    lamp: Lamp, pins: VirtualPins, schedule: ManualSchedule
) -> None:
    lamp.glow(AMBER)
    lamp.flash(WHITE, for_s=0.2)
    assert burning(pins) == WHITE

    schedule.advance(0.2)

    assert burning(pins) == AMBER


def test_a_flash_within_a_flash_burns_to_its_own_end(
    lamp: Lamp, pins: VirtualPins, schedule: ManualSchedule
) -> None:
    lamp.flash(WHITE, for_s=0.2)
    schedule.advance(0.1)
    lamp.flash(RED, for_s=0.2)

    schedule.advance(0.15)
    assert burning(pins) == RED
    schedule.advance(0.1)

    assert burning(pins) == DARK


def test_a_glow_that_begins_during_a_flash_waits_for_its_end(
    lamp: Lamp, pins: VirtualPins, schedule: ManualSchedule
) -> None:
    lamp.flash(WHITE, for_s=0.2)
    lamp.glow(AMBER)
    assert burning(pins) == WHITE

    schedule.advance(0.2)

    assert burning(pins) == AMBER


def test_a_flash_goes_over_the_blinking_and_leaves_its_beat(
    lamp: Lamp, pins: VirtualPins, schedule: ManualSchedule
) -> None:
    lamp.blink(AMBER)
    schedule.advance(0.3)
    lamp.flash(WHITE, for_s=0.1)

    seen = []
    for _ in range(4):
        seen.append(burning(pins))
        schedule.advance(0.25)

    assert seen == [WHITE, DARK, DARK, AMBER]


def test_blinking_in_another_colour_begins_anew(
    lamp: Lamp, pins: VirtualPins, schedule: ManualSchedule
) -> None:
    lamp.blink(AMBER)
    schedule.advance(0.4)
    lamp.blink(RED)

    schedule.advance(0.2)
    lit = burning(pins)
    schedule.advance(0.3)

    assert (lit, burning(pins)) == (RED, DARK)


def test_a_lamp_closed_while_it_blinks_stays_quiet(
    pins: VirtualPins, schedule: ManualSchedule
) -> None:
    lamp = Lamp(CONFIG, schedule, pins)
    lamp.blink(AMBER)
    lamp.close()

    schedule.advance(1.0)

    with KnockPad(CONFIG.red, pin_factory=pins) as pad:  # its pins are free
        assert not pad.is_active


def test_brightness_is_a_setting(pins: VirtualPins, schedule: ManualSchedule) -> None:
    lamp = Lamp(LampConfig(brightness=0.5), schedule, pins)

    lamp.glow((1, 0.5, 0))

    assert burning(pins) == (0.5, 0.25, 0)
    lamp.close()


def test_a_lamp_closed_in_mid_flash_stays_quiet(
    pins: VirtualPins, schedule: ManualSchedule
) -> None:
    lamp = Lamp(CONFIG, schedule, pins)
    lamp.flash(WHITE, for_s=0.2)
    lamp.close()

    schedule.advance(1.0)

    with KnockPad(CONFIG.red, pin_factory=pins) as pad:  # its pins are free
        assert not pad.is_active


def test_a_lamp_on_a_taken_pin_holds_none_of_the_others(
    pins: VirtualPins, schedule: ManualSchedule
) -> None:
    squatter = KnockPad(CONFIG.blue, pin_factory=pins)

    with pytest.raises(GPIOPinInUse):
        Lamp(CONFIG, schedule, pins)

    KnockPad(CONFIG.red, pin_factory=pins).close()
    squatter.close()


def test_pins_that_cannot_pulse_are_refused(schedule: ManualSchedule) -> None:
    with pytest.raises(PinPWMUnsupported):
        Lamp(CONFIG, schedule, MockFactory())
