"""What a table's own blows teach: corrections of the classifier, and of the line.

Judged blows come in, gathered by a tuning (`Gathered`) or marked by people (`MarkedKnock`); out
goes a calibration that somebody may take. Nothing here decides or writes. The parts:

`NoiseFit` makes the table as wary of its glasses and phones as its own knocks bear. It leans on
`logistic_fit`: the classifier has met the wood of many tables and has to do for all of them, and
a few blows of each kind say how this one differs. What they say is added to its log-odds, and
kept so small (ridge) that it corrects the classifier, and is none itself.

`suggest` finds the smallest turn of the calibration that gets more marks right, with its effect
on every kept event. An event that nobody marked was right as far as anybody knows, so it is not
lightly judged in another way.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from math import exp
from operator import mul
from statistics import median

from kloplei.frozen import dataclass, replace
from kloplei.games.game import Seat
from kloplei.knock.calibration import Calibration, Correction
from kloplei.knock.classifier import classifier_for, log_odds_of, scaled_of
from kloplei.knock.features import LOUDNESS, features, judging_rate_hz
from kloplei.knock.judgement import Judgement, Verdict, piezo_name
from kloplei.knock.localization import solved


@dataclass(frozen=True, slots=True)
class SensorSetup:
    """The sensors of one table.

    *seats* are asked to knock in this order. *piezos* says whose each channel is, None for one
    in a corner or for the whole table; it is empty where there are only comparator pads. *pads*
    are the seats whose own pad gives edges and no loudness. *channels* are the inputs of *piezos*
    that they hang on, where those are not the first ones.
    """

    seats: tuple[Seat, ...]
    piezos: tuple[Seat | None, ...] = ()
    pads: frozenset[Seat] = frozenset()
    channels: tuple[int, ...] = ()

    def by_edges(self, seat: Seat) -> bool:
        """Whether all that is known of a knock at *seat* is when it was."""
        return not self.piezos or seat in self.pads

    def disc_name(self, at: int) -> str:
        """Return what the disc *at* a place among *piezos* is called, as the doctor calls it."""
        return piezo_name(self.channels[at] if self.channels else at, self.piezos[at])


@dataclass(frozen=True, slots=True)
class Gathered:
    """All that a tuning has gathered when it comes to the result.

    *floor* is the loudest sample of each channel while all were quiet, empty where nobody
    measured it; *humming* the channels (0-based) that were loud and steady all the time.
    *buzz* is how loud the phone was, 0 where it was left out; *buzzed* what was made of it.
    *beside* is what the pad of each seat felt of glasses beside it, None where none were put down.
    """

    setup: SensorSetup
    floor: tuple[float, ...] = ()
    humming: tuple[int, ...] = ()
    glasses: tuple[Judgement, ...] = ()
    buzz: float = 0.0
    buzzed: tuple[Judgement, ...] = ()
    knocks: Mapping[Seat, tuple[Judgement, ...]] = field(default_factory=dict)
    beside: Mapping[Seat, tuple[Judgement, ...] | None] = field(default_factory=dict)


Rejudge = Callable[[Judgement, Calibration], Judgement]
"""Judges a blow anew by another calibration, as the live judge would."""
Learn = Callable[[Calibration, Sequence["MarkedKnock"]], Calibration | None]
"""Learns the places of seats anew from blows whose seat is known; None if it cannot."""


@dataclass(frozen=True, slots=True)
class MarkedKnock:
    """A kept blow as it was *judged* then; *was* and *seat* are the truth where people told it."""

    number: int
    judged: Judgement
    was: Verdict | None = None
    seat: Seat | None = None


Knocks = Mapping[Seat, tuple[Judgement, ...]]
Scaled = Mapping[str, float]
"""A blow's features as the judge scales them, by name."""
Seen = tuple[Scaled, float]
"""A blow's scaled features, and the log-odds with which the judge takes it for a knock."""


SHARES = (1.0, 0.7, 0.4)  # of what glasses and phones teach
STRICTER_STEPS = (0.0, 0.5, 1.0, 1.5, 2.0)  # log-odds that they may ask for on top of it
ROOM = 0.5  # log-odds that clear knocks keep: the next may be less likely


