"""From bytes to samples: full scale -1 to 1, each channel by itself."""

import sys
from array import array
from itertools import repeat
from math import isfinite
from operator import mul
from typing import TypeVar

from kloplei.knock.signal import Samples, finite
from kloplei.recordings.errors import NotWav
from kloplei.recordings.wav import Layout

LOUDEST_FLOAT = 256.0  # float samples beyond it were never scaled to 1

_UNSIGNED_TO_SIGNED = bytes(value ^ 0x80 for value in range(256))
_TYPES = {1: "b", 2: "h", 3: "i", 4: "i"}
_FLOAT_TYPES = {4: "f", 8: "d"}
_SCALES = {1: 2.0**-7, 2: 2.0**-15, 3: 2.0**-31, 4: 2.0**-31}  # 3 bytes are read as the upper of 4

_Number = TypeVar("_Number", int, float)


class Unpacker:
    """Turns the frames of one recording into samples, piece by piece."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self.clipped = False  # a float sample was beyond full scale
        self.silenced = False  # a float sample was no number, or without end

    def unpack(self, frames: bytes) -> tuple[Samples, ...]:
        """Return the samples of each channel, full scale -1 to 1; *frames* must be whole ones.

        Raises:
            NotWav: They are numbers that nobody scaled to that range.
        """
        layout = self._layout
        if layout.is_float:
            return tuple(self._sound(part) for part in _split(_floats(frames, layout), layout))
        scale = repeat(_SCALES[layout.width])
        numbers = _integers(frames, layout.width)
        return tuple(list(map(mul, part, scale)) for part in _split(numbers, layout))

    def _sound(self, samples: Samples) -> Samples:
        """Return *samples* with what no converter gives taken out.

        What is no number, or without end, becomes silence.
        """
        # Nearly always all is well, and that is quickly seen; a not-a-number shows in the sum.
        if max(map(abs, samples)) <= 1.0 and isfinite(sum(samples)):
            return list(samples)
        self.silenced = self.silenced or not all(map(isfinite, samples))
        sound = finite(samples)
        loudest = max(map(abs, sound))
        if loudest > LOUDEST_FLOAT:
            raise NotWav(f"has float samples up to {loudest:.4g}, but 1 is full scale; divide them")
        self.clipped = self.clipped or loudest > 1.0
        return within_full_scale(sound)


def within_full_scale(samples: Samples) -> Samples:
    """Return *samples* with what is beyond full scale clipped to it."""
    if max(samples) <= 1.0 and min(samples) >= -1.0:
        return samples
    return [max(-1.0, min(1.0, sample)) for sample in samples]


def _split(samples: "array[int] | array[float]", layout: Layout) -> list[Samples]:
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
