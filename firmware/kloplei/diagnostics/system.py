"""The machine: board, clock, disk, memory, power, units, and what is installed on it."""

import os
import platform
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from datetime import datetime
from pathlib import Path

from kloplei import __version__
from kloplei.config.settings import BAD_GPIOZERO
from kloplei.diagnostics.findings import bad, good, may_not, poor
from kloplei.frozen import dataclass
from kloplei.table.doctor_client import Finding

PATIENCE_S = 2.0
"""A program that takes longer to answer counts as one that is not there."""

_SAFE = {"LC_ALL": "C", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}


def ask_program(*command: str) -> str | None:
    """Return what *command* prints, or None if it is not there, fails, or takes too long."""
    import subprocess  # here, for the first picture stands without it

    try:
        done = subprocess.run(  # noqa: S603 - no word of it comes from outside
            command,
            capture_output=True,
            check=True,
            text=True,
            errors="replace",
            timeout=PATIENCE_S,
            env={**os.environ, **_SAFE},
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout


@dataclass(frozen=True, slots=True)
class Machine:
    """The machine under *root*; *ask* runs a program and returns what it prints."""

    root: Path = Path("/")
    ask: Callable[..., str | None] = ask_program

    def path(self, place: str) -> Path:
        """Return where *place*, such as ``proc/meminfo``, lies."""
        return self.root / place.lstrip("/")

    def there(self, place: str) -> bool:
        """Return whether *place* is there."""
        return self.path(place).exists()

    def read(self, place: str) -> str | None:
        """Return what stands at *place* without its end, or None if nobody can tell.

        The device tree ends its texts with a zero.
        """
        try:
            return self.path(place).read_text(encoding="utf-8", errors="replace").strip("\0\n ")
        except OSError:
            return None

    def number(self, place: str, base: int = 10) -> int | None:
        """Return the number at *place*, or None if there is none."""
        try:
            return int(self.read(place) or "", base)
        except ValueError:
            return None


BOARD = "board"
_TREE = "proc/device-tree"
_PI_FIVE = re.compile(r"Raspberry Pi (5|500|Compute Module 5)\b")


def model_of(machine: Machine) -> str | None:
    """Return the model as the board says it, such as "Raspberry Pi Zero 2 W Rev 1.0"."""
    return machine.read(f"{_TREE}/model")


def is_pi_five(model: str | None) -> bool:
    """Return whether pins of that *model* hang on the RP1 chip, which older libraries miss."""
    return model is not None and _PI_FIVE.search(model) is not None


def check_board(machine: Machine) -> Iterator[Finding]:
    """Yield which board it is."""
    model = model_of(machine)
    if model is None or "Raspberry Pi" not in model:
        yield poor(BOARD, "board.other", "do.demo")
        return
    hat = machine.read(f"{_TREE}/hat/product")
    if hat:
        yield good(BOARD, "board.hat", model=model, hat=hat)
    else:
        yield good(BOARD, "board.good", model=model)


_OPEN = "include-system-site-packages = true"


def own_pip(prefix: str = sys.prefix, base_prefix: str = sys.base_prefix) -> str | None:
    """Return the pip of this environment if it does not see what apt installs, else None."""
    if prefix == base_prefix:
        return None
    try:
        written = (Path(prefix) / "pyvenv.cfg").read_text(encoding="utf-8")
    except OSError:
        return None
    return None if _OPEN in written.lower() else f"{prefix}/bin/pip"


def missing_package(part: str, key: str, package: str, on_pypi: str, pip: str | None) -> Finding:
    """Return that *part* lacks *package*, as apt calls it, and how it comes here.

    Args:
        part: What lacks it.
        key: The sentence that says so.
        package: Its name at the distribution.
        on_pypi: Its name at PyPI.
        pip: As `own_pip` returns it.
    """
    if pip is None:
        return bad(part, key, "do.install", package=package)
    return bad(part, key, "do.install-here", package=package, pip=pip, name=on_pypi)


PIN_LIBRARY = "pin library"

_PACKAGES = {
    "lgpio": ("lgpio",),
    "rpigpio": ("rpi-lgpio", "RPi.GPIO"),
    "pigpio": ("pigpio",),
    "native": (),
    "mock": (),
}
"""By the name in ``[pins] factory``: the packages of which one has to be there."""

_NO_LGPIO_WHEEL = (3, 13)


def version_of(package: str) -> str | None:
    """Return which version of *package* is installed, None if none is."""
    from importlib import metadata  # here, for the first picture stands without it

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def check_pin_library(
    factory: str,
    model: str | None,
    version: Callable[[str], str | None] = version_of,
    python: tuple[int, int] = sys.version_info[:2],
    pip: Callable[[], str | None] = own_pip,
    ask: Callable[..., str | None] = ask_program,
) -> Iterator[Finding]:
    """Yield whether ``[pins] factory`` can work on the board *model*, and why not.

    Args:
        factory: A name out of the settings.
        model: As the board says it; None is no board.
        version: Gives the version of an installed package.
        python: Of the interpreter that the table runs in.
        pip: Returns the pip of an environment that apt does not reach, None elsewhere.
        ask: Runs a program and returns what it prints.
    """
    if factory == "mock":
        yield poor(PIN_LIBRARY, "library.mock", "do.lgpio")
        return
    troubles = list(_troubles(factory, model, version))
    packages = _PACKAGES[factory]
    if packages and not any(map(version, packages)):
        troubles.append(_missing_library(packages[0], python, pip(), ask))
    yield from troubles
    if not troubles:
        below = next((one for one in _PACKAGES[factory] if version(one)), None)
        through = f"{below} {version(below)}" if below else factory
        yield good(PIN_LIBRARY, "library.good", gpiozero=version("gpiozero"), through=through)


def _missing_library(
    name: str, python: tuple[int, int], pip: str | None, ask: Callable[..., str | None]
) -> Finding:
    """Return that the library *name* is missing, and a way to it that exists on this machine."""
    package = f"python3-{name}"
    on_pypi = name != "lgpio" or python < _NO_LGPIO_WHEEL
    if pip is None or not on_pypi:
        # Debian itself has no lgpio, Raspberry Pi OS and Ubuntu have: apt knows what it can bring.
        if ask("apt-cache", "madison", package) == "":
            return bad(PIN_LIBRARY, "library.missing", "do.not-at-apt", package=package)
        if pip is not None:
            return bad(PIN_LIBRARY, "library.missing", "do.system-lgpio", package=package)
    return missing_package(PIN_LIBRARY, "library.missing", package, name, pip)


def _troubles(
    factory: str, model: str | None, version: Callable[[str], str | None]
) -> Iterator[Finding]:
    gpiozero = version("gpiozero") or "0"
    if gpiozero in BAD_GPIOZERO:
        yield bad(PIN_LIBRARY, "library.knows-no-five", "do.newer-gpiozero", version=gpiozero)
    elif int(gpiozero.partition(".")[0]) < 2:
        yield bad(PIN_LIBRARY, "library.too-old", "do.newer-gpiozero", version=gpiozero)
    there = [one for one in _PACKAGES[factory] if version(one)]
    if len(there) > 1:
        yield bad(PIN_LIBRARY, "library.two", "do.remove-rpi-gpio")
    if is_pi_five(model) and (factory == "pigpio" or there == ["RPi.GPIO"]):
        yield bad(
            PIN_LIBRARY, "library.not-on-five", "do.lgpio", library=there[0] if there else factory
        )


CLOCK = "clock"
MADE_IN = 2026
"""The year of this version: no clock of a box that runs it can be right before."""


def check_clock(machine: Machine, now: Callable[[], datetime] = datetime.now) -> Iterator[Finding]:
    """Yield what the clock says, and whether any network has set it."""
    time = now()
    shown = f"{time:%Y-%m-%d %H:%M}"
    if time.year < MADE_IN:
        yield poor(CLOCK, "clock.wrong", "do.set-clock", time=shown)
        return
    set_by_network = machine.ask("timedatectl", "show", "--property=NTPSynchronized", "--value")
    if (set_by_network or "").strip() == "no":
        yield good(CLOCK, "clock.unconfirmed", time=shown)
    else:
        yield good(CLOCK, "clock.good", time=shown)


DISK = "disk"
LOW_DISK_MB, FULL_DISK_MB = 200, 20


def check_disk(
    machine: Machine, folder: Path, statvfs: Callable[[Path], os.statvfs_result] = os.statvfs
) -> Iterator[Finding]:
    """Yield how the disk under *folder* does, which may have yet to be made."""
    found = room_on_disk(folder, statvfs)
    if found is None:
        yield may_not(DISK, str(folder))
        return
    yield found
    for device, errors in sorted(_errors(machine)):
        yield bad(DISK, "disk.errors", "do.new-card", device=device, errors=errors)


def room_on_disk(
    folder: Path, statvfs: Callable[[Path], os.statvfs_result] = os.statvfs
) -> Finding | None:
    """Return how much room is left under *folder*, None where nobody may know; it takes no time."""
    try:
        there = next((one for one in (folder, *folder.parents) if one.exists()), Path("/"))
        return _room(statvfs(there), folder)
    except OSError:
        return None


def _room(told: os.statvfs_result, folder: Path) -> Finding:
    free_mb = told.f_bavail * told.f_frsize // 1_000_000
    facts = {"mb": free_mb, "folder": str(folder)}
    if told.f_flag & os.ST_RDONLY:
        return bad(DISK, "disk.read-only", "do.write-again", **facts)
    if free_mb < FULL_DISK_MB:
        return bad(DISK, "disk.full", "do.make-room", **facts)
    if free_mb < LOW_DISK_MB:
        return poor(DISK, "disk.low", "do.make-room", **facts)
    return good(DISK, "disk.good", **facts)


def _errors(machine: Machine) -> Iterator[tuple[str, int]]:
    """Yield the ext4 file systems that have met errors, since they were made or checked."""
    for told in machine.path("sys/fs/ext4").glob("*/errors_count"):
        errors = machine.number(f"sys/fs/ext4/{told.parent.name}/errors_count")
        if errors:
            yield told.parent.name, errors


_LINKS = 5000  # entries: the last evenings, in a tenth of a second


def check_links(journal: Path) -> Iterator[Finding]:
    """Yield whether somebody changed the last evenings of the *journal*; nothing if nobody did.

    One that cannot be read now is told by who writes it.
    """
    with suppress(OSError):  # a folder that this user may not look into
        if not journal.is_file():
            return
    # Here, since a panel has no journal and starts without.
    import sqlite3

    from kloplei.table.journal_chain import find_break
    from kloplei.table.journal_file import open_to_read

    with suppress(sqlite3.Error, OSError), closing(open_to_read(journal)) as connection:
        broken = find_break(connection, last=_LINKS)
        if broken is not None:
            yield poor("journal", "journal.broken", "do.compare-journal", seq=broken)


LOW_MEMORY_MB = 40  # less, and the kernel begins to swap or to kill
WARM_C, HOT_C = 70, 80  # a Pi slows down at 80
_LOW_NOW, _LOW_BEFORE = 1 << 0, 1 << 16
_AVAILABLE = re.compile(r"^MemAvailable:\s*(\d+) kB$", re.MULTILINE)


def check_memory(machine: Machine) -> Iterator[Finding]:
    """Yield how much memory is left; nothing where nobody tells."""
    found = _AVAILABLE.search(machine.read("proc/meminfo") or "")
    if found is None:
        return
    left_mb = int(found[1]) // 1000
    if left_mb < LOW_MEMORY_MB:
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
    """Return what the kernel's own sensor (rpi_volt) says in those bits: of now alone."""
    for name in machine.path("sys/class/hwmon").glob("hwmon*/name"):
        sensor = f"sys/class/hwmon/{name.parent.name}"
        if machine.read(f"{sensor}/name") == "rpi_volt":
            alarm = machine.number(f"{sensor}/in0_lcrit_alarm")
            return None if alarm is None else _LOW_NOW * bool(alarm)
    return None


UNITS = ("kloplei-table", "kloplei-panel")
_ASKED = "Id,LoadState,ActiveState,SubState,Result,NRestarts"


def check_units(machine: Machine) -> Iterator[Finding]:
    """Yield how each unit does; nothing where systemd does not know it."""
    names = [f"{unit}.service" for unit in UNITS]
    told = machine.ask("systemctl", "show", f"--property={_ASKED}", *names)
    for block in (told or "").split("\n\n"):
        unit = dict(line.split("=", 1) for line in block.splitlines() if "=" in line)
        if unit.get("LoadState") in ("loaded", "masked"):
            yield _judge_unit(unit)


def _judge_unit(unit: Mapping[str, str]) -> Finding:
    name = unit.get("Id", "").removesuffix(".service")
    restarts = int(unit["NRestarts"]) if unit.get("NRestarts", "").isdigit() else 0
    if unit.get("ActiveState") == "active" and not restarts:
        return good(name, "unit.good")
    if unit.get("ActiveState") == "active":
        return poor(name, "unit.restarted", "do.read-log", n=restarts, unit=name)
    if unit.get("ActiveState") in ("failed", "activating"):
        reason = unit.get("Result", "?")
        return bad(name, "unit.failed", "do.read-log", unit=name, reason=reason, n=restarts)
    return poor(name, "unit.stopped", "do.start-unit", unit=name)


SOUND_CARD = "sound card"
_TABLE_UNIT = "kloplei-table.service"
_UNIT_FOLDERS = ("etc/systemd/system", "run/systemd/system", "usr/lib/systemd/system")
_SOUND_RIGHT = re.compile(r"^\s*DeviceAllow\s*=\s*(char-alsa|/dev/snd)", re.MULTILINE)
_PACKAGED = "usr/libexec/kloplei/sound-card"


def check_sound_right(machine: Machine, sections: Sequence[str]) -> Iterator[Finding]:
    """Yield that the table's unit may open no sound card, though *sections* of the settings ask it.

    Whoever looks may open one, root above all: only what systemd is told of the unit shows it.
    Nothing where there is no such unit.
    """
    folders = [machine.path(one) for one in _UNIT_FOLDERS]
    units = [one / _TABLE_UNIT for one in folders if (one / _TABLE_UNIT).exists()]
    if not sections or not units:
        return
    added = [one for folder in folders for one in folder.glob(f"{_TABLE_UNIT}.d/*.conf")]
    texts = [machine.read(str(one.relative_to(machine.root))) for one in (units[0], *added)]
    if None in texts:
        yield may_not(SOUND_CARD, _TABLE_UNIT)
    elif not any(_SOUND_RIGHT.search(text or "") for text in texts):
        command = f"/{_PACKAGED}" if machine.there(_PACKAGED) else "packaging/sound-card"
        facts = {"sections": tuple(sections), "command": f"sudo {command} on"}
        yield bad(SOUND_CARD, "sound-card.shut", "do.sound-card", **facts)


VERSIONS = "versions"
_LIBRARIES = ("gpiozero", "lgpio", "luma.oled", "Pillow", "flask", "waitress")


def check_versions(
    machine: Machine, version: Callable[[str], str | None] = version_of
) -> Iterator[Finding]:
    """Yield the versions of Kloplei, of what it is built on, and of the journal it writes."""
    from kloplei.table.journal_file import SCHEMA_VERSION

    found = {name: version(name) for name in _LIBRARIES}
    yield good(
        VERSIONS,
        "versions.good",
        kloplei=__version__,
        python=platform.python_version(),
        system=_system(machine),
        kernel=platform.release(),
        libraries=tuple(f"{name} {number}" for name, number in found.items() if number),
        schema=SCHEMA_VERSION,
    )


def _system(machine: Machine) -> str:
    for line in (machine.read("etc/os-release") or "").splitlines():
        name, _, value = line.partition("=")
        if name == "PRETTY_NAME":
            return value.strip("\"'")
    return platform.system()
