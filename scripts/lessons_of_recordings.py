"""Lessons from recordings: as they are, through other filters, and mixed into minutes."""

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from scipy.signal import bilinear, butter, lfilter, resample_poly

from kloplei.recordings.wav import open_recording
from scripts.lessons import RATE_HZ, Laid, Lesson, Origin, Sound, Way, lay, lessons_of

SOFTER_DB = (0, -6, -12, -20)  # a soft hand, foam under the disc: levels at which each is heard
FILTERED = 3  # times each recording is heard through another filter
ELSEWHERE = 6  # times it is heard as if struck on another table

Entry = dict[str, Any]
"""One of the ``files`` in labels.json."""


def of_recording(data: Path, entry: Entry, fold: int) -> Iterator[Lesson]:
    """Yield what is in the recording of *entry*: as it is, softer, filtered, and elsewhere."""
    luck = np.random.default_rng(sum(map(ord, entry["file"])))
    sound, knock = _read(data / entry["file"]), entry["category"] == "knock"
    onsets, unclear, kind = entry["onsets"], entry["ignore"], kind_of(entry)
    for softer_db in SOFTER_DB:
        way = Way.SOFTER if softer_db else Way.PLAIN
        origin = Origin(way, _heard_as(way, kind), source_of(entry), fold, softer_db)
        yield from lessons_of(sound * _times(softer_db), onsets, unclear, origin, luck)
    louder_db = _LOUDER_DB.get(entry.get("domain", ""), (0,))
    for _ in range(FILTERED):
        loud_db = luck.uniform(-7, 4) if knock else luck.choice(louder_db)
        louder = _filtered(sound, luck) * _times(loud_db)
        origin = Origin(Way.FILTERED, _heard_as(Way.FILTERED, kind), source_of(entry), fold)
        yield from lessons_of(louder, onsets, unclear, origin, luck)
    for _ in range(ELSEWHERE):
        there, pace = _elsewhere(sound, onsets, luck)
        loud_db = luck.uniform(-24, 4) if knock else luck.uniform(-9, 4) + luck.choice(louder_db)
        origin = Origin(Way.ELSEWHERE, _heard_as(Way.ELSEWHERE, kind), source_of(entry), fold)
        yield from lessons_of(
            there * _times(loud_db),
            [one / pace for one in onsets],
            [one / pace for one in unclear],
            origin,
            luck,
        )


def _heard_as(way: Way, kind: str) -> str:
    return kind if way is Way.PLAIN else f"{way} {kind}"


def _times(decibels: float) -> float:
    return float(10 ** (decibels / 20))


def _elsewhere(
    sound: Sound, onsets: Sequence[float], luck: np.random.Generator
) -> tuple[Sound, float]:
    """Return *sound* as if struck on another table, and how much faster it is there.

    Larger wood is slower, thicker wood falls silent sooner, and every top, disc and hand has a
    colour of its own. Noises go through the same as knocks: what is left to tell them by is what
    a table does not change.
    """
    pace = float(np.clip(np.exp(luck.normal(0, 0.22)), 0.6, 1.7))
    sound = resample_poly(sound, 100, round(100 * pace))
    peak = np.abs(sound).max()
    if luck.random() < 0.6:
        sound = sound * _falling(len(sound), [one / pace for one in onsets], luck.normal(0, 25))
    sound = _bumpy(sound, luck)
    if luck.random() < 0.5:
        sound = _tilted(sound, luck)
    if luck.random() < 0.35:
        corner_hz = np.exp(luck.uniform(np.log(500), np.log(3500)))
        sound = lfilter(*butter(1, corner_hz, fs=RATE_HZ), sound)
    return np.asarray(sound * peak / (np.abs(sound).max() + 1e-9)), round(100 * pace) / 100


