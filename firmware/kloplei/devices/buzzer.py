"""The buzzer: a piezo that plays short melodies, one at a time."""

import threading
from functools import partial

from gpiozero import Factory, TonalBuzzer
from gpiozero.tones import Tone

from kloplei.config import BuzzerConfig
from kloplei.devices.schedule import Schedule

Melody = tuple[tuple[str | None, float], ...]
"""Notes as ("A5", seconds); None is a rest. From A3 to A7."""


class Buzzer:
    """One passive piezo.

    Wiring: one leg to the pin through 100 ohm, the other to GND. ::

        buzzer = Buzzer(config.buzzer, schedule, pin_factory)
        buzzer.play((("C6", 0.1), (None, 0.05), ("G6", 0.2)))

    ``quiet`` may be switched at any time; a quiet buzzer plays nothing.

    Raises:
        gpiozero.GPIOZeroError: The pin is taken, or cannot play tones.
    """

    def __init__(
        self, config: BuzzerConfig, schedule: Schedule, pin_factory: Factory | None = None
    ) -> None:
        self.quiet = config.quiet
        self._schedule = schedule
        # Two octaves about A5: small piezos are loudest there, and whisper at A4.
        self._piezo = TonalBuzzer(
            config.pin, mid_tone=Tone(note="A5"), octaves=2, pin_factory=pin_factory
        )
        self._lock = threading.Lock()
        self._playing = 0  # counts melodies, so that the notes of an old one fall silent

    def play(self, melody: Melody) -> None:
        """Start *melody* and return at once; one that is under way breaks off."""
        if self.quiet:
            return
        with self._lock:
            self._playing += 1
            at_s = self._schedule.now_s()
            for note, for_s in (*melody, (None, 0.0)):
                self._schedule.at(at_s, partial(self._sound, self._playing, note))
                at_s += for_s

    def close(self) -> None:
        """Fall silent and let go of the pin."""
        with self._lock:
            self._playing += 1
            self._piezo.close()

    def _sound(self, melody: int, note: str | None) -> None:
        with self._lock:
            if melody != self._playing:
                return
            if note is None:
                self._piezo.stop()
            else:
                self._piezo.play(Tone(note=note))
