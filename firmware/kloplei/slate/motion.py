"""What of a picture moves: it asks here where it stands, and that tells when to draw again."""

import math
from dataclasses import dataclass

from kloplei.rules.scoreboard import Line

_HAIR_S = 0.002  # so much later one looks again: by rounding, "now" may be just before


@dataclass(frozen=True, slots=True)
class Moment:
    """When a picture is drawn, in monotonic seconds.

    *board_s* is when the scoreboard came, *news_s* when what it tells last had happened, and
    *trouble_s* when the notice *trouble* came up, the newest of them.
    """

    now_s: float = 0.0
    board_s: float = 0.0
    news_s: float = 0.0
    trouble_s: float = 0.0
    trouble: Line | None = None


class Motion:
    """The moving parts of one picture.

    Faces take their time from here only, so that ``lasts_s`` is right by itself: how long
    the picture stays as it is, None for ever.
    """

    def __init__(self, moment: Moment) -> None:
        self.lasts_s: float | None = None
        self._since_board_s = max(moment.now_s - moment.board_s, 0.0)
        self._since_news_s = max(moment.now_s - moment.news_s, 0.0)
        self._since_trouble_s = max(moment.now_s - moment.trouble_s, 0.0)
        self._trouble = moment.trouble

    def turn(self, *lengths_s: float) -> int:
        """Return whose turn it is among parts that follow each other for ever."""
        at_s = self._since_board_s % sum(lengths_s)
        for number, length_s in enumerate(lengths_s):
            if at_s < length_s:
                self._changes_in(length_s - at_s)
                return number
            at_s -= length_s
        return 0  # rounding: a new round has just begun

    def blink(self, on_s: float = 0.8, off_s: float = 0.4) -> bool:
        """Return whether something that blinks is on; slower than once a second hurts nobody."""
        return self.turn(on_s, off_s) == 0

    def left(self, left_s: float, total_s: float, steps: int) -> int:
        """Return how many of *steps* are left of *total_s*, when *left_s* were with the board."""
        step_s = total_s / steps
        left_s -= self._since_board_s
        if left_s <= 0:
            return 0
        begun = math.ceil(left_s / step_s)
        self._changes_in(left_s - (begun - 1) * step_s)
        return min(begun, steps)

    def frame(self, length_s: float, frames: int) -> int | None:
        """Return the frame of a play that ran once when the news came, or None when it is over."""
        number = int(self._since_news_s / length_s)
        if number >= frames:
            return None
        self._changes_in((number + 1) * length_s - self._since_news_s)
        return number

    def new_trouble(self, told_s: float) -> Line | None:
        """Return the notice that came up last, for *told_s* seconds from then."""
        if self._trouble is None or self._since_trouble_s >= told_s:
            return None
        self._changes_in(told_s - self._since_trouble_s)
        return self._trouble

    def _changes_in(self, seconds: float) -> None:
        seconds += _HAIR_S
        self.lasts_s = seconds if self.lasts_s is None else min(self.lasts_s, seconds)
