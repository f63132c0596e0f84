"""The files beside recordings: who knocked when, and what a table was taught.

Labels are a JSON list of ``{"at_s": 1.23, "seat": 0}``, and of ``{"at_s": 4, "knock": false}`` for
what was none; the table is a calibration in TOML. Both may be anybody's, so both are read within
bounds and refused in one sentence.
"""

import contextlib
import json
import math
import os
from pathlib import Path
from typing import TypeGuard

from kloplei.files import KlopleiError, UnreadableFile, atomic_write, read_limited, reason_of
from kloplei.frozen import dataclass
from kloplei.knock.calibration import Calibration, Label
from kloplei.knock.calibration_file import LONGEST_LABEL, NotACalibration, as_toml, from_toml
from kloplei.validation import is_line, is_number, is_whole

_EXAMPLE = 'write a list like [{"at_s": 1.23, "seat": 0}, {"at_s": 2.5, "seat": 1}]'
_LAST_SEAT = 999
_LARGEST = 1_000_000  # bytes; a knock takes some forty


class UnreadableLabels(KlopleiError, ValueError):
    """A file that does not say who knocked when."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """Somebody at *seat* knocked *at_s*, or it was no knock.

    *seat* None means that nobody says whose it was, *file* None in the only recording there is.
    """

    at_s: float
    seat: Label | None
    file: str | None = None
    is_knock: bool = True


def read_labelled(path: Path) -> tuple[Labelled, ...]:
    """Return the knocks written down in the JSON file *path*, in its order.

    An object with ``knocks``, ``noise`` or both will do as well, so that what ``kloplei listen
    --json`` prints of one recording can be corrected by hand and learned from; its ``file`` holds
    for all of them.

    Raises:
        UnreadableLabels: It cannot be read, or something in it is not as it should be.
    """
    written = _written(path)
    file = None
    if isinstance(written, dict) and not written.keys().isdisjoint(("knocks", "noise")):
        file = written.get("file")
        written = [*_listed(written, "knocks"), *map(_no_knock, _listed(written, "noise"))]
    if not isinstance(written, list) or not written:
        raise UnreadableLabels(f"{path}: holds no list of knocks; {_EXAMPLE}")
    return tuple(_labelled(path, number, one, file) for number, one in enumerate(written, 1))


def _listed(written: dict[str, object], key: str) -> list[object]:
    found = written.get(key, [])
    return found if isinstance(found, list) else [found]


def _no_knock(one: object) -> object:
    return {**one, "knock": False} if isinstance(one, dict) else one


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
    is_knock = one.get("knock", True)
    if not is_number(at_s) or not _is_time(at_s):
        raise UnreadableLabels(f"{path}: knock {number} has no time; {_EXAMPLE}")
    if not isinstance(is_knock, bool):
        raise UnreadableLabels(f'{path}: knock {number} has a "knock" that is not true or false')
    if not is_knock:
        seat = None
    elif not _is_label(seat) and (seat is not None or not {"seat", "knock"} & one.keys()):
        raise UnreadableLabels(
            f"{path}: knock {number} has no seat: give it a whole number from 0 to "
            f"{_LAST_SEAT}, or a name of up to {LONGEST_LABEL} letters; null where nobody "
            'knows, and {"at_s": 4.5, "knock": false} for what was none'
        )
    if file is not None and not isinstance(file, str):
        raise UnreadableLabels(f"{path}: knock {number} has a file that is no name")
    return Labelled(float(at_s), seat, file, is_knock)


def _is_time(at_s: float) -> bool:
    try:
        return math.isfinite(at_s) and at_s >= 0
    except OverflowError:  # a whole number beyond all floats
        return False


def _is_label(seat: object) -> TypeGuard[Label]:
    if isinstance(seat, str):
        return is_line(seat, 1, LONGEST_LABEL) and not seat.isspace()
    return is_whole(seat) and 0 <= seat <= _LAST_SEAT


_NAME_ONE = "name what kloplei listen --learn wrote"
_LARGEST_TABLE = 10_000_000  # bytes; a thousand knocks felt by eight piezos take three million


class UnreadableTable(KlopleiError, ValueError):
    """A file that holds no table; one sentence says why and what helps."""


class TableUnkept(KlopleiError, OSError):
    """A table cannot be written; what stood there still does."""


def read_table(path: Path) -> Calibration:
    """Return what the table in *path* was taught.

    Raises:
        UnreadableTable: There is none in it, or one that this Kloplei cannot use.
    """
    # What cannot be looked at (a name too long) cannot be read either, and that says why.
    with contextlib.suppress(OSError):
        if path.exists() and not path.is_file():  # a pipe or a terminal would be waited for
            raise UnreadableTable(f"{path}: is no file; {_NAME_ONE}")
    try:
        return from_toml(read_limited(path, _LARGEST_TABLE, "for a table").decode("utf-8-sig"))
    except UnreadableFile as error:
        raise UnreadableTable(f"{path}: {error}; {_NAME_ONE}") from None
    except UnicodeDecodeError:
        raise UnreadableTable(f"{path}: holds no table, for it is no text") from None
    except NotACalibration as error:
        raise UnreadableTable(f"{path}: holds no table that can be used: {error}") from None


def check_room(path: Path) -> None:
    """See to it that nothing but a table is ever written over.

    Raises:
        UnreadableTable: Something else stands at *path*.
    """
    with contextlib.suppress(OSError):
        if not os.path.lexists(path):
            return
    try:
        read_table(path)
    except UnreadableTable as error:
        raise UnreadableTable(f"{error}. Nothing was learned, so as not to write over it") from None


def write_table(path: Path, calibration: Calibration) -> None:
    """Write *calibration* to *path*, and keep the table that stood there as ``...-before``.

    A power cut at any moment leaves a whole table there: the old one or the new one.

    Raises:
        TableUnkept: It could not be written, and what stood there still does.
    """
    target = Path(os.path.realpath(path))  # a link stays a link
    try:
        if target.exists():
            atomic_write(before(target), target.read_bytes())
        atomic_write(target, as_toml(calibration).encode())
    except (OSError, ValueError) as error:
        raise TableUnkept(
            f"{path}: cannot be written ({reason_of(error)}); "
            "name a file in a folder where you may write"
        ) from error


def before(path: Path) -> Path:
    """Return where the table that stood at *path* before is kept."""
    return path.with_name(f"{path.stem}-before{path.suffix}")
