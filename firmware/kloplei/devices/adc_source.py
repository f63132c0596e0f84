"""A converter as a source of blocks: one thread reads it, another listens to what was read."""

import logging
import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace

from kloplei.devices.adc import LOWEST, NobodyAnswers
from kloplei.devices.block_queue import BlockQueue
from kloplei.devices.complaints import Complaints
from kloplei.devices.converter import Burst, Converter
from kloplei.devices.sources import TakeBlock
from kloplei.devices.stream import Stream
from kloplei.files import KlopleiError
from kloplei.knock.verdict import PIEZOS
from kloplei.table.inbox import Trouble

_log = logging.getLogger(__name__)

WAITING_BLOCKS = 32  # half a second; whoever listens slower than that never catches up
TRIALS, TRIAL_S = 3, 0.2  # how often, and how long, the pace is tried before it counts
NEAR = 0.97  # of the wanted rate is as good as it
DEAD_S = 1.0  # no blow holds every channel at 0 for so long
TOO_SLOW_HZ = 1000.0  # below this a knock has no shape
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.5, 30.0
HUNG_S = 3.0  # a bus that gives nothing for so long, and no error either, hangs
_PARTING_S = 2.0
OVERRUN_AGAIN_S = 1.0
OVERRUN_TOLD_S = 10.0  # until so long after the last one it stands on the slate


class TooSlow(KlopleiError):
    """The bus is so slow that reading it would cost much and tell nothing."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How well the converter is read: rounds a second, and rounds that nobody heard.

    *drawn* are those that were drawn straight, over pauses too short to matter.
    """

    wanted_hz: float
    reached_hz: float = 0.0
    missed: int = 0
    drawn: int = 0

    @property
    def is_slow(self) -> bool:
        """Whether it is read clearly slower than is wanted."""
        return self.reached_hz < NEAR * self.wanted_hz


class AdcSource:
    """Reads *converter* on a thread of its own, and hands in blocks on another.

    So a judge that takes its time holds up no sample. What waits is bounded: when the judge
    falls behind by half a second the oldest is given up, counted and told as an overrun. An
    error of the bus is told by name, and tried again after pauses that grow.

    Args:
        converter: Read until this is closed, and closed with it.
        channels: How many it has.
        rate_hz: Rounds a second that are wanted.
        complaints: Where troubles go.
    """

    def __init__(
        self, converter: Converter, channels: int, rate_hz: float, complaints: Complaints
    ) -> None:
        self._converter = converter
        self._channels = channels
        self._complaints = complaints
        self._closing = threading.Event()
        self._queue = BlockQueue(WAITING_BLOCKS)
        self._threads: tuple[threading.Thread, ...] = ()
        self._is_reading = False  # or pauses after an error, which was told
        self._pauses_s = _pauses_s()
        self._overruns = Overruns(complaints)
        self.pace = Pace(rate_hz)
        """How well it is read, as of the last burst."""

    @property
    def channels(self) -> int:
        """How many channels each block has."""
        return self._channels

    def start(self, take: TakeBlock) -> None:
        """Begin to read and to hand in."""
        self._threads = (
            threading.Thread(target=self._read, name="piezos", daemon=True),
            threading.Thread(target=self._listen, args=(take,), name="listener", daemon=True),
        )
        for thread in self._threads:
            thread.start()

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
                self._complaints.heal(PIEZOS, Trouble.STUCK)
                take(block)
            elif self._is_reading:
                self._complaints.tell(PIEZOS, Trouble.STUCK, _HANGS)

    def _read(self) -> None:
        while not self._closing.is_set():
            try:
                self._read_on()
            except TooSlow as error:
                self._is_reading = False
                self._complaints.tell(PIEZOS, Trouble.PART, str(error))
                return
            except Exception as error:  # noqa: BLE001 - each pin library brings its own errors
                self._is_reading = False
                _log.warning("%s: %r", PIEZOS, error)
                self._complaints.tell(PIEZOS, Trouble.PART, _why(error))
                self._closing.wait(next(self._pauses_s))

    def _read_on(self) -> None:
        """Read until closed.

        Raises:
            Exception: The bus refuses, in the words of its library.
        """
        self._is_reading = True
        reached_hz = self._tuned_hz()
        self._complaints.heal(PIEZOS, Trouble.PART)
        self._pauses_s = _pauses_s()
        stream, life = Stream(self._channels, reached_hz), _Life()
        while not self._closing.is_set():
            burst = self._converter.burst()
            life.look(burst)
            for block in stream.add(burst, self._converter.skew_s):
                self._queue.put(block)
            missed = self.pace.missed + stream.missed() + self._queue.dropped()
            drawn = self.pace.drawn + stream.drawn()
            self.pace = replace(self.pace, reached_hz=stream.rate_hz, missed=missed, drawn=drawn)
            self._overruns.look(missed, burst.end_s)

    def _tuned_hz(self) -> float:
        """Bring the converter to its pace, and return what was reached."""
        wanted_hz = self.pace.wanted_hz
        reached_hz = self._tried_hz()
        for _ in range(TRIALS):
            if abs(reached_hz / wanted_hz - 1) < 1 - NEAR or self._closing.is_set():
                break
            self._converter.tune(reached_hz)
            reached_hz = self._tried_hz()
        self.pace = replace(self.pace, reached_hz=reached_hz)
        if reached_hz < TOO_SLOW_HZ:
            raise TooSlow(_too_slow(reached_hz, self._converter.remedy))
        if self.pace.is_slow:
            self._complaints.tell(PIEZOS, Trouble.SLOW, _slow(self.pace, self._converter.remedy))
        else:
            self._complaints.heal(PIEZOS, Trouble.SLOW)
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


