"""Say in one sentence why a part of the box does not work and what to do next."""

import re

from gpiozero import GPIOPinInUse, PinFixedPull, PinInvalidPin, PinPWMError

from kloplei.knock.verdict import PIEZOS

_DO = {PIEZOS: "do"}
_NEXT = "then: kloplei doctor"


def why_part_failed(part: str, error: Exception, *pins: int) -> str:
    """Return the sentence for *error*, met when *part* was opened on its *pins* (BCM)."""
    where = f"{part} {_DO.get(part, 'does')} not work on GPIO {', '.join(map(str, pins))}"
    match error:
        case GPIOPinInUse():
            held = f"GPIO {_pin_in(error)}" if len(pins) > 1 else "that pin"
            return f"{where}: another part holds {held}. Give one of them another in the settings"
        case PinInvalidPin():
            return f"{where}: this Pi has no such pin. Choose another (docs/config.md, pins)"
        case PinFixedPull():
            return f"{where}: a resistor on the board holds that pin. Choose another"
        case PinPWMError():
            return f'{where}: this pin library cannot dim or sing. Set [pins] factory = "lgpio"'
        case _:
            reason = str(error).strip("'\" .") or type(error).__name__
            return (
                f"{where} ({reason}). See whether another program or an interface (SPI, I2C) "
                f"holds the pin, {_NEXT}"
            )


def _pin_in(error: GPIOPinInUse) -> str:
    """Return the number of the pin that gpiozero's sentence names."""
    named = re.search(r"\bGPIO(\d+)", str(error))
    return named[1] if named else "one of them"
