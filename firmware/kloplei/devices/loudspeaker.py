"""A sound card that plays: ALSA's playback device, open for as long as something is said.

It is opened anew for each call, so that one that was pulled out is found again by its name, and so
that another program may use it meanwhile. Wiring of an I2S amplifier: docs/voice.md.
"""

import ctypes
import errno
import os
from array import array
from collections.abc import Callable
from typing import Any, Final

from kloplei.devices.adc import PulledOut
from kloplei.devices.audio import alsa_library, is_shut_out
from kloplei.words import Sentence

LATENCY_S: Final = 0.1
"""What the card holds beforehand: so late may this thread be, and so late is a call cut off."""
_PLAYBACK, _S16, _INTERLEAVED, _MONO = 0, 2, 3, 1
_CHUNK_S = 0.02


class Loudspeaker:
    """ALSA's playback device *name*; ``plughw:CARD=Device`` finds a card wherever it is plugged."""

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
            self._check(
                library.snd_pcm_set_params(
                    *(pcm, _S16, _INTERLEAVED, _MONO, rate_hz, 1, round(1e6 * LATENCY_S))
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
                self._check(library.snd_pcm_recover(pcm, written, 1))
                self._check(library.snd_pcm_writei(pcm, part.tobytes(), frames))
        self._check(library.snd_pcm_drain(pcm))

    def _check(self, result: int) -> None:
        if result < 0:
            raise OSError(-result, os.strerror(-result))
