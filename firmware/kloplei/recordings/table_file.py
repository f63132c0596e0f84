"""The file of ``--table``: what recordings of one table have taught."""

import contextlib
import os
from pathlib import Path

from kloplei.files import KlopleiError, UnreadableFile, atomic_write, read_limited, reason_of
from kloplei.knock.calibration import Calibration
from kloplei.knock.calibration_file import NotACalibration, as_toml, from_toml

_NAME_ONE = "name what kloplei listen --learn wrote"
_LARGEST = 10_000_000  # bytes; a thousand knocks felt by eight piezos take three million


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
        return from_toml(read_limited(path, _LARGEST, "for a table").decode("utf-8-sig"))
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
