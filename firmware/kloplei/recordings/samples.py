"""From bytes to samples: full scale -1 to 1, free of any bias, a channel apart from the others."""

import sys
from array import array
from collections.abc import Sequence
from itertools import repeat
from math import isfinite
from operator import mul
from typing import TypeVar

from kloplei.knock.signal import Samples
from kloplei.recordings.errors import NotWav
from kloplei.recordings.wav import Layout

LOUDEST_FLOAT = 256.0  # float samples beyond it were never scaled to 1; see `_sound`
BIAS_S = 2.0  # how slowly the bias of a channel is followed

_UNSIGNED_TO_SIGNED = bytes(value ^ 0x80 for value in range(256))
_TYPES = {1: "b", 2: "h", 3: "i", 4: "i"}
_FLOAT_TYPES = {4: "f", 8: "d"}
_SCALES = {1: 2.0**-7, 2: 2.0**-15, 3: 2.0**-31, 4: 2.0**-31}  # 3 bytes are read as the upper of 4

_Number = TypeVar("_Number", int, float)


class Unpacker:
    """Turns the frames of one recording into samples, piece by piece and in order."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._biases: list[float] | None = None
        self.clipped = False  # a float sample was beyond full scale

    def unpack(self, frames: bytes) -> tuple[Samples, ...]:
        """Return the samples of each channel; *frames* must be whole ones, at least one."""
        layout = self._layout
        if layout.is_float:
            channels = [self._sound(part) for part in _split(_floats(frames, layout), layout)]
        else:
            numbers = _integers(frames, layout.width)
            scale = repeat(_SCALES[layout.width])
            channels = [list(map(mul, part, scale)) for part in _split(numbers, layout)]
        self._follow_bias(channels)
        biases = self._biases or []
        return tuple(_without(bias, part) for bias, part in zip(biases, channels, strict=True))

    def _sound(self, samples: Sequence[float]) -> list[float]:
        """Return *samples* with what no converter gives taken out: not-a-numbers are silence."""
        loudest = max(map(abs, samples))
        if loudest <= 1.0 and isfinite(sum(samples)):
            return list(samples)
        sound = [sample if isfinite(sample) else 0.0 for sample in samples]
        loudest = max(map(abs, sound))
        if loudest > LOUDEST_FLOAT:
            raise NotWav(f"has float samples up to {loudest:.4g}, but 1 is full scale; divide them")
        self.clipped = self.clipped or loudest > 1.0
        return sound

    def _follow_bias(self, channels: list[list[float]]) -> None:
        """Move the biases towards what the mean of each channel is now, or begin there."""
        if self._biases is None:
            # The middle one, not the mean: a recording may begin with a knock.
            self._biases = [sorted(part)[len(part) // 2] for part in channels]
            return
        pace = min(1.0, len(channels[0]) / (BIAS_S * self._layout.rate_hz))
        self._biases = [
            bias + pace * (sum(part) / len(part) - bias)
            for bias, part in zip(self._biases, channels, strict=True)
        ]


def _split(samples: "array[int] | array[float]", layout: Layout) -> list[Sequence[float]]:
    return [samples[at :: layout.channels] for at in range(layout.channels)]


def _integers(frames: bytes, width: int) -> "array[int]":
    if width == 1:  # the only unsigned one
        frames = frames.translate(_UNSIGNED_TO_SIGNED)
    if width == 3:  # no array type has three bytes
        wide = bytearray(len(frames) // 3 * 4)
        wide[1::4], wide[2::4], wide[3::4] = frames[::3], frames[1::3], frames[2::3]
        frames = bytes(wide)
    return _in_our_order(array(_TYPES[width], frames))


def _floats(frames: bytes, layout: Layout) -> "array[float]":
    return _in_our_order(array(_FLOAT_TYPES[layout.width], frames))


def _in_our_order(numbers: "array[_Number]") -> "array[_Number]":
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def _without(bias: float, samples: list[float]) -> list[float]:
    centred = [sample - bias for sample in samples]
    if max(centred) > 1.0 or min(centred) < -1.0:
        return [max(-1.0, min(1.0, sample)) for sample in centred]
    return centred
