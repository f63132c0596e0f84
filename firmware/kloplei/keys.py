"""What table and panel share in secret: the PIN on the slate, the key that signs phones in.

The table makes them and puts damaged ones aside; the panel reads them and writes nothing.
"""

import base64
import contextlib
import errno
import json
import logging
import os
import re
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, field, replace
from pathlib import Path

from kloplei.files import KlopleiError, create_below, opened_folder, read_below, reason_of
from kloplei.frozen import dataclass

KEYS = _FILE = "panel-keys.json"
DAMAGED = f"{_FILE}.damaged"
"""What keys that could not be read are called from then on."""
_PIN_DIGITS = 4
_KEY_BYTES = 32
_CODE_BYTES = 10
_PIN, _CODE = "[0-9]{4,}", "[A-Z2-7]{16}"  # what is whole
_EVENING_S = 12 * 3600.0  # a box that was off for so long wakes up to another evening
_WRITING = threading.Lock()
_MOST_BYTES = 4096
_LEAST_KEY = 32  # letters of one that nobody guesses; one of ours has twice as many
# What stands there is no file of keys: a link, a folder, another's file.
_NO_KEYS = {errno.ELOOP, errno.EISDIR, errno.EINVAL, errno.EACCES, errno.ENXIO}
logger = logging.getLogger(__name__)


class KeysUnreadable(KlopleiError, OSError):
    """The shared keys cannot be read or made; the message says where they should be."""


class _Damaged(KeysUnreadable):
    """Something stands there, and it will never be keys."""


@dataclass(frozen=True, slots=True)
class PanelKeys:
    """*secret_key* signs the cookies of phones; *pin* is in them, as a mark, as long as it stands.

    What lets a phone in changes every evening: *evening_pin*, to type, and *evening_code*, of 80
    bits, in the QR code. *evening_at* is when they were made, by the wall clock. Keys of before
    have none, and lend out *pin*.
    """

    pin: str = field(repr=False)
    secret_key: str = field(repr=False)
    evening_pin: str = field(default="", repr=False)
    evening_code: str = field(default="", repr=False)
    evening_at: float = 0.0
    replaced: str = field(default="", repr=False)
    """What damaged keys that these were made for are called now; empty where none were."""


def panel_keys(data: Path, wall: Callable[[], float] = time.time) -> PanelKeys:
    """Return the keys kept in the folder *data*, made there at the first start.

    Damaged ones are put aside and new ones made: all phones have to be let in again. PIN and code
    of another evening are made anew; a power cut keeps them.

    Raises:
        KeysUnreadable: None can be made or read.
    """
    try:
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        with opened_folder(data) as folder:
            kept = _found_or_made(data, folder)
        if kept.evening_code and abs(wall() - kept.evening_at) < _EVENING_S:
            return kept
        return replace(new_evening(data, wall), replaced=kept.replaced)
    except KeysUnreadable:
        raise
    except OSError as error:
        raise _unusable(data / _FILE, error) from error


def known_keys(data: Path) -> PanelKeys:
    """Return the keys kept in the folder *data*; where there are none, some that nobody knows.

    For the panel, which makes none: with those it serves who looks on, until the table has
    made some that `KeyFile` finds.
    """
    try:
        return _read(data)
    except KeysUnreadable as error:
        logger.warning("%s. Until then phones may only look on", error)
        return PanelKeys(pin=secrets.token_hex(_KEY_BYTES), secret_key=_new_key())


class KeyFile:
    """The secret key in the folder *data*, read anew whenever the file has changed.

    Args:
        data: Folder of the keys.
        first: What stands there now; it stays while the file cannot be read.
    """

    def __init__(self, data: Path, first: PanelKeys) -> None:
        self._data = data
        self._keys = first
        self._stamp: tuple[int, int] | None = None

    def read(self) -> PanelKeys:
        """Return the keys of this moment; safe from any thread."""
        stamp = self._look()
        if stamp is not None and stamp != self._stamp:
            with contextlib.suppress(KeysUnreadable):
                self._keys = _read(self._data)
                self._stamp = stamp
        return self._keys

    def read_key(self) -> str:
        """Return the secret key of this moment."""
        return self.read().secret_key

    def read_evening(self) -> tuple[str, str]:
        """Return what lets a phone in this evening: the PIN, and the code of the QR code."""
        keys = self.read()
        return keys.evening_pin or keys.pin, keys.evening_code

    def _look(self) -> tuple[int, int] | None:
        try:
            found = (self._data / _FILE).lstat()
        except OSError:
            return None
        return found.st_ino, found.st_mtime_ns


def renew_key(data: Path) -> None:
    """Write a new secret key in the folder *data*: every phone is a viewer again.

    The PIN stays, for it stands on the slate.

    Raises:
        KeysUnreadable: There are no keys, or new ones cannot be written.
    """
    with _WRITING:
        _write(data, replace(_read(data), secret_key=_new_key()))


