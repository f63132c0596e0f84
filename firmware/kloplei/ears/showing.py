"""A tuning shown on slate and phones: told to the table no more often than it needs."""

from dataclasses import replace

from kloplei.games.scoreboard import Tuning
from kloplei.table.inbox import Inbox, TuningShown

BEAT_S = 2.0  # so often the table is told again, for it forgets a tuning that says nothing
METER_S = 0.15  # a meter that moves faster only heats the phones


class Showing:
    """Tells *inbox* what stands, at once when it matters; for one thread at a time."""

    def __init__(self, inbox: Inbox) -> None:
        self._inbox = inbox
        self._shown: Tuning | None = None
        self._shown_s = float("-inf")

    def show(self, tuning: Tuning | None, now_s: float) -> None:
        """Let people see *tuning*, None when it is over, unless they just did."""
        since_s = now_s - self._shown_s
        if tuning == self._shown and (tuning is None or since_s < BEAT_S):
            return
        if _but_for_level(tuning) == _but_for_level(self._shown) and since_s < METER_S:
            return
        self._inbox.put(TuningShown(tuning))
        self._shown, self._shown_s = tuning, now_s


def _but_for_level(tuning: Tuning | None) -> Tuning | None:
    return None if tuning is None else replace(tuning, level=0)
