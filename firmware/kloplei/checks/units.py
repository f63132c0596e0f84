"""The units of systemd: are they up, and how often did they have to start again."""

from collections.abc import Iterator, Mapping

from kloplei.checks.findings import bad, good, poor
from kloplei.checks.machine import Machine
from kloplei.table.doctor import Finding

UNITS = ("kloplei-table", "kloplei-panel")
_ASKED = "Id,LoadState,ActiveState,SubState,Result,NRestarts"


def check_units(machine: Machine) -> Iterator[Finding]:
    """Yield how each unit does; nothing where systemd does not know it."""
    names = [f"{unit}.service" for unit in UNITS]
    told = machine.ask("systemctl", "show", f"--property={_ASKED}", *names)
    for block in (told or "").split("\n\n"):
        unit = dict(line.split("=", 1) for line in block.splitlines() if "=" in line)
        if unit.get("LoadState") in ("loaded", "masked"):
            yield _judge(unit)


def _judge(unit: Mapping[str, str]) -> Finding:
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
