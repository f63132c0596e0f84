"""What lessons are worth at a table that was never met, and what evenings of play teach it.

``python -m scripts.try_lessons --data FOLDER`` trains a judge on all sources of recordings but
one, without the mixed minutes, and lets the one left out teach its own: 5 knocks and 3 noises, 20
and 20, 60 and 60, as a tuning would. ``--virtual 8`` does the same with so many virtual tables
that nothing was trained with. Then each of them plays three evenings: doubts are answered, false
knocks taken back, unheard ones repeated, one time in twenty wrongly; and one more of lies alone.
All is measured on blows that neither trained nor taught, at 4 kHz. ``--lessons FILE`` keeps what
was gathered for the next time.
"""

import argparse
import pickle
import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from statistics import fmean
from unittest.mock import patch

import numpy as np

from benchmarks.measured_table import MeasuredTable
from kloplei.files import atomic_write
from kloplei.knock import classifier, fitting, lessons
from kloplei.knock.calibration import Calibration
from kloplei.knock.classifier import Classifier, classifier_of, log_odds_of, scaled_of
from kloplei.knock.fitting import Seen, logistic_fit
from kloplei.knock.judgement import DOUBTFUL_LINE, KNOCK_LINE
from kloplei.knock.lessons import (
    LessonSource,
    PlayLesson,
    kept_of,
    likelihood_by,
    taught_by,
)
from kloplei.review.lessons import UNSURE
from kloplei.simulation.blows import Blow
from scripts.lessons import NEAR_S, Lesson, Way, heard, seen
from scripts.lessons_of_tables import VIRTUAL, converted, spot_of
from scripts.train_knocks import fit, gather, usual

RATE_HZ = 4000
SOURCES = ("dcase", "fs", "kent", "nu", "ts")
BORROWED = "(casino)"  # whose noises a table has that recorded too few
TAUGHT = ((0, 0), (5, 3), (20, 20), (60, 60))
DRAWS = 4
LEFT = 10  # of each kind are kept to measure by
EVENINGS = 3
KNOCKS, NOISES = 60, 80  # of an evening
WRONG = 0.05  # of what people say or do
ANSWERED, TAKEN_BACK, REPEATED = 0.7, 0.8, 0.7  # of the blows of which they may say something
BY_CHANCE = 0.05  # of the unheard noises are followed at once by a knock of the same hand
_VIRTUAL_SEED = 90_000  # tables of the training are below
_ON_A_TABLE = {
    Blow.KNUCKLE: 150,
    Blow.GLASS: 50,
    Blow.CARD: 40,
    Blow.CHIPS: 20,
    Blow.KEYS: 20,
    Blow.DICE: 20,
    Blow.BUMP: 20,
}

Features = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Wood:
    """A table that *judge* has not met, and the blows on it; *own* tells whose noises they are."""

    name: str
    judge: Classifier
    knocks: Sequence[Features]
    noises: Sequence[Features]
    own: bool = True


@dataclass(frozen=True, slots=True)
class Share:
    """How many of its knocks are heard, and of its noises let through, 0 to 1."""

    heard: float
    through: float


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="folder with labels.json")
    parser.add_argument("--lessons", type=Path, help="where what was gathered is kept")
    parser.add_argument("--virtual", type=int, default=0, metavar="N", help="so many tables")
    options = parser.parse_args(argv)
    if options.data is not None or options.lessons is not None:
        _measure("left out", sources_left_out(_gathered(options.data, options.lessons)))
    if options.virtual:
        _measure("virtual", map(virtual, range(options.virtual)))
    return 0


def sources_left_out(gathered: Sequence[Lesson]) -> Iterator[Wood]:
    """Yield each source as a table, with a judge that was trained without it."""
    there = [one for one in gathered if one.rate_hz == RATE_HZ and one.origin.way is not Way.MIXED]
    for source in SOURCES:
        mine = f"({source})"
        rest = [one for one in there if mine not in one.origin.kind]
        judge = classifier_of(fit(RATE_HZ, rest))
        judge = replace(judge, usual=usual(judge, rest))
        heard_once = [one for one in there if one.origin.way is Way.PLAIN]
        plain = [one for one in heard_once if one.origin.kind.endswith(mine)]
        knocks = [one.seen for one in plain if one.knock]
        noises = [one.seen for one in plain if not one.knock]
        own = len(noises) > 2 * LEFT
        if not own:
            noises = [one.seen for one in heard_once if one.origin.kind.endswith(BORROWED)]
        yield Wood(source, judge, knocks, noises, own)


