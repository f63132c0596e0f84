"""Clips: the sound of a few words, out of files and into them, and what is made of a take.

All are one channel of 16 bits at `RATE_HZ`. They are read and written by libsndfile: one small
library of Debian 12 and 13 for Opus, FLAC, MP3 and WAV, called directly like libasound. opusdec is
a program to be started for each clip, which the table's unit would have to allow; libopusfile reads
nothing else, and what a phone records is no Opus; ffmpeg is a hundred packages; PyOgg has not been
kept since 2023. It is opened when the first clip is asked for.

A rendered clip is as loud as its loudest sample may be (`levelled`). What somebody said into a
microphone has a room around it, a click at its end and a loudness of its own (`clip_of`).
"""

import ctypes
import io
import os
import wave
from array import array
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache, lru_cache
from itertools import pairwise
from math import sqrt
from pathlib import Path
from typing import Any, Final, NamedTuple

from kloplei.files import KlopleiError
from kloplei.words import Sentence

LIBRARY = "libsndfile.so.1"
RATE_HZ: Final = 24_000
"""At which all clips are, and at which they are played; Opus knows no 22 050."""
BREATH_S: Final = 0.06
"""Between two pieces."""
LONGEST_CLIP_S: Final = 10.0
LONGEST_TAKE_S: Final = 8.0
"""Of what somebody says for one piece."""
_READ, _WRITE = 0x10, 0x20
_OGG_OPUS, _SET_COMPRESSION = 0x200064, 0x1301
_AT_ONCE = 4096  # frames
_COMPRESSION = 0.88  # about 36 kbit/s: a voice in a room sounds the same above it

Samples = array  # of 16 bits, one channel, at `RATE_HZ`


class NoVoice(KlopleiError):
    """Nothing can be said: no clip, or nothing that reads one. The message says what helps."""


class BadTake(KlopleiError, ValueError):
    """What was recorded makes no clip. The message says why, and what helps."""


def joined(parts: "Sequence[Samples[int]]") -> "Samples[int]":
    """Return *parts* one behind the other, with a breath between them."""
    breath = array("h", bytes(2 * round(BREATH_S * RATE_HZ)))
    whole = array("h")
    for at, part in enumerate(parts):
        if at:
            whole.extend(breath)
        whole.extend(part)
    return whole


def attenuated(samples: "Samples[int]", gain: float) -> "Samples[int]":
    """Return *samples* times *gain*, which is at most 1."""
    return array("h", [int(gain * one) for one in samples])


