"""Watten, a game of the Tyrol: `Watten` by the house rules of `Options`."""

from kloplei.rules.watten.game import Watten
from kloplei.rules.watten.judge import bench, judge, ladder
from kloplei.rules.watten.options import PRESETS, VARIANTS, Options
from kloplei.rules.watten.ranking import PACK
from kloplei.rules.watten.referee import REASONS
from kloplei.rules.watten.state import Phase, State

GAME = Watten

__all__ = [
    "GAME",
    "PACK",
    "PRESETS",
    "REASONS",
    "VARIANTS",
    "Options",
    "Phase",
    "State",
    "Watten",
    "bench",
    "judge",
    "ladder",
]
