"""Machines made of a few files in a folder, and of programs that answer what they are told."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from kloplei.diagnostics.findings import doctor_words, tell
from kloplei.diagnostics.system import Machine
from kloplei.table.doctor_client import Finding

ZERO = "Raspberry Pi Zero 2 W Rev 1.0"
FIVE = "Raspberry Pi 5 Model B Rev 1.0"


def machine_with(
    root: Path, files: Mapping[str, str | bytes] | None = None, **answers: str
) -> Machine:
    """Return a machine with these *files*, where each program of *answers* prints its answer."""
    for place, text in (files or {}).items():
        path = root / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())

    def ask(*command: str) -> str | None:
        return answers.get(command[0])

    return Machine(root, ask)


def keys(findings: Iterable[Finding]) -> list[tuple[str, str]]:
    """Return state and key of each of *findings*."""
    return [(one.state.value, one.says.key) for one in findings]


def english(finding: Finding) -> str:
    """Return all that *finding* says."""
    return " ".join(one for one in tell(finding, doctor_words("en")) if one)
