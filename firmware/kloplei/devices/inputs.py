"""Tie the pads and buttons of the table to its inbox; callbacks do nothing but put a message."""

import logging
import threading
from collections.abc import Callable
from functools import partial

from gpiozero import Device, Factory

from kloplei.config import Config
from kloplei.devices.buttons import Contact, SeatButton
from kloplei.devices.failures import why_part_failed
from kloplei.devices.pads import KnockPad
from kloplei.devices.schedule import Schedule
from kloplei.knock.ear import Ear
from kloplei.rules.game import Seat
from kloplei.table.inbox import ButtonPressed, ButtonReleased, Inbox, PartFailed

_log = logging.getLogger(__name__)

OLDEST_EDGE_S = 5.0  # an edge "older" than this was stamped by another clock


class Inputs:
    """All pads and buttons of a box.

    A part that cannot be opened is reported by name as `PartFailed`; the others work.

    Args:
        config: Which pins, and how long is a moment.
        inbox: Where knocks and presses go, in monotonic seconds.
        pin_factory: The pins.
        schedule: The clock, and when to see whether a button has settled.
    """

    def __init__(
        self, config: Config, inbox: Inbox, pin_factory: Factory, schedule: Schedule
    ) -> None:
        self._inbox = inbox
        self._pin_factory = pin_factory
        self._schedule = schedule
        self._settle_s = config.timing.settle_s
        self._ear = Ear(config.timing.deaf_s, config.timing.crosstalk_s)
        # Pin libraries differ in how many threads call back; the ear knows of none.
        self._lock = threading.Lock()
        self._devices: list[Device] = []
        for seat, pins in config.wired:
            if pins.pad is not None:
                self._open(f"pad {seat.shown}", pins.pad, partial(self._open_pad, seat))
            if pins.button is not None:
                self._open(f"button {seat.shown}", pins.button, partial(self._open_button, seat))
        if config.pins.shared_pad is not None:
            self._open("shared pad", config.pins.shared_pad, partial(self._open_pad, None))

    def close(self) -> None:
        """Let go of every pin; may be called twice."""
        while self._devices:
            device = self._devices.pop()
            # gpiozero's close leaves the callback with lgpio, where it outlives the factory and
            # brings down the callback thread of the next one.
            device.pin.when_changed = None
            device.close()

    def _open(self, part: str, pin: int, open_on: Callable[[int], Device]) -> None:
        try:
            self._devices.append(open_on(pin))
        except Exception as error:  # noqa: BLE001 - each pin library brings its own errors
            _log.warning("%s: %r", part, error)
            self._inbox.put(PartFailed(part, why_part_failed(part, error, pin)))

    def _open_pad(self, seat: Seat | None, pin: int) -> Device:
        pad = KnockPad(pin, pin_factory=self._pin_factory)
        pad.when_knocked = partial(self._knocked, seat)
        return pad

    def _open_button(self, seat: Seat, pin: int) -> Device:
        button = SeatButton(pin, pin_factory=self._pin_factory)
        contact = Contact(self._settle_s)
        button.when_pressed = partial(self._touched, seat, contact)
        button.when_released = partial(self._touched, seat, contact)
        return button

    def _knocked(self, seat: Seat | None, pad: KnockPad) -> None:
        with self._lock:
            heard = self._ear.hear(seat, self._edge_at_s(pad.active_time))
        if heard is not None:
            self._inbox.put(heard)

    def _touched(self, seat: Seat, contact: Contact, button: SeatButton) -> None:
        closed = button.active_time is not None
        age_s = button.active_time if closed else button.inactive_time
        with self._lock:
            ask_at_s = contact.edge(closed, self._edge_at_s(age_s), self._schedule.now_s())
        self._schedule.at(ask_at_s, partial(self._settled, seat, contact))

    def _settled(self, seat: Seat, contact: Contact) -> None:
        with self._lock:
            turn = contact.turn(self._schedule.now_s())
        if turn is not None:
            kind = ButtonPressed if turn.closed else ButtonReleased
            self._inbox.put(kind(seat, turn.at_s))

    def _edge_at_s(self, age_s: float | None) -> float:
        """Return when an edge was, given its age by the pin factory's own clock.

        Ticks only mean something to their factory (pigpio's wrap every 71 minutes), so the
        age is taken there and counted back from our clock.
        """
        now_s = self._schedule.now_s()
        if age_s is None or not 0 <= age_s <= OLDEST_EDGE_S:
            return now_s
        return now_s - age_s
