"""Lessons for the judge: what a blow looked like to the listener, and whether it was a knock."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.signal import firwin, lfilter

from kloplei.knock.detector import Listener
from kloplei.knock.features import RATES_HZ, features
from kloplei.knock.judgement import Judgement
from kloplei.knock.signal import Block

RATE_HZ = 8000  # of the recordings
NEAR_S = 0.02  # a blow so near a labelled onset is that knock
UNCLEAR_S = 0.05
WELL_FILTERED = 0.5  # of the signals at a lower rate; the others fold back, as in the box

Sound = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True, slots=True)
class Lesson:
    """What one blow looked like at one rate, and whether it was a knock."""

    rate_hz: int
    seen: Mapping[str, float]
    knock: bool
    fold: int
    kind: str  # lessons of one kind share their weight


def lessons_of(
    sound: Sound,
    onsets: Sequence[float],
    unclear: Sequence[float],
    fold: int,
    kind: str,
    luck: np.random.Generator,
) -> Iterator[Lesson]:
    """Yield every blow in *sound* as a lesson, at each rate as a box of that rate hears it.

    Args:
        sound: At `RATE_HZ`, full scale -1 to 1.
        onsets: When knocks begin, in seconds.
        unclear: When something happens that may be one or not: no lesson.
        fold: Of the recording it comes from.
        kind: Lessons of one kind share their weight.
        luck: Of the electronics.
    """
    for rate_hz in RATES_HZ:
        judged = heard(_streamed(sound, rate_hz, luck))
        nearest = [min(judged, key=lambda one: abs(one.at_s - at)) for at in onsets if judged]
        mine = {one.at_s for one in nearest}
        for one in judged:
            off_s = min((abs(one.at_s - onset) for onset in onsets), default=1.0)
            knock = one.at_s in mine and off_s < NEAR_S
            doubtful = off_s < NEAR_S or any(abs(one.at_s - at) < UNCLEAR_S for at in unclear)
            if knock or not doubtful:
                yield Lesson(rate_hz, seen(one), knock, fold, kind)


def _streamed(sound: Sound, rate_hz: int, luck: np.random.Generator) -> Block:
    """Return *sound* as a box that reads *rate_hz* gets it: seldom filtered well, in 10 bits."""
    if rate_hz < RATE_HZ:
        if luck.random() < WELL_FILTERED:
            sound = lfilter(firwin(63, 0.45 * rate_hz, fs=RATE_HZ), 1.0, np.pad(sound, (0, 31)))[
                31:
            ]
        sound = sound[:: RATE_HZ // rate_hz]
        codes = 512 * sound + luck.normal(0, luck.uniform(0.3, 1.5), len(sound))
        sound = np.round(codes) / 512
    return Block(0.0, float(rate_hz), (np.clip(sound, -1, 1).tolist(),))


def heard(block: Block) -> list[Judgement]:
    """Return every blow that wakes a listener in *block*, whatever it was."""
    listener = Listener(judge=lambda *_: 0.0)
    return [one for one in (*listener.feed(block), *listener.flush()) if isinstance(one, Judgement)]


def seen(judged: Judgement) -> Mapping[str, float]:
    """Return the features of what was *judged*."""
    if judged.window is None:
        raise TypeError("a listener hands in the window of every blow")
    return features(judged.window)


def lay(sound: Sound, piece: Sound, at_s: float, rate_hz: float = RATE_HZ) -> None:
    """Add *piece* to *sound* from *at_s* on, as far as there is room."""
    begin = max(0, round(at_s * rate_hz))
    room = sound[begin : begin + len(piece)]
    room += piece[: len(room)]
