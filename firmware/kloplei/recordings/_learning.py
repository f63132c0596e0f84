"""Learn a table from recordings in which somebody wrote down who knocked when, and what was none.

Knocks of several discs tell who sits where, knocks and noises what a knock sounds like here.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from kloplei.files import KlopleiError
from kloplei.frozen import dataclass, replace
from kloplei.games.game import Seat
from kloplei.knock.arrival import LocationFeatures, location_features
from kloplei.knock.calibration import Calibration, Correction, Label
from kloplei.knock.calibration_file import MOST_SEATS
from kloplei.knock.classifier import log_odds_of, scaled_of
from kloplei.knock.features import features, judging_rate_hz
from kloplei.knock.fitting import FEWEST_KNOCKS as FEWEST_LESSONS
from kloplei.knock.fitting import Seen, logistic_fit
from kloplei.knock.judgement import SURE, Judgement, Verdict
from kloplei.knock.localization import (
    FEWEST_KNOCKS,
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

    def log_odds(self, calibration: Calibration) -> float:
        """Return how much the judge takes it for a knock by *calibration*, its line left out."""
        log_odds = log_odds_of(self.features, self.rate_hz, calibration)
        learned = calibration.correction
        if learned is None:
            return log_odds
        return log_odds + learned.of(scaled_of(self.features, self.rate_hz, calibration))

    def seen(self, levelled: Calibration) -> Seen:
        """Return what it teaches about a table of which nothing but its gain is known."""
        scaled = scaled_of(self.features, self.rate_hz, levelled)
        return scaled, log_odds_of(self.features, self.rate_hz, levelled)


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
    noises: int = 0
    noises_taken: int = 0


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
    # By its time: what amends another one takes its place.
    near = {blow.at_s: blow for blow in blows if any(_is_near(blow, one) for one in labelled)}
    heard = [
        (
            replace(blow, window=None),
            location_features(blow.window),
            features(blow.window),
            blow.window.rate_hz,
        )
        for blow in near.values()
        if blow.window is not None
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
        CannotLearn: There are too few knocks, of all or of a seat, or too many seats.
        CannotTellSeats: The knocks are not enough for another reason; it says which.
    """
    knocks = [one for one in known if one.labelled.is_knock]
    noises = [one for one in known if not one.labelled.is_knock]
    seats = seats_of(one.seat for one in labelled if one.is_knock and one.seat is not None)
    is_single = bool(known) and all(len(one.location.felt) == 1 for one in known)
    is_seated = bool(seats) and not (is_single and len(seats) == 1)
    if is_seated and is_single:
        raise CannotLearn(
            "seats are told by what differs between channels, and there is 1 channel; "
            "record two sensors or more, or write null for every seat"
        )
    if not is_seated and len(knocks) < FEWEST_LESSONS:
        raise CannotLearn(
            f"{len(knocks) or 'none'} of the knocks was heard, and it takes {FEWEST_LESSONS} to "
            "know how they sound: write down when they were"
        )
    learned = _seated(seats, knocks) if is_seated else Calibration(gain_db=_gain_db(knocks))
    learned = replace(learned, correction=_correction(knocks, noises, learned))
    learned = replace(learned, strictness=_strictness([one.log_odds(learned) for one in knocks]))
    names = {seat: label for label, seat in seats.items()}
    taken = sum(one.log_odds(learned) >= learned.strictness for one in noises)
    return Learned(learned, tuple(_trials(knocks, learned.places, names)), len(noises), taken)


def _seated(seats: Mapping[Label, Seat], knocks: Sequence[LearningExample]) -> Calibration:
    """Return where *seats* are by those of *knocks* of which it is known whose they were."""
    by_label: dict[Label, list[LearningExample]] = {label: [] for label in seats}
    for one in knocks:
        if one.labelled.seat is not None:
            by_label[one.labelled.seat].append(one)
    for label, ones in by_label.items():
        _check_enough(label, ones)
    learnt = [
        (seat, one.location) for label, seat in seats.items() for one in _spread(by_label[label])
    ]
    return Calibration(
        gain_db=_gain_db(knocks),
        places=learn(
            [KnownKnock(seat, location) for seat, location in learnt],
            {seat: label for label, seat in seats.items()},
        ),
        labels=() if all(label == seat for label, seat in seats.items()) else tuple(seats),
    )


def _gain_db(knocks: Sequence[LearningExample]) -> float:
    by_seat: dict[Label | None, tuple[Judgement, ...]] = {}
    for one in knocks:
        by_seat[one.labelled.seat] = (*by_seat.get(one.labelled.seat, ()), one.blow)
    return gain_db({Seat(at): blows for at, blows in enumerate(by_seat.values())})


def _correction(
    knocks: Sequence[LearningExample],
    noises: Sequence[LearningExample],
    levelled: Calibration,
) -> Correction | None:
    """Return what tells *knocks* from *noises* here; None where either is missing."""
    rates_hz = {judging_rate_hz(one.rate_hz) for one in (*knocks, *noises)}
    if not noises or len(rates_hz) > 1:
        return None
    return logistic_fit(
        rates_hz.pop(),
        [one.seen(levelled) for one in knocks],
        [one.seen(levelled) for one in noises],
    )


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
    known: Sequence[LearningExample], places: Places | None, names: Mapping[Seat, Label]
) -> Iterator[Trial]:
    """Yield how each of *known* fares; what was not learned from is judged by all that was."""
    if places is None:
        yield from (Trial(one, one.labelled.seat, 0.0) for one in known)
        return
    by_others = dict(zip((one.location for one in places.knocks), tried(places), strict=True))
    by_all = LearnedSeats(places)
    for one in known:
        seat, sure = by_others.get(one.location) or by_all.likeliest(one.location)
        yield Trial(one, names[seat] if seat is not None and sure >= SURE else None, sure)


def _is_near(blow: Judgement, labelled: Labelled) -> bool:
    return abs(blow.at_s - labelled.at_s) <= NEAR_S


def _unlikeliness(blow: Judgement, labelled: Labelled) -> float:
    off_s = abs(blow.at_s - labelled.at_s)
    unlikely = labelled.is_knock and blow.verdict is Verdict.NOISE
    return off_s + (_NO_KNOCK_S if unlikely else 0.0)


def _is_named(path: str, file: str) -> bool:
    return path == file or path.replace("\\", "/").endswith("/" + file)