def virtual(number: int) -> Wood:
    """Return a virtual table that nothing was trained with, as a box of today hears it."""
    seed = _VIRTUAL_SEED + number
    luck = np.random.default_rng(seed)
    table = MeasuredTable.of_seed(seed, seats=4, corners=4 if number % 2 else None)
    knocks: list[Features] = []
    noises: list[Features] = []
    for blow, count in _ON_A_TABLE.items():
        for turn in range(count):
            is_knock = blow is Blow.KNUCKLE
            spot = spot_of(table, is_knock and turn % 3 > 0, luck)
            gain = 10 ** ((luck.uniform(-6, 3) + (0 if is_knock else luck.uniform(0, 6))) / 20)
            wave = table.sampled(blow, spot, RATE_HZ, seed=1000 * number + turn)
            for one in heard(converted(wave, RATE_HZ, gain, luck)):
                if abs(one.at_s) <= NEAR_S:
                    (knocks if is_knock else noises).append(seen(one))
    return Wood(f"{VIRTUAL} {number}", classifier.classifier_for(RATE_HZ), knocks, noises)


def told(wood: Wood) -> Iterator[tuple[str, Share]]:
    """Yield how *wood* fares with so many lessons, and evening by evening."""
    luck = random.Random(1)  # noqa: S311 - a draw of lessons is no secret
    for knocks, noises in TAUGHT:
        draws = range(DRAWS if knocks else 1)
        shares = [_tuned(wood, knocks, noises, luck) for _ in draws]
        yield f"lessons {knocks:2} + {noises:2}", _mean(shares)
    yield from _mean_rows([dict(played(wood, random.Random(turn))) for turn in range(DRAWS)])  # noqa: S311


def _tuned(wood: Wood, knocks: int, noises: int, luck: random.Random) -> Share:
    taught, rest = _dealt(wood.knocks, knocks, luck)
    others, left = _dealt(wood.noises, noises, luck)
    learned = logistic_fit(RATE_HZ, [*map(_see, taught)], [*map(_see, others)]) if knocks else None
    return _share(rest, left, Calibration(correction=learned))


