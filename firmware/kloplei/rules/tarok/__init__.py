"""The Grosstarock family: `Tarok` by the house rules of `Options`."""

from kloplei.rules.tarok.cards import PACK
from kloplei.rules.tarok.game import Tarok
from kloplei.rules.tarok.judge import bench, judge
from kloplei.rules.tarok.options import PRESETS, Options
from kloplei.rules.tarok.referee import REASONS
from kloplei.rules.tarok.state import Phase, State

GAME = Tarok

__all__ = [
    "GAME",
    "PACK",
    "PRESETS",
    "REASONS",
    "Options",
    "Phase",
    "State",
    "Tarok",
    "bench",
    "judge",
]
