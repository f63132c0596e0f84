"""Which way the converter is read: by the kernel's messages where they are to be had."""

import os
import warnings
from pathlib import Path

from gpiozero import Factory, SPISoftwareFallback
from gpiozero.pins.local import LocalPiFactory
from gpiozero.pins.spi import SPISoftware

from kloplei.config import AdcConfig
from kloplei.devices.adc import CHIPS
from kloplei.devices.call_converter import CallConverter
from kloplei.devices.converter import Converter, MessageConverter
from kloplei.devices.sources import BLOCK_S
from kloplei.devices.spi_message import SpiMessages

_OTHER_FACTORY = '[pins] factory = "lgpio" reads the converter through the kernel'


def open_converter(config: AdcConfig, channels: tuple[int, ...], pin_factory: Factory) -> Converter:
    """Return the converter of *config*, whose pins `pin_factory` reserves.

    Wiring: VDD and VREF to 3V3, AGND and DGND to GND, CLK to GPIO 11, DOUT to GPIO 9, DIN to
    GPIO 10, CS to GPIO 8 (CE0) or 7 (CE1).

    Raises:
        gpiozero.GPIOPinInUse: Another device holds one of the pins; the message names it.
        OSError: The kernel's SPI device is not to be had.
    """
    chip = CHIPS[config.chip]
    device = Path(f"/dev/spidev0.{config.chip_select}")
    with warnings.catch_warnings():
        # Software SPI is no accident to warn of: it is slow, and that is measured and told.
        warnings.simplefilter("ignore", SPISoftwareFallback)
        spi = pin_factory.spi(port=0, device=config.chip_select)
    requests = [chip.request(channel) for channel in channels]
    if isinstance(spi, SPISoftware):
        return CallConverter(spi, chip, requests, config.rate_hz, remedy=_why_no_spi(device))
    if not isinstance(pin_factory, LocalPiFactory):
        return CallConverter(spi, chip, requests, config.rate_hz, remedy=_OTHER_FACTORY)
    try:
        messages = SpiMessages(device, requests, round(config.rate_hz * BLOCK_S))
    except OSError:
        spi.close()
        raise
    return MessageConverter(spi, messages, chip, len(channels), config.rate_hz)


def _why_no_spi(device: Path) -> str:
    """Return what to do where gpiozero had to play SPI in software."""
    if not device.exists():
        return (
            "SPI is off: switch it on with sudo raspi-config nonint do_spi 0 "
            "(dtparam=spi=on in config.txt), then restart the Pi"
        )
    if not os.access(device, os.R_OK | os.W_OK):
        return f"{device} may not be opened: add the user of this program to the group spi"
    return _OTHER_FACTORY
