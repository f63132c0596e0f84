"""Make firmware/kloplei/knock/judge.json again, from recordings and from virtual tables.

``make train DATA=folder``: the folder holds ``labels.json`` and the recordings that it names
(docs/knocks.md). Every blow that wakes the listener becomes a lesson: in the recordings, in the
same recordings through other filters and at other levels, in minutes mixed of them, on tables
that are not there, and on wires that begin to hum. A few small networks learn from them, each
from its own draw. Most learn from recordings as they are, others from all, and are not told how
bright the wood is: they know fewer blows by heart, and more tables. One of those draws a straight
line and no more, for it is at a table that nobody met that it does as well as any.
"""

import argparse
import hashlib
import json
import pickle
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from multiprocessing import Pool
from pathlib import Path
from statistics import NormalDist
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier

from benchmarks.labels import KNOCK, NEGATIVE, entries
from kloplei.files import atomic_write
from kloplei.knock.classifier import Classifier, classifier_for, classifier_of
from kloplei.knock.features import LOUDNESS, RATES_HZ
from scripts.lessons import Lesson, Sound, Way
from scripts.lessons_of_recordings import Entry, kind_of, of_mixture, of_recording
from scripts.lessons_of_tables import of_table
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
UNITS = 16  # in each network
EPOCHS = 30
DECAY = {8000: 2.0, 4000: 3.0, 2000: 3.0}  # of the weights: the less there is to see, the simpler
BLIND_DECAY = dict.fromkeys(DECAY, 1.0)  # of the weights of those who are not told the colour
LINEAR_DECAY = dict.fromkeys(DECAY, 10.0)  # of a straight line's, in scikit-learn's 1 / C
# Where there is less to see, those who know fewer blows by heart have more of the say.
CLEAR_SHARE = {8000: 0.6, 4000: 0.5, 2000: 0.5}
BLIND_SHARE = {8000: 0.1, 4000: 0.3, 2000: 0.3}
LINEAR_SHARE = {8000: 0.3, 4000: 0.2, 2000: 0.2}
# Of the log-odds, by the rate: so that things on the table pass about twice a minute.
LEAN = {8000: -0.1, 4000: 0.0, 2000: 0.0}
COLOUR = ("band_", "late_", "crossings_", "top_octave", "attack_octave")
TOUCH = ("gathered_", "rise", "early_", "pitch_")
FOLDS = 5
MINUTES = 12  # mixed of each fold, half of them with things as loud as the knocks
TABLES = 40
WIRES = 60
TABLES_COUNT = 0.4  # times what a recording counts: physics on paper is no wood
SOFTER_COUNT = 0.05  # the same of a recording that is turned down: most knocks are not so soft
KNUCKLES_COUNT = 2.0  # the same of virtual knocks, as `well_known` explains
BESIDE_KNUCKLES = ("fist", "slap", "slam", "chair")  # told in judge.json as `Classifier.thuds`
THUDS = (*BESIDE_KNUCKLES, "drum")
THUDS_COUNT = 0.01  # the same of what touches the wood nearly as a knuckle does
# How much of all that is learned each way of hearing counts to those who learn from all.
KNOCKS_COUNT = {
    Way.PLAIN: 0.2,
    Way.SOFTER: 0.15,
    Way.FILTERED: 0.2,
    Way.ELSEWHERE: 0.15,
    Way.MIXED: 0.2,
    Way.VIRTUAL: 0.5,
}
NOISES_COUNT = {
    Way.PLAIN: 0.9,
    Way.SOFTER: 0.1,
    Way.FILTERED: 0.3,
    Way.ELSEWHERE: 0.2,
    Way.MIXED: 0.6,
    Way.VIRTUAL: 0.1,
    Way.WIRE: 0.3,
}


