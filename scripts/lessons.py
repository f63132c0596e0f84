"""Lessons for the judge: what a blow looked like to the listener, and whether it was a knock."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

import numpy as np
from scipy.signal import firwin, lfilter

from kloplei.knock.calibration import Calibration
from kloplei.knock.detector import Listener
from kloplei.knock.features import RATES_HZ, features
from kloplei.knock.judgement import Judgement
from kloplei.knock.signal import Block

RATE_HZ = 8000  # of the recordings
NEAR_S = 0.02  # a blow so near a labelled onset is that knock
UNCLEAR_S = 0.05
_TUNED_SOFT = Calibration(gain_db=9.0)  # wakes for all that wakes a listener at any table
WELL_FILTERED = 0.5  # of the signals at a lower rate; the others fold back, as in the box

Sound = np.ndarray[Any, np.dtype[np.float64]]
Laid = tuple[float, float, str]
"""A noise in a mixture: when it begins and ends, in seconds, and its source."""


class Way(StrEnum):
    """How the sound of a lesson came about: recorded, or varied from a recording, or made up."""

    PLAIN = "plain"  # a recording as it is
    SOFTER = "softer"  # turned down
    FILTERED = "filtered"  # through another piece of wood
    ELSEWHERE = "elsewhere"  # as if struck on another table, faster or slower as well
    MIXED = "mixed"  # in a minute of many recordings
    VIRTUAL = "virtual"  # on a virtual table
    WIRE = "wire"  # of the electronics alone


@dataclass(frozen=True, slots=True)
class Origin:
    """Where lessons come from: what *kind* of thing it was, heard in which *way*, on whose wood.

    *fold* is that of the recording. *softer_db* is how much was taken off its level.
    """

    way: Way
    kind: str
    source: str
    fold: int
    softer_db: float = 0.0


@dataclass(frozen=True, slots=True)
class Lesson:
    """What one blow looked like at one rate, and whether it was a knock."""

    rate_hz: int
    seen: Mapping[str, float]
    knock: bool
    origin: Origin


def lessons_of(
    sound: Sound,
    onsets: Sequence[float],
    unclear: Sequence[float],
    origin: Origin,
    luck: np.random.Generator,
    laid: Sequence[Laid] = (),
) -> Iterator[Lesson]:
    """Yield every blow in *sound* as a lesson, at each rate as a box of that rate hears it.

    Args:
        sound: At `RATE_HZ`, full scale -1 to 1.
        onsets: When knocks begin, in seconds.
        unclear: When something happens that may be one or not: no lesson.
        origin: Of the sound.
        luck: Of the electronics.
        laid: Which noises from elsewhere are in it.
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
                source = origin.source if knock else _source_of(one.at_s, laid, origin.source)
                yield Lesson(rate_hz, seen(one), knock, replace(origin, source=source))


def _source_of(at_s: float, laid: Sequence[Laid], usual: str) -> str:
    there = (source for begin_s, end_s, source in laid if begin_s - NEAR_S <= at_s <= end_s)
    return next(there, usual)


def _streamed(sound: Sound, rate_hz: int, luck: np.random.Generator) -> Block:
    """Return *sound* as a box that reads *rate_hz* gets it: seldom filtered well, in 10 bits.

    What reaches `RATE_HZ` is now and then a sound card, and has more of them.
    """
    half = 512
    if rate_hz < RATE_HZ:
        if luck.random() < WELL_FILTERED:
            sound = lfilter(firwin(63, 0.45 * rate_hz, fs=RATE_HZ), 1.0, np.pad(sound, (0, 31)))[
                31:
            ]
        sound = sound[:: RATE_HZ // rate_hz]
    else:
        half = int(luck.choice((512, 2048, 32768)))
    noise = luck.choice((0.0, luck.uniform(0.0, 1.5)), p=(0.2, 0.8)) * half / 512
    sound = np.round(half * sound + luck.normal(0, noise, len(sound))) / half
    return Block(0.0, float(rate_hz), (np.clip(sound, -1, 1).tolist(),))


def heard(block: Block) -> list[Judgement]:
    """Return every blow that wakes a listener in *block*, whatever it was."""
    listener = Listener(calibration=_TUNED_SOFT, judge=lambda *_: 0.0)
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
