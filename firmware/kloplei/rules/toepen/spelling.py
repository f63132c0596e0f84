"""How the values of an option are written and read; declared beside its default."""

from collections.abc import Mapping
from dataclasses import Field, dataclass, field
from typing import Any, cast

_KEY = "spelling"


@dataclass(frozen=True, slots=True)
class Spelling:
    """How the values of one option are written: *words* by their spelling, then numbers.

    *least* None means that the option takes no numbers; *unit* may follow one ("1 per hand").
    """

    words: Mapping[str, object]
    least: int | None = None
    most: int | None = None
    unit: str = ""

    def read(self, written: object) -> tuple[object] | None:
        """Return the value that *written* stands for, in a tuple, or None if there is none."""
        if isinstance(written, bool):
            return self._read_switch(written)
        if isinstance(written, int):
            return (written,) if self._in_range(written) else None
        if not isinstance(written, str):
            return None
        for word, value in self.words.items():
            if _plain(word) == _plain(written):
                return (value,)
        number = _plain(written).removesuffix(_plain(self.unit)).strip()
        # Six digits are plenty; longer ones are no house rule but an attack.
        if not (number.isascii() and number.isdigit() and len(number) <= 6):
            return None
        return (int(number),) if self._in_range(int(number)) else None

    def write(self, value: object) -> str | int:
        """Return *value* as the rules spell it."""
        for word, meant in self.words.items():
            if meant == value and type(meant) is type(value):
                return word
        number = cast("int", value)
        return f"{number} {self.unit}" if self.unit and number else number

    def allowed(self) -> str:
        """Return what may be written, for people."""
        spelled = list(self.words)
        if self.least is not None:
            to = f" to {self.most}" if self.most is not None else " or more"
            spelled.append(f"a whole number, {self.least}{to}")
        return ", ".join(spelled)

    def _read_switch(self, on: bool) -> tuple[object] | None:
        # YAML 1.1 reads a bare `off` or `no` as false before we see the word.
        for word in ("on", "yes") if on else ("off", "no"):
            if word in self.words:
                return (self.words[word],)
        return None

    def _in_range(self, number: int) -> bool:
        if self.least is None or number < self.least:
            return False
        return self.most is None or number <= self.most


def _plain(written: str) -> str:
    return " ".join(written.lower().replace("_", " ").replace("-", " ").split())


def words(default: str, *others: str) -> Any:
    """Declare an option that is one of these words."""
    spelled = {word: word for word in (default, *others)}
    return field(default=default, metadata={_KEY: Spelling(spelled)})


def on_off(default: bool) -> Any:
    """Declare an option that is on or off."""
    return field(default=default, metadata={_KEY: Spelling({"on": True, "off": False})})


def yes_no(default: bool) -> Any:
    """Declare an option that is yes or no."""
    return field(default=default, metadata={_KEY: Spelling({"yes": True, "no": False})})


def whole(default: int, least: int, most: int | None = None) -> Any:
    """Declare an option that is a whole number from *least* to *most*."""
    return field(default=default, metadata={_KEY: Spelling({}, least, most)})


def endless(word: str, least: int, unit: str = "") -> Any:
    """Declare an option that is a whole number from *least*, or *word* for no end (None)."""
    return field(default=None, metadata={_KEY: Spelling({word: None}, least, unit=unit)})


def spelling_of(one: "Field[Any]") -> Spelling:
    """Return how the option declared by the field *one* is spelled."""
    return cast("Spelling", one.metadata[_KEY])
