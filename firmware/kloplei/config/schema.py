"""What a setting may hold, beyond what `kloplei.validation` checks of any value."""

import sys
from collections.abc import Callable, Mapping
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from kloplei.files import KlopleiError
from kloplei.validation import Check, NotAllowed, is_line, is_whole, list_of, narrowed, whole

if TYPE_CHECKING:
    from kloplei.knock.geometry import Spot, TableSize

T = TypeVar("T")

LAST_CHANNEL = 7  # of an MCP3008 or MCP3208
LONGEST_SOCKET_PATH = 107  # bytes; the kernel's sun_path


class ConfigError(KlopleiError, ValueError):
    """A setting that cannot be used; the message names the file, the setting and what may be."""


def setting(default: T, check: Check) -> T:
    """Declare a dataclass field that the reader may set to what *check* lets pass."""
    return field(default=default, metadata={"check": check})


def computed(default: Callable[[], T], check: Check) -> T:
    """Declare a setting whose default is made anew for each `Config`."""
    return field(default_factory=default, metadata={"check": check})


def secret(check: Check) -> str | None:
    """Declare a setting without a default that stays out of logs."""
    return field(default=None, repr=False, metadata={"check": check})


def one_of(*words: str | int) -> Check:
    """Let just these words or numbers pass."""

    def read(value: object) -> str | int:
        for word in words:
            if type(value) is type(word) and value == word:
                return word
        raise NotAllowed

    return Check("one of " + ", ".join(shown(word) for word in words), read)


def text(shortest: int, longest: int, kind: str = "a text") -> Check:
    """Let one line of text of a fitting length pass."""

    def read(value: object) -> str:
        if not is_line(value, shortest, longest):
            raise NotAllowed
        return value

    return Check(f"{kind} of {shortest} to {longest} characters", read)


def digits(fewest: int, most: int) -> Check:
    """Let a text of plain digits pass, so that a pin code keeps its leading zeros."""
    allowed = f'{fewest} to {most} digits in quotes, such as "0420"'
    return narrowed(text(fewest, most), allowed, lambda one: one.isascii() and one.isdigit())


def address() -> Check:
    """Let an I2C address pass that is not reserved."""
    return Check("an I2C address from 0x08 to 0x77, mostly 0x3C or 0x3D", whole(0x08, 0x77).read)


def pin() -> Check:
    """Let a BCM pin number pass; 0 and 1 are left to the EEPROM of a HAT."""
    return Check("a BCM pin number from 2 to 27", whole(2, 27).read)


def pin_or_none() -> Check:
    """Let a BCM pin number pass, or false for a part that is not there (None to us)."""
    return _or_none(pin())


def pins() -> Check:
    """Let a list of BCM pin numbers pass, each named once."""
    return _different(
        pin(), "a list of different BCM pin numbers from 2 to 27, such as [17, 27, 22]"
    )


def channel_or_none() -> Check:
    """Let a channel of an eight-channel converter pass, or false for none (None to us)."""
    return _or_none(_channel())


def channels() -> Check:
    """Let a list of channels of an eight-channel converter pass, each named once."""
    allowed = f"a list of different channels from 0 to {LAST_CHANNEL}, such as [0, 1, 2, 3]"
    return _different(_channel(), allowed)


def table_size() -> Check:
    """Let the size of a table pass; ``""`` is none (None to us)."""

    def read(value: object) -> "TableSize | None":
        if not isinstance(value, str):
            raise NotAllowed
        if not value:
            return None
        from kloplei.knock.geometry import NotAGeometry, read_size

        try:
            return read_size(value)
        except NotAGeometry as error:
            raise NotAllowed from error

    allowed = 'length and width in metres, "1.4x0.8", or the diameter of a round one, "1.1"'
    return Check(allowed, read)


_SPOTS = 'places in metres from the left and towards the slate, ["0.07x0.73", "1.33x0.07"]'


def spots(*words: str) -> Check:
    """Let a list of places on the table pass, each text of metres; or one of *words*."""

    def read(value: object) -> "str | tuple[Spot, ...]":
        if isinstance(value, str) and value in words:
            return value
        return _read_spots(value)

    named = "".join(f'"{word}", ' for word in words)
    return Check(f"{named}{'or ' if words else ''}{_SPOTS}", read)


def seated(most: int) -> Check:
    """Let a list of places on the table pass, or how many there are, 2 to *most*."""

    def read(value: object) -> "int | tuple[Spot, ...]":
        if is_whole(value) and 2 <= value <= most:
            return value
        return _read_spots(value)

    return Check(f"a whole number from 2 to {most}, or {_SPOTS}", read)


def _read_spots(value: object) -> "tuple[Spot, ...]":
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise NotAllowed
    from kloplei.knock.geometry import NotAGeometry, read_spots

    try:
        return tuple(spot for one in value for spot in read_spots(one))
    except NotAGeometry as error:
        raise NotAllowed from error


def path() -> Check:
    """Let an absolute path or one from the home folder (``~/``) pass."""

    def read(value: object) -> Path:
        if not isinstance(value, str) or "\0" in value:
            raise NotAllowed
        try:
            found = Path(value).expanduser()
        except RuntimeError as unknown_home:
            raise NotAllowed from unknown_home
        if not found.is_absolute():
            raise NotAllowed
        return found

    return Check("an absolute path in quotes, or one that starts with ~/", read)


def socket_path() -> Check:
    """Let a path pass that is short enough for a Unix socket."""
    paths = path()
    allowed = f"{paths.allowed}, at most {LONGEST_SOCKET_PATH} bytes long"
    return narrowed(paths, allowed, lambda one: len(bytes(one)) <= LONGEST_SOCKET_PATH)


def names() -> Check:
    """Let a list of host names pass."""
    hosts = list_of(text(1, 253), 0, sys.maxsize)
    return Check('a list of host names, such as ["kloplei.local"]', hosts.read)


def options() -> Check:
    """Let a table of house rules pass; which of them a game knows, the game says."""

    def read(value: object) -> Mapping[str, object]:
        if not isinstance(value, dict):
            raise NotAllowed
        if not all(isinstance(one, bool | int | str) for one in value.values()):
            raise NotAllowed
        return dict(value)

    return Check("a table of house rules, such as { max_lives = 15 }", read)


_MOST_BITS = 64  # what TOML asks of a reader


def shown(value: object) -> str:
    """Return *value* as it is written in TOML, cut short if it is long."""
    match value:
        case bool():
            written = str(value).lower()
        case str():
            written = f'"{value}"' if value.isprintable() else ascii(value)
        case int() if abs(value) >> _MOST_BITS:
            written = hex(value)  # Python spells no number of some thousand digits in tens
        case _:
            try:
                written = str(value)
            except RecursionError:
                written = "brackets within brackets"
    return written if len(written) <= 60 else written[:57] + "..."


def _channel() -> Check:
    return Check(f"a channel from 0 to {LAST_CHANNEL}", whole(0, LAST_CHANNEL).read)


def _or_none(one: Check) -> Check:
    """Let pass what *one* does, or false for what is not there (None to us)."""

    def read(value: object) -> Any:
        return None if value is False else one.read(value)

    return Check(f"{one.allowed}, or false if there is none", read)


def _different(one: Check, allowed: str) -> Check:
    """Let a list pass of what *one* does, each named once."""
    return narrowed(
        list_of(one, 0, sys.maxsize), allowed, lambda found: len(set(found)) == len(found)
    )
