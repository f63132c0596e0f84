"""Rigs that nobody met: each is left out of all that is learned, and then teaches its own lessons.

A rig is one wood with one sensor and the hands of one evening; `labels.json` says which recordings
are whose. Of what it teaches nothing is asked.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from statistics import mean

from benchmarks.labels import KNOCK, NEGATIVE, Labelled
from benchmarks.protocol import FEWEST_ASKED, TAUGHT_FROM, luck_of
from benchmarks.recordings import Ear, Lesson, Report, detections, first_channel
from benchmarks.scoring import Detections, Tally, matches, pooled, score

DOUBTFUL_LINE, KNOCK_LINE = 0.25, 0.5  # likelihoods between which a blow is asked about
_CURVE = 40  # points of a curve


@dataclass(frozen=True, slots=True)
class Rig:
    """The recordings of one rig."""

    name: str
    knocks: tuple[Labelled, ...]
    noises: tuple[Labelled, ...]

    @property
    def all(self) -> tuple[Labelled, ...]:
        """Return knocks and noises."""
        return self.knocks + self.noises

    @property
    def onsets(self) -> int:
        """How many knocks there are."""
        return sum(len(one.onsets_s) for one in self.knocks)


@dataclass(slots=True)
class Heard:
    """How rigs were heard: their knocks, and what else was taken for one; by the rig's name."""

    knocks: dict[str, Tally] = field(default_factory=dict)
    noises: dict[str, Tally] = field(default_factory=dict)

    def add(self, name: str, knocks: Tally, noises: Tally) -> None:
        """Count what was heard of the rig *name* once more."""
        self.knocks.setdefault(name, Tally()).add(knocks)
        self.noises.setdefault(name, Tally()).add(noises)

    def of(self, names: Iterable[str]) -> "Heard":
        """Return the part of it that is about the rigs *names*."""
        wanted = set(names)
        return Heard(
            {name: one for name, one in self.knocks.items() if name in wanted},
            {name: one for name, one in self.noises.items() if name in wanted},
        )

    @property
    def recall(self) -> float | None:
        """Mean over the rigs that have knocks of the share that was heard."""
        shares = [one.recall for one in self.knocks.values() if one.hits + one.misses]
        return mean(shares) if shares else None

    @property
    def false_per_minute(self) -> float | None:
        """Of all their noises together."""
        total = pooled(self.noises.values())
        return total.false_per_minute if total.minutes else None

    def as_dict(self) -> dict[str, object]:
        """Return it as plain values."""
        return {
            "recall": self.recall,
            "false_per_minute": self.false_per_minute,
            "rigs": {
                name: {
                    "hits": knocks.hits,
                    "misses": knocks.misses,
                    "recall": knocks.recall if knocks.hits + knocks.misses else None,
                    "false_in_noises": self.noises[name].false,
                    "minutes": self.noises[name].minutes,
                }
                for name, knocks in self.knocks.items()
            },
        }


def rigs_of(labels: Iterable[Labelled]) -> list[Rig]:
    """Return the rigs whose knocks or noises are among *labels*, by name."""
    found: dict[str, list[Labelled]] = {}
    for one in labels:
        if one.category in (KNOCK, NEGATIVE):
            found.setdefault(one.rig, []).append(one)
    return [
        Rig(
            name,
            tuple(one for one in some if one.category == KNOCK),
            tuple(one for one in some if one.category == NEGATIVE),
        )
        for name, some in sorted(found.items())
    ]


@dataclass(frozen=True, slots=True)
class Teaching:
    """What a rig teaches, and what of it is left to be asked."""

    lessons: tuple[Lesson, ...]
    knocks: tuple[Labelled, ...]
    noises: tuple[Labelled, ...]


