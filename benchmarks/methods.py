"""The ways of finding knocks that are compared: Kloplei's own, and what others offer.

Each method is given samples of one channel and returns what it found. The settings of the
others were chosen by trying them on the recordings that Kloplei was trained on, for the best
mean of knock, scene and hard scene F1; they are stated beside their names.
"""

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from math import log2
from typing import Any, Protocol

from benchmarks.scoring import Detection
from kloplei.knock.detector import Listener
from kloplei.knock.judgement import Judgement, Verdict
from kloplei.knock.signal import Block
from kloplei.recordings.wav import BLOCK_S


class Method(Protocol):
    """One way of finding knocks."""

    name: str
    settings: str

    def prepare(self, samples: Sequence[float], rate_hz: int) -> Any:
        """Return *samples* in the form that this method takes; not part of its cost."""
        ...

    def detect(self, samples: Any, rate_hz: int) -> list[Detection]:
        """Return the knocks in what `prepare` returned."""
        ...


@dataclass(frozen=True, slots=True)
class Absent:
    """A method that cannot be compared here, and why."""

    name: str
    why: str


class Threshold:
    """The classic sketch: louder than a level, then deaf for a while."""

    name = "fixed threshold"

    def __init__(self, level: float = 0.15, dead_s: float = 0.12) -> None:
        self._level, self._dead_s = level, dead_s
        self.settings = f"level {level:g} of full scale, dead time {1000 * dead_s:g} ms"

    def prepare(self, samples: Sequence[float], rate_hz: int) -> Sequence[float]:
        """Return them as they are."""
        return samples

    def detect(self, samples: Sequence[float], rate_hz: int) -> list[Detection]:
        """Return every first sample over the level."""
        found: list[Detection] = []
        again_s = 0.0
        for at, sample in enumerate(samples):
            if abs(sample) >= self._level and at / rate_hz >= again_s:
                found.append(Detection(at / rate_hz, at / rate_hz))
                again_s = at / rate_hz + self._dead_s
        return found


class Aubio:
    """aubio's onset detector."""

    name = "aubio"

    def __init__(
        self, method: str = "specflux", threshold: float = 1.5, silence_db: float = -32.0
    ) -> None:
        self._aubio = importlib.import_module("aubio")
        self._numpy = importlib.import_module("numpy")
        self._method, self._threshold, self._silence_db = method, threshold, silence_db
        self.settings = (
            f"{method}, window 32 ms, hop 8 ms, threshold {threshold:g}, "
            f"silence {silence_db:g} dB, 120 ms apart"
        )

    def prepare(self, samples: Sequence[float], rate_hz: int) -> Any:
        """Return an array of floats."""
        return self._numpy.asarray(samples, dtype="float32")

    def detect(self, samples: Any, rate_hz: int) -> list[Detection]:
        """Return its onsets, each decided at the end of the hop it came with."""
        hop = _window(rate_hz) // 4
        onset = self._aubio.onset(self._method, 4 * hop, hop, rate_hz)
        onset.set_threshold(self._threshold)
        onset.set_silence(self._silence_db)
        onset.set_minioi_s(0.12)
        return [
            Detection(float(onset.get_last_s()), (at + hop) / rate_hz)
            for at in range(0, len(samples) - hop + 1, hop)
            # It takes the beginning of every recording for an onset; no knock is at 0.
            if onset(samples[at : at + hop]) and onset.get_last() > 0
        ]


class Librosa:
    """librosa's spectral flux and peak picking, and a gate on the level."""

    name = "librosa"

    def __init__(self, delta: float = 0.3, level: float = 0.15) -> None:
        self._librosa = importlib.import_module("librosa")
        self._numpy = importlib.import_module("numpy")
        self._delta, self._level = delta, level
        self.settings = (
            f"spectral flux, window 32 ms, hop 4 ms, delta {delta:g}, 120 ms apart, "
            f"level {level:g} within 30 ms; hears all before it answers"
        )

    def prepare(self, samples: Sequence[float], rate_hz: int) -> Any:
        """Return an array of floats."""
        return self._numpy.asarray(samples, dtype="float32")

    def detect(self, samples: Any, rate_hz: int) -> list[Detection]:
        """Return its onsets that are loud enough."""
        window = _window(rate_hz)
        onsets_s = self._librosa.onset.onset_detect(
            y=samples,
            sr=rate_hz,
            hop_length=window // 8,
            units="time",
            delta=self._delta,
            wait=int(0.12 * rate_hz / (window // 8)),
            onset_envelope=self._librosa.onset.onset_strength(
                y=samples,
                sr=rate_hz,
                hop_length=window // 8,
                n_fft=window,
                n_mels=min(40, 40 * window // 256),
            ),
        )
        return [
            Detection(float(at_s)) for at_s in onsets_s if self._is_loud(samples, at_s, rate_hz)
        ]

    def _is_loud(self, samples: Any, at_s: float, rate_hz: int) -> bool:
        at = round(at_s * rate_hz)
        near = samples[max(0, at - rate_hz // 100) : at + rate_hz * 3 // 100]
        return bool(len(near)) and float(abs(near).max()) >= self._level


def _window(rate_hz: int) -> int:
    """Return how many samples 32 ms are: a power of two, as both of them want."""
    return 1 << round(log2(0.032 * rate_hz))


class Kloplei:
    """Kloplei's listener, fed block by block as the box is."""

    name = "Kloplei"
    settings = "as it comes: no calibration"

    def prepare(self, samples: Sequence[float], rate_hz: int) -> list[Block]:
        """Return the blocks that a recording comes in."""
        step = round(BLOCK_S * rate_hz)
        return [
            Block(at / rate_hz, rate_hz, (list(samples[at : at + step]),))
            for at in range(0, len(samples), step)
        ]

    def detect(self, blocks: Sequence[Block], rate_hz: int) -> list[Detection]:
        """Return what was judged a knock."""
        listener = Listener()
        findings = [one for block in blocks for one in listener.feed(block)]
        return [
            Detection(one.at_s, one.decided_at_s)
            for one in (*findings, *listener.flush())
            if isinstance(one, Judgement) and one.verdict is Verdict.KNOCK
        ]


def methods() -> tuple[list[Method], list[Absent]]:
    """Return the methods that can be compared here, and those that are missing."""
    there: list[Method] = [Kloplei(), Threshold()]
    absent: list[Absent] = []
    for kind in (Aubio, Librosa):
        try:
            there.append(kind())
        except ImportError as error:
            absent.append(Absent(kind.name, f"{error}; pip install '.[bench]'"))
    return there, absent
