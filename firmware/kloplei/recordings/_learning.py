"""Learn who sits where from recordings in which somebody wrote down who knocked when."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from kloplei.files import KlopleiError
from kloplei.games.game import Seat
from kloplei.knock.arrival import LocationFeatures, location_features
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

    *location* tells whose it was, *features*, at *rate_hz*, that it was a knock.
    """

    labelled: Labelled
    blow: Judgement
    location: LocationFeatures
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
            location_features(blow.window),
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
    places = learn([KnownKnock(seats[one.labelled.seat], one.location) for one in learnt], names)
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
    by_others = dict(zip((one.location for one in places.knocks), tried(places), strict=True))
    by_all = LearnedSeats(places)
    for one in known:
        seat, sure = by_others.get(one.location) or by_all.likeliest(one.location)
        yield Trial(one, names[seat] if seat is not None and sure >= SURE else None, sure)


def _is_near(blow: Judgement, labelled: Labelled) -> bool:
    return abs(blow.at_s - labelled.at_s) <= NEAR_S


def _unlikeliness(blow: Judgement, labelled: Labelled) -> float:
    off_s = abs(blow.at_s - labelled.at_s)
    return off_s + (_NO_KNOCK_S if blow.verdict is Verdict.NOISE else 0.0)


def _is_named(path: str, file: str) -> bool:
    return path == file or path.replace("\\", "/").endswith("/" + file)
