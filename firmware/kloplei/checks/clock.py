"""The clock: nothing of a game hangs on it, but the dates of the log do."""

from collections.abc import Callable, Iterator
from datetime import datetime

from kloplei.checks.findings import good, poor
from kloplei.checks.machine import Machine
from kloplei.table.doctor import Finding

PART = "clock"
MADE_IN = 2026
"""The year of this version: no clock of a box that runs it can be right before."""


def _now() -> datetime:
    return datetime.now().astimezone()


def check_clock(machine: Machine, now: Callable[[], datetime] = _now) -> Iterator[Finding]:
    """Yield what the clock says, and whether any network has set it."""
    time = now()
    shown = f"{time:%Y-%m-%d %H:%M}"
    if time.year < MADE_IN:
        yield poor(PART, "clock.wrong", "do.set-clock", time=shown)
        return
    set_by_network = machine.ask("timedatectl", "show", "--property=NTPSynchronized", "--value")
    if (set_by_network or "").strip() == "no":
        yield good(PART, "clock.unconfirmed", time=shown)
    else:
        yield good(PART, "clock.good", time=shown)
