"""An input on a pin that may storm: it is let alone then, tried again, and named meanwhile."""

import logging
import threading
from collections.abc import Callable
from functools import partial

from gpiozero import Device

from kloplei.devices.complaints import Complaints
from kloplei.devices.failures import why_part_failed
from kloplei.devices.schedule import Schedule
from kloplei.knock.rattle import Rattle
from kloplei.knock.soundness import Ailment
from kloplei.table.inbox import Trouble

_log = logging.getLogger(__name__)

LOOK_S = 1.0
FIRST_REST_S, LONGEST_REST_S = 1.0, 8.0  # how long an input that stormed is let alone
TRIAL_S = 0.5  # quiet for so long, it counts again

_TROUBLES = {Ailment.STUCK: Trouble.STUCK, Ailment.HUM: Trouble.HUM}
_SAYS = {
    Ailment.STUCK: (
        "is held down without end. Is its puck plugged in? Else check its wire, and turn its "
        "comparator back"
    ),
    Ailment.HUM: "hears the mains and little else. Plug it in again; is its shield on ground?",
}


class GuardedInput:
    """One input of the header and the watch that is kept over it.

    Its edges go through `edge` first. An input whose edges come in thousands is closed, so
    that nothing is called any more, and opened again after a rest that grows each time; it
    counts once it has been quiet for a moment.

    Args:
        part: Its name, such as ``pad 3``.
        pin: BCM number.
        open_input: Opens the device and sees to it that its edges are told to the one given.
        forget: Called when what it told so far is not to be believed.
        schedule: The clock.
        complaints: Where troubles go.
        names_ailments: Whether a level that stands still is a fault; a button may be held.
    """

    def __init__(
        self,
        part: str,
        pin: int,
        open_input: "Callable[[GuardedInput], Device]",
        forget: Callable[[], None],
        schedule: Schedule,
        complaints: Complaints,
        *,
        names_ailments: bool = False,
    ) -> None:
        self.part = part
        self._pin = pin
        self._open_input = open_input
        self._forget = forget
        self._schedule = schedule
        self._complaints = complaints
        self._names_ailments = names_ailments
        self._lock = threading.RLock()
        self._rattle = Rattle()
        self._device: Device | None = None
        self._counts = True  # its edges mean something
        self._looks = False  # somebody comes back to look
        self._rest_s = FIRST_REST_S
        self._ailment: Ailment | None = None
        self._closed = False
        self._open()

    def edge(self, at_s: float, *, active: bool) -> bool:
        """Take in an edge; return whether it means anything."""
        with self._lock:
            if self._device is None:
                return False  # on its way while the input was closed
            storms = self._rattle.edge(at_s, active=active)
            counts = self._counts and not storms
            if storms:
                self._counts = False
                # Not from here: this may be the pin library's own thread.
                self._schedule.at(self._schedule.now_s(), self._let_alone)
            self._look_later()
        return counts

    @property
    def is_down(self) -> bool:
        """Whether it is pressed, or struck, or held down, now."""
        with self._lock:
            return self._device is not None and bool(self._device.is_active)

    def close(self) -> None:
        """Let go of the pin; may be called twice."""
        with self._lock:
            self._closed = True
            self._close_device()

    def _open(self) -> None:
        try:
            self._device = self._open_input(self)
        except Exception as error:  # noqa: BLE001 - each pin library brings its own errors
            _log.warning("%s: %r", self.part, error)
            why = why_part_failed(self.part, error, self._pin)
            self._complaints.tell(self.part, Trouble.PART, why)
            return
        if self._device.is_active:  # no edge tells of what was so before
            self._rattle.edge(self._schedule.now_s(), active=True)
            self._look_later()

    def _close_device(self) -> None:
        device, self._device = self._device, None
        if device is not None:
            # gpiozero's close leaves the callback with lgpio, where it outlives the factory and
            # brings down the callback thread of the next one.
            device.pin.when_changed = None
            device.close()

    def _let_alone(self) -> None:
        with self._lock:
            if self._closed or self._device is None:
                return
            self._close_device()
            rest_s, self._rest_s = self._rest_s, min(2 * self._rest_s, LONGEST_REST_S)
        _log.warning("%s: a storm of edges; let alone for %g s", self.part, rest_s)
        self._forget()
        self._complaints.tell(self.part, Trouble.STORM, _storm(self.part, self._pin))
        self._schedule.at(self._schedule.now_s() + rest_s, self._try_again)

    def _try_again(self) -> None:
        with self._lock:
            if self._closed:
                return
            self._rattle = Rattle()
            self._open()
            opened = self._device
        if opened is not None:
            trial = partial(self._end_trial, opened)
            self._schedule.at(self._schedule.now_s() + TRIAL_S, trial)

    def _end_trial(self, tried: Device) -> None:
        with self._lock:
            if self._device is not tried:
                return  # it stormed again
            self._counts = True
            self._rest_s = FIRST_REST_S
        self._complaints.heal(self.part, Trouble.STORM)

    def _look_later(self) -> None:
        """Look in a second, unless it is at rest, or somebody looks then anyway."""
        if self._names_ailments and not (self._looks or self._closed or self._rattle.is_at_rest):
            self._looks = True
            self._schedule.at(self._schedule.now_s() + LOOK_S, self._look)

    def _look(self) -> None:
        with self._lock:
            before = self._ailment
            self._ailment = now = self._rattle.look(self._schedule.now_s())
            self._looks = False
            self._look_later()
        if now is not before and now is not None:
            self._complaints.tell(self.part, _TROUBLES[now], f"{self.part} {_SAYS[now]}")
        if now is not before and before is not None:
            self._complaints.heal(self.part, _TROUBLES[before])


def _storm(part: str, pin: int) -> str:
    return (
        f"{part} on GPIO {pin} tells thousands of edges a second and is let alone until it is "
        "quiet. Check its wire and plug, and turn its comparator back a little"
    )
