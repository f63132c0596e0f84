"""Make firmware/kloplei/knock/judge.json again, from recordings and from virtual tables.

``make train DATA=folder``: the folder holds ``labels.json`` and the recordings that it names
(docs/knocks.md). Every blow that wakes the listener becomes a lesson: in the recordings, in the
same recordings through other filters and at other levels, in minutes mixed of them, and on
tables that are not there. What is learned is one weight for each feature (logistic regression).
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from multiprocessing import Pool
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
from scipy.signal import lfilter
from sklearn.linear_model import LogisticRegression

from kloplei.knock.features import RATES_HZ, features
from kloplei.knock.judge import Weighing
from kloplei.knock.listener import Listener
from kloplei.knock.signal import Block, Window
from kloplei.knock.spectrum import resampled
from kloplei.knock.verdict import Judgement
from kloplei.recordings.reading import open_recording
from kloplei.tabletop import Blow, Electronics, TableTop

JUDGE = Path(__file__).parent.parent / "firmware" / "kloplei" / "knock" / "judge.json"
RATE_HZ = 8000
SHARES = (0.01, 0.05, 0.15, 0.3, 0.5, 0.7, 0.85, 0.95, 0.99)
FOLDS = 5
FILTERED = 2  # times each recording is heard through another filter
MINUTES = 6  # mixed of each fold, half of them with things as loud as the knocks
TABLES = 8
NEAR_S = 0.02  # a blow so near a labelled onset is that knock
UNCLEAR_S = 0.05

Sound = np.ndarray[Any, np.dtype[np.float64]]
Entry = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Lesson:
    """What one blow looked like, at every rate, and whether it was a knock."""

    seen: dict[int, dict[str, float]]
    knock: bool
    fold: int
    kind: str  # lessons of one kind share their weight


def main(argv: Sequence[str] | None = None) -> int:
    """Train, write the parameters, and print what cross-validation says of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with labels.json")
    parser.add_argument("--out", type=Path, default=JUDGE)
    options = parser.parse_args(argv)
    lessons = gather(options.data)
    scores = [round(NormalDist().inv_cdf(share), 4) for share in SHARES]
    learned = {}
    for rate_hz in RATES_HZ:
        there = [one for one in lessons if rate_hz in one.seen]
        report(rate_hz, there, scores)
        learned[str(rate_hz)] = fit(rate_hz, there, scores)
    options.out.write_text(json.dumps({"scores": scores, "rates": learned}, indent=1) + "\n")
    return 0


def gather(data: Path) -> list[Lesson]:
    """Return all lessons of the recordings in *data* and of the virtual tables."""
    files = json.loads((data / "labels.json").read_text())["files"]
    files = [one for one in files if one["category"] in ("knock", "negative")]
    fold = folds(files)
    jobs: list[tuple[Any, ...]] = [(_of_recording, data, one, fold[one["file"]]) for one in files]
    for at in range(FOLDS):
        mine = [one for one in files if fold[one["file"]] == at]
        jobs += [(_of_mixture, data, mine, at, minute) for minute in range(MINUTES)]
    jobs += [(_of_table, seed, seed % FOLDS) for seed in range(TABLES)]
    with Pool() as pool:
        return [lesson for some in pool.map(_run, jobs, chunksize=4) for lesson in some]


def folds(files: Sequence[Entry]) -> dict[str, int]:
    """Return a fold for each file; files of one kind and source are dealt out evenly."""
    luck = np.random.default_rng(7)
    dealt: dict[str, int] = {}
    kinds = sorted({_kind(one) for one in files})
    for kind in kinds:
        some = [one["file"] for one in files if _kind(one) == kind]
        start = luck.integers(FOLDS)
        for at, which in enumerate(luck.permutation(len(some))):
            dealt[some[which]] = int((start + at) % FOLDS)
    return dealt


def fit(rate_hz: int, lessons: Sequence[Lesson], scores: Sequence[float]) -> dict[str, Any]:
    """Return bias, knots and weights learned from *lessons*, ready for JSON."""
    names = list(lessons[0].seen[rate_hz])
    values = np.array([[one.seen[rate_hz][name] for name in names] for one in lessons])
    knots = np.quantile(values, SHARES, axis=0).T
    bent = np.column_stack([_bent(values[:, at], knots[at], scores) for at in range(len(names))])
    model = LogisticRegression(C=0.3, max_iter=3000)
    model.fit(bent, [one.knock for one in lessons], sample_weight=weights(lessons))
    return {
        "bias": round(float(model.intercept_[0]), 4),
        "features": {
            name: {
                "weight": round(float(model.coef_[0][at]), 4),
                "knots": [round(float(one), 4) for one in knots[at]],
            }
            for at, name in enumerate(names)
        },
    }


def weights(lessons: Sequence[Lesson]) -> list[float]:
    """Return how much each lesson counts: many of one kind count less each."""
    count = Counter((one.kind, one.knock) for one in lessons)
    return [count[one.kind, one.knock] ** -0.5 for one in lessons]


def report(rate_hz: int, lessons: Sequence[Lesson], scores: Sequence[float]) -> None:
    """Print, kind by kind, how lessons fare whose recordings were not learned from."""
    right: Counter[tuple[str, bool]] = Counter()
    for at in range(FOLDS):
        learned = fit(rate_hz, [one for one in lessons if one.fold != at], scores)
        for one in (lesson for lesson in lessons if lesson.fold == at):
            odds = learned["bias"] + sum(
                Weighing(item["knots"], scores, item["weight"]).of(one.seen[rate_hz][name])
                for name, item in learned["features"].items()
            )
            right[one.kind, one.knock] += (odds > 0) == one.knock
    total = Counter((one.kind, one.knock) for one in lessons)
    print(f"{rate_hz} Hz, {len(lessons)} lessons, {FOLDS} folds by recording")
    for kind, knock in sorted(total):
        told = "knocks heard" if knock else "noises let through"
        good = right[kind, knock] if knock else total[kind, knock] - right[kind, knock]
        print(f"  {kind:34} {told:18} {good:5} of {total[kind, knock]:5}")


