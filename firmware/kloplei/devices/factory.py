"""Open the pin library of the settings, or say in one sentence what it lacks."""

import os
from collections.abc import Callable
from importlib import import_module, metadata

from gpiozero import Factory, PinUnknownPi

from kloplei.files import KlopleiError

BAD_GPIOZERO = ("2.0.1.post1", "2.0.1.post2")  # they do not know a Pi 5 (gpiozero #1229)

_FACTORIES = {
    "lgpio": "LGPIOFactory",
    "rpigpio": "RPiGPIOFactory",
    "pigpio": "PiGPIOFactory",
    "native": "NativeFactory",
}
_MISSING = {
    "lgpio": "Install python3-lgpio, or lgpio from PyPI (which has none for Python 3.13)",
    "rpigpio": "Install python3-rpi-lgpio, or set [pins] factory to another",
    "pigpio": "Install python3-pigpio, or set [pins] factory to another",
    "native": "Set [pins] factory to another",
}
_HEADER = "/dev/gpiochip0"  # of every board; of a Pi 5 since Linux 6.6.45
_NO_PI = "no pins here: this is not a Raspberry Pi. For a table without one: kloplei demo"


class PinsMissing(KlopleiError, OSError):
    """The header cannot be reached; the message says what to install or to set."""


def open_factory(
    name: str, version: Callable[[str], str] = metadata.version, header: str = _HEADER
) -> Factory:
    """Return the pin factory *name* of ``[pins] factory``; its caller closes it.

    Args:
        name: ``lgpio``, ``rpigpio``, ``pigpio``, ``native`` or ``mock``.
        version: Gives the version of an installed package (tests).
        header: The device of the header (tests).

    Raises:
        PinsMissing: Not a Pi, or the library is not there, or it does not work.
    """
    _check_versions(name, version)
    try:
        if name == "mock":
            return _open_mock()
        # One library only: RPi.GPIO and rpi-lgpio answer to the same import name.
        module = import_module(f"gpiozero.pins.{name}")
        factory = getattr(module, _FACTORIES[name])()
        factory.board_info  # noqa: B018 - some look for their Pi no earlier
    except ImportError as error:
        raise PinsMissing(
            f"the pin library {name} is missing ({error}). {_MISSING[name]}"
        ) from error
    except PinUnknownPi as error:
        raise PinsMissing(_NO_PI) from error
    except Exception as error:
        if name == "lgpio" and _looks_elsewhere(error, header):
            raise PinsMissing(_ELSEWHERE.format(gpiozero=version("gpiozero"))) from error
        raise PinsMissing(_why_not(name, error)) from error
    return factory


_ELSEWHERE = (
    "gpiozero {gpiozero} looks for the header of a Pi 5 where it was before Linux 6.6.45. "
    "Install 2.0.1.post3 or later"
)


def _looks_elsewhere(error: Exception, header: str) -> bool:
    """Return whether *header* could be opened, and another was asked for (gpiozero #1166)."""
    return "can not open gpiochip" in str(error) and os.access(header, os.R_OK | os.W_OK)


def _open_mock() -> Factory:
    from gpiozero.pins.mock import MockFactory, MockPWMPin

    return MockFactory(pin_class=MockPWMPin)


def _check_versions(name: str, version: Callable[[str], str]) -> None:
    gpiozero = version("gpiozero")
    if gpiozero in BAD_GPIOZERO:
        raise PinsMissing(f"gpiozero {gpiozero} does not know a Pi 5. Install 2.0.1.post3 or later")
    if int(gpiozero.partition(".")[0]) < 2:
        raise PinsMissing(f"gpiozero {gpiozero} is too old for this table. Install 2.0 or later")
    if name == "rpigpio" and all(_installed(one, version) for one in ("RPi.GPIO", "rpi-lgpio")):
        raise PinsMissing(
            "RPi.GPIO and rpi-lgpio are both installed. Remove one: they share a name"
        )


def _installed(package: str, version: Callable[[str], str]) -> bool:
    try:
        version(package)
    except metadata.PackageNotFoundError:
        return False
    return True


def _why_not(name: str, error: Exception) -> str:
    reason = str(error).strip("'\" .") or type(error).__name__
    if isinstance(error, RuntimeError) and "Raspberry Pi" in reason:
        return _NO_PI  # RPi.GPIO refuses in its own words
    if name == "pigpio":
        return (
            f"the daemon pigpiod does not answer ({reason}). Start it: sudo systemctl start pigpiod"
        )
    return (
        f"the pin library {name} cannot reach the header ({reason}). Add the user of this program "
        "to the group gpio, then: kloplei doctor"
    )
