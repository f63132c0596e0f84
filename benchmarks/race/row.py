"""One row of the race: its sides, measured in turn, and how far ours is from the others."""

import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass

Measure = Callable[[], float]
_TIMES = ("ms", "us", "s")


class Missing(Exception):
    """A side that cannot be measured here, and why."""


@dataclass(frozen=True, slots=True)
class Side:
    """Who runs in a row; *open* sets up, gives what measures it once, and takes all down."""

    name: str
    open: Callable[[], AbstractContextManager[Measure]]


@dataclass(frozen=True, slots=True)
class Row:
    """What is measured in *unit*, ours first; *within* times the peer, *under* or *over* so many.

    *why* is the reason where that is missed. *counts* are the same each time; *tries* None is
    what the run says.
    """

    name: str
    what: str
    unit: str
    sides: tuple[Side, ...]
    within: float | None = None
    under: float | None = None
    over: float | None = None
    why: str = ""
    counts: bool = False
    tries: int | None = None

    @property
    def is_time(self) -> bool:
        """Whether it takes longer where Python is slower."""
        return self.unit in _TIMES and not self.counts


@dataclass(frozen=True, slots=True)
class Figures:
    """What one side took, try by try."""

    name: str
    tries: tuple[float, ...]

    @property
    def median(self) -> float:
        """The one in the middle."""
        return statistics.median(self.tries)

    @property
    def spread(self) -> tuple[float, float]:
        """The quarter below which, and above which, the others lie."""
        if len(self.tries) < 2:
            return self.median, self.median
        low, _, high = statistics.quantiles(self.tries, n=4, method="inclusive")
        return low, high


@dataclass(frozen=True, slots=True)
class Result:
    """How a row ended: *figures* of who was there, ours first, and why the *absent* were not."""

    row: Row
    figures: tuple[Figures, ...]
    absent: tuple[tuple[str, str], ...] = ()

    @property
    def ours(self) -> Figures | None:
        """Our own figures, unless we were absent ourselves."""
        named = self.row.sides[0].name
        return next((one for one in self.figures if one.name == named), None)

    @property
    def peers(self) -> tuple[Figures, ...]:
        """All others."""
        return tuple(one for one in self.figures if one is not self.ours)

    def ratio_to(self, peer: Figures) -> float | None:
        """How many times as much ours is."""
        return self.ours.median / peer.median if self.ours and peer.median else None

    @property
    def is_reached(self) -> bool | None:
        """Whether ours is where the row wants it; None where nobody can tell."""
        if self.ours is None:
            return None
        if self.row.under is not None:
            return self.ours.median < self.row.under
        if self.row.over is not None:
            return self.ours.median >= self.row.over
        ratio = self.ratio_to(self.peers[0]) if self.peers else None
        if self.row.within is None or ratio is None:
            return None
        return ratio <= self.row.within


def run(row: Row, tries: int) -> Result:
    """Measure each side of *row* in turn, so many times; who is missing is named."""
    absent: dict[str, str] = {}
    there: dict[str, Measure] = {}
    took: dict[str, list[float]] = {}
    with _named("what was measured", absent), ExitStack() as opened:
        for side in row.sides:
            with _named(side.name, absent):
                there[side.name] = opened.enter_context(side.open())
        for _ in range(1 if row.counts else row.tries or tries):
            for name in [one for one in there if one not in absent]:
                with _named(name, absent):
                    took.setdefault(name, []).append(there[name]())
    figures = tuple(Figures(name, tuple(took[name])) for name in there if name not in absent)
    return Result(row, figures, tuple(absent.items()))


@contextmanager
def _named(name: str, absent: dict[str, str]) -> Iterator[None]:
    try:
        yield
    except Missing as missing:
        absent[name] = str(missing)
    except Exception as error:  # noqa: BLE001 - one that breaks is told, and the others run on
        absent[name] = f"it broke: {error!r}"


def timed(name: str, do: Callable[[], object], times: int = 1, per: float = 1e3) -> Side:
    """Return the side that does it so many times; one of them counts, in 1 / *per* seconds."""

    @contextmanager
    def opened() -> Iterator[Measure]:
        yield stopwatch(do, times, per)

    return Side(name, opened)


def stopwatch(do: Callable[[], object], times: int = 1, per: float = 1e3) -> Measure:
    """Return what measures how long it takes to *do* it once."""

    def measure() -> float:
        begun_s = time.perf_counter()
        for _ in range(times):
            do()
        return per * (time.perf_counter() - begun_s) / times

    return measure


def given(name: str, value: Callable[[], float]) -> Side:
    """Return the side whose figure is what *value* returns."""

    @contextmanager
    def opened() -> Iterator[Measure]:
        yield value

    return Side(name, opened)


def chosen(rows: Sequence[Row], wanted: Sequence[str]) -> list[Row]:
    """Return those of *rows* whose names begin with one that is *wanted*, or all of them."""
    return [row for row in rows if not wanted or row.name.startswith(tuple(wanted))]
