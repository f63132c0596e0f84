"""Make firmware/kloplei/knock/judge.json again, from recordings and from virtual tables.

``make train DATA=folder``: the folder holds ``labels.json`` and the recordings that it names
(docs/knocks.md). Every blow that wakes the listener becomes a lesson: in the recordings, in the
same recordings through other filters and at other levels, in minutes mixed of them, and on
tables that are not there. A few small networks learn from them, each from its own draw.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from multiprocessing import Pool
from pathlib import Path
from statistics import NormalDist
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np
from scipy.signal import firwin, lfilter
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier

from kloplei.knock.features import RATES_HZ, features
from kloplei.knock.judge import judge_of
from kloplei.knock.listener import Listener
from kloplei.knock.signal import Block
from kloplei.knock.verdict import Judgement
from kloplei.recordings.reading import open_recording
from kloplei.tabletop import Blow, Spot, TableTop

JUDGE = Path(__file__).parent.parent / "firmware" / "kloplei" / "knock" / "judge.json"
RATE_HZ = 8000
SHARES = (0.01, 0.05, 0.15, 0.3, 0.5, 0.7, 0.85, 0.95, 0.99)
NETWORKS = 4
UNITS = 16  # in each
DRAWS = 12_000  # lessons that each network learns from, some of them more than once
EPOCHS = 30
DECAY = {8000: 2.0, 4000: 3.0, 2000: 3.0}  # of the weights: the less there is to see, the simpler
LEAN = 0.35  # of the log-odds: a knock that is not heard annoys more than a glass that is
FOLDS = 5
FILTERED = 3  # times each recording is heard through another filter
MINUTES = 12  # mixed of each fold, half of them with things as loud as the knocks
TABLES = 40
TABLES_COUNT = 0.4  # times what a recording counts: physics on paper is no wood
NEAR_S = 0.02  # a blow so near a labelled onset is that knock
UNCLEAR_S = 0.05
WELL_FILTERED = 0.5  # of the signals at a lower rate; the others fold back, as in the box

Sound = np.ndarray[Any, np.dtype[np.float64]]
Entry = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Lesson:
    """What one blow looked like at one rate, and whether it was a knock."""

    rate_hz: int
    seen: Mapping[str, float]
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
    learned = {}
    for rate_hz in RATES_HZ:
        there = [one for one in lessons if one.rate_hz == rate_hz]
        report(rate_hz, there)
        learned[str(rate_hz)] = fit(rate_hz, there)
    options.out.write_text(written({"rates": learned}) + "\n")
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


def fit(rate_hz: int, lessons: Sequence[Lesson]) -> dict[str, Any]:
    """Return scales and networks learned from *lessons*, ready for JSON."""
    names = list(lessons[0].seen)
    values = np.array([[one.seen[name] for name in names] for one in lessons])
    knocks = np.array([one.knock for one in lessons])
    knots = np.quantile(values, SHARES, axis=0).T
    scores = [NormalDist().inv_cdf(share) for share in SHARES]
    scaled = np.column_stack(
        [np.interp(values[:, at], knots[at], scores) for at in range(len(names))]
    )
    luck, chances = np.random.default_rng(0), np.array(weights(lessons))
    networks = []
    for seed in range(NETWORKS):
        drawn = luck.choice(len(lessons), DRAWS, p=chances / chances.sum())
        networks.append(_network(scaled[drawn], knocks[drawn], DECAY[rate_hz], seed))
    return {
        "scores": _rounded(scores),
        "features": {name: _rounded(knots[at]) for at, name in enumerate(names)},
        "networks": networks,
    }


def _network(scaled: Sound, knocks: Sound, decay: float, seed: int) -> dict[str, Any]:
    model = MLPClassifier(
        (UNITS,),
        alpha=decay,
        batch_size=128,
        learning_rate_init=3e-3,
        max_iter=EPOCHS,
        random_state=seed,
    )
    with catch_warnings():
        simplefilter("ignore", ConvergenceWarning)  # it is stopped early on purpose
        model.fit(scaled, knocks)
    (units, outs), (biases, out) = model.coefs_, model.intercepts_
    return {
        "units": [_rounded((bias, *unit)) for bias, unit in zip(biases, units.T, strict=True)],
        "outs": _rounded((out[0] + LEAN, *outs[:, 0])),
    }


def _rounded(numbers: Sequence[float] | Sound) -> list[float]:
    return [round(float(one), 3) for one in numbers]


def weights(lessons: Sequence[Lesson]) -> list[float]:
    """Return how much each lesson counts: many of one kind count less each."""
    count = Counter((one.kind, one.knock) for one in lessons)
    return [
        count[one.kind, one.knock] ** -0.5 * (TABLES_COUNT if one.kind.startswith(VIRTUAL) else 1)
        for one in lessons
    ]


def report(rate_hz: int, lessons: Sequence[Lesson]) -> None:
    """Print, kind by kind, how lessons fare whose recordings were not learned from."""
    right: Counter[tuple[str, bool]] = Counter()
    for at in range(FOLDS):
        judge = judge_of(fit(rate_hz, [one for one in lessons if one.fold != at]))
        for one in (lesson for lesson in lessons if lesson.fold == at):
            right[one.kind, one.knock] += (judge.log_odds(one.seen) > 0) == one.knock
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
    yield from _lessons(sound, entry["onsets"], entry["ignore"], fold, _kind(entry), luck)
    for _ in range(FILTERED):
        knock = entry["category"] == "knock"
        loud_db = luck.uniform(-7, 4) if knock else luck.choice(_LOUDER_DB[entry["domain"]])
        heard = _filtered(sound, luck) * 10 ** (loud_db / 20)
        kind = f"filtered {_kind(entry)}"
        yield from _lessons(heard, entry["onsets"], entry["ignore"], fold, kind, luck)


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
    yield from _lessons(sound, onsets, [], fold, "mixed, hard" if hard else "mixed", luck)


def _of_table(seed: int, fold: int) -> Iterator[Lesson]:
    luck = np.random.default_rng(seed)
    table = TableTop.of_seed(10_000 + seed, seats=4, corners=4 if seed % 2 else None)
    for blow, count in _ON_A_TABLE.items():
        for turn in range(count):
            spot = _spot(table, blow is Blow.KNUCKLE and turn % 3 > 0, luck)
            louder_db = 0.0 if blow is Blow.KNUCKLE else luck.uniform(0, 6)
            gain = 10 ** ((luck.uniform(-6, 3) + louder_db) / 20)
            for rate_hz in RATES_HZ:
                wave = table.sampled(blow, spot, rate_hz, seed=100 * seed + turn)
                block = _converted(wave, rate_hz, gain, luck)
                for one in _heard(block):
                    knock = blow is Blow.KNUCKLE
                    if not knock or abs(one.at_s) <= NEAR_S:
                        yield Lesson(rate_hz, _seen(one), knock, fold, f"{VIRTUAL}, {blow}")


VIRTUAL = "virtual table"
# Whether a soft finger is a knock is for people to say, and drumming is told by its rhythm.
_ON_A_TABLE = {
    Blow.KNUCKLE: 10,
    Blow.GLASS: 4,
    Blow.CARD: 4,
    Blow.DEAL: 1,
    Blow.CHIPS: 2,
    Blow.DICE: 2,
    Blow.KEYS: 3,
    Blow.PHONE: 1,
    Blow.BUMP: 2,
    Blow.ELBOW: 1,
}
_BEFORE_S, _LASTING_S = 0.15, 0.45


def _spot(table: TableTop, at_a_seat: bool, luck: np.random.Generator) -> Spot:
    """Return where something lands: anywhere, or within some centimetres of a seat's place."""
    size = (table.plate.length_m, table.plate.width_m)
    if not at_a_seat:
        return Spot(*(luck.uniform(0.06, 0.94) * one for one in size))
    seat = table.seats[int(luck.integers(len(table.seats)))]
    return Spot(
        *(
            np.clip(one + luck.normal(0, 0.04), 0.02, most - 0.02)
            for one, most in zip(seat, size, strict=True)
        )
    )


