"""A report to copy for somebody who is to help: all findings, the settings, and no secret."""

from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass

from kloplei.checks.findings import doctor_words, tell
from kloplei.config.settings import Config
from kloplei.table.doctor import Finding, State

MARKS = {State.GOOD: "ok  ", State.POOR: "note", State.BAD: "BAD "}
_PRIVATE = frozenset({"network.name"})  # a pub is found by the name of its Wi-Fi


def write_report(findings: Iterable[Finding], config: Config | None = None) -> str:
    """Return the report on *findings*, in English; *config* None leaves the settings out.

    Secrets are no part of findings, and settings that are secret are not looked at.
    """
    lines = ["Kloplei, report of the doctor", "", *map(_line, findings)]
    if config is not None:
        lines += ["", "Settings that are not the default:", *_changed(config)]
    return "\n".join(lines) + "\n"


def _line(finding: Finding) -> str:
    says, step = tell(finding, doctor_words("en"))
    return f"{MARKS[finding.state]} {finding.part}: {f'{says} {step}'.rstrip()}"


def _changed(config: Config) -> Iterator[str]:
    changed = list(_differences(config, Config(), ""))
    yield from changed or ["  none"]


def _differences(ours: object, usual: object, name: str) -> Iterator[str]:
    if not is_dataclass(ours) or not is_dataclass(usual):
        if ours != usual:
            yield f"  {name} = {'(set)' if name in _PRIVATE else ours}"
        return
    for one in fields(ours):
        if one.repr:  # what is kept out of logs is kept out of reports
            below = f"{name}.{one.name}".lstrip(".")
            yield from _differences(getattr(ours, one.name), getattr(usual, one.name), below)
