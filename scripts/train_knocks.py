"""Make firmware/kloplei/knock/judge.json again, from recordings and from virtual tables.

``make train DATA=folder``: the folder holds ``labels.json`` and the recordings that it names
(docs/knocks.md). Every blow that wakes the listener becomes a lesson: in the recordings, in the
same recordings through other filters and at other levels, in minutes mixed of them, on tables
that are not there, and on wires that begin to hum. A few small networks learn from them, each
from its own draw.
"""

import argparse
import hashlib
import json
import pickle
import sys
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from functools import partial
from multiprocessing import Pool
from pathlib import Path
from statistics import NormalDist
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier

from benchmarks.labels import KNOCK, NEGATIVE, entries
from kloplei.files import atomic_write
from kloplei.knock.classifier import Classifier, classifier_of
from kloplei.knock.features import LOUDNESS, RATES_HZ
from scripts.lessons import Lesson, Sound
from scripts.lessons_of_recordings import Entry, kind_of, of_mixture, of_recording
from scripts.lessons_of_tables import VIRTUAL, of_table
from scripts.lessons_of_wires import of_wire

_ROOT = Path(__file__).parent.parent
JUDGE = _ROOT / "firmware" / "kloplei" / "knock" / "judge.json"
# What lessons are made by: where one of these changes, none that was kept is any good.
_MADE_BY = (
    "scripts/lessons*.py",
    "firmware/kloplei/knock/*.py",
    "firmware/kloplei/simulation/*.py",
    "benchmarks/measured_table.py",
)
SHARES = (0.01, 0.05, 0.15, 0.3, 0.5, 0.7, 0.85, 0.95, 0.99)
NETWORKS = 4
UNITS = 16  # in each
DRAWS = 12_000  # lessons that each network learns from, some of them more than once
EPOCHS = 30
DECAY = {8000: 2.0, 4000: 3.0, 2000: 3.0}  # of the weights: the less there is to see, the simpler
LEAN = 0.35  # of the log-odds: a knock that is not heard annoys more than a glass that is
FOLDS = 5
MINUTES = 12  # mixed of each fold, half of them with things as loud as the knocks
TABLES = 40
WIRES = 60
TABLES_COUNT = 0.4  # times what a recording counts: physics on paper is no wood


