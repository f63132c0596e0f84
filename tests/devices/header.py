"""A header to test on, twice: gpiozero's mock pins, and its RPi.GPIO pins over fake-rpi."""

import contextlib
import io
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any, Protocol

import pytest
from gpiozero import Factory

from kloplei.devices.schedule import Schedule
from kloplei.devices.virtual import PI_3B, VirtualPins


class Header(Protocol):
    """Pins to open devices on, and a hand that pulls them."""

    factory: Factory

    def drive(self, pin: int, *, low: bool) -> None: ...


class MockHeader:
    def __init__(self, schedule: Schedule) -> None:
        self.factory = VirtualPins(schedule)

    def drive(self, pin: int, *, low: bool) -> None:
        wire = self.factory.pin(pin)
        wire.drive_low() if low else wire.drive_high()


class FakeRpiHeader:
    def __init__(self, gpio: Any, factory: Factory) -> None:
        self._gpio = gpio
        self.factory = factory

    def drive(self, pin: int, *, low: bool) -> None:
        self._gpio.drive(pin, 0 if low else 1)


def completed(fake: type) -> Any:
    """Return fake-rpi's GPIO with what its 0.7.1 leaves out: inputs, pulls and edges."""

    class Gpio(fake):
        def __init__(self) -> None:
            super().__init__()
            self.functions: dict[int, int] = {}
            self.levels: dict[int, int] = {}
            self.watched: dict[int, tuple[int, Callable[[int], None]]] = {}

        def getmode(self) -> int:
            return int(self.BCM)

        # RPi.GPIO's own order of arguments; fake-rpi has pull and initial the other way round.
        def setup(
            self, channel: int, direction: int, pull_up_down: int = 20, initial: int = -1
        ) -> None:
            self.functions[channel] = direction
            if direction == self.IN:
                self.levels[channel] = int(pull_up_down == self.PUD_UP)
            elif initial in (0, 1):
                self.levels[channel] = initial

        def gpio_function(self, channel: int) -> int:
            return self.functions[channel]

        def input(self, channel: int) -> int:
            return self.levels.get(channel, 0)

        def output(self, channel: int, level: int) -> None:
            self.levels[channel] = int(level)

        def add_event_detect(
            self, channel: int, edge: int, callback: Callable[[int], None], bouncetime: int
        ) -> None:
            assert bouncetime == -666, "no part of the table lets RPi.GPIO swallow edges"
            self.watched[channel] = (edge, callback)

        def remove_event_detect(self, channel: int) -> None:
            self.watched.pop(channel, None)

        def cleanup(self, channel: int | None = None) -> None:
            for one in list(self.functions) if channel is None else [channel]:
                self.watched.pop(one, None)
                self.functions.pop(one, None)

        def drive(self, channel: int, level: int) -> None:
            """Pull the wire from outside: the callback comes as on a Pi, on both edges."""
            if self.levels.get(channel) == level:
                return
            self.levels[channel] = level
            edge, callback = self.watched.get(channel, (None, None))
            if callback and edge in (self.BOTH, self.RISING if level else self.FALLING):
                callback(channel)

    return Gpio()


@contextlib.contextmanager
def fake_rpi_header(monkeypatch: pytest.MonkeyPatch, schedule: Schedule) -> Iterator[FakeRpiHeader]:
    """Give a header whose RPi.GPIO is fake-rpi, and leave no trace of it."""
    module = "gpiozero.pins.rpigpio"
    with contextlib.redirect_stdout(io.StringIO()):  # it greets everybody
        from fake_rpi import RPi
        from fake_rpi.wrappers import toggle_print

        toggle_print(False)
        gpio = completed(RPi._GPIO)
    package = types.ModuleType("RPi")
    package.GPIO = gpio  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "RPi", package)
    monkeypatch.setitem(sys.modules, "RPi.GPIO", gpio)
    monkeypatch.delitem(sys.modules, module, raising=False)
    from gpiozero.pins.rpigpio import RPiGPIOFactory

    class PiFactory(RPiGPIOFactory):
        def __init__(self) -> None:
            super().__init__()
            self.ticks = schedule.now_s

        def _get_revision(self) -> int:
            return int(PI_3B, 16)

    factory = PiFactory()
    try:
        yield FakeRpiHeader(gpio, factory)
    finally:
        factory.close()
        factory.pins.clear()  # of the class: every local factory shares them
        factory._reservations.clear()
        sys.modules.pop(module, None)
        toggle_print(True)
