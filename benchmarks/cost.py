"""What finding knocks costs: time for each second of sound, start and memory.

Also at tables where something is always over the threshold (`TABLES`), and by a sound card. Times
differ from run to run; `steps_of` counts what is the same each time.
"""

import math
import subprocess
import sys
import tempfile
import time
import wave
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any

from benchmarks.methods import Method
from benchmarks.race.yardstick import plain_sums, times_as_long
from kloplei.devices.audio import S16, SampleFormat, SoundCard
from kloplei.games.game import Seat
from kloplei.knock.detector import Listener
from kloplei.knock.judgement import Judgement
from kloplei.knock.signal import Block
from kloplei.recordings.wav import BLOCK_S, Thinner, open_recording
from tests.recordings.sounds import knock, sound

TRIES = 3  # the best counts: what else the machine does only ever adds
CHANNELS, RATE_HZ = 4, 4000  # what the box samples at the least
_WATCHER = """
import os, sys, time
begun_s = time.perf_counter()
quiet = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
process = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=quiet)
_, status, used = os.wait4(process, 0)
print(time.perf_counter() - begun_s, used.ru_maxrss)
sys.exit(os.waitstatus_to_exitcode(status))
"""
_DELAY_SAMPLES = 3  # from one sensor to the next: a hand's breadth of wood


@dataclass(frozen=True, slots=True)
class Cost:
    """Processor time that one method takes for *sound_s* seconds of *channels* channels."""

    name: str
    spent_s: float
    sound_s: float
    channels: int = 1

    @property
    def real_time_factor(self) -> float:
        """Share of one core while the sound comes in."""
        return self.spent_s / self.sound_s

    @property
    def microseconds(self) -> float:
        """For a second of one channel."""
        return 1e6 * self.real_time_factor / self.channels


@dataclass(frozen=True, slots=True)
class Start:
    """What ``kloplei listen`` takes for one second of silence: nearly all of it is the start."""

    seconds: float
    memory_mb: float


def cost_of(method: Method, samples: Sequence[float], rate_hz: int) -> Cost:
    """Return what *method* takes for *samples* of one channel, which it has in its own form."""
    prepared = method.prepare(samples, rate_hz)
    spent_s = _best(lambda: method.detect(prepared, rate_hz))
    return Cost(method.name, spent_s, len(samples) / rate_hz)


def cost_of_the_box(samples: Sequence[float], rate_hz: int) -> Cost:
    """Return what the listener takes for four channels at 4 kHz, made of *samples*."""
    blocks = _four_sensors(samples, rate_hz)

    def listen() -> None:
        listener = Listener()
        for block in blocks:
            listener.feed(block)
        listener.flush()

    sound_s = blocks[-1].end_s
    return Cost(f"Kloplei, {CHANNELS} channels at {RATE_HZ} Hz", _best(listen), sound_s, CHANNELS)


TABLE_S = 8.0  # so long each of them is listened to
LIVE_S = 0.016  # of each block that a converter gives
_NOISE = 0.0005  # of full scale: what a converter makes by itself


@dataclass(frozen=True, slots=True)
class BusyTable:
    """A table where something goes on all the time; *heard* gives so many samples a second."""

    name: str
    heard: Callable[[int], list[float]]

    def blocks(self, rate_hz: int, lasting_s: float = TABLE_S) -> list[Block]:
        """Return what four discs feel of it, as a converter hands it in."""
        one = self.heard(rate_hz)[: round(lasting_s * rate_hz)]
        return _in_blocks(one, rate_hz, LIVE_S)


def _quiet(rate_hz: int) -> list[float]:
    luck = Random(1)  # noqa: S311 - the same each time, here and below
    return [luck.gauss(0.0, _NOISE) for _ in range(round(TABLE_S * rate_hz))]


def _drumming(rate_hz: int) -> list[float]:
    """Ten blows a second, as fast as two hands drum."""
    blows = [knock(0.05 + 0.1 * at) for at in range(round(10 * TABLE_S))]
    drummed = sound(TABLE_S, blows, rate_hz)
    return [one + noise for one, noise in zip(drummed, _quiet(rate_hz), strict=True)]


def _music(rate_hz: int) -> list[float]:
    """Four chords a second, in the wood, at ten times the threshold and less."""
    luck = Random(4)  # noqa: S311
    played = _quiet(rate_hz)
    lasts = rate_hz // 4
    for begin in range(0, len(played), lasts):
        tones_hz = [110 * 2 ** (key / 12) for key in luck.sample(range(24), 3)]
        for at in range(begin, min(begin + lasts, len(played))):
            level = 0.15 * 10 ** (-(at - begin) / rate_hz / 0.3)
            played[at] += level * sum(math.sin(math.tau * hz * at / rate_hz) for hz in tones_hz)
    return played


def _chatter(rate_hz: int) -> list[float]:
    """Many voices at once, never below the threshold."""
    luck, felt, said = Random(5), 0.0, []  # noqa: S311
    for at in range(round(TABLE_S * rate_hz)):
        since_s = at / rate_hz
        swell = 1.2 + math.sin(math.tau * 4.3 * since_s) * math.sin(math.tau * 1.1 * since_s)
        felt = 0.7 * felt + 0.06 * swell * luck.gauss(0.0, 1.0)
        said.append(max(-1.0, min(1.0, felt)))
    return said