def main(argv: Sequence[str] | None = None) -> int:
    """Train, write the parameters, and print what cross-validation says of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with labels.json")
    parser.add_argument("--out", type=Path, default=JUDGE)
    parser.add_argument(
        "--usual", action="store_true", help="leave the networks, and tell anew how noises look"
    )
    options = parser.parse_args(argv)
    lessons = gather(options.data)
    learned = json.loads(JUDGE.read_text())["rates"] if options.usual else {}
    for rate_hz in RATES_HZ:
        there = [one for one in lessons if one.rate_hz == rate_hz]
        if not options.usual:
            report(rate_hz, there)
            learned[str(rate_hz)] = fit(rate_hz, there)
        learned[str(rate_hz)]["usual"] = usual(classifier_of(learned[str(rate_hz)]), there)
    options.out.write_text(written({"rates": learned}) + "\n")
    return 0


def gather(data: Path, without: Collection[str] = (), kept: Path | None = None) -> list[Lesson]:
    """Return all lessons of the recordings in *data*, of the virtual tables and the wires.

    Args:
        data: Folder with labels.json.
        without: Rigs of which nothing is heard, nor anything mixed.
        kept: Folder where lessons are kept for the next time; None to keep none.
    """
    files = [one for one in entries(data) if one["category"] in (KNOCK, NEGATIVE)]
    fold = folds(files)
    files = [one for one in files if one["rig"] not in without]
    jobs: list[tuple[Any, ...]] = [(of_recording, data, one, fold[one["file"]]) for one in files]
    for at in range(FOLDS):
        mine = [one for one in files if fold[one["file"]] == at]
        if {one["category"] for one in mine} == {KNOCK, NEGATIVE}:
            jobs += [(of_mixture, data, mine, at, minute) for minute in range(MINUTES)]
    jobs += [(of_table, seed, seed % FOLDS) for seed in range(TABLES)]
    jobs += [(of_wire, seed, seed % FOLDS) for seed in range(WIRES)]
    run = _run if kept is None else partial(_run_once, kept, _stamp(data))
    with Pool() as pool:
        return [lesson for some in pool.map(run, jobs, chunksize=4) for lesson in some]


def _stamp(data: Path) -> bytes:
    """Return what lessons depend on besides their job: the recordings, and our own sources."""
    told = hashlib.sha256()
    for one in entries(data):
        path = data / one["file"]
        told.update(f"{path.resolve()} {path.stat().st_size} {path.stat().st_mtime_ns}".encode())
    for pattern in _MADE_BY:
        for path in sorted(_ROOT.glob(pattern)):
            told.update(path.read_bytes())
    return told.digest()


def _run_once(kept: Path, stamp: bytes, job: tuple[Any, ...]) -> list[Lesson]:
    name = hashlib.sha256(stamp + repr((job[0].__name__, *job[1:])).encode()).hexdigest()
    path = kept / f"{name}.lessons"
    if not path.exists():
        kept.mkdir(parents=True, exist_ok=True)
        atomic_write(path, pickle.dumps(_run(job)))
    found: list[Lesson] = pickle.loads(path.read_bytes())  # noqa: S301 - written by ourselves
    return found


def folds(files: Sequence[Entry]) -> dict[str, int]:
    """Return a fold for each file; files of one kind and source are dealt out evenly."""
    luck = np.random.default_rng(7)
    dealt: dict[str, int] = {}
    kinds = sorted({kind_of(one) for one in files})
    for kind in kinds:
        some = [one["file"] for one in files if kind_of(one) == kind]
        start = luck.integers(FOLDS)
        for at, which in enumerate(luck.permutation(len(some))):
            dealt[some[which]] = int((start + at) % FOLDS)
    return dealt


def fit(
    rate_hz: int, lessons: Sequence[Lesson], learner: "Learner | None" = None
) -> dict[str, Any]:
    """Return scales and networks learned from *lessons*, ready for JSON.

    What learns is a `network`, unless a *learner* to compare it with is named.
    """
    learner = learner or network
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
        networks.append(learner(scaled[drawn], knocks[drawn], DECAY[rate_hz], seed))
    return {
        "scores": _rounded(scores),
        "features": {name: _rounded(knots[at]) for at, name in enumerate(names)},
        "networks": networks,
    }


def usual(judge: Classifier, lessons: Sequence[Lesson]) -> list[list[float]]:
    """Return how noises look at any table: the mean products of a 1 and their scaled features.

    All but how loud they are, which a table is not taught.
    """
    noises = [one for one in lessons if not one.knock]
    scales = {name: scale for name, scale in judge.scales.items() if name != LOUDNESS}
    looks = np.array(
        [[1.0, *(scale.of(one.seen[name]) for name, scale in scales.items())] for one in noises]
    )
    shares = np.array(weights(noises))
    return [_rounded(row) for row in (looks.T * (shares / shares.sum())) @ looks]


Learner = Callable[[Sound, Sound, float, int], dict[str, Any]]
"""Learns from scaled features which of them were knocks, with a decay of weights and a seed."""


def network(
    scaled: Sound, knocks: Sound, decay: float, seed: int, units: int = UNITS
) -> dict[str, Any]:
    """Return a network of so many hidden *units* that has learned, ready for JSON."""
    model = MLPClassifier(
        (units,),
        alpha=decay,
        batch_size=128,
        learning_rate_init=3e-3,
        max_iter=EPOCHS,
        random_state=seed,
    )
    with catch_warnings():
        simplefilter("ignore", ConvergenceWarning)  # it is stopped early on purpose
        model.fit(scaled, knocks)
    (ins, outs), (biases, out) = model.coefs_, model.intercepts_
    return {
        "units": [_rounded((bias, *unit)) for bias, unit in zip(biases, ins.T, strict=True)],
        "outs": _rounded((out[0] + LEAN, *outs[:, 0])),
    }


def _rounded(numbers: Sequence[float] | Sound) -> list[float]:
    return [round(float(one), 3) for one in numbers]


def weights(lessons: Sequence[Lesson]) -> list[float]:
    """Return how much each lesson counts: many of one kind count less each.

    Knocks on virtual tables count in full, for they are the only ones that ring on for long.
    """
    count = Counter((one.kind, one.knock) for one in lessons)
    return [
        count[one.kind, one.knock] ** -0.5
        * (TABLES_COUNT if one.kind.startswith(VIRTUAL) and not one.knock else 1)
        for one in lessons
    ]


def report(rate_hz: int, lessons: Sequence[Lesson]) -> None:
    """Print, kind by kind, how lessons fare whose recordings were not learned from."""
    right: Counter[tuple[str, bool]] = Counter()
    for at in range(FOLDS):
        judge = classifier_of(fit(rate_hz, [one for one in lessons if one.fold != at]))
        for one in (lesson for lesson in lessons if lesson.fold == at):
            right[one.kind, one.knock] += (judge.log_odds(judge.scaled(one.seen)) > 0) == one.knock
    total = Counter((one.kind, one.knock) for one in lessons)
    print(f"{rate_hz} Hz, {len(lessons)} lessons, {FOLDS} folds by recording")
    for kind, knock in sorted(total):
        told = "knocks heard" if knock else "noises let through"
        good = right[kind, knock] if knock else total[kind, knock] - right[kind, knock]
        print(f"  {kind:34} {told:18} {good:5} of {total[kind, knock]:5}")


def _run(job: tuple[Any, ...]) -> list[Lesson]:
    return list(job[0](*job[1:]))


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
