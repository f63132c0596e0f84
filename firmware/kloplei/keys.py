"""What table and panel share in secret: the PIN on the slate, the key that signs phones in."""

import contextlib
import json
import os
import secrets
from dataclasses import asdict, dataclass, field
from pathlib import Path

from kloplei.errors import KlopleiError
from kloplei.whole_file import hand_over

_FILE = "panel-keys.json"
_PIN_DIGITS = 4


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
        kept = json.loads(path.read_text(encoding="utf-8"))
        return PanelKeys(pin=str(kept["pin"]), secret_key=str(kept["secret_key"]))
    except OSError as error:
        reason = error.strerror or str(error)
        raise KeysUnreadable(f"{path} cannot be used ({reason}); see [table] data") from error
    except (ValueError, KeyError, TypeError) as error:
        raise KeysUnreadable(f"{path} holds no keys; delete it, and new ones are made") from error


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
        secret_key=secrets.token_hex(32),
    )
    # Written aside and linked: the other unit finds whole keys or none, and the first one wins.
    aside = path.with_name(f"{path.name}.{os.getpid()}")
    aside.touch(mode=0o600)
    try:
        aside.write_text(json.dumps(asdict(made)), encoding="utf-8")
        _share(aside)
        with contextlib.suppress(FileExistsError):
            path.hardlink_to(aside)
    finally:
        aside.unlink()
