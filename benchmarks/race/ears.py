"""What the judge takes for a second of sound, beside aubio on the same samples."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from random import Random

from benchmarks.cost import TABLES, BusyTable, cost_at, cost_of, cost_of_the_box, heard, steps_of
from benchmarks.methods import Aubio, Kloplei, Method
from benchmarks.race.row import Measure, Missing, Row, Side, given
from tests.recordings.sounds import knock, sound

_RATE_HZ, _SECONDS = 8000, 4.0
_KNOCKS = 19
_CHANNELS, _BOX_HZ = 4, 4000
Samples = Callable[[], Sequence[float]]


@cache
def silence() -> Sequence[float]:
    """Return some seconds in which nothing but the converter is heard."""
    luck = Random(2)  # noqa: S311 - the same each time
    return [one + luck.gauss(0.0, 0.0005) for one in sound(_SECONDS)]


@cache
def busy() -> Sequence[float]:
    """Return as many seconds with a knock five times a second."""
    return sound(_SECONDS, [knock(0.1 + 0.2 * at) for at in range(_KNOCKS)])


def _method(kind: Callable[[], Method], name: str, samples: Samples, rate_hz: int) -> Side:
    @contextmanager
    def opened() -> Iterator[Measure]:
        try:
            method = kind()
        except ImportError as error:
            raise Missing(f"{error}; pip install '.[race]'") from error
        yield lambda: cost_of(method, samples(), rate_hz).microseconds / 1e3

    return Side(name, opened)


@contextmanager
def _box() -> Iterator[Measure]:
    yield lambda: _CHANNELS * cost_of_the_box(busy(), _RATE_HZ).microseconds / 1e3


@contextmanager
def _blow() -> Iterator[Measure]:
    """Measure what the box takes for each knock, beyond what it takes for the time it lasts."""

    def measure() -> float:
        more_s = cost_of_the_box(busy(), _RATE_HZ).spent_s
        more_s -= cost_of_the_box(silence(), _RATE_HZ).spent_s
        return 1e3 * more_s / _KNOCKS

    yield measure


@contextmanager
def _aubio_on_four() -> Iterator[Measure]:
    try:
        method = Aubio()
    except ImportError as error:
        raise Missing(f"{error}; pip install '.[race]'") from error
    yield lambda: _CHANNELS * cost_of(method, busy()[::2], _BOX_HZ).microseconds / 1e3


def _row(name: str, of: str, samples: Samples) -> Row:
    sides = (
        _method(Kloplei, "Kloplei", samples, _RATE_HZ),
        _method(Aubio, "aubio", samples, _RATE_HZ),
    )
    return Row(f"judge-{name}", f"judge, one channel at 8 kHz, a second of {of}", "ms", sides)


def _aubio_at(table: BusyTable, rate_hz: int) -> Side:
    @contextmanager
    def opened() -> Iterator[Measure]:
        try:
            method = Aubio()
        except ImportError as error:
            raise Missing(f"{error}; pip install '.[race]'") from error
        yield lambda: _CHANNELS * cost_of(method, table.heard(rate_hz), rate_hz).microseconds / 1e3

    return Side("aubio, one by one", opened)


def _table_row(table: BusyTable, rate_hz: int) -> Row:
    """Ours is to be under one hundredth of a core at 4 kHz; a second has a thousand ms."""

    def spent_ms() -> float:
        cost, _ = cost_at(table, rate_hz)
        return _CHANNELS * cost.microseconds / 1e3

    return Row(
        f"judge-table-{table.name.split(',')[0].split()[0]}-{rate_hz // 1000}k",
        f"judge, four discs at {rate_hz // 1000} kHz, a second of: {table.name}",
        "ms",
        (given("Kloplei", spent_ms), _aubio_at(table, rate_hz)),
        under=10.0 * rate_hz / _BOX_HZ,
        why="of blows within 0.15 s of a knock it is asked whether they are another hand's",
    )


def _steps_row(table: BusyTable, most: int) -> Row:
    def steps() -> float:
        blocks = table.blocks(_BOX_HZ, 1.0)
        heard(blocks)  # what is worked out once is no part of it
        return float(steps_of(lambda: heard(blocks)))

    return Row(
        f"judge-steps-{table.name.split(',')[0].split()[0]}",
        f"steps of Python in a second of four discs at 4 kHz: {table.name}",
        "steps",
        (given("Kloplei", steps),),
        under=most,
        counts=True,
    )


_MOST_STEPS = (72_000, 830_000, 1_100_000, 1_235_000)  # a quarter more than are run

ROWS = (
    *(_table_row(one, rate_hz) for one in TABLES for rate_hz in (4000, 8000)),
    *(_steps_row(one, most) for one, most in zip(TABLES, _MOST_STEPS, strict=True)),
    _row("silence", "silence", silence),
    _row("busy", "five knocks", busy),
    Row(
        "judge-box",
        "judge, four channels at 4 kHz, a second of five knocks",
        "ms",
        (Side("Kloplei", _box), Side("aubio, one by one", _aubio_on_four)),
        within=2.0,
        why="aubio is C, and finds onsets; here each blow is judged and placed, in Python",
    ),
    Row(
        "judge-blow",
        "a blow judged, four channels at 4 kHz",
        "ms",
        (Side("Kloplei", _blow),),
        under=1.2,
    ),
)
