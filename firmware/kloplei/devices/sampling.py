"""The converter as a source of blocks: one thread reads it, another listens to what was read.

In come bursts with short gaps between them, out go blocks of evenly spaced samples (`Stream`). What
waits in between is bounded (`BlockQueue`): a listener that falls behind costs samples, which are
counted and told, never memory. Errors of the bus are told by name and tried again after pauses.
"""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from statistics import median
from typing import Protocol

from kloplei.devices.adc import (
    BLOCK_S,
    LOWEST,
    NEAR,
    BlockSource,
    Burst,
    Converter,
    NobodyAnswers,
    PulledOut,
    TakeBlock,
)
from kloplei.devices.pins import FaultRegistry
from kloplei.files import KlopleiError, reason_of
from kloplei.frozen import dataclass, replace
from kloplei.knock.judgement import PIEZOS
from kloplei.knock.signal import Block
from kloplei.table.messages import Trouble
from kloplei.words import Sentence, sentence_of

logger = logging.getLogger(__name__)

LONGEST_GAP_S = 0.01  # what is missing for longer is not drawn straight: nobody heard it
SURE_OF_IT = 5  # so many odd paces in a row do not move the rate that was measured before
REMEMBERED = 255  # bursts whose pace tells the rate
RECKONED = 16  # after so many bursts it is reckoned anew
NUDGE = 0.05  # of what a burst is off its place moves the next block


class Stream:
    """Puts each burst where the clock says it belongs, and tells what was missed.

    The rate is the median pace of the last bursts, from start to start: a busy Pi may come
    back late from a burst, but it was read at the pace of the others. A gap of a few samples
    between two bursts is drawn straight (interpolated), so that blocks join.

    Args:
        channels: How many each burst has.
        rate_hz: Rounds a second, as measured before.
    """

    def __init__(self, channels: int, rate_hz: float) -> None:
        self._interval_s = 1 / rate_hz
        self._paces_s: deque[float] = deque([self._interval_s] * SURE_OF_IT, maxlen=REMEMBERED)
        self._pending: list[list[float]] = [[] for _ in range(channels)]
        self._last: Burst | None = None
        self._end_s = 0.0  # when the sample after the last pending one is due
        self._missed = 0
        self._drawn = 0
        self._until_reckoned = RECKONED

    @property
    def rate_hz(self) -> float:
        """Rounds a second, as measured."""
        return 1 / self._interval_s

    def missed(self) -> int:
        """Return how many rounds nobody read, in gaps too long to draw, since last asked."""
        missed, self._missed = self._missed, 0
        return missed

    def drawn(self) -> int:
        """Return how many rounds were drawn straight over short gaps, since last asked."""
        drawn, self._drawn = self._drawn, 0
        return drawn

    def add(self, burst: Burst, skew_s: float) -> list[Block]:
        """Return the blocks that *burst* completes; the one before a long gap may be short."""
        blocks = self._join(burst, skew_s)
        for pending, samples in zip(self._pending, burst.channels, strict=True):
            pending.extend(samples)
        self._end_s += len(burst.channels[0]) * self._interval_s
        count = max(1, round(BLOCK_S / self._interval_s))
        while len(self._pending[0]) >= count:
            blocks.append(self._cut(count, skew_s))
        return blocks

    def _join(self, burst: Burst, skew_s: float) -> list[Block]:
        """Make good for the time between the last burst and this one."""
        last, self._last = self._last, burst
        if last is None:
            self._end_s = burst.start_s
            return []
        self._keep_pace((burst.start_s - last.start_s) / len(last.channels[0]))
        late_s = burst.start_s - self._end_s
        if late_s > LONGEST_GAP_S:
            return self._break(burst, late_s, skew_s)
        drawn = max(0, int(late_s / self._interval_s))
        for pending, before, after in zip(
            self._pending, last.channels, burst.channels, strict=True
        ):
            pending.extend(_line(before[-1], after[0], drawn))
        self._drawn += drawn
        shift_s = drawn * self._interval_s
        self._end_s += shift_s + NUDGE * (late_s - shift_s)
        return []

    def _keep_pace(self, pace_s: float) -> None:
        self._paces_s.append(pace_s)
        self._until_reckoned -= 1
        if not self._until_reckoned:
            self._until_reckoned = RECKONED
            self._interval_s = median(self._paces_s)

    def _break(self, burst: Burst, late_s: float, skew_s: float) -> list[Block]:
        self._missed += round(late_s / self._interval_s)
        broken = [self._cut(len(self._pending[0]), skew_s)] if self._pending[0] else []
        self._end_s = burst.start_s
        return broken

    def _cut(self, count: int, skew_s: float) -> Block:
        start_s = self._end_s - len(self._pending[0]) * self._interval_s
        channels = tuple(pending[:count] for pending in self._pending)
        for pending in self._pending:
            del pending[:count]
        return Block(start_s, self.rate_hz, channels, skew_s)


