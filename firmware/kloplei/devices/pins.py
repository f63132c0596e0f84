"""The 40-pin header: its library, and what is wrong with which part on it.

Pins are BCM numbers and settings; their defaults are in `kloplei.config`, and docs/config.md shows
them as a table. GPIO 0 and 1 belong to the EEPROM of a HAT, 14 and 15 to the serial console.
`open_factory` opens the pin library of the settings or raises `PinsMissing`; `why_part_failed`
makes one sentence of whatever a library raises; `FaultRegistry` tells the inbox the worst fault of
each part once, and takes it back when it is over.
"""

import os
import re
import threading
from collections.abc import Callable
from importlib import import_module, metadata

from gpiozero import Factory, GPIOPinInUse, PinFixedPull, PinInvalidPin, PinPWMError, PinUnknownPi

from kloplei.config.settings import BAD_GPIOZERO
from kloplei.files import KlopleiError
from kloplei.table.messages import Inbox, PartFailed, PartHealed, Trouble
from kloplei.words import Sentence, sentence_of

# Only lgpio knows the header of a Pi 5, which hangs on a chip of its own (RP1): RPi.GPIO and pigpio
# write to registers that are not there. Whichever it is, one process alone holds the pins.
_FACTORIES = {
    "lgpio": "LGPIOFactory",
    "rpigpio": "RPiGPIOFactory",
    "pigpio": "PiGPIOFactory",
    "native": "NativeFactory",
}
_HEADER = "/dev/gpiochip0"  # of every board; of a Pi 5 since Linux 6.6.45


class PinsMissing(KlopleiError, OSError):
    """The header cannot be reached; the message says what to install or to set."""


class SpiMissing(KlopleiError, OSError):
    """Nothing can be sent over SPI; the message says what to switch on."""


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
            Sentence("pins-library-missing", name=name, error=str(error), remedy=name)
        ) from error
    except PinUnknownPi as error:
        raise PinsMissing(Sentence("no-pins")) from error
    except Exception as error:
        if name == "lgpio" and _looks_elsewhere(error, header):
            raise PinsMissing(
                Sentence("gpiozero-elsewhere", version=version("gpiozero"))
            ) from error
        raise PinsMissing(_why_not(name, error)) from error
    return factory


def _looks_elsewhere(error: Exception, header: str) -> bool:
    """Return whether *header* could be opened, and another was asked for (gpiozero #1166)."""
    return "can not open gpiochip" in str(error) and os.access(header, os.R_OK | os.W_OK)


def _open_mock() -> Factory:
    from gpiozero.pins.mock import MockFactory, MockPWMPin

    return MockFactory(pin_class=MockPWMPin)


def _check_versions(name: str, version: Callable[[str], str]) -> None:
    gpiozero = version("gpiozero")
    if gpiozero in BAD_GPIOZERO:
        raise PinsMissing(Sentence("gpiozero-no-pi5", version=gpiozero))
    if int(gpiozero.partition(".")[0]) < 2:
        raise PinsMissing(Sentence("gpiozero-too-old", version=gpiozero))
    if name == "rpigpio" and all(_installed(one, version) for one in ("RPi.GPIO", "rpi-lgpio")):
        raise PinsMissing(Sentence("two-pin-libraries"))


def _installed(package: str, version: Callable[[str], str]) -> bool:
    try:
        version(package)
    except metadata.PackageNotFoundError:
        return False
    return True


def _why_not(name: str, error: Exception) -> str:
    reason = str(error).strip("'\" .") or type(error).__name__
    if isinstance(error, RuntimeError) and "Raspberry Pi" in reason:
        return Sentence("no-pins")  # RPi.GPIO refuses in its own words
    if name == "pigpio":
        return Sentence("no-pigpiod", error=reason)
    return Sentence("pins-unreachable", name=name, error=reason)


def why_part_failed(error: Exception, *pins: int) -> str:
    """Return the sentence for *error*, met when a part was opened on its *pins* (BCM)."""
    named = ", ".join(map(str, pins))
    match error:
        case GPIOPinInUse():
            return Sentence("pin-in-use", pin=_pin_in(error) if len(pins) > 1 else named)
        case PinInvalidPin():
            return Sentence("no-such-pin", pins=named)
        case PinFixedPull():
            return Sentence("pin-pulled", pins=named)
        case PinPWMError():
            return Sentence("no-pwm", pins=named)
        case SpiMissing():
            return sentence_of(error)
        case _:
            reason = str(error).strip("'\" .") or type(error).__name__
            return Sentence("pin-failed", pins=named, error=reason)


def _pin_in(error: GPIOPinInUse) -> str:
    """Return the number of the pin that gpiozero's sentence names."""
    named = re.search(r"\bGPIO(\d+)", str(error))
    return named[1] if named else "one of them"


class FaultRegistry:
    """Keeps the troubles of all parts and tells *inbox* of each part the worst one.

    May be called from any thread.
    """

    def __init__(self, inbox: Inbox) -> None:
        self._inbox = inbox
        self._lock = threading.Lock()
        self._troubles: dict[str, dict[Trouble, str]] = {}

    def tell(self, part: str, trouble: Trouble, message: str) -> None:
        """Say that *part* has *trouble*; *message* is one sentence that says what to do next."""
        with self._lock:
            before = self._worst(part)
            self._troubles.setdefault(part, {})[trouble] = message
            self._report(part, before)

    def heal(self, part: str, trouble: Trouble) -> None:
        """Say that *trouble* of *part* is over; nothing happens if it never was."""
        with self._lock:
            before = self._worst(part)
            self._troubles.get(part, {}).pop(trouble, None)
            self._report(part, before)

    def worst(self, part: str) -> PartFailed | None:
        """Return the worst trouble of *part*, None where it has none."""
        with self._lock:
            return self._worst(part)

    def _worst(self, part: str) -> PartFailed | None:
        troubles = self._troubles.get(part, {})
        for trouble in Trouble:  # by weight
            if trouble in troubles:
                return PartFailed(part, troubles[trouble], trouble)
        return None

    def _report(self, part: str, before: PartFailed | None) -> None:
        now = self._worst(part)
        if now != before:
            self._inbox.put(now or PartHealed(part))
