"""Bytes that a change on the slate takes on its bus, beside the least that would do.

Bytes are counted: the same frames at the same moments each time. The wire is one that takes
large blocks, as smbus2 has it on a Pi; addresses and control bytes count.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import pairwise
from typing import Any

from PIL import Image

from benchmarks.race.row import Measure, Row, Side, given
from benchmarks.race.wires.smbus2 import SMBus, i2c_msg
from kloplei.config.settings import SlateConfig
from kloplei.games.game import Seat
from kloplei.games.scoreboard import Scoreboard
from kloplei.knock import KnockHeard
from kloplei.slate.painter import Presenter
from kloplei.slate.picture import DisplaySettings
from kloplei.table.core import Table
from kloplei.table.seating import TableSetup
from kloplei.words import Words
from tests.table.memory_journal import MemoryJournal

_STEP_S = 0.01
_QUIET_S = 60.0  # before it begins: nothing moves any more
_WINDOW_BYTES = 10  # six of a command, two addresses, two control bytes
_PAGE = 8
_WIRE_HZ, _BITS_A_BYTE = 400_000, 9
Doings = Callable[[Table, float], None]


@dataclass(frozen=True, slots=True)
class Film:
    """The pictures that follow each other while something happens, the first one standing."""

    frames: tuple[Image.Image, ...]

    @property
    def sent(self) -> int:
        """How many of them have to be sent."""
        return len(self.frames) - 1


@cache
def toep() -> Film:
    """Return what a toep shows for ten seconds, while nobody answers."""
    return _film(lambda table, now_s: _knock(table, 1, 1, now_s), 10.0)


@cache
def trick() -> Film:
    """Return what the winner of the last trick shows, with the seconds to call it off."""
    return _film(lambda table, now_s: _knock(table, 1, 2, now_s), 4.0)


@cache
def question_mark() -> Film:
    """Return one blink of the mark at a seat that has to answer."""
    asked = _film(lambda table, now_s: _knock(table, 1, 1, now_s), 20.0).frames
    return Film(min(pairwise(asked), key=lambda two: least_bytes(Film(two))))


@cache
def big_moments() -> tuple[Film, ...]:
    """Return what three big moments change: a toep from a phone, a trick that waits, its end."""
    return tuple(
        _film(partial(_press, action, waits=waits), 0.1)
        for action, waits in (("knock", False), ("trick", True), ("trick", False))
    )


def _press(action: str, table: Table, now_s: float, *, waits: bool) -> None:
    table.submit(Seat(1), action, now_s=now_s, waits=waits)


def _ahead(film: Film) -> Film:
    return Film(film.frames[:2])


def _at_once(film: Film) -> Film:
    return Film((film.frames[0], film.frames[-1]))


def bytes_sent(film: Film, driver: str = "ssd1306") -> int:
    """Return what our driver sends for *film* after its first picture."""
    with _glass(driver) as (device, bus):
        device.display(film.frames[0])
        before = bus.bytes
        for frame in film.frames[1:]:
            device.display(frame)
        return bus.bytes - before


@contextmanager
def _glass(driver: str = "ssd1306") -> Iterator[tuple[Any, SMBus]]:
    """Give a glass of ours, and the bus that counts what it sends."""
    from luma.core.interface.serial import i2c

    from kloplei.devices.oled_drivers import DRIVERS

    bus = SMBus()
    wire = i2c(bus=bus)
    # As with smbus2 of its own: blocks of any length.
    wire._managed, wire._i2c_msg_write = True, i2c_msg.write  # noqa: SLF001
    device = DRIVERS[driver](SlateConfig(driver=driver), wire)
    yield device, bus
    device.persist = True
    device.cleanup()


@contextmanager
def _pressed() -> Iterator[Measure]:
    """Measure from a toep that is decided to the last byte of what it changes on the glass."""
    with _glass() as (device, bus):

        def measure() -> float:
            table, presenter = _quiet_table()
            device.display(_drawn(presenter, _QUIET_S))
            _knock(table, 1, 1, _QUIET_S)
            board, before, begun_s = table.scoreboard(), bus.bytes, time.perf_counter()
            presenter.saw(board, _QUIET_S)
            device.display(_drawn(presenter, _QUIET_S))
            return 1e3 * (time.perf_counter() - begun_s) + wire_ms(bus.bytes - before)

        yield measure


def least_bytes(film: Film) -> int:
    """Return what changed rectangles alone would take, one for all or one for each page."""
    return sum(_least(one, two) for one, two in pairwise(film.frames))


def wire_ms(count: int) -> float:
    """Return how long so many bytes are on a wire of 400 kHz."""
    return 1e3 * count * _BITS_A_BYTE / _WIRE_HZ


def _least(one: Image.Image, two: Image.Image) -> int:
    spans = [
        (first, last)
        for top in range(0, one.height, _PAGE)
        if (box := _changed(one, two, top)) is not None
        for first, last in [(box[0], box[2])]
    ]
    pages = [top for top in range(0, one.height, _PAGE) if _changed(one, two, top) is not None]
    if not pages:
        return 0
    each = sum(_WINDOW_BYTES + last - first for first, last in spans)
    width = max(last for _, last in spans) - min(first for first, _ in spans)
    height = (pages[-1] - pages[0]) // _PAGE + 1
    return min(each, _WINDOW_BYTES + width * height)


def _changed(one: Image.Image, two: Image.Image, top: int) -> tuple[int, int, int, int] | None:
    from PIL import ImageChops

    page = (0, top, one.width, top + _PAGE)
    return ImageChops.logical_xor(one.crop(page), two.crop(page)).getbbox()


def _film(happens: Doings, lasting_s: float) -> Film:
    table, presenter = _quiet_table()
    frames = [_drawn(presenter, _QUIET_S)]
    happens(table, _QUIET_S)
    for image in _watch(table, presenter, lasting_s):
        if image.tobytes() != frames[-1].tobytes():
            frames.append(image)
    return Film(tuple(frames))


def _quiet_table() -> tuple[Table, Presenter]:
    """Return four who play a hand, and who draws what nobody has changed for long."""
    table = Table(MemoryJournal(), TableSetup())
    for seat in range(4):
        table.submit(Seat(seat), "sit_down", now_s=0.0, facts={"name": f"Speler {seat + 1}"})
    for action in ("start", "deal"):
        table.submit(Seat(0), action, now_s=0.0)
    table.submit(None, "ready", now_s=0.0)
    presenter = Presenter(Words("nl"), DisplaySettings(), 0.0)
    presenter.saw(table.scoreboard(), 0.0)
    return table, presenter


def _watch(table: Table, presenter: Presenter, lasting_s: float) -> Iterator[Image.Image]:
    """Yield each picture that the painter would draw, as it sleeps and wakes."""
    board: Scoreboard | None = None
    until_s = now_s = _QUIET_S
    while now_s < _QUIET_S + lasting_s:
        table.tick(now_s)
        if (now := table.scoreboard()) != board:
            board = now
            presenter.saw(replace(now), now_s)
            until_s = now_s
        if now_s >= until_s:
            yield _drawn(presenter, now_s)
            until_s = presenter.frame_at(now_s).until_s or float("inf")
        now_s += _STEP_S


def _drawn(presenter: Presenter, now_s: float) -> Image.Image:
    image = presenter.frame_at(now_s).image
    assert image is not None, "the glass sleeps"  # noqa: S101 - a mistake of this file
    return image


def _knock(table: Table, seat: int, times: int, now_s: float) -> None:
    for at in range(times):
        table.handle(KnockHeard(Seat(seat), 0.5, now_s + 0.2 * at), now_s + 0.2 * at)


def _row(name: str, what: str, film: Callable[[], Film], under: float) -> Row:
    return Row(
        name,
        what,
        "bytes",
        (
            given("Kloplei", lambda: bytes_sent(film())),
            given("changed rectangles alone", lambda: least_bytes(film())),
        ),
        under=under,
        counts=True,
    )


ROWS = (
    _row("glass-toep", "bytes to the OLED for a toep and its ten seconds", toep, 3500),
    _row("glass-trick", "the same for a trick with its grace bar", trick, 3500),
    _row("glass-mark", "one blinking question mark", question_mark, 100),
    Row(
        "glass-press",
        "the change that a toep begins with, on a wire of 400 kHz",
        "ms",
        (
            given("Kloplei", lambda: wire_ms(bytes_sent(Film(toep().frames[:2])))),
            given("changed rectangles", lambda: wire_ms(least_bytes(Film(toep().frames[:2])))),
        ),
        under=8.0,
        counts=True,
    ),
    Row(
        "glass-ahead",
        "what says a big moment, the slowest of a toep, a trick that waits and a hand's end",
        "ms",
        (
            given("Kloplei", lambda: wire_ms(max(map(bytes_sent, map(_ahead, big_moments()))))),
            given("all of it", lambda: wire_ms(max(map(bytes_sent, map(_at_once, big_moments()))))),
        ),
        under=8.0,
        counts=True,
    ),
    Row(
        "glass-drawn",
        "press decided to last byte: drawn as well, and on that wire",
        "ms",
        (
            Side("Kloplei", _pressed),
            given("changed rectangles", lambda: wire_ms(least_bytes(Film(toep().frames[:2])))),
        ),
        under=8.0,
    ),
)
