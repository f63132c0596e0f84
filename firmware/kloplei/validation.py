"""What a value that somebody may have written may be: a check lets it pass, or says why not.

A `Check` knows no names: whoever reads a file knows what stands where, and begins the sentence
that a check's `NotAllowed` goes on with, or says its own with what is allowed.
"""

import reprlib
from collections.abc import Callable, Iterable
from typing import Any, TypeGuard

from kloplei.frozen import dataclass

_MOST_SHOWN = 40
_MOST_BITS = 64  # what TOML asks of a reader


class NotAllowed(ValueError):
    """The value does not pass; the words go on from its name: ``must be a list of 2``."""


@dataclass(frozen=True, slots=True)
class Check:
    """What a value may be: *allowed* in words, *read* turns what was written into ours.

    *read* raises `NotAllowed` for anything else.
    """

    allowed: str
    read: Callable[[object], Any]


def is_whole(value: object) -> TypeGuard[int]:
    """Return whether *value* is a whole number: bool is one to Python, and to nobody who writes."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_number(value: object) -> TypeGuard[float]:
    """Return whether *value* is a number; nan and inf are."""
    return is_whole(value) or isinstance(value, float)


def is_line(value: object, shortest: int, longest: int) -> TypeGuard[str]:
    """Return whether *value* is one line of text of a fitting length."""
    return isinstance(value, str) and value.isprintable() and shortest <= len(value) <= longest


def whole(lowest: int, highest: int) -> Check:
    """Let whole numbers pass, ends included."""
    allowed = f"a whole number from {lowest} to {highest}"

    def read(value: object) -> int:
        if not is_whole(value) or not lowest <= value <= highest:
            raise NotAllowed(f"holds {abridged(value)}, but must hold {allowed}")
        return value

    return Check(allowed, read)


def number(lowest: float, highest: float) -> Check:
    """Let numbers pass, ends included; nan and inf do not."""

    def read(value: object) -> float:
        if not is_number(value):
            raise NotAllowed(f"holds {abridged(value)}, which is no number")
        # Compared before it becomes a float: whole numbers know no end, a float does.
        if not lowest <= value <= highest:
            raise NotAllowed(
                f"holds {abridged(value)}, but must lie from {lowest:g} to {highest:g}"
            )
        return float(value)

    return Check(f"a number from {lowest:g} to {highest:g}", read)


def switch() -> Check:
    """Let true and false pass."""
    allowed = "true or false"

    def read(value: object) -> bool:
        if not isinstance(value, bool):
            raise NotAllowed(f"holds {abridged(value)}, but must hold {allowed}")
        return value

    return Check(allowed, read)


def list_of(one: Check, fewest: int, most: int) -> Check:
    """Let a list of so many values pass, each of which *one* lets pass; it becomes a tuple."""
    allowed = f"a list of {fewest}" if fewest == most else f"a list of {fewest} to {most}"

    def read(value: object) -> tuple[Any, ...]:
        if not isinstance(value, list) or not fewest <= len(value) <= most:
            raise NotAllowed(f"must be {allowed}")
        return tuple(map(one.read, value))

    return Check(allowed, read)


def narrowed(wide: Check, allowed: str, is_allowed: Callable[[Any], bool]) -> Check:
    """Let of what *wide* lets pass only that pass that *allowed*, in words, describes."""

    def read(value: object) -> Any:
        found = wide.read(value)
        if not is_allowed(found):
            raise NotAllowed(f"holds {abridged(value)}, but must hold {allowed}")
        return found

    return Check(allowed, read)


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return which of *known* somebody meant who wrote *word*, or None if it is like none."""
    from difflib import get_close_matches

    by_letters = {one.casefold(): one for one in known}
    near = get_close_matches(word.casefold(), by_letters, n=1)
    return by_letters[near[0]] if near else None


def meant(word: str, known: Iterable[str], otherwise: str) -> str:
    """Return the question whether one of *known* was meant by *word*, else *otherwise*."""
    near = nearest(word, known)
    return otherwise if near is None else f"did you mean {near}?"


def abridged(value: object) -> str:
    """Return *value* as Python writes it, or the beginning of it if it is long."""
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        return "a number without end"  # Python spells none of some thousand digits
    written = reprlib.repr(value)  # of what is nested without end it shows the beginning
    return written if len(written) <= _MOST_SHOWN else written[: _MOST_SHOWN - 3] + "..."
