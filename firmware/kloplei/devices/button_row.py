"""All buttons of a box: presses and releases into the inbox, once the contact has settled."""

import threading
from functools import partial

from gpiozero import Factory

from kloplei.config import Config
from kloplei.devices.buttons import Contact, SeatButton
from kloplei.devices.complaints import Complaints
from kloplei.devices.edges import edge_time_s
from kloplei.devices.guarded import GuardedInput
from kloplei.devices.schedule import Schedule
from kloplei.rules.game import Seat
from kloplei.table.inbox import ButtonPressed, ButtonReleased, Inbox


class ButtonRow:
    """Opens the buttons of *config* and tells *inbox* how they turn.

    Args:
        config: Which pins, and how long a contact bounces.
        inbox: Where presses go, in monotonic seconds.
        pin_factory: The pins.
        schedule: The clock, and when to see whether a contact has settled.
        complaints: Where troubles go.
    """

    def __init__(
        self,
        config: Config,
        inbox: Inbox,
        pin_factory: Factory,
        schedule: Schedule,
        complaints: Complaints,
    ) -> None:
        self._inbox = inbox
        self._pin_factory = pin_factory
        self._schedule = schedule
        # Pin libraries differ in how many threads call back; a contact knows of none.
        self._lock = threading.Lock()
        self._inputs = [
            self._guard(seat, pins.button, Contact(config.timing.settle_s), complaints)
            for seat, pins in config.wired
            if pins.button is not None
        ]

    @property
    def held_down(self) -> tuple[str, ...]:
        """The names of those that are down now."""
        return tuple(guarded.part for guarded in self._inputs if guarded.is_down)

    def close(self) -> None:
        """Let go of every pin; may be called twice."""
        for guarded in self._inputs:
            guarded.close()

    def _guard(
        self, seat: Seat, pin: int, contact: Contact, complaints: Complaints
    ) -> GuardedInput:
        return GuardedInput(
            f"button {seat.shown}",
            pin,
            partial(self._open, seat, pin, contact),
            partial(self._turned, seat, contact, False, None),
            self._schedule,
            complaints,
        )

    def _open(self, seat: Seat, pin: int, contact: Contact, guarded: GuardedInput) -> SeatButton:
        button = SeatButton(pin, pin_factory=self._pin_factory)
        button.when_pressed = partial(self._touched, seat, contact, guarded)
        button.when_released = partial(self._touched, seat, contact, guarded)
        return button

    def _touched(
        self, seat: Seat, contact: Contact, guarded: GuardedInput, button: SeatButton
    ) -> None:
        closed = button.active_time is not None
        age_s = button.active_time if closed else button.inactive_time
        if guarded.edge(edge_time_s(age_s, self._schedule.now_s()), active=closed):
            self._turned(seat, contact, closed, age_s)

    def _turned(self, seat: Seat, contact: Contact, closed: bool, age_s: float | None) -> None:
        """Take in that *contact* closed or opened; one that storms counts as opened."""
        with self._lock:
            now_s = self._schedule.now_s()
            ask_at_s = contact.edge(closed, edge_time_s(age_s, now_s), now_s)
        self._schedule.at(ask_at_s, partial(self._settled, seat, contact))

    def _settled(self, seat: Seat, contact: Contact) -> None:
        with self._lock:
            turn = contact.turn(self._schedule.now_s())
        if turn is not None:
            kind = ButtonPressed if turn.closed else ButtonReleased
            self._inbox.put(kind(seat, turn.at_s))
