"""How well knocks were found: hits, misses and false ones, by what the recording is.

A detection is a hit when an onset lies within the window, and no two of them share one. Near a
time to be ignored, on which those who labelled did not agree, it is neither right nor wrong.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import mean, median

from benchmarks.labels import Labelled

WINDOW_S = 0.05
GAP_S = 0.45  # between knocks of one pattern
_PATTERN_WINDOW_S = 0.08
_RINGS_S = 0.25  # a false knock so soon after a true one is its own ringing
_BEFORE_S, _AFTER_S = 0.03, 0.05  # around a noise of a scene, to blame it


@dataclass(frozen=True, slots=True)
class Detection:
    """A knock that was found; *decided_at_s* is None for one who hears all before he judges."""

    at_s: float
    decided_at_s: float | None = None
    seat: int | None = None


Detections = Mapping[str, Sequence[Detection]]
"""What was found in each file."""


@dataclass(slots=True)
class Tally:
    """Hits, misses and false knocks of some recordings; times in seconds."""

    hits: int = 0
    misses: int = 0
    false: int = 0
    minutes: float = 0.0
    errors_s: list[float] = field(default_factory=list)
    delays_s: list[float] = field(default_factory=list)

    @property
    def precision(self) -> float:
        """Share of what was found that was a knock."""
        return _share(self.hits, self.hits + self.false)

    @property
    def recall(self) -> float:
        """Share of the knocks that were found."""
        return _share(self.hits, self.hits + self.misses)

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        return _share(2 * self.precision * self.recall, self.precision + self.recall)

    @property
    def false_per_minute(self) -> float:
        """How often something else was taken for a knock."""
        return _share(self.false, self.minutes)

    def add(self, other: "Tally") -> None:
        """Take in what *other* counted."""
        self.hits += other.hits
        self.misses += other.misses
        self.false += other.false
        self.minutes += other.minutes
        self.errors_s += other.errors_s
        self.delays_s += other.delays_s


@dataclass(slots=True)
class SceneTally(Tally):
    """The same in mixtures of knocks and noises, with what was blamed and the patterns."""

    patterns: int = 0
    patterns_right: int = 0
    blamed: Counter[str] = field(default_factory=Counter)

    @property
    def patterns_share(self) -> float:
        """Share of the patterns that were found where they begin, with their count."""
        return _share(self.patterns_right, self.patterns)


@dataclass(slots=True)
class Scores:
    """All that one method reached on one folder, each by class or by domain."""

    knocks: dict[str, Tally] = field(default_factory=dict)
    noises: dict[str, Tally] = field(default_factory=dict)
    noise_classes: dict[str, Tally] = field(default_factory=dict)
    scenes: dict[str, SceneTally] = field(default_factory=dict)
    drums: Tally = field(default_factory=Tally)
    taps: Tally = field(default_factory=Tally)
    channels: Counter[bool] = field(default_factory=Counter)  # of knocks: was it the one struck?

    @property
    def macro_f1(self) -> float | None:
        """Mean F1 over the classes of knock, None where there is none."""
        return mean(one.f1 for one in self.knocks.values()) if self.knocks else None

    @property
    def pooled(self) -> Tally:
        """All knocks, of whatever class."""
        return pooled(self.knocks.values())


def score(labels: Iterable[Labelled], detections: Detections) -> Scores:
    """Return how *detections* do; a file that they leave out is one in which nothing was found."""
    scores = Scores()
    for labelled in labels:
        found = sorted(detections.get(labelled.file, ()), key=lambda one: one.at_s)
        _score_one(labelled, found, scores)
    return scores


def pooled(tallies: Iterable[Tally]) -> Tally:
    """Return all of *tallies* as one."""
    total = Tally()
    for one in tallies:
        total.add(one)
    return total


def matches(
    onsets_s: Sequence[float], found_s: Sequence[float], window_s: float = WINDOW_S
) -> Iterator[tuple[int, int]]:
    """Yield which onset goes with which detection, as many as can be; both run in order."""
    onset = found = 0
    while onset < len(onsets_s) and found < len(found_s):
        if found_s[found] < onsets_s[onset] - window_s:
            found += 1
        elif found_s[found] > onsets_s[onset] + window_s:
            onset += 1
        else:
            yield onset, found
            onset, found = onset + 1, found + 1


def groups(found_s: Iterable[float], gap_s: float = GAP_S) -> list[list[float]]:
    """Return *found_s*, which run in order, cut where nothing came for longer than *gap_s*."""
    grouped: list[list[float]] = []
    for at_s in found_s:
        if grouped and at_s - grouped[-1][-1] <= gap_s:
            grouped[-1].append(at_s)
        else:
            grouped.append([at_s])
    return grouped


def _score_one(labelled: Labelled, found: Sequence[Detection], scores: Scores) -> None:
    match labelled.category:
        case "knock":
            scores.knocks.setdefault(labelled.klass, Tally()).add(_tally(labelled, found)[0])
        case "negative":
            tally, _ = _tally(labelled, found)
            scores.noises.setdefault(labelled.domain, Tally()).add(tally)
            scores.noise_classes.setdefault(labelled.klass, Tally()).add(tally)
        case "scene":
            scene = scores.scenes.setdefault(labelled.klass, SceneTally())
            _score_scene(labelled, found, scene)
        case "piezo_drum":
            scores.drums.add(_tally(labelled, found)[0])
        case "piezo_drum_2ch":
            _score_channels(labelled, found, scores.channels)
        case "tap":
            scores.taps.add(_tally(labelled, found)[0])


def _tally(labelled: Labelled, found: Sequence[Detection]) -> tuple[Tally, list[float]]:
    """Return the tally of one recording, and when its false knocks were."""
    found_s = [one.at_s for one in found]
    pairs = list(matches(labelled.onsets_s, found_s))
    matched = {at for _, at in pairs}
    false_s = [
        at_s
        for at, at_s in enumerate(found_s)
        if at not in matched and not _is_ignored(labelled, at_s)
    ]
    tally = Tally(
        hits=len(pairs),
        misses=len(labelled.onsets_s) - len(pairs),
        false=len(false_s),
        minutes=labelled.duration_s / 60,
    )
    for onset, at in pairs:
        onset_s, decided_at_s = labelled.onsets_s[onset], found[at].decided_at_s
        tally.errors_s.append(found_s[at] - onset_s)
        if decided_at_s is not None:
            tally.delays_s.append(decided_at_s - onset_s)
    return tally, false_s


def _is_ignored(labelled: Labelled, at_s: float) -> bool:
    return any(abs(at_s - ignored_s) <= WINDOW_S for ignored_s in labelled.ignore_s)


def _score_scene(labelled: Labelled, found: Sequence[Detection], scene: SceneTally) -> None:
    tally, false_s = _tally(labelled, found)
    scene.add(tally)
    scene.blamed.update(_culprit(labelled, at_s) for at_s in false_s)
    grouped = groups(one.at_s for one in found)
    for pattern in labelled.patterns:
        near = [one for one in grouped if abs(one[0] - pattern.at_s) <= _PATTERN_WINDOW_S]
        scene.patterns += 1
        scene.patterns_right += bool(near) and len(near[0]) == pattern.count


def _culprit(labelled: Labelled, at_s: float) -> str:
    if any(0 < at_s - onset_s < _RINGS_S for onset_s in labelled.onsets_s):
        return "a knock's own ringing"
    heard = [
        one.klass for one in labelled.noises if one.at_s - _BEFORE_S <= at_s <= one.end_s + _AFTER_S
    ]
    return heard[-1] if heard else "background"


def _score_channels(
    labelled: Labelled, found: Sequence[Detection], channels: Counter[bool]
) -> None:
    for onset, at in matches(labelled.onsets_s, [one.at_s for one in found]):
        channels[found[at].seat == labelled.channels[onset]] += 1


def middle_ms(times_s: Sequence[float]) -> float | None:
    """Return the median of *times_s* in milliseconds, None if there is none."""
    return 1000 * median(times_s) if times_s else None


def high_ms(times_s: Sequence[float]) -> float | None:
    """Return what 95 % of *times_s* do not exceed, in milliseconds, None if there is none."""
    return 1000 * sorted(times_s)[int(0.95 * (len(times_s) - 1))] if times_s else None


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0
