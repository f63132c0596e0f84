"""Who knocked when, as somebody wrote it down: a list of ``{"at_s": 1.23, "seat": 0}``."""

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import TypeGuard

from kloplei.files import KlopleiError, UnreadableFile, read_limited
from kloplei.knock.calibration import Label
from kloplei.knock.calibration_file import LONGEST_LABEL
from kloplei.validation import is_line, is_number, is_whole

_EXAMPLE = 'write a list like [{"at_s": 1.23, "seat": 0}, {"at_s": 2.5, "seat": 1}]'
_LAST_SEAT = 999
_LARGEST = 1_000_000  # bytes; a knock takes some forty


class UnreadableLabels(KlopleiError, ValueError):
    """A file that does not say who knocked when."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """Somebody at *seat* knocked *at_s*; *file* None means in the only recording there is."""

    at_s: float
    seat: Label
    file: str | None = None


def read_labelled(path: Path) -> tuple[Labelled, ...]:
    """Return the knocks written down in the JSON file *path*, in its order.

    An object with ``knocks`` will do as well, so that what ``kloplei listen --json`` prints of
    one recording can be corrected by hand and learned from; its ``file`` holds for all of them.

    Raises:
        UnreadableLabels: It cannot be read, or something in it is not as it should be.
    """
    written = _written(path)
    file = None
    if isinstance(written, dict) and "knocks" in written:
        written, file = written["knocks"], written.get("file")
    if not isinstance(written, list) or not written:
        raise UnreadableLabels(f"{path}: holds no list of knocks; {_EXAMPLE}")
    return tuple(_labelled(path, number, one, file) for number, one in enumerate(written, 1))


def _written(path: Path) -> object:
    try:
        raw = read_limited(path, _LARGEST, "to say who knocked")
        written: object = json.loads(raw.decode("utf-8-sig"))
    except UnreadableFile as error:
        raise UnreadableLabels(f"{path}: {error}; {_EXAMPLE}") from None
    except (ValueError, RecursionError) as error:
        # ValueError: no JSON, no UTF-8, or a number of thousands of digits.
        where = f"line {error.lineno}" if isinstance(error, json.JSONDecodeError) else "the text"
        raise UnreadableLabels(f"{path}: is not JSON ({where}); {_EXAMPLE}") from None
    return written


def _labelled(path: Path, number: int, one: object, file: object) -> Labelled:
    if not isinstance(one, dict):
        raise UnreadableLabels(f"{path}: knock {number} is no object; {_EXAMPLE}")
    at_s, seat, file = one.get("at_s"), one.get("seat"), one.get("file", file)
    if not is_number(at_s) or not _is_time(at_s):
        raise UnreadableLabels(f"{path}: knock {number} has no time; {_EXAMPLE}")
    if not _is_label(seat):
        raise UnreadableLabels(
            f"{path}: knock {number} has no seat: give it a whole number from 0 to "
            f"{_LAST_SEAT}, or a name of up to {LONGEST_LABEL} letters"
        )
    if file is not None and not isinstance(file, str):
        raise UnreadableLabels(f"{path}: knock {number} has a file that is no name")
    return Labelled(float(at_s), seat, file)


def _is_time(at_s: float) -> bool:
    try:
        return math.isfinite(at_s) and at_s >= 0
    except OverflowError:  # a whole number beyond all floats
        return False


def _is_label(seat: object) -> TypeGuard[Label]:
    if isinstance(seat, str):
        return is_line(seat, 1, LONGEST_LABEL) and not seat.isspace()
    return is_whole(seat) and 0 <= seat <= _LAST_SEAT