def played(wood: Wood, luck: random.Random) -> Iterator[tuple[str, Share]]:
    """Yield how *wood* fares before the first evening, after each, and after one of lies."""
    knocks, rest = _dealt(wood.knocks, len(wood.knocks) // 2, luck)
    noises, left = _dealt(wood.noises, len(wood.noises) // 2, luck)
    people = People(luck)
    in_force = Calibration()
    yield "play 0 evenings", _share(rest, left, in_force)
    for evening in range(1, EVENINGS + 1):
        in_force = people.evening(evening, knocks, noises, in_force, WRONG)
        yield f"play {evening} evenings", _share(rest, left, in_force)
    lied = people.evening(EVENINGS + 1, knocks, noises, in_force, 1.0)
    yield "then one of lies alone", _share(rest, left, lied)
    liars = People(luck).evening(1, knocks, noises, Calibration(), 1.0)
    yield "lies alone from the first", _share(rest, left, liars)


@dataclass(slots=True)
class People:
    """Who sits at a table and says what they think of what it hears."""

    luck: random.Random
    taught: tuple[PlayLesson, ...] = ()
    count: int = 0

    def evening(
        self,
        evening: int,
        knocks: Sequence[Features],
        noises: Sequence[Features],
        in_force: Calibration,
        wrong: float,
    ) -> Calibration:
        """Play, and return what is in force in the end; it learns twelve times meanwhile."""
        blows = [(True, one) for one in self._some(knocks, KNOCKS)]
        blows += [(False, one) for one in self._some(noises, NOISES)]
        self.luck.shuffle(blows)
        each = -(-len(blows) // 12)
        for at in range(0, len(blows), each):
            for is_knock, one in blows[at : at + each]:
                self._hear(evening, is_knock, one, in_force, wrong, knocks)
            in_force = taught_by(self.taught, in_force)
        return in_force

    def _hear(
        self,
        evening: int,
        is_knock: bool,
        blow: Features,
        in_force: Calibration,
        wrong: float,
        knocks: Sequence[Features],
    ) -> None:
        def say(was_knock: bool, said: LessonSource, often: float) -> None:
            if self.luck.random() < often:
                was_knock ^= self.luck.random() < wrong
                self.count += 1
                lesson = PlayLesson(self.count, evening, was_knock, said, self.count, RATE_HZ, blow)
                self.taught = kept_of((*self.taught, lesson))

        sure = _likelihood(blow, in_force)
        if DOUBTFUL_LINE <= sure < KNOCK_LINE:
            say(is_knock, LessonSource.ANSWER, ANSWERED)
        elif sure >= KNOCK_LINE:
            # Whoever takes back a knock that was one is wrong about it as well.
            if sure <= UNSURE[1] and not is_knock ^ (self.luck.random() < wrong):
                say(False, LessonSource.UNDO, TAKEN_BACK)
        elif sure >= UNSURE[0]:
            again = _likelihood(self.luck.choice(knocks), in_force) >= KNOCK_LINE
            say(True, LessonSource.REPEAT, again * (REPEATED if is_knock else BY_CHANCE))

    def _some(self, blows: Sequence[Features], count: int) -> list[Features]:
        return self.luck.sample(list(blows), min(count, len(blows)))


def _dealt(
    blows: Sequence[Features], count: int, luck: random.Random
) -> tuple[list[Features], list[Features]]:
    """Return *count* of *blows*, but for some to measure by, and the rest."""
    shuffled = luck.sample(list(blows), len(blows))
    count = max(0, min(count, len(blows) - LEFT))
    return shuffled[:count], shuffled[count:]


def _see(blow: Features) -> Seen:
    return scaled_of(blow, RATE_HZ, Calibration()), log_odds_of(blow, RATE_HZ, Calibration())


def _likelihood(blow: Features, in_force: Calibration) -> float:
    lesson = PlayLesson(
        0, 0, was_knock=True, said=LessonSource.MARK, event=0, rate_hz=RATE_HZ, seen=blow
    )
    return likelihood_by(lesson, in_force)


def _share(knocks: Sequence[Features], noises: Sequence[Features], in_force: Calibration) -> Share:
    def taken(blows: Sequence[Features]) -> float:
        return fmean(_likelihood(one, in_force) >= KNOCK_LINE for one in blows)

    return Share(taken(knocks), taken(noises))


def _mean(shares: Sequence[Share]) -> Share:
    return Share(fmean(one.heard for one in shares), fmean(one.through for one in shares))


def _mean_rows(some: Sequence[Mapping[str, Share]]) -> Iterator[tuple[str, Share]]:
    for row in some[0]:
        yield row, _mean([one[row] for one in some])


def _measure(name: str, woods: Iterator[Wood]) -> None:
    rows: dict[str, list[tuple[Wood, Share]]] = {}
    for wood in woods:
        with ExitStack() as judged:
            known = partial(_same, wood.judge)
            for module in (classifier, fitting, lessons):
                judged.enter_context(patch.object(module, "classifier_for", known))
            for row, share in told(wood):
                rows.setdefault(row, []).append((wood, share))
                _print(wood.name, row, share, "")
    for row, found in rows.items():
        own = [share.through for wood, share in found if wood.own]
        mean = Share(fmean(share.heard for _, share in found), fmean(own))
        worst = min(share.heard for _, share in found)
        _print(name, row, mean, f"worst {worst:.3f}, {len(found)} tables, {len(own)} with noises")


def _same(judge: Classifier, *_: int) -> Classifier:
    return judge


def _print(name: str, row: str, share: Share, more: str) -> None:
    heard_, through = f"{share.heard:.3f} heard", f"{share.through:.3f} let through"
    print(f"{name:16} {row:26} {heard_}  {through}  {more}".rstrip(), flush=True)


def _gathered(data: Path | None, kept: Path | None) -> list[Lesson]:
    if kept is not None and kept.exists():
        found: list[Lesson] = pickle.loads(kept.read_bytes())  # noqa: S301 - our own
        return found
    if data is None:
        raise SystemExit("there are no lessons yet: name the recordings, --data FOLDER")
    found = gather(data)
    if kept is not None:
        atomic_write(kept, pickle.dumps(found))
    return found


if __name__ == "__main__":
    sys.exit(main())
