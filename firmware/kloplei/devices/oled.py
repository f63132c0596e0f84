"""Open the slate: the right luma driver on the right wires, or a sentence why not.

luma and PIL are imported when a slate is opened and not before, gpiozero for an SPI slate
only: what is not needed must not hold up the first picture.
"""

from typing import TYPE_CHECKING, Any

from kloplei.config.settings import SlateConfig
from kloplei.devices.glass import (
    I2C_BITS,
    SLOW_HZ,
    SlateMissing,
    i2c_hertz,
    slate_missing,
)
from kloplei.words import Sentence

if TYPE_CHECKING:
    from gpiozero import Factory


def open_slate(
    config: SlateConfig,
    *,
    pin_factory: "Factory | None" = None,
    bus: Any = None,
    spi: Any = None,
) -> Any:
    """Return a luma device for the OLED of *config*, cleared and switched on.

    It sends only what of a frame differs from the last one, and every failure of it is a
    `SlateMissing`. ``cleanup()`` switches it off and lets go of bus and pins.

    Args:
        config: Chip, wires and looks.
        pin_factory: Owns the DC and reset pins of an SPI slate.
        bus: An open smbus in place of smbus2's (tests).
        spi: A spidev in place of the real one (tests).

    Raises:
        SlateMissing: No OLED answers, or the bus is not there.
    """
    # Not at the top: the drivers take longer to import than the first picture to draw.
    from luma.core.error import Error as LumaError

    from kloplei.devices.oled_drivers import DRIVERS

    if config.driver not in DRIVERS:
        raise SlateMissing(Sentence("no-slate-fitted"))
    serial = None
    try:
        serial = open_wires(config, pin_factory, bus, spi)
        # Ask before building the device: luma keeps every device it has ever begun to build
        # until the program ends, and a slate that is looked for all evening would fill memory.
        serial.command(DRIVERS[config.driver].nothing)
        return DRIVERS[config.driver](config, serial, byte_s=_byte_s(config))
    except (LumaError, OSError, ImportError) as error:
        if serial is not None:
            serial.cleanup()
        if isinstance(error, SlateMissing):
            raise
        raise slate_missing(config, error) from error


def _byte_s(config: SlateConfig) -> float:
    """Return how long a byte takes on the wires of *config*; an unknown I2C bus is a slow one."""
    if config.interface == "i2c":
        if config.bus_khz is not None:
            return I2C_BITS / (1000 * config.bus_khz)
        return I2C_BITS / (i2c_hertz(config.bus_number) or SLOW_HZ)
    from kloplei.devices._oled_spi import SPI_HZ

    return 8 / SPI_HZ


def open_wires(config: SlateConfig, pin_factory: "Factory | None", bus: Any, spi: Any) -> Any:
    """Return luma's serial interface for *config*; the arguments are those of `open_slate`."""
    if config.interface == "spi":
        from kloplei.devices._oled_spi import SpiWires

        return SpiWires(config, pin_factory, spi)
    from luma.core.interface.serial import i2c

    return i2c(bus=bus, port=config.bus_number, address=config.address)