class NoiseFit:
    """What a tuning makes of the glasses and phones that it was shown.

    Args:
        gathered: All that was shown.
        knocks: Those among them that piezos felt.
        levelled: What the table has been taught so far, the correction by old ones left out.
        rejudge: Judges a blow anew.
    """

    def __init__(
        self, gathered: Gathered, knocks: Knocks, levelled: Calibration, rejudge: Rejudge
    ) -> None:
        self._glasses, self._buzzed = gathered.glasses, gathered.buzzed
        self._knocks = tuple(one for strokes in knocks.values() for one in strokes)
        self._levelled = levelled
        self._rejudge = rejudge
        self._seen: dict[int, Seen | None] = {}
        self.calibration = self._strict_enough(self._corrected((*self._glasses, *self._buzzed)))
        """*levelled*, as wary as it takes to mistake the fewest glasses and phones."""

    def rejudge(self, judged: Judgement, calibration: Calibration) -> Judgement:
        """Return *judged* as *calibration* would judge it, had it not learned from that blow.

        Only of glasses: they are few, and the next one is what people want to know about.
        """
        learned = calibration.correction
        # What an older tuning taught has not met this glass.
        if learned is None or learned != self.calibration.correction or judged not in self._glasses:
            return self._rejudge(judged, calibration)
        others = [one for one in self._glasses if one is not judged]
        without = self._corrected((*others, *self._buzzed))
        return self._rejudge(judged, replace(calibration, correction=without.correction))

    def _corrected(self, others: Sequence[Judgement]) -> Calibration:
        """Return what was taught so far, with as much of what *others* teach as knocks bear."""
        rates_hz = {
            judging_rate_hz(one.window.rate_hz)
            for one in (*self._knocks, *others)
            if one.window is not None
        }
        if len(rates_hz) != 1:
            return self._levelled
        learned = logistic_fit(rates_hz.pop(), self._seen_of(self._knocks), self._seen_of(others))
        if learned is not None:
            for share in SHARES:
                wary = replace(self._levelled, correction=learned.times(share))
                if self._bears(wary):
                    return wary
        return self._levelled

    def _strict_enough(self, wary: Calibration) -> Calibration:
        others = (*self._glasses, *self._buzzed)
        steps = [_stricter(wary, step) for step in STRICTER_STEPS]
        bearable = [steps[0], *filter(self._bears, steps[1:])]
        return min(bearable, key=lambda one: (self._known(others, one), one.strictness))

    def _bears(self, calibration: Calibration) -> bool:
        """Return whether all knocks that were known stay so by it, and the clear ones clear."""
        return all(
            self._known(self._knocks, _stricter(calibration, by))
            == self._known(self._knocks, _stricter(self._levelled, by))
            for by in (0.0, ROOM)
        )

    def _known(self, blows: Sequence[Judgement], calibration: Calibration) -> int:
        judged = (self._rejudge(one, calibration) for one in blows)
        return sum(one.verdict is Verdict.KNOCK for one in judged)

    def _seen_of(self, blows: Sequence[Judgement]) -> list[Seen]:
        found = map(self._see, blows)
        return [one for one in found if one is not None]

    def _see(self, judged: Judgement) -> Seen | None:
        """Return what the judge sees of a blow, which takes its time, once."""
        if id(judged) not in self._seen:
            self._seen[id(judged)] = _seen(judged, self._levelled)
        return self._seen[id(judged)]


def _stricter(calibration: Calibration, by: float) -> Calibration:
    return replace(calibration, strictness=calibration.strictness + by)


def _seen(judged: Judgement, levelled: Calibration) -> Seen | None:
    window = judged.window
    if window is None:
        return None
    seen = features(window)
    log_odds = log_odds_of(seen, window.rate_hz, levelled) - levelled.strictness
    return scaled_of(seen, window.rate_hz, levelled), log_odds


FEWEST_KNOCKS = 5  # of fewer it cannot be said how they are at this table

_WEIGHTS_COUNT = 0.1  # how much a weight has to be worth
_USUAL_COUNTS = 1.0  # how much it costs to judge noises that are usual elsewhere in another way
_STEPS = 40
_LONGEST_STEP = 2.0
_CLOSE = 1e-3


