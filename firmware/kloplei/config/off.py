"""``[off]``: a button that Linux itself watches; the settings only keep its pin free."""

from dataclasses import dataclass

from kloplei.config.schema import pin, setting
from kloplei.validation import number, switch

_PIN = 25
_WAKING_PIN = 3
"""The clock wire of I2C. Where no slate needs it, it also starts a box that is off."""


@dataclass(frozen=True, slots=True)
class OffConfig:
    """``[off]``: *pin* None is 25, or 3 beside a slate on SPI, which has its reset on 25.

    Linux does it also while the table hangs or is being upgraded: ``gpio-shutdown`` of the
    firmware makes a power key of the pin, and systemd-logind answers that key.
    """

    enabled: bool = setting(False, switch())
    pin: int | None = setting(None, pin())
    hold_s: float = setting(2.0, number(0.1, 10))

    def pin_beside(self, *, spi_slate: bool) -> int:
        """Return its pin (BCM) in a box with such a slate."""
        if self.pin is not None:
            return self.pin
        return _WAKING_PIN if spi_slate else _PIN

    def line(self, pin: int) -> str:
        """Return what config.txt needs for it on *pin* (BCM).

        The driver asks the pin when it has stood still for ``debounce`` ms: a press counts
        once it was held so long (drivers/input/keyboard/gpio_keys.c).
        """
        held_ms = round(self.hold_s * 1000)
        return f"dtoverlay=gpio-shutdown,gpio_pin={pin},debounce={held_ms}"
