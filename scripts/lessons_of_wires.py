"""Lessons from wires and loudspeakers: what begins at once, and goes on as it began."""

from collections.abc import Callable, Iterator, Mapping

import numpy as np
from scipy.signal import butter, lfilter

from scripts.lessons import RATE_HZ, Lesson, Origin, Sound, Way, lessons_of

WIRE = "wire"
_BEFORE_S, _LASTING_S = 0.2, 0.6
_STILL = 0.001  # of full scale: the electronics alone
_SOFTEST, _LOUDEST = 0.05, 1.4  # of full scale, beyond which all is cut off

_Draw = Callable[[Sound, np.random.Generator], Sound]


def of_wire(seed: int, fold: int) -> Iterator[Lesson]:
    """Yield what wakes the listener when a hum, a tone, a chord or a hiss begins."""
    for kind, draw in _KINDS.items():
        luck = np.random.default_rng((seed, *kind.encode()))
        at_s = np.arange(round(_LASTING_S * RATE_HZ)) / RATE_HZ
        drawn = draw(at_s, luck)
        drawn *= np.exp(luck.uniform(np.log(_SOFTEST), np.log(_LOUDEST))) / np.abs(drawn).max()
        rise_s = luck.choice((0.0, luck.uniform(0.001, 0.02)))
        drawn *= np.minimum(1.0, (at_s + 1e-9) / (rise_s + 1e-9))
        silence = np.zeros(round(_BEFORE_S * RATE_HZ))
        sound = np.clip(np.concatenate((silence, drawn)), -1.0, 1.0)
        sound += luck.normal(0, _STILL, len(sound))
        yield from lessons_of(sound, [], [], Origin(Way.WIRE, f"{WIRE}, {kind}", WIRE, fold), luck)


def _hum(at_s: Sound, luck: np.random.Generator) -> Sound:
    mains_hz = luck.choice((50.0, 60.0))
    parts = [1.0, *(luck.uniform(0, 0.7) / n for n in range(2, 9))]
    return _waves(at_s, [(mains_hz * n, part) for n, part in enumerate(parts, 1)], luck)


def _tone(at_s: Sound, luck: np.random.Generator) -> Sound:
    return _waves(at_s, [(_pitch_hz(luck), 1.0)], luck)


def _chord(at_s: Sound, luck: np.random.Generator) -> Sound:
    notes = [_pitch_hz(luck) for _ in range(luck.integers(2, 6))]
    parts = [(note * n, luck.uniform(0.2, 1) / n) for note in notes for n in (1, 2, 3)]
    return _waves(at_s, parts, luck)


def _hiss(at_s: Sound, luck: np.random.Generator) -> Sound:
    low_hz = np.exp(luck.uniform(np.log(60), np.log(1000)))
    high_hz = np.exp(luck.uniform(np.log(2 * low_hz), np.log(3900)))
    ahead, back = butter(1, (low_hz, high_hz), "bandpass", fs=RATE_HZ)
    return np.asarray(lfilter(ahead, back, luck.normal(0, 1, len(at_s))))


def _waves(at_s: Sound, parts: list[tuple[float, float]], luck: np.random.Generator) -> Sound:
    """Return the sum of *parts*, each a frequency in hertz and a share, from any phase on."""
    heard = [(hz, share) for hz, share in parts if hz < RATE_HZ / 2]
    turns = luck.uniform(0, 2 * np.pi, len(heard))
    return np.asarray(
        sum(
            share * np.sin(2 * np.pi * hz * at_s + turn)
            for (hz, share), turn in zip(heard, turns, strict=True)
        )
    )


def _pitch_hz(luck: np.random.Generator) -> float:
    return float(np.exp(luck.uniform(np.log(80), np.log(2000))))


_KINDS: Mapping[str, _Draw] = {"hum": _hum, "tone": _tone, "chord": _chord, "hiss": _hiss}
