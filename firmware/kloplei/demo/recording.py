"""Read a recording of knocks, so that the demo can play it into a virtual pad."""

import sys
import wave
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from kloplei.errors import KlopleiError
from kloplei.knock.comparator import Edge, edges
from kloplei.knock.ear import Ear

LEVEL = 0.25  # of the loudest sample: a plain threshold
SILENCE = 1e-3  # a recording whose loudest sample is below this holds no knock
MAX_S = 600.0

_FULL_SCALE = {1: 128.0, 2: 32768.0, 3: 8388608.0, 4: 2147483648.0}


class UnreadableRecording(KlopleiError, ValueError):
    """A file that is no recording the demo can play."""


@dataclass(frozen=True, slots=True)
class Recording:
    """Samples of the first channel, full scale -1 to 1."""

    name: str  # of its file
    rate_hz: int
    samples: Sequence[float]

    @property
    def duration_s(self) -> float:
        """Length in seconds."""
        return len(self.samples) / self.rate_hz

    def edges(self) -> tuple[Edge, ...]:
        """Return what a comparator pad makes of it, threshold at `LEVEL` of the loudest."""
        loudest = max(map(abs, self.samples), default=0.0)
        if loudest < SILENCE:
            return ()
        return tuple(edges(self.samples, self.rate_hz, LEVEL * loudest))

    def knocks_s(self, deaf_s: float) -> tuple[float, ...]:
        """Return when its knocks begin, for an ear that is deaf to echoes for *deaf_s*."""
        ear = Ear(deaf_s=deaf_s)
        return tuple(e.at_s for e in self.edges() if e.active and ear.hear(None, e.at_s))


def read_recording(path: Path) -> Recording:
    """Read the WAV file at *path*: PCM of 8, 16, 24 or 32 bit, any number of channels.

    Raises:
        UnreadableRecording: No such file, no WAV file, or one too long to play.
    """
    try:
        with wave.open(str(path), "rb") as file:
            rate_hz, width, channels = file.getframerate(), file.getsampwidth(), file.getnchannels()
            if file.getnframes() > MAX_S * rate_hz:
                raise UnreadableRecording(f"{path} is longer than {MAX_S / 60:.0f} minutes; cut it")
            frames = file.readframes(file.getnframes())
    # wave answers a chunk that reaches beyond its parent with a bare RuntimeError.
    except (OSError, EOFError, RuntimeError, wave.Error) as error:
        reason = getattr(error, "strerror", None) or str(error) or "it ends too early"
        raise UnreadableRecording(
            f"{path} cannot be played ({reason}); give a WAV file with PCM samples"
        ) from error
    if rate_hz < 1 or width not in _FULL_SCALE:
        raise UnreadableRecording(
            f"{path} has {8 * width} bit samples; 8, 16, 24 and 32 can be read"
        )
    return Recording(path.name, rate_hz, _first_channel(frames, width, channels))


def _first_channel(frames: bytes, width: int, channels: int) -> Sequence[float]:
    step = width * channels
    whole = len(frames) - len(frames) % step
    scale = _FULL_SCALE[width]
    if width == 1:  # the only unsigned one
        return array("f", ((frames[at] - scale) / scale for at in range(0, whole, step)))
    if width == 3:  # no array type has three bytes
        return array(
            "f",
            (
                int.from_bytes(frames[at : at + 3], "little", signed=True) / scale
                for at in range(0, whole, step)
            ),
        )
    numbers = array("h" if width == 2 else "i")
    numbers.frombytes(frames[: len(frames) - len(frames) % width])
    if sys.byteorder == "big":
        numbers.byteswap()
    return array("f", (number / scale for number in numbers[: whole // width : channels]))