def _converted(
    wave: Sequence[Sequence[float]], rate_hz: float, gain: float, luck: np.random.Generator
) -> Block:
    """Return *wave* with quiet before it, hum and noise, as 10 or 12 bits."""
    before, count = round(_BEFORE_S * rate_hz), round(_LASTING_S * rate_hz)
    half = int(luck.choice((512, 2048)))
    hum, turn = luck.uniform(0, 3), luck.uniform(0, 2 * np.pi)
    noise = luck.uniform(0.5, 2) * half / 512
    channels = []
    for felt in wave:
        at_s = np.arange(count) / rate_hz
        channel = luck.normal(0, noise, count) + hum * half / 512 * np.sin(
            2 * np.pi * 50 * at_s + turn
        )
        _lay(channel, half * gain * np.asarray(felt), before / rate_hz, rate_hz)
        channels.append((np.clip(np.round(channel), -half, half - 1) / half).tolist())
    return Block(-_BEFORE_S, rate_hz, tuple(channels), 1 / (len(channels) * rate_hz))


def _lessons(
    sound: Sound,
    onsets: Sequence[float],
    unclear: Sequence[float],
    fold: int,
    kind: str,
    luck: np.random.Generator,
) -> Iterator[Lesson]:
    for rate_hz in RATES_HZ:
        judged = _heard(_streamed(sound, rate_hz, luck))
        nearest = [min(judged, key=lambda one: abs(one.at_s - at)) for at in onsets if judged]
        mine = {one.at_s for one in nearest}
        for one in judged:
            off_s = min((abs(one.at_s - onset) for onset in onsets), default=1.0)
            knock = one.at_s in mine and off_s < NEAR_S
            doubtful = off_s < NEAR_S or any(abs(one.at_s - at) < UNCLEAR_S for at in unclear)
            if knock or not doubtful:
                yield Lesson(rate_hz, _seen(one), knock, fold, kind)


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


def _heard(block: Block) -> list[Judgement]:
    listener = Listener(judge=lambda *_: 0.0)
    return [one for one in (*listener.feed(block), *listener.flush()) if isinstance(one, Judgement)]


def _seen(judged: Judgement) -> Mapping[str, float]:
    if judged.window is None:
        raise TypeError("a listener hands in the window of every blow")
    return features(judged.window)


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


def _lay(sound: Sound, piece: Sound, at_s: float, rate_hz: float = RATE_HZ) -> None:
    begin = max(0, round(at_s * rate_hz))
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


def written(learned: object, indent: str = "") -> str:
    """Return *learned* as JSON, each row of numbers in one line."""
    deeper = indent + " "
    if isinstance(learned, dict):
        rows = [f"{json.dumps(key)}: {written(one, deeper)}" for key, one in learned.items()]
        brackets = "{}"
    elif isinstance(learned, list) and learned and not isinstance(learned[0], float):
        rows, brackets = [written(one, deeper) for one in learned], "[]"
    else:
        return json.dumps(learned)
    inner = ",\n".join(deeper + row for row in rows)
    return f"{brackets[0]}\n{inner}\n{indent}{brackets[1]}"


if __name__ == "__main__":
    sys.exit(main())
