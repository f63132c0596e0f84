"""A whole box without wood and wire: pads, buttons, lamp and buzzer on gpiozero's mock pins.

People use it (the demo), and so do tests: what moves is a virtual pin, the rest is real.
"""

import threading
from collections.abc import Iterable
from contextlib import ExitStack, closing
from functools import partial

from gpiozero.pins.mock import MockFactory, MockPin, MockPWMPin

from kloplei.config import Config
from kloplei.devices.adc import CHIPS
from kloplei.devices.schedule import Schedule, ThreadSchedule
from kloplei.devices.virtual_oled import VirtualOled
from kloplei.devices.virtual_piezos import VirtualPiezos
from kloplei.files import KlopleiError
from kloplei.knock.comparator import Edge
from kloplei.rules.game import Seat

PULSE_S = 0.004  # what a comparator makes of one blow
PI_3B = "a02082"  # 40 pins, no surprises


class NotFitted(KlopleiError, LookupError):
    """The virtual box has no such part."""


class VirtualPin(MockPWMPin):
    """gpiozero's mock pin on the schedule's clock, and without its endless memory."""

    def _call_when_changed(self) -> None:
        # MockPin stamps edges by the real clock, where a test moves its own.
        super(MockPin, self)._call_when_changed(self.factory.ticks(), self._state)

    def _change_state(self, value: float) -> bool:
        changed: bool = super()._change_state(value)
        del self.states[:-1]
        return changed


class VirtualPins(MockFactory):
    """gpiozero's mock factory on the schedule's clock.

    *piezos* are what hangs on its SPI bus: a `BlockSource` in place of converter and discs.
    """

    def __init__(self, schedule: Schedule, piezos: VirtualPiezos | None = None) -> None:
        super().__init__(revision=PI_3B, pin_class=VirtualPin)
        self.ticks = schedule.now_s
        self.piezos = piezos


def virtual_piezos(config: Config, schedule: Schedule) -> VirtualPiezos | None:
    """Return the discs that *config* wires to its converter, or None if it wires none."""
    if not config.piezos:
        return None
    bits = CHIPS[config.adc.chip].bits
    return VirtualPiezos(schedule, len(config.piezos), config.adc.rate_hz, bits)


class VirtualBox:
    """The box of *config*, on virtual pins.

    ``pin_factory`` and ``schedule`` go to `kloplei.devices.box.Box`, ``oled.open`` to the
    slate. Every method returns at once and may be called from any thread. `piezos` are the
    discs on the virtual converter, one for each of ``config.piezos`` and in that order; None
    without ``[adc]``.

    Args:
        config: Which parts sit on which pins.
        schedule: Keeps the gaps between knocks; None for one on the real clock.
    """

    def __init__(self, config: Config, schedule: Schedule | None = None) -> None:
        self._opened = ExitStack()
        if schedule is None:
            schedule = self._opened.enter_context(closing(ThreadSchedule("virtual box")))
        self.schedule: Schedule = schedule
        self.config = config
        self.piezos = virtual_piezos(config, self.schedule)
        self.pin_factory = VirtualPins(self.schedule, self.piezos)
        self.oled = VirtualOled()
        self._wired = dict(config.wired)
        self._hands = threading.RLock()  # two people may poke at one pin
        self._busy_until_s: dict[int, float] = {}

    def knock(self, seat: Seat, times: int = 1, gap_s: float = 0.22) -> None:
        """Knock on the pad of *seat* so many times, *gap_s* seconds apart.

        Knocks that are still under way at this pad are let finish first.

        Raises:
            NotFitted: No pad can hear *seat*.
        """
        pin = self._pad_of(seat)
        with self._hands:
            start_s = max(self.schedule.now_s(), self._busy_until_s.get(pin, 0.0))
            self._busy_until_s[pin] = start_s + max(times, 1) * gap_s
        for blow in range(times):
            self._pulse(pin, start_s + blow * gap_s, PULSE_S)

    def play(self, seat: Seat, edges: Iterable[Edge]) -> None:
        """Move the pad of *seat* as the comparator's *edges* say, from now on.

        Raises:
            NotFitted: No pad can hear *seat*.
        """
        pin, start_s = self._pad_of(seat), self.schedule.now_s()
        for edge in edges:
            self.schedule.at(start_s + edge.at_s, partial(self._drive, pin, low=edge.active))

    def press(self, seat: Seat) -> None:
        """Push the button of *seat* down.

        Raises:
            NotFitted: *seat* has no button.
        """
        self._drive(self._button_of(seat), low=True)

    def release(self, seat: Seat) -> None:
        """Let the button of *seat* come up.

        Raises:
            NotFitted: *seat* has no button.
        """
        self._drive(self._button_of(seat), low=False)

    def hold(self, seat: Seat, for_s: float) -> None:
        """Push the button of *seat* down and let it come up *for_s* seconds later.

        Raises:
            NotFitted: *seat* has no button.
        """
        self._pulse(self._button_of(seat), self.schedule.now_s(), for_s)

    @property
    def lamp_rgb(self) -> tuple[int, int, int]:
        """What colour the lamp burns, 0 to 255 each; black if none is fitted."""
        lamp = self.config.lamp
        if not lamp.enabled:
            return (0, 0, 0)
        red, green, blue = (self._level(pin) for pin in (lamp.red, lamp.green, lamp.blue))
        if lamp.common == "anode":
            red, green, blue = 1 - red, 1 - green, 1 - blue
        return (round(255 * red), round(255 * green), round(255 * blue))

    @property
    def buzzer_hz(self) -> float | None:
        """What the buzzer plays, None while it is silent or not fitted."""
        if not self.config.buzzer.enabled or not self._level(self.config.buzzer.pin):
            return None
        frequency: float | None = self.pin_factory.pin(self.config.buzzer.pin).frequency
        return frequency

    def close(self) -> None:
        """Stop what is under way."""
        self._opened.close()

    def _pad_of(self, seat: Seat) -> int:
        own = [pad.pin for pad in self.config.pads if pad.seat == seat]
        shared = [pad.pin for pad in self.config.pads if pad.seat is None]
        if seat not in self._wired or not own + shared:
            raise NotFitted(f"seat {seat.shown} has no pad in this box; see [seat.{seat.shown}]")
        return (own + shared)[0]

    def _button_of(self, seat: Seat) -> int:
        wired = self._wired.get(seat)
        if wired is None or wired.button is None:
            raise NotFitted(f"seat {seat.shown} has no button in this box; see [seat.{seat.shown}]")
        return wired.button

    def _pulse(self, pin: int, at_s: float, width_s: float) -> None:
        self.schedule.at(at_s, partial(self._drive, pin, low=True))
        self.schedule.at(at_s + width_s, partial(self._drive, pin, low=False))

    def _drive(self, pin: int, *, low: bool) -> None:
        with self._hands:
            wire = self.pin_factory.pin(pin)
            wire.drive_low() if low else wire.drive_high()

    def _level(self, pin: int) -> float:
        return float(self.pin_factory.pin(pin).state)