def logistic_fit(rate_hz: int, knocks: Sequence[Seen], others: Sequence[Seen]) -> Correction | None:
    """Return what tells *knocks* from *others* at this table better than the judge alone.

    A logistic regression on top of the judge's log-odds, which makes it milder or stricter. What
    it changes for noises as they are at any table is held against it (`Classifier.usual`): a
    few blows know one corner of what may happen on a table, and nothing of the others. With
    enough knocks it is known as well how thuds would sound here, and they are held against it too.

    Args:
        rate_hz: Of the judge that has seen them.
        knocks: Blows that were knocks.
        others: Blows that were none.

    Returns:
        None if there are too few knocks, or nothing to tell them from: knocks alone say only
        that more should pass.
    """
    if len(knocks) < FEWEST_KNOCKS or not others:
        return None
    return weighed_fit(
        rate_hz,
        [
            *(Weighed(True, *seen) for seen in knocks),
            *(Weighed(False, *seen) for seen in others),
            *_thuds_beside(rate_hz, knocks),
        ],
    )


_THUDS_FROM, _THUDS_WHOLE = 5, 20  # knocks: how they sound here has to be known first
_THUDS_COUNT = 0.2  # of what was heard: nobody struck them


def _thuds_beside(rate_hz: int, knocks: Sequence[Seen]) -> Iterator["Weighed"]:
    """Yield how a fist, a flat hand, a slammed card and a chair would look beside *knocks*.

    What people show a table is glasses. Whatever is told from glasses by how dull it is, is then
    a knock all the more, and thuds are dull; but how a hand that stays longer on this wood would
    sound follows from how knuckles sound on it (`Classifier.thuds`).
    """
    judge = classifier_for(rate_hz)
    known = (len(knocks) - _THUDS_FROM) / (_THUDS_WHOLE - _THUDS_FROM)
    if known <= 0 or not judge.thuds:
        return
    for at, (scaled, log_odds) in enumerate(knocks):
        thud = judge.as_thud(scaled, at % len(judge.thuds))
        # As strict with it as with the knock.
        thud_log_odds = log_odds + judge.log_odds(thud) - judge.log_odds(scaled)
        yield Weighed(False, thud, thud_log_odds, _THUDS_COUNT * min(1.0, known))


@dataclass(frozen=True, slots=True)
class Weighed:
    """A blow that was a knock or none: its *scaled* features, and how much it counts (*weight*).

    *log_odds* are those of a knock by the judge alone.
    """

    is_knock: bool
    scaled: Scaled
    log_odds: float
    weight: float = 1.0


def weighed_fit(rate_hz: int, blows: Sequence[Weighed]) -> Correction:
    """Return what tells knocks from others among *blows*, of which there are some; of all trainers.

    It may say more or less by one blow than by another; see `logistic_fit` for the rest.
    """
    names = [name for name in blows[0].scaled if name != LOUDNESS]
    # Many of a kind say little more than some, and what counts little says no more alone.
    shares = {
        sign: max(1.0, sum(one.weight for one in blows if one.is_knock is sign)) ** -0.5
        for sign in (True, False)
    }
    lessons = [
        _Lesson(
            1 if one.is_knock else -1,
            [1.0, *(one.scaled[name] for name in names)],
            one.log_odds,
            one.weight * shares[one.is_knock],
        )
        for one in blows
    ]
    bias, *weights = _descended(lessons, _usual(rate_hz, names))
    return Correction(
        rate_hz, round(bias, 3), {name: round(w, 3) for name, w in zip(names, weights, strict=True)}
    )


def _usual(rate_hz: int, names: Sequence[str]) -> list[list[float]]:
    """Return the part of `Classifier.usual` that is about a 1 and the features *names*."""
    judge = classifier_for(rate_hz)
    told = ["", *(name for name in judge.scales if name != LOUDNESS)]
    at = [told.index(name) for name in ("", *names)]
    return [[judge.usual[row][column] for column in at] for row in at]


@dataclass(frozen=True, slots=True)
class _Lesson:
    """One blow: *sign* 1 for a knock and -1 for none, and how much it *counts*.

    *values* are a 1, for the bias, and its scaled features; *log_odds* are those of a knock by the
    judge alone.
    """

    sign: int
    values: Sequence[float]
    log_odds: float
    counts: float

    def pull(self, weights: Sequence[float]) -> tuple[float, float]:
        """Return how far, and which way, it wants a judge with *weights* to move, and its slope."""
        right = self.sign * (self.log_odds + sum(map(mul, weights, self.values)))
        wrong = 1 / (1 + exp(max(-30.0, min(30.0, right))))
        return self.sign * self.counts * wrong, self.counts * wrong * (1 - wrong)