def _falling(count: int, onsets: Sequence[float], rate: float) -> Sound:
    """Return by what each blow is to fall silent sooner, or later: *rate* in nepers a second."""
    times = np.ones(count)
    begins = [round(one * RATE_HZ) for one in onsets] or list(range(0, count, RATE_HZ * 2 // 5))
    for begin, following in zip(begins, [*begins[1:], count], strict=True):
        end = min(begin + RATE_HZ // 8, following - 40, count)
        if end > begin:
            times[begin:end] = np.exp(-np.clip(rate * np.arange(end - begin) / RATE_HZ, -1.2, 3))
    return times


def _bumpy(sound: Sound, luck: np.random.Generator) -> Sound:
    for _ in range(luck.integers(1, 5)):
        sound = _bump(
            sound,
            np.exp(luck.uniform(np.log(100), np.log(3500))),
            luck.normal(0, 5),
            np.exp(luck.uniform(np.log(0.5), np.log(6))),
        )
    return sound


def _tilted(sound: Sound, luck: np.random.Generator) -> Sound:
    """Return *sound* brighter or duller."""
    for _ in range(luck.integers(1, 3)):
        turn = (
            2 * RATE_HZ * np.tan(np.pi * np.exp(luck.uniform(np.log(250), np.log(1800))) / RATE_HZ)
        )
        ahead, back = bilinear([_times(luck.normal(0, 8)), turn], [1, turn], RATE_HZ)
        sound = lfilter(ahead, back, sound)
    return sound


_LOUDER_DB = {
    "on_table": (0, 4, 8, 12),
    "structure": (0, 4),
    "airborne": (0, 4),
    "electronics": (0, 4),
}


def of_mixture(data: Path, files: Sequence[Entry], fold: int, seed: int) -> Iterator[Lesson]:
    """Yield what is in a minute mixed of *files*; in the odd ones, noises are as loud as knocks.

    All its knocks are of one source, and now and then all is soft.
    """
    luck = np.random.default_rng(1000 * fold + seed)
    hard = bool(seed % 2)
    count = 60 * RATE_HZ
    sound = luck.normal(0, 10 ** (-66 / 20), count)
    onsets = []
    knocks = [one for one in files if one["category"] == "knock"]
    sources = sorted({source_of(one) for one in knocks})
    source = sources[seed // 2 % len(sources)]
    knocks = [one for one in knocks if source_of(one) == source]
    softer_db = float(luck.choice((0.0, 0.0, -8.0, -16.0)))
    laid: list[Laid] = []
    at_s = luck.uniform(0.5, 4)
    while at_s < 56:
        entry = _drawn(knocks, luck)
        gap_s, level = luck.uniform(0.16, 0.42), _times(softer_db + luck.uniform(-5, 3))
        for _ in range(luck.choice((1, 2, 3), p=(0.45, 0.33, 0.22))):
            onsets.append(at_s)
            lay(sound, level * _one_knock(data, entry, luck), at_s - 0.008)
            at_s += gap_s * luck.uniform(0.95, 1.05)
        at_s += luck.uniform(1, 9)
    for _ in range(luck.poisson(24)):
        entry = _drawn([one for one in files if one["category"] == "negative"], luck)
        noise = _filtered(_read(data / entry["file"])[: 2 * RATE_HZ], luck)
        on_table = entry["domain"] == "on_table"
        loud_db = -6 + luck.uniform(-5, 4) + (0 if hard and on_table else entry["gain_db"])
        loud_db += luck.choice((0.0, softer_db / 2))
        noise *= _times(loud_db) / (np.abs(noise).max() + 1e-9)
        begin_s = luck.uniform(0, 60 - len(noise) / RATE_HZ)
        lay(sound, noise, begin_s)
        laid.append((begin_s, begin_s + len(noise) / RATE_HZ, source_of(entry)))
    kind = ("mixed, hard" if hard else "mixed") + (", soft" if softer_db else "")
    origin = Origin(Way.MIXED, f"{kind} ({source})", source, fold, softer_db)
    yield from lessons_of(sound, onsets, [], origin, luck, laid)


@cache
def _read(path: Path) -> Sound:
    with open_recording(str(path)) as recording:
        return np.array([one for block in recording.blocks() for one in block.channels[0]])


def _filtered(sound: Sound, luck: np.random.Generator) -> Sound:
    """Return *sound* as another piece of wood might carry it: two wide bumps in its spectrum."""
    peak = np.abs(sound).max()
    for _ in range(2):
        hertz = np.exp(luck.uniform(np.log(150), np.log(3000)))
        sound = _bump(sound, hertz, luck.normal(0, 3), luck.uniform(0.5, 2))
    return np.asarray(sound * peak / (np.abs(sound).max() + 1e-9))


def _bump(sound: Sound, hertz: float, high_db: float, narrow: float) -> Sound:
    """Return *sound* with a bump (or a dip) of *high_db* in its spectrum at *hertz*."""
    turn = 2 * np.pi * hertz / RATE_HZ
    gain, wide = 10 ** (high_db / 40), np.sin(turn) / (2 * narrow)
    ahead = np.array([1 + wide * gain, -2 * np.cos(turn), 1 - wide * gain])
    back = np.array([1 + wide / gain, -2 * np.cos(turn), 1 - wide / gain])
    return np.asarray(lfilter(ahead / back[0], back / back[0], sound))


def _one_knock(data: Path, entry: Entry, luck: np.random.Generator) -> Sound:
    sound, onsets = _read(data / entry["file"]), entry["onsets"]
    onset = onsets[luck.integers(len(onsets))]
    later = [one for one in (*onsets, *entry["ignore"]) if one > onset + 0.03]
    end_s = min((*(one - 0.012 for one in later), onset + 0.35))
    cut = sound[max(0, round((onset - 0.008) * RATE_HZ)) : round(end_s * RATE_HZ)].copy()
    fade = len(cut) // 3
    cut[len(cut) - fade :] *= np.linspace(1, 0, fade)
    return np.asarray(_filtered(cut, luck))


def _drawn(files: Sequence[Entry], luck: np.random.Generator) -> Entry:
    """Return one of *files*, every class as often as any other."""
    classes = sorted({one["klass"] for one in files})
    klass = classes[luck.integers(len(classes))]
    some = [one for one in files if one["klass"] == klass]
    return some[luck.integers(len(some))]


def kind_of(entry: Entry) -> str:
    """Return the class of *entry* and where it was recorded."""
    return f"{entry['klass']} ({source_of(entry)})"


def source_of(entry: Entry) -> str:
    """Return where *entry* was recorded: what its file's name begins with."""
    return Path(entry["file"]).name.split("_")[0]
