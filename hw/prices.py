"""What a build costs: a range in euro for each line of the list, and their sum."""

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from hw.bom import Row

SOURCE = Path(__file__).with_name("prices.toml")
_AMOUNT = re.compile(r"[\d.]+")


@dataclass(frozen=True, slots=True)
class Euro:
    """From *least* to *most*."""

    least: float
    most: float

    def times(self, amount: float) -> "Euro":
        """Return what *amount* of it costs."""
        return Euro(self.least * amount, self.most * amount)

    def __add__(self, other: "Euro") -> "Euro":
        return Euro(self.least + other.least, self.most + other.most)


def each(row: Row) -> Euro:
    """Return what one of *row* costs: a piece, a metre or a gram.

    Names of the list that say more of a part, or how long it is, begin with its name here.

    Raises:
        KeyError: hw/prices.toml does not know it.
    """
    known, _ = _told()
    fitting = [name for name in known if row.name == name or row.name.startswith(f"{name},")]
    fitting += [name for name in known if re.match(rf"{re.escape(name)}( or\b|[:;])", row.name)]
    if not fitting:
        raise KeyError(f"hw/prices.toml has no price for {row.name!r}")
    return known[max(fitting, key=len)]


def estimated() -> str:
    """Return when the prices were estimated."""
    return _told()[1]


def line(row: Row, build: str) -> Euro:
    """Return what *build* pays for *row*; nothing if it takes none."""
    quantity = row.quantities.get(build)
    if quantity is None:
        return Euro(0, 0)
    said = _AMOUNT.match(quantity)
    return each(row).times(float(said[0]) if said else 1)  # some: a tube or a bag


def total(rows: Iterable[Row], build: str) -> Euro:
    """Return what *build* pays for all of *rows*."""
    return sum((line(row, build) for row in rows), Euro(0, 0))


@cache
def _told() -> tuple[dict[str, Euro], str]:
    found = tomllib.loads(SOURCE.read_text("utf-8"))
    return {name: Euro(*pair) for name, pair in found["each"].items()}, found["estimated"]
