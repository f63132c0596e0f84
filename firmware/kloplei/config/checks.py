"""What a setting may hold: each check says it in words and lets a TOML value pass, or not."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from kloplei.files import KlopleiError

T = TypeVar("T")
N = TypeVar("N", int, float)

LAST_CHANNEL = 7  # of an MCP3008 or MCP3208
LONGEST_SOCKET_PATH = 107  # bytes; the kernel's sun_path


class ConfigError(KlopleiError, ValueError):
    """A setting that cannot be used; the message names the file, the setting and what may be."""


class NotAllowed(ValueError):
    """The value does not pass; the reader knows the setting's name and says so."""


@dataclass(frozen=True, slots=True)
class Check:
    """What a setting may hold: *allowed* in words, *read* turns the TOML value into ours.

    *read* raises `NotAllowed` for anything else.
    """

    allowed: str
    read: Callable[[object], Any]


def setting(default: T, check: Check) -> T:
    """Declare a dataclass field that the reader may set to what *check* lets pass."""
    return field(default=default, metadata={"check": check})


def computed(default: Callable[[], T], check: Check) -> T:
    """Declare a setting whose default is made anew for each `Config`."""
    return field(default_factory=default, metadata={"check": check})


def secret(check: Check) -> str | None:
    """Declare a setting without a default that stays out of logs."""
    return field(default=None, repr=False, metadata={"check": check})


def whole(lowest: int, highest: int) -> Check:
    """Let whole numbers pass, ends included."""

    def read(value: object) -> int:
        # bool is an int to Python, but nobody means seats = true.
        if isinstance(value, bool) or not isinstance(value, int):
            raise NotAllowed
        return _between(lowest, value, highest)

    return Check(f"a whole number from {lowest} to {highest}", read)


def number(lowest: float, highest: float) -> Check:
    """Let numbers pass, ends included; TOML's nan and inf do not."""

    def read(value: object) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise NotAllowed
        # Compared before it becomes a float: TOML's whole numbers know no end, a float does.
        return float(_between(lowest, value, highest))

    return Check(f"a number from {lowest:g} to {highest:g}", read)


def one_of(*words: str | int) -> Check:
    """Let just these words or numbers pass."""

    def read(value: object) -> str | int:
        for word in words:
            if type(value) is type(word) and value == word:
                return word
        raise NotAllowed

    return Check("one of " + ", ".join(shown(word) for word in words), read)


def switch() -> Check:
    """Let true and false pass."""

    def read(value: object) -> bool:
        if not isinstance(value, bool):
            raise NotAllowed
        return value

    return Check("true or false", read)


def text(shortest: int, longest: int, kind: str = "a text") -> Check:
    """Let one line of text of a fitting length pass."""

    def read(value: object) -> str:
        if not isinstance(value, str) or not value.isprintable():
            raise NotAllowed
        _between(shortest, len(value), longest)
        return value

    return Check(f"{kind} of {shortest} to {longest} characters", read)


def digits(fewest: int, most: int) -> Check:
    """Let a text of plain digits pass, so that a pin code keeps its leading zeros."""

    def read(value: object) -> str:
        if not isinstance(value, str) or not (value.isascii() and value.isdigit()):
            raise NotAllowed
        _between(fewest, len(value), most)
        return value

    return Check(f'{fewest} to {most} digits in quotes, such as "0420"', read)


def address() -> Check:
    """Let an I2C address pass that is not reserved."""
    return Check("an I2C address from 0x08 to 0x77, mostly 0x3C or 0x3D", whole(0x08, 0x77).read)


def pin() -> Check:
    """Let a BCM pin number pass; 0 and 1 are left to the EEPROM of a HAT."""
    numbers = whole(2, 27)
    return Check("a BCM pin number from 2 to 27", numbers.read)


def pin_or_none() -> Check:
    """Let a BCM pin number pass, or false for a part that is not there (None to us)."""
    numbers = whole(2, 27)

    def read(value: object) -> int | None:
        return None if value is False else int(numbers.read(value))

    return Check("a BCM pin number from 2 to 27, or false if there is none", read)


def pins() -> Check:
    """Let a list of BCM pin numbers pass, each named once."""
    one = pin()

    def read(value: object) -> tuple[int, ...]:
        return _different(value, one)

    return Check("a list of different BCM pin numbers from 2 to 27, such as [17, 27, 22]", read)


def channel_or_none() -> Check:
    """Let a channel of an eight-channel converter pass, or false for none (None to us)."""
    numbers = whole(0, LAST_CHANNEL)

    def read(value: object) -> int | None:
        return None if value is False else int(numbers.read(value))

    return Check(f"a channel from 0 to {LAST_CHANNEL}, or false if there is none", read)


def channels() -> Check:
    """Let a list of channels of an eight-channel converter pass, each named once."""
    one = whole(0, LAST_CHANNEL)

    def read(value: object) -> tuple[int, ...]:
        return _different(value, one)

    return Check(
        f"a list of different channels from 0 to {LAST_CHANNEL}, such as [0, 1, 2, 3]", read
    )


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

    def read(value: object) -> Path:
        found: Path = paths.read(value)
        _between(1, len(bytes(found)), LONGEST_SOCKET_PATH)
        return found

    return Check(f"{paths.allowed}, at most {LONGEST_SOCKET_PATH} bytes long", read)


def names() -> Check:
    """Let a list of host names pass."""
    one = text(1, 253)

    def read(value: object) -> tuple[str, ...]:
        if not isinstance(value, list):
            raise NotAllowed
        return tuple(one.read(name) for name in value)

    return Check('a list of host names, such as ["kloplei.local"]', read)


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


def _different(value: object, one: Check) -> tuple[int, ...]:
    """Return the numbers in the list *value*, all of which *one* lets pass, each named once."""
    if not isinstance(value, list):
        raise NotAllowed
    found = tuple(int(one.read(number)) for number in value)
    if len(set(found)) < len(found):
        raise NotAllowed
    return found


def _between(lowest: N, value: N, highest: N) -> N:
    if not lowest <= value <= highest:
        raise NotAllowed
    return value
