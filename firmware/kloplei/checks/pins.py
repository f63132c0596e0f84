"""The pins of the settings: who else holds one, and which bus sits on one."""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from kloplei.checks.findings import bad, good, may_not, poor
from kloplei.checks.holders import Holder, holders, may_look_into
from kloplei.checks.lines import HeldLine, NoHeader, held_lines
from kloplei.checks.machine import Machine
from kloplei.checks.off import is_off_button
from kloplei.config.settings import Config
from kloplei.config.wiring import I2C_PINS, SPI_PINS, Claim, claims
from kloplei.table.doctor import Finding

PART = "pins"
LIBRARIES = frozenset({"lg", "lgpio", "gpiozero", "RPi.GPIO"})
"""What the pin libraries call themselves to the kernel."""

_SERIAL = (14, 15)
_ONE_WIRE = 4  # unless its overlay says another


def check_pins(machine: Machine, config: Config, ours: AbstractSet[int]) -> Iterator[Finding]:
    """Yield which pins of *config* somebody else needs.

    *ours* are the processes that may hold them: the table's, if one runs.
    """
    claimed = tuple(claims(config))
    clashes = list(bus_clashes(claimed, buses_on(machine)))
    yield from clashes
    if config.pins.factory == "mock":
        return
    try:
        held = held_lines(machine)
    except NoHeader:
        if not clashes:
            yield poor(PART, "pins.none", "do.demo")
        return
    except PermissionError:
        yield may_not(PART, "/dev/gpiochip0")
        return
    known = tuple(holders(machine))
    if not all(may_look_into(machine, pid) for pid in ours):
        yield may_not(PART, "/proc")
        return
    foreign = list(foreign_holders(claimed, held, known, ours))
    yield from foreign
    if not (foreign or clashes):
        yield good(PART, "pins.good", count=len({claim.pin for claim in claimed}))


def foreign_holders(
    claimed: Sequence[Claim],
    held: Mapping[int, HeldLine],
    known: Sequence[Holder],
    ours: AbstractSet[int],
) -> Iterator[Finding]:
    """Yield which of *claimed* are *held* by somebody who is none of *ours*."""
    by_line = {(one.chip, one.gpio): one for one in known}
    tells = any(one.pid in ours for one in known)
    for claim in claimed:
        line = held.get(claim.pin)
        if line is None or _is_the_bus(claim, line) or is_off_button(claim, line):
            continue
        holder = by_line.get((line.chip, line.gpio))
        if holder is not None and holder.pid in ours:
            continue
        if ours and holder is None and not tells and line.consumer in LIBRARIES:
            continue  # a kernel before 6.1 does not tell who; the table it is, most likely
        facts = {"part": claim.part, "pin": claim.pin, "setting": claim.setting}
        if holder is None:
            yield bad(PART, "pins.held", "do.free-pin", holder=line.consumer, **facts)
        else:
            name = f"{holder.name} ({holder.pid})"
            yield bad(PART, "pins.held-by", "do.end-program", holder=name, **facts)


def buses_on(machine: Machine) -> Mapping[str, tuple[int, ...]]:
    """Return the pins of each bus that is switched on, by its name."""
    found: dict[str, tuple[int, ...]] = {}
    for number, pins in I2C_PINS.items():
        if machine.there(f"dev/i2c-{number}"):
            found[f"I2C {number}"] = tuple(pins)
    for number, wires in SPI_PINS.items():
        selects = sorted(machine.path("dev").glob(f"spidev{number}.*"))
        if selects:
            used = {f"CE{one.name.rpartition('.')[2]}" for one in selects}
            found[f"SPI {number}"] = tuple(
                pin for pin, wire in wires.items() if not wire.startswith("CE") or wire in used
            )
    if machine.there("dev/serial0"):
        found["UART"] = _SERIAL
    if machine.there("sys/bus/w1/devices/w1_bus_master1"):
        found["1-Wire"] = (_ONE_WIRE,)
    return found


def bus_clashes(
    claimed: Sequence[Claim], buses: Mapping[str, tuple[int, ...]]
) -> Iterator[Finding]:
    """Yield which of *claimed* sit on a bus that is on, and do not belong to it."""
    for claim in claimed:
        if _belongs_to_a_bus(claim):
            continue
        for bus, pins in buses.items():
            if claim.pin in pins:
                facts = {"part": claim.part, "pin": claim.pin, "setting": claim.setting}
                yield bad(PART, "pins.bus", "do.bus-off", bus=bus, **facts)


def _belongs_to_a_bus(claim: Claim) -> bool:
    thing, _, wire = claim.part.partition(" ")
    return thing == "adc" or (thing == "slate" and wire not in ("DC", "reset"))


def _is_the_bus(claim: Claim, line: HeldLine) -> bool:
    """Return whether the kernel itself holds the wire of its own bus: "spi0 CS0"."""
    return _belongs_to_a_bus(claim) and line.consumer.startswith(("spi", "i2c"))
