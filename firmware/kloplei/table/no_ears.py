"""A table without sensors: it heard nothing, and there is nothing to tune."""

from typing import NoReturn

from kloplei.knock.verdict import Verdict
from kloplei.rules.game import Facts, Seat
from kloplei.table.client import Unreadable
from kloplei.table.ears import (
    HeardEvent,
    Keeping,
    Loudness,
    Suggestion,
    TuneState,
    check_limit,
    not_kept,
)

_NO_FACTS: Facts = {}


class NoEars:
    """What a table without sensors answers: it heard nothing, and cannot be tuned."""

    def heard_events(self, limit: int = 50) -> tuple[HeardEvent, ...]:
        """Return nothing, if *limit* makes sense."""
        check_limit(limit)
        return ()

    def mark(self, number: int, was: Verdict | None, seat: Seat | None = None) -> HeardEvent:
        """Refuse: no event is kept."""
        del was, seat
        raise not_kept(number)

    def keeping(self) -> Keeping:
        """Return that nothing is kept."""
        return Keeping(most=0, kept=0)

    def suggestion(self) -> Suggestion | None:
        """Return None."""
        return None

    def take(self, suggestion: str) -> None:
        """Refuse."""
        del suggestion
        _refuse()

    def decline(self, suggestion: str) -> None:
        """Refuse."""
        del suggestion
        _refuse()

    def take_back(self) -> None:
        """Refuse."""
        _refuse()

    def meter(self) -> tuple[Loudness, ...]:
        """Return nothing."""
        return ()

    def tune(self, step: str, facts: Facts = _NO_FACTS) -> TuneState:
        """Refuse."""
        del step, facts
        _refuse()


def _refuse() -> NoReturn:
    raise Unreadable("This table has no sensors that listen. Start it with: kloplei run")
