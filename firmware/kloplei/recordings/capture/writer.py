"""One recording, written as it comes: whatever ends it, all that came is in the file.

Also what may stand in its way: a folder that cannot be written, said in a sentence, and a second
program that records into the same one and would throw away what the first writes.
"""

import contextlib
import errno
import fcntl
import os
import struct
from array import array
from collections.abc import Iterator
from itertools import repeat
from operator import mul
from pathlib import Path
from typing import BinaryIO, Self

from kloplei.files import (
    KlopleiError,
    create_below,
    hand_over,
    little_endian,
    opened_folder,
    sync_folder,
)
from kloplei.frozen import dataclass
from kloplei.knock.signal import Block, Samples

UNFINISHED = ".part"  # what a file that is still being written is called besides
GAP_S = 0.005  # blocks that are farther apart than that do not join
FULL_SCALE = 32768.0
_HEAD = struct.Struct("<4sI4s4sIHHIIHH4sI")
_PCM, _BYTES = 1, 2


@dataclass(frozen=True, slots=True)
class Gap:
    """Nothing was sampled for *missed_s* after the sample that lies *at_s* in the file."""

    at_s: float
    missed_s: float


@dataclass(frozen=True, slots=True)
class _Stretch:
    """What was sampled without a pause: *start_s* by the clock is sample *first* of the file."""

    start_s: float
    first: int


class Take:
    """A WAV file of 16 bits that grows; time that nobody sampled leaves no sample in it.

    What follows a gap joins what was before it, so the file is shorter than it took; `gaps`
    says where and by how much, and `in_file_s` knows.

    Args:
        path: Where the finished file is to stand; until then it has `UNFINISHED` behind it.
        channels: How many each block has.
        rate_hz: Samples a second as measured before; at the end the measured rate goes in.

    Raises:
        OSError: It cannot be written there.
    """

    def __init__(self, path: Path, channels: int, rate_hz: float) -> None:
        self.path = path
        self.channels = channels
        self._rate_hz = rate_hz
        self._stretches: list[_Stretch] = []
        self._end_s = 0.0
        self._frames = 0
        self._sampled_s = 0.0
        self._file = _new(unfinished(path))
        self._file.write(_head(channels, rate_hz, 0))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        # Where the disk is full, closing fails once more; that it is full was told already.
        with contextlib.suppress(OSError):
            self._file.close()

    @property
    def rate_hz(self) -> float:
        """Samples a second of each channel, as measured so far."""
        return self._frames / self._sampled_s if self._sampled_s else self._rate_hz

    @property
    def end_s(self) -> float | None:
        """Up to when it has been sampled, by the clock; None before the first block."""
        return self._end_s if self._stretches else None

    @property
    def lasts_s(self) -> float:
        """How long the file is."""
        return self._frames / round(self.rate_hz)

    @property
    def gaps(self) -> tuple[Gap, ...]:
        """Where nothing was sampled, in their order."""
        found = []
        for before, after in zip(self._stretches, self._stretches[1:], strict=False):
            until_s = before.start_s + (after.first - before.first) / self.rate_hz
            found.append(Gap(after.first / round(self.rate_hz), after.start_s - until_s))
        return tuple(found)

    def write(self, block: Block) -> None:
        """Add *block*.

        Raises:
            OSError: The disk is full, or has gone.
        """
        if not self._stretches or abs(block.start_s - self._end_s) > GAP_S:
            self._stretches.append(_Stretch(block.start_s, self._frames))
        self._file.write(_frames(block.channels))
        self._frames += len(block.channels[0])
        self._sampled_s += len(block.channels[0]) / block.rate_hz
        self._end_s = block.end_s

    def sync(self) -> None:
        """See to it that a power cut leaves what has been written so far."""
        self._file.flush()
        os.fdatasync(self._file.fileno())

    def in_file_s(self, at_s: float) -> float | None:
        """Return where in the file the time *at_s* of the clock lies, None where nothing does."""
        for at, stretch in enumerate(self._stretches):
            later = self._stretches[at + 1 :]
            last = later[0].first if later else self._frames
            sample = stretch.first + (at_s - stretch.start_s) * self.rate_hz
            if stretch.first <= sample < last:
                return sample / round(self.rate_hz)
        return None

    def finish(self) -> None:
        """Let the file stand at its path, with the length and the rate that came out.

        Raises:
            OSError: The disk is full, or has gone; the unfinished file stays.
        """
        self._file.flush()
        self._file.seek(0)
        self._file.write(_head(self.channels, self.rate_hz, self._frames))
        self.sync()
        self._file.close()
        put_in_place(self.path)

    def drop(self) -> None:
        """Throw it away."""
        self._file.close()
        unfinished(self.path).unlink(missing_ok=True)


