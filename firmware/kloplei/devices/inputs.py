"""The pads and buttons of a box: edges of pins become blows and presses, told to hearer and inbox.

Wiring: `KnockPad`, `SeatButton`; times are monotonic seconds. Callbacks of the pin library come on
its own threads and do nothing but pass on; what has to settle is judged later, on the schedule's.
An input that storms is let alone, tried again, and named meanwhile (`StormGuard`); one that does
not open is named as well, and the others work.
"""

import logging
import math
import threading
from collections.abc import Callable, Sequence
from functools import partial

from gpiozero import Button, Device, DigitalInputDevice, Factory

from kloplei.config.settings import Config
from kloplei.devices.pins import FaultRegistry, why_part_failed
from kloplei.devices.schedule import Schedule
from kloplei.frozen import dataclass
from kloplei.games.game import Seat
from kloplei.knock.edges import JUDGED_S, LASTING_S, Pulses
from kloplei.knock.health import EdgeRate, Fault
from kloplei.knock.judgement import Hearer
from kloplei.table.messages import ButtonPressed, ButtonReleased, Inbox, Trouble

logger = logging.getLogger(__name__)


class KnockPad(DigitalInputDevice):
    """One piezo disc behind a comparator with an open-collector output.

    Wiring: comparator OUT to *pin*, comparator GND to any GND. The Pi pulls the
    pin up, so a blow reads low. Pins: docs/config.md, Pins. ::

        pad = KnockPad(17)
        pad.when_knocked = lambda: print("tok")

    In `when_knocked`, ``pad.active_time`` is the age of the edge by the kernel's clock; in
    `when_rested`, which comes when the comparator lets go, ``pad.inactive_time`` is.

    Args:
        pin: BCM number, or any name gpiozero accepts.
        pin_factory: gpiozero's default if None.

    Raises:
        gpiozero.GPIOPinInUse: Another device holds *pin*; the message names it.
    """

    def __init__(self, pin: int | str, *, pin_factory: Factory | None = None) -> None:
        # No bounce_time: gpiozero loses pulses shorter than it, and a blow is a
        # few ms long (gpiozero #1039). What is echo is decided by `Pulses`.
        super().__init__(pin, pull_up=True, pin_factory=pin_factory)


KnockPad.when_knocked = KnockPad.when_activated
KnockPad.when_rested = KnockPad.when_deactivated


class SeatButton(Button):
    """A push button that closes *pin* to ground.

    Wiring: one leg to *pin*, the other to any GND; the Pi pulls the pin up.
    Pins: docs/config.md, Pins. ::

        button = SeatButton(4)
        button.when_pressed = lambda: print("down")

    Edges come raw: put them through a `Debouncer`. Holds are timed by the table, so
    ``when_held`` never fires.

    Args:
        pin: BCM number, or any name gpiozero accepts.
        pin_factory: gpiozero's default if None.

    Raises:
        gpiozero.GPIOPinInUse: Another device holds *pin*; the message names it.
    """

    def __init__(self, pin: int | str, *, pin_factory: Factory | None = None) -> None:
        # No bounce_time: what it does depends on the pin library. RPi.GPIO goes deaf after
        # an edge and so may miss the release, which leaves a hand "holding" for ever.
        super().__init__(pin, pull_up=True, pin_factory=pin_factory)
        # gpiozero's thread for when_held wakes ten times a second a button, all evening: end
        # it, and wake it to hear so, for it would take a tenth of a second a button else.
        self._hold_thread.stopping.set()
        self._hold_thread.holding.set()
        self._hold_thread.stop()


@dataclass(frozen=True, slots=True)
class Transition:
    """The contact has *closed* for good, or opened, and did so *at_s*."""

    closed: bool
    at_s: float