def _line(before: float, after: float, count: int) -> list[float]:
    """Return *count* samples on the straight line from *before* to *after*."""
    step = (after - before) / (count + 1)
    return [before + step * (at + 1) for at in range(count)]


class BlockQueue:
    """Blocks on their way from one thread to another, the oldest given up when it is full."""

    def __init__(self, most: int) -> None:
        self._blocks: deque[Block] = deque()
        self._most = most
        self._dropped = 0
        self.is_closed = False
        """Whether nothing comes any more."""
        self._changed = threading.Condition()

    def put(self, block: Block) -> None:
        """Add *block*; never waits."""
        with self._changed:
            if len(self._blocks) == self._most:
                self._dropped += len(self._blocks.popleft().channels[0])
            self._blocks.append(block)
            self._changed.notify()

    def get(self, within_s: float | None = None) -> Block | None:
        """Return the oldest block, waiting for it; None once this is closed, or if none comes."""
        with self._changed:
            self._changed.wait_for(lambda: self._blocks or self.is_closed, within_s)
            return None if self.is_closed or not self._blocks else self._blocks.popleft()

    def dropped(self) -> int:
        """Return how many rounds were given up since this was last asked."""
        with self._changed:
            dropped, self._dropped = self._dropped, 0
            return dropped

    def close(self) -> None:
        """Let nobody wait any more."""
        with self._changed:
            self.is_closed = True
            self._changed.notify_all()


WAITING_BLOCKS = 32  # half a second; whoever listens slower than that never catches up
TRIALS, TRIAL_S = 3, 0.2  # how often, and how long, the pace is tried before it counts
ENOUGH = 0.86  # of it is judged like it (`kloplei.knock.features.judging_rate_hz`)
DEAD_S = 1.0  # no blow holds every channel at 0 for so long
TOO_SLOW_HZ = 1000.0  # below this a knock has no shape
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.5, 30.0
HUNG_S = 3.0  # a bus that gives nothing for so long, and no error either, hangs
_PARTING_S = 2.0
EFFORT_S = 4.0
OVERRUN_AGAIN_S = 1.0
OVERRUN_TOLD_S = 10.0  # until so long after the last one it stands on the slate


class TooSlow(KlopleiError):
    """The bus is so slow that reading it would cost much and tell nothing."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How well the converter is read: rounds a second, and rounds that nobody heard.

    *drawn* are those that were drawn straight, over pauses too short to matter. *busy* is the share
    of one core that reading took of late, the kernel's waiting for bits included; 0 until known.
    *drift_ppm* is by how many millionths the clock of a sound card runs fast, None until known.
    *enough_hz* is what would do where *wanted_hz* is only better, None where it would not.
    """

    wanted_hz: float
    reached_hz: float = 0.0
    missed: int = 0
    drawn: int = 0
    busy: float = 0.0
    drift_ppm: float | None = None
    enough_hz: float | None = None

    @property
    def is_slow(self) -> bool:
        """Whether it is read so slowly that the ears hear less by it than they should."""
        return self.reached_hz < ENOUGH * (self.enough_hz or self.wanted_hz)


class DiscSource(BlockSource, Protocol):
    """What the discs of a box hang on: a converter, or something that plays into them."""

    @property
    def pace(self) -> Pace | None:
        """How well it is read, as of the last burst; None where there is no converter to read."""
        ...

    def stay_awake(self, stays: bool) -> None:
        """Hand in every block of silence as well, which may be left out otherwise."""
        ...


