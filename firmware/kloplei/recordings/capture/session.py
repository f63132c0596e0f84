"""The way through the bench: the plan and the clock say what is shown, and what comes is kept.

`Walk` leads from step to step and writes each block by block, beat by beat before the people;
`SlatePrompts` and the sentences say what is to be done. One thread.
"""

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import field
from enum import Enum, auto
from itertools import pairwise
from math import ceil
from typing import Any, Protocol

from PIL import Image

from kloplei.config.settings import SMALL_GLASS, Glass
from kloplei.frozen import dataclass
from kloplei.knock.judgement import PIEZOS
from kloplei.recordings.capture.folder import LEAST_S, RecordingFolder
from kloplei.recordings.capture.protocol import LEAD_S, ProtocolStep
from kloplei.recordings.capture.sensors import CannotRecord, Intake, Sensors, Troubles
from kloplei.recordings.capture.writer import Take, keeping
from kloplei.slate.drawing import blank, developed, with_letters
from kloplei.slate.faces import Beat, faces_for
from kloplei.slate.painter import PART, Display, FrameRequest
from kloplei.slate.picture import draw_greeting, draw_pause
from kloplei.words import Words

COUNT_S = 0.8  # of the countdown to a blow, a number
NOW_S = 0.35  # so long after its beat "now" is shown


@dataclass(frozen=True, slots=True)
class Shown:
    """What people see: *step*, the *number*-th of *of*, as it stands *since_s* its beginning."""

    step: ProtocolStep
    number: int
    of: int
    runs: bool  # else it is about to begin
    since_s: float = 0.0
    waits: bool = True  # for somebody to press Enter

    @property
    def beats_done(self) -> int:
        """How many blows should have fallen."""
        return sum(beat_s <= self.since_s for beat_s in self.step.beats_s)

    @property
    def is_now(self) -> bool:
        """Whether this is the moment to strike, or the time of what lasts."""
        if not self.step.kind.beats:
            return self.runs and LEAD_S <= self.since_s < self.step.lasts_s
        return any(0 <= self.since_s - beat_s < NOW_S for beat_s in self.step.beats_s)

    @property
    def count(self) -> int | None:
        """What a countdown says: to the next blow, or to the beginning and end of what lasts.

        None when nothing more is to be done.
        """
        if not self.runs:
            return None
        if self.step.kind.beats:
            coming = [beat_s for beat_s in self.step.beats_s if beat_s > self.since_s]
            return _ticks(coming[0] - self.since_s) if coming else None
        if self.since_s < LEAD_S:
            return _ticks(LEAD_S - self.since_s)
        return max(1, ceil(self.step.lasts_s - self.since_s))

    @property
    def filled(self) -> float:
        """How much of the time to the next blow, or to the end, has passed: 0 to 1."""
        marks = [0.0, *(self.step.beats_s or (LEAD_S,)), self.step.lasts_s]
        for before, after in pairwise(marks):
            if before <= self.since_s < after:
                return (self.since_s - before) / (after - before)
        return 1.0


class Console(Protocol):
    """Where people are told what to do, and where keys come from."""

    def show(self, shown: Shown) -> None:
        """Show what is to be done now."""
        ...

    def say(self, sentence: str) -> None:
        """Say *sentence* besides; the same one twice is said once."""
        ...

    def key(self, within_s: float) -> str | None:
        """Return what was pressed within that time, "" when nobody can press any more."""
        ...


class Wish(Enum):
    """What comes of a step: it was done, or somebody wants something else."""

    DONE = auto()
    BEGIN = auto()
    SKIP = auto()
    SKIP_SEAT = auto()
    AGAIN = auto()
    BACK = auto()
    STOP = auto()


KEYS = {
    "\n": Wish.BEGIN,
    "\r": Wish.BEGIN,
    "s": Wish.SKIP,
    "n": Wish.SKIP_SEAT,
    "r": Wish.AGAIN,
    "q": Wish.STOP,
}


def _ticks(left_s: float) -> int:
    return max(1, ceil(left_s / COUNT_S))


ENTERS_BY_ITSELF_S = 6.0  # where nobody has keys, to read what comes
GOES_ON_S = 1.6  # to the next thing that the same hand does
LOOK_S = 0.04  # between two looks at keys and sensors: well within what a hand feels as at once
PATIENCE_S = 3.0  # with sensors that have stopped
SYNC_EVERY_S, SYNC_ROOM_S = 5.0, 0.5  # a card may take its time, but not on a beat
_NOTHING = "the sensors give nothing. See what is wrong with them: kloplei doctor"


