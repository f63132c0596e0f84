"""The off button: does Linux watch its pin? It is not ours, so nothing but the kernel can say."""

from collections.abc import Iterator

from kloplei.checks.findings import bad, good, may_not
from kloplei.checks.lines import HeldLine, NoHeader, held_lines
from kloplei.checks.machine import Machine
from kloplei.config.settings import Config
from kloplei.config.wiring import OFF_BUTTON, Claim
from kloplei.table.doctor import Finding

PART = "off"
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
        yield may_not(PART, "/dev/gpiochip0")
        return
    if line is None:
        yield bad(PART, "off.missing", "do.off-line", pin=pin, line=config.off.line(pin))
    elif line.consumer == _OF_THE_OVERLAY:
        yield good(PART, "off.good", pin=pin)


def is_off_button(claim: Claim, line: HeldLine) -> bool:
    """Return whether *claim* is the off button's, and *line* held for it."""
    return claim.part == OFF_BUTTON and line.consumer == _OF_THE_OVERLAY
