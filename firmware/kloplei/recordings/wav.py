"""The head of a WAV file: how its samples lie on disk, and where they begin.

The standard library's `wave` reads neither float samples nor WAVE_FORMAT_EXTENSIBLE before
Python 3.12, nor a stream whose length its writer did not know; soundfile reads them all and
brings numpy along. RIFF is a list of chunks, so little is needed to read it well.
"""

import struct
from dataclasses import dataclass, replace
from typing import BinaryIO

from kloplei.recordings.errors import NotWav

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
class Layout:
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


def read_head(file: BinaryIO) -> Layout:
    """Read the head of the WAV *file* and leave it at the first sample.

    Only reads forward, so that a pipe will do, and never more than a piece at a time,
    whatever sizes the head claims.

    Raises:
        NotWav: It is none, or one whose samples cannot be read.
    """
    _check_is_wav(file.read(12))
    layout: Layout | None = None
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


def _layout(chunk: bytes) -> Layout:
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
    return Layout(rate_hz, channels, _width(kind, bits, frame_bytes, channels), kind == _FLOAT)


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


def _with_length(layout: Layout, size: int, long_size: int | None) -> Layout:
    if size == 0xFFFF_FFFF and long_size:
        size = long_size
    elif size in _UNKNOWN_SIZES:
        return layout
    return replace(layout, frames=size // layout.frame_bytes)
