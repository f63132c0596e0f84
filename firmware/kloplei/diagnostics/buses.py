"""The buses of slate and piezos: are they there, may they be used, and who answers."""

import errno
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from importlib.util import find_spec
from typing import Protocol

from kloplei.config.settings import Config, SlateConfig
from kloplei.config.wiring import ADC_BUS, RING_BUS, RING_SELECT
from kloplei.devices.glass import FAST_HZ, I2C_BITS, i2c_hertz
from kloplei.diagnostics.findings import bad, good, may_not, poor
from kloplei.diagnostics.system import Machine, missing_package, own_pip
from kloplei.files import reason_or_kind
from kloplei.frozen import dataclass
from kloplei.table.doctor_client import Finding

FIRST, LAST = 0x08, 0x77
_READ_INSTEAD = (*range(0x30, 0x38), *range(0x50, 0x60))
"""Memories may take an empty write for a real one: these are read, as i2cdetect does."""
_NOBODY = (errno.ENXIO, errno.EREMOTEIO, errno.EIO, errno.ENODEV)
_SCAN_S = 2.0
_HANGS_S = 0.2  # one question takes well under a millisecond


class Bus(Protocol):
    """What of smbus2 is needed."""

    def write_quick(self, address: int, /) -> object:
        """Call *address* and say nothing."""
        ...

    def read_byte(self, address: int, /) -> object:
        """Call *address* and read a byte."""
        ...


@dataclass(frozen=True, slots=True)
class Scan:
    """The addresses that answered; *hangs* tells that the bus did not come through a question."""

    found: frozenset[int] = frozenset()
    hangs: bool = False


def scan(bus: Bus, clock: Callable[[], float] = time.monotonic) -> Scan:
    """Return who answers on *bus*.

    Raises:
        PermissionError: This user may not ask.
    """
    began_s = clock()
    found = set()
    for address in range(FIRST, LAST + 1):
        asked_s = clock()
        try:
            if _answers(bus, address):
                found.add(address)
        except TimeoutError:
            return Scan(frozenset(found), hangs=True)
        if clock() - asked_s > _HANGS_S or clock() - began_s > _SCAN_S:
            return Scan(frozenset(found), hangs=True)
    return Scan(frozenset(found))


def _answers(bus: Bus, address: int) -> bool:
    try:
        if address in _READ_INSTEAD:
            bus.read_byte(address)
        else:
            bus.write_quick(address)
    except OSError as error:
        if error.errno == errno.EBUSY:
            return True  # a driver of the kernel talks to it: a clock, most likely
        if error.errno in _NOBODY:
            return False
        raise
    return True


I2C = "i2c"
OLEDS = (0x3C, 0x3D)
_ALL_OF_THEM = 100  # more chips than fit on any bus
_FRAME_BYTES = 1034  # all of a picture, with what addresses it

OpenBus = Callable[[int], Bus]


def open_bus(number: int) -> Bus:
    """Return the bus *number* of this machine."""
    from smbus2 import SMBus

    bus: Bus = SMBus(number)
    return bus


def check_i2c(machine: Machine, config: Config, open_it: OpenBus = open_bus) -> Iterator[Finding]:
    """Yield how the bus of the slate does; nothing where the slate is on no such bus."""
    slate = config.slate
    if slate.driver == "none" or slate.interface != "i2c":
        return
    number = slate.bus_number
    if not machine.there(f"dev/i2c-{number}"):
        yield bad(I2C, "i2c.missing", "do.i2c-on", bus=number)
        return
    try:
        with closing(open_it(number)) as bus:  # type: ignore[type-var]
            found = scan(bus)
    except PermissionError:
        yield may_not(I2C, f"/dev/i2c-{number}")
    except OSError as error:
        reason = reason_or_kind(error)
        yield bad(I2C, "i2c.failed", "do.i2c-wires", bus=number, reason=reason)
    else:
        yield from judge_all(found, config.slates)
    yield from _speed(machine, number)


def judge_all(scanned: Scan, slates: Sequence[SlateConfig]) -> list[Finding]:
    """Return what it means for all *slates* that just those answered, the same only once."""
    taken = frozenset(one.address for one in slates)
    found: list[Finding] = []
    for slate in slates:
        finding = judge(scanned, slate, taken)
        if finding not in found:
            found.append(finding)
    return found


def judge(scanned: Scan, slate: SlateConfig, taken: frozenset[int] = frozenset()) -> Finding:
    """Return what it means for *slate* that just those answered; *taken* are those of slates."""
    bus, found = slate.bus_number, scanned.found
    there = tuple(map(shown, sorted(found)))
    if scanned.hangs:
        return bad(I2C, "i2c.hangs", "do.i2c-apart", bus=bus)
    if len(found) >= _ALL_OF_THEM:
        return bad(I2C, "i2c.all", "do.i2c-apart", bus=bus)
    if not found:
        return bad(I2C, "i2c.nobody", "do.i2c-wires", bus=bus)
    if slate.address in found:
        return good(I2C, "i2c.good", bus=bus, devices=there)
    address = shown(slate.address)
    other = next((one for one in OLEDS if one in found and one not in taken), None)
    if other is not None:
        return bad(I2C, "i2c.other", "do.i2c-address", address=address, other=shown(other))
    return bad(I2C, "i2c.no-slate", "do.i2c-wires", bus=bus, address=address, devices=there)


def shown(address: int) -> str:
    """Return *address* as the settings write it."""
    return f"0x{address:02X}"


def _speed(machine: Machine, number: int) -> Iterator[Finding]:
    hertz = i2c_hertz(number, machine.path(""))
    if hertz is not None and hertz < FAST_HZ:
        millis = round(1000 * _FRAME_BYTES * I2C_BITS / hertz)
        khz = hertz // 1000
        yield poor(I2C, "i2c.slow", "do.i2c-faster", bus=number, khz=khz, ms=millis)


SPI = "spi"


def check_spi(machine: Machine, config: Config) -> Iterator[Finding]:
    """Yield whether each chip select that *config* needs is there; nothing where it needs none."""
    needed = sorted(_needed(config))
    troubles = [one for bus, select in needed for one in _look_at_select(machine, bus, select)]
    yield from troubles
    if needed and find_spec("spidev") is None:
        yield missing_package(SPI, "spi.no-package", "python3-spidev", "spidev", own_pip())
    elif needed and not troubles:
        yield good(SPI, "spi.good", devices=tuple(f"spidev{bus}.{at}" for bus, at in needed))


def _needed(config: Config) -> Iterator[tuple[int, int]]:
    if config.adc.enabled and config.pins.factory != "mock":
        yield ADC_BUS, config.adc.chip_select
    for slate in config.slates:
        if slate.interface == "spi":
            yield slate.bus_number, slate.chip_select
    if config.ring.enabled and config.pins.factory != "mock":
        yield RING_BUS, RING_SELECT


def _look_at_select(machine: Machine, bus: int, select: int) -> Iterator[Finding]:
    place = machine.path(f"dev/spidev{bus}.{select}")
    if not place.exists():
        yield bad(SPI, "spi.missing", "do.spi-on", bus=bus, select=select)
    elif not os.access(place, os.R_OK | os.W_OK):
        yield may_not(SPI, f"/dev/{place.name}")
