"""What waits at the table for a while: a grace, a question to one seat, a passing line."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields

from kloplei.games.game import Action, Choose, Facts, Seat
from kloplei.games.scoreboard import Grace, Line
from kloplei.table.board import Question
from kloplei.table.gestures import Pattern


@dataclass(frozen=True, slots=True)
class Waiting:
    """An action in its grace: done at *until_s*, unless another seat knocks before.

    *question* and *seq* are those of the table when it was asked for.
    """

    seat: Seat
    action: Action
    via: str
    until_s: float
    total_s: float
    question: Question
    seq: int

    def grace(self, now_s: float) -> Grace:
        """Return the bar that the slate shows."""
        left_s = min(max(self.until_s - now_s, 0.0), self.total_s)
        return Grace(self.seat, self.action.name, left_s, self.total_s)


@dataclass(frozen=True, slots=True)
class Asking:
    """A question that *seat* answers with so many knocks."""

    seat: Seat
    line: Line
    choices: Mapping[int, Action]
    until_s: float
    question: Question


@dataclass(frozen=True, slots=True)
class WhoKnocked:
    """A *pattern* on the shared sensor that nobody has owned to yet."""

    pattern: Pattern
    until_s: float
    question: Question

    @property
    def line(self) -> Line:
        """What the slate asks."""
        return Line("ask.who-knocked", {"n": self.pattern.knocks})


@dataclass(frozen=True, slots=True)
class Passing:
    """A line that only stands for a while."""

    line: Line
    until_s: float


@dataclass(slots=True)
class Pending:
    """All that waits at one table; each of them once at most."""

    grace: Waiting | None = None
    asking: Asking | None = None
    who: WhoKnocked | None = None
    refused: Passing | None = None
    shown: Passing | None = None

    @property
    def next_deadline(self) -> float | None:
        """When the first of them is over."""
        all_of_them = (self.grace, self.asking, self.who, self.refused, self.shown)
        return min((one.until_s for one in all_of_them if one is not None), default=None)

    @property
    def question(self) -> Line | None:
        """What the slate asks now."""
        asked = self.who or self.asking
        return asked.line if asked else None

    def take_grace(self, now_s: float) -> Waiting | None:
        """Take the action whose grace is over by *now_s*, if there is one."""
        ended = self.grace
        if ended is None or ended.until_s > now_s:
            return None
        self.grace = None
        return ended

    def pass_time(self, now_s: float) -> None:
        """Drop questions and lines that are over by *now_s*; a grace has to be taken."""
        if self.asking and self.asking.until_s <= now_s:
            self.asking = None
        if self.who and self.who.until_s <= now_s:
            self.who = None
        if self.refused and self.refused.until_s <= now_s:
            self.refused = None
        if self.shown and self.shown.until_s <= now_s:
            self.shown = None

    def close_other_than(self, question: Question) -> None:
        """Drop what was asked when the table waited for something else than *question*."""
        if self.asking and self.asking.question != question:
            self.asking = None
        if self.who and self.who.question != question:
            self.who = None


def asking(seat: Seat, choose: Choose, until_s: float, question: Question) -> Asking:
    """Return the question that *choose* opens at *seat*.

    Facts that all its choices share, such as whom it is about, go into the sentence.
    """
    choices = dict(choose.choices)
    line = Line(f"ask.{choose.key}", {**_shared_facts(choices.values()), "seat": seat})
    return Asking(seat, line, choices, until_s, question)


def _shared_facts(actions: Iterable[Action]) -> Facts:
    told = [{one.name: getattr(action, one.name) for one in fields(action)} for action in actions]
    first = told[0] if told else {}
    return {
        name: value
        for name, value in first.items()
        if all(name in other and other[name] == value for other in told)
    }
