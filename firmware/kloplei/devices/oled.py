"""Open the slate: the right luma driver on the right wires, or a sentence why not.

luma and PIL are imported when a slate is opened and not before, gpiozero for an SPI slate
only: what is not needed must not hold up the first picture.
"""

import errno
from typing import TYPE_CHECKING, Any

from kloplei.config import SlateConfig
from kloplei.files import KlopleiError

if TYPE_CHECKING:
    from gpiozero import Factory

WIDTH, HEIGHT = 128, 64  # the faces are drawn for this glass

NOTHING = 0xE3  # the NOP of all three chips: asks "are you there?" and changes nothing


class SlateMissing(KlopleiError, OSError):
    """The OLED does not answer, or cannot be reached; the message says what to check."""


def open_slate(
    config: SlateConfig,
    *,
    pin_factory: "Factory | None" = None,
    bus: Any = None,
    spi: Any = None,
) -> Any:
    """Return a luma device for the OLED of *config*, cleared and switched on.

    It sends a frame only if it differs from the last one, and every failure of it is a
    `SlateMissing`. ``cleanup()`` switches it off and lets go of bus and pins.

    Args:
        config: Chip, wires and looks.
        pin_factory: Owns the DC and reset pins of an SPI slate.
        bus: An open smbus in place of smbus2's (tests).
        spi: A spidev in place of the real one (tests).

    Raises:
        SlateMissing: No OLED answers, or the bus is not there.
    """
    from luma.core.error import Error as LumaError

    from kloplei.devices.oled_drivers import DRIVERS

    if config.driver not in DRIVERS:
        raise SlateMissing('no slate is fitted. Set [slate] driver to "ssd1306" or its like')
    serial = None
    try:
        serial = open_wires(config, pin_factory, bus, spi)
        # Ask before building the device: luma keeps every device it has ever begun to build
        # until the program ends, and a slate that is looked for all evening would fill memory.
        serial.command(NOTHING)
        return DRIVERS[config.driver](config, serial)
    except (LumaError, OSError, ImportError) as error:
        if serial is not None:
            serial.cleanup()
        if isinstance(error, SlateMissing):
            raise
        raise slate_missing(config, error) from error


def open_wires(config: SlateConfig, pin_factory: "Factory | None", bus: Any, spi: Any) -> Any:
    """Return luma's serial interface for *config*; the arguments are those of `open_slate`."""
    if config.interface == "spi":
        from kloplei.devices._oled_spi import spi_wires

        return spi_wires(config, pin_factory, spi)
    from luma.core.interface.serial import i2c

    return i2c(bus=bus, port=config.bus_number, address=config.address)


def slate_missing(config: SlateConfig, error: Exception) -> SlateMissing:
    """Return *error*, met while talking to the slate of *config*, as a sentence."""
    if config.interface == "i2c":
        return SlateMissing(_why_not_i2c(config, error))
    return SlateMissing(_why_not_spi(config, error))


def _why_not_i2c(config: SlateConfig, error: Exception) -> str:
    from luma.core.error import DeviceNotFoundError, DevicePermissionError

    bus, address = config.bus_number, f"0x{config.address:02X}"
    number = _errno_of(error)
    if number == errno.ENOENT:
        return (
            f"I2C bus {bus} is not there. Switch I2C on (raspi-config, Interface Options), "
            "then: kloplei doctor"
        )
    if isinstance(error, DevicePermissionError) or number in (errno.EACCES, errno.EPERM):
        return f"I2C bus {bus} may not be used. Add the user of this program to the group i2c"
    if isinstance(error, DeviceNotFoundError) or number in (errno.EREMOTEIO, errno.EIO):
        return (
            f"no OLED answers at {address} on I2C bus {bus}. Check SDA/SCL "
            "(docs/config.md, Pins), then: kloplei doctor"
        )
    return (
        f"the OLED at {address} on I2C bus {bus} failed ({_reason(error)}). Check SDA/SCL "
        "(docs/config.md, Pins), then: kloplei doctor"
    )


def _why_not_spi(config: SlateConfig, error: Exception) -> str:
    from luma.core.error import DeviceNotFoundError

    where = f"SPI bus {config.bus_number}, chip select {config.chip_select}"
    if isinstance(error, ImportError):
        return f"{where} needs the Python package spidev. Install python3-spidev"
    if isinstance(error, DeviceNotFoundError) or _errno_of(error) == errno.ENOENT:
        return (
            f"{where} is not there. Switch SPI on (raspi-config, Interface Options), "
            "then: kloplei doctor"
        )
    if _errno_of(error) in (errno.EACCES, errno.EPERM):
        return f"{where} may not be used. Add the user of this program to the group spi"
    reset = "none" if config.reset is None else f"GPIO {config.reset}"
    return (
        f"the OLED on {where} failed ({_reason(error)}). Check DC (GPIO {config.dc}), reset "
        f"({reset}) and the bus (docs/config.md, Pins), then: kloplei doctor"
    )


def _errno_of(error: Exception) -> int | None:
    """Return the errno of *error*, or of the OSError that luma made it of."""
    if isinstance(error, OSError):
        return error.errno
    return error.__context__.errno if isinstance(error.__context__, OSError) else None


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
