"""What knocks a table expects, of whom, and how far that moves the line that a blow has to pass.

The judge knows no game: how sure it is of a blow stays what it heard. `expectation` asks what a
hand at each seat could bring about now, and `Expectations` draws the line for each blow by it:
lower where an answer is owed, higher where nothing can be knocked. Both ways are bounded, and what
hardly sounded like a knock is none, whoever owes one.
"""

import threading
from collections.abc import Callable, Collection, Mapping
from math import exp, log

from kloplei.frozen import dataclass, replace
from kloplei.games.game import Gesture, Meaning, Seat, Show
from kloplei.knock.judgement import (
    DEAD_S,
    DOUBTFUL_LINE,
    KNOCK_LINE,
    Judgement,
    Verdict,
    eased,
    sure_enough,
    verdict,
)
from kloplei.table.gestures import Pattern, Place

OWED = 1.0  # log-odds: the seat has to answer
BEGUN = 0.0  # somebody has begun to knock there, or the slate asks everybody something
MAY = -0.5  # up to three knocks do something, and nobody waits for them
NONE = -1.0  # up to three do nothing
OWN_VOICE = -0.5  # at most so mild while the box itself speaks, whoever owes an answer
FLOOR = 0.15  # likelihood below which a blow is noise, whoever owes an answer


@dataclass(frozen=True, slots=True)
class Expectation:
    """By how many log-odds the line is milder at each seat, from `NONE`, stricter, to `OWED`.

    *by_seat* is empty where nobody knows of any game.
    """

    by_seat: tuple[float, ...] = ()

    def at(self, place: Place, confidence: float) -> float:
        """Return by how many log-odds the line is milder at *place*, which is so sure, 0 to 1.

        What nobody can place may be of the seat that is expected most. So may the share of one
        that is not quite sure.
        """
        if place is None:
            return max(self.by_seat, default=BEGUN)
        if not 0 <= place < len(self.by_seat):
            return BEGUN
        own = self.by_seat[place]
        others = max((*self.by_seat[:place], *self.by_seat[place + 1 :]), default=own)
        return log(confidence * exp(own) + (1 - confidence) * exp(others))

    def whose(self, likely: Mapping[Seat, float]) -> tuple[Seat | None, float]:
        """Return the seat of a blow, None where it is not sure enough, and how sure.

        The ears find none of the *likely* ones sure enough; but the likelier a knock is at a seat,
        the likelier is the seat where there was one.
        """
        odds = {seat: share * exp(self._knocks_at(seat)) for seat, share in likely.items()}
        total = sum(odds.values())
        return sure_enough({seat: one / total for seat, one in odds.items()} if total else {})

    def _knocks_at(self, seat: Seat) -> float:
        """Return by how many log-odds a knock is likelier there, of whom nothing else is known."""
        by = self.by_seat[seat] if seat < len(self.by_seat) else BEGUN
        # The second knock of who owes an answer falls where the first did: placed otherwise than
        # that one, it would leave an answer of one knock, and a question.
        return OWED if by == BEGUN else by

    @property
    def only(self) -> Seat | None:
        """The one seat that may do anything by up to three knocks; None where several may."""
        may = [Seat(number) for number, by in enumerate(self.by_seat) if by > NONE]
        return may[0] if len(may) == 1 else None

    def beside(self, growing: Collection[Place]) -> "Expectation":
        """Return it while patterns are *growing* there: what follows may be the rest of one."""
        if None in growing:
            return Expectation()
        return Expectation(
            tuple(BEGUN if seat in growing else one for seat, one in enumerate(self.by_seat))
        )


def expectation(
    places: Collection[Seat],
    foresee: Callable[[Pattern], Meaning | None],
    owing: Collection[Seat],
) -> Expectation:
    """Return what is expected of *places* while nobody has begun to knock.

    Args:
        places: All seats of the table, in their order.
        foresee: Tells what would come of a pattern of knocks; None is nothing.
        owing: Who has to answer.
    """
    return Expectation(tuple(_expected(seat, foresee, is_owing=seat in owing) for seat in places))


def _expected(seat: Seat, foresee: Callable[[Pattern], Meaning | None], *, is_owing: bool) -> float:
    def does(knocks: int) -> bool:
        meaning = foresee(Pattern(seat, Gesture(knocks), "pad"))
        return meaning is not None and not isinstance(meaning, Show)

    if is_owing and does(1):
        return OWED
    return MAY if any(map(does, (1, 2, 3))) else NONE


class Expectations:
    """Draws the line for each blow by what is expected as it is judged; from any thread.

    Args:
        now: Returns what is expected now, and never waits.
        speaks: Tells whether the box itself was making sound at a moment, in seconds of the clock
            that blows go by; likewise.
    """

    def __init__(
        self,
        now: Callable[[], Expectation],
        speaks: Callable[[float], bool] = lambda _: False,
    ) -> None:
        self._now = now
        self._speaks = speaks
        self._lock = threading.Lock()
        self._raised: dict[Place, float] = {}  # when what had been a doubt was a knock last

    def weigh(self, judged: Judgement) -> Judgement | None:
        """Return *judged* with the verdict by the line that stands now; None for an echo.

        What the ears could not place is a seat's where that is sure by what is expected of each.
        A verdict that no likelihood led to stays: that of a pad, which feels edges alone, and the
        doubt whether another hand knocked at the same moment.
        """
        with self._lock:
            if self._is_echo(judged):
                return None
            if not _is_by_likelihood(judged):
                return judged
            expected = self._now()
            judged = _placed(judged, expected)
            by = expected.at(judged.seat, judged.confidence)
            if self._speaks(judged.at_s):
                by = min(by, OWN_VOICE)
            weighed = replace(
                judged, line=eased(KNOCK_LINE, by), verdict=_weighed(judged.likelihood, by)
            )
            # The judge took it for less, and so listens for no echo of it.
            if weighed.verdict is Verdict.KNOCK and judged.verdict is not Verdict.KNOCK:
                self._raised[judged.seat] = judged.at_s
            return weighed

    def _is_echo(self, judged: Judgement) -> bool:
        soon_after = {
            place for place, at_s in self._raised.items() if 0 <= judged.at_s - at_s < DEAD_S
        }
        if judged.seat is None:
            return bool(soon_after)
        return not soon_after.isdisjoint((judged.seat, None))


def _placed(judged: Judgement, expected: Expectation) -> Judgement:
    if judged.seat is not None or not judged.likely:
        return judged
    seat, sure = expected.whose(dict(judged.likely))
    return judged if seat is None else replace(judged, seat=seat, confidence=sure)


def _is_by_likelihood(judged: Judgement) -> bool:
    return not judged.is_held and verdict(judged.likelihood) is judged.verdict


def _weighed(likelihood: float, by: float) -> Verdict:
    if likelihood >= eased(KNOCK_LINE, by):
        return Verdict.KNOCK
    is_doubtful = likelihood >= max(FLOOR, eased(DOUBTFUL_LINE, by))
    return Verdict.DOUBTFUL if is_doubtful else Verdict.NOISE
