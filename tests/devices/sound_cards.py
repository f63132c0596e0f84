"""Sound cards to test on: one that runs as a test says, and ALSA's own with a recording played in.

There is no kernel module for a card that loops back on the machines that test. ALSA's plugin
``file`` reads from a pipe what the card would give, at the pace at which it is written there.
"""

import errno
import fcntl
import os
import struct
import termios
import threading
import time
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from random import Random
from typing import Any

import pytest

from kloplei.demo.wood import read_recording
from kloplei.devices import sampling
from kloplei.devices.audio import Overrun, SampleFormat, alsa_library
from kloplei.simulation.blows import Blow
from kloplei.simulation.table_top import TableTop, wandering
from tests.devices.chips import eventually

KNUCKLE = Path(__file__).parents[1] / "recordings/real/ts_old_data_knuckle.wav"
PERIOD = 768  # frames of 16 ms at 48 kHz
_PATIENT_BLOCKS = 4096  # a minute


class PacedPcm:
    """A card whose crystal runs *fast_ppm* millionths fast, on a clock that it moves itself.

    Args:
        now_s: Where the clock stands, in a list of one.
        sample: Gives the sample of a frame and a channel, 16 bits wide.
        late_s: How late who reads comes, by the number of the period.
    """

    USUAL_HZ = 48000

    def __init__(
        self,
        now_s: list[float],
        sample: Callable[[int, int], int] = lambda frame, channel: 0,
        *,
        rate_hz: int = USUAL_HZ,
        channels: int = 1,
        fast_ppm: float = 0.0,
        late_s: Callable[[int], float] = lambda period: 0.0,
    ) -> None:
        self.rate_hz = rate_hz
        self.channels = channels
        self._now_s = now_s
        self._sample = sample
        self._true_hz = rate_hz * (1 + fast_ppm / 1e6)
        self._late_s = late_s
        self._begun_s = now_s[0]
        self._periods = 0
        self.period = round(rate_hz * 0.016)
        self.overruns: list[int] = []  # before these periods, half a second is lost
        self.lost_before: int | None = None  # likewise, and nobody says so
        self.pulled_before: int | None = None
        self.closed = 0
        self.is_ahead: Callable[[], bool] = lambda: False
        self._nap = threading.Event()

    def read(self) -> "array[int]":
        while self.is_ahead():  # its clock runs faster than ours
            self._nap.wait(0.0005)
        if self._periods == self.pulled_before:
            raise OSError(19, "No such device")
        if self._periods in self.overruns:
            self.overruns.remove(self._periods)
            self._begun_s += 0.5
            raise Overrun(32, "Broken pipe")
        if self._periods == self.lost_before:
            self._begun_s += 0.3
        first = self._periods * self.period
        self._periods += 1
        there_s = self._begun_s + (first + self.period) / self._true_hz
        self._now_s[0] = max(self._now_s[0], there_s + self._late_s(self._periods))
        return array(
            "h",
            [
                self._sample(frame, channel)
                for frame in range(first, first + self.period)
                for channel in range(self.channels)
            ],
        )

    def close(self) -> None:
        self.closed += 1


_CONF = """
<confdir:alsa.conf>
pcm.{name} {{
    type file
    slave.pcm {{ type null }}
    file /dev/null
    infile "{pipe}"
    format raw
    hint {{ show on description "A table" }}
}}
"""


class CardWithMishaps:
    """ALSA before a card to which *mishaps* happen one after the other, as numbers of errors."""

    def __init__(self, *mishaps: int) -> None:
        self._alsa = alsa_library()
        self._mishaps = list(mishaps)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._alsa, name)

    def snd_pcm_wait(self, pcm: Any, within_ms: int) -> int:
        if self._mishaps:
            return -self._mishaps.pop(0)
        waited: int = self._alsa.snd_pcm_wait(pcm, within_ms)
        return waited


_PIPE_BYTES = 1 << 20  # the most that anybody may have


class CardPipe:
    """The pipe out of which ALSA reads a card; called with frames, it writes them."""

    def __init__(self, pipe: Path) -> None:
        # Both ends are held: whoever opens one waits for the other.
        self._held = os.open(pipe, os.O_RDWR)
        # ALSA takes half a period for a whole one: what is written must never wait for room.
        fcntl.fcntl(self._held, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)

    def __call__(self, frames: bytes) -> None:
        os.write(self._held, frames)

    def is_read(self) -> bool:
        """Return whether all that was written has been read."""
        left = array("i", [0])
        fcntl.ioctl(self._held, termios.FIONREAD, left)
        return left[0] == 0

    def close(self) -> None:
        os.close(self._held)