def _run(job: tuple[Any, ...]) -> list[Lesson]:
    return list(job[0](*job[1:]))


def _of_recording(data: Path, entry: Entry, fold: int) -> Iterator[Lesson]:
    luck = np.random.default_rng(sum(map(ord, entry["file"])))
    sound = _read(data / entry["file"])
    yield from _lessons(sound, entry["onsets"], entry["ignore"], fold, _kind(entry))
    for _ in range(FILTERED):
        knock = entry["category"] == "knock"
        loud_db = luck.uniform(-7, 4) if knock else luck.choice(_LOUDER_DB[entry["domain"]])
        heard = _filtered(sound, luck) * 10 ** (loud_db / 20)
        kind = f"filtered {_kind(entry)}"
        yield from _lessons(heard, entry["onsets"], entry["ignore"], fold, kind)


_LOUDER_DB = {
    "on_table": (0, 4, 8, 12),
    "structure": (0, 4),
    "airborne": (0, 4),
    "electronics": (0, 4),
}


def _of_mixture(data: Path, files: Sequence[Entry], fold: int, seed: int) -> Iterator[Lesson]:
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
            _lay(sound, level * _one_knock(data, entry, luck), at_s - 0.008)
            at_s += gap_s * luck.uniform(0.95, 1.05)
        at_s += luck.uniform(1, 9)
    for _ in range(luck.poisson(24)):
        entry = _drawn([one for one in files if one["category"] == "negative"], luck)
        noise = _filtered(_read(data / entry["file"])[: 2 * RATE_HZ], luck)
        on_table = entry["domain"] == "on_table"
        loud_db = -6 + luck.uniform(-5, 4) + (0 if hard and on_table else entry["gain_db"])
        noise *= 10 ** (loud_db / 20) / (np.abs(noise).max() + 1e-9)
        _lay(sound, noise, luck.uniform(0, 60 - len(noise) / RATE_HZ))
    yield from _lessons(sound, onsets, [], fold, "mixed, hard" if hard else "mixed")


def _of_table(seed: int, fold: int) -> Iterator[Lesson]:
    luck = np.random.default_rng(seed)
    table = TableTop.of_seed(10_000 + seed, seats=4)
    for rate_hz in (4000.0, 8000.0):
        for blow in Blow:
            if blow in (Blow.FINGER, Blow.DRUM):
                continue  # whether a soft finger is a knock is for people to say
            for turn in range(10 if blow is Blow.KNUCKLE else 1):
                at = table.seats[int(luck.integers(len(table.seats)))]
                electronics = Electronics(rate_hz=rate_hz)
                block = table.record(blow, at, seed=100 * seed + turn, electronics=electronics)
                knock = blow is Blow.KNUCKLE
                for one in _heard(block):
                    if knock and abs(one.at_s) > NEAR_S:
                        continue
                    yield Lesson(_seen(one.window), knock, fold, f"virtual table, {blow}")


def _lessons(
    sound: Sound, onsets: Sequence[float], unclear: Sequence[float], fold: int, kind: str
) -> Iterator[Lesson]:
    judged = _heard(Block(0.0, RATE_HZ, (np.clip(sound, -1, 1).tolist(),)))
    mine = {min(judged, key=lambda one: abs(one.at_s - onset)).at_s for onset in onsets if judged}
    for one in judged:
        off_s = min((abs(one.at_s - onset) for onset in onsets), default=1.0)
        knock = one.at_s in mine and off_s < NEAR_S
        doubtful = off_s < NEAR_S or any(abs(one.at_s - at) < UNCLEAR_S for at in unclear)
        if knock or not doubtful:
            yield Lesson(_seen(one.window), knock, fold, kind)


def _heard(block: Block) -> list[Judgement]:
    listener = Listener(judge=lambda *_: 0.0)
    return [one for one in (*listener.feed(block), *listener.flush()) if isinstance(one, Judgement)]


def _seen(window: Window | None) -> dict[int, dict[str, float]]:
    """Return the features of *window* at all rates; what is slower passes a 10 bit converter."""
    if window is None:
        raise TypeError("a listener hands in the window of every blow")
    seen = {}
    for rate_hz in (one for one in RATES_HZ if one <= window.rate_hz):
        channels = window.channels
        if rate_hz < RATES_HZ[0]:
            channels = tuple(
                [round(512 * one) / 512 for one in resampled(samples, window.rate_hz, rate_hz)]
                for samples in channels
            )
        at_rate = Window(window.onset_s, window.start_s, rate_hz, channels)
        seen[rate_hz] = dict(features(at_rate))
    return seen


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


def _lay(sound: Sound, piece: Sound, at_s: float) -> None:
    begin = max(0, round(at_s * RATE_HZ))
    room = sound[begin : begin + len(piece)]
    room += piece[: len(room)]


def _drawn(files: Sequence[Entry], luck: np.random.Generator) -> Entry:
    """Return one of *files*, every class as often as any other."""
    classes = sorted({one["klass"] for one in files})
    klass = classes[luck.integers(len(classes))]
    some = [one for one in files if one["klass"] == klass]
    return some[luck.integers(len(some))]


def _kind(entry: Entry) -> str:
    return f"{entry['klass']} ({Path(entry['file']).name.split('_')[0]})"


def _bent(values: Sound, knots: Sound, scores: Sequence[float]) -> Sound:
    return np.asarray(np.interp(values, knots, scores))


if __name__ == "__main__":
    sys.exit(main())
