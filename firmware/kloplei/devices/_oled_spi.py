"""SPI to an OLED: spidev for the bytes, gpiozero for the wires DC and reset."""

from collections.abc import Iterable
from typing import Any

from gpiozero import Factory, OutputDevice
from luma.core.interface.serial import spi

from kloplei.config.settings import SlateConfig
from kloplei.devices.glass import SlateMissing
from kloplei.devices.pins import why_part_failed

SPI_HZ = 8_000_000  # all three chips are good for 10 MHz; breadboard wires are for 8

# Longest reset that their data sheets ask for is 3 us; cheap modules want more.
RESET_LOW_S = 0.001
RESET_HIGH_S = 0.01


class SpiWires(spi):
    """luma's SPI interface, with the pins that luma leaves to who brings them."""

    def __init__(
        self, config: SlateConfig, pin_factory: Factory | None = None, spidev: Any = None
    ) -> None:
        pins = OutputPins(pin_factory)
        try:
            super().__init__(
                spi=spidev,
                gpio=pins,
                port=config.bus_number,
                device=config.chip_select,
                bus_speed_hz=SPI_HZ,
                gpio_DC=config.dc,
                gpio_RST=config.reset,
                reset_hold_time=RESET_LOW_S,
                reset_release_time=RESET_HIGH_S,
            )
        except BaseException:
            pins.cleanup()
            raise

    def cleanup(self) -> None:
        """Close the bus, then the pins."""
        super().cleanup()
        self._gpio.cleanup()


class OutputPins:
    """As much of RPi.GPIO as luma asks for, on gpiozero's pins.

    So that one pin factory owns every pin: RPi.GPIO beside rpi-lgpio breaks both.
    """

    OUT = "out"
    LOW, HIGH = 0, 1

    def __init__(self, pin_factory: Factory | None) -> None:
        self._pin_factory = pin_factory
        self._pins: dict[int, OutputDevice] = {}

    def setup(self, pin: int, _direction: str) -> None:
        """Take *pin* as an output.

        Raises:
            SlateMissing: Another part holds it, or it is no pin.
        """
        try:
            self._pins[pin] = OutputDevice(pin, pin_factory=self._pin_factory)
        except Exception as error:
            raise SlateMissing(why_part_failed(error, pin)) from error

    def output(self, pin: int, level: int) -> None:
        """Drive *pin* to `LOW` or `HIGH`."""
        self._pins[pin].value = level

    def cleanup(self, _pins: Iterable[int] = ()) -> None:
        """Let go of every pin."""
        while self._pins:
            self._pins.popitem()[1].close()
