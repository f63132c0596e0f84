"""Sound cards: one that hears the wood as a converter does, and one that plays what is said.

`open_card` gives a `Converter` for `kloplei.devices.sampling.AdcSource`, as the chips on SPI are.
The card is asked for its own rate, without ALSA's conversion, and brought down here by plain means:
alsa-lib alone draws lines between samples and lets folds through, and the judge has been trained on
means (`kloplei.knock.signal.resampled`). Wiring and levels: hw/audio.md. `Loudspeaker` is open for
as long as something is said; wiring of an I2S amplifier: docs/voice.md.

libasound is called directly, like the kernel's SPI. Debian 12's pyalsaaudio (0.8.4) hands out what
lay in its buffer at an overrun (its issue 50) and opens no card at the card's own rate; sounddevice
brings PortAudio and numpy along. The library itself is on every machine that makes a sound.
"""

import ctypes
import errno
import os
import sys
import time
from array import array
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol

from kloplei.config.settings import AudioConfig, thinned_by
from kloplei.devices.adc import BLOCK_S, LESS_TO_READ, Burst, PulledOut
from kloplei.words import Sentence

LIBRARY = "libasound.so.2"
BUFFER_S = 0.5  # what the card keeps while nobody asks; as much waits for the judge at most
PATIENCE_MS = 1000  # a card that runs has something every `BLOCK_S`

_PLAYBACK, _CAPTURE, _INTERLEAVED = 0, 1, 3
_CARDS = Path("/dev/snd")
# Plugins of ALSA's that convert for a card, or say they are one wherever they are installed.
_CONVERTERS = frozenset(
    ("jack", "lavrate", "oss", "samplerate", "speex", "speexrate", "upmix", "vdownmix")
)
_NOT_OURS = ("hw:", "dsnoop:", "sysdefault:", "front:", "usbstream:", "null")