class AdcSource:
    """Reads *converter* on a thread of its own, and hands in blocks on another.

    So a judge that takes its time holds up no sample. What waits is bounded: when the judge
    falls behind by half a second the oldest is given up, counted and told as an overrun. An
    error of the bus is told by name, and tried again after pauses that grow.

    Args:
        converter: Read until this is closed, and closed with it.
        channels: How many it has.
        rate_hz: Rounds a second that are wanted.
        faults: Where troubles go.
        enough_hz: Rounds a second of which nobody complains, None for those that are wanted.
    """

    def __init__(
        self,
        converter: Converter,
        channels: int,
        rate_hz: float,
        faults: FaultRegistry,
        enough_hz: float | None = None,
    ) -> None:
        self._converter = converter
        self.channels = channels
        """How many channels each block has."""
        self._faults = faults
        self._closing = threading.Event()
        self._queue = BlockQueue(WAITING_BLOCKS)
        self._threads: tuple[threading.Thread, ...] = ()
        self._last_error = ""
        self._is_reading = False  # or pauses after an error, which was told
        self._pauses_s = _pauses_s()
        self._overruns = Overruns(faults)
        self.pace = Pace(rate_hz, enough_hz=enough_hz)
        """How well it is read, as of the last burst."""

    def start(self, take: TakeBlock) -> None:
        """Begin to read and to hand in."""
        self._threads = (
            threading.Thread(target=self._read, name="piezos", daemon=True),
            threading.Thread(target=self._listen, args=(take,), name="listener", daemon=True),
        )
        for thread in self._threads:
            thread.start()

    def stay_awake(self, stays: bool) -> None:
        """Do nothing: silence is sampled like all else."""

    def close(self) -> None:
        """Stop both threads and let go of the converter; may be called twice."""
        self._closing.set()
        self._queue.close()
        for thread in self._threads:
            thread.join(_PARTING_S)
        if not any(thread.is_alive() for thread in self._threads):  # else it hangs in the kernel
            self._converter.close()

    def _listen(self, take: TakeBlock) -> None:
        while not self._queue.is_closed:
            block = self._queue.get(HUNG_S)
            if block is not None:
                self._faults.heal(PIEZOS, Trouble.STUCK)
                take(block)
            elif self._is_reading:
                self._faults.tell(PIEZOS, Trouble.STUCK, Sentence("piezos-hang"))

    def _read(self) -> None:
        while not self._closing.is_set():
            try:
                self._read_on()
            except TooSlow as error:
                self._is_reading = False
                self._faults.tell(PIEZOS, Trouble.PART, sentence_of(error))
                return
            # A bus that fails does so many times a second: the pauses grow, and end with the first
            # reading that succeeds.
            except Exception as error:  # noqa: BLE001 - each pin library brings its own errors
                self._is_reading = False
                if str(error) != self._last_error:  # what stays out all evening is logged once
                    # Our own say what to do, to whoever sits at the terminal of a demo.
                    said = error if isinstance(error, KlopleiError) else repr(error)
                    logger.warning("%s: %s", PIEZOS, said)
                self._last_error = str(error)
                self._faults.tell(PIEZOS, Trouble.PART, _why(error))
                pause_s = next(self._pauses_s)
                self._closing.wait(FIRST_PAUSE_S if isinstance(error, PulledOut) else pause_s)

    def _read_on(self) -> None:
        """Read until closed.

        Raises:
            Exception: The bus refuses, in the words of its library.
        """
        self._is_reading = True
        reached_hz = self._tuned_hz()
        self._faults.heal(PIEZOS, Trouble.PART)
        self._last_error = ""
        self._pauses_s = _pauses_s()
        stream, life, effort = Stream(self.channels, reached_hz), _Life(), _Effort()
        while not self._closing.is_set():
            burst = self._converter.burst()
            life.look(burst)
            for block in stream.add(burst, self._converter.skew_s):
                self._queue.put(block)
            missed = self.pace.missed + stream.missed() + self._queue.dropped()
            drawn = self.pace.drawn + stream.drawn()
            self.pace = replace(
                self.pace,
                reached_hz=stream.rate_hz,
                missed=missed,
                drawn=drawn,
                busy=effort.share(burst.end_s),
                drift_ppm=self._converter.drift_ppm,
            )
            self._overruns.look(missed, burst.end_s)

    def _tuned_hz(self) -> float:
        """Bring the converter to its pace, and return what was reached."""
        wanted_hz = self.pace.wanted_hz
        own_hz = self._converter.own_hz()
        reached_hz = self._tried_hz() if own_hz is None else own_hz
        for _ in range(TRIALS if own_hz is None else 0):
            if abs(reached_hz / wanted_hz - 1) < 1 - NEAR or self._closing.is_set():
                break
            self._converter.tune(reached_hz)
            reached_hz = self._tried_hz()
        self.pace = replace(self.pace, reached_hz=reached_hz)
        if reached_hz < TOO_SLOW_HZ:
            remedy = self._converter.remedy
            raise TooSlow(Sentence("piezos-too-slow", hz=round(reached_hz), remedy=remedy))
        if self.pace.is_slow:
            self._faults.tell(PIEZOS, Trouble.SLOW, _slow(self.pace, self._converter.remedy))
        else:
            self._faults.heal(PIEZOS, Trouble.SLOW)
        return reached_hz

    def _tried_hz(self) -> float:
        """Read for a moment, and return how many rounds a second that makes.

        Raises:
            NobodyAnswers: Every code was 0 all the time.
        """
        first = last = self._converter.burst()
        life = _Life(TRIAL_S)
        rounds = 0
        while last.start_s - first.start_s < TRIAL_S and not self._closing.is_set():
            rounds += len(last.channels[0])
            last = self._converter.burst()
            life.look(last)
        return rounds / max(last.start_s - first.start_s, 1e-9) or self.pace.wanted_hz


