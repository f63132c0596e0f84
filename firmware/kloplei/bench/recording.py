"""One step while it is recorded: block by block onto the disk, beat by beat before the people."""

from collections.abc import Callable

from kloplei.bench.keeping import keeping
from kloplei.bench.protocol import Step
from kloplei.bench.sensors import Intake, Troubles
from kloplei.bench.showing import KEYS, Desk, Wish
from kloplei.bench.take import Take
from kloplei.knock.judgement import PIEZOS

LOOK_S = 0.04  # between two looks at keys and sensors: well within what a hand feels as at once
PATIENCE_S = 3.0  # with sensors that have stopped
SYNC_EVERY_S, SYNC_ROOM_S = 5.0, 0.5  # a card may take its time, but not on a beat


class Recording:
    """Writes *take* until *step* is over, or until somebody wants something else.

    Args:
        step: What is recorded.
        take: Where it goes.
        intake: Where blocks come from.
        troubles: What is wrong with the sensors.
        desk: Where keys come from.
        clock: That of the blocks; the recording begins now.
        show: Shows how far it is, in seconds.
    """

    def __init__(
        self,
        step: Step,
        take: Take,
        intake: Intake,
        troubles: Troubles,
        desk: Desk,
        clock: Callable[[], float],
        show: Callable[[float], None],
    ) -> None:
        self._step = step
        self._take = take
        self._intake = intake
        self._troubles = troubles
        self._desk = desk
        self._clock = clock
        self._show = show
        self._begun_s = clock()
        self._synced_s = 0.0
        self._complaints: dict[str, None] = {}
        self.is_cut_short = False
        """Whether the sensors stopped before the end."""

    @property
    def complaints(self) -> tuple[str, ...]:
        """What was wrong with the sensors meanwhile, each thing once."""
        return tuple(self._complaints)

    def run(self) -> Wish:
        """Record; return what came of it.

        Raises:
            CannotKeep: The disk is full, or has gone.
        """
        while True:
            since_s = self._clock() - self._begun_s
            self._show(since_s)
            self._write(since_s)
            if self._has_all:
                return Wish.DONE
            if since_s > self._step.lasts_s + PATIENCE_S:
                self.is_cut_short = True
                return Wish.DONE
            wish = KEYS.get(self._desk.key(LOOK_S) or "", Wish.BEGIN)
            if wish is not Wish.BEGIN:  # which it has
                return wish

    @property
    def _has_all(self) -> bool:
        end_s = self._take.end_s
        return end_s is not None and end_s >= self._begun_s + self._step.lasts_s

    def _write(self, since_s: float) -> None:
        trouble = self._troubles.of(PIEZOS)
        if trouble is not None:
            self._complaints[trouble] = None
            self._desk.say(trouble)
        with keeping(self._take.path.parent):
            for block in self._intake.blocks():
                self._take.write(block)
            if since_s - self._synced_s >= SYNC_EVERY_S and self._has_room(since_s):
                self._take.sync()
                self._synced_s = since_s

    def _has_room(self, since_s: float) -> bool:
        """Whether no blow is expected in the next moment."""
        return all(not 0 <= beat_s - since_s < SYNC_ROOM_S for beat_s in self._step.beats_s)
