"""The pins of the settings: who holds one, which bus sits on one, and the off button."""

import fcntl
import os
import re
import socket
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path

from kloplei.config.settings import Config
from kloplei.config.wiring import ADC_BUS, I2C_PINS, OFF_BUTTON, SPI_PINS, Claim, claims
from kloplei.diagnostics.findings import bad, good, may_not, poor
from kloplei.diagnostics.system import Machine
from kloplei.files import KlopleiError
from kloplei.frozen import dataclass
from kloplei.table.doctor_client import Finding

# linux/gpio.h: struct gpiochip_info, struct gpio_v2_line_info
_CHIP_INFO = struct.Struct("=32s32sI")
_LINE_INFO = struct.Struct("=32s32sIIQ160s16s")
_GET_CHIP_INFO = 0x8044B401
_GET_LINE_INFO = 0xC100B405
_USED = 1
_HEADER_CHIPS = ("pinctrl-bcm", "pinctrl-rp1")
_LAST_PIN = 27

Ioctl = Callable[[int, int, bytearray], object]


@dataclass(frozen=True, slots=True)
class HeldLine:
    """Somebody holds the pin *gpio* (BCM) on *chip*, and is called *consumer* by the kernel."""

    chip: str
    gpio: int
    consumer: str


class NoHeader(OSError):
    """This machine has no header."""


def held_lines(machine: Machine, ioctl: Ioctl = fcntl.ioctl) -> Mapping[int, HeldLine]:
    """Return the pins of the header that are held, by BCM number.

    Args:
        machine: Where the devices are.
        ioctl: Asks the kernel (tests).

    Raises:
        NoHeader: There is none.
        PermissionError: This user may not ask.
    """
    refused: PermissionError | None = None
    for device in sorted(machine.path("dev").glob("gpiochip*")):
        try:
            held = _held_on(device, ioctl)
        except PermissionError as error:
            refused = error
        except OSError:
            continue  # some chips are virtual and answer nobody
        else:
            if held is not None:
                return held
    if refused is not None:
        raise refused
    raise NoHeader("no chip of this machine is a header's")


def _held_on(device: Path, ioctl: Ioctl) -> Mapping[int, HeldLine] | None:
    """Return the lines of *device* that are held; None if it is no header."""
    number = os.open(device, os.O_RDONLY | os.O_CLOEXEC)
    try:
        chip = bytearray(_CHIP_INFO.size)
        ioctl(number, _GET_CHIP_INFO, chip)
        _, label, lines = _CHIP_INFO.unpack(chip)
        if not _text(label).startswith(_HEADER_CHIPS):
            return None
        asked = range(min(lines, _LAST_PIN + 1))
        return {one.gpio: one for one in _lines(number, device.name, asked, ioctl)}
    finally:
        os.close(number)


def _lines(number: int, chip: str, asked: range, ioctl: Ioctl) -> Iterator[HeldLine]:
    for gpio in asked:
        line = bytearray(_LINE_INFO.pack(b"", b"", gpio, 0, 0, b"", b""))
        ioctl(number, _GET_LINE_INFO, line)
        _, consumer, offset, _, flags, _, _ = _LINE_INFO.unpack(line)
        if flags & _USED:
            yield HeldLine(chip, offset, _text(consumer) or "?")


def _text(padded: bytes) -> str:
    return padded.partition(b"\0")[0].decode("utf-8", "replace")


_CHIP = re.compile(r"^gpio-chip:\s*(\S+)$", re.MULTILINE)
_LINE = re.compile(r"^gpio-line:\s*(\d+)$", re.MULTILINE)
_LINK = "gpio-line"  # anon_inode:gpio-line, with or without brackets
_CREDENTIALS = struct.Struct("3i")


@dataclass(frozen=True, slots=True)
class Holder:
    """The process *pid*, called *name*, holds the line *gpio* of *chip*."""

    pid: int
    name: str
    chip: str
    gpio: int


def holders(machine: Machine) -> Iterator[Holder]:
    """Yield who holds which line, of all processes that let us look."""
    for process in machine.path("proc").glob("[0-9]*"):
        name = machine.read(f"proc/{process.name}/comm") or "?"
        for chip, gpio in _lines_of(process):
            yield Holder(int(process.name), name, chip, gpio)


def may_look_into(machine: Machine, pid: int) -> bool:
    """Return whether the open files of *pid* can be seen."""
    return os.access(machine.path(f"proc/{pid}/fd"), os.R_OK | os.X_OK)


class TableHasThem(KlopleiError):
    """A table runs and holds every pin, or nobody may know whether one does."""


def listener_at(path: Path) -> int | None:
    """Return the process that listens at the Unix socket *path*, None if none is to be seen."""
    try:
        return _ask_listener(path)
    except OSError:
        return None


def demand_stopped(path: Path) -> None:
    """Do nothing unless a table listens at the Unix socket *path*.

    Raises:
        TableHasThem: One does, or it may not be asked.
    """
    try:
        _ask_listener(path)
    except PermissionError as error:
        raise TableHasThem(
            f"Whether a table runs may not be asked at {path}. Use sudo, as for kloplei tune"
        ) from error
    except OSError:
        return
    raise TableHasThem(
        "The table runs and holds pins and sound card. Stop it first: sudo systemctl stop "
        "kloplei-table, or Ctrl-C where kloplei run was typed; "
        "and in the end start it again: sudo systemctl start kloplei-table, or kloplei run"
    )