def bytes_of(frames: int, channels: int) -> int:
    """Return how large a file of so many frames is."""
    return _HEAD.size + frames * _BYTES * channels


def unfinished(path: Path) -> Path:
    """Return where a recording that is to stand at *path* is written."""
    return path.with_name(path.name + UNFINISHED)


def salvage(path: Path, channels: int, rate_hz: float) -> None:
    """Finish what a power cut has left of the recording *path*.

    Raises:
        OSError: Nothing was left, or it cannot be written.
    """
    # A power cut leaves a head that promises nothing and may end within a frame: the file's own
    # length says how many whole ones there are.
    flags = os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK
    with os.fdopen(os.open(unfinished(path), flags), "r+b") as file:
        frames = max(0, file.seek(0, os.SEEK_END) - _HEAD.size) // (_BYTES * channels)
        file.truncate(bytes_of(frames, channels))
        file.seek(0)
        file.write(_head(channels, rate_hz, frames))
        file.flush()
        os.fsync(file.fileno())
    put_in_place(path)


def _new(path: Path) -> BinaryIO:
    """Open *path* anew, whatever stood there: a link in another's folder is never followed."""
    path.unlink(missing_ok=True)
    with opened_folder(path.parent) as folder:
        return create_below(folder, path.name)


def put_in_place(path: Path) -> None:
    """Let what was written beside *path* stand there, also after a power cut."""
    unfinished(path).replace(path)
    sync_folder(path.parent)


def _head(channels: int, rate_hz: float, frames: int) -> bytes:
    """Return the head of the file; 0 *frames* says that its length is not known yet."""
    size = frames * channels * _BYTES
    whole = _HEAD.size - 8 + size if frames else 0
    rate = round(rate_hz)
    frame = channels * _BYTES
    return _HEAD.pack(
        b"RIFF", whole, b"WAVE", b"fmt ", 16, _PCM, channels, rate, rate * frame, frame,
        8 * _BYTES, b"data", size,
    )  # fmt: skip


def _frames(channels: tuple[Samples, ...]) -> bytes:
    """Return samples from -1 to 1 as frames; the codes of a converter fit in without loss."""
    frames = array("h", bytes(_BYTES * len(channels) * len(channels[0])))
    for at, samples in enumerate(channels):
        frames[at :: len(channels)] = _codes(samples)
    return little_endian(frames).tobytes()


def _codes(samples: Samples) -> "array[int]":
    try:
        return array("h", map(int, map(mul, samples, repeat(FULL_SCALE))))
    except OverflowError:  # full scale itself is one code too many
        return array("h", [max(-32768, min(32767, int(one * FULL_SCALE))) for one in samples])


class CannotKeep(KlopleiError, OSError):
    """The folder cannot be written; what lies in it already is kept."""


@contextlib.contextmanager
def keeping(folder: Path) -> Iterator[None]:
    """Say in a sentence why *folder* cannot be written, should that happen within.

    Raises:
        CannotKeep: It happened.
    """
    try:
        yield
    except KlopleiError:
        raise
    except OSError as error:
        raise CannotKeep(_why_not(folder, error)) from error


def make_folder(folder: Path) -> None:
    """Make *folder*, and those it lies in, where they are missing, for whoever owns the place.

    Raises:
        OSError: It cannot be made.
    """
    missing = [one for one in (folder, *folder.parents) if not one.exists()]
    for one in reversed(missing):
        one.mkdir()
        hand_over(one)


def _why_not(folder: Path, error: OSError) -> str:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return (
            f"The disk of {folder} is full. What was recorded is kept; make room (df -h), "
            "then go on with the same command"
        )
    return (
        f"{folder} cannot be written ({error.strerror}). What was recorded is kept; "
        "name a folder where you may write"
    )


class FolderInUse(KlopleiError):
    """Another program records into the folder."""


@contextlib.contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Make *folder* if it is missing, and let nobody else record into it meanwhile.

    The kernel gives it free with the process, however that ends.

    Raises:
        FolderInUse: Somebody does.
        CannotKeep: It cannot be made.
    """
    with keeping(folder):
        make_folder(folder)
        wire = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        _claim(wire, folder)
        yield
    finally:
        os.close(wire)


def _claim(wire: int, folder: Path) -> None:
    # Some file systems know no claims; there it is as it was without them.
    with contextlib.suppress(OSError):
        try:
            fcntl.flock(wire, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise FolderInUse(
                f"Another kloplei listen records into {folder}. Go on there, or end it, or name "
                "another folder"
            ) from error
