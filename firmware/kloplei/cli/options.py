"""What several commands say of their options."""

import argparse

from kloplei.files import KlopleiError

_MOST_DIGITS = 2


class WrongOption(KlopleiError, ValueError):
    """Options that do not go together."""


def seat_count(text: str) -> int:
    """Return how many seats *text* means, for argparse.

    Raises:
        argparse.ArgumentTypeError: It is no number from 1 on.
    """
    is_number = text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS
    if not (is_number and int(text) > 0):
        raise argparse.ArgumentTypeError("the seats are counted from 1 on")
    return int(text)
