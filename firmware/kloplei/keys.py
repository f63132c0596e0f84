"""What table and panel share in secret: the PIN on the slate, the key that signs phones in."""

import contextlib
import json
import os
import secrets
from dataclasses import asdict, dataclass, field
from pathlib import Path

from kloplei.files import KlopleiError, hand_over, reason_of

_FILE = "panel-keys.json"
_PIN_DIGITS = 4
_KEY_BYTES = 32


class KeysUnreadable(KlopleiError, OSError):
    """The shared keys cannot be read or made; the message says where they should be."""


@dataclass(frozen=True, slots=True)
class PanelKeys:
    """*pin* lets a phone in; *secret_key* signs its cookie, so that it stays in."""

    pin: str = field(repr=False)
    secret_key: str = field(repr=False)


def panel_keys(data: Path) -> PanelKeys:
    """Return the keys kept in the folder *data*, made there at the first start.

    Whichever unit comes first makes them; the other one reads what it made.

    Raises:
        KeysUnreadable: Neither can be done.
    """
    path = data / _FILE
    try:
        _make_once(path)
    except OSError as error:
        raise _unusable(path, error) from error
    return _read(path)


class KeyFile:
    """The secret key in the folder *data*, read anew whenever the file has changed.

    Args:
        data: Folder of the keys.
        first: What stands there now; it stays while the file cannot be read.
    """

    def __init__(self, data: Path, first: PanelKeys) -> None:
        self._path = data / _FILE
        self._key = first.secret_key
        self._stamp = self._look()

    def read(self) -> str:
        """Return the key of this moment; safe from any thread."""
        stamp = self._look()
        if stamp is not None and stamp != self._stamp:
            with contextlib.suppress(KeysUnreadable):
                self._key = _read(self._path).secret_key
                self._stamp = stamp
        return self._key

    def _look(self) -> tuple[int, int] | None:
        try:
            found = self._path.stat()
        except OSError:
            return None
        return found.st_ino, found.st_mtime_ns


def renew_key(data: Path) -> None:
    """Write a new secret key in the folder *data*: every phone is a viewer again.

    The PIN stays, for it stands on the slate.

    Raises:
        KeysUnreadable: There are no keys, or new ones cannot be written.
    """
    path = data / _FILE
    kept = _read(path)
    new = PanelKeys(pin=kept.pin, secret_key=secrets.token_hex(_KEY_BYTES))
    try:
        aside = _written_aside(path, new)
        aside.replace(path)
    except OSError as error:
        raise KeysUnreadable(f"{path} cannot be written ({reason_of(error)})") from error


def _read(path: Path) -> PanelKeys:
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
        return PanelKeys(pin=str(kept["pin"]), secret_key=str(kept["secret_key"]))
    except OSError as error:
        raise _unusable(path, error) from error
    except (ValueError, KeyError, TypeError) as error:
        raise KeysUnreadable(f"{path} holds no keys; delete it, and new ones are made") from error


def _unusable(path: Path, error: OSError) -> KeysUnreadable:
    return KeysUnreadable(f"{path} cannot be used ({reason_of(error)}); see [table] data")


def _share(path: Path) -> None:
    """Let who may look into the folder of *path* read it.

    On the box the folder is the table's and its group has the panel's user in it; a person's
    own folder lets nobody in.
    """
    hand_over(path)
    if path.parent.stat().st_mode & 0o050:
        path.chmod(0o640)


def _make_once(path: Path) -> None:
    if path.exists():
        return
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    made = PanelKeys(
        pin="".join(secrets.choice("0123456789") for _ in range(_PIN_DIGITS)),
        secret_key=secrets.token_hex(_KEY_BYTES),
    )
    # Written aside and linked: the other unit finds whole keys or none, and the first one wins.
    aside = _written_aside(path, made)
    try:
        with contextlib.suppress(FileExistsError):
            path.hardlink_to(aside)
    finally:
        aside.unlink()


def _written_aside(path: Path, keys: PanelKeys) -> Path:
    """Return a file beside *path* that holds *keys*, for nobody else to read at any moment."""
    aside = path.with_name(f"{path.name}.{os.getpid()}")
    aside.touch(mode=0o600)
    with aside.open("w", encoding="utf-8") as file:
        json.dump(asdict(keys), file)
        file.flush()
        os.fsync(file.fileno())
    _share(aside)
    return aside
