"""Toepen, the Dutch pub game: `Toepen` by the house rules of `Options` (docs/rules/toepen.md)."""

from kloplei.games.cards import PIQUET as PACK
from kloplei.games.toepen.game import Toepen
from kloplei.games.toepen.legality import REASONS
from kloplei.games.toepen.options import PRESETS, Options
from kloplei.games.toepen.state import Phase, State
from kloplei.games.toepen.trick import bench, judge

GAME = Toepen

__all__ = [
    "GAME",
    "PACK",
    "PRESETS",
    "REASONS",
    "Options",
    "Phase",
    "State",
    "Toepen",
    "bench",
    "judge",
]
