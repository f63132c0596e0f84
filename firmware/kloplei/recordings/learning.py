"""Learn who sits where from recordings in which somebody wrote down who knocked when.

Fewer samples a second, and nothing in them that was not there: a low-pass, then every n-th.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import repeat
from math import ceil, cos, pi, sin
from operator import add, mul

from kloplei.files import KlopleiError
from kloplei.games.game import Seat
from kloplei.knock.arrival import LocationFeatures, traits
from kloplei.knock.calibration import Calibration, Label
from kloplei.knock.calibration_file import MOST_SEATS
from kloplei.knock.classifier import log_odds_of
from kloplei.knock.features import features
from kloplei.knock.judgement import Judgement, Verdict
from kloplei.knock.localization import (
    FEWEST_KNOCKS,
    SURE,
    KnownKnock,
    LearnedSeats,
    Places,
    learn,
    tried,
)
from kloplei.knock.signal import Samples
from kloplei.knock.tuning import gain_db
from kloplei.recordings.labels import Labelled

NEAR_S = 0.15  # a blow is the one that was written down if it is no farther off
MOST_OF_A_SEAT = 25  # knocks that are learned: more teach little, and cost time at every start

_NO_KNOCK_S = 0.05  # what the judge took for noise is as unlikely as a knock this much farther off

# Wood on which knocks sound unlike those that the judge knows: it is to be milder there.
_ODD_ONE_IN = 20  # knocks: one of so many may be missed
_CLEAR = 1.0  # log-odds above the line are no luck
_MILDEST = -3.0  # log-odds: milder than that, and all glasses are knocks as well


class CannotLearn(KlopleiError, ValueError):
    """Labels that teach nothing about these recordings."""


@dataclass(frozen=True, slots=True)
class LearningExample:
    """A *blow*, without its window, of which it is known whose it was.

    *traits* tell whose it was, *features*, at *rate_hz*, that it was a knock.
    """

    labelled: Labelled
    blow: Judgement
    traits: LocationFeatures
    features: Mapping[str, float]
    rate_hz: float

    def log_odds(self, gain_db: float) -> float:
        """Return how much the judge takes it for a knock at a table of so much gain."""
        return log_odds_of(self.features, self.rate_hz, gain_db)


@dataclass(frozen=True, slots=True)
class Trial:
    """Whose *example* is taken to be by other knocks than itself; *told* None if unsure."""

    example: LearningExample
    told: Label | None
    confidence: float


@dataclass(frozen=True, slots=True)
class Learned:
    """What a table has taught, and a trial of every example, in their order."""

    calibration: Calibration
    trials: tuple[Trial, ...]


def meant_for(labelled: Sequence[Labelled], names: Sequence[str]) -> dict[str, list[Labelled]]:
    """Return which of *labelled* belong to each of the recordings *names*.

    Raises:
        CannotLearn: One of them belongs to none, or may belong to several.
    """
    meant: dict[str, list[Labelled]] = {name: [] for name in names}
    for one in labelled:
        if one.file is None and len(meant) > 1:
            raise CannotLearn(
                f"the knock at {one.at_s:g} s may be in any of {len(meant)} recordings; "
                'say in which: {"file": ...}'
            )
        fitting = [name for name in meant if one.file is None or _is_named(name, one.file)]
        if not fitting:
            raise CannotLearn(
                f"the knock at {one.at_s:g} s is in {one.file}; name that recording as well"
            )
        meant[fitting[0]].append(one)
    return meant


def examples(
    labelled: Sequence[Labelled], blows: Iterable[Judgement]
) -> tuple[LearningExample | None, ...]:
    """Return for each of *labelled* the blow it means, None where no blow was near.

    What is nearest goes first, and what the judge took for a knock before what it took for noise.
    """
    heard = [
        (
            replace(blow, window=None),
            traits(blow.window),
            features(blow.window),
            blow.window.rate_hz,
        )
        for blow in blows
        if blow.window is not None and any(_is_near(blow, one) for one in labelled)
    ]
    pairs = sorted(
        (_unlikeliness(blow, one), at, number)
        for number, (blow, *_) in enumerate(heard)
        for at, one in enumerate(labelled)
        if _is_near(blow, one)
    )
    meant: dict[int, int] = {}
    for _, at, number in pairs:
        if at not in meant and number not in meant.values():
            meant[at] = number
    return tuple(
        LearningExample(one, *heard[meant[at]]) if at in meant else None
        for at, one in enumerate(labelled)
    )


def learn_table(labelled: Sequence[Labelled], known: Sequence[LearningExample]) -> Learned:
    """Return what *known* teaches about a table, all that was found of *labelled*.

    Raises:
        CannotLearn: A seat has too few knocks, or there are too many seats.
        CannotTellSeats: The knocks are not enough for another reason; it says which.
    """
    by_label: dict[Label, list[LearningExample]] = {one.seat: [] for one in labelled}
    for one in known:
        by_label[one.labelled.seat].append(one)
    seats = seats_of(by_label)
    for label, ones in by_label.items():
        _check_enough(label, ones)
    learnt = [one for label in seats for one in _spread(by_label[label])]
    names = {seat: label for label, seat in seats.items()}
    places = learn([KnownKnock(seats[one.labelled.seat], one.traits) for one in learnt], names)
    strokes = {seats[label]: tuple(one.blow for one in ones) for label, ones in by_label.items()}
    gain = gain_db(strokes)
    calibration = Calibration(
        gain_db=gain,
        strictness=_strictness([one.log_odds(gain) for one in known]),
        places=places,
        labels=() if all(label == seat for label, seat in seats.items()) else tuple(seats),
    )
    return Learned(calibration, tuple(_trials(known, places, names)))


def seats_of(labels: Iterable[Label]) -> dict[Label, Seat]:
    """Return the seat of each of *labels*: a whole number is its own seat, names are counted.

    Raises:
        CannotLearn: They are more than the seats of a table.
    """
    ranked = sorted(set(labels), key=lambda one: (isinstance(one, str), one))
    if len(ranked) > MOST_SEATS:
        raise CannotLearn(f"{len(ranked)} seats are named, and a table has up to {MOST_SEATS}")
    if all(isinstance(one, int) and one < MOST_SEATS for one in ranked):
        return {one: Seat(one) for one in ranked}
    return {one: Seat(at) for at, one in enumerate(ranked)}


def _check_enough(label: Label, ones: Sequence[LearningExample]) -> None:
    if len(ones) < FEWEST_KNOCKS:
        raise CannotLearn(
            f"{len(ones) or 'none'} of the knocks of seat {label} was heard, and it takes "
            f"{FEWEST_KNOCKS}: write down when they were, five of each seat"
        )


def _strictness(log_odds: Sequence[float]) -> float:
    """Return what lets knocks of these *log_odds* through, and no more than that."""
    low = sorted(log_odds)[len(log_odds) // _ODD_ONE_IN]
    return round(max(_MILDEST, min(0.0, low - _CLEAR)), 1) + 0.0  # never -0.0


def _spread(ones: Sequence[LearningExample]) -> list[LearningExample]:
    """Return up to `MOST_OF_A_SEAT` of *ones*, of all of the evening."""
    count = min(len(ones), MOST_OF_A_SEAT)
    return [ones[at * len(ones) // count] for at in range(count)]


def _trials(
    known: Sequence[LearningExample], places: Places, names: dict[Seat, Label]
) -> Iterator[Trial]:
    """Yield how each of *known* fares; what was not learned from is judged by all that was."""
    by_others = dict(zip((one.traits for one in places.knocks), tried(places), strict=True))
    by_all = LearnedSeats(places)
    for one in known:
        seat, sure = by_others.get(one.traits) or by_all.likeliest(one.traits)
        yield Trial(one, names[seat] if seat is not None and sure >= SURE else None, sure)


def _is_near(blow: Judgement, labelled: Labelled) -> bool:
    return abs(blow.at_s - labelled.at_s) <= NEAR_S


def _unlikeliness(blow: Judgement, labelled: Labelled) -> float:
    off_s = abs(blow.at_s - labelled.at_s)
    return off_s + (_NO_KNOCK_S if blow.verdict is Verdict.NOISE else 0.0)


def _is_named(path: str, file: str) -> bool:
    return path == file or path.replace("\\", "/").endswith("/" + file)


FASTEST_HZ = 48_000  # more samples a second tell nothing more about a knock
_LOBES = 8  # of the low-pass, on each side: what would fold back is 50 dB down and more
_CORNER = 0.4  # of the new rate: where the low-pass begins to shut


def thinned_by(rate_hz: float) -> int:
    """Return of how many samples one is kept, so that no more than `FASTEST_HZ` are left."""
    return ceil(rate_hz / FASTEST_HZ)


class Thinner:
    """Keeps every *by*-th sample of each channel, through a low-pass that delays nothing.

    To delay nothing it looks `reach` samples ahead, less than a millisecond, so that the
    last ones come out when it is flushed.
    """

    def __init__(self, by: int, channels: int) -> None:
        self._by = by
        self._taps = _low_pass(by)
        self.reach = len(self._taps) // 2
        # Silence before the first sample, so that the first one kept is the first one taken.
        self._waiting: list[list[float]] = [[0.0] * self.reach for _ in range(channels)]

    def thin(self, channels: Sequence[Samples]) -> tuple[Samples, ...]:
        """Return what can be kept of *channels*, which follow those of the last call."""
        if self._by == 1:
            return tuple(channels)
        for waiting, samples in zip(self._waiting, channels, strict=True):
            waiting.extend(samples)
        usable = max(0, len(self._waiting[0]) - 2 * self.reach)
        count = ceil(usable / self._by)
        kept = tuple(self._kept(waiting, count) for waiting in self._waiting)
        for waiting in self._waiting:
            del waiting[: count * self._by]
        return kept

    def flush(self) -> tuple[Samples, ...]:
        """Return the last samples; silence is taken to follow."""
        return self.thin([[0.0] * self.reach] * len(self._waiting))

    def _kept(self, waiting: list[float], count: int) -> list[float]:
        # Tap after tap over all samples: a pass each, in C, where a sum for each sample would
        # be ten times as slow.
        total: list[float] = [0.0] * count
        for at, tap in enumerate(self._taps):
            total = list(map(add, total, map(mul, waiting[at :: self._by], repeat(tap))))
        return total


def _low_pass(by: int) -> list[float]:
    """Return a Hann-windowed sinc that lets pass what *by* times fewer samples can hold."""
    if by == 1:
        return [1.0]
    reach = _LOBES * by
    taps = [
        _sinc(2 * _CORNER * at / by) * (0.5 + 0.5 * cos(pi * at / (reach + 1)))
        for at in range(-reach, reach + 1)
    ]
    scale = sum(taps)
    return [tap / scale for tap in taps]


def _sinc(at: float) -> float:
    return sin(pi * at) / (pi * at) if at else 1.0