class Debouncer:
    """Pure judgement of one contact: a new level counts once it has stood for *settle_s*.

    Neither a bounce nor a spike on a long wire is a press, and no release is ever lost.
    The moment reported is that of the first edge, not that of the judgement.
    """

    def __init__(self, settle_s: float) -> None:
        self.settle_s = settle_s
        self._told = False  # the level that was last reported
        self._level = False
        self._left_at_s: float | None = None  # first edge away from the reported level
        self._quiet_from_s = 0.0

    def edge(self, closed: bool, at_s: float, now_s: float) -> float:
        """Take in an edge that was *at_s* and is told *now_s*; return when to ask `transition`.

        A busy Pi tells a whole bounce late and edge by edge, so the quiet after it counts
        from the telling: what is still on its way may contradict.
        """
        self._level = closed
        self._quiet_from_s = now_s
        if self._left_at_s is None and closed != self._told:
            self._left_at_s = at_s
        return now_s + self.settle_s

    def transition(self, now_s: float) -> Transition | None:
        """Return how the contact has turned, or None if it has not, or not settled yet."""
        if self._left_at_s is None or now_s < self._quiet_from_s + self.settle_s:
            return None
        at_s, self._left_at_s = self._left_at_s, None
        if self._level == self._told:
            return None  # a spike: back where it was
        self._told = self._level
        return Transition(self._told, at_s)


OLDEST_EDGE_S = 5.0  # an edge "older" than this was stamped by another clock


def edge_time_s(age_s: float | None, now_s: float) -> float:
    """Return when an edge was, given its age by the pin factory's own clock.

    Ticks only mean something to their factory (pigpio's wrap every 71 minutes), so the age is
    taken there and counted back from our clock.
    """
    if age_s is None or not 0 <= age_s <= OLDEST_EDGE_S:
        return now_s
    return now_s - age_s


LOOK_S = 1.0
FIRST_REST_S, LONGEST_REST_S = 1.0, 8.0  # how long an input that stormed is let alone
TRIAL_S = 0.5  # quiet for so long, it counts again
_TROUBLES = {Fault.STUCK: Trouble.STUCK, Fault.HUM: Trouble.HUM}
_SAYS = {
    Fault.STUCK: (
        "is held down without end. Is its puck plugged in? Else check its wire, and turn its "
        "comparator back"
    ),
    Fault.HUM: "hears the mains and little else. Plug it in again; is its shield on ground?",
}


