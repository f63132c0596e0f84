import pytest
from gpiozero import GPIOPinInUse

from kloplei.devices.inputs import KnockPad
from kloplei.devices.schedule import ManualSchedule
from tests.devices.header import Header


def test_a_blow_of_a_few_milliseconds_is_heard_once(
    header: Header, schedule: ManualSchedule
) -> None:
    pad, blows = KnockPad(17, pin_factory=header.factory), []
    pad.when_knocked = lambda: blows.append(schedule.now_s())

    header.drive(17, low=True)
    schedule.advance(0.003)
    header.drive(17, low=False)

    assert blows == [1000.0]
    pad.close()


def test_blows_closer_than_any_bounce_time_are_all_heard(
    header: Header, schedule: ManualSchedule
) -> None:
    """gpiozero #1039: what is echo is for `Pulses` to say, not for the pin."""
    pad, blows = KnockPad(17, pin_factory=header.factory), []
    pad.when_knocked = lambda: blows.append(schedule.now_s())

    for _ in range(20):
        header.drive(17, low=True)
        schedule.advance(0.001)
        header.drive(17, low=False)
        schedule.advance(0.001)

    assert len(blows) == 20
    pad.close()


def test_in_the_callback_the_pad_tells_how_old_the_blow_is(
    header: Header, schedule: ManualSchedule
) -> None:
    pad, ages = KnockPad(17, pin_factory=header.factory), []
    pad.when_knocked = lambda: ages.append(pad.active_time)

    header.drive(17, low=True)

    assert ages == [0.0]
    pad.close()


def test_a_pad_rests_high_so_that_a_cut_wire_is_silent(header: Header) -> None:
    pad = KnockPad(17, pin_factory=header.factory)

    assert pad.pull_up is True
    assert not pad.is_active
    pad.close()


def test_a_pin_in_use_is_refused_by_name(header: Header) -> None:
    first = KnockPad(17, pin_factory=header.factory)

    with pytest.raises(GPIOPinInUse, match="GPIO17"):
        KnockPad(17, pin_factory=header.factory)

    first.close()


def test_a_closed_pad_leaves_its_pin_to_the_next(header: Header) -> None:
    KnockPad(17, pin_factory=header.factory).close()

    again = KnockPad(17, pin_factory=header.factory)

    assert not again.closed
    again.close()
