"""A pattern that may have been none: it stands flagged until somebody says what it was.

One knock says yes, whoever gives it, and is not counted itself. Who made the pattern may as
well make it again. Without a word nothing is done.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from kloplei.games.game import Do, IllegalAction, Meaning
from kloplei.games.scoreboard import Doubt
from kloplei.table.board import Question
from kloplei.table.gestures import Pattern
from kloplei.table.intents import Intents


@dataclass(frozen=True, slots=True)
class Doubted:
    """The doubtful *pattern*, flagged from *since_s* to *until_s*.

    *meaning* is what it would bring about, and *question* what the table waited for, when it
    was flagged: once either has changed, it would be taken for what nobody meant.
    """

    number: int
    pattern: Pattern
    meaning: Meaning
    question: Question
    since_s: float
    until_s: float

    def shown(self, now_s: float) -> Doubt:
        """Return what slate and phones show of it."""
        total_s = self.until_s - self.since_s
        return Doubt(
            seat=self.pattern.seat,
            knocks=self.pattern.knocks,
            sure=self._sure,
            left_s=min(max(self.until_s - now_s, 0.0), total_s),
            total_s=total_s,
            number=self.number,
            action=self.meaning.action.name if isinstance(self.meaning, Do) else None,
        )

    def is_accepted_by(self, pattern: Pattern) -> bool:
        """Return whether *pattern* says yes: one knock, struck while the question stood."""
        return pattern.knocks == 1 and self.since_s <= pattern.began_s <= self.until_s

    @property
    def accepted(self) -> Pattern:
        """The pattern, with every knock of it counted."""
        return replace(self.pattern, doubtful=0)

    @property
    def dismissed(self) -> Pattern | None:
        """What of the pattern was sure, or None if nothing was."""
        if not self._sure:
            return None
        rest = replace(self.pattern.gesture, knocks=self._sure)  # a press is never in doubt
        return replace(self.pattern, gesture=rest, doubtful=0)

    @property
    def _sure(self) -> int:
        return self.pattern.knocks - self.pattern.doubtful


class Doubts:
    """The doubtful pattern of the table; when there is another, the newest one stands.

    Args:
        intents: Takes what is beyond doubt, and foresees what would come of the rest.
        question: Tells what the table waits for.
        doubt_s: How long a doubt stands.
    """

    def __init__(self, intents: Intents, question: Callable[[], Question], doubt_s: float) -> None:
        self._intents = intents
        self._question = question
        self._doubt_s = doubt_s
        self._number = 0
        self._newest: Doubted | None = None
        self._stands = False

    @property
    def standing(self) -> Doubted | None:
        """The doubtful pattern that people see, while it would be taken for what it was."""
        return self._open if self._stands else None

    @property
    def next_deadline(self) -> float | None:
        """When the doubtful pattern is shown no longer."""
        return self._newest.until_s if self._newest and self._stands else None

    def pass_time(self, at_s: float) -> None:
        """Show no longer the doubtful pattern of which nobody has said anything by *at_s*."""
        # It is kept: a knock that was struck in time may not have ended yet.
        if (until_s := self.next_deadline) is not None and until_s <= at_s:
            self._stands = False

    def weigh(self, pattern: Pattern, now_s: float) -> None:
        """Flag *pattern* if it is doubtful; else let it say yes to a doubt, or be itself."""
        doubt = self._open
        if pattern.doubtful:
            self._flag(pattern, now_s)
        elif doubt is not None and doubt.is_accepted_by(pattern):
            self._close()
            if not self._intents.object(doubt.pattern.seat, now_s):
                self._intents.understand(doubt.accepted, now_s)
        else:
            if doubt is not None and doubt.pattern.seat == pattern.seat:
                self._close()  # the same hand once more, and clearly
            self._intents.understand(pattern, now_s)

    def takes(self, pattern: Pattern) -> bool:
        """Whether *pattern* would say yes to what is in doubt."""
        doubt = self._open
        return doubt is not None and doubt.is_accepted_by(pattern)

    def accept(self, number: int | None, now_s: float) -> None:
        """Take the doubtful pattern for one, as a phone asks; *number* None is any.

        Raises:
            IllegalAction: No such doubt stands, or what it asks for is refused.
            TableSilent: What it asks for cannot be written down.
        """
        doubt = self._take(number)
        if not self._intents.object(doubt.pattern.seat, now_s):
            self._intents.perform(doubt.accepted, now_s)

    def dismiss(self, number: int | None, now_s: float) -> None:
        """Take what was doubtful for no knock, as a phone asks; raises as `accept` does."""
        if rest := self._take(number).dismissed:
            self._intents.perform(rest, now_s)

    @property
    def _open(self) -> Doubted | None:
        newest = self._newest
        if newest is None or newest.question != self._question():
            return None
        return newest if self._intents.foresee(newest.pattern) == newest.meaning else None

    def _close(self) -> None:
        self._newest, self._stands = None, False

    def _flag(self, pattern: Pattern, now_s: float) -> None:
        meaning = self._intents.foresee(pattern)
        if meaning is None:
            return  # whatever it was, nothing would come of it
        self._number += 1
        until_s = now_s + self._doubt_s
        self._newest = Doubted(self._number, pattern, meaning, self._question(), now_s, until_s)
        self._stands = True

    def _take(self, number: int | None) -> Doubted:
        doubt = self.standing
        if doubt is None or number not in (None, doubt.number):
            raise IllegalAction("nothing_doubtful")
        self._close()
        return doubt