TABLES = (
    BusyTable("quiet", _quiet),
    BusyTable("voices, always over the threshold", _chatter),
    BusyTable("music in the wood, four chords a second", _music),
    BusyTable("drumming, ten blows a second", _drumming),
)


def cost_at(table: BusyTable, rate_hz: int) -> tuple[Cost, float]:
    """Return what the listener takes at *table*, and how many blows it judged a second."""
    blocks = table.blocks(rate_hz)
    judged = sum(isinstance(one, Judgement) for one in heard(blocks))
    name = f"Kloplei, {CHANNELS} channels at {rate_hz} Hz, {table.name}"
    spent_s = _best(lambda: heard(blocks))
    return Cost(name, spent_s, TABLE_S, CHANNELS), judged / TABLE_S


def times_on_a_pi() -> float:
    """Return how many times as long a Pi Zero 2 W takes, reckoned by what plain sums take here."""
    return times_as_long(1e3 * _best(plain_sums))


def heard(blocks: Sequence[Block]) -> list[object]:
    """Return what a listener with a disc at each of four seats finds."""
    listener = Listener([Seat(at) for at in range(CHANNELS)])
    found = [one for block in blocks for one in listener.feed(block)]
    return [*found, *listener.flush()]


def steps_of(do: Callable[[], object]) -> int:
    """Return how many bytecodes are run to *do* it: the same each time with the same Python.

    What one of them does in C counts as one, however long it takes.
    """
    steps = 0

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal steps
        frame.f_trace_lines, frame.f_trace_opcodes = False, True
        steps += event == "opcode"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        do()
    finally:
        sys.settrace(before)
    return steps


class _Card:
    """A sound card that has the next frames ready whenever it is asked."""

    rate_hz = 48000

    def __init__(self, channels: int, kind: SampleFormat) -> None:
        luck = Random(6)  # noqa: S311
        self.channels = channels
        self._kind = kind
        count = round(LIVE_S * self.rate_hz) * channels * kind.sample_bytes
        self._frames = luck.randbytes(count)

    def read(self) -> "array[int]":
        return self._kind.samples(self._frames)

    def close(self) -> None:
        pass


def cost_of_a_card(channels: int, kind: SampleFormat = S16) -> Cost:
    """Return what it takes to bring so many *channels* of *kind* down from 48 kHz, unheard."""
    now_s = [0.0]
    card = SoundCard(lambda: _Card(channels, kind), range(channels), lambda: now_s[0])

    def bring_down() -> None:
        for _ in range(round(1 / LIVE_S)):
            now_s[0] += LIVE_S
            card.burst()

    name = f"a sound card, {channels} channels of {kind.name} from {_Card.rate_hz} Hz"
    return Cost(name, _best(bring_down), round(1 / LIVE_S) * LIVE_S, channels)


def cost_of_reading(path: Path) -> Cost:
    """Return what reading the WAV file takes, without listening."""

    def read() -> None:
        with open_recording(str(path)) as recording:
            for _ in recording.blocks():
                pass

    with open_recording(str(path)) as recording:
        sound_s, channels = recording.duration_s or 0.0, recording.channels
    return Cost("reading a recording", _best(read), sound_s, channels)


def start_of_listen() -> Start:
    """Return what the command takes that does next to nothing."""
    with tempfile.TemporaryDirectory() as folder:
        silence = Path(folder) / "silence.wav"
        with wave.open(str(silence), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(8000)
            file.writeframes(bytes(2 * 8000))
        starts = [_start_of(silence) for _ in range(TRIES)]
    return min(starts, key=lambda one: one.seconds)


def _start_of(recording: Path) -> Start:
    # Started by a small process in between: the kernel counts the memory of the one that
    # starts a process as the process's own.
    command = [sys.executable, "-m", "kloplei", "listen", "--json", str(recording)]
    done = subprocess.run(
        [sys.executable, "-c", _WATCHER, *command], capture_output=True, text=True, check=True
    )
    seconds, memory_kb = map(float, done.stdout.split())
    return Start(seconds, memory_kb / 1024)


def _best(run: Callable[[], object]) -> float:
    def once() -> float:
        begun_s = time.process_time()
        run()
        return time.process_time() - begun_s

    return min(once() for _ in range(TRIES))


def _four_sensors(samples: Sequence[float], rate_hz: int) -> list[Block]:
    """Return blocks of four channels at `RATE_HZ` that hear *samples*."""
    thinner = Thinner(max(1, rate_hz // RATE_HZ), 1)
    (thinned,) = thinner.thin([samples])
    return _in_blocks(thinned, RATE_HZ, BLOCK_S)


def _in_blocks(samples: Sequence[float], rate_hz: int, lasting_s: float) -> list[Block]:
    """Return blocks of four channels that hear the same, one a little after the other."""
    step = round(lasting_s * rate_hz)
    late = [
        [*chain([0.0] * (_DELAY_SAMPLES * channel), samples)][: len(samples)]
        for channel in range(CHANNELS)
    ]
    return [
        Block(at / rate_hz, rate_hz, tuple(channel[at : at + step] for channel in late))
        for at in range(0, len(samples), step)
    ]
