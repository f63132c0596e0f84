"""The checks that the table's process does, and so does `kloplei doctor`, in their order."""

from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet

from kloplei.checks.board import check_board, model_of
from kloplei.checks.clock import check_clock
from kloplei.checks.disk import check_disk
from kloplei.checks.examination import Check
from kloplei.checks.i2c import check_i2c
from kloplei.checks.machine import Machine
from kloplei.checks.network import check_hotspot, check_network
from kloplei.checks.off import check_off
from kloplei.checks.pin_library import check_pin_library
from kloplei.checks.pins import check_pins
from kloplei.checks.sensors import check_seats
from kloplei.checks.spi import check_spi
from kloplei.checks.units import check_units
from kloplei.checks.versions import check_versions
from kloplei.checks.vitals import check_memory, check_power, check_temperature
from kloplei.config.settings import Config
from kloplei.kernel_addresses import look_at_network


def checks_of_the_wiring(
    machine: Machine, config: Config, ours: AbstractSet[int]
) -> Mapping[str, Check]:
    """Return the checks of all that *config* wires to *machine*, by what they look at.

    *ours* are the processes that may hold the table's pins.
    """
    return {
        "board": lambda: check_board(machine),
        "pin library": lambda: check_pin_library(config.pins.factory, model_of(machine)),
        "pins": lambda: check_pins(machine, config, ours),
        "off": lambda: check_off(machine, config),
        "i2c": lambda: check_i2c(machine, config),
        "spi": lambda: check_spi(machine, config),
        "seats": lambda: check_seats(config),
    }


def checks_of_the_machine(
    machine: Machine, config: Config, url: Callable[[], str]
) -> Mapping[str, Check]:
    """Return the checks of *machine* itself; *url* tells where the slate's code leads phones."""
    return {
        "versions": lambda: check_versions(machine),
        "disk": lambda: check_disk(machine, config.table.data),
        "memory": lambda: check_memory(machine),
        "power": lambda: check_power(machine),
        "temperature": lambda: check_temperature(machine),
        **checks_for_phones(machine, url),
    }


def checks_for_phones(machine: Machine, url: Callable[[], str]) -> Mapping[str, Check]:
    """Return those of the checks that a process without any rights can do."""
    return {
        "clock": lambda: check_clock(machine),
        "network": lambda: check_network(url(), look_at_network().local),
        "hotspot": lambda: check_hotspot(machine),
        "units": lambda: check_units(machine),
    }
