"""Which board this is, by its device tree, and what is plugged on top of it."""

import re
from collections.abc import Iterator

from kloplei.checks.findings import good, poor
from kloplei.checks.machine import Machine
from kloplei.table.doctor import Finding

PART = "board"
_TREE = "proc/device-tree"
_PI_FIVE = re.compile(r"Raspberry Pi (5|500|Compute Module 5)\b")


def model_of(machine: Machine) -> str | None:
    """Return the model as the board says it, such as "Raspberry Pi Zero 2 W Rev 1.0"."""
    return machine.read(f"{_TREE}/model")


def is_pi_five(model: str | None) -> bool:
    """Return whether pins of that *model* hang on the RP1 chip, which older libraries miss."""
    return model is not None and _PI_FIVE.search(model) is not None


def check_board(machine: Machine) -> Iterator[Finding]:
    """Yield which board it is."""
    model = model_of(machine)
    if model is None or "Raspberry Pi" not in model:
        yield poor(PART, "board.other", "do.demo")
        return
    hat = machine.read(f"{_TREE}/hat/product")
    if hat:
        yield good(PART, "board.hat", model=model, hat=hat)
    else:
        yield good(PART, "board.good", model=model)
