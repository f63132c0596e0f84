"""Who stands at the door: one phone asks, some wait, some were let in a moment ago."""

import secrets
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from math import ceil

from kloplei.games.game import IllegalAction, Seat
from kloplei.table.door import ASK_S, TAKE_S, DoorAnswer, DoorState
from kloplei.table.door_limits import AskLimits, household
from kloplei.table.door_words import WORDS

MOST_QUEUED = 3
AWAY_S = 20.0  # who waits and has not looked for so long has gone; a page looks every 5 s
SHOWN_S = 4.0  # that somebody was let in is told for so long
_TICKET_BYTES = 16
_RESTING_WORDS = len(WORDS) // 2  # a word that stood here of late would be taken for that phone


@dataclass(slots=True)
class Question:
    """A phone at *asker* that wants to be let in at *seat*, or as the keeper (None)."""

    ticket: str = field(repr=False)
    seat: Seat | None
    asker: str
    looked_s: float
    number: int = 0
    word: str = ""
    since_s: float = 0.0

    def is_of(self, ticket: str) -> bool:
        """Whether *ticket* is its own; takes as long for a wrong one that is nearly right."""
        return secrets.compare_digest(self.ticket.encode(), ticket.encode(errors="replace"))

    @property
    def until_s(self) -> float:
        """When it stands no longer."""
        return self.since_s + ASK_S


@dataclass(frozen=True, slots=True)
class _Ended:
    question: Question
    state: DoorState
    at_s: float

    @property
    def until_s(self) -> float:
        """When its phone may hear of it no longer."""
        return self.at_s + TAKE_S


class DoorQuestions:
    """The questions at one door; every method is told the time.

    Args:
        draw: Picks a word among some; others than the default are for tests.
    """

    def __init__(self, draw: Callable[[tuple[str, ...]], str] = secrets.choice) -> None:
        self._draw = draw
        self._limits = AskLimits()
        self._number = 0
        self._used: deque[str] = deque(maxlen=_RESTING_WORDS)
        self._queue: deque[Question] = deque()
        self._ended: deque[_Ended] = deque(maxlen=2 * MOST_QUEUED)
        self._told_until_s = float("-inf")
        self.open: Question | None = None
        self.let_in: Question | None = None  # as long as that is told

    @property
    def next_deadline(self) -> float | None:
        """When a question, or what was shown of one, is over."""
        ends = [self.open.until_s] if self.open else []
        ends += [self._told_until_s] if self.let_in else []
        ends += [one.until_s for one in self._ended]
        return min(ends, default=None)

    def ask(self, seat: Seat | None, asker: str, now_s: float) -> DoorAnswer:
        """Let a phone ask; see `kloplei.table.door.DoorClient.ask`."""
        self._drop_who_left(now_s)
        if household(asker) in {household(one.asker) for one in self._standing()}:
            raise IllegalAction("door_asked")
        if wait_s := self._limits.wait_s(asker, now_s):
            raise IllegalAction("door_wait", wait_s=ceil(wait_s))
        if len(self._queue) >= MOST_QUEUED:
            raise IllegalAction("door_busy")
        asked = Question(secrets.token_urlsafe(_TICKET_BYTES), seat, asker, now_s)
        self._queue.append(asked)
        self._open_next(now_s)
        return self.look(asked.ticket, now_s)

    def look(self, ticket: str, now_s: float) -> DoorAnswer:
        """Return how the question with *ticket* stands."""
        for one in self._standing():
            if one.is_of(ticket):
                one.looked_s = now_s
                state = DoorState.ASKING if one is self.open else DoorState.QUEUED
                left_s = max(one.until_s - now_s, 0.0) if one is self.open else 0.0
                return DoorAnswer(state, ticket, one.word, one.seat, left_s)
        for ended in self._ended:
            if ended.question.is_of(ticket):
                return DoorAnswer(ended.state, ticket, ended.question.word, ended.question.seat)
        return DoorAnswer(DoorState.GONE, ticket)

    def withdraw(self, ticket: str, now_s: float) -> None:
        """Let the phone with *ticket* ask no longer."""
        if self.open is not None and self.open.is_of(ticket):
            self._close_in_vain(now_s)
        self._queue = deque(one for one in self._queue if not one.is_of(ticket))

    def refuse(self, number: int, now_s: float) -> None:
        """Turn away the phone that asks under *number*."""
        turned_away = self.open
        if turned_away is None or turned_away.number != number:
            raise IllegalAction("door_gone")
        self._close_in_vain(now_s, refused=True)
        self._ended.append(_Ended(turned_away, DoorState.REFUSED, now_s))

    def grant(self, now_s: float) -> None:
        """Let in the phone whose question stands."""
        granted, self.open = self.open, None
        if granted is not None:
            self._limits.let_in(granted.asker)
            self._ended.append(_Ended(granted, DoorState.GRANTED, now_s))
            self.let_in, self._told_until_s = granted, now_s + SHOWN_S
            self._open_next(now_s)

    def pass_time(self, now_s: float) -> None:
        """Close what nobody knocked for by *now_s*, and let the next one ask."""
        while self._ended and self._ended[0].until_s <= now_s:
            self._ended.popleft()
        if self.let_in is not None and self._told_until_s <= now_s:
            self.let_in = None
        if self.open is not None and self.open.until_s <= now_s:
            self._close_in_vain(now_s)

    def _standing(self) -> tuple[Question, ...]:
        return (*((self.open,) if self.open else ()), *self._queue)

    def _close_in_vain(self, now_s: float, *, refused: bool = False) -> None:
        if self.open is not None:
            self._limits.in_vain(self.open.asker, now_s, refused=refused)
        self.open = None
        self._open_next(now_s)

    def _open_next(self, now_s: float) -> None:
        self._drop_who_left(now_s)
        if self.open is None and self._queue:
            self.open = self._queue.popleft()
            self._number += 1
            self.open.number, self.open.since_s = self._number, now_s
            self.open.word = self._fresh_word()

    def _drop_who_left(self, now_s: float) -> None:
        self._queue = deque(one for one in self._queue if now_s - one.looked_s < AWAY_S)

    def _fresh_word(self) -> str:
        word = self._draw(tuple(word for word in WORDS if word not in self._used))
        self._used.append(word)
        return word
