"""What lets in who stands at the door: a knock that means nothing in the game at this moment.

The slate says how many. One is enough where no player's one knock means anything, three are
where that is "hurry up" at most, five where three mean something too. A knock that means more
goes to the game and opens nothing. Where cards are slammed on the wood only three knocks in a
row count, or a button that has nothing else to say.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from kloplei.games.game import Gesture, IllegalAction, Seat, Show
from kloplei.games.scoreboard import Door
from kloplei.knock import KnockHeard
from kloplei.table.client import Unreadable
from kloplei.table.door import ASK_S, DoorAnswer
from kloplei.table.door_questions import DoorQuestions, Question
from kloplei.table.gestures import Gestures, Pattern, Place
from kloplei.table.intents import Intents
from kloplei.table.timings import Timings

THREE = 3
_TRIES = (1, THREE, 5)
SETTLE_S = 1.0  # what was begun before anybody could read the word was not meant for it


@dataclass(frozen=True, slots=True)
class Opening:
    """What opens the door now: so many *knocks*, 0 is none; *press* is "", "press" or "hold"."""

    knocks: int
    press: str = ""


class Doorway:
    """The questions at the door, and the hands that answer them.

    Args:
        intents: Foresees what a pattern means at a seat.
        hears_wood: Whether blows on the wood mean anything in the game now.
        seats: Places at the table.
        timings: How long a pattern takes.
        questions: Who asks; None is nobody yet.
    """

    def __init__(
        self,
        intents: Intents,
        hears_wood: Callable[[], bool],
        seats: int,
        timings: Timings,
        questions: DoorQuestions | None = None,
    ) -> None:
        self.questions = questions or DoorQuestions()
        self._intents = intents
        self._hears_wood = hears_wood
        self._places = tuple(map(Seat, range(seats)))
        self._slammed = Gestures(timings)  # what the game is deaf to
        self._settled_s = float("-inf")
        self._wood_tells_seats = False
        self.is_closed = False  # while the table is tuned no knock would be heard for a phone

    @property
    def next_deadline(self) -> float | None:
        """When a pattern on deaf wood or a question is over."""
        ends = (self._slammed.next_deadline, self.questions.next_deadline)
        return min((end for end in ends if end is not None), default=None)

    def ask(self, seat: Seat | None, asker: str, now_s: float) -> DoorAnswer:
        """Let a phone ask; see `kloplei.table.door.DoorClient.ask`."""
        if seat is not None and seat not in self._places:
            raise Unreadable(f"There is no such seat; they run from 1 to {len(self._places)}.")
        if self.is_closed:
            raise IllegalAction("door_tuning")
        return self.questions.ask(seat, asker, now_s)

    def heard(self, place: Place) -> None:
        """Note that the wood was knocked on at *place*: it may tell seats, or may not."""
        self._wood_tells_seats |= place is not None

    def slammed(self, knock: KnockHeard, at_s: float) -> None:
        """Hear a blow on wood that the game is deaf to; it may be one of three."""
        if self.questions.open is not None:
            self._slammed.knocked(knock.seat, at_s, doubtful=knock.doubtful)

    def drummed(self, place: Place) -> None:
        """Let what grows on deaf wood at *place* mean nothing: fingers drum there."""
        self._slammed.spend_knocks(place)

    def settle(self, now_s: float) -> None:
        """The game has moved on: patterns that had begun by then were meant for it."""
        self._settled_s = now_s + SETTLE_S

    def pass_time(self, at_s: float, now_s: float) -> None:
        """End patterns on deaf wood and questions that are over by *at_s*."""
        for pattern in self._slammed.due(at_s):
            self.opens(pattern, now_s, on_deaf_wood=True)
        self.questions.pass_time(at_s)

    def opens(self, pattern: Pattern, now_s: float, *, on_deaf_wood: bool = False) -> bool:
        """Let in who asks if *pattern* says so, and return whether it did."""
        asked = self.questions.open
        if asked is None or not self._is_answer(pattern, asked):
            return False
        fits = self._fits_deaf_wood if on_deaf_wood else self._fits_game
        if not fits(pattern, asked):
            return False
        self.questions.grant(now_s)
        return True

    def shown(self, now_s: float) -> Door | None:
        """Return what slate and phones show: who asks, or else who was let in just now."""
        asked, let_in = self.questions.open, self.questions.let_in
        if asked is not None:
            opening = self._opening(asked.seat)
            left_s = min(max(asked.until_s - now_s, 0.0), ASK_S)
            return Door(
                asked.word, asked.number, asked.seat, left_s, ASK_S, opening.knocks, opening.press
            )
        if let_in is not None:
            return Door(let_in.word, let_in.number, let_in.seat, 0.0, ASK_S, let_in=True)
        return None

    def _is_answer(self, pattern: Pattern, asked: Question) -> bool:
        """Whether *pattern* comes from where it has to, and is beyond doubt and late enough."""
        began_s = max(asked.since_s + SETTLE_S, self._settled_s)
        if pattern.doubtful or pattern.began_s < began_s or not self._intents.is_idle:
            return False
        if asked.seat is None or pattern.seat == asked.seat:
            return True
        return pattern.seat is None and not self._wood_tells_seats

    def _fits_deaf_wood(self, pattern: Pattern, _asked: Question) -> bool:
        return pattern.knocks == THREE and not self._hears_wood()

    def _fits_game(self, pattern: Pattern, asked: Question) -> bool:
        means_little = all(self._means_little(s, pattern) for s in self._struck_by(pattern))
        if self._hears_wood():
            return means_little and pattern.knocks in (THREE, self._opening(asked.seat).knocks)
        means_nothing = all(self._means_nothing(s, pattern) for s in self._struck_by(pattern))
        plain = pattern.knocks == 1 or (pattern.gesture.hold and not pattern.long)
        return (plain and means_nothing) or (pattern.knocks == THREE and means_little)

    def _struck_by(self, pattern: Pattern) -> tuple[Seat, ...]:
        return self._places if pattern.seat is None else (pattern.seat,)

    def _opening(self, seat: Seat | None) -> Opening:
        # A sensor that tells no seats hears a knock at a free one as well.
        anywhere = self._intents.seated if self._wood_tells_seats else self._places
        seats = anywhere if seat is None else (seat,)
        if self._hears_wood():
            return Opening(next((n for n in _TRIES if self._all_mean_little(seats, n)), 0))
        return Opening(THREE, next(self._free_presses(seats), ""))

    def _all_mean_little(self, seats: tuple[Seat, ...], knocks: int) -> bool:
        # Where nobody sits yet, one knock sits down; three say nothing to an empty table.
        if not seats:
            return knocks == THREE
        return all(self._means_little(one, Pattern(one, Gesture(knocks), "pad")) for one in seats)

    def _free_presses(self, seats: tuple[Seat, ...]) -> Iterator[str]:
        for word, gesture in (("press", Gesture(1, presses=1)), ("hold", Gesture(hold=True))):
            if all(self._means_nothing(one, Pattern(one, gesture, "button")) for one in seats):
                yield word

    def _means_little(self, seat: Seat, pattern: Pattern) -> bool:
        meaning = self._intents.meaning(seat, pattern)
        return meaning is None or isinstance(meaning, Show)

    def _means_nothing(self, seat: Seat, pattern: Pattern) -> bool:
        return self._intents.meaning(seat, pattern) is None
