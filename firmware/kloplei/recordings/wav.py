"""A recording in a WAV file, from its head to samples of -1 to 1, 48 kHz or less, block by block.

The standard library's `wave` reads neither float samples nor WAVE_FORMAT_EXTENSIBLE before
Python 3.12, nor a stream whose length its writer did not know; soundfile reads them all and
brings numpy along. RIFF is a list of chunks, so little is needed to read it well.
"""

import os
import stat
import struct
import sys
from array import array
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import repeat
from math import ceil, cos, isfinite, pi, sin
from operator import add, mul
from pathlib import Path
from typing import BinaryIO

from kloplei.files import KlopleiError, little_endian, reason_of
from kloplei.frozen import dataclass, replace
from kloplei.knock.signal import Block, DcOffset, Samples, finite


class UnreadableRecording(KlopleiError, ValueError):
    """A file that is no recording Kloplei can listen to."""

    @classmethod
    def of(cls, name: str, why: str) -> "UnreadableRecording":
        """Return the complaint about the file *name*; *why* says what is wrong and what helps."""
        return cls(f"{name}: {why}")


class NotWav(ValueError):
    """Why bytes are no WAV file of ours; whoever knows the file's name puts it in front."""


MAX_CHANNELS = 16
MIN_RATE_HZ, MAX_RATE_HZ = 2000, 192_000
_CHUNK = struct.Struct("<4sI")
_FORMAT = struct.Struct("<HHIIHH")
_DATA_SIZE = struct.Struct("<8xQ")  # of a ds64 chunk, after the size of the whole file
_PCM, _FLOAT, _EXTENSIBLE = 1, 3, 0xFFFE
_SUBFORMAT = slice(24, 40)  # of an extensible format; its first two bytes are the plain format
_SUBFORMAT_TAIL = bytes.fromhex("000000001000800000aa00389b71")
_COMPRESSED = {2: "ADPCM", 6: "A-law", 7: "mu-law", 17: "IMA ADPCM", 85: "MP3"}
_UNKNOWN_SIZES = (0, 0xFFFF_FFFF)  # of the samples: the writer did not know it yet
_LONGEST_FORMAT = 1024  # bytes; real ones have 16 to 40
_GULP = 1 << 16

_OTHERS = {
    b"ID3": "an MP3",
    b"\xff\xfb": "an MP3",
    b"\xff\xf3": "an MP3",
    b"OggS": "an Ogg file",
    b"fLaC": "a FLAC file",
    b"FORM": "an AIFF file",
    b"RIFX": "a big-endian WAV file",
    b"\x1aE\xdf\xa3": "a WebM or Matroska file",
}


@dataclass(frozen=True, slots=True)
class WavLayout:
    """How the samples of a recording lie on disk.

    *width* is the bytes of one sample of one channel. *frames* is how many samples of each
    channel the head promises, None where the writer did not know.
    """

    rate_hz: int
    channels: int
    width: int
    is_float: bool
    frames: int | None = None

    @property
    def frame_bytes(self) -> int:
        """Bytes of one sample of every channel."""
        return self.width * self.channels


def read_head(file: BinaryIO) -> WavLayout:
    """Read the head of the WAV *file* and leave it at the first sample.

    Only reads forward, so that a pipe will do, and never more than a piece at a time,
    whatever sizes the head claims.

    Raises:
        NotWav: It is none, or one whose samples cannot be read.
    """
    _check_is_wav(file.read(12))
    layout: WavLayout | None = None
    long_size: int | None = None
    while True:
        name, size = _next_chunk(file)
        if name == b"data":
            break
        kept = file.read(min(size, _LONGEST_FORMAT))
        if name == b"fmt ":
            layout = _layout(kept)
        elif name == b"ds64" and len(kept) >= _DATA_SIZE.size:
            (long_size,) = _DATA_SIZE.unpack_from(kept)
        _skip(file, size + size % 2 - len(kept))  # chunks begin at even places
    if layout is None:
        raise NotWav("its samples come before it says what they are; record it anew")
    return _with_length(layout, size, long_size)


def _check_is_wav(head: bytes) -> None:
    if not head:
        raise NotWav("is empty; record it anew")
    if head[:4] in (b"RIFF", b"RF64", b"BW64") and head[8:] == b"WAVE":
        return
    raise NotWav(f"is {_kind_of(head)}; turn it into one: ffmpeg -i RECORDING NEW.wav")


