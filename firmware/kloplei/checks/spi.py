"""The SPI bus of piezos and slate: is it there, and may it be used."""

import os
from collections.abc import Iterator
from importlib.util import find_spec

from kloplei.checks.findings import bad, good, may_not
from kloplei.checks.machine import Machine
from kloplei.checks.packages import missing, own_pip
from kloplei.config.settings import Config
from kloplei.config.wiring import ADC_BUS
from kloplei.table.doctor import Finding

PART = "spi"


def check_spi(machine: Machine, config: Config) -> Iterator[Finding]:
    """Yield whether each chip select that *config* needs is there; nothing where it needs none."""
    needed = sorted(_needed(config))
    troubles = [one for bus, select in needed for one in _look(machine, bus, select)]
    yield from troubles
    if needed and find_spec("spidev") is None:
        yield missing(PART, "spi.no-package", "python3-spidev", "spidev", own_pip())
    elif needed and not troubles:
        yield good(PART, "spi.good", devices=tuple(f"spidev{bus}.{at}" for bus, at in needed))


def _needed(config: Config) -> Iterator[tuple[int, int]]:
    if config.adc.enabled and config.pins.factory != "mock":
        yield ADC_BUS, config.adc.chip_select
    if config.slate.driver != "none" and config.slate.interface == "spi":
        yield config.slate.bus_number, config.slate.chip_select


def _look(machine: Machine, bus: int, select: int) -> Iterator[Finding]:
    place = machine.path(f"dev/spidev{bus}.{select}")
    if not place.exists():
        yield bad(PART, "spi.missing", "do.spi-on", bus=bus, select=select)
    elif not os.access(place, os.R_OK | os.W_OK):
        yield may_not(PART, f"/dev/{place.name}")