def _descended(lessons: Sequence[_Lesson], usual: Sequence[Sequence[float]]) -> list[float]:
    """Return the weights, the first of them the bias, at the foot of the loss (Newton's way)."""
    held = [[_USUAL_COUNTS * one for one in row] for row in usual]
    for at, row in enumerate(held):
        row[at] += _WEIGHTS_COUNT
    weights = [0.0] * len(held)
    columns = [*zip(*(lesson.values for lesson in lessons), strict=True)]
    for _ in range(_STEPS):
        pulls, slopes = zip(*(lesson.pull(weights) for lesson in lessons), strict=True)
        change = [
            sum(map(mul, pulls, column)) - sum(map(mul, row, weights))
            for row, column in zip(held, columns, strict=True)
        ]
        step = solved(_curved(held, slopes, columns), change)
        weights = [
            weight + max(-_LONGEST_STEP, min(_LONGEST_STEP, by))
            for weight, by in zip(weights, step, strict=True)
        ]
        if max(map(abs, step)) < _CLOSE:
            break
    return weights


def _curved(
    held: Sequence[Sequence[float]], slopes: Sequence[float], columns: Sequence[Sequence[float]]
) -> list[list[float]]:
    """Return how the pull on each weight changes with each other one; it is symmetric."""
    # By columns: Python adds up a row of products several times as fast as it walks them.
    curved = [list(row) for row in held]
    for at, column in enumerate(columns):
        steep = [*map(mul, slopes, column)]
        for other in range(at + 1):
            more = sum(map(mul, steep, columns[other]))
            curved[at][other] += more
            if other != at:
                curved[other][at] += more
    return curved


STRICTNESS_STEPS = (0.5, 1.0, 1.5, 2.0, 2.5, 3.0)  # log-odds
MOST_STRICTNESS = 4.0
GAIN_STEPS_DB = (1.0, 2.0, 3.0, 4.0, 6.0, 8.0)
MOST_GAIN_DB = 30.0
HARM_A_MARK = 2
"""So many events that nobody marked may be judged in another way for each mark got right."""

_FINALISTS = 3  # weighed on all that is kept, which takes its time


@dataclass(frozen=True, slots=True)
class Move:
    """One thing that is turned, and the *calibration* that comes of it.

    *key* is ``stricter``, ``milder``, ``louder``, ``softer`` or ``seats``; *amount* by how much,
    in log-odds or decibels, or how many blows taught it.
    """

    key: str
    amount: float
    calibration: Calibration


@dataclass(frozen=True, slots=True)
class Turned:
    """An event that would be judged in another way."""

    number: int
    before: Judgement
    after: Judgement


@dataclass(frozen=True, slots=True)
class Proposal:
    """A move with its effect: *turned* of the *kept* events, and the marked ones got right."""

    move: Move
    kept: int
    turned: tuple[Turned, ...]
    marked: int
    right_before: int
    right_after: int


def suggest(
    examples: Sequence[MarkedKnock],
    calibration: Calibration,
    rejudge: Rejudge,
    learn: Learn | None = None,
) -> Proposal | None:
    """Return the move that gets most marks right at the least harm, or None if none is worth it.

    Args:
        examples: All that is kept, marked or not.
        calibration: The one in force.
        rejudge: See `Rejudge`; called some dozen times for each mark.
        learn: Learns seats anew; None where no seat is attributed.
    """
    marked = [one for one in examples if one.was is not None]
    before = {one.number: rejudge(one.judged, calibration) for one in marked}
    if all(_score(one, before[one.number]) == _best(one) for one in marked):
        return None
    helpful = []
    for move in _moves(marked, calibration, learn):
        after = {one.number: rejudge(one.judged, move.calibration) for one in marked}
        gained = [
            _score(one, after[one.number]) - _score(one, before[one.number]) for one in marked
        ]
        if min(gained) >= 0 and sum(gained) > 0:
            helpful.append((-sum(gained), move))
    # Sorting is stable: among equals the smaller turn stays first.
    finalists = [move for _, move in sorted(helpful, key=lambda one: one[0])[:_FINALISTS]]
    weighed = [_weigh(move, examples, calibration, rejudge) for move in finalists]
    # To get nothing more right, but less wrong, nobody would understand.
    of_use = [one for one in weighed if one.right_after > one.right_before]
    bearable = [one for one in of_use if _harm(one, examples) <= HARM_A_MARK * _mended(one)]
    return max(bearable, key=lambda one: (one.right_after, -_harm(one, examples)), default=None)


