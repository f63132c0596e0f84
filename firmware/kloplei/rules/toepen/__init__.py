"""Toepen, the Dutch pub game: `Toepen` by the house rules of `Options` (docs/rules/toepen.md)."""

from kloplei.rules.cards import PIQUET as PACK
from kloplei.rules.toepen.game import Toepen
from kloplei.rules.toepen.judge import bench, judge
from kloplei.rules.toepen.options import PRESETS, Options
from kloplei.rules.toepen.referee import REASONS
from kloplei.rules.toepen.state import Phase, State

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