def main(argv: Sequence[str] | None = None) -> int:
    """Train, write the parameters, and print what cross-validation says of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with labels.json")
    parser.add_argument("--out", type=Path, default=JUDGE)
    parser.add_argument(
        "--usual",
        action="store_true",
        help="leave the networks, and tell anew how noises look, and thuds beside knuckles",
    )
    options = parser.parse_args(argv)
    lessons = gather(options.data)
    learned = json.loads(JUDGE.read_text())["rates"] if options.usual else {}
    for rate_hz in RATES_HZ:
        there = [one for one in lessons if one.rate_hz == rate_hz]
        if not options.usual:
            report(rate_hz, there)
            learned[str(rate_hz)] = fit(rate_hz, there)
        judge = classifier_of(learned[str(rate_hz)])
        learned[str(rate_hz)] |= {"usual": usual(judge, there), "thuds": thuds(judge, there)}
    atomic_write(options.out, f"{written({'rates': learned})}\n".encode())
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


@dataclass(frozen=True, slots=True)
class School:
    """Networks that learn alike: so many, without the features that begin as *unseen*.

    Together they have a *share* of the say. Each learns, as its *learner* does, from as many
    *draws*, some lessons more than once; *weights* tells how much each lesson counts, *decay* how
    small their own weights are kept. Share and decay go by the rate.
    """

    networks: int
    share: Mapping[int, float]
    unseen: tuple[str, ...]
    weights: Callable[[Sequence[Lesson]], list[float]]
    draws: int
    learner: "Learner"
    decay: Mapping[int, float]


def fit(
    rate_hz: int, lessons: Sequence[Lesson], learner: "Learner | None" = None
) -> dict[str, Any]:
    """Return scales and networks learned from *lessons*, ready for JSON.

    What learns is a `network`, unless a *learner* to compare it with is named.
    """
    names = list(lessons[0].seen)
    values = np.array([[one.seen[name] for name in names] for one in lessons])
    knocks = np.array([one.knock for one in lessons])
    knots = _knots(rate_hz, names, values, np.array(well_known(lessons)))
    scaled = np.column_stack(
        [np.interp(values[:, at], knots[at], _SCORES) for at in range(len(names))]
    )
    networks: list[dict[str, Any]] = []
    members = sum(school.networks for school in SCHOOLS)  # a judge takes the mean of them all
    for school in SCHOOLS:
        learn = learner or school.learner
        luck, chances = np.random.default_rng(0), np.array(school.weights(lessons))
        sees = np.array([not name.startswith(school.unseen) for name in names], float)
        for seed in range(school.networks):
            drawn = luck.choice(len(lessons), school.draws, p=chances / chances.sum())
            shown = scaled[drawn] * sees
            learned = learn(shown, knocks[drawn], school.decay[rate_hz], seed)
            bias, *outs = (
                np.array(learned["outs"]) * school.share[rate_hz] / school.networks * members
            )
            networks.append({**learned, "outs": _rounded((bias + LEAN[rate_hz], *outs))})
    return {
        "scores": _rounded(_SCORES),
        "features": {name: _rounded(knots[at]) for at, name in enumerate(names)},
        "networks": networks,
    }


_SCORES = [NormalDist().inv_cdf(share) for share in SHARES]


def _knots(rate_hz: int, names: Sequence[str], values: Sound, chances: Sound) -> Sound:
    """Return where each feature's scale bends.

    What tables were taught counts for the scales of the judge that is there, so these stay, but
    for `LOUDNESS`, of which no table is taught. Others follow the lessons that count.
    """
    there = classifier_for(rate_hz).scales
    drawn = np.quantile(values[chances > 0], SHARES, axis=0).T
    return np.array(
        [
            drawn[at] if name == LOUDNESS or name not in there else there[name].knots
            for at, name in enumerate(names)
        ]
    )


def usual(judge: Classifier, lessons: Sequence[Lesson]) -> list[list[float]]:
    """Return how noises look at any table: the mean products of a 1 and their scaled features.

    All but how loud they are, which a table is not taught.
    """
    noises = [one for one in lessons if not one.knock]
    scales = {name: scale for name, scale in judge.scales.items() if name != LOUDNESS}
    looks = np.array(
        [[1.0, *(scale.of(one.seen[name]) for name, scale in scales.items())] for one in noises]
    )
    shares = np.array(well_known(noises))
    return [_rounded(row) for row in (looks.T * (shares / shares.sum())) @ looks]


def thuds(judge: Classifier, lessons: Sequence[Lesson]) -> list[list[float]]:
    """Return how fists, flat hands, slammed cards and chairs differ from knuckles on one wood.

    That is the difference of their means at virtual tables, feature by feature as they are
    scaled; that they are louder is left out, for so are loud knocks.
    """
    struck: defaultdict[str, list[list[float]]] = defaultdict(list)
    for one in lessons:
        if one.origin.way is Way.VIRTUAL:
            struck[one.origin.kind.rpartition(" ")[2]].append([*judge.scaled(one.seen).values()])
    knuckle = np.mean(struck["knuckle"], axis=0)
    heeded = np.array([name != LOUDNESS for name in judge.scales], float)
    return [
        _rounded((np.mean(struck[kind], axis=0) - knuckle) * heeded) for kind in BESIDE_KNUCKLES
    ]


Learner = Callable[[Sound, Sound, float, int], dict[str, Any]]
"""Learns from scaled features which of them were knocks, with a decay of weights and a seed."""


def network(
    scaled: Sound, knocks: Sound, decay: float, seed: int, units: int = UNITS, epochs: int = EPOCHS
) -> dict[str, Any]:
    """Return a network of so many hidden *units* that has learned, ready for JSON."""
    model = MLPClassifier(
        (units,),
        alpha=decay,
        batch_size=128,
        learning_rate_init=3e-3,
        max_iter=epochs,
        random_state=seed,
    )
    with catch_warnings():
        simplefilter("ignore", ConvergenceWarning)  # it is stopped early on purpose
        model.fit(scaled, knocks)
    (ins, outs), (biases, out) = model.coefs_, model.intercepts_
    ins = ins * (np.abs(scaled).max(axis=0) > 0)[:, None]  # what it never saw taught it nothing
    return {
        "units": [_rounded((bias, *unit)) for bias, unit in zip(biases, ins.T, strict=True)],
        "outs": _rounded((out[0], *outs[:, 0])),
    }


def straight(scaled: Sound, knocks: Sound, decay: float, seed: int) -> dict[str, Any]:
    """Return a logistic regression in a network's words: a unit for, a unit against."""
    model = LogisticRegression(C=1 / decay, max_iter=300, random_state=seed)
    model.fit(scaled, knocks)
    row = (model.intercept_[0], *model.coef_[0])
    return {
        "units": [_rounded(row), _rounded([-one for one in row])],
        "outs": [0.0, 1.0, -1.0],
    }