@dataclass(slots=True)
class _Recording:
    """A recording of *step* that is under way; *complaints* are what was wrong, each once."""

    step: ProtocolStep
    take: Take
    begun_s: float
    synced_s: float = 0.0
    complaints: dict[str, None] = field(default_factory=dict)
    is_cut_short: bool = False  # the sensors stopped before the end

    @property
    def has_all(self) -> bool:
        """Whether all of it has been sampled."""
        end_s = self.take.end_s
        return end_s is not None and end_s >= self.begun_s + self.step.lasts_s

    def has_room(self, since_s: float) -> bool:
        """Whether no blow is expected in the next moment."""
        return all(not 0 <= beat_s - since_s < SYNC_ROOM_S for beat_s in self.step.beats_s)


class Walk:
    """Leads through *steps* and keeps on *folder* what the sensors give.

    Args:
        steps: In their order; those that are done already are passed by.
        sensors: What is recorded; started here.
        folder: Where it is kept.
        console: Where it is shown, and what is pressed.
        clock: That of the sensors' blocks.
        on_begin: Told each step and when it began, for people who are not there.
    """

    def __init__(
        self,
        steps: Sequence[ProtocolStep],
        sensors: Sensors,
        folder: RecordingFolder,
        console: Console,
        clock: Callable[[], float],
        on_begin: Callable[[ProtocolStep, float], None] = lambda _step, _at_s: None,
    ) -> None:
        self._steps = tuple(steps)
        self._numbers = {step: number for number, step in enumerate(self._steps, 1)}
        self._sensors = sensors
        self._folder = folder
        self._console = console
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
            self._console.key(LOOK_S)
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
        done = set(self._folder.done)
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

    def _get_ready(self, step: ProtocolStep, before: ProtocolStep | None) -> Wish:
        """Show what comes until somebody begins, or wants something else."""
        since_s = self._clock()
        goes_on = step.goes_on_from(before)
        has_keys = True
        while True:
            self._console.show(self._shown(step, waits=has_keys and not goes_on))
            pressed = self._console.key(LOOK_S)
            has_keys = pressed != ""
            wish = KEYS.get(pressed or "")
            if wish is not None:
                # Of what has not begun nothing can be done again but what was before it.
                return Wish.BACK if wish is Wish.AGAIN else wish
            waited_s = self._clock() - since_s
            if (goes_on and waited_s >= GOES_ON_S) or (
                not has_keys and waited_s >= ENTERS_BY_ITSELF_S
            ):
                return Wish.BEGIN

    def _record(self, step: ProtocolStep) -> Wish:
        """Record *step*; what is thrown away or done again leaves nothing.

        Raises:
            CannotRecord: The sensors have died.
        """
        channels = self._sensors.source.channels
        with self._folder.begin(step, channels, self._sensors.rate_hz()) as take:
            begun_s, bridged = self._clock(), self._sensors.bridged()
            self._intake.listen(begun_s)
            self._on_begin(step, begun_s)
            recording = _Recording(step, take, begun_s)
            try:
                wish = self._run(recording)
            except KeyboardInterrupt:
                wish = Wish.STOP
            self._intake.rest()
            if recording.is_cut_short and take.lasts_s < LEAST_S:
                self._folder.drop(take)
                raise CannotRecord(self._sensors.troubles.of(PIEZOS) or _NOTHING)
            if wish is Wish.DONE or (wish is Wish.STOP and take.lasts_s >= LEAST_S):
                self._folder.keep(
                    take,
                    step,
                    begun_s,
                    bridged=self._sensors.bridged() - bridged,
                    is_cut_short=wish is Wish.STOP or recording.is_cut_short,
                    complaints=recording.complaints,
                )
            else:
                self._folder.drop(take)
        return wish

    def _run(self, recording: _Recording) -> Wish:
        """Record until the step is over, or until somebody wants something else.

        Raises:
            CannotKeep: The disk is full, or has gone.
        """
        step = recording.step
        while True:
            since_s = self._clock() - recording.begun_s
            self._console.show(self._shown(step, since_s, runs=True))
            self._write(recording, since_s)
            if recording.has_all:
                return Wish.DONE
            if since_s > step.lasts_s + PATIENCE_S:
                recording.is_cut_short = True
                return Wish.DONE
            wish = KEYS.get(self._console.key(LOOK_S) or "", Wish.BEGIN)
            if wish is not Wish.BEGIN:  # which it has
                return wish

    def _write(self, recording: _Recording, since_s: float) -> None:
        take, trouble = recording.take, self._sensors.troubles.of(PIEZOS)
        if trouble is not None:
            recording.complaints[trouble] = None
            self._console.say(trouble)
        with keeping(take.path.parent):
            for block in self._intake.blocks():
                take.write(block)
            if since_s - recording.synced_s >= SYNC_EVERY_S and recording.has_room(since_s):
                take.sync()
                recording.synced_s = since_s

    def _shown(
        self, step: ProtocolStep, since_s: float = 0.0, *, runs: bool = False, waits: bool = False
    ) -> Shown:
        return Shown(step, self._numbers[step], len(self._steps), runs, since_s, waits)


