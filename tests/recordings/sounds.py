"""Sounds for recordings: knuckles on wood, made up from the few numbers that matter."""

import math
from collections.abc import Iterable

RATE_HZ = 8000
WOOD_HZ = 400.0  # where a knuckle on a table top has its energy
FALLS_20_DB_IN_S = 0.03


def knock(at_s: float, loudness: float = 0.5) -> "Blow":
    """Return a knuckle's blow."""
    return Blow(at_s, loudness, WOOD_HZ, FALLS_20_DB_IN_S)


def heavy_knock(at_s: float, loudness: float) -> "Blow":
    """Return one on a thick top, which rings lower and longer."""
    return Blow(at_s, loudness, 250.0, 0.05)


class Blow:
    """One blow: it begins at once, rings low, and dies away."""

    def __init__(self, at_s: float, loudness: float, wood_hz: float, falls_s: float) -> None:
        self.at_s = at_s
        self.loudness = loudness
        self.wood_hz = wood_hz
        self.falls_s = falls_s  # by 20 dB

    def sample(self, since_s: float) -> float:
        """Return it *since_s* seconds after its beginning."""
        if since_s < 0:
            return 0.0
        swing = math.sin(math.tau * self.wood_hz * since_s + 0.5)
        return self.loudness * swing * 10 ** (-since_s / self.falls_s)


def sound(length_s: float, blows: Iterable[Blow] = (), rate_hz: int = RATE_HZ) -> list[float]:
    """Return the samples of *blows*, silence between them."""
    samples = [0.0] * round(length_s * rate_hz)
    for blow in blows:
        first = math.ceil(blow.at_s * rate_hz)
        for at in range(first, min(len(samples), first + rate_hz // 5)):
            samples[at] += blow.sample(at / rate_hz - blow.at_s)
    return samples
