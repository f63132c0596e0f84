"""Whether the table is being tuned: then no knock plays, for as long as the tuning is alive."""

from kloplei.games.scoreboard import Tuning

FRESH_S = 15.0
"""A tuning that says nothing for so long has died; no evening may hang on it."""


class Tuned:
    """What the tuning has shown last."""

    def __init__(self) -> None:
        self.shown: Tuning | None = None
        self.next_deadline: float | None = None

    def show(self, tuning: Tuning | None, now_s: float) -> None:
        """Let people see *tuning*; None when it is over."""
        self.shown = tuning
        self.next_deadline = None if tuning is None else now_s + FRESH_S

    def pass_time(self, now_s: float) -> None:
        """Forget a tuning that has died."""
        if self.next_deadline is not None and now_s >= self.next_deadline:
            self.show(None, now_s)