def teaching(rig: Rig, folder: Path, counts: tuple[int, int], draw: int) -> Teaching | None:
    """Return a draw of so many knocks and noises of *rig*; None if too little would be left.

    Knocks are drawn one by one; noises as whole recordings, and no more than half of those that
    are loud enough: a lesson is when they are first half as loud as at their loudest.
    """
    if rig.onsets - counts[0] < FEWEST_ASKED:
        return None
    luck = luck_of("lessons", rig.name, counts, draw)
    every = [(one.file, at_s) for one in rig.knocks for at_s in one.onsets_s]
    drawn = {every[at] for at in luck.permutation(len(every))[: counts[0]]}
    loud = {
        one.file: at_s for one in rig.noises if (at_s := _loud_at_s(folder / one.file)) is not None
    }
    files = sorted(loud)
    taken = {files[at] for at in luck.permutation(len(files))[: min(counts[1], len(files) // 2)]}
    return Teaching(
        lessons=(
            *(Lesson(file, at_s, is_knock=True) for file, at_s in sorted(drawn)),
            *(Lesson(file, loud[file], is_knock=False) for file in sorted(taken)),
        ),
        knocks=tuple(_without(one, drawn) for one in rig.knocks),
        noises=tuple(one for one in rig.noises if one.file not in taken),
    )


def heard_untaught(rig: Rig, found: Detections) -> tuple[Tally, Tally]:
    """Return how the knocks and the noises of *rig* do that were *found*."""
    return _tallies(rig.knocks, rig.noises, found)


def heard_taught(
    rig: Rig, folder: Path, ear: Ear, teaching: Teaching, work: Path
) -> tuple[Tally, Tally]:
    """Return the same where *ear* has first learned what *teaching* says.

    What it cannot learn from it hears as if nobody had taught it.
    """
    table = work / "table.toml"
    table.unlink(missing_ok=True)
    learned = ear.learn(folder, teaching.lessons, table)
    asked = (*teaching.knocks, *teaching.noises)
    reports = ear.listen(folder, asked, table if learned else None)
    return _tallies(teaching.knocks, teaching.noises, detections(reports))


def _tallies(
    knocks: Sequence[Labelled], noises: Sequence[Labelled], found: Detections
) -> tuple[Tally, Tally]:
    scores = score((*knocks, *noises), found)
    return scores.pooled, pooled(scores.noises.values())


def _without(labelled: Labelled, taught: set[tuple[str, float]]) -> Labelled:
    """Return *labelled* with what was *taught* to be ignored."""
    gone = tuple(at_s for at_s in labelled.onsets_s if (labelled.file, at_s) in taught)
    return replace(
        labelled,
        onsets_s=tuple(at_s for at_s in labelled.onsets_s if at_s not in gone),
        ignore_s=tuple(sorted((*labelled.ignore_s, *gone))),
    )


def _loud_at_s(path: Path) -> float | None:
    samples, rate_hz = first_channel(path)
    most = max(map(abs, samples), default=0.0)
    if most < TAUGHT_FROM:
        return None
    return next(at for at, one in enumerate(samples) if abs(one) >= most / 2) / rate_hz


@dataclass(frozen=True, slots=True)
class Answer:
    """How sure an ear was that something was a knock, 0 to 1, and whether it was one.

    *counts* is how much it counts: the knocks of a rig together as much as those of any other,
    and its noises as much as its knocks.
    """

    likelihood: float
    is_knock: bool
    counts: float = 1.0

    @property
    def is_given(self) -> bool:
        """Whether nobody is asked about it."""
        return not DOUBTFUL_LINE <= self.likelihood < KNOCK_LINE

    @property
    def is_wrong(self) -> bool:
        """Whether a knock was taken for none, or something else for one."""
        return (self.likelihood >= KNOCK_LINE) != self.is_knock

    @property
    def certainty(self) -> float:
        """How far it is from the line: 0 to 1, whichever side."""
        return abs(self.likelihood - KNOCK_LINE)


def answers(rig: Rig, reports: Mapping[str, Report]) -> list[Answer]:
    """Return an answer for each knock of *rig*, and for each other blow that was heard.

    A knock that woke nobody is taken for none, and quite surely so.
    """
    knocks: list[float] = []
    others: list[float] = []
    for labelled in rig.all:
        blows = sorted(
            (one["at_s"], one["likelihood"])
            for kind in ("knocks", "doubtful", "noise")
            for one in reports[labelled.file][kind]
        )
        at_s = [one for one, _ in blows]
        paired = dict(matches(labelled.onsets_s, at_s))
        knocks += [
            blows[paired[at]][1] if at in paired else 0.0 for at in range(len(labelled.onsets_s))
        ]
        near = (*labelled.onsets_s, *labelled.ignore_s)
        others += [
            likelihood
            for at, (blow_s, likelihood) in enumerate(blows)
            if at not in paired.values() and not any(abs(blow_s - one) <= 0.05 for one in near)
        ]
    return [
        Answer(likelihood, is_knock, 1 / len(some))
        for is_knock, some in ((True, knocks), (False, others))
        for likelihood in some
    ]


def risk(given: Sequence[Answer]) -> dict[str, object]:
    """Return how wrong answers are, as they are given, and if only the surest were given.

    ``answered`` and ``wrong`` are where Kloplei draws its lines, as shares of all and of the
    answered; ``curve`` goes from the surest to all of them: share answered, share of it wrong.
    """
    total = sum(one.counts for one in given)
    answered = [one for one in given if one.is_given]
    said = sum(one.counts for one in answered)
    curve = []
    so_far = wrong = 0.0
    ranked = sorted(given, key=lambda one: -one.certainty)
    every = max(1, len(ranked) // _CURVE)
    for at, one in enumerate(ranked, 1):
        so_far += one.counts
        wrong += one.counts * one.is_wrong
        if at % every == 0 or at == len(ranked):
            curve.append([round(so_far / total, 4), round(wrong / so_far, 4)])
    return {
        "answered": said / total if total else None,
        "wrong": sum(one.counts * one.is_wrong for one in answered) / said if said else None,
        "curve": curve,
    }


@dataclass(slots=True)
class Outcomes:
    """What one method made of rigs: by the lessons they gave, by level, and how sure it was."""

    taught: dict[tuple[int, int], Heard] = field(default_factory=dict)
    softer: dict[float, Heard] = field(default_factory=dict)
    given: dict[str, list[Answer]] = field(default_factory=dict)

    def add(self, counts: tuple[int, int], rig: str, tallies: tuple[Tally, Tally]) -> None:
        """Count what was heard of *rig* after so many knocks and noises as lessons."""
        self.taught.setdefault(counts, Heard()).add(rig, *tallies)

    def listen(self, rig: Rig, ear: Ear, folder: Path) -> None:
        """Let *ear* hear *rig* as it comes, and count how sure it was as well."""
        reports = ear.listen(folder, rig.all)
        self.add((0, 0), rig.name, heard_untaught(rig, detections(reports)))
        self.given[rig.name] = answers(rig, reports)

    def listen_softer(self, rig: Rig, ear: Ear, folder: Path, level_db: float) -> None:
        """Let *ear* hear *rig* as it is in *folder*, turned down by *level_db*."""
        found = ear.knocks(folder, rig.all)
        self.softer.setdefault(level_db, Heard()).add(rig.name, *heard_untaught(rig, found))

    def as_dict(self, rigs: Sequence[str]) -> dict[str, object]:
        """Return what it made of *rigs* as plain values."""
        given = list(chain.from_iterable(self.given.get(name, []) for name in rigs))
        return {
            "lessons": [
                {"knocks": knocks, "noises": noises, **heard.of(rigs).as_dict()}
                for (knocks, noises), heard in sorted(self.taught.items())
            ],
            "levels": [
                {"level_db": level_db, **heard.of(rigs).as_dict()}
                for level_db, heard in sorted(self.softer.items(), reverse=True)
            ],
            "risk": risk(given) if given else None,
        }
