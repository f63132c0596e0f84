"""Which checks there are, by whom they can be done, and all of them done at once."""

import logging
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet

from kloplei.config.settings import JOURNAL, Config
from kloplei.diagnostics import system
from kloplei.diagnostics.findings import MAY_NOT, bad, poor
from kloplei.diagnostics.network import check_hotspot, check_network
from kloplei.network.addresses import look_at_network
from kloplei.table.doctor_client import Finding

LIMIT_S = 5.0
"""So long all checks together may take; a panel that asked waits no longer than that."""

logger = logging.getLogger(__name__)

Check = Callable[[], Iterable[Finding]]


class Examination:
    """Does *checks* whenever it is asked, but none twice at a time; safe from any thread.

    Args:
        checks: By the part they look at, in the order of their findings.
        limit_s: So long they may take together.
        fresh_s: What was found so long ago is told again.
        clock: Monotonic seconds.
    """

    def __init__(
        self,
        checks: Mapping[str, Check],
        *,
        limit_s: float = LIMIT_S,
        fresh_s: float = 0.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._checks = checks
        self._limit_s = limit_s
        self._fresh_s = fresh_s
        self._clock = clock
        self._asking = threading.Lock()
        self._hanging: dict[str, threading.Thread] = {}
        self._found: tuple[Finding, ...] = ()
        self._found_s = float("-inf")

    def findings(self) -> tuple[Finding, ...]:
        """Return what the checks find, or found a moment ago."""
        with self._asking:
            if self._clock() - self._found_s >= self._fresh_s:
                self._found = self._examine()
                self._found_s = self._clock()
            return self._found

    def _examine(self) -> tuple[Finding, ...]:
        found: dict[str, tuple[Finding, ...]] = {}
        for part, check in self._checks.items():
            if not self._is_hanging(part):
                name = f"kloplei-check-{part}"
                thread = threading.Thread(
                    target=_do, args=(part, check, found), name=name, daemon=True
                )
                self._hanging[part] = thread
                thread.start()
        # A check that hangs (a dead disk, a stuck bus) cannot be ended from here: its thread is
        # left behind, named, and not started a second time as long as it lives.
        ends_s = time.monotonic() + self._limit_s
        for part, thread in tuple(self._hanging.items()):
            thread.join(max(ends_s - time.monotonic(), 0.0))
            if not thread.is_alive():
                del self._hanging[part]
        return tuple(one for part in self._checks for one in self._of(part, found))

    def _is_hanging(self, part: str) -> bool:
        return part in self._hanging and self._hanging[part].is_alive()

    def _of(self, part: str, found: Mapping[str, tuple[Finding, ...]]) -> tuple[Finding, ...]:
        if part in found:
            return found[part]
        return (poor(part, "check.hangs", "do.once-more", seconds=self._limit_s),)


def _do(part: str, check: Check, found: dict[str, tuple[Finding, ...]]) -> None:
    try:
        found[part] = tuple(check())
    except Exception:
        logger.exception("The check of %s stumbled.", part)
        found[part] = (bad(part, "check.stumbled", "do.report"),)


def merged(own: Iterable[Finding], told: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return what this process found, and what it may not see or did not look at as it was *told*.

    The order is that of *own*, then that of *told*.
    """
    told = tuple(told)
    of_others = {one.part for one in told if one.says.key != MAY_NOT}
    kept = [one for one in own if one.says.key != MAY_NOT or one.part not in of_others]
    parts = {one.part for one in kept}
    return (*kept, *(one for one in told if one.part not in parts))


def checks_of_the_wiring(
    machine: system.Machine, config: Config, ours: AbstractSet[int]
) -> Mapping[str, Check]:
    """Return the checks of all that *config* wires to *machine*, by what they look at.

    *ours* are the processes that may hold the table's pins.
    """
    # Here, since the panel, which wires nothing, starts without them.
    from kloplei.diagnostics.buses import check_i2c, check_spi
    from kloplei.diagnostics.pins import check_off, check_pins
    from kloplei.diagnostics.sensors import check_seats, check_tuned_gain, check_wood

    return {
        "board": lambda: system.check_board(machine),
        "pin library": lambda: _check_pin_library(machine, config),
        "pins": lambda: check_pins(machine, config, ours),
        "off": lambda: check_off(machine, config),
        "i2c": lambda: check_i2c(machine, config),
        "spi": lambda: check_spi(machine, config),
        "seats": lambda: check_seats(config),
        "tuning": lambda: check_tuned_gain(config),
        "wood": lambda: check_wood(config),
    }


def _check_pin_library(machine: system.Machine, config: Config) -> Iterable[Finding]:
    if needs_no_pins(machine, config):
        return ()
    return system.check_pin_library(config.pins.factory, system.model_of(machine), ask=machine.ask)


def needs_no_pins(machine: system.Machine, config: Config) -> bool:
    """Return whether knocks come in by a sound card, on a laptop or with pins left alone."""
    is_left_alone = system.model_of(machine) is None or config.pins.factory == "mock"
    return config.audio.enabled and is_left_alone


def checks_of_the_machine(
    machine: system.Machine, config: Config, url: Callable[[], str]
) -> Mapping[str, Check]:
    """Return the checks of *machine* itself; *url* tells where the slate's code leads phones."""
    return {
        "versions": lambda: system.check_versions(machine),
        "disk": lambda: system.check_disk(machine, config.table.data),
        "journal": lambda: system.check_links(config.table.data / JOURNAL),
        "memory": lambda: system.check_memory(machine),
        "power": lambda: system.check_power(machine),
        "temperature": lambda: system.check_temperature(machine),
        "sound card": lambda: system.check_sound_right(machine, _with_sound(config)),
        **checks_for_phones(machine, url),
    }


def _with_sound(config: Config) -> tuple[str, ...]:
    sections = {"[audio]": config.audio.enabled, "[voice]": config.voice.enabled}
    return tuple(name for name, is_on in sections.items() if is_on)


def checks_for_phones(machine: system.Machine, url: Callable[[], str]) -> Mapping[str, Check]:
    """Return those of the checks that a process without any rights can do."""
    return {
        "clock": lambda: system.check_clock(machine),
        "network": lambda: check_network(url(), look_at_network().local),
        "hotspot": lambda: check_hotspot(machine),
        "units": lambda: system.check_units(machine),
    }