def new_evening(data: Path, wall: Callable[[], float] = time.time) -> PanelKeys:
    """Write a new PIN and a new code into the folder *data*, and return the keys.

    Phones that are in stay in.

    Raises:
        KeysUnreadable: There are no keys, or new ones cannot be written.
    """
    with _WRITING:
        keys = replace(
            _read(data),
            evening_pin=_new_pin(),
            evening_code=_new_code(),
            evening_at=wall(),
        )
        _write(data, keys)
    return keys


def _write(data: Path, keys: PanelKeys) -> None:
    try:
        with opened_folder(data) as folder, _written_aside(folder, keys) as aside:
            os.replace(aside, _FILE, src_dir_fd=folder, dst_dir_fd=folder)
    except OSError as error:
        raise KeysUnreadable(f"{data / _FILE} cannot be written ({reason_of(error)})") from error


def _found_or_made(data: Path, folder: int) -> PanelKeys:
    replaced = ""
    try:
        return _read_below(data, folder)
    except FileNotFoundError:
        pass
    except _Damaged as error:
        replaced = _put_aside(folder)
        logger.warning("%s. It is kept as %s; let the phones in anew", error, replaced)
    _make(folder)
    return replace(_read_below(data, folder), replaced=replaced)


def _put_aside(folder: int) -> str:
    """Give what stands in the place of the keys another name, and return that."""
    # What was kept before goes, but nothing takes the place of a folder, nor a folder a file's.
    with contextlib.suppress(OSError):
        os.replace(_FILE, DAMAGED, src_dir_fd=folder, dst_dir_fd=folder)
        return DAMAGED
    another = f"{DAMAGED}-{secrets.token_hex(4)}"
    os.replace(_FILE, another, src_dir_fd=folder, dst_dir_fd=folder)
    return another


def _make(folder: int) -> None:
    made = PanelKeys(pin=_new_pin(), secret_key=_new_key())
    # Written aside and linked: who reads finds whole keys or none, and the first to make them wins.
    with _written_aside(folder, made) as aside, contextlib.suppress(FileExistsError):
        os.link(aside, _FILE, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)


@contextlib.contextmanager
def _written_aside(folder: int, keys: PanelKeys) -> Iterator[str]:
    """Give the name of a file in *folder* that holds *keys*, for nobody else to read.

    Whoever may look into the folder may read it: on the box that is the table's group, with the
    panel's user in it; a person's own folder lets nobody in.
    """
    # A name that nobody knows before: two who make keys at once do not meet.
    aside = f".{_FILE}.{secrets.token_hex(8)}"
    told = {name: value for name, value in asdict(keys).items() if name != "replaced"}
    is_shared = os.fstat(folder).st_mode & 0o050
    try:
        with create_below(folder, aside, 0o640 if is_shared else 0o600) as file:
            file.write(json.dumps(told).encode())
            file.flush()
            os.fsync(file.fileno())
        yield aside
        os.fsync(folder)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(aside, dir_fd=folder)


def _read(data: Path) -> PanelKeys:
    try:
        with opened_folder(data) as folder:
            return _read_below(data, folder)
    except KeysUnreadable:
        raise
    except OSError as error:
        raise _unusable(data / _FILE, error) from error


def _read_below(data: Path, folder: int) -> PanelKeys:
    try:
        kept = json.loads(read_below(folder, _FILE, _MOST_BYTES))
        keys = PanelKeys(
            pin=kept["pin"],
            secret_key=kept["secret_key"],
            evening_pin=str(kept.get("evening_pin", "")),
            evening_code=str(kept.get("evening_code", "")),
            evening_at=float(kept.get("evening_at", 0.0)),
        )
        is_whole = _is_whole(keys)
    except OSError as error:
        if error.errno in _NO_KEYS:
            raise _Damaged(f"{data / _FILE} cannot be used ({reason_of(error)})") from error
        raise
    except (
        ValueError,
        LookupError,
        TypeError,
        AttributeError,
        ArithmeticError,
        RecursionError,
    ) as error:
        raise _Damaged(f"{data / _FILE} holds no keys") from error
    if not is_whole:
        raise _Damaged(f"{data / _FILE} holds no keys")
    if not (re.fullmatch(_CODE, keys.evening_code) and re.fullmatch(_PIN, keys.evening_pin)):
        # A short one, or the word None, would be guessed: the table makes new ones.
        return replace(keys, evening_pin="", evening_code="", evening_at=0.0)
    return keys


def _is_whole(keys: PanelKeys) -> bool:
    # An empty key signs whatever anybody makes up.
    return bool(re.fullmatch(_PIN, keys.pin)) and len(keys.secret_key) >= _LEAST_KEY


def _new_code() -> str:
    # Capitals and digits: a QR code holds half as much again of them, and so stays small.
    return base64.b32encode(secrets.token_bytes(_CODE_BYTES)).decode()


def _new_pin() -> str:
    return "".join(secrets.choice("0123456789") for _ in range(_PIN_DIGITS))


def _new_key() -> str:
    return secrets.token_hex(_KEY_BYTES)


def _unusable(path: Path, error: OSError) -> KeysUnreadable:
    return KeysUnreadable(
        f"{path} cannot be used ({reason_of(error)}); look at the disk and the rights there"
    )
