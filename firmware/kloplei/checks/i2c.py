"""The I2C bus of the slate: is it there, how fast is it, and who answers on it."""

from collections.abc import Callable, Iterator
from contextlib import closing

from kloplei.checks.findings import bad, good, may_not, poor
from kloplei.checks.i2c_scan import Bus, Scan, scan
from kloplei.checks.machine import Machine
from kloplei.config.settings import Config, SlateConfig
from kloplei.table.doctor import Finding

PART = "i2c"
USUAL = (0x27, 0x3C, 0x3D, 0x3F, 0x48, 0x50, 0x57, 0x68)
"""Addresses that the catalogue has a word for: ``devices.0x68`` is the clock."""

OLEDS = (0x3C, 0x3D)
_ALL_OF_THEM = 100  # more chips than fit on any bus
_USUAL_KHZ = 400
_FRAME_BITS = 1034 * 9  # a picture as luma sends it, each byte with its acknowledgement

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
        yield bad(PART, "i2c.missing", "do.i2c-on", bus=number)
        return
    try:
        with closing(open_it(number)) as bus:  # type: ignore[type-var]
            found = scan(bus)
    except PermissionError:
        yield may_not(PART, f"/dev/i2c-{number}")
    except OSError as error:
        reason = error.strerror or type(error).__name__
        yield bad(PART, "i2c.failed", "do.i2c-wires", bus=number, reason=reason)
    else:
        yield judge(found, slate)
    yield from _speed(machine, number)


def judge(scanned: Scan, slate: SlateConfig) -> Finding:
    """Return what it means that just those answered."""
    bus, found = slate.bus_number, scanned.found
    there = tuple(map(shown, sorted(found)))
    if scanned.hangs:
        return bad(PART, "i2c.hangs", "do.i2c-apart", bus=bus)
    if len(found) >= _ALL_OF_THEM:
        return bad(PART, "i2c.all", "do.i2c-apart", bus=bus)
    if not found:
        return bad(PART, "i2c.nobody", "do.i2c-wires", bus=bus)
    if slate.address in found:
        return good(PART, "i2c.good", bus=bus, devices=there)
    address = shown(slate.address)
    other = next((one for one in OLEDS if one in found), None)
    if other is not None:
        return bad(PART, "i2c.other", "do.i2c-address", address=address, other=shown(other))
    return bad(PART, "i2c.no-slate", "do.i2c-wires", bus=bus, address=address, devices=there)


def shown(address: int) -> str:
    """Return *address* as the settings write it."""
    return f"0x{address:02X}"


def _speed(machine: Machine, number: int) -> Iterator[Finding]:
    place = machine.path(f"sys/class/i2c-adapter/i2c-{number}/of_node/clock-frequency")
    try:
        khz = int.from_bytes(place.read_bytes(), "big") // 1000
    except OSError:
        return
    if 0 < khz < _USUAL_KHZ:
        millis = round(_FRAME_BITS / khz)
        yield poor(PART, "i2c.slow", "do.i2c-faster", bus=number, khz=khz, ms=millis)
