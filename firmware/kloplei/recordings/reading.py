"""A recording from beginning to end, block by block, in the same little memory for any length."""

import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from kloplei.files import reason_of
from kloplei.knock.signal import Bias, Block, Samples
from kloplei.recordings.errors import NotWav, UnreadableRecording
from kloplei.recordings.samples import Unpacker, within_full_scale
from kloplei.recordings.thinning import Thinner, thinned_by
from kloplei.recordings.wav import read_head

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
        self._frames = self._frames_there()
        self._frames_read = 0
        self._unpacker = Unpacker(self._layout)

    @property
    def rate_hz(self) -> int:
        """Samples a second of each channel, as recorded."""
        return self._layout.rate_hz

    @property
    def channels(self) -> int:
        """How many sensors were recorded."""
        return self._layout.channels

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
        bias = Bias()
        for channels in self._thinned(Thinner(by, self.channels)):
            if channels[0]:
                level = bias.taken_off(Block(given / rate_hz, rate_hz, channels))
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
    try:
        return Path(name).open("rb")
    except IsADirectoryError:
        raise UnreadableRecording.of(name, "is a folder; name the recordings in it") from None
    except (OSError, ValueError) as error:
        # ValueError: a NUL in the name.
        raise UnreadableRecording.of(
            name, f"cannot be read ({reason_of(error)}); name a WAV file that you may read"
        ) from None
