"""The hotspot's name and password: the settings' own, or a password that is made once and kept."""

import json
import secrets
from pathlib import Path

from kloplei.config import Config
from kloplei.files import KlopleiError, hand_over, reason_of
from kloplei.joining import Wifi

_FILE = "hotspot.json"
# Without letters that look like others, in speakable pairs: to be read off a slate and typed.
_FIRST, _SECOND, _DIGITS = "bdfghkmnprstvz", "aeiou", "23456789"


class PasswordUnkept(KlopleiError, OSError):
    """The hotspot's password can be neither read nor kept; the message names the file."""


def hotspot_wifi(config: Config) -> Wifi:
    """Return the hotspot of *config*; a password that nobody has set is made here, and kept.

    Raises:
        PasswordUnkept: It cannot be read, made or kept.
    """
    known = known_wifi(config)
    if known.password is not None:
        return known
    path = config.table.data / _FILE
    password = made_up()
    try:
        _keep(path, password)
    except OSError as error:
        raise PasswordUnkept(
            f"{path} cannot be written ({reason_of(error)}); see [table] data"
        ) from error
    return Wifi(config.hotspot.name, password)


def known_wifi(config: Config) -> Wifi:
    """Return the hotspot of *config*, with its password if there is one already."""
    if config.hotspot.password is not None:
        return Wifi(config.hotspot.name, config.hotspot.password)
    try:
        kept = json.loads((config.table.data / _FILE).read_text(encoding="utf-8"))
        return Wifi(config.hotspot.name, str(kept["password"]))
    except (OSError, ValueError, KeyError, TypeError):
        return Wifi(config.hotspot.name)  # not made yet, or not ours to read


def made_up() -> str:
    """Return a password such as ``bamokido-4729``, which stands in one line of the slate.

    Its 36 bits keep the neighbours out; who sits at the table reads it anyway.
    """
    word = "".join(_pair() for _ in range(4))
    return f"{word}-{''.join(secrets.choice(_DIGITS) for _ in range(4))}"


def _pair() -> str:
    return secrets.choice(_FIRST) + secrets.choice(_SECOND)


def _keep(path: Path, password: str) -> None:
    """Write *password* for the table's own user alone: phones read it off the slate."""
    path.parent.mkdir(mode=0o750, parents=True, exist_ok=True)
    aside = path.with_name(f".{path.name}.new")
    aside.unlink(missing_ok=True)
    aside.touch(mode=0o600)
    aside.write_text(json.dumps({"password": password}), encoding="utf-8")
    hand_over(aside)
    aside.replace(path)