def _rounded(numbers: Sequence[float] | Sound) -> list[float]:
    return [round(float(one), 3) for one in numbers]


def well_known(lessons: Sequence[Lesson]) -> list[float]:
    """Return how much each lesson counts to those who learn recordings as they are.

    Many of one kind count less each. Knocks on virtual tables count twice: they are the only ones
    that ring on for long, and thuds on these tables are near them.
    """
    count = Counter((one.origin.kind, one.knock) for one in lessons)
    return [_well_known(one) * count[one.origin.kind, one.knock] ** -0.5 for one in lessons]


def _well_known(lesson: Lesson) -> float:
    origin = lesson.origin
    if origin.way is Way.SOFTER and lesson.knock:
        return SOFTER_COUNT
    if origin.way in (Way.SOFTER, Way.ELSEWHERE) or origin.softer_db:
        return 0.0
    if origin.way is Way.VIRTUAL and lesson.knock:
        return KNUCKLES_COUNT
    if origin.way is Way.VIRTUAL:
        return THUDS_COUNT if origin.kind.endswith(THUDS) else TABLES_COUNT
    return 1.0


def well_known_evenly(lessons: Sequence[Lesson]) -> list[float]:
    """Return the same where each source of knocks has as much as any other, as in `from_all`."""
    count = well_known(lessons)
    total: defaultdict[tuple[object, ...], float] = defaultdict(float)
    sources: defaultdict[tuple[object, ...], set[str]] = defaultdict(set)
    for one, counts in zip(lessons, count, strict=True):
        if one.knock and counts:
            total[_source(one)] += counts
            sources[_way(one)].add(one.origin.source)
    of_way = {
        way: sum(total[*way, source] for source in some) / len(some)
        for way, some in sources.items()
    }
    return [
        counts * of_way[_way(one)] / total[_source(one)] if one.knock and counts else counts
        for one, counts in zip(lessons, count, strict=True)
    ]