def at_rate(samples: "Samples[int]", rate_hz: int) -> "Samples[int]":
    """Return *samples*, which are at *rate_hz*, at `RATE_HZ`.

    Where there are twice as many or more, each is a mean of some; lines are drawn between them.
    """
    if (times := rate_hz // RATE_HZ) > 1:
        grouped = zip(*[iter(samples)] * times, strict=False)
        samples, rate_hz = array("h", [sum(some) // times for some in grouped]), rate_hz // times
    if rate_hz == RATE_HZ or len(samples) < 2:
        return samples
    step, last = rate_hz / RATE_HZ, len(samples) - 2
    found = array("h")
    for at in range(int((last + 1) / step)):
        whole = min(int(at * step), last)
        part = at * step - whole
        found.append(int(samples[whole] * (1 - part) + samples[whole + 1] * part))
    return found


class _Info(ctypes.Structure):
    """``SF_INFO`` of sndfile.h."""

    _fields_ = (
        ("frames", ctypes.c_int64),
        ("rate_hz", ctypes.c_int),
        ("channels", ctypes.c_int),
        ("format", ctypes.c_int),
        ("sections", ctypes.c_int),
        ("seekable", ctypes.c_int),
    )


@lru_cache(maxsize=256)  # all of a pack: some three megabytes
def read_clip(file: Path) -> "Samples[int]":
    """Return what is in *file*, one channel at `RATE_HZ`.

    Raises:
        NoVoice: libsndfile is not installed.
        OSError: It cannot be read.
    """
    return _read(file)


def decoded(raw: bytes) -> "Samples[int]":
    """Return what is in *raw*, a whole file, one channel at `RATE_HZ`.

    Raises:
        NoVoice: libsndfile is not installed.
        OSError: It cannot be read.
    """
    with _in_memory(raw) as (file, _):
        return _read(file)


def encoded(samples: "Samples[int]") -> bytes:
    """Return *samples* as a file of Ogg Opus.

    Raises:
        NoVoice: libsndfile is not installed.
        OSError: It writes no Opus.
    """
    library, info = _library(), _Info(0, RATE_HZ, 1, _OGG_OPUS, 0, 0)
    with _in_memory() as (file, descriptor):
        handle = library.sf_open(str(file).encode(), _WRITE, ctypes.byref(info))
        if not handle:
            raise OSError(f"no clip can be written: {library.sf_strerror(None).decode()}")
        opened = ctypes.c_void_p(handle)
        level = ctypes.c_double(_COMPRESSION)
        library.sf_command(opened, _SET_COMPRESSION, ctypes.byref(level), ctypes.sizeof(level))
        buffer = (ctypes.c_short * len(samples)).from_buffer_copy(samples)
        written = library.sf_writef_short(opened, buffer, ctypes.c_int64(len(samples)))
        library.sf_close(opened)
        if written != len(samples):
            raise OSError("a clip was written in part only")
        return os.pread(descriptor, os.fstat(descriptor).st_size, 0)


def as_wav(samples: "Samples[int]") -> bytes:
    """Return *samples* as a file of WAV, which every browser plays."""
    file = io.BytesIO()
    with wave.open(file, "wb") as written:
        written.setparams((1, samples.itemsize, RATE_HZ, 0, "NONE", ""))
        written.writeframes(samples.tobytes())
    return file.getvalue()


def _read(file: Path) -> "Samples[int]":
    library, info = _library(), _Info()
    handle = library.sf_open(str(file).encode(), _READ, ctypes.byref(info))
    if not handle:
        raise OSError(f"{file} is no clip: {library.sf_strerror(None).decode()}")
    opened = ctypes.c_void_p(handle)
    try:
        # A head may promise hours, in a hundred channels; a clip is a few words, in the first one.
        most, samples = int(LONGEST_CLIP_S * info.rate_hz), array("h")
        buffer = (ctypes.c_short * (_AT_ONCE * info.channels))()
        while len(samples) < most:
            frames = ctypes.c_int64(min(_AT_ONCE, most - len(samples)))
            read = library.sf_readf_short(opened, buffer, frames)
            if read <= 0:
                break
            samples.extend(buffer[: read * info.channels : info.channels])
    finally:
        library.sf_close(opened)
    return at_rate(samples, info.rate_hz)


@contextmanager
def _in_memory(raw: bytes = b"") -> Iterator[tuple[Path, int]]:
    """Give a file that lies on no disk, with *raw* in it, and its descriptor.

    libsndfile takes memory through functions of ours as well, but these would need memory that may
    be written and run, which the units forbid; a descriptor it closes where it finds no sound.
    """
    descriptor = os.memfd_create("clip")
    try:
        os.pwrite(descriptor, raw, 0)
        yield Path(f"/proc/self/fd/{descriptor}"), descriptor
    finally:
        os.close(descriptor)


@cache
def _library() -> Any:
    try:
        library = ctypes.CDLL(LIBRARY)
    except OSError as error:
        raise NoVoice(Sentence("no-clip-reader", library=LIBRARY)) from error
    library.sf_open.restype = ctypes.c_void_p
    library.sf_strerror.restype = ctypes.c_char_p
    for counts in (library.sf_readf_short, library.sf_writef_short):
        counts.restype = ctypes.c_int64
    return library


PEAK: Final = 0.89
"""How loud the loudest sample of each clip is, of full scale: -1 dB, for Opus may overshoot."""
_SILENT = 0.015  # of the loudest sample: below it nothing is said
_NOTHING = 100  # of 32,767: a clip that is no louder says nothing at all
_EDGE_S = 0.015


def levelled(samples: "Samples[int]", rate_hz: int) -> "Samples[int] | None":
    """Return *samples* without the silence about them, and as loud as all clips; None if silent."""
    samples = at_rate(samples, rate_hz)
    loudest = max(map(abs, samples), default=0)
    if loudest < _NOTHING:
        return None
    line = _SILENT * loudest
    heard = [at for at, one in enumerate(samples) if abs(one) > line]
    edge = round(_EDGE_S * RATE_HZ)
    cut = samples[max(0, heard[0] - edge) : heard[-1] + 2 * edge]
    gain = PEAK * 32767 / loudest
    return array("h", [int(gain * one) for one in cut])


# What makes a take a clip. A frame is short beside a sound, and long beside a pitch.
_FRAME_S = 0.01
_FAINT = 0.004  # of full scale: below it nobody spoke
_FULL, _MOST_CLIPPED = 32_600, 20  # of 32,767, and so many samples beyond it: it was too loud
_ABOVE_NOISE = 4.0  # times as loud as the room the loudest tenth has to be, or it is too loud there
_ABOVE_ROOM = 2.5  # times as loud as the room somebody speaks,
_PART_OF_LOUDEST = 0.05  # and this loud beside the loudest tenth, however quiet it is there
_CLICK_S, _APART_S = 0.06, 0.2  # what is shorter, and lies so far off, is a finger on the glass
_BEFORE_S, _AFTER_S = 0.06, 0.12  # are kept about what is said
_FADE_S = 0.008
LOUDNESS: Final = 0.12
"""Root mean square of what is said, of full scale: as loud as rendered clips are (-18.4 dB)."""
_MOST_QUIETER = 4.0  # times than that: something in it was much louder than the voice


class _Frames(NamedTuple):
    """How loud a take is, frame by frame, and how loud its room and its loudest tenth are.

    Roots of mean squares, of samples of 16 bits.
    """

    rms: Sequence[float]
    room: float
    loudest: float


def clip_of(take: "Samples[int]") -> "Samples[int]":
    """Return what is said in *take*, without the room about it, and as loud as all clips.

    Raises:
        BadTake: Nobody spoke, the room is too loud or the voice too close, a knock is louder than
            the voice, or it takes longer than `LONGEST_TAKE_S`.
    """
    frames = _frames_of(take)
    _demand_voice(take, frames)
    spoken = _spoken(frames)
    size = round(_FRAME_S * RATE_HZ)
    first = max(0, spoken.start * size - round(_BEFORE_S * RATE_HZ))
    said = take[first : spoken.stop * size + round(_AFTER_S * RATE_HZ)]
    if len(said) > LONGEST_TAKE_S * RATE_HZ:
        raise BadTake(Sentence("take-too-long", s=round(LONGEST_TAKE_S)))
    line = _PART_OF_LOUDEST * frames.loudest
    gain = _gain(said, [one for one in frames.rms[spoken.start : spoken.stop] if one > line])
    return _faded(array("h", [int(gain * one) for one in said]))


def _demand_voice(take: "Samples[int]", frames: _Frames) -> None:
    """Raise `BadTake` where nobody speaks in *take*, too loudly, or in too loud a room."""
    if frames.loudest < _FAINT * 32768:
        raise BadTake(Sentence("take-silent"))
    if sum(abs(one) >= _FULL for one in take) > _MOST_CLIPPED:
        raise BadTake(Sentence("take-too-loud"))
    if frames.loudest < _ABOVE_NOISE * frames.room:
        raise BadTake(Sentence("take-noisy"))


def _gain(said: "Samples[int]", rms: Sequence[float]) -> float:
    """Return by what to multiply *said*, whose frames are so loud, to be as loud as all clips.

    Its peaks leave less room for that where they stand out.

    Raises:
        BadTake: They stand out so much that the voice would be too quiet.
    """
    most = PEAK * 32767 / max(map(abs, said))
    # By its middle: a knock is in few of the frames, and would hide how quiet the others are.
    if most * _MOST_QUIETER < LOUDNESS * 32767 / sorted(rms)[len(rms) // 2]:
        raise BadTake(Sentence("take-knocked"))
    return min(most, LOUDNESS * 32767 / sqrt(sum(one * one for one in rms) / len(rms)))


def _frames_of(take: "Samples[int]") -> _Frames:
    size = round(_FRAME_S * RATE_HZ)
    offset = sum(take) / max(1, len(take))
    rms = [
        sqrt(sum((one - offset) ** 2 for one in take[at : at + size]) / size)
        for at in range(0, len(take) - size + 1, size)
    ]
    ranked = sorted(rms) or [0.0]
    return _Frames(rms, ranked[len(ranked) // 10], ranked[-1 - len(ranked) // 10])


def _spoken(frames: _Frames) -> range:
    """Return the frames from the first to the last that are said: clicks about them are not."""
    line = max(_ABOVE_ROOM * frames.room, _PART_OF_LOUDEST * frames.loudest)
    heard = [at for at, one in enumerate(frames.rms) if one > line]
    apart = _APART_S / _FRAME_S
    ends = [at for at, (one, other) in enumerate(pairwise(heard), 1) if other - one > apart]
    bursts = [heard[one:other] for one, other in pairwise((0, *ends, len(heard)))]
    words = [one for one in bursts if len(one) > _CLICK_S / _FRAME_S] or bursts
    return range(words[0][0], words[-1][-1] + 1)


def _faded(clip: "Samples[int]") -> "Samples[int]":
    """Return *clip*, which begins and ends with nothing: a cut is heard as a click."""
    length = min(round(_FADE_S * RATE_HZ), len(clip))
    for at in range(length):
        clip[at] = clip[at] * at // length
        clip[-1 - at] = clip[-1 - at] * at // length
    return clip
