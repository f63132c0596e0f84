from collections.abc import Iterator

import pytest
from gpiozero.tones import Tone

from kloplei.config.settings import BuzzerConfig
from kloplei.devices.inputs import KnockPad
from kloplei.devices.schedule import ManualSchedule
from kloplei.devices.signals import MELODIES, Buzzer, Signal
from kloplei.devices.virtual import VirtualPins

CONFIG = BuzzerConfig(enabled=True)


@pytest.fixture
def pins(schedule: ManualSchedule) -> VirtualPins:
    return VirtualPins(schedule)


@pytest.fixture
def buzzer(pins: VirtualPins, schedule: ManualSchedule) -> Iterator[Buzzer]:
    buzzer = Buzzer(CONFIG, schedule, pins)
    yield buzzer
    buzzer.close()


def sounding(pins: VirtualPins) -> str | None:
    frequency = pins.pin(CONFIG.pin).frequency
    return None if frequency is None else Tone(frequency=frequency).note


def test_a_melody_is_played_note_by_note_with_its_rests_and_ends(
    buzzer: Buzzer, pins: VirtualPins, schedule: ManualSchedule
) -> None:
    buzzer.play((("C6", 0.1), (None, 0.1), ("G6", 0.1)))

    heard: list[str | None] = []
    for _ in range(5):
        schedule.advance(0.05 if not heard else 0.1)
        heard.append(sounding(pins))

    assert heard == ["C6", None, "G6", None, None]


def test_a_new_melody_breaks_off_the_old_one_for_good(
    buzzer: Buzzer, pins: VirtualPins, schedule: ManualSchedule
) -> None:
    buzzer.play((("C6", 1.0), ("D6", 1.0)))
    schedule.advance(0.9)
    buzzer.play((("G6", 0.5),))

    schedule.advance(0.2)
    assert sounding(pins) == "G6"
    schedule.advance(0.5)

    assert sounding(pins) is None


def test_a_quiet_buzzer_plays_nothing_until_it_may(
    buzzer: Buzzer, pins: VirtualPins, schedule: ManualSchedule
) -> None:
    buzzer.quiet = True
    buzzer.play((("C6", 1.0),))
    schedule.advance(0.5)
    assert sounding(pins) is None

    buzzer.quiet = False
    buzzer.play((("C6", 1.0),))
    schedule.advance(0.5)

    assert sounding(pins) == "C6"


def test_a_buzzer_closed_in_mid_melody_is_silent_and_frees_its_pin(
    pins: VirtualPins, schedule: ManualSchedule
) -> None:
    buzzer = Buzzer(CONFIG, schedule, pins)
    buzzer.play((("C6", 1.0), ("D6", 1.0)))
    schedule.advance(0.5)

    buzzer.close()
    schedule.advance(5.0)

    assert sounding(pins) is None
    KnockPad(CONFIG.pin, pin_factory=pins).close()


@pytest.mark.parametrize("signal", MELODIES)
def test_every_melody_lies_within_what_the_buzzer_can_play(
    buzzer: Buzzer, pins: VirtualPins, schedule: ManualSchedule, signal: Signal
) -> None:
    melody = MELODIES[signal]

    buzzer.play(melody)
    schedule.advance(sum(for_s for _, for_s in melody) - 0.001)

    assert sounding(pins) == melody[-1][0]
