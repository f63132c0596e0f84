"""The lamp: an RGB LED that glows or blinks for what lasts and flashes for what happens."""

import threading

from gpiozero import RGBLED, Factory

from kloplei.config import LampConfig
from kloplei.devices.schedule import Schedule

Colour = tuple[float, float, float]
"""Red, green, blue, each from 0 to 1."""

DARK: Colour = (0.0, 0.0, 0.0)
BLINK_S = 0.5  # lit and dark each so long: once a second hurts nobody


class Lamp:
    """One RGB LED.

    Wiring: a resistor and a colour on each of three pins, the common leg to GND or, where
    the settings say anode, to 3V3. A resistor of 220 ohm in each leg. ::

        lamp = Lamp(config.lamp, schedule, pin_factory)
        lamp.glow((1, 0.5, 0))
        lamp.flash((1, 1, 1), for_s=0.1)  # and back to the glow
        lamp.blink((1, 0.5, 0))

    Raises:
        gpiozero.GPIOZeroError: A pin is taken, or cannot pulse.
    """

    def __init__(
        self, config: LampConfig, schedule: Schedule, pin_factory: Factory | None = None
    ) -> None:
        self._brightness = config.brightness
        self._schedule = schedule
        self._led = RGBLED(
            config.red,
            config.green,
            config.blue,
            active_high=config.common == "cathode",
            pin_factory=pin_factory,
        )
        self._lock = threading.Lock()
        self._glow = DARK
        self._blinking: Colour | None = None
        self._blinks = 0  # so that an old blinking does not disturb a new one
        self._flashes = 0  # so that an old flash does not end a new one

    def glow(self, colour: Colour) -> None:
        """Burn in *colour* until told otherwise, after the flash if one is on."""
        with self._lock:
            self._blinking = None
            self._rest_in(colour)

    def blink(self, colour: Colour) -> None:
        """Burn in *colour* and go dark by turns until told otherwise, around the flashes."""
        with self._lock:
            if self._blinking == colour:
                return
            self._blinking = colour
            self._blinks += 1
            self._rest_in(colour)
            blinks = self._blinks
        self._schedule.at(self._schedule.now_s() + BLINK_S, lambda: self._turn(blinks))

    def flash(self, colour: Colour, for_s: float) -> None:
        """Burn in *colour* for *for_s* seconds, then glow as before."""
        with self._lock:
            self._flashes += 1
            self._burn(colour)
        self._schedule.at(self._schedule.now_s() + for_s, self._end_flash)

    def close(self) -> None:
        """Go dark and let go of the pins."""
        with self._lock:
            self._led.close()

    def _turn(self, blinks: int) -> None:
        """Go on with the blinking number *blinks*, if it still is the one."""
        with self._lock:
            if self._blinking is None or blinks != self._blinks or self._led.closed:
                return
            self._rest_in(DARK if self._glow == self._blinking else self._blinking)
        self._schedule.at(self._schedule.now_s() + BLINK_S, lambda: self._turn(blinks))

    def _rest_in(self, colour: Colour) -> None:
        self._glow = colour
        if not self._flashes:
            self._burn(colour)

    def _end_flash(self) -> None:
        with self._lock:
            self._flashes -= 1
            if not self._flashes and not self._led.closed:
                self._burn(self._glow)

    def _burn(self, colour: Colour) -> None:
        self._led.color = tuple(self._brightness * part for part in colour)