class _Life:
    """Notices a converter that is not there where nothing answers: a Pi pulls MISO to 0."""

    def __init__(self, dead_s: float = DEAD_S) -> None:
        self._dead_s = dead_s
        self._since_s: float | None = None

    def look(self, burst: Burst) -> None:
        """Look at *burst*.

        Raises:
            NobodyAnswers: Every code of every channel has been 0 for too long.
        """
        if any(max(channel) > LOWEST for channel in burst.channels):
            self._since_s = None
        elif self._since_s is None:
            self._since_s = burst.start_s
        if self._since_s is not None and burst.end_s - self._since_s >= self._dead_s:
            raise NobodyAnswers


class _Effort:
    """How much of one core the thread that asks has taken of late, inside the kernel too."""

    def __init__(self, spent_s: Callable[[], float] = time.thread_time) -> None:
        self._spent_s = spent_s
        self._since: tuple[float, float] | None = None
        self._share = 0.0

    def share(self, now_s: float) -> float:
        """Return the share in the last full `EFFORT_S`, 0 to 1; 0 in the first ones."""
        if self._since is None:
            self._since = now_s, self._spent_s()
        took_s = now_s - self._since[0]
        if took_s >= EFFORT_S:
            spent_s = self._spent_s()
            self._share = min(1.0, (spent_s - self._since[1]) / took_s)
            self._since = now_s, spent_s
        return self._share


class Overruns:
    """Tells that samples were missed, no more than once a second, and for a while after."""

    def __init__(self, faults: FaultRegistry) -> None:
        self._faults = faults
        self._seen = 0
        self._last_s: float | None = None
        self._told_s = float("-inf")

    def look(self, missed: int, now_s: float) -> None:
        """Take note that *missed* rounds were missed in all."""
        if missed > self._seen:
            self._seen, self._last_s = missed, now_s
            if now_s >= self._told_s + OVERRUN_AGAIN_S:
                self._told_s = now_s
                self._faults.tell(
                    PIEZOS, Trouble.OVERRUN, Sentence("piezos-overrun", missed=missed)
                )
        elif self._last_s is not None and now_s >= self._last_s + OVERRUN_TOLD_S:
            self._last_s = None
            self._faults.heal(PIEZOS, Trouble.OVERRUN)


def _pauses_s() -> Iterator[float]:
    """Yield how long to leave a bus alone that has failed, each time longer."""
    pause_s = FIRST_PAUSE_S
    while True:
        yield pause_s
        pause_s = min(2 * pause_s, LONGEST_PAUSE_S)


def _why(error: Exception) -> str:
    if isinstance(error, PulledOut):
        return sentence_of(error)
    if isinstance(error, NobodyAnswers):
        return Sentence("no-converter")
    reason = reason_of(error).strip("'\" .")
    return Sentence("converter-failed", error=reason or type(error).__name__)


def _slow(pace: Pace, remedy: str) -> str:
    wanted_hz = pace.enough_hz or pace.wanted_hz
    reached, wanted = round(pace.reached_hz / 1000, 1), round(wanted_hz / 1000, 1)
    return Sentence("piezos-slow", khz=reached, wanted=wanted, remedy=remedy)
