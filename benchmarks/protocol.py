"""The protocol: what is measured, at which levels, rates and bits, with which luck.

docs/bench.md tells it so that others can do the same without this code. Whatever changes a figure
that others may have measured, changes `PROTOCOL`.
"""

import shutil
import wave
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zlib import crc32

from benchmarks.labels import LABELS, Labelled
from kloplei.recordings.wav import open_recording

PROTOCOL = 1

LEVELS_DB = (0.0, -6.0, -12.0, -18.0, -24.0)
RATES_HZ = (8000, 4000, 2000)
BITS = (16, 12, 10)
LESSONS = ((0, 0), (5, 3), (20, 20), (60, 60))  # knocks and noises that a rig teaches
FEWEST_ASKED = 5  # knocks of a rig that are left when so many were taught
DRAWS = 3  # times that lessons are drawn anew
TABLES = 4  # virtual ones that are rigs as well
TAUGHT_FROM = 0.035  # of full scale: what is softer is no lesson, for it wakes nobody
CODES_OF_NOISE = 1.0  # that a converter adds, as the standard deviation
_TAPS = 63  # of the low-pass before samples are left out
_PASSES = 0.45  # of the rate


@dataclass(frozen=True, slots=True)
class Condition:
    """How a recording reaches the ears: so much softer, at such a rate, with so many bits."""

    level_db: float = 0.0
    rate_hz: int = 4000
    bits: int = 10

    def __str__(self) -> str:
        return f"{self.level_db:+.0f} dB, {self.rate_hz / 1000:g} kHz, {self.bits} bits"


USUAL = Condition()
"""What a box has: an MCP3008 that reads a disc 4,000 times a second."""


@dataclass(frozen=True, slots=True)
class Extent:
    """How much of the protocol is measured: all of it, or what a few minutes allow."""

    levels_db: tuple[float, ...] = LEVELS_DB
    rates_hz: tuple[int, ...] = RATES_HZ
    bits: tuple[int, ...] = BITS
    lessons: tuple[tuple[int, int], ...] = LESSONS
    draws: int = DRAWS
    tables: int = TABLES

    def levels(self) -> list[Condition]:
        """Return the rungs of the ladder of levels."""
        return [Condition(level_db=one) for one in self.levels_db]

    def rates(self) -> list[Condition]:
        """Return the rungs of the ladder of rates and bits."""
        return [Condition(rate_hz=hz, bits=bits) for hz in self.rates_hz for bits in self.bits]


WHOLE = Extent()
QUICK = Extent(
    levels_db=(0.0, -12.0, -24.0),
    rates_hz=(8000, 4000),
    bits=(16, 10),
    lessons=LESSONS[:3],
    draws=1,
    tables=1,
)


def luck_of(*what: object) -> Any:
    """Return numpy's generator for *what*: the same today and elsewhere."""
    import numpy as np

    return np.random.default_rng(crc32(" ".join(map(str, (PROTOCOL, *what))).encode()))


def converted(samples: Sequence[float], rate_hz: int, to: Condition, name: str) -> Any:
    """Return *samples* as a converter hands them on, in whole codes, as an array.

    They are turned down, brought to the rate through a low-pass that delays nothing (63 taps, a
    Hamming window, half of it gone at 0.45 of the rate), given `CODES_OF_NOISE` and rounded.

    Args:
        samples: Of one channel, full scale -1 to 1.
        rate_hz: Of *samples*; lower ones than that of *to* stay as they are.
        to: How they reach the ears.
        name: Of the recording: the noise is drawn by it.
    """
    import numpy as np

    sound = np.asarray(samples, dtype=float) * 10 ** (to.level_db / 20)
    by = max(1, rate_hz // to.rate_hz)
    if by > 1:
        at = np.arange(_TAPS) - _TAPS // 2
        share = 2 * _PASSES / by
        taps = share * np.sinc(share * at) * np.hamming(_TAPS)
        sound = np.convolve(sound, taps / taps.sum(), "same" if len(sound) >= _TAPS else "full")
        sound = sound[::by][: -(-len(samples) // by)]
    half = 1 << (to.bits - 1)
    codes = half * sound + luck_of(name, to).normal(0, CODES_OF_NOISE, len(sound))
    return np.clip(np.round(codes), -half, half - 1).astype(int)


def converted_folder(folder: Path, labels: Sequence[Labelled], to: Condition, into: Path) -> None:
    """Write the first channel of all recordings, *to* so converted, *into* another folder.

    They are WAV files of 16 bits, whose lowest bits are 0; `labels.json` goes along.
    """
    for one in labels:
        with open_recording(str(folder / one.file)) as recording:
            rate_hz = recording.rate_hz
            samples = [x for block in recording.blocks() for x in block.channels[0]]
        codes = converted(samples, rate_hz, to, one.file)
        path = into / one.file
        path.parent.mkdir(parents=True, exist_ok=True)
        with wave.open(str(path), "wb") as written:
            written.setnchannels(1)
            written.setsampwidth(2)
            written.setframerate(rate_hz // max(1, rate_hz // to.rate_hz))
            written.writeframes((codes << (16 - to.bits)).astype("<i2").tobytes())
    shutil.copy(folder / LABELS, into / LABELS)
