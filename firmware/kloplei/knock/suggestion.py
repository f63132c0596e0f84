"""What marked events suggest: the smallest turn of the calibration that gets more of them right.

Nothing here decides or writes; a proposal comes with its effect on every kept event, for people
to judge. An event that nobody marked was right as far as anybody knows, so it is not lightly
judged in another way.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from kloplei.games.game import Seat
from kloplei.knock.calibration import Calibration
from kloplei.knock.verdict import Judgement, Verdict

Rejudge = Callable[[Judgement, Calibration], Judgement]
"""Judges a blow anew by another calibration, as the live judge would."""

Learn = Callable[[Calibration, Sequence["Example"]], Calibration | None]
"""Learns the places of seats anew from blows whose seat is known; None if it cannot."""

STRICTNESS_STEPS = (0.5, 1.0, 1.5, 2.0, 2.5, 3.0)  # log-odds
MOST_STRICTNESS = 4.0
GAIN_STEPS_DB = (1.0, 2.0, 3.0, 4.0, 6.0, 8.0)
MOST_GAIN_DB = 30.0
HARM_A_MARK = 2
"""So many events that nobody marked may be judged in another way for each mark got right."""

_FINALISTS = 3  # weighed on all that is kept, which takes its time


@dataclass(frozen=True, slots=True)
class Example:
    """A kept blow as it was *judged* then; *was* and *seat* are the truth where people told it."""

    number: int
    judged: Judgement
    was: Verdict | None = None
    seat: Seat | None = None


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
    examples: Sequence[Example],
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
    return min(bearable, key=lambda one: _rank(one, examples), default=None)


def _moves(
    marked: Sequence[Example], calibration: Calibration, learn: Learn | None
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
    move: Move, examples: Sequence[Example], calibration: Calibration, rejudge: Rejudge
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


def _score(example: Example, judgement: Judgement) -> int:
    """Return how well *judgement* fits the mark: doubt is half of it, the right seat as much."""
    if judgement.verdict is Verdict.DOUBTFUL:
        fits = 1
    else:
        fits = 2 if judgement.verdict is example.was else 0
    if example.was is not Verdict.KNOCK or example.seat is None:
        return fits
    return fits + (2 if judgement.seat == example.seat else 1 if judgement.seat is None else 0)


def _best(example: Example) -> int:
    return 4 if example.was is Verdict.KNOCK and example.seat is not None else 2


def _right(marked: Sequence[Example], judged: Mapping[int, Judgement]) -> int:
    return sum(_score(one, judged[one.number]) == _best(one) for one in marked)


def _mended(proposal: Proposal) -> int:
    """Return how many marks more are got right."""
    return proposal.right_after - proposal.right_before


def _harm(proposal: Proposal, examples: Sequence[Example]) -> int:
    """Return how many events are turned that nobody complained of, doubtful ones left out."""
    complained = {one.number for one in examples if one.was is not None}
    return sum(
        one.number not in complained and one.before.verdict is not Verdict.DOUBTFUL
        for one in proposal.turned
    )


def _rank(proposal: Proposal, examples: Sequence[Example]) -> tuple[int, int]:
    """Return what is best least: marks not got right, then harm."""
    return proposal.marked - proposal.right_after, _harm(proposal, examples)