def _kind_of(head: bytes) -> str:
    for magic, kind in _OTHERS.items():
        if head.startswith(magic):
            return f"{kind}, not a WAV file"
    if head[4:8] == b"ftyp":
        return "an MP4 file, not a WAV file"
    return "no WAV file"


def _next_chunk(file: BinaryIO) -> tuple[bytes, int]:
    head = file.read(_CHUNK.size)
    if len(head) < _CHUNK.size:
        raise NotWav("ends before its first sample; record it anew")
    name, size = _CHUNK.unpack(head)
    return name, size


def _skip(file: BinaryIO, count: int) -> None:
    # Not by seeking: a pipe cannot, and a size that lies would lead beyond the end.
    while count > 0 and (skipped := len(file.read(min(count, _GULP)))):
        count -= skipped


def _layout(chunk: bytes) -> WavLayout:
    if len(chunk) < _FORMAT.size:
        raise NotWav("does not say how its samples are written; record it anew")
    kind, channels, rate_hz, _, frame_bytes, bits = _FORMAT.unpack_from(chunk)
    if kind == _EXTENSIBLE:
        kind = _plain_kind(chunk)
    if not 1 <= channels <= MAX_CHANNELS:
        raise NotWav(f"claims {channels} channels; Kloplei listens to 1 to {MAX_CHANNELS}")
    if not MIN_RATE_HZ <= rate_hz <= MAX_RATE_HZ:
        raise NotWav(
            f"claims {rate_hz} samples a second; Kloplei listens to "
            f"{MIN_RATE_HZ} to {MAX_RATE_HZ}, and 8000 are plenty"
        )
    return WavLayout(rate_hz, channels, _width(kind, bits, frame_bytes, channels), kind == _FLOAT)


def _plain_kind(chunk: bytes) -> int:
    subformat = chunk[_SUBFORMAT]
    if subformat[2:] != _SUBFORMAT_TAIL:
        raise NotWav("has samples of an unknown kind; save it as 16 bit PCM")
    return int.from_bytes(subformat[:2], "little")


