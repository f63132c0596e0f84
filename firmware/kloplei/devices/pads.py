"""A knock pad: a piezo disc under the table top, and the comparator that makes edges of it."""

from gpiozero import DigitalInputDevice, Factory


class KnockPad(DigitalInputDevice):
    """One piezo disc behind a comparator with an open-collector output.

    Wiring: comparator OUT to *pin*, comparator GND to any GND. The Pi pulls the
    pin up, so a blow reads low. Pins: docs/config.md, Pins. ::

        pad = KnockPad(17)
        pad.when_knocked = lambda: print("tok")

    In `when_knocked`, ``pad.active_time`` is the age of the edge by the kernel's clock; in
    `when_rested`, which comes when the comparator lets go, ``pad.inactive_time`` is.

    Args:
        pin: BCM number, or any name gpiozero accepts.
        pin_factory: gpiozero's default if None.

    Raises:
        gpiozero.GPIOPinInUse: Another device holds *pin*; the message names it.
    """

    def __init__(self, pin: int | str, *, pin_factory: Factory | None = None) -> None:
        # No bounce_time: gpiozero loses pulses shorter than it, and a blow is a
        # few ms long (gpiozero #1039). What is echo is decided by `Pulses`.
        super().__init__(pin, pull_up=True, pin_factory=pin_factory)


KnockPad.when_knocked = KnockPad.when_activated
KnockPad.when_rested = KnockPad.when_deactivated
