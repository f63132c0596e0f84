"""Watten, a game of the Tyrol: `Watten` by the house rules of `Options`."""

from kloplei.games.watten.game import Watten
from kloplei.games.watten.legality import REASONS
from kloplei.games.watten.options import PRESETS, VARIANTS, Options
from kloplei.games.watten.state import Phase, State
from kloplei.games.watten.trick import PACK, bench, judge, ladder

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