class Overruns:
    """Tells that samples were missed, no more than once a second, and for a while after."""

    def __init__(self, complaints: Complaints) -> None:
        self._complaints = complaints
        self._seen = 0
        self._last_s: float | None = None
        self._told_s = float("-inf")

    def look(self, missed: int, now_s: float) -> None:
        """Take note that *missed* rounds were missed in all."""
        if missed > self._seen:
            self._seen, self._last_s = missed, now_s
            if now_s >= self._told_s + OVERRUN_AGAIN_S:
                self._told_s = now_s
                self._complaints.tell(PIEZOS, Trouble.OVERRUN, _overrun(missed))
        elif self._last_s is not None and now_s >= self._last_s + OVERRUN_TOLD_S:
            self._last_s = None
            self._complaints.heal(PIEZOS, Trouble.OVERRUN)


_HANGS = (
    "the bus of the piezos hangs: it answers nothing, and says no error. Pull the box's plug and "
    "put it in again; if that does not help, check the converter's wires"
)


def _pauses_s() -> Iterator[float]:
    """Yield how long to leave a bus alone that has failed, each time longer."""
    pause_s = FIRST_PAUSE_S
    while True:
        yield pause_s
        pause_s = min(2 * pause_s, LONGEST_PAUSE_S)


def _why(error: Exception) -> str:
    if isinstance(error, NobodyAnswers):
        return (
            "no converter answers on SPI0. Check its power and its wires; CS on GPIO 8 is [adc] "
            "chip_select 0, on GPIO 7 it is 1 (docs/config.md, adc)"
        )
    reason = (getattr(error, "strerror", None) or str(error)).strip("'\" .")
    return (
        f"the converter of the piezos cannot be read ({reason or type(error).__name__}). "
        "Check its wires; it is tried again"
    )


def _too_slow(reached_hz: float, remedy: str) -> str:
    return (
        f"the piezos can be read only {reached_hz:.0f} times a second, too slow to tell a knock; "
        f"{remedy}"
    )


def _slow(pace: Pace, remedy: str) -> str:
    return (
        f"the piezos are read at {pace.reached_hz / 1000:.1f} kHz instead of "
        f"{pace.wanted_hz / 1000:.1f}. Knocks are heard, but told from noise less well; {remedy}"
    )


def _overrun(missed: int) -> str:
    return (
        f"the box could not keep up with the piezos: {missed} samples a channel were missed so "
        "far. Stop what else runs on it, or lower [adc] rate_hz"
    )
