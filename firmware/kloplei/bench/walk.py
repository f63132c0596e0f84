"""The way through the bench: the plan and the clock say what is shown, and what comes is kept."""

import contextlib
from collections.abc import Callable, Sequence

from kloplei.bench.protocol import Step
from kloplei.bench.recording import LOOK_S, PATIENCE_S, Recording
from kloplei.bench.sensors import CannotRecord, Intake, Sensors
from kloplei.bench.shelf import LEAST_S, Shelf
from kloplei.bench.showing import KEYS, Desk, Phase, Shown, Wish
from kloplei.knock.judgement import PIEZOS

ENTERS_BY_ITSELF_S = 6.0  # where nobody has keys, to read what comes
GOES_ON_S = 1.6  # to the next thing that the same hand does

_NOTHING = "the sensors give nothing. See what is wrong with them: kloplei doctor"


class Walk:
    """Leads through *steps* and keeps on *shelf* what the sensors give.

    Args:
        steps: In their order; those that are done already are passed by.
        sensors: What is recorded; started here.
        shelf: Where it is kept.
        desk: Where it is shown, and what is pressed.
        clock: That of the sensors' blocks.
        on_begin: Told each step and when it began, for people who are not there.
    """

    def __init__(
        self,
        steps: Sequence[Step],
        sensors: Sensors,
        shelf: Shelf,
        desk: Desk,
        clock: Callable[[], float],
        on_begin: Callable[[Step, float], None] = lambda _step, _at_s: None,
    ) -> None:
        self._steps = tuple(steps)
        self._numbers = {step: number for number, step in enumerate(self._steps, 1)}
        self._sensors = sensors
        self._shelf = shelf
        self._desk = desk
        self._clock = clock
        self._on_begin = on_begin
        self._intake = Intake()
        sensors.source.start(self._intake.take)

    def wait_for_sensors(self, within_s: float = PATIENCE_S) -> str | None:
        """Wait until the sensors give something; return what is wrong where they do not."""
        until_s = self._clock() + within_s
        while not self._intake.has_heard:
            if trouble := self._sensors.troubles.why_dead(PIEZOS):
                return trouble
            if self._clock() > until_s:
                return _NOTHING
            self._desk.key(LOOK_S)
        return None

    def go(self) -> bool:
        """Lead through the steps that are left; return whether somebody came to the end.

        Ctrl-C stops it as the key does, and what has come is kept.

        Raises:
            CannotKeep: The disk is full, or has gone.
            CannotRecord: The sensors have died; what came before is kept.
        """
        with contextlib.suppress(KeyboardInterrupt):
            return self._led()
        return False

    def _led(self) -> bool:
        done = set(self._shelf.done)
        path = [step for step in self._steps if step.name not in done]
        at, before = 0, None
        while at < len(path):
            step = path[at]
            wish = self._get_ready(step, before)
            if wish is Wish.BEGIN:
                wish = self._record(step)
            before = step if wish is Wish.DONE else None
            match wish:
                case Wish.STOP:
                    return False
                case Wish.BACK:
                    at = max(0, at - 1)
                case Wish.SKIP_SEAT:
                    at = _after_seat(path, at)
                case Wish.DONE | Wish.SKIP:
                    at += 1
        return True

    def _get_ready(self, step: Step, before: Step | None) -> Wish:
        """Show what comes until somebody begins, or wants something else."""
        since_s = self._clock()
        goes_on = step.goes_on_from(before)
        has_keys = True
        while True:
            self._desk.show(self._shown(step, Phase.READY, waits=has_keys and not goes_on))
            pressed = self._desk.key(LOOK_S)
            has_keys = has_keys and pressed != ""
            wish = KEYS.get(pressed or "")
            if wish is not None:
                # Of what has not begun nothing can be done again but what was before it.
                return Wish.BACK if wish is Wish.AGAIN else wish
            waited_s = self._clock() - since_s
            if (goes_on and waited_s >= GOES_ON_S) or (
                not has_keys and waited_s >= ENTERS_BY_ITSELF_S
            ):
                return Wish.BEGIN

    def _record(self, step: Step) -> Wish:
        """Record *step*; what is thrown away or done again leaves nothing.

        Raises:
            CannotRecord: The sensors have died.
        """
        channels = self._sensors.source.channels
        with self._shelf.begin(step, channels, self._sensors.rate_hz()) as take:
            begun_s, bridged = self._clock(), self._sensors.bridged()
            self._intake.listen(begun_s)
            self._on_begin(step, begun_s)
            recording = Recording(
                step,
                take,
                self._intake,
                self._sensors.troubles,
                self._desk,
                self._clock,
                show=lambda since_s: self._desk.show(self._shown(step, Phase.RUNS, since_s)),
            )
            try:
                wish = recording.run()
            except KeyboardInterrupt:
                wish = Wish.STOP
            self._intake.rest()
            if recording.is_cut_short and take.lasts_s < LEAST_S:
                self._shelf.drop(take)
                raise CannotRecord(self._sensors.troubles.of(PIEZOS) or _NOTHING)
            if wish is Wish.DONE or (wish is Wish.STOP and take.lasts_s >= LEAST_S):
                self._shelf.keep(
                    take,
                    step,
                    begun_s,
                    bridged=self._sensors.bridged() - bridged,
                    is_cut_short=wish is Wish.STOP or recording.is_cut_short,
                    complaints=recording.complaints,
                )
            else:
                self._shelf.drop(take)
        return wish

    def _shown(
        self, step: Step, phase: Phase, since_s: float = 0.0, *, waits: bool = False
    ) -> Shown:
        return Shown(step, self._numbers[step], len(self._steps), phase, since_s, waits)


def _after_seat(path: Sequence[Step], at: int) -> int:
    """Return where in *path* something begins that the seat of step *at* does not do alone."""
    seats = path[at].seats
    while at < len(path) and path[at].seats == seats:
        at += 1
    return at
