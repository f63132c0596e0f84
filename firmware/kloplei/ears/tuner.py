"""What the ears ask of a tuning: it is fed with all they hear, and stepped by people."""

from typing import Protocol

from kloplei.games.game import Facts
from kloplei.knock.judgement import Judgement
from kloplei.table.ears import TuneState


class Tuner(Protocol):
    """A tuning of the table, under way or not.

    The ears call it from many threads, but one call at a time; it must answer at once.
    """

    @property
    def is_under_way(self) -> bool:
        """Whether somebody tunes: then every blow is for it, and none for the game."""
        ...

    def step(self, step: str, facts: Facts, now_s: float) -> TuneState:
        """Do *step* of the tuning at *now_s*; see `kloplei.table.ears.EarsClient.tune`."""
        ...

    def judged(self, judgement: Judgement) -> None:
        """Take a blow that was judged, noise included."""
        ...

    def loudness(self, part: str, peaks: tuple[float, ...], at_s: float) -> None:
        """Take how loud each channel of *part* was of late."""
        ...
