"""Moments of the bench, as a slate shows them."""

from kloplei.games.game import Seat
from kloplei.recordings.capture.protocol import steps_for
from kloplei.recordings.capture.session import Shown, picture_of

_STEPS = {step.name: step for step in steps_for([Seat(at) for at in range(4)])}


def shown(step: str, since_s: float | None = None) -> Shown:
    """Return *step* at a moment; None is before it has begun."""
    return Shown(_STEPS[step], 1, len(_STEPS), since_s is not None, since_s or 0.0)


BEATS = {
    "bench-knock": picture_of(shown("seat-3-usual"), "nl"),
    "bench-countdown": picture_of(shown("seat-3-usual", 0.3), "nl"),
    "bench-now": picture_of(shown("seat-3-usual", 4.1), "nl"),
    "bench-again": picture_of(shown("seat-3-usual", 5.0), "nl"),
    "bench-done": picture_of(shown("seat-3-thrice", 6.8), "nl"),
    "bench-together": picture_of(shown("together-1-2"), "da"),
    "bench-together-now": picture_of(shown("together-1-2", 2.5), "de"),
    "bench-glass": picture_of(shown("glass"), "nl"),
    "bench-talk": picture_of(shown("talk"), "en"),
    "bench-talk-on": picture_of(shown("talk", 5.0), "nl"),
    "bench-mains": picture_of(shown("mains"), "de"),
    "bench-japanese": picture_of(shown("seat-1-finger"), "ja"),
}
