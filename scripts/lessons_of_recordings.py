"""Lessons from recordings: as they are, through other filters, and mixed into minutes."""

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from scipy.signal import lfilter

from kloplei.recordings.wav import open_recording
from scripts.lessons import RATE_HZ, Lesson, Sound, lay, lessons_of

FILTERED = 3  # times each recording is heard through another filter

Entry = dict[str, Any]
"""One of the ``files`` in labels.json."""


def of_recording(data: Path, entry: Entry, fold: int) -> Iterator[Lesson]:
    """Yield what is in the recording of *entry*, as it is and through other filters."""
    luck = np.random.default_rng(sum(map(ord, entry["file"])))
    sound = _read(data / entry["file"])
    yield from lessons_of(sound, entry["onsets"], entry["ignore"], fold, kind_of(entry), luck)
    for _ in range(FILTERED):
        knock = entry["category"] == "knock"
        loud_db = luck.uniform(-7, 4) if knock else luck.choice(_LOUDER_DB[entry["domain"]])
        louder = _filtered(sound, luck) * 10 ** (loud_db / 20)
        kind = f"filtered {kind_of(entry)}"
        yield from lessons_of(louder, entry["onsets"], entry["ignore"], fold, kind, luck)


_LOUDER_DB = {
    "on_table": (0, 4, 8, 12),
    "structure": (0, 4),
    "airborne": (0, 4),
    "electronics": (0, 4),
}


def of_mixture(data: Path, files: Sequence[Entry], fold: int, seed: int) -> Iterator[Lesson]:
    """Yield what is in a minute mixed of *files*; in the odd ones, noises are as loud as knocks."""
    luck = np.random.default_rng(1000 * fold + seed)
    hard = bool(seed % 2)
    count = 60 * RATE_HZ
    sound = luck.normal(0, 10 ** (-66 / 20), count)
    onsets = []
    knocks = [one for one in files if one["category"] == "knock"]
    at_s = luck.uniform(0.5, 4)
    while at_s < 56:
        entry = _drawn(knocks, luck)
        gap_s, level = luck.uniform(0.16, 0.42), 10 ** (luck.uniform(-5, 3) / 20)
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
        noise *= 10 ** (loud_db / 20) / (np.abs(noise).max() + 1e-9)
        lay(sound, noise, luck.uniform(0, 60 - len(noise) / RATE_HZ))
    yield from lessons_of(sound, onsets, [], fold, "mixed, hard" if hard else "mixed", luck)


@cache
def _read(path: Path) -> Sound:
    with open_recording(str(path)) as recording:
        return np.array([one for block in recording.blocks() for one in block.channels[0]])


def _filtered(sound: Sound, luck: np.random.Generator) -> Sound:
    """Return *sound* as another piece of wood might carry it: two wide bumps in its spectrum."""
    peak = np.abs(sound).max()
    for _ in range(2):
        turn = 2 * np.pi * np.exp(luck.uniform(np.log(150), np.log(3000))) / RATE_HZ
        gain, wide = 10 ** (luck.normal(0, 3) / 40), np.sin(turn) / (2 * luck.uniform(0.5, 2))
        ahead = np.array([1 + wide * gain, -2 * np.cos(turn), 1 - wide * gain])
        back = np.array([1 + wide / gain, -2 * np.cos(turn), 1 - wide / gain])
        sound = lfilter(ahead / back[0], back / back[0], sound)
    return np.asarray(sound * peak / (np.abs(sound).max() + 1e-9))


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
    return f"{entry['klass']} ({Path(entry['file']).name.split('_')[0]})"