class StormGuard:
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
        faults: Where troubles go.
        names_faults: Whether a level that stands still is a fault; a button may be held.
    """

    def __init__(
        self,
        part: str,
        pin: int,
        open_input: "Callable[[StormGuard], Device]",
        forget: Callable[[], None],
        schedule: Schedule,
        faults: FaultRegistry,
        *,
        names_faults: bool = False,
    ) -> None:
        self.part = part
        self._pin = pin
        self._open_input = open_input
        self._forget = forget
        self._schedule = schedule
        self._faults = faults
        self._names_faults = names_faults
        self._lock = threading.RLock()
        self._edge_rate = EdgeRate()
        self._device: Device | None = None
        self._counts = True  # its edges mean something
        self._looks = False  # somebody comes back to look
        self._rest_s = FIRST_REST_S
        self._fault: Fault | None = None
        self._closed = False
        self._open()

    def edge(self, at_s: float, *, active: bool) -> bool:
        """Take in an edge; return whether it means anything."""
        with self._lock:
            if self._device is None:
                return False  # on its way while the input was closed
            storms = self._edge_rate.edge(at_s, active=active)
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

    @property
    def is_at_rest(self) -> bool:
        """Whether it has not stirred since somebody looked last."""
        with self._lock:
            return self._counts and self._edge_rate.is_at_rest

    def close(self) -> None:
        """Let go of the pin; may be called twice."""
        with self._lock:
            self._closed = True
            self._close_device()

    def _open(self) -> None:
        try:
            self._device = self._open_input(self)
        except Exception as error:  # noqa: BLE001 - each pin library brings its own errors
            logger.warning("%s: %r", self.part, error)
            why = why_part_failed(error, self._pin)
            self._faults.tell(self.part, Trouble.PART, why)
            return
        if self._device.is_active:  # no edge tells of what was so before
            self._edge_rate.edge(self._schedule.now_s(), active=True)
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
        logger.warning("%s: a storm of edges; let alone for %g s", self.part, rest_s)
        self._forget()
        self._faults.tell(self.part, Trouble.STORM, _storm(self.part, self._pin))
        self._schedule.at(self._schedule.now_s() + rest_s, self._try_again)

    def _try_again(self) -> None:
        with self._lock:
            if self._closed:
                return
            self._edge_rate = EdgeRate()
            self._open()
            opened = self._device
        if opened is None:  # somebody else may have taken the pin meanwhile, and give it back
            self._schedule.at(self._schedule.now_s() + LONGEST_REST_S, self._try_again)
            return
        self._faults.heal(self.part, Trouble.PART)
        trial = partial(self._end_trial, opened)
        self._schedule.at(self._schedule.now_s() + TRIAL_S, trial)

    def _end_trial(self, tried: Device) -> None:
        with self._lock:
            if self._device is not tried:
                return  # it stormed again
            self._counts = True
            self._rest_s = FIRST_REST_S
        self._faults.heal(self.part, Trouble.STORM)

    def _look_later(self) -> None:
        """Look in a second, unless it is at rest, or somebody looks then anyway."""
        if self._names_faults and not (self._looks or self._closed or self._edge_rate.is_at_rest):
            self._looks = True
            self._schedule.at(self._schedule.now_s() + LOOK_S, self._look)

    def _look(self) -> None:
        with self._lock:
            before = self._fault
            self._fault = now = self._edge_rate.look(self._schedule.now_s())
            self._looks = False
            self._look_later()
        if now is not before and now is not None:
            self._faults.tell(self.part, _TROUBLES[now], f"{self.part} {_SAYS[now]}")
        if now is not before and before is not None:
            self._faults.heal(self.part, _TROUBLES[before])


def _storm(part: str, pin: int) -> str:
    return (
        f"{part} on GPIO {pin} tells thousands of edges a second and is let alone until it is "
        "quiet. Check its wire and plug, and turn its comparator back a little"
    )


class _Row:
    """Inputs of one kind, each guarded."""

    _inputs: Sequence[StormGuard]

    @property
    def held_down(self) -> tuple[str, ...]:
        """The names of those that are down now."""
        return tuple(guard.part for guard in self._inputs if guard.is_down)

    @property
    def is_calm(self) -> bool:
        """Whether none of them stirs: what is held down, hums or storms does."""
        return all(guard.is_at_rest for guard in self._inputs)

    def close(self) -> None:
        """Let go of every pin; may be called twice."""
        for guard in self._inputs:
            guard.close()


class PadRow(_Row):
    """Opens the pads of *config*, hands their edges to one `Pulses`, its findings to *hearer*.

    Args:
        config: Which pins, how long a blow rings, and how long it is on its way.
        hearer: Where blows and judgements go.
        pin_factory: The pins.
        schedule: The clock, and when to judge.
        faults: Where troubles go.
    """

    def __init__(
        self,
        config: Config,
        hearer: Hearer,
        pin_factory: Factory,
        schedule: Schedule,
        faults: FaultRegistry,
    ) -> None:
        self._hearer = hearer
        self._pin_factory = pin_factory
        self._schedule = schedule
        # Pin libraries differ in how many threads call back; the pulses know of none.
        self._lock = threading.Lock()
        seats = {pad.part: pad.seat for pad in config.pads}
        self._pulses = Pulses(
            seats,
            config.timing.deaf_s,
            config.timing.crosstalk_s,
            JUDGED_S if config.piezos else LASTING_S,
        )
        self._asked_s = math.inf  # when somebody comes back to judge
        self._inputs = [self._watch(pad.part, pad.pin, faults) for pad in config.pads]

    def _watch(self, part: str, pin: int, faults: FaultRegistry) -> StormGuard:
        opens = partial(self._open, part, pin)
        forgets = partial(self._forget, part)
        return StormGuard(part, pin, opens, forgets, self._schedule, faults, names_faults=True)

    def _open(self, part: str, pin: int, guard: StormGuard) -> KnockPad:
        pad = KnockPad(pin, pin_factory=self._pin_factory)
        pad.when_knocked = partial(self._knocked, part, guard)
        pad.when_rested = partial(self._rested, part, guard)
        return pad

    def _knocked(self, part: str, guard: StormGuard, pad: KnockPad) -> None:
        at_s = edge_time_s(pad.active_time, self._schedule.now_s())
        if guard.edge(at_s, active=True):
            self._edge(part, at_s, active=True)

    def _rested(self, part: str, guard: StormGuard, pad: KnockPad) -> None:
        at_s = edge_time_s(pad.inactive_time, self._schedule.now_s())
        if guard.edge(at_s, active=False):
            self._edge(part, at_s, active=False)

    def _edge(self, part: str, at_s: float, *, active: bool) -> None:
        with self._lock:
            struck = self._pulses.edge(part, at_s, self._schedule.now_s(), active=active)
            self._ask()
        if struck is not None:
            self._hearer.struck(struck)

    def _forget(self, part: str) -> None:
        with self._lock:
            self._pulses.forget(part)

    def _ask(self) -> None:
        """See to it that somebody judges when the next blow is due, if nobody comes by then."""
        due_s = self._pulses.due_s
        if due_s is not None and due_s < self._asked_s:
            self._asked_s = due_s
            self._schedule.at(due_s, self._judge)

    def _judge(self) -> None:
        with self._lock:
            self._asked_s = math.inf
            found = self._pulses.judge(self._schedule.now_s())
            self._ask()
        for judgement in found:
            self._hearer.judged(judgement)


class ButtonRow(_Row):
    """Opens the buttons of *config* and tells *inbox* how they turn.

    Args:
        config: Which pins, and how long a contact bounces.
        inbox: Where presses go, in monotonic seconds.
        pin_factory: The pins.
        schedule: The clock, and when to see whether a contact has settled.
        faults: Where troubles go.
    """

    def __init__(
        self,
        config: Config,
        inbox: Inbox,
        pin_factory: Factory,
        schedule: Schedule,
        faults: FaultRegistry,
    ) -> None:
        self._inbox = inbox
        self._pin_factory = pin_factory
        self._schedule = schedule
        # Pin libraries differ in how many threads call back; a debouncer knows of none.
        self._lock = threading.Lock()
        self._inputs = [
            self._watch(seat, pins.button, Debouncer(config.timing.settle_s), faults)
            for seat, pins in config.wired
            if pins.button is not None
        ]

    def _watch(
        self, seat: Seat, pin: int, debouncer: Debouncer, faults: FaultRegistry
    ) -> StormGuard:
        return StormGuard(
            f"button {seat.shown}",
            pin,
            partial(self._open, seat, pin, debouncer),
            partial(self._turned, seat, debouncer, False, None),
            self._schedule,
            faults,
        )

    def _open(self, seat: Seat, pin: int, debouncer: Debouncer, guard: StormGuard) -> SeatButton:
        button = SeatButton(pin, pin_factory=self._pin_factory)
        button.when_pressed = partial(self._touched, seat, debouncer, guard)
        button.when_released = partial(self._touched, seat, debouncer, guard)
        return button

    def _touched(
        self, seat: Seat, debouncer: Debouncer, guard: StormGuard, button: SeatButton
    ) -> None:
        closed = button.active_time is not None
        age_s = button.active_time if closed else button.inactive_time
        if guard.edge(edge_time_s(age_s, self._schedule.now_s()), active=closed):
            self._turned(seat, debouncer, closed, age_s)

    def _turned(self, seat: Seat, debouncer: Debouncer, closed: bool, age_s: float | None) -> None:
        """Take in that the contact closed or opened; one that storms counts as opened."""
        with self._lock:
            now_s = self._schedule.now_s()
            ask_at_s = debouncer.edge(closed, edge_time_s(age_s, now_s), now_s)
        self._schedule.at(ask_at_s, partial(self._settled, seat, debouncer))

    def _settled(self, seat: Seat, debouncer: Debouncer) -> None:
        with self._lock:
            transition = debouncer.transition(self._schedule.now_s())
        if transition is not None:
            kind = ButtonPressed if transition.closed else ButtonReleased
            self._inbox.put(kind(seat, transition.at_s))