DOMAIN = "bench"
_STEPS = 24  # of the bar: a slate on a slow bus takes some fifteen pictures a second


class SlatePrompts:
    """Shows on the OLED what is to be done; a slate that is missing holds nothing up.

    Args:
        open_device: Opens the glass, or raises with a sentence.
        language: The slate's.
        troubles: Where a missing slate is told.
        clock: Monotonic seconds.
        contrast: Of the glass.
        glass: How large it is.
    """

    def __init__(
        self,
        open_device: Callable[[], Any],
        language: str,
        troubles: Troubles,
        clock: Callable[[], float],
        contrast: int,
        glass: Glass = SMALL_GLASS,
    ) -> None:
        self._display = Display(open_device, troubles)
        self._glass = glass
        self._language = language
        self._troubles = troubles
        self._clock = clock
        self._contrast = contrast
        self._picture: tuple[object, Image.Image] | None = None
        self._show(draw_greeting(with_letters(Words(language)), glass).image)

    @property
    def trouble(self) -> str | None:
        """Why there is no slate, None as long as there is one."""
        return self._troubles.of(PART)

    @property
    def why_alone(self) -> str | None:
        """What the terminal says where there is no slate, None as long as there is one."""
        if self.trouble is None:
            return None
        facts = {"trouble": Words(self._language).tell(self.trouble)}
        return Words(self._language, domain=DOMAIN).say("alone", facts)

    def show(self, shown: Shown) -> None:
        """Hang what is to be done now."""
        moment = moment_of(shown)
        if self._picture is None or self._picture[0] != moment:
            self._picture = (moment, picture_of(shown, self._language, self._glass))
        self._show(self._picture[1])

    def close(self) -> None:
        """Leave on the slate that the table pauses."""
        self._show(draw_pause(with_letters(Words(self._language)), self._glass).image)
        self._display.let_go()

    def _show(self, image: Image.Image) -> None:
        self._display.show(FrameRequest(image, self._contrast), self._clock())


def moment_of(shown: Shown) -> object:
    """Return what is the same as long as the picture of *shown* is: to draw is dear on a Pi."""
    return (shown.step, shown.runs, shown.count, shown.beats_done, shown.is_now, _bar(shown))


def picture_of(shown: Shown, language: str, glass: Glass = SMALL_GLASS) -> Image.Image:
    """Return what a slate of this *glass* shows of *shown*."""
    words = Words(with_letters(Words(language)).language, domain=DOMAIN)
    kind = shown.step.kind
    beat = Beat(
        done=shown.beats_done,
        of=kind.beats,
        count=shown.count,
        is_now=shown.is_now,
        filled=_bar(shown),
        go=words.say("go") if kind.beats else "",
    )
    image = blank(glass)
    seats = tuple(seat.shown for seat in shown.step.seats)
    word, how = words.say(f"word.{kind.name}"), words.say(f"how.{kind.name}")
    faces_for(glass).draw_beat(image, seats, word, how, beat)
    return developed(image)


def sentence_of(shown: Shown, language: str) -> str:
    """Return what is to be done, and at which seat: "seat 3: HARD, knock hard"."""
    words, seats = Words(language, domain=DOMAIN), Words(language)
    kind = shown.step.kind
    asked = f"{words.say(f'word.{kind.name}')}, {words.say(f'how.{kind.name}')}"
    whose = " + ".join(
        seats.say("seat.unnamed", {"number": seat.shown}) for seat in shown.step.seats
    )
    return f"{whose}: {asked}" if whose else asked


def word_of(shown: Shown, language: str) -> str:
    """Return the countdown as one word, "" where nothing is to be counted."""
    if shown.is_now and shown.step.kind.beats:
        return Words(language, domain=DOMAIN).say("go")
    return "" if shown.count is None else str(shown.count)


def _bar(shown: Shown) -> float:
    return int(shown.filled * _STEPS) / _STEPS if shown.runs else 0.0


def _after_seat(path: Sequence[ProtocolStep], at: int) -> int:
    """Return where in *path* something begins that the seat of step *at* does not do alone."""
    seats = path[at].seats
    while at < len(path) and path[at].seats == seats:
        at += 1
    return at
