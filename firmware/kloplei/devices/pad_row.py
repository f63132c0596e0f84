"""All knock pads of a box: their edges become blows, and each blow is judged when it ends."""

import math
import threading
from functools import partial

from gpiozero import Factory

from kloplei.config import Config
from kloplei.devices.complaints import Complaints
from kloplei.devices.edges import edge_time_s
from kloplei.devices.guarded import GuardedInput
from kloplei.devices.pads import KnockPad
from kloplei.devices.schedule import Schedule
from kloplei.knock.pulses import JUDGED_S, LASTING_S, Pulses
from kloplei.knock.verdict import Hearer


class PadRow:
    """Opens the pads of *config*, hands their edges to one `Pulses`, its findings to *hearer*.

    Args:
        config: Which pins, how long a blow rings, and how long it is on its way.
        hearer: Where blows and judgements go.
        pin_factory: The pins.
        schedule: The clock, and when to judge.
        complaints: Where troubles go.
    """

    def __init__(
        self,
        config: Config,
        hearer: Hearer,
        pin_factory: Factory,
        schedule: Schedule,
        complaints: Complaints,
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
        self._inputs = [self._guard(pad.part, pad.pin, complaints) for pad in config.pads]

    @property
    def held_down(self) -> tuple[str, ...]:
        """The names of those that are down now."""
        return tuple(guarded.part for guarded in self._inputs if guarded.is_down)

    def close(self) -> None:
        """Let go of every pin; may be called twice."""
        for guarded in self._inputs:
            guarded.close()

    def _guard(self, part: str, pin: int, complaints: Complaints) -> GuardedInput:
        opens = partial(self._open, part, pin)
        forgets = partial(self._forget, part)
        return GuardedInput(
            part, pin, opens, forgets, self._schedule, complaints, names_ailments=True
        )

    def _open(self, part: str, pin: int, guarded: GuardedInput) -> KnockPad:
        pad = KnockPad(pin, pin_factory=self._pin_factory)
        pad.when_knocked = partial(self._knocked, part, guarded)
        pad.when_rested = partial(self._rested, part, guarded)
        return pad

    def _knocked(self, part: str, guarded: GuardedInput, pad: KnockPad) -> None:
        at_s = edge_time_s(pad.active_time, self._schedule.now_s())
        if guarded.edge(at_s, active=True):
            self._edge(part, at_s, active=True)

    def _rested(self, part: str, guarded: GuardedInput, pad: KnockPad) -> None:
        at_s = edge_time_s(pad.inactive_time, self._schedule.now_s())
        if guarded.edge(at_s, active=False):
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
