"""A table at one moment, as a slate gets it to draw."""

from dataclasses import dataclass, field

from kloplei.games.scoreboard import Scoreboard
from kloplei.slate.picture import DisplaySettings

NAMES = ("Thijs", "Tame", "Thomas", "Stan", "Willemijn", "Bo", "Søren", "Jörg")


@dataclass(frozen=True)
class Scene:
    """A table, *after_s* its scoreboard came, on a slate in *language*."""

    board: Scoreboard
    after_s: float = 60.0
    language: str = "nl"
    look: DisplaySettings = field(default_factory=DisplaySettings)
