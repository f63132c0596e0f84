"""Which versions of everything work together here."""

import platform
from collections.abc import Callable, Iterator

from kloplei import __version__
from kloplei.checks.findings import good
from kloplei.checks.machine import Machine
from kloplei.checks.pin_library import version_of
from kloplei.table.doctor import Finding
from kloplei.table.journal_file import SCHEMA_VERSION

PART = "versions"
_LIBRARIES = ("gpiozero", "lgpio", "luma.oled", "Pillow", "flask", "waitress")


def check_versions(
    machine: Machine, version: Callable[[str], str | None] = version_of
) -> Iterator[Finding]:
    """Yield the versions of Kloplei, of what it is built on, and of the journal it writes."""
    found = {name: version(name) for name in _LIBRARIES}
    yield good(
        PART,
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