class SampleFormat(NamedTuple):
    """One of ALSA's sample formats, least byte first."""

    name: str
    alsa: int  # its number in alsa/pcm.h
    sample_bytes: int
    is_low: bool = False  # 24 bits at the lower end of four bytes; the fourth may hold anything

    def samples(self, frames: bytes) -> "array[int]":
        """Return what lies in *frames*; full scale is that of the array's own type."""
        if self.sample_bytes == 2:
            return array("h", frames)
        if self.sample_bytes == 4 and not self.is_low:
            return array("i", frames)
        # Slices, for a loop over 384,000 samples a second would take most of a core.
        widened = bytearray(4 * len(frames) // self.sample_bytes)
        for byte in range(3):
            widened[byte + 1 :: 4] = frames[byte :: self.sample_bytes]
        return array("i", bytes(widened))


S16 = SampleFormat("S16_LE", 2, 2)
S32 = SampleFormat("S32_LE", 10, 4)
S24 = SampleFormat("S24_LE", 6, 4, is_low=True)
S24_PACKED = SampleFormat("S24_3LE", 32, 3)
# What the card has is taken as it is: cards of 24 bits often have one of these and no other.
_TRIED = {16: (S16, S32, S24, S24_PACKED), 24: (S32, S24, S24_PACKED, S16)}


class Overrun(OSError):
    """Nobody asked in time, and the card has gone on without us; it runs again."""


class CapturePcm(Protocol):
    """A capture device that runs."""

    @property
    def rate_hz(self) -> int:
        """Frames a second by its own clock, as it says."""
        ...

    @property
    def channels(self) -> int:
        """Samples in a frame."""
        ...

    def read(self) -> "array[int]":
        """Wait for the next frames, and return their samples, channel by channel in each.

        Full scale is that of the array's type: 16 bits or 32.

        Raises:
            Overrun: Some were lost before.
            OSError: It is gone, or gives nothing.
        """
        ...

    def close(self) -> None:
        """Let go of it; may be called twice."""
        ...


class AlsaPcm:
    """ALSA's capture device *name*, running.

    Args:
        name: As ALSA knows it: ``plughw:CARD=Device`` finds a card by its name wherever it is
            plugged in.
        channels: How many are wanted; a card that has no fewer gives more.
        rate_hz: Frames a second that are wanted; the nearest of its own is taken.
        bits: 16 or 24 of a sample are wanted; a card that has only the other gives that.

    Raises:
        PulledOut: There is no such device now, or not with what is wanted.
    """

    def __init__(self, name: str, channels: int, rate_hz: int, bits: int) -> None:
        self._alsa = alsa_library()
        self._pcm = ctypes.c_void_p()
        self.format = S16
        """As which it gives its samples."""
        error = self._alsa.snd_pcm_open(ctypes.byref(self._pcm), name.encode(), _CAPTURE, 0)
        if error < 0:
            raise PulledOut(_why_shut(name, -error))
        try:
            self.rate_hz, self.channels, self._period = self._set_up(channels, rate_hz, bits)
            _check(self._alsa.snd_pcm_start(self._pcm))
        except OSError as refused:
            self.close()
            raise PulledOut(
                Sentence("sound-card-refuses", device=name, error=refused.strerror, bits=bits)
            ) from refused
        frame_bytes = self.channels * self.format.sample_bytes
        self._buffer = ctypes.create_string_buffer(self._period * frame_bytes)
        if self.channels < channels:
            self.close()
            raise PulledOut(
                Sentence("sound-card-narrow", device=name, has=self.channels, wanted=channels)
            )

    def read(self) -> "array[int]":
        """Wait for a period of frames, and return their samples."""
        frames = -errno.EINTR
        while frames == -errno.EINTR:  # a signal for another thread: nothing is lost
            waited: int = self._alsa.snd_pcm_wait(self._pcm, PATIENCE_MS)
            frames = self._read() if waited > 0 else waited
        if frames == 0:
            raise OSError(errno.ETIMEDOUT, os.strerror(errno.ETIMEDOUT))
        if frames in (-errno.EPIPE, -errno.ESTRPIPE):
            _check(self._alsa.snd_pcm_recover(self._pcm, frames, 1))
            _check(self._alsa.snd_pcm_start(self._pcm))
            raise Overrun(-frames, os.strerror(-frames))
        _check(frames)
        return self.format.samples(self._buffer.raw[: frames * len(self._buffer) // self._period])

    def close(self) -> None:
        """Close the device."""
        if self._pcm.value is not None:
            self._alsa.snd_pcm_close(self._pcm)
        self._pcm = ctypes.c_void_p()

    def _read(self) -> int:
        frames: int = self._alsa.snd_pcm_readi(
            self._pcm, self._buffer, ctypes.c_ulong(self._period)
        )
        return frames

    def _set_up(self, channels: int, rate_hz: int, bits: int) -> tuple[int, int, int]:
        """Bring the device as near as it comes; return its rate, channels and period in frames."""
        alsa, pcm, params = self._alsa, self._pcm, ctypes.c_void_p()
        _check(alsa.snd_pcm_hw_params_malloc(ctypes.byref(params)))
        try:
            rate, width = ctypes.c_uint(rate_hz), ctypes.c_uint(channels)
            period_us, buffer_us = (ctypes.c_uint(round(1e6 * one)) for one in (BLOCK_S, BUFFER_S))
            period = ctypes.c_ulong()
            for call, *of in (
                (alsa.snd_pcm_hw_params_any,),
                (alsa.snd_pcm_hw_params_set_rate_resample, ctypes.c_uint(0)),
                (alsa.snd_pcm_hw_params_set_access, _INTERLEAVED),
                (self._set_format, bits),
                (alsa.snd_pcm_hw_params_set_channels_near, ctypes.byref(width)),
                (alsa.snd_pcm_hw_params_set_rate_near, ctypes.byref(rate), None),
                (alsa.snd_pcm_hw_params_set_period_time_near, ctypes.byref(period_us), None),
                (alsa.snd_pcm_hw_params_set_buffer_time_near, ctypes.byref(buffer_us), None),
                (alsa.snd_pcm_hw_params,),
            ):
                _check(call(pcm, params, *of))
            _check(alsa.snd_pcm_hw_params_get_period_size(params, ctypes.byref(period), None))
        finally:
            alsa.snd_pcm_hw_params_free(params)
        return rate.value, width.value, period.value

    def _set_format(self, pcm: ctypes.c_void_p, params: ctypes.c_void_p, bits: int) -> int:
        """Take the first format that the card has of those tried for *bits*."""
        for one in _TRIED[bits]:
            error: int = self._alsa.snd_pcm_hw_params_set_format(pcm, params, one.alsa)
            if error >= 0:
                self.format = one
                break
        return error


def _check(result: int) -> None:
    """Raise what libasound returned, where that is an error."""
    if result < 0:
        raise OSError(-result, os.strerror(-result))


@cache
def alsa_library() -> Any:
    """Return libasound, which says nothing on its own.

    Raises:
        PulledOut: It is not installed.
    """
    try:
        alsa = ctypes.CDLL(LIBRARY)
    except OSError as error:
        raise PulledOut(Sentence("no-alsa", library=LIBRARY)) from error
    alsa.snd_pcm_readi.restype = ctypes.c_long
    alsa.snd_device_name_get_hint.restype = ctypes.c_void_p
    # It prints each error; all it prints we raise. A handler in Python would need memory that may
    # be written and run, which the table's unit forbids: any function of C that reads nothing does.
    alsa.snd_lib_error_set_handler(ctypes.CDLL(None).getpid)
    return alsa


def capture_devices() -> tuple[str, ...]:
    """Return the names of the capture devices there are now, one for each that can be plugged in.

    Raises:
        PulledOut: There is no ALSA.
    """
    alsa = alsa_library()
    alsa.snd_config_update_free_global()  # it remembers the cards of the first time it was asked
    hints = ctypes.POINTER(ctypes.c_void_p)()
    if alsa.snd_device_name_hint(-1, b"pcm", ctypes.byref(hints)) < 0:
        return ()
    try:
        names = []
        for at in range(sys.maxsize):
            if not hints[at]:
                break
            if _hint(hints[at], b"IOID") != "Output":
                names.append(_hint(hints[at], b"NAME"))
    finally:
        alsa.snd_device_name_free_hint(hints)
    ours = [one for one in names if not one.startswith(_NOT_OURS) and one not in _CONVERTERS]
    return tuple([one for one in ours if ":" in one] or ours)


def _hint(hint: int, kind: bytes) -> str:
    text = alsa_library().snd_device_name_get_hint(ctypes.c_void_p(hint), kind)
    if not text:
        return ""
    try:
        return ctypes.string_at(text).decode(errors="replace")
    finally:
        ctypes.CDLL(None).free(ctypes.c_void_p(text))


def _why_shut(name: str, number: int) -> Sentence:
    """Return why the device *name* could not be opened, and what to do."""
    if number == errno.EBUSY:
        return Sentence("sound-card-busy", device=name)
    if number in (errno.EACCES, errno.EPERM) or is_shut_out():
        return Sentence("sound-card-forbidden", device=name)
    there = ", ".join(capture_devices()) or "-"
    return Sentence("no-sound-card", device=name, there=there)


def is_shut_out() -> bool:
    """Return whether there are cards that we may not open: ALSA does not see them at all then."""
    for card in _CARDS.glob("controlC*"):
        try:
            os.close(os.open(card, os.O_RDWR | os.O_CLOEXEC))
        except PermissionError:
            return True
        except OSError:
            continue  # pulled out meanwhile
    return False


SURE_OF_IT = 64  # frames come as often as the card says, until a second of them says otherwise
REMEMBERS = 4096  # bursts, a minute of them: crystals drift with warmth
LATE_S = 0.02  # who reads so late tells nothing of the card
LOST_AFTER = 64  # bursts, a second of them: somebody late has caught up by then, or frames are lost
KNOWN_S = 30.0  # before, the line is too short to tell millionths


class SampleClock:
    """When each frame was taken, out of when some thread came to read it.

    A line through the moments of arrival, by least squares: a filter of growing memory until it
    `REMEMBERS` all it shall, and of fading memory from then on (Brookner, Tracking and Kalman
    Filtering Made Easy, 1998, § 1.2.10). A thread that comes late moves a moment, hardly a line.
    Frames that a sound server lost without a word look like one that is late for ever: after
    `LOST_AFTER` bursts the line begins anew where they are, as steep as before.

    Args:
        rate_hz: Frames a second, as the card says.
    """

    def __init__(self, rate_hz: float) -> None:
        self._said_s = self._interval_s = 1 / rate_hz
        self._end_s: float | None = None
        self._seen = SURE_OF_IT
        self._late = 0
        self._heard_s = 0.0

    @property
    def drift_ppm(self) -> float | None:
        """By how many millionths it runs faster than it says; None until that is known."""
        if self._heard_s < KNOWN_S:
            return None
        return 1e6 * (self._said_s / self._interval_s - 1)

    def lose(self) -> None:
        """Take note that frames were lost: the next ones are where they arrive."""
        self._end_s = None

    def start_s(self, frames: int, arrived_s: float) -> tuple[float, float]:
        """Return when the first of *frames* was taken and when the one after the last is due.

        Args:
            frames: So many that follow those of the last call.
            arrived_s: When they were there.
        """
        lasts_s = frames * self._interval_s
        start_s = arrived_s - lasts_s if self._end_s is None else self._end_s
        off_s = arrived_s - start_s - lasts_s
        self._late = self._late + 1 if off_s > LATE_S else 0
        # Nothing arrives before it was taken.
        if off_s < -LATE_S or self._late >= LOST_AFTER:
            self._late = 0
            start_s, off_s = arrived_s - lasts_s, 0.0
        self._end_s = start_s + lasts_s
        if not self._late:
            self._follow(off_s, frames)
        return start_s, self._end_s

    def _follow(self, off_s: float, frames: int) -> None:
        """Bend the line to a moment that was *off_s* later than it said."""
        seen = self._seen
        self._end_s = (self._end_s or 0.0) + off_s * 2 * (2 * seen + 1) / ((seen + 1) * (seen + 2))
        self._interval_s += off_s * 6 / ((seen + 1) * (seen + 2)) / frames
        self._seen = min(seen + 1, REMEMBERS)
        self._heard_s += frames * self._said_s


EARLY_S = BLOCK_S / 2  # before it can have been sampled: no card gives anything so early
FORGETS = 256  # bursts: by then a crystal that runs fast has given as much early


class Metronome:
    """Lets nobody read faster than the sound is: what lies in a file, or nowhere, has no clock.

    ALSA's plugins ``file`` and ``null`` give as much as is asked for at once. A real card gives
    nothing before it was sampled, so nobody waits there for more than it took to begin with.
    """

    def __init__(self, begun_s: float) -> None:
        self._last_s = begun_s
        self._early_s = 0.0

    def wait_s(self, lasts_s: float, now_s: float) -> float:
        """Return how long to wait before *lasts_s* more seconds of sound are handed on."""
        self._early_s += lasts_s - (now_s - self._last_s)
        self._last_s = now_s
        if self._early_s > EARLY_S:
            return self._early_s
        if self._early_s > 0:
            self._early_s -= self._early_s / FORGETS
        return 0.0


class SoundCard:
    """A card as a converter: opened when it is read, and again when it comes back.

    Args:
        open_pcm: Opens the card.
        channels: Which of its channels are read, in this order.
        clock: The time in seconds (tests).
        sleep: Lets so many seconds of it pass (tests).
    """

    remedy = LESS_TO_READ
    skew_s = 0.0  # all channels are sampled at once

    def __init__(
        self,
        open_pcm: Callable[[], CapturePcm],
        channels: Sequence[int],
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._open_pcm = open_pcm
        self._channels = tuple(channels)
        self._now_s, self._sleep = clock, sleep
        self._pcm: CapturePcm | None = None
        self._times = SampleClock(1.0)
        self._metronome = Metronome(0.0)
        self._thinned = 1
        self._left: array[int] | None = None  # frames that do not make a whole sample yet

    @property
    def drift_ppm(self) -> float | None:
        """By how many millionths the card's clock runs fast against ours; None until known."""
        return self._times.drift_ppm

    def burst(self) -> Burst:
        """Read what the card has next.

        Raises:
            PulledOut: It is not there; the message says what to do.
        """
        pcm = self._pcm or self._opened()
        try:
            while not (frames := self._frames(pcm)):
                pass
        except OSError as error:
            self.close()
            if isinstance(error, PulledOut):
                raise
            raise PulledOut(Sentence("sound-card-gone", error=error.strerror)) from error
        count = len(frames) // pcm.channels
        if wait_s := self._metronome.wait_s(count / pcm.rate_hz, self._now_s()):
            self._sleep(wait_s)
        start_s, end_s = self._times.start_s(count, self._now_s())
        return Burst(start_s, end_s, tuple(self._brought_down(frames, pcm.channels)))

    def own_hz(self) -> float | None:
        """Return how many samples a second are handed on, as the card says.

        Raises:
            PulledOut: It is not there; the message says what to do.
        """
        pcm = self._pcm or self._opened()
        return pcm.rate_hz / self._thinned

    def tune(self, reached_hz: float) -> None:
        """Do nothing: its own clock makes the pace."""

    def close(self) -> None:
        """Let go of the card; may be called twice."""
        if self._pcm is not None:
            self._pcm.close()
        self._pcm = None

    def _opened(self) -> CapturePcm:
        self._metronome = Metronome(self._now_s())
        pcm = self._pcm = self._open_pcm()
        self._times = SampleClock(pcm.rate_hz)
        self._thinned = thinned_by(pcm.rate_hz)
        self._left = None
        return pcm

    def _frames(self, pcm: CapturePcm) -> "array[int] | None":
        """Return the next frames, as many as make whole samples; None after an overrun."""
        try:
            frames = pcm.read()
        except Overrun:
            self._times.lose()
            self._left = None
            return None
        if self._left:
            frames = self._left + frames
        whole = len(frames) - len(frames) % (pcm.channels * self._thinned)
        self._left = frames[whole:]
        return frames[:whole]

    def _brought_down(self, frames: "array[int]", width: int) -> Iterator[list[float]]:
        """Yield the samples of each channel that is read, each a mean of those it stands for."""
        times = self._thinned
        scale = 1 / (times * (1 << 8 * frames.itemsize - 1))
        for channel in self._channels:
            samples = frames[channel::width]
            if times == 1:
                yield [one * scale for one in samples]
            else:
                grouped = zip(*[iter(samples)] * times, strict=True)
                yield [one * scale for one in map(sum, grouped)]


def open_card(config: AudioConfig, channels: Sequence[int]) -> SoundCard:
    """Return the card of *config*, which is opened when it is first read."""
    wanted = max(channels) + 1
    open_pcm = partial(AlsaPcm, config.device, wanted, config.rate_hz, config.bits)
    return SoundCard(open_pcm, channels)


LATENCY_S: Final = 0.1
"""What the card holds beforehand: so late may this thread be, and so late is a call cut off."""
_MONO = 1
_MAY_RESAMPLE = 1  # where the card does not play at the rate of clips
_CHUNK_S = 0.02


class Loudspeaker:
    """ALSA's playback device *name*; ``plughw:CARD=Device`` finds a card wherever it is plugged.

    It is opened anew for each call, so that one that was pulled out is found again by its name, and
    so that another program may use it meanwhile.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def play(self, samples: "array[int]", rate_hz: int, stop: Callable[[], bool]) -> None:
        """Play *samples*, 16 bits of one channel, to the end or until *stop* says so.

        Raises:
            PulledOut: There is no such device now, or it plays nothing like that.
        """
        library = alsa_library()
        pcm = self._opened(library)
        try:
            _check(
                library.snd_pcm_set_params(
                    pcm,
                    S16.alsa,
                    _INTERLEAVED,
                    _MONO,
                    rate_hz,
                    _MAY_RESAMPLE,
                    round(1e6 * LATENCY_S),
                )
            )
            self._write(library, pcm, samples, round(_CHUNK_S * rate_hz), stop)
        except OSError as error:
            raise PulledOut(
                Sentence("loudspeaker-gone", device=self._name, error=error.strerror)
            ) from error
        finally:
            library.snd_pcm_close(pcm)

    def _opened(self, library: Any) -> ctypes.c_void_p:
        pcm = ctypes.c_void_p()
        error = library.snd_pcm_open(ctypes.byref(pcm), self._name.encode(), _PLAYBACK, 0)
        if error >= 0:
            return pcm
        if -error == errno.EBUSY:
            raise PulledOut(Sentence("loudspeaker-busy", device=self._name))
        if -error in (errno.EACCES, errno.EPERM) or is_shut_out():
            raise PulledOut(Sentence("sound-card-forbidden", device=self._name))
        raise PulledOut(Sentence("no-loudspeaker", device=self._name))

    def _write(
        self,
        library: Any,
        pcm: ctypes.c_void_p,
        samples: "array[int]",
        chunk: int,
        stop: Callable[[], bool],
    ) -> None:
        for at in range(0, len(samples), chunk):
            if stop():
                library.snd_pcm_drop(pcm)
                return
            part = samples[at : at + chunk]
            frames = ctypes.c_ulong(len(part))
            written = library.snd_pcm_writei(pcm, part.tobytes(), frames)
            if written < 0:
                # It ran dry while this thread waited for a processor: on with the same words.
                _check(library.snd_pcm_recover(pcm, written, 1))
                _check(library.snd_pcm_writei(pcm, part.tobytes(), frames))
        _check(library.snd_pcm_drain(pcm))