@contextmanager
def alsa_card(
    folder: Path, setenv: Callable[[str, str], None], name: str = "table"
) -> Iterator[CardPipe]:
    """Give what writes frames into ALSA's capture device *name*, which is made in *folder*.

    Whoever judges them may be as late as a busy machine makes it: none are dropped meanwhile.
    """
    pipe, conf = folder / f"{name}.pcm", folder / "asound.conf"
    os.mkfifo(pipe)
    conf.write_text(_CONF.format(name=name, pipe=pipe))
    setenv("ALSA_CONFIG_PATH", str(conf))
    with pytest.MonkeyPatch.context() as patched, closing(CardPipe(pipe)) as write:
        patched.setattr(sampling, "WAITING_BLOCKS", _PATIENT_BLOCKS)
        yield write


def interleaved(*channels: Sequence[float]) -> bytes:
    """Return samples of -1 to 1, by channel, as frames of 16 bits."""
    frames = [round(32767 * one) for frame in zip(*channels, strict=True) for one in frame]
    return struct.pack(f"<{len(frames)}h", *frames)


def as_format(kind: SampleFormat, samples: Sequence[float]) -> bytes:
    """Return *samples* of -1 to 1 as a card of that format gives them, to its last bit.

    The fourth byte of S24_LE is filled with what nobody may listen to.
    """
    bits = 16 if kind.sample_bytes == 2 else 32
    whole = [round(one * ((1 << bits - 1) - 1)) for one in samples]
    if bits == 16 or kind.name == "S32_LE":
        return struct.pack(f"<{len(whole)}{'h' if bits == 16 else 'i'}", *whole)
    rest = b"\xa5" * (kind.sample_bytes - 3)
    return b"".join((one >> 8).to_bytes(3, "little", signed=True) + rest for one in whole)


class CardWithFormats:
    """ALSA before a card that has no other formats than *offered*."""

    def __init__(self, *offered: SampleFormat) -> None:
        self._alsa = alsa_library()
        self._offered = {one.alsa for one in offered}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._alsa, name)

    def snd_pcm_hw_params_set_format(self, pcm: Any, params: Any, number: int) -> int:
        if number not in self._offered:
            return -errno.EINVAL
        took: int = self._alsa.snd_pcm_hw_params_set_format(pcm, params, number)
        return took


def played_in(write: CardPipe, rate_hz: int, *channels: Sequence[float]) -> None:
    """Write the samples of *channels* at the pace at which a card takes them, once it is read."""
    step, width = round(0.016 * rate_hz), 2 * len(channels)
    frames = interleaved(*channels)
    write(frames[: step * width])
    assert eventually(write.is_read)
    begun_s = time.monotonic()
    for at in range(step, len(channels[0]) - step + 1, step):
        time.sleep(max(0.0, begun_s + at / rate_hz - time.monotonic()))
        write(frames[at * width : (at + step) * width])


def everybody_knocks(
    top: TableTop, rate_hz: int, *, apart_s: float = 0.45, off_m: float = 0.04
) -> tuple[list[list[float]], list[int]]:
    """Return what each disc of *top* feels while all seats knock in turn, and whose knocks.

    The first is after 0.5 s, each *off_m* off its place; each channel has a noise of its own.
    """
    luck = Random(f"everybody {top.plate.length_m}")
    order = list(range(len(top.seats)))
    count = round((0.5 + apart_s * len(order) + 0.3) * rate_hz)
    channels = [[luck.gauss(0, 2e-4) for _ in range(count)] for _ in top.sensors]
    for number, seat in enumerate(order):
        spot = wandering(top.seats[seat], off_m, top.plate, luck)
        felt = top.sampled(Blow.KNUCKLE, spot, rate_hz, seed=number)
        first = round((0.5 + apart_s * number) * rate_hz)
        for channel, wave in zip(channels, felt, strict=True):
            for at, one in enumerate(wave[: count - first], start=first):
                channel[at] += one
    return [[max(-1.0, min(1.0, one)) for one in channel] for channel in channels], order


def recorded_knock(rate_hz: int, before_s: float = 0.5, after_s: float = 0.5) -> list[float]:
    """Return ten knocks on wood as they were recorded, with the noise of a card round them."""
    luck = Random(5)
    felt = read_recording(KNUCKLE).at_rate(rate_hz).samples
    whole = [*[0.0] * round(before_s * rate_hz), *felt, *[0.0] * round(after_s * rate_hz)]
    return [max(-1.0, min(1.0, one + luck.gauss(0, 2e-4))) for one in whole]
