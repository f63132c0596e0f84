"""Moments of the bench, as a slate shows them."""

from PIL import Image

from kloplei.config.settings import SMALL_GLASS, Glass
from kloplei.games.game import Seat
from kloplei.recordings.capture.protocol import steps_for
from kloplei.recordings.capture.session import Shown, picture_of

_STEPS = {step.name: step for step in steps_for([Seat(at) for at in range(4)])}


def shown(step: str, since_s: float | None = None) -> Shown:
    """Return *step* at a moment; None is before it has begun."""
    return Shown(_STEPS[step], 1, len(_STEPS), since_s is not None, since_s or 0.0)


_MOMENTS = {
    "bench-knock": (shown("seat-3-usual"), "nl"),
    "bench-countdown": (shown("seat-3-usual", 0.3), "nl"),
    "bench-now": (shown("seat-3-usual", 4.1), "nl"),
    "bench-again": (shown("seat-3-usual", 5.0), "nl"),
    "bench-done": (shown("seat-3-thrice", 6.8), "nl"),
    "bench-together": (shown("together-1-2"), "da"),
    "bench-together-now": (shown("together-1-2", 2.5), "de"),
    "bench-glass": (shown("glass"), "nl"),
    "bench-talk": (shown("talk"), "en"),
    "bench-talk-on": (shown("talk", 5.0), "nl"),
    "bench-mains": (shown("mains"), "de"),
    "bench-japanese": (shown("seat-1-finger"), "ja"),
}


def beats(glass: Glass = SMALL_GLASS) -> dict[str, Image.Image]:
    """Return the pictures of some moments on *glass*, by name."""
    return {
        name: picture_of(moment, language, glass) for name, (moment, language) in _MOMENTS.items()
    }
