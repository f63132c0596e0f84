"""Memory, voltage and temperature of the board."""

import re
from collections.abc import Iterator

from kloplei.checks.findings import bad, good, poor
from kloplei.checks.machine import Machine
from kloplei.table.doctor import Finding

LOW_MB = 40  # less, and the kernel begins to swap or to kill
WARM_C, HOT_C = 70, 80  # a Pi slows down at 80
_LOW_NOW, _LOW_BEFORE = 1 << 0, 1 << 16
_AVAILABLE = re.compile(r"^MemAvailable:\s*(\d+) kB$", re.MULTILINE)


def check_memory(machine: Machine) -> Iterator[Finding]:
    """Yield how much memory is left; nothing where nobody tells."""
    found = _AVAILABLE.search(machine.read("proc/meminfo") or "")
    if found is None:
        return
    left_mb = int(found[1]) // 1000
    if left_mb < LOW_MB:
        yield poor("memory", "memory.low", "do.end-others", mb=left_mb)
    else:
        yield good("memory", "memory.good", mb=left_mb)


def check_power(machine: Machine) -> Iterator[Finding]:
    """Yield whether the voltage is or was too low; nothing where nobody tells."""
    bits = _throttled(machine)
    if bits is None:
        return
    if bits & _LOW_NOW:
        yield bad("power", "power.low", "do.better-supply")
    elif bits & _LOW_BEFORE:
        yield poor("power", "power.was-low", "do.better-supply")
    else:
        yield good("power", "power.good")


def check_temperature(machine: Machine) -> Iterator[Finding]:
    """Yield how warm the processor is; nothing where nobody tells."""
    millis = machine.number("sys/class/thermal/thermal_zone0/temp")
    if millis is None:
        return
    degrees = round(millis / 1000)
    if degrees >= HOT_C:
        yield bad("temperature", "temperature.hot", "do.cooler", degrees=degrees)
    elif degrees >= WARM_C:
        yield poor("temperature", "temperature.warm", "do.cooler", degrees=degrees)
    else:
        yield good("temperature", "temperature.good", degrees=degrees)


def _throttled(machine: Machine) -> int | None:
    """Return the firmware's bits on low voltage, from whoever tells them."""
    told = machine.number("sys/devices/platform/soc/soc:firmware/get_throttled", base=16)
    if told is not None:
        return told
    said = machine.ask("vcgencmd", "get_throttled") or ""
    found = re.search(r"throttled=0x([0-9a-fA-F]+)", said)
    if found is not None:
        return int(found[1], 16)
    return _alarm(machine)


def _alarm(machine: Machine) -> int | None:
    """Return the same of the kernel's own watch, which knows of now only."""
    for name in machine.path("sys/class/hwmon").glob("hwmon*/name"):
        sensor = f"sys/class/hwmon/{name.parent.name}"
        if machine.read(f"{sensor}/name") == "rpi_volt":
            alarm = machine.number(f"{sensor}/in0_lcrit_alarm")
            return None if alarm is None else _LOW_NOW * bool(alarm)
    return None
