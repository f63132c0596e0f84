"""What several commands say of their options."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from kloplei.files import KlopleiError

if TYPE_CHECKING:
    from argparse import _ActionsContainer

_MOST_DIGITS = 2


class WrongOption(KlopleiError, ValueError):
    """Options that do not go together."""


def add_config(command: "_ActionsContainer") -> None:
    """Let *command* be told where its settings are."""
    command.add_argument("--config", type=Path, metavar="FILE", help="settings (docs/config.md)")


def seat_count(text: str) -> int:
    """Return how many seats *text* means, for argparse.

    Raises:
        argparse.ArgumentTypeError: It is no number from 1 on.
    """
    is_number = text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS
    if not (is_number and int(text) > 0):
        raise argparse.ArgumentTypeError("the seats are counted from 1 on")
    return int(text)