def _moves(
    marked: Sequence[MarkedKnock], calibration: Calibration, learn: Learn | None
) -> Iterator[Move]:
    """Yield what may be turned, of each kind the least first."""
    for step in STRICTNESS_STEPS:
        for key, sign in (("stricter", 1), ("milder", -1)):
            strictness = calibration.strictness + sign * step
            if abs(strictness) <= MOST_STRICTNESS:
                yield Move(key, step, replace(calibration, strictness=strictness))
    for step in GAIN_STEPS_DB:
        for key, sign in (("louder", 1), ("softer", -1)):
            gain_db = calibration.gain_db + sign * step
            if abs(gain_db) <= MOST_GAIN_DB:
                yield Move(key, step, replace(calibration, gain_db=gain_db))
    placed = [one for one in marked if one.was is Verdict.KNOCK and one.seat is not None]
    if learn is not None and placed:
        learned = learn(calibration, placed)
        if learned is not None and learned != calibration:
            yield Move("seats", float(len(placed)), learned)


def _weigh(
    move: Move, examples: Sequence[MarkedKnock], calibration: Calibration, rejudge: Rejudge
) -> Proposal:
    before = {one.number: rejudge(one.judged, calibration) for one in examples}
    after = {one.number: rejudge(one.judged, move.calibration) for one in examples}
    marked = [one for one in examples if one.was is not None]
    return Proposal(
        move,
        len(examples),
        tuple(
            Turned(number, before[number], after[number])
            for number in after
            if _outcome(before[number]) != _outcome(after[number])
        ),
        len(marked),
        _right(marked, before),
        _right(marked, after),
    )


def _outcome(judgement: Judgement) -> tuple[Verdict, Seat | None]:
    """Return what the table gets to know of it; whose noise it was is all one."""
    is_noise = judgement.verdict is Verdict.NOISE
    return judgement.verdict, None if is_noise else judgement.seat


def _score(example: MarkedKnock, judgement: Judgement) -> int:
    """Return how well *judgement* fits the mark: doubt is half of it, the right seat as much."""
    if judgement.verdict is Verdict.DOUBTFUL:
        fits = 1
    else:
        fits = 2 if judgement.verdict is example.was else 0
    if example.was is not Verdict.KNOCK or example.seat is None:
        return fits
    return fits + (2 if judgement.seat == example.seat else 1 if judgement.seat is None else 0)


def _best(example: MarkedKnock) -> int:
    return 4 if example.was is Verdict.KNOCK and example.seat is not None else 2


def _right(marked: Sequence[MarkedKnock], judged: Mapping[int, Judgement]) -> int:
    return sum(_score(one, judged[one.number]) == _best(one) for one in marked)


def _mended(proposal: Proposal) -> int:
    """Return how many marks more are got right."""
    return proposal.right_after - proposal.right_before


def _harm(proposal: Proposal, examples: Sequence[MarkedKnock]) -> int:
    """Return how many events are turned that nobody complained of, doubtful ones left out."""
    complained = {one.number for one in examples if one.was is not None}
    return sum(
        one.number not in complained and one.before.verdict is not Verdict.DOUBTFUL
        for one in proposal.turned
    )


_SILENT = 1e-4  # of full scale, a tenth of what a converter of 12 bits can tell


def decibels(peak: float) -> float:
    """Return how loud *peak* is, in decibels below full scale."""
    return 20.0 * math.log10(max(peak, _SILENT))


def peaks_of(judgement: Judgement) -> tuple[float, ...]:
    """Return the loudest sample of each channel; of edges only the strength is known."""
    if judgement.window is None:
        return (judgement.strength,)
    return tuple(max(map(abs, channel), default=0.0) for channel in judgement.window.channels)


def loudness_of(judgement: Judgement) -> float:
    """Return the loudest sample of all channels, 0 to 1."""
    return max(peaks_of(judgement), default=0.0)


def usual_db(strokes: tuple[Judgement, ...]) -> float:
    """Return how loud one of *strokes* usually is, in decibels below full scale."""
    return median(decibels(loudness_of(one)) for one in strokes)