def from_all(lessons: Sequence[Lesson]) -> list[float]:
    """Return how much each lesson counts to those who learn from all.

    What is heard in one way has its share (`KNOCKS_COUNT`, `NOISES_COUNT`). Of that each source of
    knocks has as much as any other, for a table yet to come is as likely to be like each of them;
    of noises, many of one kind count less each.
    """
    kinds = Counter((one.origin.kind, one.knock) for one in lessons)
    count = [1.0 if one.knock else kinds[one.origin.kind, one.knock] ** -0.5 for one in lessons]
    for key in (_source, _way):
        total: defaultdict[tuple[object, ...], float] = defaultdict(float)
        for one, counts in zip(lessons, count, strict=True):
            total[key(one)] += counts
        count = [counts / total[key(one)] for one, counts in zip(lessons, count, strict=True)]
    shares = {True: KNOCKS_COUNT, False: NOISES_COUNT}
    return [
        counts * shares[one.knock][one.origin.way]
        for one, counts in zip(lessons, count, strict=True)
    ]


def _way(lesson: Lesson) -> tuple[object, ...]:
    return lesson.knock, lesson.origin.way


def _source(lesson: Lesson) -> tuple[object, ...]:
    """Return whose weight a lesson shares: its source's, or of noises that of its way."""
    return (*_way(lesson), lesson.origin.source if lesson.knock else "")


SCHOOLS = (
    School(3, CLEAR_SHARE, TOUCH, well_known_evenly, 12_000, network, DECAY),
    School(1, BLIND_SHARE, COLOUR, from_all, 20_000, partial(network, epochs=40), BLIND_DECAY),
    School(1, LINEAR_SHARE, COLOUR, well_known_evenly, 20_000, straight, LINEAR_DECAY),
)


def report(rate_hz: int, lessons: Sequence[Lesson]) -> None:
    """Print how lessons fare whose recordings, and whose sources, were not learned from."""
    print(f"{rate_hz} Hz, {len(lessons)} lessons, {FOLDS} folds by recording")
    _print_kinds(_right(rate_hz, lessons, lambda one: str(one.origin.fold)))
    print(f"{rate_hz} Hz, each source judged by those who never met it")
    _print_kinds(_right(rate_hz, lessons, lambda one: one.origin.source))


def _right(
    rate_hz: int, lessons: Sequence[Lesson], group: Callable[[Lesson], str]
) -> dict[tuple[str, bool], tuple[int, int]]:
    """Return of each kind how many lessons are judged right by all groups but their own."""
    right: Counter[tuple[str, bool]] = Counter()
    total: Counter[tuple[str, bool]] = Counter()
    for apart in sorted({group(one) for one in lessons}):
        judge = classifier_of(fit(rate_hz, [one for one in lessons if group(one) != apart]))
        for one in (lesson for lesson in lessons if group(lesson) == apart):
            key = one.origin.kind, one.knock
            right[key] += (judge.log_odds(judge.scaled(one.seen)) > 0) == one.knock
            total[key] += 1
    return {key: (right[key], total[key]) for key in sorted(total)}


def _print_kinds(fared: Mapping[tuple[str, bool], tuple[int, int]]) -> None:
    for (kind, knock), (right, total) in fared.items():
        told = "knocks heard" if knock else "noises let through"
        print(f"  {kind:44} {told:18} {right if knock else total - right:5} of {total:5}")


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
