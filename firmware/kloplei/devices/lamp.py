"""The lamp: an RGB LED that glows for what lasts and flashes for what happens."""

import threading

from gpiozero import RGBLED, Factory

from kloplei.config import LampConfig
from kloplei.devices.schedule import Schedule

Colour = tuple[float, float, float]
"""Red, green, blue, each from 0 to 1."""

DARK: Colour = (0.0, 0.0, 0.0)


class Lamp:
    """One RGB LED.

    Wiring: a resistor and a colour on each of three pins, the common leg to GND or, where
    the settings say anode, to 3V3. A resistor of 220 ohm in each leg. ::

        lamp = Lamp(config.lamp, schedule, pin_factory)
        lamp.glow((1, 0.5, 0))
        lamp.flash((1, 1, 1), for_s=0.1)  # and back to the glow

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
        self._flashes = 0  # so that an old flash does not end a new one

    def glow(self, colour: Colour) -> None:
        """Burn in *colour* until told otherwise, after the flash if one is on."""
        with self._lock:
            self._glow = colour
            if not self._flashes:
                self._burn(colour)

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

    def _end_flash(self) -> None:
        with self._lock:
            self._flashes -= 1
            if not self._flashes and not self._led.closed:
                self._burn(self._glow)

    def _burn(self, colour: Colour) -> None:
        self._led.color = tuple(self._brightness * part for part in colour)
