"""The Grosstarock family: `Tarok` by the house rules of `Options`."""

from kloplei.games.tarok.cards import PACK
from kloplei.games.tarok.game import Tarok
from kloplei.games.tarok.legality import REASONS
from kloplei.games.tarok.options import PRESETS, Options
from kloplei.games.tarok.state import Phase, State
from kloplei.games.tarok.trick import bench, judge

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
