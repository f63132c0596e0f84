"""What finding knocks costs: time for each second of sound, start and memory."""

import subprocess
import sys
import tempfile
import time
import wave
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from benchmarks.methods import Method
from kloplei.knock.detector import Listener
from kloplei.knock.signal import Block
from kloplei.recordings.wav import BLOCK_S, Thinner, open_recording

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
    """Return blocks of four channels that hear the same, one a little after the other."""
    thinner = Thinner(max(1, rate_hz // RATE_HZ), 1)
    (thinned,) = thinner.thin([samples])
    step = round(BLOCK_S * RATE_HZ)
    late = [
        [*chain([0.0] * (_DELAY_SAMPLES * channel), thinned)][: len(thinned)]
        for channel in range(CHANNELS)
    ]
    return [
        Block(at / RATE_HZ, RATE_HZ, tuple(channel[at : at + step] for channel in late))
        for at in range(0, len(thinned), step)
    ]