def _width(kind: int, bits: int, frame_bytes: int, channels: int) -> int:
    """Return the bytes of one sample; 20 bits may lie in 3 of them or, shifted up, in 4."""
    if kind not in (_PCM, _FLOAT):
        name = _COMPRESSED.get(kind, f"unknown, format {kind}")
        raise NotWav(f"is compressed ({name}); save it as 16 bit PCM")
    allowed = (1, 2, 3, 4) if kind == _PCM else (4, 8)
    needed = -(-bits // 8)
    width, odd = divmod(frame_bytes, channels)
    if odd or width < needed or width not in allowed:
        width = needed  # the block size lies; players do not believe it either
    if width not in allowed:
        sort = "float samples; 32 and 64" if kind == _FLOAT else "samples; 8, 16, 24 and 32"
        raise NotWav(f"has {bits} bit {sort} can be read")
    return width


def _with_length(layout: WavLayout, size: int, long_size: int | None) -> WavLayout:
    if size == 0xFFFF_FFFF and long_size:
        size = long_size
    elif size in _UNKNOWN_SIZES:
        return layout
    return replace(layout, frames=size // layout.frame_bytes)


LOUDEST_FLOAT = 256.0  # float samples beyond it were never scaled to 1
_UNSIGNED_TO_SIGNED = bytes(value ^ 0x80 for value in range(256))
_TYPES = {1: "b", 2: "h", 3: "i", 4: "i"}
_FLOAT_TYPES = {4: "f", 8: "d"}
_SCALES = {1: 2.0**-7, 2: 2.0**-15, 3: 2.0**-31, 4: 2.0**-31}  # 3 bytes are read as the upper of 4


class Unpacker:
    """Turns the frames of one recording into samples, piece by piece."""

    def __init__(self, layout: WavLayout) -> None:
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
            floats = little_endian(array(_FLOAT_TYPES[layout.width], frames))
            return tuple(self._sound(part) for part in _split(floats, layout))
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


def _split(samples: "array[int] | array[float]", layout: WavLayout) -> list[Samples]:
    return [samples[at :: layout.channels] for at in range(layout.channels)]


def _integers(frames: bytes, width: int) -> "array[int]":
    if width == 1:  # the only unsigned one
        frames = frames.translate(_UNSIGNED_TO_SIGNED)
    if width == 3:  # no array type has three bytes
        wide = bytearray(len(frames) // 3 * 4)
        wide[1::4], wide[2::4], wide[3::4] = frames[::3], frames[1::3], frames[2::3]
        frames = bytes(wide)
    return little_endian(array(_TYPES[width], frames))


FASTEST_HZ = 48_000  # more samples a second tell nothing more about a knock
_LOBES = 8  # of the low-pass, on each side: what would fold back is 50 dB down and more
_CORNER = 0.4  # of the new rate: where the low-pass begins to shut


def thinned_by(rate_hz: float) -> int:
    """Return of how many samples one is kept, so that no more than `FASTEST_HZ` are left."""
    return ceil(rate_hz / FASTEST_HZ)


class Thinner:
    """Keeps every *by*-th sample of each channel, through a low-pass that delays nothing.

    To delay nothing it looks `reach` samples ahead, less than a millisecond, so that the
    last ones come out when it is flushed.
    """

    def __init__(self, by: int, channels: int) -> None:
        self._by = by
        self._taps = _low_pass(by)
        self.reach = len(self._taps) // 2
        # Silence before the first sample, so that the first one kept is the first one taken.
        self._waiting: list[list[float]] = [[0.0] * self.reach for _ in range(channels)]

    def thin(self, channels: Sequence[Samples]) -> tuple[Samples, ...]:
        """Return what can be kept of *channels*, which follow those of the last call."""
        if self._by == 1:
            return tuple(channels)
        for waiting, samples in zip(self._waiting, channels, strict=True):
            waiting.extend(samples)
        usable = max(0, len(self._waiting[0]) - 2 * self.reach)
        count = ceil(usable / self._by)
        kept = tuple(self._kept(waiting, count) for waiting in self._waiting)
        for waiting in self._waiting:
            del waiting[: count * self._by]
        return kept

    def flush(self) -> tuple[Samples, ...]:
        """Return the last samples; silence is taken to follow."""
        return self.thin([[0.0] * self.reach] * len(self._waiting))

    def _kept(self, waiting: list[float], count: int) -> list[float]:
        # Tap after tap over all samples: a pass each, in C, where a sum for each sample would
        # be ten times as slow.
        total: list[float] = [0.0] * count
        for at, tap in enumerate(self._taps):
            total = list(map(add, total, map(mul, waiting[at :: self._by], repeat(tap))))
        return total


def _low_pass(by: int) -> list[float]:
    """Return a Hann-windowed sinc that lets pass what *by* times fewer samples can hold."""
    if by == 1:
        return [1.0]
    reach = _LOBES * by
    taps = [
        _sinc(2 * _CORNER * at / by) * (0.5 + 0.5 * cos(pi * at / (reach + 1)))
        for at in range(-reach, reach + 1)
    ]
    scale = sum(taps)
    return [tap / scale for tap in taps]


def _sinc(at: float) -> float:
    return sin(pi * at) / (pi * at) if at else 1.0


STDIN = "-"
BLOCK_S = 0.1
_PLACEHOLDER_BYTES = 0x7FFF_0000  # what arecord and sox promise when they do not know the length


class Recording:
    """An open WAV file, read once and forward, so that a pipe will do.

    Args:
        name: What it is called in complaints.
        file: Where it is read from, at its first byte.

    Raises:
        UnreadableRecording: It is no WAV file, or one that cannot be listened to.
    """

    def __init__(self, name: str, file: BinaryIO) -> None:
        self.name = name
        self._file = file
        with self._complaining():
            self._layout = read_head(file)
        self.rate_hz = self._layout.rate_hz
        """Samples a second of each channel, as recorded."""
        self.channels = self._layout.channels
        """How many sensors were recorded."""
        self._frames = self._frames_there()
        self._frames_read = 0
        self._unpacker = Unpacker(self._layout)

    @property
    def duration_s(self) -> float | None:
        """How long it is, None where only its end will tell."""
        return None if self._frames is None else self._frames / self.rate_hz

    @property
    def read_s(self) -> float:
        """How much of it has been read."""
        return self._frames_read / self.rate_hz

    def blocks(self) -> Iterator[Block]:
        """Yield it block by block, the first sample at 0 s, at 48 kHz or less.

        Raises:
            UnreadableRecording: It cannot be read on, or nothing is in it.
        """
        by = thinned_by(self.rate_hz)
        rate_hz = self.rate_hz / by
        given = 0
        dc_offset = DcOffset()
        for channels in self._thinned(Thinner(by, self.channels)):
            if channels[0]:
                level = dc_offset.taken_off(Block(given / rate_hz, rate_hz, channels))
                yield replace(level, channels=tuple(map(within_full_scale, level.channels)))
            given += len(channels[0])
        if not self._frames_read:
            raise UnreadableRecording.of(self.name, "holds no sound; record it anew")

    def complaints(self) -> Iterator[str]:
        """Yield what was found to be wrong with it, once it has been read to the end."""
        promised = self._layout.frames or 0
        is_placeholder = promised * self._layout.frame_bytes >= _PLACEHOLDER_BYTES
        if promised > self._frames_read and not is_placeholder:
            promised_s = promised / self.rate_hz
            yield f"is cut off: of {promised_s:.3f} s only {self.read_s:.3f} s are there"
        if self._unpacker.clipped:
            yield "goes beyond full scale; what was louder has been clipped"
        if self._unpacker.silenced:
            yield "holds samples that are no numbers; they were taken for silence"

    def _frames_there(self) -> int | None:
        """Return how many frames will come, if that can be known before."""
        # A recording that was cut off promises more than is there, one that still grows less: of a
        # file the disk knows best, and where there is no file only the end will tell.
        frames = self._layout.frames
        try:
            status = os.fstat(self._file.fileno())
            if stat.S_ISREG(status.st_mode):
                there = (status.st_size - self._file.tell()) // self._layout.frame_bytes
                return there if frames is None else min(there, frames)
        except OSError:
            pass  # no file of the system's; bytes in memory have no number either
        return frames

    def _thinned(self, thinner: Thinner) -> Iterator[tuple[Samples, ...]]:
        with self._complaining():
            for frames in self._pieces():
                yield thinner.thin(self._unpacker.unpack(frames))
        yield thinner.flush()

    @contextmanager
    def _complaining(self) -> Iterator[None]:
        try:
            yield
        except NotWav as why:
            raise UnreadableRecording.of(self.name, str(why)) from None
        except OSError as error:
            raise UnreadableRecording.of(
                self.name, f"cannot be read to its end ({error.strerror}); copy it anew"
            ) from error

    def _pieces(self) -> Iterator[bytes]:
        """Yield whole frames, `BLOCK_S` of them at a time."""
        frame_bytes = self._layout.frame_bytes
        most = left = round(BLOCK_S * self.rate_hz)
        while True:
            if self._layout.frames is not None:
                left = self._layout.frames - self._frames_read
            # A file that ends too soon may end within a frame: what is left of that is dropped, or
            # all channels after it would be shifted by one.
            read = self._file.read(min(most, left) * frame_bytes)
            whole = len(read) // frame_bytes
            if not whole:
                return
            self._frames_read += whole
            yield read[: whole * frame_bytes]


@contextmanager
def open_recording(name: str) -> Iterator[Recording]:
    """Open the WAV file *name*, ``-`` for the standard input, for as long as the block runs.

    Raises:
        UnreadableRecording: It is not there, or cannot be listened to; the sentence says why.
    """
    if name == STDIN:
        yield Recording("standard input", sys.stdin.buffer)
        return
    with _opened(name) as file:
        yield Recording(name, file)


def _opened(name: str) -> BinaryIO:
    if not name:
        raise UnreadableRecording.of("''", "names no file; name a WAV file")
    try:
        return Path(name).open("rb")
    except IsADirectoryError:
        raise UnreadableRecording.of(name, "is a folder; name the recordings in it") from None
    except (OSError, ValueError) as error:
        # ValueError: a NUL in the name.
        raise UnreadableRecording.of(
            name, f"cannot be read ({reason_of(error)}); name a WAV file that you may read"
        ) from None