def _ask_listener(path: Path) -> int:
    with socket.socket(socket.AF_UNIX) as probe:
        probe.connect(str(path))
        told = probe.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    pid: int = _CREDENTIALS.unpack(told)[0]
    return pid


def _lines_of(process: Path) -> Iterator[tuple[str, int]]:
    try:
        opened = list((process / "fd").iterdir())
    except OSError:
        return  # it has ended, or is none of our business
    for one in opened:
        try:
            if _LINK not in str(one.readlink()):
                continue
            told = (process / "fdinfo" / one.name).read_text(encoding="ascii", errors="replace")
        except OSError:
            continue
        chip = _CHIP.search(told)
        for gpio in _LINE.findall(told):
            yield (chip[1] if chip else "?"), int(gpio)


OFF = "off"
_OF_THE_OVERLAY = "shutdown"
"""What the kernel calls the holder of a pin that gpio-shutdown has taken."""


def check_off(machine: Machine, config: Config) -> Iterator[Finding]:
    """Yield whether the button that *config* tells of works; nothing where it tells of none.

    A pin that somebody else holds is told with the other pins.
    """
    pin = config.off_pin
    if pin is None or config.pins.factory == "mock":
        return
    try:
        line = held_lines(machine).get(pin)
    except NoHeader:
        return
    except PermissionError:
        yield may_not(OFF, "/dev/gpiochip0")
        return
    if line is None:
        yield bad(OFF, "off.missing", "do.off-line", pin=pin, line=config.off.line(pin))
    elif line.consumer == _OF_THE_OVERLAY:
        yield good(OFF, "off.good", pin=pin)


def is_off_button(claim: Claim, line: HeldLine) -> bool:
    """Return whether *claim* is the off button's, and *line* held for it."""
    return claim.part == OFF_BUTTON and line.consumer == _OF_THE_OVERLAY


PINS = "pins"
LIBRARIES = frozenset({"lg", "lgpio", "gpiozero", "RPi.GPIO"})
"""What the pin libraries call themselves to the kernel."""

_SERIAL = (14, 15)
_SPI = f"SPI {ADC_BUS}"
_ONE_WIRE = 4  # unless its overlay says another


def check_pins(machine: Machine, config: Config, ours: AbstractSet[int]) -> Iterator[Finding]:
    """Yield which pins of *config* somebody else needs.

    *ours* are the processes that may hold them: the table's, if one runs.
    """
    claimed = tuple(claims(config))
    buses = buses_on(machine)
    clashes = list(bus_clashes(claimed, buses))
    yield from clashes
    if config.pins.factory == "mock":
        return
    try:
        held = held_lines(machine)
    except NoHeader:
        if not clashes:
            yield poor(PINS, "pins.none", "do.demo")
        return
    except PermissionError:
        yield may_not(PINS, "/dev/gpiochip0")
        return
    known = tuple(holders(machine))
    if not all(may_look_into(machine, pid) for pid in ours):
        yield may_not(PINS, "/proc")
        return
    foreign = list(foreign_holders(claimed, held, known, ours))
    yield from foreign
    if not (foreign or clashes):
        yield good(PINS, "pins.good", count=len({claim.pin for claim in claimed}))
    yield from waiting_clashes(claimed, buses)


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
            yield bad(PINS, "pins.held", "do.free-pin", holder=line.consumer, **facts)
        else:
            name = f"{holder.name} ({holder.pid})"
            yield bad(PINS, "pins.held-by", "do.end-program", holder=name, **facts)


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
                wire = _driven(claim) if bus == _SPI else None
                if wire is None:
                    yield bad(PINS, "pins.bus", "do.bus-off", bus=bus, **facts)
                else:
                    yield bad(PINS, "pins.driven", "do.off-the-bus", bus=bus, wire=wire, **facts)


def waiting_clashes(
    claimed: Sequence[Claim], buses: Mapping[str, tuple[int, ...]]
) -> Iterator[Finding]:
    """Yield which pads of *claimed* SPI would drive against, were it switched on.

    No harm is done while it is off; old boxes have them there, and run well.
    """
    if _SPI in buses:
        return
    for claim in claimed:
        wire = _driven(claim)
        if wire is not None and claim.setting.endswith("pad"):
            yield good(PINS, "pins.shares", part=claim.part, pin=claim.pin, wire=wire, bus=_SPI)


def _driven(claim: Claim) -> str | None:
    """Return the wire of SPI that the Pi drives on the pin of *claim*; None if it does not."""
    wire = SPI_PINS[ADC_BUS].get(claim.pin)
    return None if _belongs_to_a_bus(claim) or wire == "MISO" else wire


def _belongs_to_a_bus(claim: Claim) -> bool:
    thing, _, wire = claim.part.partition(" ")
    return thing == "adc" or (thing == "slate" and wire not in ("DC", "reset"))


def _is_the_bus(claim: Claim, line: HeldLine) -> bool:
    """Return whether the kernel itself holds the wire of its own bus: "spi0 CS0"."""
    return _belongs_to_a_bus(claim) and line.consumer.startswith(("spi", "i2c"))
